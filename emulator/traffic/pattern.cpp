#include "emulator/traffic/pattern.h"

#include <fmt/format.h>

#include "emulator/core/error.h"
#include "emulator/topology/distances.h"
#include "emulator/traffic/permutations.h"

namespace morgana {
namespace {

using Kind = TrafficPattern::Kind;

}  // namespace

Destinations::Destinations(const TrafficPattern& pattern, std::size_t hosts, std::uint64_t seed)
    : pattern_(pattern), hosts_(hosts) {
  if (pattern.kind == Kind::local) {
    throw Error(
        "local traffic takes a network of switches, whose distances are known: choose another pattern");
  }
  settle(seed);
}

Destinations::Destinations(const TrafficPattern& pattern, const SwitchGraph& graph, std::uint64_t seed,
                           std::size_t hosts)
    : pattern_(pattern), hosts_(hosts == 0 ? graph.hosts() : hosts) {
  settle(seed);
  if (pattern.kind != Kind::local) return;
  const Distances distances = minimal_distances(graph);
  const unsigned reach = pattern.reach - pattern.reach_less_cables;
  near_.resize(graph.switches());
  for (SwitchId at = 0; at < graph.switches(); ++at) {
    for (HostNumber host = 0; host < hosts_; ++host)
      if (distances(at, graph.port_of(host).at) <= reach) near_[at].push_back(host);
  }
  place_.resize(hosts_);
  for (HostNumber host = 0; host < hosts_; ++host) {
    switch_of_.push_back(graph.port_of(host).at);
    const auto& near = near_[switch_of_[host]];
    while (near[place_[host]] != host) ++place_[host];
    if (near.size() < 2) {
      throw Error(
          fmt::format("no other host is within {} cables of host {}: choose a larger distance than {}", reach,
                      host, to_text(pattern)));
    }
  }
}

void Destinations::settle(std::uint64_t seed) {
  if (hosts_ < 2)
    throw Error(fmt::format("traffic takes at least two hosts, and the network has {}", hosts_));
  permutation_ = permutation_of(pattern_, hosts_, seed);
  if (pattern_.kind == Kind::hotspot || pattern_.kind == Kind::incast) settle_hot_host(seed);
  if (pattern_.kind == Kind::next_group || pattern_.kind == Kind::group_to_group) settle_groups();
}

void Destinations::settle_hot_host(std::uint64_t seed) {
  hot_host_ =
      pattern_.hot_host.value_or(static_cast<HostNumber>(RandomStream(seed, "hot host").below(hosts_)));
  if (hot_host_ >= hosts_) {
    throw Error(
        fmt::format("the network has no host {} to be hot, only {} numbered from 0", hot_host_, hosts_));
  }
  if (pattern_.kind != Kind::incast) return;
  if (pattern_.senders >= hosts_)
    throw Error(fmt::format("an incast of {} hosts takes {}, and the network has {}", pattern_.senders,
                            pattern_.senders + 1, hosts_));
  silent_.assign(hosts_, true);
  RandomStream random(seed, "incast senders");
  for (unsigned chosen = 0; chosen < pattern_.senders;) {
    const HostNumber host = anyone_else(hot_host_, random);
    if (!silent_[host]) continue;
    silent_[host] = false;
    ++chosen;
  }
}

void Destinations::settle_groups() {
  const std::size_t groups = hosts_ / pattern_.group;
  if (hosts_ % pattern_.group != 0 || groups < 2) {
    throw Error(
        fmt::format("groups of {} hosts take a multiple of them, at least twice as many, and the network has "
                    "{} hosts: give groups of another size",
                    pattern_.group, hosts_));
  }
  if (pattern_.kind == Kind::next_group) return;
  for (const unsigned group : {pattern_.from_group, pattern_.to_group})
    if (group >= groups)
      throw Error(fmt::format("there is no group {}, only {} of {} hosts numbered from 0", group, groups,
                              pattern_.group));
  silent_.assign(hosts_, true);
  for (unsigned n = 0; n < pattern_.group; ++n) silent_[pattern_.from_group * pattern_.group + n] = false;
}

bool Destinations::sends(HostNumber from) const {
  if (!silent_.empty() && silent_[from]) return false;
  return permutation_.empty() || permutation_[from] != from;
}

HostNumber Destinations::anyone_else(HostNumber from, RandomStream& random) const {
  const auto drawn = static_cast<HostNumber>(random.below(hosts_ - 1));
  return drawn < from ? drawn : drawn + 1;
}

HostNumber Destinations::draw(HostNumber from, RandomStream& random, std::uint64_t number) const {
  if (!permutation_.empty()) return permutation_[from];
  switch (pattern_.kind) {
    case Kind::hotspot:
      return from != hot_host_ && random.chance(pattern_.share) ? hot_host_ : anyone_else(from, random);
    case Kind::local: {
      const auto& near = near_[switch_of_[from]];
      const std::size_t drawn = random.below(near.size() - 1);
      return near[drawn < place_[from] ? drawn : drawn + 1];
    }
    case Kind::next_group: {
      const std::size_t next = (from / pattern_.group + 1) * pattern_.group % hosts_;
      return static_cast<HostNumber>(next + random.below(pattern_.group));
    }
    case Kind::group_to_group:
      return static_cast<HostNumber>(std::size_t{pattern_.to_group} * pattern_.group +
                                     random.below(pattern_.group));
    case Kind::incast:
      return hot_host_;
    case Kind::all_to_all:
      return static_cast<HostNumber>((from + 1 + number % (hosts_ - 1)) % hosts_);
    case Kind::uniform:
    default:  // permutations, which are tables
      break;
  }
  return anyone_else(from, random);
}

}  // namespace morgana
