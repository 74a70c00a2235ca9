#pragma once

#include <cstddef>
#include <string>
#include <string_view>
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
/// or across; on a dragonfly (found by its graph) there are local and global cables;
/// elsewhere all links between switches are one tier. None for a network without links.
std::vector<LinkTier> link_tiers(const NetworkLinks& links);

/// Which tier limits the run, for people: "uplinks of the leaves: busy for 97.0 % of the run (the busiest of
/// 64; mean 83.1 %); next links to hosts: 48.2 %". Tiers that are busy alike are named together, those that
/// packets pass first in front. Empty where no link is busy for more than half of the run.
/// @param of  what utilisations are shares of
std::string limiting_tier_text(const NetworkLinks& links, std::string_view of = " of the run");

}  // namespace morgana
