#pragma once

#include <memory>
#include <string>

#include "emulator/core/network_shape.h"
#include "emulator/network/myrinet/parameters.h"
#include "emulator/network/myrinet/routes/route.h"
#include "emulator/platform/platform.h"
#include "emulator/topology/fault.h"
#include "emulator/topology/switch_graph.h"

namespace morgana {

struct MyrinetSettings;

/// The Myrinet of a platform, before anything is sent: its cables, its routes and its times, for code that
/// loads, maps or draws it without ranks. Host n of the platform is host n of the graph.
class PlatformMyrinet {
 public:
  /// @throws Error if the platform has another network, naming it and those that have a Myrinet
  explicit PlatformMyrinet(const Platform& platform);

  static bool is_one(const Platform& platform);

  const std::string& platform() const { return platform_; }  ///< its name
  const SwitchGraph& graph() const { return graph_; }
  const MyrinetParameters& parameters() const { return parameters_; }
  /// The failures and their times: network.faults.
  const NetworkFaults& faults() const { return faults_; }
  /// Worked out anew by every call, which takes half a second for 4,096 hosts.
  RouteTable routes() const;
  /// The word for them, as network.routes has it.
  const std::string& routes_word() const { return routes_word_; }
  const NetworkShape& shape() const { return shape_; }

 private:
  std::string platform_, routes_word_;
  std::shared_ptr<const MyrinetSettings> settings_;
  SwitchGraph graph_;
  NetworkShape shape_;
  MyrinetParameters parameters_;
  NetworkFaults faults_;
};

}  // namespace morgana
