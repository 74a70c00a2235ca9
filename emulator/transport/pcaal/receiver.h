#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "emulator/transport/pcaal/pdu.h"
#include "emulator/transport/pcaal/sender.h"

namespace morgana::pcaal {

struct ReceiverCounters {
  std::uint64_t duplicates = 0;     ///< SDs that had come before
  std::uint64_t beyond_window = 0;  ///< SDs from VR(MR) on
  std::uint64_t stats = 0, stat_cells = 0, ustats = 0;
};

/// The receiving half of a connection: the flowcharts of figure 5.6 with the state variables' names, one
/// function for each event. It knows neither time nor network.
class Receiver {
 public:
  /// @param first   the number of the first SD
  /// @param window  SDs that it accepts from the next in order on
  Receiver(Number first, std::uint32_t window) : window_(window), in_order_(first), vr_r_(first) {}

  /// @param delivered  gets what may be delivered now, in order
  /// @return the USTAT that tells of a gap that the SD shows
  std::optional<Ustat> take(Number ns, const Piece& piece, std::vector<Piece>& delivered);
  /// @return the cells of the STAT; none if the POLL is older than what has come
  std::vector<Stat> take(const Poll& poll);
  // Where POLLs and SDs go over more than one connection and may overtake each other (ECE):
  /// The POLL has come. @return whether it is the latest; else nothing has changed
  bool note(const Poll& poll);
  /// The cells of a status that tells of what has come of all SDs up to before `end`, or VR(R) if that is
  /// less, in answer to the latest POLL. @param longest  elements of a cell's list, at least 2
  std::vector<Stat> report(Number end, std::size_t longest);

  const ReceiverCounters& counters() const { return counters_; }
  Number vr_r() const { return vr_r_; }
  Number vr_pr() const { return vr_pr_; }
  Number vr_mr() const { return in_order_ + window_; }
  Number next_in_order() const { return in_order_; }

 private:
  Ustat tell_gap(Number end);
  void expect(Number next);
  void expect_all_before(const Poll& poll);

  std::uint32_t window_;
  std::deque<std::optional<Piece>> buffer_;  ///< the next in order .. VR(R)-1
  Number in_order_;                          ///< the first SD that is missing: N(R)
  Number vr_r_;                              ///< the next that is expected to come (Q.2110 calls it VR(H))
  Number vr_pr_ = 0;                         ///< the last POLL
  ReceiverCounters counters_;
};

}  // namespace morgana::pcaal
