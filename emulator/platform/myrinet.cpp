#include <fmt/format.h>

#include <utility>

#include "emulator/core/error.h"
#include "emulator/network/myrinet/myrinet_network.h"
#include "emulator/platform/myrinet_settings.h"
#include "emulator/platform/networks.h"

namespace morgana {
namespace {

constexpr std::uint64_t most_switches = 4096;

struct Routes {
  RouteTable routes;
};

/// With its routes, which the network needs as long as it lives.
class RoutedMyrinet : private Routes, public MyrinetNetwork {
 public:
  RoutedMyrinet(EventQueue& events, const SwitchGraph& graph, RouteTable&& table,
                const MyrinetParameters& parameters, std::uint64_t seed)
      : Routes{std::move(table)}, MyrinetNetwork(events, graph, routes, parameters, seed) {}
};

std::optional<Complaint> check_myrinet(const MyrinetSettings& settings, std::int64_t hosts) {
  try {
    parameters_of(settings).check();
  } catch (const Error& error) {
    return Complaint{"network.slack", error.what()};
  }
  const bool has_sides =
      settings.shape == MyrinetShape::torus || settings.shape == MyrinetShape::express_torus;
  const std::uint64_t switches = std::uint64_t{settings.columns} * settings.rows * settings.planes;
  if (has_sides && switches > most_switches) {
    return Complaint{"network.columns", fmt::format("columns x rows x planes are {} switches, more than {}",
                                                    switches, most_switches)};
  }
  try {
    const SwitchGraph graph = graph_of(settings);
    if (settings.root >= graph.switches()) {
      return Complaint{"network.root", fmt::format("there is no switch {}, only {} numbered from 0",
                                                   settings.root, graph.switches())};
    }
    if (hosts > static_cast<std::int64_t>(graph.hosts())) {
      return Complaint{"hosts.count",
                       fmt::format("{} hosts don't fit: the network has ports for {}", hosts, graph.hosts())};
    }
  } catch (const Error& error) {
    return Complaint{"network.topology", error.what()};
  }
  return std::nullopt;
}

}  // namespace

NetworkKind myrinet_network_kind() {
  return {"myrinet",
          "A Myrinet: wormhole switches with source routes, slack buffers with stop and go, and interfaces "
          "that can send packets on (Flich, López, Malumbres and Duato: Boosting the Performance of Myrinet "
          "Networks, 2002). Packets may have any length; the hosts are the network's first ones.",
          myrinet_table().keys(),
          [](const Settings&) { return std::optional<Bytes>(); },
          [](const Settings& settings) {
            const auto hosts = settings.find("hosts.count");
            return check_myrinet(myrinet_table().read(settings),
                                 hosts == settings.end() ? 0 : std::get<std::int64_t>(hosts->second));
          },
          [](const Settings& settings, EventQueue& events, std::size_t ports, std::uint64_t seed) {
            const MyrinetSettings read = myrinet_table().read(settings);
            const SwitchGraph graph = graph_of(read);
            if (ports > graph.hosts()) {
              throw Error(
                  fmt::format("the Myrinet has ports for {} hosts, and {} are needed: give it more switches, "
                              "or the hosts more processors",
                              graph.hosts(), ports));
            }
            return std::make_unique<RoutedMyrinet>(events, graph, routes_of(read, graph), parameters_of(read),
                                                   seed);
          }};
}

}  // namespace morgana
