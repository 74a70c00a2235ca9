#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "emulator/core/counter_table.h"
#include "emulator/traffic/open_loop.h"
#include "emulator/traffic/pattern.h"

namespace morgana {

/// A network of switches to be loaded, whatever it carries: packets, frames or cells.
struct NetworkUnderTest {
  /// A fresh one, on which nothing has been sent. @param seed  of what is left to chance in it
  std::function<std::unique_ptr<Network>(EventQueue&, std::uint64_t seed)> make;
  std::size_t hosts = 0, switches = 1;
  /// The same without what fails and without other traffic, for what messages take alone; none: as `make`.
  /// Where routes lead round about, with the shortest ways, too.
  std::vector<std::function<std::unique_ptr<Network>(EventQueue&, std::uint64_t seed)>> quiet = {};
  unsigned draws = 1;  ///< messages of which the least counts there: more where ways are left to chance
  double hosts_per_switch() const { return static_cast<double>(hosts) / static_cast<double>(switches); }
};

/// What a load makes of a network.
struct NetworkTraffic {
  TrafficResult result;                ///< in bytes a nanosecond and host
  ConfidenceInterval accepted;         ///< bytes a nanosecond and switch
  NetworkLinks links;                  ///< what they carried while measured
  std::vector<TroubleCount> troubles;  ///< that the network has counted from the very start
  std::string standstill;              ///< Network::standstill, of one that was given up
};

/// @param load  payload bytes a nanosecond and switch; settings.load is not used
/// @throws Error as measure_traffic, and as the network
NetworkTraffic measure_network(const NetworkUnderTest& network, const Destinations& destinations, double load,
                               const TrafficSettings& settings);

/// What the hosts can send in messages of this length, in bytes of payload a nanosecond and switch:
/// measured at the first host that can send. @throws Error if none can, and as check_length
double injection_limit(const NetworkUnderTest& network, const TrafficSettings& settings);

/// A fiftieth of that: little for any network.
double idle_load(const NetworkUnderTest& network, const TrafficSettings& settings);

}  // namespace morgana
