#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/transport/assured/receive_window.h"
#include "emulator/transport/sscop/pdu.h"
#include "emulator/transport/sscop/sender.h"

namespace morgana::sscop {

/// The receiving half of a connection: state variables and rules of ITU-T Q.2110, one function for each
/// event. It knows neither time nor network.
class Receiver {
 public:
  /// @param first         the number of the first SD
  /// @param window        SDs from VR(R) on that it accepts: VR(MR) - VR(R)
  /// @param longest_list  elements of a STAT's list, odd and at least 3
  Receiver(Number first, std::uint32_t window, std::uint32_t longest_list)
      : data_(first, window), longest_list_(longest_list) {}

  /// @param in_order  gets what may be delivered now, in order
  /// @return the USTAT that reports a gap before the SD
  std::optional<Ustat> take(Number ns, const Piece& piece, std::vector<Piece>& in_order);
  /// @return one STAT, or several where the list is too long for one
  std::vector<Stat> take(const Poll& poll);

  const assured::ReceiverCounters& counters() const { return data_.counters(); }
  Number vr_r() const { return data_.in_order(); }  ///< the next in order
  Number vr_h() const { return data_.expected(); }  ///< the next that is expected to come
  Number vr_mr() const { return data_.limit(); }    ///< the first that is not accepted

 private:
  assured::ReceiveWindow<Piece, 24> data_;
  std::uint32_t longest_list_;
};

}  // namespace morgana::sscop
