#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "emulator/transport/sscop/pdu.h"
#include "emulator/transport/sscop/sender.h"

namespace morgana::sscop {

struct ReceiverCounters {
  std::uint64_t duplicates = 0;     ///< SDs that had come before
  std::uint64_t beyond_window = 0;  ///< SDs from VR(MR) on
  std::uint64_t stats = 0, ustats = 0;
  std::uint64_t refused = 0;  ///< POLLs that don't fit the state
};

/// The receiving half of a connection: state variables and rules of ITU-T Q.2110, one function for each
/// event. It knows neither time nor network.
class Receiver {
 public:
  /// @param first         the number of the first SD
  /// @param window        SDs from VR(R) on that it accepts: VR(MR) - VR(R)
  /// @param longest_list  elements of a STAT's list, odd and at least 3
  Receiver(Number first, std::uint32_t window, std::uint32_t longest_list)
      : window_(window), longest_list_(longest_list), vr_r_(first), vr_h_(first) {}

  /// @param in_order  gets what may be delivered now, in order
  /// @return the USTAT that tells of a gap that the SD shows
  std::optional<Ustat> take(Number ns, const Piece& piece, std::vector<Piece>& in_order);
  /// @return one STAT, or several where the list is too long for one
  std::vector<Stat> take(const Poll& poll);

  const ReceiverCounters& counters() const { return counters_; }
  Number vr_r() const { return vr_r_; }
  Number vr_h() const { return vr_h_; }
  Number vr_mr() const { return plus(vr_r_, window_); }

 private:
  Ustat tell_gap(Number end);
  void move_highest(Number to);

  std::uint32_t window_, longest_list_;
  std::deque<std::optional<Piece>> buffer_;  ///< VR(R) .. VR(H)-1
  Number vr_r_;                              ///< the next in order
  Number vr_h_;                              ///< the next that is expected to come
  ReceiverCounters counters_;
};

}  // namespace morgana::sscop
