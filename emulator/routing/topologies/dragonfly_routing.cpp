#include "emulator/routing/topologies/dragonfly_routing.h"

#include <fmt/format.h>

#include "emulator/core/error.h"

namespace morgana {
namespace {

// A note: which part of its way the packet is on, and the intermediate group or switch above.
enum Part : RoutingNote {
  entering,         ///< at the switch of its source: nothing is decided
  direct,           ///< on its minimal way
  to_intermediate,  ///< on a detour, in its source's group
  onwards,          ///< on a detour, in its intermediate group or after it
  within            ///< on a detour inside its group, through another switch
};
constexpr unsigned part_bits = 3;
constexpr Part part_of(RoutingNote note) {
  return static_cast<Part>(note & ((1U << part_bits) - 1));
}
constexpr unsigned intermediate_of(RoutingNote note) {
  return note >> part_bits;
}
constexpr RoutingNote heading_for(unsigned group) {
  return group << part_bits | to_intermediate;
}

/// The virtual channels of each part's local and global cables, and of local ones where it ends.
struct Channels {
  VirtualChannel direct_local, direct_global, first_local, first_global, next_local, next_global, last_local;
};
constexpr Channels minimal_channels{0, 0, 0, 0, 0, 0, 1};
constexpr Channels detour_channels{1, 1, 0, 0, 1, 1, 2};
constexpr Channels progressive_channels{0, 1, 1, 0, 2, 1, 3};

constexpr const Channels& channels_of(Detours detours) {
  if (detours == Detours::never) return minimal_channels;
  return detours == Detours::on_the_way ? progressive_channels : detour_channels;
}

}  // namespace

DragonflyRouting::DragonflyRouting(const SwitchGraph& graph, const Dragonfly& shape, const DetourRules& rules,
                                   const ChannelFilter& usable)
    : shape_(shape), rules_(rules), exits_(std::size_t{shape.groups} * shape.groups) {
  if (graph.switches() != shape.switches())
    throw Error(fmt::format("a dragonfly of {} groups of {} switches has {}, and this network {}",
                            shape.groups, shape.switches_per_group, shape.switches(), graph.switches()));
  local_ports_.resize(graph.switches() * shape.switches_per_group);
  for (SwitchId at = 0; at < graph.switches(); ++at) {
    first_port_.push_back(graph.channel_from(SwitchPort{at, 0}));
    for (unsigned port = 0; port < graph.ports(at); ++port) {
      const SwitchPort from{at, static_cast<PortNumber>(port)};
      const Neighbour& other = graph.neighbour(from);
      local_input_.push_back(other.is_switch() && group(other.id) == group(at));
    }
  }
  const Arcs arcs = usable_arcs(graph, usable);
  for (SwitchId at = 0; at < graph.switches(); ++at) {
    for (const Arc& arc : arcs[at]) {
      const SwitchId other = arc.other.at;
      if (group(other) == group(at)) {
        auto& local = local_ports_[at * shape_.switches_per_group + other % shape_.switches_per_group];
        if (!local) local = arc.port;
      } else {
        exits_[group(at) * shape_.groups + group(other)].push_back({{at, arc.port}, other});
      }
    }
  }
  if (rules_.detours == Detours::never) return;
  DetourRules minimal = rules_;
  minimal.detours = Detours::never;
  parts_ = std::make_shared<DragonflyRouting>(graph, shape, minimal, usable);
}

unsigned DragonflyRouting::virtual_channels() const {
  return channels_of(rules_.detours).last_local + 1U;
}

/// Flows keep together on the minimal way only.
std::uint64_t DragonflyRouting::draw_for(const RoutedPacket& packet) const {
  return rules_.detours == Detours::never ? mixed_bits(rules_.seed + packet.flow)
                                          : drawn(rules_.seed, packet.number, 0);
}

/// Those that a packet at this switch may be sent through: its own, or if there are none those of switches
/// that a local cable leads to.
template <typename Visit>
void DragonflyRouting::for_exits(SwitchId at, unsigned to_group, Visit visit) const {
  const std::vector<Exit>& all = exits_[group(at) * shape_.groups + to_group];
  bool has_own = false;
  for (const Exit& exit : all) {
    if (exit.from.at != at) continue;
    has_own = true;
    visit(exit);
  }
  if (has_own) return;
  for (const Exit& exit : all)
    if (reaches(at, exit)) visit(exit);
}

/// One of them, if there are any one of those that lead on to the last switch.
std::optional<DragonflyRouting::Exit> DragonflyRouting::exit_for(SwitchId at, unsigned to_group,
                                                                 SwitchId last, std::uint64_t draw) const {
  const std::vector<Exit>& all = exits_[group(at) * shape_.groups + to_group];
  if (all.size() == 1) return reaches(at, all.front()) ? std::optional(all.front()) : std::nullopt;
  std::uint64_t count = 0, leading = 0;
  for_exits(at, to_group, [&](const Exit& exit) {
    ++count;
    leading += leads_on(exit, last) ? 1 : 0;
  });
  if (count == 0) return std::nullopt;
  std::uint64_t skipped = draw % (leading > 0 ? leading : count);
  std::optional<Exit> chosen;
  for_exits(at, to_group, [&](const Exit& exit) {
    if ((leading == 0 || leads_on(exit, last)) && skipped-- == 0) chosen = exit;
  });
  return chosen;
}

std::optional<DragonflyRouting::Way> DragonflyRouting::minimal(const RoutedPacket& packet,
                                                               unsigned candidate) const {
  const SwitchId at = packet.input.at;
  const std::uint64_t draw =
      candidate == 0 ? draw_for(packet) : drawn(rules_.seed, packet.number, draw_of_candidate(0, candidate));
  const auto exit = exit_for(at, group(packet.last_switch), packet.last_switch, draw);
  if (!exit) return std::nullopt;
  return Way{*exit, 1U + (exit->from.at != at ? 1 : 0) + (exit->enters != packet.last_switch ? 1 : 0), direct,
             leads_on(*exit, packet.last_switch)};
}

/// The one that weighs least of those that are drawn, first of those that lead on.
std::optional<DragonflyRouting::Way> DragonflyRouting::minimal_for(const RoutedPacket& packet,
                                                                   const OutputLoads& loads) const {
  auto best = minimal(packet, 0);
  if (rules_.minimal_candidates <= 1 || rules_.detours == Detours::always || !best) return best;
  const auto weight = [&](const Way& way) {
    return rules_.weight_of_minimal(weighed(packet.input.at, way, loads));
  };
  SimTime least = weight(*best);
  for (unsigned candidate = 1; candidate < rules_.minimal_candidates; ++candidate) {
    const auto other = minimal(packet, candidate);
    if (!other || other->leads < best->leads) continue;
    const SimTime one = weight(*other);
    if (other->leads == best->leads && one >= least) continue;
    least = one;
    best = other;
  }
  return best;
}

/// Through the intermediate group that is drawn, or the next one through which a way leads.
std::optional<DragonflyRouting::Way> DragonflyRouting::detour(const RoutedPacket& packet,
                                                              unsigned candidate) const {
  const SwitchId at = packet.input.at;
  const unsigned from = group(at), to = group(packet.last_switch);
  const std::uint64_t draw = draw_for(packet);
  const unsigned others = shape_.groups - 2;
  const auto [low, high] = std::minmax(from, to);
  const std::uint64_t number = drawn(rules_.seed, packet.number, draw_of_candidate(1, candidate));
  std::uint64_t place = number;
  if (rules_.places == DetourRules::Places::all) {
    const std::uint64_t of_all = number % shape_.groups;
    if (of_all == from || of_all == to)
      if (const auto straight = minimal(packet, 0); straight && straight->leads) return std::nullopt;
    place = of_all - (of_all > low ? 1 : 0) - (of_all > high ? 1 : 0);
  }
  for (unsigned tries = 0; tries < others; ++tries) {
    const auto one = static_cast<unsigned>((place + tries) % others);
    unsigned via = one < low ? one : one + 1;
    if (via >= high) ++via;
    const auto exit = exit_for(at, via, packet.last_switch, draw);
    if (!exit) continue;
    const auto next = exit_for(exit->enters, to, packet.last_switch, draw);
    if (!next || !leads_on(*next, packet.last_switch)) continue;
    return Way{*exit,
               2U + (exit->from.at != at ? 1 : 0) + (next->from.at != exit->enters ? 1 : 0) +
                   (next->enters != packet.last_switch ? 1 : 0),
               heading_for(via)};
  }
  return std::nullopt;
}

std::optional<DragonflyRouting::Way> DragonflyRouting::detour_for(const RoutedPacket& packet,
                                                                  const OutputLoads& loads) const {
  return lightest_detour(
      rules_, [&](unsigned candidate) { return detour(packet, candidate); },
      [&](const Way& way) { return rules_.weight_of_detour(weighed(packet.input.at, way, loads)); });
}

/// Whether the switch still chooses between a detour and the minimal way.
bool DragonflyRouting::may_detour(const RoutedPacket& packet) const {
  if (rules_.detours == Detours::never || shape_.groups < 3) return false;
  if (part_of(packet.note) == entering) return true;
  return rules_.detours == Detours::on_the_way && part_of(packet.note) == direct &&
         local_input_[first_port_[packet.input.at] + packet.input.port];
}

SwitchPort DragonflyRouting::weighed_output(SwitchId at, const Way& way) const {
  if (rules_.detours == Detours::by_channel || way.exit.from.at == at) return way.exit.from;
  return {at, *local_port(at, way.exit.from.at)};
}

bool DragonflyRouting::prefers_detour(SwitchId at, const Way& minimal, const Way& detour,
                                      const OutputLoads& loads) const {
  if (rules_.detours == Detours::always) return true;
  return rules_.prefers_detour(weighed(at, minimal, loads), weighed(at, detour, loads));
}

DetourRules::Way DragonflyRouting::weighed(SwitchId at, const Way& way, const OutputLoads& loads) const {
  return {loads.wait(weighed_output(at, way)), way.hops};
}

/// With the intermediate group behind it, if this switch belongs to that.
RoutingNote DragonflyRouting::note_after(const RoutedPacket& packet) const {
  const bool arrived =
      part_of(packet.note) == to_intermediate && group(packet.input.at) == intermediate_of(packet.note);
  return arrived ? RoutingNote{onwards} : packet.note;
}

RoutingChoice DragonflyRouting::through(SwitchId at, const Exit& exit, RoutingNote note) const {
  const Channels& channels = channels_of(rules_.detours);
  const bool global = exit.from.at == at;
  const PortNumber port = global ? exit.from.port : *local_port(at, exit.from.at);
  switch (part_of(note)) {
    case to_intermediate:
      return {port, global ? channels.first_global : channels.first_local, note};
    case onwards:
      return {port, global ? channels.next_global : channels.next_local, note};
    case entering:
    case direct:
    case within:
      break;
  }
  return {port, global ? channels.direct_global : channels.direct_local, note};
}

/// A switch of the group that is neither the packet's nor its last one, and the port that leads there;
/// nothing if there is none, and where only minimal ways and detours through other groups are taken.
std::optional<RoutingChoice> DragonflyRouting::detour_within(const RoutedPacket& packet,
                                                             unsigned place) const {
  const SwitchId at = packet.input.at, via = group(at) * shape_.switches_per_group + place;
  if (via == at || via == packet.last_switch || !local_port(via, packet.last_switch)) return std::nullopt;
  const auto port = local_port(at, via);
  if (!port) return std::nullopt;
  return RoutingChoice{*port, channels_of(rules_.detours).first_local, RoutingNote{within}};
}

/// Through a switch that is drawn; where no minimal way leads, or the next one.
std::optional<RoutingChoice> DragonflyRouting::detour_within_for(const RoutedPacket& packet, bool has_minimal,
                                                                 const OutputLoads& loads) const {
  const unsigned switches = shape_.switches_per_group;
  return lightest_detour(
      rules_,
      [&](unsigned candidate) {
        const std::uint64_t draw = drawn(rules_.seed, packet.number, draw_of_candidate(1, candidate));
        auto place = static_cast<unsigned>(draw % switches);
        auto other = detour_within(packet, place);
        for (unsigned tries = 1; !has_minimal && !other && tries < switches; ++tries)
          other = detour_within(packet, place = (place + 1) % switches);
        return other;
      },
      [&](const RoutingChoice& one) {
        return rules_.weight_of_detour({loads.wait({packet.input.at, one.port}), 2});
      });
}

/// Where the cable to its last switch is off every packet may that makes detours at all.
bool DragonflyRouting::may_detour_within(const RoutedPacket& packet) const {
  if (part_of(packet.note) != entering || rules_.detours == Detours::never) return false;
  return chooses_by_load() || !local_port(packet.input.at, packet.last_switch);
}

RoutingChoice DragonflyRouting::inside(const RoutedPacket& packet, PortNumber port) const {
  return {port, channels_of(rules_.detours).last_local, packet.note};
}

std::optional<RoutingChoice> DragonflyRouting::choose(const RoutedPacket& packet,
                                                      const OutputLoads& loads) const {
  const SwitchId at = packet.input.at;
  if (group(at) == group(packet.last_switch)) {
    const auto port = local_port(at, packet.last_switch);
    if (may_detour_within(packet)) {
      const auto wait = [&](PortNumber output) { return loads.wait({at, output}); };
      const auto other = detour_within_for(packet, port.has_value(), loads);
      if (other && (!port || rules_.prefers_detour({wait(*port), 1}, {wait(other->port), 2}))) return other;
    }
    return port ? std::optional(inside(packet, *port)) : std::nullopt;
  }
  if (may_detour(packet)) {
    const auto minimal_way = minimal_for(packet, loads), other = detour_for(packet, loads);
    if (other && (!minimal_way || !minimal_way->leads || prefers_detour(at, *minimal_way, *other, loads)))
      return through(at, other->exit, other->note);
    if (minimal_way) return through(at, minimal_way->exit, minimal_way->note);
    return std::nullopt;
  }
  RoutingNote note = note_after(packet);
  if (part_of(note) == entering && rules_.detours != Detours::never) note = direct;
  const unsigned target =
      part_of(note) == to_intermediate ? intermediate_of(note) : group(packet.last_switch);
  const auto exit = exit_for(at, target, packet.last_switch, draw_for(packet));
  return exit ? std::optional(through(at, *exit, note)) : std::nullopt;
}

void DragonflyRouting::for_every_choice(const RoutedPacket& packet, const VisitChoice& visit) const {
  const SwitchId at = packet.input.at;
  const unsigned to = group(packet.last_switch);
  if (group(at) == to) {
    if (const auto port = local_port(at, packet.last_switch)) visit(inside(packet, *port));
    for (unsigned place = 0; may_detour_within(packet) && place < shape_.switches_per_group; ++place)
      if (const auto other = detour_within(packet, place)) visit(*other);
    return;
  }
  RoutingNote note = note_after(packet);
  if (part_of(note) == entering && rules_.detours != Detours::never) note = direct;
  if (may_detour(packet)) {
    bool always_finds_one = false;
    for (unsigned via = 0; via < shape_.groups; ++via) {
      if (via == group(at) || via == to) continue;
      unsigned exits = 0, leading_on = 0;
      for_exits(at, via, [&](const Exit& exit) {
        ++exits;
        const auto next = exit_for(exit.enters, to, packet.last_switch, 0);
        if (!next || !leads_on(*next, packet.last_switch)) return;
        ++leading_on;
        visit(through(at, exit, heading_for(via)));
      });
      always_finds_one = always_finds_one || (exits > 0 && exits == leading_on);
    }
    const bool may_be_minimal = rules_.places == DetourRules::Places::all;
    if (always_finds_one && rules_.detours == Detours::always && !may_be_minimal) return;
  }
  const unsigned target = part_of(note) == to_intermediate ? intermediate_of(note) : to;
  for_exits(at, target, [&](const Exit& exit) { visit(through(at, exit, note)); });
}

}  // namespace morgana
