#include "emulator/routing/detour_routing.h"

#include <cassert>

namespace morgana {
namespace {

// A note: 0 where the packet enters, 1 once it goes straight to its destination, else 2 + the intermediate
// switch.
constexpr RoutingNote undecided = 0, straight = 1, first_via = 2;

}  // namespace

DetourRouting::DetourRouting(const SwitchGraph& graph, std::shared_ptr<const MinimalRouting> minimal,
                             const DetourRules& rules)
    : switches_(static_cast<std::uint32_t>(graph.switches())), minimal_(std::move(minimal)), rules_(rules) {
  assert(rules_.detours == Detours::always || rules_.detours == Detours::by_output);
}

/// Or the next one through which a way leads. Nothing if it is one of the way's ends, so that there is no
/// detour where the minimal way leads.
std::optional<SwitchId> DetourRouting::drawn_for(const RoutedPacket& packet, unsigned candidate) const {
  const std::uint64_t draw = draw_of_candidate(0, candidate);
  auto via = static_cast<SwitchId>(drawn(rules_.seed, packet.number, draw) % switches_);
  for (std::uint32_t tries = 0; tries < switches_; ++tries, via = via + 1 < switches_ ? via + 1 : 0) {
    if (via == packet.input.at || via == packet.last_switch) {
      if (minimal_->leads(packet.input.at, packet.last_switch)) return std::nullopt;
      continue;
    }
    if (minimal_->leads(packet.input.at, via) && minimal_->leads(via, packet.last_switch)) return via;
  }
  return std::nullopt;
}

/// Where the packet enters.
std::optional<DetourRouting::Detour> DetourRouting::detour_for(const RoutedPacket& packet,
                                                               const OutputLoads& loads) const {
  const SwitchId at = packet.input.at;
  return lightest_detour(
      rules_,
      [&](unsigned candidate) -> std::optional<Detour> {
        const auto via = drawn_for(packet, candidate);
        if (!via) return std::nullopt;
        const auto begin = minimal_->choose(to_intermediate(packet, *via), loads);
        if (!begin) return std::nullopt;
        return Detour{*via,
                      *begin,
                      {loads.wait({at, begin->port}),
                       minimal_->hops(at, *via) + minimal_->hops(*via, packet.last_switch)}};
      },
      [&](const Detour& one) { return rules_.weight_of_detour(one.way); });
}

RoutedPacket DetourRouting::to_intermediate(const RoutedPacket& packet, SwitchId via) const {
  RoutedPacket part = packet;
  part.last_switch = via;
  part.note = 0;
  return part;
}

/// Where it begins the packet is on none of the part's virtual channels.
RoutedPacket DetourRouting::onwards(const RoutedPacket& packet) const {
  RoutedPacket part = packet;
  const unsigned first = minimal_->virtual_channels();
  part.virtual_channel = packet.note == straight && packet.virtual_channel >= first
                             ? static_cast<VirtualChannel>(packet.virtual_channel - first)
                             : VirtualChannel{0};
  part.note = 0;
  return part;
}

RoutingChoice DetourRouting::first_part(const RoutingChoice& choice, SwitchId via) const {
  return {choice.port, choice.virtual_channel, first_via + via};
}

RoutingChoice DetourRouting::second_part(const RoutingChoice& choice) const {
  return {choice.port, static_cast<VirtualChannel>(choice.virtual_channel + minimal_->virtual_channels()),
          straight};
}

std::optional<RoutingChoice> DetourRouting::choose(const RoutedPacket& packet,
                                                   const OutputLoads& loads) const {
  const SwitchId at = packet.input.at;
  if (packet.note >= first_via && packet.note - first_via != at) {
    const SwitchId via = packet.note - first_via;
    const auto choice = minimal_->choose(to_intermediate(packet, via), loads);
    return choice ? std::optional(first_part(*choice, via)) : std::nullopt;
  }
  const bool leads = packet.note != undecided || minimal_->leads(at, packet.last_switch);
  const auto minimal = leads ? minimal_->choose(onwards(packet), loads) : std::nullopt;
  if (packet.note == undecided) {
    if (const auto detour = detour_for(packet, loads)) {
      const auto prefers_detour = [&] {
        if (rules_.detours == Detours::always) return true;
        return rules_.prefers_detour(
            {loads.wait({at, minimal->port}), minimal_->hops(at, packet.last_switch)}, detour->way);
      };
      if (!minimal || prefers_detour()) return first_part(detour->begin, detour->via);
    }
  }
  return minimal ? std::optional(second_part(*minimal)) : std::nullopt;
}

void DetourRouting::for_every_choice(const RoutedPacket& packet, const VisitChoice& visit) const {
  const auto visit_first = [&](SwitchId via) {
    minimal_->for_every_choice(to_intermediate(packet, via),
                               [&](const RoutingChoice& choice) { visit(first_part(choice, via)); });
  };
  if (packet.note >= first_via && packet.note - first_via != packet.input.at)
    return visit_first(packet.note - first_via);
  if (packet.note == undecided)
    for (SwitchId via = 0; via < switches_; ++via)
      if (via != packet.input.at && via != packet.last_switch) visit_first(via);
  minimal_->for_every_choice(onwards(packet),
                             [&](const RoutingChoice& choice) { visit(second_part(choice)); });
}

}  // namespace morgana
