// A routing's paths and dependencies, followed choice by choice.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <vector>

#include "emulator/core/error.h"
#include "emulator/routing/channel_dependencies.h"

namespace morgana {
namespace {

/// What a packet holds, and what the routing has noted in it.
struct Noted {
  HeldChannel held;
  RoutingNote note = 0;
};

/// Which of these have been met on the way to one destination.
class Seen {
 public:
  Seen(std::size_t channels, unsigned virtual_channels)
      : virtual_channels_(virtual_channels), without_note_(channels * virtual_channels) {}
  /// @return whether it is new
  /// @param destinations  so many have begun
  bool add(const Noted& one, std::uint32_t destinations) {
    const std::size_t node = std::size_t{one.held.channel} * virtual_channels_ + one.held.virtual_channel;
    if (one.note != 0) return with_note_.insert(std::uint64_t{node} << 32 | one.note).second;
    if (without_note_[node] == destinations) return false;
    without_note_[node] = destinations;
    return true;
  }
  void begin_destination() { with_note_.clear(); }

 private:
  unsigned virtual_channels_;
  std::vector<std::uint32_t> without_note_;  // the last destination, from 1
  std::unordered_set<std::uint64_t> with_note_;
};

/// Between which switches packets go.
enum class Ends : std::uint8_t { with_hosts, all };

/// Calls follow(switch, host there) for all that packets may go to differently.
template <typename Follow>
void for_destinations(const SwitchGraph& graph, const Routing& routing, Ends ends, Follow follow) {
  if (ends == Ends::all) {
    for (SwitchId last = 0; last < graph.switches(); ++last)
      follow(last, graph.hosts_at(last).empty() ? HostNumber{0} : graph.hosts_at(last).front());
    return;
  }
  for (HostNumber to = 0; to < graph.hosts(); ++to) {
    const SwitchId last = graph.port_of(to).at;
    if (routing.tells_hosts_apart() || graph.hosts_at(last).front() == to) follow(last, to);
  }
}

/// Calls visit(held, wanted, destination) for every dependency that the routing allows, some more than once.
template <typename Visit>
void for_dependencies(const SwitchGraph& graph, const Routing& routing, Ends ends, Visit visit) {
  Seen seen(graph.channels(), routing.virtual_channels());
  std::vector<Noted> open;
  std::uint32_t destinations = 0;
  const auto enter = [&](const Noted& one) {
    if (seen.add(one, destinations)) open.push_back(one);
  };
  const auto follow = [&](SwitchId last, HostNumber to) {
    seen.begin_destination();
    ++destinations;
    const auto leave = [&](SwitchPort input, const Noted& one, const auto& with) {
      const RoutedPacket packet{.input = input,
                                .virtual_channel = one.held.virtual_channel,
                                .destination = to,
                                .last_switch = last,
                                .note = one.note};
      routing.for_every_choice(packet, [&](const RoutingChoice& choice) {
        const HeldChannel wanted{graph.channel_from(SwitchPort{input.at, choice.port}),
                                 choice.virtual_channel};
        with(wanted);
        enter({wanted, choice.note});
      });
    };
    for (SwitchId at = 0; at < graph.switches(); ++at) {
      if (at == last) continue;
      if (!graph.hosts_at(at).empty())
        enter({{graph.channel_from(graph.hosts_at(at).front()), 0}});
      else if (ends == Ends::all)  // a part of a way begins there
        leave({at, 0}, {}, [](const HeldChannel&) {});
    }
    while (!open.empty()) {
      const Noted one = open.back();
      open.pop_back();
      const SwitchPort input = graph.receiver(one.held.channel).switch_port();
      if (input.at != last)
        leave(input, one, [&](const HeldChannel& wanted) { visit(one.held, wanted, to); });
      else if (!graph.hosts_at(last).empty())
        visit(one.held, HeldChannel{graph.channel_from(graph.port_of(to)), 0}, to);
    }
  };
  for_destinations(graph, routing, ends, follow);
}

/// The same dependencies of a routing that does not look at inputs: each switch is asked once for every
/// destination, and all that comes there wants all its outputs.
class BySwitch {
 public:
  BySwitch(const SwitchGraph& graph, const Routing& routing, Ends ends, ChannelDependencies& dependencies)
      : graph_(graph), routing_(routing), ends_(ends), dependencies_(dependencies), at_(graph.switches()) {
    for (SwitchId at = 0; at < graph.switches(); ++at) at_[at].wanted = dependencies.no_outputs(at);
  }

  void follow(SwitchId last, HostNumber to) {
    ++destinations_;
    reached_.clear();
    at_[last].reached = destinations_;
    for (SwitchId at = 0; at < graph_.switches(); ++at)
      if (ends_ == Ends::all || !graph_.hosts_at(at).empty()) reach(at);
    for (std::size_t next = 0; next < reached_.size(); ++next) ask(reached_[next], last, to);
    const bool leaves = !graph_.hosts_at(last).empty();
    for (const SwitchId at : reached_) {
      if (!graph_.hosts_at(at).empty())
        dependencies_.add_all({graph_.channel_from(graph_.hosts_at(at).front()), 0}, at_[at].wanted);
      for (const HeldChannel& held : at_[at].outputs) {
        const SwitchId next = graph_.receiver(held.channel).id;
        if (next != last)
          dependencies_.add_all(held, at_[next].wanted);
        else if (leaves)
          dependencies_.add(held, HeldChannel{graph_.channel_from(graph_.port_of(to)), 0});
      }
    }
  }

 private:
  struct At {
    std::uint32_t reached = 0;  // by packets to the last destination, from 1
    std::vector<HeldChannel> outputs;
    ChannelDependencies::Outputs wanted;  // the same
  };

  void reach(SwitchId at) {
    if (at_[at].reached == destinations_) return;
    at_[at].reached = destinations_;
    reached_.push_back(at);
  }

  void ask(SwitchId at, SwitchId last, HostNumber to) {
    At& here = at_[at];
    here.outputs.clear();
    std::fill(here.wanted.begin(), here.wanted.end(), 0);
    const RoutedPacket packet{.input = {at, 0}, .destination = to, .last_switch = last};
    routing_.for_every_choice(packet, [&](const RoutingChoice& choice) {
      const HeldChannel wanted{graph_.channel_from(SwitchPort{at, choice.port}), choice.virtual_channel};
      dependencies_.want(here.wanted, wanted);
      here.outputs.push_back(wanted);
      reach(graph_.receiver(wanted.channel).id);
    });
  }

  const SwitchGraph& graph_;
  const Routing& routing_;
  Ends ends_;
  ChannelDependencies& dependencies_;
  std::vector<At> at_;
  std::vector<SwitchId> reached_;
  std::uint32_t destinations_ = 0;
};

std::string name_of(const SwitchGraph& graph, const Routing& routing, const HeldChannel& held) {
  std::string name = graph.describe(held.channel);
  if (routing.virtual_channels() > 1) name += fmt::format(" (VC {})", held.virtual_channel);
  return name;
}

std::vector<RoutingDependency> find_deadlock_of(const SwitchGraph& graph, const Routing& followed,
                                                Ends ends) {
  ChannelDependencies dependencies(graph, followed.virtual_channels());
  if (followed.looks_at_inputs()) {
    for_dependencies(graph, followed, ends,
                     [&](const HeldChannel& held, const HeldChannel& wanted, HostNumber) {
                       dependencies.add(held, wanted);
                     });
  } else {
    BySwitch by_switch(graph, followed, ends, dependencies);
    for_destinations(graph, followed, ends,
                     [&](SwitchId last, HostNumber to) { by_switch.follow(last, to); });
  }
  const std::vector<HeldChannel> cycle = dependencies.cycle();
  std::vector<std::optional<RoutingDependency>> found(cycle.size());
  if (cycle.empty()) return {};
  // Which packets those are is looked up only now.
  for_dependencies(graph, followed, ends,
                   [&](const HeldChannel& held, const HeldChannel& wanted, HostNumber to) {
                     for (std::size_t n = 0; n < cycle.size(); ++n)
                       if (!found[n] && cycle[n] == held && cycle[(n + 1) % cycle.size()] == wanted)
                         found[n] = RoutingDependency{held, wanted, to};
                   });
  std::vector<RoutingDependency> result;
  for (const auto& dependency : found) result.push_back(dependency.value());
  return result;
}

}  // namespace

std::vector<RoutingDependency> find_deadlock(const SwitchGraph& graph, const Routing& routing) {
  const Routing::Layers layers = routing.layers();
  if (layers.first == nullptr)
    return find_deadlock_of(graph, routing.parts() != nullptr ? *routing.parts() : routing,
                            routing.parts() != nullptr ? Ends::all : Ends::with_hosts);
  std::vector<RoutingDependency> cycle = find_deadlock(graph, *layers.first);
  if (!cycle.empty()) return cycle;
  cycle = find_deadlock_of(graph, *layers.then, Ends::all);
  const unsigned below = layers.first->virtual_channels();
  for (RoutingDependency& one : cycle)
    for (HeldChannel* held : {&one.holds, &one.wants})
      held->virtual_channel = static_cast<VirtualChannel>(held->virtual_channel + below);
  return cycle;
}

std::string describe(const SwitchGraph& graph, const Routing& routing,
                     const std::vector<RoutingDependency>& cycle) {
  std::string text;
  for (const RoutingDependency& one : cycle) {
    text += fmt::format("{} is held while {} is wanted, by packets for host {}\n",
                        name_of(graph, routing, one.holds), name_of(graph, routing, one.wants), one.to);
  }
  return text;
}

void require_deadlock_free(const SwitchGraph& graph, const Routing& routing, const std::string& what) {
  const std::vector<RoutingDependency> cycle = find_deadlock(graph, routing);
  if (cycle.empty()) return;
  std::string waits = describe(graph, routing, cycle);
  waits.pop_back();  // the end of the last line
  throw Error(fmt::format("{} can deadlock: packets can wait for each other in a cycle\n{}", what, waits));
}

std::vector<HeldChannel> path_of(const SwitchGraph& graph, const Routing& routing, HostNumber from,
                                 HostNumber to, std::uint64_t flow) {
  const SwitchPort last = graph.port_of(to);
  std::vector<HeldChannel> path{{graph.channel_from(from), 0}};
  const std::size_t longest = graph.channels() * routing.virtual_channels() + 1;
  RoutingNote note = 0;
  while (true) {
    const SwitchPort input = graph.receiver(path.back().channel).switch_port();
    if (input.at == last.at) break;
    const RoutedPacket packet{.input = input,
                              .virtual_channel = path.back().virtual_channel,
                              .source = from,
                              .destination = to,
                              .last_switch = last.at,
                              .flow = flow,
                              .note = note};
    const auto choice = routing.choose(packet, IdleOutputs());
    if (!choice)
      throw Error(
          fmt::format("no way leads from switch {} to host {}, which host {} sends to", input.at, to, from));
    path.push_back({graph.channel_from(SwitchPort{input.at, choice->port}), choice->virtual_channel});
    note = choice->note;
    if (path.size() > longest)
      throw Error(fmt::format("packets from host {} to host {} go round in a circle", from, to));
  }
  path.push_back({graph.channel_from(last), 0});
  return path;
}

}  // namespace morgana
