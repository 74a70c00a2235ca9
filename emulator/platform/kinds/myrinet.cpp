#include <fmt/format.h>

#include <utility>

#include "emulator/core/error.h"
#include "emulator/network/myrinet/myrinet_network.h"
#include "emulator/platform/kinds/myrinet_settings.h"
#include "emulator/platform/kinds/networks.h"
#include "emulator/topology/listed/listed_items.h"

namespace morgana {
namespace {

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

}  // namespace

NetworkKind myrinet_network_kind() {
  return {"myrinet",
          "A Myrinet: wormhole switches with source routes, slack buffers with stop and go, and interfaces "
          "that can send packets on (Flich, López, Malumbres and Duato: Boosting the Performance of Myrinet "
          "Networks, 2002). Packets may have any length; the hosts are the network's first ones.",
          myrinet_table().keys(),
          [](const Settings&) { return std::optional<Bytes>(); },
          [](const Settings& settings) { return check(myrinet_table().read(settings), settings); },
          [](const Settings& settings, EventQueue& events, std::size_t ports, std::uint64_t seed) {
            const MyrinetSettings read = myrinet_table().read(settings);
            const SwitchGraph graph = myrinet_topology(settings).network(0).graph;
            if (ports > graph.hosts()) {
              throw Error(
                  fmt::format("the Myrinet has ports for {} hosts, and {} are needed: give it more switches, "
                              "or the hosts more processors",
                              graph.hosts(), ports));
            }
            auto network = std::make_unique<RoutedMyrinet>(events, graph, routes_of(read, graph),
                                                           parameters_of(read), seed);
            network->inject_faults(listed_faults(read.faults, graph));
            MyrinetNetwork* const myrinet = network.get();
            return MadeNetwork(std::move(network), myrinet);
          },
          false,
          [](const Settings& settings) { return myrinet_topology(settings).hosts(); },
          [](const Settings& settings) { return myrinet_topology(settings).sketch(); },
          [](const Settings& settings) { return myrinet_topology(settings); },
          true};
}

}  // namespace morgana
