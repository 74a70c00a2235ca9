#include "experiments/itb/network_map.h"

#include <fmt/format.h>

#include "emulator/traffic/cabled.h"
#include "emulator/traffic/myrinet_traffic.h"
#include "experiments/link_layout.h"

namespace morgana::itb_paper {

LinkMap network_map(const std::string& network, const std::map<std::string, double>& figures) {
  constexpr unsigned columns = 8;  // of the paper's tori
  const SwitchGraph graph = named_network(network, 1);
  std::vector<double> utilisation(graph.channels());
  int number = 0;
  for (const CableChannel channel : switch_channels(graph))
    utilisation[channel] = figures.at(fmt::format("link.{}", number++));
  LinkMap map = link_map(graph, columns, utilisation);
  if (const auto hot = figures.find("hot_switch"); hot != figures.end())
    map.places[static_cast<std::size_t>(hot->second)].name = std::string(1, 'H');
  return map;
}

}  // namespace morgana::itb_paper
