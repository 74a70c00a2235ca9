#pragma once

#include <string>
#include <vector>

#include "emulator/core/random.h"
#include "emulator/core/units.h"

namespace morgana {

/// Sizes of messages by chance: which share of them has at most so many bytes, linear between points.
class MessageSizes {
 public:
  struct Point {
    double bytes = 1;
    double share = 1;  ///< 0 .. 1
  };

  /// All of one size, > 0.
  explicit MessageSizes(Bytes size);
  /// @param points  ascending in both; the last share is 1. @throws Error with the first that is not so
  explicit MessageSizes(std::vector<Point> points);
  /// "web-search" (Alizadeh et al., "Data Center TCP", SIGCOMM 2010), "data-mining" (Greenberg et al., "VL2",
  /// SIGCOMM 2009), "hadoop" (Roy et al., "Inside the Social Network's (Datacenter) Network", SIGCOMM 2015),
  /// all three as the points that simulators of congestion control read from their figures; or a file with a
  /// size and a share in per cent in each line, as those simulators have it. @throws Error naming file and
  /// line
  static MessageSizes named(const std::string& name);

  /// At least 1.
  Bytes draw(RandomStream& random) const;
  double mean() const;

 private:
  std::vector<Point> points_;
};

}  // namespace morgana
