#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <set>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/transport/uet/packet.h"

namespace morgana::uet {

/// Which packets a sender has under way, which it is to send again, and how many bytes are under way.
///
/// A packet is under way from its sending until it is acknowledged, a NACK has come or its timeout is over;
/// then it is to be sent again until it is, or is acknowledged after all. Bytes under way: those of all
/// sendings, without those of sendings given up, and without the bytes that the receiver has got by its own
/// count; 0 where all packets are acknowledged. A sending given up counts again if the packet is acknowledged
/// after all. A report's count holds packets that it does not name.
class Outbound {
 public:
  struct Sent {
    SimTime at;
    Bytes size;
    std::uint32_t entropy = 0;
    std::uint32_t times = 0;     ///< that it was sent
    std::uint32_t timeouts = 0;  ///< that it has had
    enum class State : std::uint8_t { under_way, to_repeat, acknowledged } state = State::under_way;
  };

  /// The next packet for the first time. @return its number
  Psn send_new(SimTime now, Bytes size, std::uint32_t entropy);
  /// That is to be sent again.
  void send_again(Psn psn, SimTime now, std::uint32_t entropy);
  std::optional<Psn> to_repeat() const {
    return repeats_.empty() ? std::nullopt : std::optional(*repeats_.begin());
  }
  Bytes size_of(Psn psn) const { return sent_[psn - oldest_].size; }
  const Sent& operator[](Psn psn) const { return sent_[psn - oldest_]; }
  /// Whether it is neither acknowledged nor to be sent again.
  bool is_under_way(Psn psn) const;

  /// When the packet was sent that the report is for; nothing if it can't be known which of its sendings
  /// came.
  std::optional<SimTime> sent_at(const Acknowledgement& report) const;
  /// @param acknowledged  is called with each packet that was not acknowledged before
  /// @return the bytes that have come since the last report
  template <typename Visit>
  Bytes take(const Acknowledgement& report, Visit acknowledged) {
    const Bytes came(std::max<std::int64_t>(report.bytes - came_, 0));
    came_ += came.count();
    under_way_ -= came.count();
    for (Psn psn = oldest_; psn < report.expected && psn < next_; ++psn)
      if (note_acknowledged(psn)) acknowledged(psn);
    for (unsigned bit = 0; bit < bitmap_size; ++bit)
      if ((report.came >> bit & 1) != 0 && note_acknowledged(report.base + bit))
        acknowledged(report.base + bit);
    while (!sent_.empty() && sent_.front().state == Sent::State::acknowledged) {
      sent_.pop_front();
      ++oldest_;
    }
    if (sent_.empty()) under_way_ = 0;
    return came;
  }
  /// A packet that is under way is not, and is to be sent again.
  void give_up(Psn psn, bool by_timeout);
  /// The packet under way that was sent first.
  std::optional<Psn> first_sent();

  Bytes under_way() const { return Bytes(under_way_); }
  Bytes left_to_repeat() const { return to_repeat_bytes_; }
  bool all_acknowledged() const { return sent_.empty(); }
  Psn oldest() const { return oldest_; }
  Psn next() const { return next_; }
  void clear();

 private:
  struct Sending {
    Psn psn;
    std::uint32_t times;
  };
  bool note_acknowledged(Psn psn);

  Psn oldest_ = 0, next_ = 0;
  std::deque<Sent> sent_;  // from oldest_ on
  std::set<Psn> repeats_;
  std::deque<Sending> order_;  // of sendings, oldest first; also of packets no longer under way
  std::int64_t under_way_ = 0, came_ = 0;
  Bytes to_repeat_bytes_;
};

}  // namespace morgana::uet
