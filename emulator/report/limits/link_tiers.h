#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/core/link_load.h"

namespace morgana {

/// What a network's hosts are, for the names of links. GPUs have NVLink, and what leads up from their
/// switches are NICs; leaves begin behind these.
enum class LinkedHosts : std::uint8_t { computers, gpus };

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
std::vector<LinkTier> link_tiers(const NetworkLinks& links, LinkedHosts hosts = LinkedHosts::computers);

/// Which tier limits the run, for people: "uplinks of the leaves: busy for 97.0 % of the run (the busiest of
/// 64; mean 83.1 %); next links to hosts: 48.2 %". Tiers that are busy alike are named together, those that
/// packets pass first in front. Empty where no link is busy for more than half of the run.
/// @param hosts  as of link_tiers()
/// @param of  what utilisations are shares of
/// @param bound  before the first share: "at most "; empty: it is exact
std::string limiting_tier_text(const NetworkLinks& links, LinkedHosts hosts = LinkedHosts::computers,
                               std::string_view of = " of the run", std::string_view bound = "");

}  // namespace morgana
