#pragma once

#include <vector>

#include "emulator/transport/tcp/segment.h"

namespace morgana::tcp {

/// What of the bytes under way has been acknowledged selectively. Source: RFC 6675, sections 3 and 4.
class Scoreboard {
 public:
  /// @return the bytes that are new
  Bytes add(Range range);
  /// All before `place` is acknowledged.
  void forget_before(Place place);
  void clear() { ranges_.clear(); }

  bool empty() const { return ranges_.empty(); }
  /// One past the highest byte that is acknowledged; the board is not empty.
  Place highest() const { return ranges_.back().end; }
  Bytes total() const { return total_; }
  /// Unacknowledged bytes before this place are lost (IsLost): beyond them lie `threshold` ranges, or more
  /// than (threshold - 1) segments of bytes, which are acknowledged.
  /// @return 0 if nothing is lost
  Place lost_before(Bytes segment) const;
  /// The bytes of `within` that are not acknowledged.
  Bytes missing(Range within) const;
  /// The first bytes of `within` that are not acknowledged and have no acknowledged ones between them; empty
  /// if there are none.
  Range first_missing(Range within) const;
  Range last_missing(Range within) const;

  static constexpr int threshold = 3;  ///< DupThresh

 private:
  std::vector<Range> ranges_;  // apart from each other, in order
  Bytes total_;
};

}  // namespace morgana::tcp
