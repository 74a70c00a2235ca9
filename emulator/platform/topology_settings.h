#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emulator/platform/networks.h"
#include "emulator/platform/schema.h"
#include "emulator/topology/cabled_graph.h"

namespace morgana {

/// How the switches of a network are joined whose switches look at destinations, not at routes.
enum class TopologyKind : std::uint8_t { chain, ring, star, tree, torus, fat_tree, listed };

/// The topology's part of [network], as it is written.
struct TopologySettings {
  Link link;              ///< of hosts and trunks that say nothing else
  BitRate trunk_rate{0};  ///< of trunks that say nothing else; 0: the links'
  std::uint32_t switches = 1;
  TopologyKind kind = TopologyKind::chain;
  std::uint32_t arity = 2, levels = 2;
  std::uint32_t columns = 8, rows = 8, planes = 1;
  std::vector<std::string> trunks = {};    ///< "0-1", "1-2 at 622.08 Mb/s over 5 us"; listed only
  std::vector<std::string> hosts_at = {};  ///< by host: "0", "2 at 100 Mb/s"
  std::uint32_t most_switches = 1024;
  std::uint32_t hosts_per_switch = 0;  ///< 0: as many hosts as there are, spread from first to last
};

/// The keys of a topology, into the member of `Parameters` that holds it. They are listed in the order in
/// which they are shown; rate and propagation are not among them.
/// @param most_switches  TopologySettings::most_switches
template <class Parameters>
void add_topology_keys(Table<Parameters>& table, TopologySettings Parameters::*topology,
                       std::string_view most_switches) {
  using T = TopologySettings;
  const auto in = [topology](auto T::*member) {
    return [ topology, member ](Parameters & parameters) -> auto& {
      return parameters.*topology.*member;
    };
  };
  table
      .key("trunk-rate", in(&T::trunk_rate),
           "of every trunk between switches that says nothing else; same: as network.rate",
           {.zero_word = "same"})
      .choice("topology", in(&T::kind), {"chain", "ring", "star", "tree", "torus", "fat-tree", "listed"},
              "how the switches are joined; listed: by `trunks`; of a star, switch 0 is the hub and has no "
              "hosts, of a tree and a fat tree only the last switches below have")
      .key("switches", in(&T::switches), "of a chain, a ring, a star or a listed network, numbered from 0",
           {.at_least = "1", .at_most = most_switches})
      .key("arity", in(&T::arity), "switches below each switch of a tree; ports up and down of a fat tree's",
           {.at_least = "1", .at_most = "64"})
      .key("levels", in(&T::levels), "of a tree or a fat tree", {.at_least = "1", .at_most = "10"})
      .key("columns", in(&T::columns), "of a torus", {.at_least = "1", .at_most = "1024"})
      .key("rows", in(&T::rows), "of a torus", {.at_least = "1", .at_most = "1024"})
      .key("planes", in(&T::planes), "of a torus", {.at_least = "1", .at_most = "1024"})
      .list("trunks", in(&T::trunks), "trunks",
            "listed: the switches that each joins, \"0-1\", or \"0-1 at 1 Gb/s over 5 us\"")
      .list(
          "hosts-at", in(&T::hosts_at), "switches",
          "the switch of each host, \"0\", or \"0 at 100 Mb/s over 1 us\"; without: as hosts-per-switch says")
      .key("hosts-per-switch", in(&T::hosts_per_switch),
           "where the hosts hang: so many on each switch that has any, one switch after the other; or spread "
           "from the first to the last, however many they are",
           {.at_least = "1", .at_most = "65536", .unit = "hosts", .zero_word = "spread"});
}

/// For how many hosts it has ports; 0: for as many as it is asked to have.
std::size_t hosts_of(const TopologySettings& settings);

/// What is wrong with it: text that can't be read, switches that there are not, switches with hosts that no
/// trunks join. @param hosts  that the platform says it has; 0: as many as are needed
std::optional<Complaint> check(const TopologySettings& settings, std::int64_t hosts);

/// @param hosts  more than there are ports for is an error; where the number is fixed, all are there
/// @throws Error as check
CabledGraph network_of(const TopologySettings& settings, std::size_t hosts);

/// How it is drawn, with as many hosts as show its shape.
NetworkKind::Sketch sketch_of(const TopologySettings& settings);

}  // namespace morgana
