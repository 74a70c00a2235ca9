#include "emulator/network/myrinet/routes/route_deadlock.h"

#include <fmt/format.h>

#include <optional>

#include "emulator/network/myrinet/routes/walk.h"
#include "emulator/routing/channel_dependencies.h"

namespace morgana {
namespace {

/// Calls visit(held channel, wanted channel) for each dependency of a route.
template <typename Visit>
void for_dependencies(const SwitchGraph& graph, HostNumber from, Header header, Visit visit) {
  constexpr CableChannel none = ~CableChannel{0};
  CableChannel held = none;
  std::size_t current = 0;
  walk(graph, from, header, [&](std::size_t leg, CableChannel channel) {
    if (leg == current && held != none) visit(held, channel);
    held = channel;
    current = leg;
  });
}

}  // namespace

std::vector<ChannelDependency> find_deadlock(const SwitchGraph& graph, const RouteTable& table) {
  ChannelDependencies dependencies(graph, 1);
  for_every_route(table, [&](HostNumber from, std::size_t, HostNumber, Header header) {
    for_dependencies(graph, from, header,
                     [&](CableChannel held, CableChannel wanted) { dependencies.add({held}, {wanted}); });
  });
  const std::vector<HeldChannel> cycle = dependencies.cycle();
  if (cycle.empty()) return {};

  // Which routes those are is looked up only now.
  constexpr std::size_t not_held = ~std::size_t{0};
  std::vector<std::size_t> place(graph.channels(), not_held);
  for (std::size_t n = 0; n < cycle.size(); ++n) place[cycle[n].channel] = n;
  std::vector<std::optional<ChannelDependency>> found(cycle.size());
  for_every_route(table, [&](HostNumber from, std::size_t, HostNumber to, Header header) {
    for_dependencies(graph, from, header, [&](CableChannel held, CableChannel wanted) {
      const std::size_t n = place[held];
      if (n == not_held || found[n] || cycle[(n + 1) % cycle.size()].channel != wanted) return;
      found[n] = ChannelDependency{held, wanted, from, to};
    });
  });
  std::vector<ChannelDependency> result;
  result.reserve(found.size());
  for (const auto& dependency : found) result.push_back(dependency.value());
  return result;
}

std::string describe(const SwitchGraph& graph, const std::vector<ChannelDependency>& cycle) {
  std::string text;
  for (const ChannelDependency& one : cycle) {
    text += fmt::format("{} is held while {} is wanted, by the route from host {} to host {}\n",
                        graph.describe(one.holds), graph.describe(one.wants), one.from, one.to);
  }
  return text;
}

}  // namespace morgana
