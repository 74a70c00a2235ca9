#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/transport/assured/receive_window.h"
#include "emulator/transport/pcaal/pdu.h"
#include "emulator/transport/pcaal/sender.h"

namespace morgana::pcaal {

/// The receiving half of a connection: the flowcharts of figure 5.6 with the state variables' names, one
/// function for each event. It knows neither time nor network.
class Receiver {
 public:
  /// @param first   the number of the first SD
  /// @param window  SDs that it accepts from the next in order on
  Receiver(Number first, std::uint32_t window) : data_(first, window) {}

  /// @param delivered  gets what may be delivered now, in order
  /// @return the USTAT that reports a gap before the SD
  std::optional<Ustat> take(Number ns, const ElementPiece& piece, std::vector<ElementPiece>& delivered) {
    return data_.take(ns, piece, delivered);
  }
  /// @return the cells of the STAT; none if the POLL is older than what has come
  std::vector<Stat> take(const Poll& poll);
  // Where POLLs and SDs go over more than one connection and may overtake each other (ECE):
  /// The POLL has come. @return whether it is the latest; else nothing has changed
  bool note(const Poll& poll);
  /// The cells of a status that reports what has come of all SDs up to before `end`, or VR(R) if that is
  /// less, in answer to the latest POLL. @param longest  elements of a cell's list, at least 2
  std::vector<Stat> report(Number end, std::size_t longest);

  const assured::ReceiverCounters& counters() const { return data_.counters(); }
  /// The next that is expected to come (Q.2110 calls it VR(H)).
  Number vr_r() const { return data_.expected(); }
  Number vr_pr() const { return vr_pr_; }  ///< the last POLL
  Number vr_mr() const { return data_.limit(); }
  /// The first SD that is missing: N(R).
  Number next_in_order() const { return data_.in_order(); }

 private:
  assured::ReceiveWindow<ElementPiece, 32> data_;
  Number vr_pr_ = 0;
};

}  // namespace morgana::pcaal
