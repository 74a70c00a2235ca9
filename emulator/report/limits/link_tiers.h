#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/core/link_load.h"
#include "emulator/core/resource_load.h"

namespace morgana {

/// What a network's hosts are, for the names of links. GPUs have NVLink, and what leads up from their
/// switches are NICs; leaves begin behind these.
enum class LinkedHosts : std::uint8_t { computers, gpus };

/// A network's links, and what else messages pass.
struct NetworkLoads : NetworkLinks {
  NetworkLoads() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): links alone are loads, too
  NetworkLoads(NetworkLinks links, std::vector<ResourceLoad> others = {})
      : NetworkLinks(std::move(links)), resources(std::move(others)) {}
  std::vector<ResourceLoad> resources = {};
};

/// Links of one kind and direction, or hosts' resources of one kind (ResourceLoad).
struct LinkTier {
  std::string name;        ///< "uplinks of the leaves", "links to hosts", "memories of hosts (...)"
  bool of_links = true;    ///< false: of resources
  bool of_memory = false;  ///< ResourceLoad::Place::memory
  std::size_t links = 0;   ///< of that tier
  std::size_t in_use = 0;  ///< that have carried something
  std::size_t idle = 0;    ///< that have not, between switches that have
  double busiest = 0;      ///< the largest utilisation, 0 to 1
  double mean = 0;         ///< utilisation of those in use
};

/// The tiers of a network, the one with the busiest link first. A switch's level is its distance from the
/// nearest switch with hosts: 0 for leaves. Where switches of several levels are joined, links lead up, down,
/// or across; on a dragonfly (found by its graph) there are local and global cables;
/// elsewhere all links between switches are one tier. Hosts' resources and shared media are tiers of their
/// own. None for a network that counts neither.
std::vector<LinkTier> link_tiers(const NetworkLoads& links, LinkedHosts hosts = LinkedHosts::computers);

/// The busiest of all, of several that are exactly as busy the one that packets pass first. @param tiers  one
/// at least
const LinkTier& busiest_tier(std::span<const LinkTier> tiers);

/// Whether all that is counted is one medium that all share, in both directions or at once.
bool is_one_medium(const NetworkLoads& links);

/// "uplinks of the leaves are busy", "the shared segment (network.rate) is busy"
std::string are_busy(const LinkTier& tier);

/// Which tier limits the run, and how many of its links between switches that are in use carry nothing, as
/// routes do not lead over them; for people: "uplinks of the leaves: busy for 97.0 % of the run (the busiest
/// of 64; mean 83.1 %); next links to hosts: 48.2 %". Tiers that are busy alike are named together, those
/// that packets pass first in front: "buses into hosts (network.ejection-rate): busy for 72.0 % of the run
/// (the busiest of 32 hosts; mean 70.4 %)". Empty where neither a link nor a resource is busy for more than
/// half of the run.
/// @param hosts  as of link_tiers()
/// @param of  what utilisations are shares of
/// @param bound  before the first share: "at most "; empty: it is exact
std::string limiting_tier_text(const NetworkLoads& links, LinkedHosts hosts = LinkedHosts::computers,
                               std::string_view of = " of the run", std::string_view bound = "");

}  // namespace morgana
