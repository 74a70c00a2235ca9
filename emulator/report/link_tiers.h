#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "emulator/core/link_load.h"

namespace morgana {

/// Links of one kind and direction.
struct LinkTier {
  std::string name;        ///< "uplinks of the leaves", "links to hosts"
  std::size_t links = 0;   ///< of that tier
  std::size_t in_use = 0;  ///< that have carried something
  double busiest = 0;      ///< the largest utilisation, 0 to 1
  double mean = 0;         ///< utilisation of those in use
};

/// The tiers of a network, the one with the busiest link first. A switch's level is its distance from the
/// nearest switch with hosts: 0 for leaves. Where switches of several levels are joined, links lead up, down,
/// or across; elsewhere all links between switches are one tier. None for a network without links.
std::vector<LinkTier> link_tiers(const NetworkLinks& links);

/// Which tier limits the run, for people: "uplinks of the leaves limit: busy for 97.0 % of the run at
/// most, 83.1 % on average of the 64 in use; next links to hosts, 48.2 % at most". Tiers that are busy alike
/// are named together, those that packets pass first in front. Empty where no link is busy for more than half
/// of the run.
std::string limiting_tier_text(const NetworkLinks& links);

}  // namespace morgana
