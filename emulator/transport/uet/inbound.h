#pragma once

#include <cstdint>
#include <deque>

#include "emulator/core/units.h"
#include "emulator/transport/uet/packet.h"

namespace morgana::uet {

/// What has come of a connection's packets, each counted once, and when that is said.
///
/// A packet is acknowledged at once if it has come before, is the first of its connection to come, is marked,
/// or asks. If it asks and has not come before, another acknowledgement goes when no packet is missing any
/// more. Without being asked one goes
/// once acknowledge_bytes have come since the last one. The bitmap ends with that packet, but begins after
/// the first that is missing.
class Inbound {
 public:
  struct Data {
    Psn psn = 0;
    Bytes size{};  ///< on the sender's link
    bool marked = false, asks = false, repeated = false;
  };
  struct Taken {
    bool is_new = false;
    bool acknowledges = false;
  };

  bool has(Psn psn) const {
    return psn < expected_ || (psn - expected_ < came_.size() && came_[psn - expected_]);
  }
  Taken take(const Data& data, Bytes acknowledge_bytes);
  /// Of all that has come, for a packet that came last.
  Acknowledgement acknowledge(const Data& data);

  std::int64_t bytes() const { return bytes_; }
  std::uint64_t early() const { return early_; }  ///< packets that came before earlier ones, ever

 private:
  Psn expected_ = 0;
  std::deque<bool> came_;   // from expected_ on: the first is false
  std::size_t ahead_ = 0;   // of these that are true
  std::int64_t bytes_ = 0;  // all that has come
  Bytes unreported_;        // since the last acknowledgement
  bool asked_ = false;      // for one when nothing is missing
  std::uint64_t early_ = 0;
};

}  // namespace morgana::uet
