#pragma once

#include <boost/container/flat_map.hpp>
#include <cstdint>
#include <vector>

#include "emulator/operations/operation.h"

namespace morgana {

/// Which member each rank is of the contexts that it has announced.
class ContextPlaces {
 public:
  struct Place {
    std::uint32_t members = 0;
    std::uint32_t me = 0;  ///< index among them
  };
  /// Replaces what the rank has announced under this number before. @param members  with the rank among them
  void announce(Rank rank, Context context, const std::vector<Rank>& members);
  /// @param ranks  of the whole program: the members of every context that the rank has not announced
  Place find(Rank rank, Context context, std::size_t ranks) const;

 private:
  std::vector<boost::container::flat_map<Context, Place>> of_;  ///< by rank
};

}  // namespace morgana
