#include "emulator/routing/hop_routing.h"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/core/error.h"
#include "emulator/routing/channel_dependencies.h"
#include "emulator/routing/multipath.h"
#include "emulator/routing/usable_arcs.h"

namespace morgana {
namespace {

/// Minimal ways, whose virtual channels ascend to the destination: the last cable is on the highest one, so
/// that a choice follows from the switch and the destination.
class AscendingWays final : public Routing {
 public:
  AscendingWays(const EqualPorts& ports, const std::vector<std::uint8_t>& hops,
                const std::vector<std::uint32_t>& end_of, std::size_t switches, unsigned longest)
      : ports_(ports), hops_(hops), end_of_(end_of), switches_(switches), longest_(longest) {}
  std::optional<RoutingChoice> choose(const RoutedPacket&, const OutputLoads&) const override {
    return std::nullopt;  // only proofs follow it
  }
  bool looks_at_inputs() const override { return false; }
  unsigned virtual_channels() const override { return longest_; }
  void for_every_choice(const RoutedPacket& packet, const VisitChoice& visit) const override {
    const SwitchId at = packet.input.at, last = packet.last_switch;
    for (const PortNumber port : ports_.towards(at, last))
      visit({port, static_cast<VirtualChannel>(longest_ - hops_[end_of_[last] * switches_ + at])});
  }

 private:
  const EqualPorts& ports_;
  const std::vector<std::uint8_t>& hops_;
  const std::vector<std::uint32_t>& end_of_;
  std::size_t switches_;
  unsigned longest_;
};

}  // namespace

HopRouting::HopRouting(const SwitchGraph& graph, const DetourRules& rules, const ChannelFilter& usable)
    : ports_(graph, usable), rules_(rules), switches_(graph.switches()), end_of_(graph.switches()) {
  for (SwitchId at = 0; at < switches_; ++at) {
    if (graph.hosts() > 0 && graph.hosts_at(at).empty()) continue;
    end_of_[at] = static_cast<std::uint32_t>(ends_.size());
    ends_.push_back(at);
  }
  const Arcs arcs = usable_arcs(graph, usable);
  const TrunkSearch search(arcs);
  unsigned longest = 1;
  hops_.reserve(ends_.size() * switches_);
  for (const SwitchId end : ends_) {
    for (const std::uint32_t distance : search.to_nearest({end}))
      hops_.push_back(static_cast<std::uint8_t>(std::min<std::uint32_t>(distance, far)));
    for (const SwitchId from : ends_)
      if (leads(from, end)) longest = std::max(longest, hops(from, end));
  }
  const unsigned parts = rules_.detours == Detours::never ? 1 : 2;
  auto shortest = std::make_shared<EcmpRouting>(graph, usable, rules_.seed);
  by_phase_ = find_deadlock(graph, *shortest).empty();
  if (by_phase_) {
    channels_ = parts;
    shortest_ = std::move(shortest);
  } else {
    channels_ = parts * longest;
    if (channels_ > far)
      throw Error(fmt::format(
          "a virtual channel for each cable of the longest way takes {} of them, and there are at most "
          "{}: choose other routes",
          channels_, far));
    constexpr std::size_t most_states = std::size_t{1} << 22;
    if (ends_.size() * ends_.size() * graph.channels() * longest > most_states)
      parts_ = std::make_shared<AscendingWays>(ports_, hops_, end_of_, switches_, longest);
  }
  if (rules_.detours != Detours::by_channel) return;
  next_.resize(switches_);
  for (SwitchId at = 0; at < switches_; ++at) {
    next_[at].resize(graph.ports(at), at);
    for (const Arc& arc : arcs[at]) next_[at][arc.port] = arc.other.at;
  }
}

bool HopRouting::may_go_by(SwitchId via, const RoutedPacket& packet) const {
  const SwitchId at = packet.input.at, last = packet.last_switch;
  return via != at && via != last && leads(at, via) && leads(via, last);
}

/// The place among ends_ of the one that is drawn of all but the packet's own two, or of the next one through
/// which a way leads.
std::optional<std::uint32_t> HopRouting::drawn_for(const RoutedPacket& packet, unsigned candidate) const {
  const auto count = static_cast<std::uint32_t>(ends_.size());
  if (count < 3) return std::nullopt;
  const std::uint64_t number = drawn(rules_.seed, packet.number, draw_of_candidate(0, candidate));
  std::uint32_t place = 0;
  if (rules_.places == DetourRules::Places::all) {
    place = static_cast<std::uint32_t>(number % count);
    if (ends_[place] == packet.input.at || ends_[place] == packet.last_switch) return std::nullopt;
  } else {
    place = static_cast<std::uint32_t>(number % (count - 2));
    const auto [low, high] = std::minmax(end_of_[packet.input.at], end_of_[packet.last_switch]);
    if (place >= low) ++place;
    if (place >= high) ++place;
  }
  for (std::uint32_t tries = 0; tries < count; ++tries, place = place + 1 < count ? place + 1 : 0)
    if (may_go_by(ends_[place], packet)) return place;
  return std::nullopt;
}

PortNumber HopRouting::port(SwitchId at, SwitchId to, const RoutedPacket& packet) const {
  const auto equal = ports_.towards(at, to);
  if (equal.size() == 1) return equal.front();
  const std::uint64_t number = rules_.detours == Detours::never ? packet.flow : packet.number;
  return equal[drawn(rules_.seed, number, std::uint64_t{at} + 1) % equal.size()];
}

/// For all outputs of the way that the packet would take.
SimTime HopRouting::waits(SwitchId from, SwitchId to, const RoutedPacket& packet,
                          const OutputLoads& loads) const {
  SimTime sum;
  for (SwitchId at = from; at != to;) {
    const PortNumber out = port(at, to, packet);
    sum += loads.wait({at, out});
    at = next_[at][out];
  }
  return sum;
}

/// Of the detour by the switch at this place.
SimTime HopRouting::weight(std::uint32_t place, const RoutedPacket& packet, const OutputLoads& loads) const {
  const SwitchId at = packet.input.at, last = packet.last_switch, via = ends_[place];
  if (rules_.detours == Detours::by_channel)
    return waits(at, via, packet, loads) + waits(via, last, packet, loads);
  return rules_.weight_of_detour({loads.wait({at, port(at, via, packet)}), hops(at, via) + hops(via, last)});
}

SimTime HopRouting::weight_of_minimal(const RoutedPacket& packet, const OutputLoads& loads) const {
  const SwitchId at = packet.input.at, last = packet.last_switch;
  if (rules_.detours == Detours::by_channel) return waits(at, last, packet, loads);
  return rules_.weight_of_minimal({loads.wait({at, port(at, last, packet)}), hops(at, last)});
}

/// The place of its intermediate switch, if the packet takes one.
std::optional<std::uint32_t> HopRouting::detour_for(const RoutedPacket& packet,
                                                    const OutputLoads& loads) const {
  const auto weigh = [&](std::uint32_t place) { return weight(place, packet, loads); };
  const auto place = lightest_detour(
      rules_, [&](unsigned candidate) { return drawn_for(packet, candidate); }, weigh);
  if (!place || rules_.detours == Detours::always) return place;
  return weight_of_minimal(packet, loads) > weigh(*place) + rules_.threshold ? place : std::nullopt;
}

/// The way as it goes on at a switch: straight from the intermediate one on, or if none leads to that any
/// more.
HopRouting::Way HopRouting::arrived(Way way, SwitchId at) const {
  if (way.via_plus1 == 0) return way;
  const bool known = way.via_plus1 <= ends_.size();
  if (!known || ends_[way.via_plus1 - 1] == at || !leads(at, ends_[way.via_plus1 - 1])) way.via_plus1 = 0;
  return way;
}

std::optional<RoutingChoice> HopRouting::choice(const Way& way, PortNumber port) const {
  const unsigned channel = !by_phase_ ? way.crossed : way.via_plus1 == 0 ? channels_ - 1 : 0;
  if (channel >= channels_ || way.crossed >= far) return std::nullopt;
  return RoutingChoice{port, static_cast<VirtualChannel>(channel),
                       note_of({by_phase_ ? 0 : way.crossed + 1, way.via_plus1})};
}

std::optional<RoutingChoice> HopRouting::choose(const RoutedPacket& packet, const OutputLoads& loads) const {
  const SwitchId at = packet.input.at;
  Way way = arrived(way_of(packet.note), at);
  if (packet.note == 0 && rules_.detours != Detours::never && leads(at, packet.last_switch))
    if (const auto place = detour_for(packet, loads)) way.via_plus1 = *place + 1;
  const SwitchId to = way.via_plus1 == 0 ? packet.last_switch : ends_[way.via_plus1 - 1];
  if (ports_.towards(at, to).empty()) return std::nullopt;
  return choice(way, port(at, to, packet));
}

void HopRouting::for_every_choice(const RoutedPacket& packet, const VisitChoice& visit) const {
  const SwitchId at = packet.input.at;
  const auto visit_way = [&](const Way& way) {
    const SwitchId to = way.via_plus1 == 0 ? packet.last_switch : ends_[way.via_plus1 - 1];
    for (const PortNumber port : ports_.towards(at, to))
      if (const auto one = choice(way, port)) visit(*one);
  };
  visit_way(arrived(way_of(packet.note), at));
  if (packet.note != 0 || rules_.detours == Detours::never) return;
  for (std::uint32_t place = 0; place < ends_.size(); ++place)
    if (may_go_by(ends_[place], packet)) visit_way({0, place + 1});
}

}  // namespace morgana
