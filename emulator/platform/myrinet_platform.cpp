#include "emulator/platform/myrinet_platform.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "emulator/platform/kinds/myrinet_settings.h"
#include "emulator/platform/values.h"
#include "emulator/topology/listed/listed_items.h"

namespace morgana {
namespace {

constexpr const char* kind = "myrinet";

/// The platforms that come with Morgana and have a Myrinet.
std::vector<std::string> with_a_myrinet(std::string (*network_of)(const Platform&)) {
  std::vector<std::string> names;
  for (const std::string& name : Platform::names())
    if (network_of(Platform::load(name)) == kind) names.push_back(name);
  return names;
}

std::string word_of(const Settings& settings, const std::string& key) {
  const auto set = settings.find(key);
  if (set != settings.end()) return std::get<std::string>(set->second);
  for (const Key& one : myrinet_table().keys())
    if (one.name == key) return std::get<std::string>(one.fallback);
  return {};
}

}  // namespace

bool PlatformMyrinet::is_one(const Platform& platform) {
  return !platform.native() && platform.values_->resolved.network == kind;
}

PlatformMyrinet::PlatformMyrinet(const Platform& platform) : platform_(platform.name()) {
  const auto network_of = [](const Platform& one) {
    return one.native() ? std::string("none: it is this machine itself") : one.values_->resolved.network;
  };
  if (const std::string network = network_of(platform); network != kind) {
    throw Error(fmt::format(
        "platform {} has no Myrinet (network.kind: {}); {} have one, and files with network.kind = \"{}\"",
        platform_, network, fmt::join(with_a_myrinet(network_of), ", "), kind));
  }
  const Settings& settings = platform.values_->resolved.settings;
  settings_ = std::make_shared<const MyrinetSettings>(myrinet_table().read(settings));
  routes_word_ = word_of(settings, "network.routes");
  const NetworkTopology topology = myrinet_topology(settings);
  graph_ = topology.network(0).graph;
  shape_ = topology.sketch().shape;
  parameters_ = parameters_of(*settings_);
  faults_ = listed_faults(settings_->faults, graph_);
}

RouteTable PlatformMyrinet::routes() const {
  return routes_of(*settings_, graph_);
}

}  // namespace morgana
