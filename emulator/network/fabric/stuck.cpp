#include "emulator/network/fabric/stuck.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "emulator/network/fabric/fabric_network.h"

namespace morgana::fabric {

std::vector<StuckPacket> cycle_of(const std::vector<StuckPacket>& all) {
  std::multimap<ChannelBuffer, const StuckPacket*> by_holds;
  for (const StuckPacket& one : all) by_holds.emplace(one.holds, &one);
  std::set<ChannelBuffer> closed;
  for (const auto& [start, first] : by_holds) {
    if (closed.contains(start)) continue;
    // Depth first: of each buffer on the way, the packet of it that led on.
    std::vector<std::multimap<ChannelBuffer, const StuckPacket*>::const_iterator> way{
        by_holds.lower_bound(start)};
    while (!way.empty()) {
      const auto at = way.back();
      const auto on_way =
          std::ranges::find_if(way, [&](const auto& one) { return one->first == at->second->wants; });
      if (on_way != way.end()) {
        std::vector<StuckPacket> cycle;
        for (auto one = on_way; one != way.end(); ++one) cycle.push_back(*(*one)->second);
        return cycle;
      }
      if (const auto next = by_holds.lower_bound(at->second->wants);
          next != by_holds.end() && next->first == at->second->wants && !closed.contains(next->first)) {
        way.push_back(next);
        continue;
      }
      // Another packet of the same buffer, or none leads on.
      while (!way.empty()) {
        auto& last = way.back();
        const ChannelBuffer buffer = last->first;
        if (++last; last != by_holds.end() && last->first == buffer) break;
        closed.insert(buffer);
        way.pop_back();
      }
    }
  }
  return {};
}

std::string describe_cycle(const SwitchGraph& graph, const Packets& packets,
                           const std::vector<StuckPacket>& all, const std::vector<StuckPacket>& cycle) {
  const auto name = [&](const ChannelBuffer& buffer) {
    return fmt::format("{} (VC {})", graph.describe(buffer.channel), buffer.virtual_channel);
  };
  std::string text;
  for (const StuckPacket& one : cycle) {
    const Packet& packet = packets[one.packet];
    const auto others = std::ranges::count(all, one.holds, &StuckPacket::holds);
    text += fmt::format("\n  packet {} from host {} to host {} holds {}{} and waits for {}", packet.number,
                        static_cast<std::uint32_t>(packet.from), static_cast<std::uint32_t>(packet.to),
                        name(one.holds), others > 1 ? fmt::format(", as {} others do,", others - 1) : "",
                        name(one.wants));
  }
  return text;
}

/// Of packets in a first-in, first-out queue at an input only the first one: the others wait for it.
void FabricSwitch::find_stuck(SimTime now, std::vector<StuckPacket>& found) const {
  const auto look_at = [&](Slot slot) {
    const Packet& waiting = packet(slot);
    const CableChannel out = channel(waiting.output);
    if (links().is_down(out) || links().allowed_at(out, waiting.group, waiting.units, now) != SimTime::max())
      return;
    found.push_back(
        {slot, {waiting.came_by, waiting.came_on}, {out, core_.channels.first_of(waiting.group)}});
  };
  const auto look_at_all = [&](const PacketQueue& queue) {
    for (Slot slot = queue.first; slot != no_packet; slot = packet(slot).next) look_at(slot);
  };
  for (const PacketQueue& queue : input_queues_) {
    if (by_output_)
      look_at_all(queue);
    else if (!queue.empty())
      look_at(queue.first);
  }
  if (crossbar_) return;  // what is behind it holds no buffer
  for (const PacketQueue& queue : output_queues_) look_at_all(queue);
}

}  // namespace morgana::fabric

namespace morgana {

std::string FabricNetwork::standstill() const {
  if (packets_.in_use() == 0) return {};
  std::vector<fabric::StuckPacket> stuck;
  for (const fabric::FabricSwitch& one : switches_) one.find_stuck(events_.now(), stuck);
  if (const std::vector<fabric::StuckPacket> cycle = fabric::cycle_of(stuck); !cycle.empty())
    return fmt::format(
        "{} packets stand in the network, and {} of them wait for each other's buffers in a cycle; "
        "network.routes-check = \"on\" refuses such routes before a run:{}",
        packets_.in_use(), cycle.size(), fabric::describe_cycle(network_.graph, packets_, stuck, cycle));
  return standing_before_pauses();
}

}  // namespace morgana
