#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "emulator/transport/assured/counters.h"
#include "emulator/transport/assured/pdu.h"

namespace morgana::assured {

/// What all receiving halves keep: which SDs have come, from the first that is missing on. It knows neither
/// time nor network.
/// @tparam Piece  what an SD carries
/// @tparam bits   of a sequence number
template <class Piece, unsigned bits>
class ReceiveWindow {
 public:
  using Numbers = Sequence<bits>;

  /// @param first  the number of the first SD
  /// @param size   SDs that it accepts from the next in order on
  ReceiveWindow(Number first, std::uint32_t size) : size_(size), in_order_(first), expected_(first) {}

  /// An SD that has not come yet, from beyond the window.
  bool is_beyond(Number ns) const {
    return !Numbers::behind(in_order_, ns) && Numbers::distance(in_order_, ns) >= size_;
  }
  /// @param delivered  gets what may be delivered now, in order
  /// @return the USTAT that reports a gap before the SD
  std::optional<Ustat> take(Number ns, const Piece& piece, std::vector<Piece>& delivered) {
    const std::uint32_t ahead = Numbers::distance(in_order_, ns);
    const std::uint32_t known = Numbers::distance(in_order_, expected_);
    if (Numbers::behind(in_order_, ns) || (ahead < known && buffer_[ahead])) {
      ++counters_.duplicates;
      return std::nullopt;
    }
    if (ahead >= size_) {
      ++counters_.beyond_window;
      return std::nullopt;
    }
    std::optional<Ustat> gap;
    if (ahead > known) gap = tell_gap(ns);
    if (ahead >= known) expect(Numbers::plus(ns, 1));
    buffer_[ahead] = piece;
    while (!buffer_.empty() && buffer_.front()) {
      delivered.push_back(*buffer_.front());
      buffer_.pop_front();
      in_order_ = Numbers::plus(in_order_, 1);
    }
    return gap;
  }

  /// All from the next expected one up to before `end` are missing, and expected from now on to come again.
  Ustat tell_gap(Number end) {
    const Ustat gap{expected_, end, limit(), in_order_};
    expect(end);
    ++counters_.ustats;
    return gap;
  }
  /// A POLL reports which SDs have been sent: all that the window has space for are expected.
  void expect_all_before(const Poll& poll) {
    expect(Numbers::distance(in_order_, poll.ns) > size_ ? limit() : poll.ns);
  }
  /// The missing and received runs of the SDs before `end`, or before the next expected one if that is less:
  /// alternately the first SD of a missing run and of a received run, from the first missing one on; last,
  /// the end of the last run. Empty if none is missing.
  std::vector<Number> runs(Number end) const {
    const Number last = Numbers::behind(expected_, end) ? end : expected_;
    const std::uint32_t told = Numbers::behind(in_order_, last) ? 0 : Numbers::distance(in_order_, last);
    std::vector<Number> list;
    bool missing = false;
    for (std::uint32_t ahead = 0; ahead < told; ++ahead) {
      if (missing == !buffer_[ahead]) continue;
      missing = !missing;
      list.push_back(Numbers::plus(in_order_, ahead));
    }
    if (!list.empty()) list.push_back(last);
    return list;
  }

  ReceiverCounters& counters() { return counters_; }
  const ReceiverCounters& counters() const { return counters_; }
  Number in_order() const { return in_order_; }                     ///< the first SD that is missing
  Number expected() const { return expected_; }                     ///< the next that is expected to come
  Number limit() const { return Numbers::plus(in_order_, size_); }  ///< the first that it does not accept

 private:
  void expect(Number next) {
    buffer_.resize(Numbers::distance(in_order_, next));
    expected_ = next;
  }

  std::uint32_t size_;
  std::deque<std::optional<Piece>> buffer_;  ///< in_order_ .. expected_-1
  Number in_order_, expected_;
  ReceiverCounters counters_;
};

}  // namespace morgana::assured
