#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <random>
#include <variant>
#include <vector>

#include "emulator/transport/transport.h"

namespace morgana::testing {

/// The emulator's halves of a protocol and the reference's, given the same events one by one; every PDU that
/// either makes must be the other's. PDUs under way are lost, doubled and now and then overtaken; on every
/// fourth connection some are of a peer that has gone wrong, which may end the transfer.
///
/// @tparam Halves  of the protocol: sender, receiver, reference_sender, reference_receiver and `first`, drawn
/// by its constructor; what else the protocol has of its own
template <class Halves>
class HalvesSideBySide {
 public:
  explicit HalvesSideBySide(std::uint32_t seed)
      : random_(seed), loss_(below(61)), forges_(below(4) == 0), halves_(random_) {}

  void run() {
    for (std::uint32_t step = 0; step < 300 && !::testing::Test::HasFatalFailure(); ++step) {
      if (forges_ && below(8) == 0) forge();
      switch (below(8)) {
        case 0:
          append(1 + below(Halves::most_appended));
          break;
        case 1:
          poll();
          break;
        case 2:
        case 3:
          hand_over();
          break;
        default:
          carry();
          break;
      }
    }
    if (forges_) return;
    loss_ = 0;
    for (std::uint32_t round = 0; round < 500 && halves_.sender.active(); ++round) {
      for (int i = 0; i < 100; ++i) hand_over();
      poll();
      while (!under_way_.empty() && !::testing::Test::HasFatalFailure()) carry();
    }
    EXPECT_EQ(delivered_, appended_);
    EXPECT_FALSE(halves_.reference_sender.active());
  }

  /// What has happened: repetitions, statuses of several PDUs, gaps that were reported, statuses that were
  /// refused, and data beyond the window.
  struct Happened {
    std::uint64_t again = 0, long_stats = 0, ustats = 0, refused = 0, beyond = 0;
    void operator+=(const Happened& other) {
      again += other.again;
      long_stats += other.long_stats;
      ustats += other.ustats;
      refused += other.refused;
      beyond += other.beyond;
    }
  };
  Happened happened;

  /// All of the first thousand seeds; each kind of event takes place often enough to have been compared.
  static void expect_equal_halves() {
    Happened sum;
    for (std::uint32_t seed = 0; seed < 1000; ++seed) {
      HalvesSideBySide both(seed);
      both.run();
      if (::testing::Test::HasFailure()) FAIL() << "seed " << seed;
      sum += both.happened;
    }
    EXPECT_GT(sum.again, 1000U);
    EXPECT_GT(sum.long_stats, 100U);
    EXPECT_GT(sum.ustats, 1000U);
    EXPECT_GT(sum.refused, 100U);
    EXPECT_GT(sum.beyond, 100U);
  }

 private:
  using Pdu = typename Halves::Pdu;
  using Sd = typename Halves::Sd;
  using Poll = typename Halves::Poll;
  using Stat = typename Halves::Stat;
  using Ustat = typename Halves::Ustat;

  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }

  void append(std::uint32_t count) {
    for (; count > 0; --count) {
      halves_.sender.append(Halves::piece_of(MessageId{appended_++}));
      halves_.reference_sender.append();
    }
  }
  void launch(const Pdu& pdu) {
    ASSERT_NO_FATAL_FAILURE(halves_.check(pdu));
    if (below(100) < loss_) return;
    under_way_.push_back(pdu);
    if (below(6) == 0) under_way_.push_back(pdu);
  }
  /// An SD from VR(MR) on, or status of which one number is off by some.
  void forge() {
    if (under_way_.empty() || below(3) == 0)
      return take(Halves::sd(Halves::plus(halves_.receiver.vr_mr(), below(9))));
    halves_.forge(under_way_[below(static_cast<std::uint32_t>(under_way_.size()))], random_);
  }
  void hand_over() {
    const auto data = halves_.sender.next();
    const auto expected = halves_.reference_sender.next();
    ASSERT_EQ(data.has_value(), expected.has_value());
    if (data) {
      ASSERT_EQ(data->ns, Halves::wire(expected->ns));
      ASSERT_EQ(data->first_time, expected->first_time);
      ASSERT_EQ(data->repetitions, expected->repetitions);
      ASSERT_EQ(data->piece.message, message_of(expected->ns));
      happened.again += data->first_time ? 0 : 1;
      pieces_[data->ns] = data->piece;
      launch(Halves::sd(data->ns));
    }
    halves_.compare_states();
  }
  void poll() {
    const Poll poll = halves_.sender.poll();
    ASSERT_EQ(poll, halves_.reference_sender.poll());
    launch(poll);
  }
  void carry() {
    if (under_way_.empty()) return;
    const std::size_t which = below(10) == 0 ? below(static_cast<std::uint32_t>(under_way_.size())) : 0;
    const Pdu pdu = under_way_[which];
    under_way_.erase(under_way_.begin() + static_cast<std::ptrdiff_t>(which));
    if (const auto* data = std::get_if<Sd>(&pdu)) take(*data);
    if (const auto* poll = std::get_if<Poll>(&pdu)) take(*poll);
    if (const auto* stat = std::get_if<Stat>(&pdu)) take_status(*stat);
    if (const auto* ustat = std::get_if<Ustat>(&pdu)) take_status(*ustat);
    halves_.compare_states();
  }
  void take(const Sd& data) {
    std::vector<typename Halves::Piece> in_order;
    std::vector<typename Halves::Count> expected;
    const auto ustat = halves_.receiver.take(data.ns, pieces_[data.ns], in_order);
    ASSERT_EQ(ustat, halves_.reference_receiver.take(data.ns, expected));
    ASSERT_EQ(in_order.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_EQ(in_order[i].message, message_of(expected[i]));
    delivered_ += expected.size();
    if (ustat) launch(*ustat);
    happened.ustats += ustat ? 1 : 0;
    happened.beyond = halves_.receiver.counters().beyond_window;
  }
  void take(const Poll& poll) {
    const auto stats = halves_.receiver.take(poll);
    ASSERT_EQ(stats, halves_.reference_receiver.take(poll));
    happened.long_stats += stats.size() > 1 ? 1 : 0;
    for (const Stat& stat : stats) launch(stat);
  }
  template <class Status>
  void take_status(const Status& status) {
    const bool taken = halves_.sender.take(status);
    ASSERT_EQ(taken, halves_.reference_sender.take(status));
    happened.refused += taken ? 0 : 1;
  }
  MessageId message_of(typename Halves::Count count) const {
    return MessageId{static_cast<std::uint64_t>(count - halves_.first)};
  }

  std::mt19937 random_;
  std::uint32_t loss_;
  bool forges_;
  Halves halves_;
  std::vector<Pdu> under_way_;
  std::map<typename Halves::Number, typename Halves::Piece> pieces_;
  std::uint64_t appended_ = 0, delivered_ = 0;
};

}  // namespace morgana::testing
