#include "experiments/itb/network_map.h"

#include <fmt/format.h>

#include "emulator/network/myrinet/traffic/cabled.h"
#include "emulator/network/myrinet/traffic/myrinet_traffic.h"
#include "emulator/report/pictures/network_layout.h"

namespace morgana::itb_paper {

LinkMap network_map(const std::string& network, const std::map<std::string, double>& figures) {
  constexpr unsigned columns = 8;  // of the paper's tori
  const SwitchGraph graph = named_network(network, 1);
  NetworkLinks links{"flits", {}};
  int number = 0;
  const auto end = [](const SwitchPort& port) {
    return LinkEnd{LinkEnd::Kind::switch_port, port.at, port.port};
  };
  for (const CableChannel channel : switch_channels(graph)) {
    const double utilisation = figures.at(fmt::format("link.{}", number++));
    links.loads.push_back(
        {end(graph.sending_port(channel)), end(graph.receiver(channel).switch_port()), 0, utilisation});
  }
  LinkMap map = map_of(links, {NetworkShape::Kind::grid, columns}, true);
  if (const auto hot = figures.find("hot_switch"); hot != figures.end())
    map.places[static_cast<std::size_t>(hot->second)].name = std::string(1, 'H');
  return map;
}

}  // namespace morgana::itb_paper
