// What the switches of a switched Ethernet do with a frame: routing, and the order at outputs.
#include <algorithm>
#include <cassert>
#include <optional>
#include <vector>

#include "emulator/network/ethernet/switched.h"

namespace morgana {

void SwitchedEthernet::forward(Slot slot, SwitchId at, SimTime offered) {
  const SwitchGraph& graph = network_.graph;
  Frame& frame = frames_[slot];
  const std::uint32_t tables = tables_.in_force(offered);
  if (graph.sent_by_host(frame.at)) frame.tables = tables;
  if (tables != frame.tables) {
    const auto from = static_cast<HostNumber>(frame.unit.from), to = static_cast<HostNumber>(frame.unit.to);
    if (!tables_.same_way(from, to, frame.tables, tables))
      return lose(slot, Loss::way_changed, graph.channel_from(SwitchPort{at, 0}), offered);
  }
  if (by_load_) return take_later(slot, at, offered_to_switch, offered);
  const auto output = output_of(slot, at);
  if (!output) return lose(slot, Loss::no_way, graph.channel_from(SwitchPort{at, 0}), offered);
  if (!settled_at_departure_) return take_later(slot, *output, offered_to_output, offered);
  if (const auto left = queue(slot, *output, offered)) carry(slot, *output, *left);
}

/// The channel that a frame takes from a switch; nothing if no way leads on.
std::optional<CableChannel> SwitchedEthernet::output_of(Slot slot, SwitchId at) const {
  const SwitchGraph& graph = network_.graph;
  const Frame& frame = frames_[slot];
  const auto from = static_cast<HostNumber>(frame.unit.from), to = static_cast<HostNumber>(frame.unit.to);
  const SwitchPort last = graph.port_of(to);
  if (last.at == at) return graph.channel_from(last);
  const RoutedPacket packet{{at, ports_[frame.at].to.port}, 0, from, to, last.at,
                            SwitchTables::flow_of(from, to)};
  const auto choice = tables_.routing(frame.tables).choose(packet, *this);
  if (!choice) return std::nullopt;
  return graph.channel_from(SwitchPort{at, choice->port});
}

SimTime SwitchedEthernet::wait(SwitchPort output) const {
  const SimTime free = ports_[network_.graph.channel_from(output)].free;
  return free > events_.now() ? free - events_.now() : SimTime();
}

void SwitchedEthernet::take_later(Slot slot, std::uint32_t where, What what, SimTime offered) {
  std::vector<Offer>& offers = offers_[where];
  offers.push_back({offered, frames_[slot].number, slot});
  std::push_heap(offers.begin(), offers.end());
  events_.schedule(offered, *this, event(what, where));
}

/// All frames that are offered now are known by now: each was sent for some time before.
SwitchedEthernet::Offer SwitchedEthernet::next_offer(std::uint32_t where) {
  std::vector<Offer>& offers = offers_[where];
  std::pop_heap(offers.begin(), offers.end());
  const Offer next = offers.back();
  offers.pop_back();
  assert(next.at == events_.now());
  return next;
}

void SwitchedEthernet::take_at_output(CableChannel output) {
  const Offer next = next_offer(output);
  if (const auto left = queue(next.slot, output, next.at)) carry(next.slot, output, *left);
}

/// How long the switch's outputs are taken is known by now.
void SwitchedEthernet::take_at_switch(SwitchId at) {
  const Offer next = next_offer(at);
  const auto output = output_of(next.slot, at);
  if (!output) return lose(next.slot, Loss::no_way, network_.graph.channel_from(SwitchPort{at, 0}), next.at);
  if (const auto left = queue(next.slot, *output, next.at)) carry(next.slot, *output, *left);
}

}  // namespace morgana
