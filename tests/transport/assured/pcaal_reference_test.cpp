#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <random>
#include <variant>

#include "emulator/transport/pcaal/pcaal.h"
#include "emulator/transport/pcaal/receiver.h"
#include "emulator/transport/pcaal/sender.h"
#include "tests/transport/assured/lossy_cells.h"
#include "tests/transport/assured/reference_pcaal.h"
#include "tests/transport/assured/reference_pcaal_transport.h"
#include "tests/transport/harness.h"

namespace morgana::testing {
namespace {
namespace ref = pcaal_reference;

/// The emulator's halves and the reference's, given the same events one by one; every cell that either makes
/// must be the other's, and its 48 octets must say the same again. Cells under way are lost, doubled and now
/// and then overtaken; on every fourth connection some are of a peer that has gone wrong, which may end the
/// transfer.
class PcAalHalvesSideBySide {
 public:
  explicit PcAalHalvesSideBySide(std::uint32_t seed)
      : random_(seed),
        loss_(below(61)),
        forges_(below(4) == 0),
        window_(1 + below(below(2) ? 6 : 60)),
        // Half of the connections' numbers wrap.
        first_(below(2) ? 0xffffffffU - below(60) : static_cast<pcaal::Number>(random_())),
        packing_(below(2) ? pcaal::Packing::single : pcaal::Packing::several),
        sender_(first_, window_),
        receiver_(first_, window_),
        reference_sender_(first_, window_),
        reference_receiver_(first_, window_) {}

  void run() {
    for (std::uint32_t step = 0; step < 300 && !::testing::Test::HasFatalFailure(); ++step) {
      if (forges_ && below(8) == 0) forge();
      switch (below(8)) {
        case 0:
          append(1 + below(12));
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
    for (std::uint32_t round = 0; round < 500 && sender_.active(); ++round) {
      for (int i = 0; i < 100; ++i) hand_over();
      poll();
      while (!under_way_.empty() && !::testing::Test::HasFatalFailure()) carry();
    }
    EXPECT_EQ(delivered_.size(), appended_);
    EXPECT_FALSE(reference_sender_.active());
  }

  std::uint64_t again = 0, long_stats = 0, ustats = 0, refused = 0, beyond = 0;

 private:
  std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }

  void append(std::uint32_t count) {
    for (; count > 0; --count) {
      sender_.append({MessageId{appended_++}, Bytes(1), 0, 1, true});
      reference_sender_.append();
    }
  }
  void launch(const pcaal::Pdu& pdu) {
    const auto read = pcaal::decode(pcaal::encode(pdu, packing_), packing_);
    ASSERT_TRUE(read.has_value());
    ASSERT_EQ(*read, pdu);
    if (below(100) < loss_) return;
    under_way_.push_back(pdu);
    if (below(6) == 0) under_way_.push_back(pdu);
  }
  /// An SD from VR(MR) on, or status of which one number is off by some.
  void forge() {
    const auto off = [this](pcaal::Number& number) { number += below(7) - 3; };
    if (under_way_.empty() || below(3) == 0) return take(sd(receiver_.vr_mr() + below(9)));
    pcaal::Pdu& pdu = under_way_[below(static_cast<std::uint32_t>(under_way_.size()))];
    if (auto* poll = std::get_if<pcaal::Poll>(&pdu)) off(poll->ns);
    if (auto* stat = std::get_if<pcaal::Stat>(&pdu)) {
      if (below(3) == 0)
        off(stat->laf);
      else
        off(stat->list.empty() ? stat->nps
                               : stat->list[below(static_cast<std::uint32_t>(stat->list.size()))]);
    }
    if (auto* ustat = std::get_if<pcaal::Ustat>(&pdu)) off(below(2) ? ustat->first : ustat->nr);
  }
  static pcaal::Sd sd(pcaal::Number ns) { return {1, 0, 1, ns, true}; }
  void hand_over() {
    const auto data = sender_.next();
    const auto expected = reference_sender_.next();
    ASSERT_EQ(data.has_value(), expected.has_value());
    if (data) {
      ASSERT_EQ(data->ns, ref::on_the_wire(expected->ns));
      ASSERT_EQ(data->first_time, expected->first_time);
      ASSERT_EQ(data->repetitions, expected->repetitions);
      ASSERT_EQ(data->piece.message, MessageId{static_cast<std::uint64_t>(expected->ns - first_)});
      again += data->first_time ? 0 : 1;
      pieces_[data->ns] = data->piece;
      launch(sd(data->ns));
    }
    compare_states();
  }
  void poll() {
    const pcaal::Poll poll = sender_.poll();
    ASSERT_EQ(poll, reference_sender_.poll());
    launch(poll);
  }
  void carry() {
    if (under_way_.empty()) return;
    const std::size_t which = below(10) == 0 ? below(static_cast<std::uint32_t>(under_way_.size())) : 0;
    const pcaal::Pdu pdu = under_way_[which];
    under_way_.erase(under_way_.begin() + static_cast<std::ptrdiff_t>(which));
    if (const auto* data = std::get_if<pcaal::Sd>(&pdu)) take(*data);
    if (const auto* poll = std::get_if<pcaal::Poll>(&pdu)) take(*poll);
    if (const auto* stat = std::get_if<pcaal::Stat>(&pdu)) take_status(*stat);
    if (const auto* ustat = std::get_if<pcaal::Ustat>(&pdu)) take_status(*ustat);
    compare_states();
  }
  void take(const pcaal::Sd& data) {
    std::vector<pcaal::Piece> in_order;
    std::vector<ref::Count> expected;
    const auto ustat = receiver_.take(data.ns, pieces_[data.ns], in_order);
    ASSERT_EQ(ustat, reference_receiver_.take(data.ns, expected));
    ASSERT_EQ(in_order.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i)
      ASSERT_EQ(in_order[i].message, MessageId{static_cast<std::uint64_t>(expected[i] - first_)});
    delivered_.insert(delivered_.end(), expected.begin(), expected.end());
    if (ustat) launch(*ustat);
    ustats += ustat ? 1 : 0;
    beyond = receiver_.counters().beyond_window;
  }
  void take(const pcaal::Poll& poll) {
    const auto stats = receiver_.take(poll);
    ASSERT_EQ(stats, reference_receiver_.take(poll));
    long_stats += stats.size() > 1 ? 1 : 0;
    for (const pcaal::Stat& stat : stats) launch(stat);
  }
  template <class Status>
  void take_status(const Status& status) {
    const bool taken = sender_.take(status);
    ASSERT_EQ(taken, reference_sender_.take(status));
    refused += taken ? 0 : 1;
  }
  void compare_states() {
    ASSERT_EQ(sender_.vt_s(), ref::on_the_wire(reference_sender_.vt_s));
    ASSERT_EQ(sender_.vt_a(), ref::on_the_wire(reference_sender_.vt_a));
    ASSERT_EQ(sender_.vt_ps(), ref::on_the_wire(reference_sender_.vt_ps));
    ASSERT_EQ(sender_.active(), reference_sender_.active());
    ASSERT_EQ(receiver_.vr_r(), ref::on_the_wire(reference_receiver_.vr_r));
    ASSERT_EQ(receiver_.next_in_order(), ref::on_the_wire(reference_receiver_.in_order));
  }

  std::mt19937 random_;
  std::uint32_t loss_;
  bool forges_;
  std::uint32_t window_;
  pcaal::Number first_;
  pcaal::Packing packing_;
  pcaal::Sender sender_;
  pcaal::Receiver receiver_;
  ref::Sender reference_sender_;
  ref::Receiver reference_receiver_;
  std::vector<pcaal::Pdu> under_way_;
  std::map<pcaal::Number, pcaal::Piece> pieces_;
  std::vector<ref::Count> delivered_;
  std::uint64_t appended_ = 0;
};

TEST(PcAalReference, MakesTheSameCellsFromTheSameThousandHistories) {
  std::uint64_t again = 0, long_stats = 0, ustats = 0, refused = 0, beyond = 0;
  for (std::uint32_t seed = 0; seed < 1000; ++seed) {
    PcAalHalvesSideBySide both(seed);
    both.run();
    if (HasFailure()) FAIL() << "seed " << seed;
    again += both.again;
    long_stats += both.long_stats;
    ustats += both.ustats;
    refused += both.refused;
    beyond += both.beyond;
  }
  // Each kind of event took place often enough to have been compared.
  EXPECT_GT(again, 1000U);
  EXPECT_GT(long_stats, 100U);
  EXPECT_GT(ustats, 1000U);
  EXPECT_GT(refused, 100U);
  EXPECT_GT(beyond, 100U);
}

/// Loads, times, losses, timers, elements and windows at random. Times have all digits down to the
/// picosecond, so that two things
/// seldom happen at once; cells that follow each other through two interfaces may, and such cases don't
/// count.
TEST(PcAalReference, HandsOverTheSameCellsAtTheSameTimes) {
  std::uint32_t compared = 0, released = 0, long_stats = 0;
  for (std::uint32_t seed = 0; compared < 1000; ++seed) {
    ASSERT_LT(seed, 3000U) << "too many cases are undecided";
    std::mt19937_64 random(seed);
    const auto below = [&](std::int64_t limit) {
      return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(limit));
    };
    const std::uint32_t hosts = 2 + static_cast<std::uint32_t>(below(2));
    PcAalParameters parameters;
    parameters.packing = below(2) ? pcaal::Packing::single : pcaal::Packing::several;
    parameters.element = Bytes(1 + below(parameters.packing == pcaal::Packing::single ? 37 : 35));
    parameters.window = 1 + static_cast<std::uint32_t>(below(below(2) ? 5 : 100));
    parameters.poll = SimTime::from_ps(3'000'000 + below(100'000'000));
    parameters.no_response = parameters.poll + SimTime::from_ps(below(3'000'000'000));
    parameters.tries = static_cast<std::uint32_t>(below(4) ? 0 : 3 + below(10));
    parameters.first =
        below(2) ? 0xffffffffU - static_cast<std::uint32_t>(below(40)) : static_cast<std::uint32_t>(random());
    const std::int64_t byte_time = 100 + below(3000), latency = 1 + below(30'000'000);
    const std::uint64_t loss = static_cast<std::uint64_t>(below(61));
    const auto lost = [&](std::uint32_t port, std::uint64_t ordinal) {
      return std::mt19937_64(seed * 1'000'003ULL + port * 100'003ULL + ordinal)() % 100 < loss;
    };
    std::vector<Planned> plan(static_cast<std::size_t>(1 + below(8)));
    for (Planned& planned : plan) {
      planned.from = static_cast<std::uint32_t>(below(hosts));
      planned.to = (planned.from + 1 + static_cast<std::uint32_t>(below(hosts - 1))) % hosts;
      planned.bytes = below(below(2) ? 100 : 2000);
      planned.at = SimTime::from_ps(below(2'000'000'000));
    }
    sort_by_time(plan);

    EventQueue events;
    std::vector<HandedFrame> handed;
    LossyCells network(events, hosts, [&](const Unit& unit, std::uint64_t ordinal) {
      const auto from = static_cast<std::uint32_t>(unit.from);
      handed.push_back({events.now().ps(), from, static_cast<std::uint32_t>(unit.to), unit.size.count()});
      return lost(from, ordinal);
    });
    network.units.byte_time = SimTime::from_ps(byte_time);
    network.units.latency = [&](PortId, PortId) { return SimTime::from_ps(latency); };
    PcAal transport(events, network, hosts, parameters);
    Dispatch dispatch(events, transport);
    dispatch.expected_outcome = std::nullopt;  // given up or unstable
    const auto fates = dispatch.run(plan);
    const std::int64_t end = events.now().ps() + 1'000'000'000;
    while (!events.empty() && events.now().ps() <= end) events.handle_next();
    std::erase_if(handed, [&](const HandedFrame& frame) { return frame.at > end; });

    ref::Transport reference(parameters, hosts, byte_time, latency, lost);
    reference.run(plan, end);
    if (reference.had_ties) continue;
    ++compared;
    ASSERT_EQ(handed, reference.handed) << "seed " << seed;
    ASSERT_EQ(fates, reference.fates) << "seed " << seed;
    for (const Fate& fate : fates) released += fate.returned ? 1 : 0;
    long_stats += reference.long_stats;
  }
  EXPECT_GT(released, 50U);
  EXPECT_GT(long_stats, 50U);
}

}  // namespace
}  // namespace morgana::testing
