#include "emulator/network/myrinet/mapping/mapping.h"

#include "emulator/network/myrinet/mapping/exploration.h"

namespace morgana {

NetworkMap map_network(Prober& prober, const MappingOptions& options) {
  Exploration exploration(prober.own_name(), options);
  while (const Probe* probe = exploration.next()) {
    exploration.tell(prober.probe(probe->route, probe->answer_along));
  }
  return exploration.map();
}

std::vector<RouteByte> way_back(Header turns) {
  std::vector<RouteByte> back(turns.rbegin(), turns.rend());
  for (RouteByte& byte : back) byte = static_cast<RouteByte>(2 * turn_byte(0) - byte);
  return back;
}

}  // namespace morgana
