#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "emulator/platform/platform.h"
#include "emulator/platform/platform_hint.h"
#include "emulator/topology/switch_graph.h"
#include "emulator/topology/topology_figures.h"

namespace morgana {

/// The network of switches of a platform, of any kind, for what loads it without ranks. Of rails it is the
/// first one: they are alike, but for faults.
class PlatformNetwork {
 public:
  /// @throws Error if the platform's network has no switches and cables, and if nothing says how many hosts
  /// there are
  explicit PlatformNetwork(const Platform& platform);

  /// As Platform::load, of a platform of which only the network is used: what its messages and its transport
  /// need of the network, and its background traffic, is not checked.
  static Platform load_alone(const std::string& name, std::span<const std::string> overrides = {});

  /// Its switches and cables in numbers; nothing if it has none.
  static std::optional<TopologyFigures> figures(const Platform& platform);
  /// Rate of a leaf's hosts over that of its cables up: of networks that say how many hosts there are, whose
  /// switches with hosts are joined by others alone, all alike. Nothing elsewhere.
  static std::optional<double> oversubscription(const Platform& platform);
  /// What overrides change or leave beside what they name, a sentence each.
  static const std::vector<PlatformHint>& hints(const Platform& platform);

  /// How its switches are best drawn; free if it has none.
  static NetworkShape shape_of(const Platform& platform);

  /// Whether hosts send messages of their own beside a program (section [background]).
  static bool has_background(const Platform& platform);
  /// The switches of a network that can have units which add up, with ports for so many hosts at least;
  /// nothing for other networks.
  static std::optional<SwitchGraph> graph_for_units(const Platform& platform, std::size_t hosts);
  /// Whether units wait for their ports alone (PortNetwork) and a message is one unit, as far as the kinds of
  /// network and transport say.
  static bool sends_by_ports_alone(const Platform& platform);
  /// Whether switches or cables fail: network.faults.
  static bool may_fail(const Platform& platform);
  /// As Platform::build, with a unit at each of these switches that adds up what its children send and
  /// multicasts: a rank for each behind the others, on a host of its own whose port takes as good as no time.
  /// @throws Error as Platform::build, and for networks whose switches don't add up
  static Machine with_units(const Platform& platform, std::size_t ranks, const Placement& placement,
                            std::uint64_t seed, std::span<const SwitchId> units);

  const std::string& platform() const { return platform_; }  ///< its name
  const std::string& kind() const { return kind_; }          ///< "atm"
  const SwitchGraph& graph() const { return graph_; }
  /// hosts.count, or all for which the graph has ports.
  std::size_t hosts() const { return hosts_; }
  const NetworkShape& shape() const { return shape_; }
  /// Which way units go, as network.routes has it; "static" where there is no choice.
  const std::string& routes_word() const { return routes_word_; }
  /// With all hosts for which it has ports; where that is any number, hosts.count of them.
  std::unique_ptr<Network> make(EventQueue& events, std::uint64_t seed) const;
  /// Likewise, of which nothing fails, without bit errors, hosts that pause and the network's own other
  /// traffic. @param shortest_ways  with minimal routes, if leads_round_about()
  std::unique_ptr<Network> make_quiet(EventQueue& events, std::uint64_t seed, bool shortest_ways) const;
  /// Whether its routes take other ways than the shortest ones: valiant, ugal-l, ugal-g, par, dal.
  bool leads_round_about() const;
  /// Whether chance or load decides between ways.
  bool has_several_ways() const;

 private:
  std::string platform_, kind_, routes_word_;
  std::shared_ptr<const Platform::Values> values_;
  NetworkShape shape_;
  SwitchGraph graph_;
  std::size_t hosts_ = 0;
};

}  // namespace morgana
