#include "emulator/network/fabric/stuck.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "emulator/network/fabric/fabric_network.h"
#include "emulator/routing/channel_dependencies.h"

namespace morgana::fabric {

std::vector<StuckPacket> deadlocked(const WaitingPackets& waiting,
                                    const std::function<ChannelBuffer(const ChannelBuffer&)>& memory_of) {
  const std::vector<StuckPacket>& stuck = waiting.stuck;
  std::set<ChannelBuffer> held, moving;
  std::multimap<ChannelBuffer, std::size_t> wanted_by;
  for (const StuckPacket& one : stuck) held.insert(memory_of(one.holds));
  std::vector<ChannelBuffer> new_moving;
  const auto moves = [&](const ChannelBuffer& buffer) {
    if (moving.insert(memory_of(buffer)).second) new_moving.push_back(memory_of(buffer));
  };
  std::vector<bool> goes_on(stuck.size());
  const auto let_go = [&](std::size_t number) {
    if (goes_on[number]) return;
    goes_on[number] = true;
    moves(stuck[number].holds);
  };
  for (const ChannelBuffer& buffer : waiting.moving) moves(buffer);
  for (std::size_t number = 0; number < stuck.size(); ++number) {
    for (unsigned lane = 0; lane < stuck[number].lanes; ++lane) {
      const ChannelBuffer& first = stuck[number].wants;
      const ChannelBuffer space = memory_of({first.channel, first.virtual_channel + lane});
      wanted_by.emplace(space, number);
      if (!held.contains(space)) let_go(number);
    }
  }
  while (!new_moving.empty()) {
    const auto [first, last] = wanted_by.equal_range(new_moving.back());
    new_moving.pop_back();
    for (auto one = first; one != last; ++one) let_go(one->second);
  }
  std::vector<StuckPacket> for_ever;
  for (std::size_t number = 0; number < stuck.size(); ++number)
    if (!goes_on[number]) for_ever.push_back(stuck[number]);
  return for_ever;
}

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

/// A packet that waits for space in a queue at its output waits for what the first one there does. Of packets
/// in a first-in, first-out queue at an input only the first one counts: the others go elsewhere.
void FabricSwitch::find_stuck(SimTime now, WaitingPackets& found) const {
  const auto is_stuck = [&](const Packet& waiting) {
    const CableChannel out = channel(waiting.output);
    std::int64_t units = waiting.units;
    if (crossbar_.exists()) {
      const bool has_space =
          outputs_.queued(waiting.output, waiting.group) + waiting.size <= links_.limits(out).size;
      if (has_space || !outputs_.is_filled(waiting.output, waiting.group)) return false;
      units = packets_[outputs_.first(waiting.output, waiting.group)].units;
    }
    return !links_.is_down(out) && links_.allowed_at(out, waiting.group, units, now) == SimTime::max();
  };
  // The others of a queue wait for the first one, though their own credits may be there.
  const auto look_at = [&](const PacketQueue& queue, bool all) {
    if (queue.empty()) return;
    const Packet& first = packets_[queue.first];
    const bool stuck = is_stuck(first);
    const ChannelBuffer wants{channel(first.output), core_.channels.first_of(first.group)};
    const unsigned lanes = links_.has_credits() ? core_.channels.lanes : 1;
    for (Slot slot = queue.first; slot != no_packet; slot = all ? packets_[slot].next : no_packet) {
      const ChannelBuffer holds{packets_[slot].came_by, packets_[slot].came_on};
      if (stuck)
        found.stuck.push_back({slot, holds, wants, lanes});
      else
        found.moving.push_back(holds);
    }
  };
  ready_.for_each([&](Slot slot) {
    found.moving.push_back({packets_[slot].came_by, packets_[slot].came_on});
  });
  inputs_.for_each([&](const PacketQueue& queue) { look_at(queue, inputs_.by_output()); });
  if (crossbar_.exists()) return;  // what is behind it holds no buffer
  outputs_.for_each([&](const PacketQueue& queue) { look_at(queue, true); });
}

std::size_t FabricHost::waiting() const {
  std::size_t packets = 0;
  for (const PacketQueue& queue : queues_)
    for (Slot slot = queue.first; slot != no_packet; slot = core_.packets[slot].next) ++packets;
  return packets;
}

}  // namespace morgana::fabric

namespace morgana {
namespace {

std::string why_in_a_cycle(const SwitchGraph& graph, const SwitchTables& tables) {
  for (std::size_t n = 0; n < tables.count(); ++n)
    if (!find_deadlock(graph, tables.routing(n)).empty())
      return "network.routes-check = \"on\" refuses such routes before a run";
  return "no routes of their own close one, but those of before and after an outage (network.faults) do, "
         "which packets under way keep: other network.routes may not";
}

}  // namespace

std::string FabricNetwork::standstill() const {
  if (packets_.in_use() == 0) return {};
  std::size_t in_hosts = 0;
  for (const fabric::FabricHost& host : hosts_) in_hosts += host.waiting();
  std::string packets = fmt::format("{} packets are in switches or on cables", packets_.in_use() - in_hosts);
  if (in_hosts > 0) packets += fmt::format(" ({} more have not left their hosts)", in_hosts);
  fabric::WaitingPackets waiting;
  for (const fabric::FabricSwitch& one : switches_) one.find_stuck(events_.now(), waiting);
  const bool shares_memory = parameters_.shared.size > Bytes(0);
  const auto memory_of = [&](const fabric::ChannelBuffer& buffer) {
    const Neighbour& end = links_.to(buffer.channel);
    constexpr unsigned all = ~0U;
    return shares_memory && end.is_switch() ? fabric::ChannelBuffer{end.id, all} : buffer;
  };
  const std::vector<fabric::StuckPacket> stuck = fabric::deadlocked(waiting, memory_of);
  if (const std::vector<fabric::StuckPacket> cycle = fabric::cycle_of(stuck); !cycle.empty())
    return fmt::format(
        "{}, and {} of them wait for each other's buffers in a cycle "
        "that nothing ends; {}:{}",
        packets, cycle.size(), why_in_a_cycle(network_.graph, tables_),
        fabric::describe_cycle(network_.graph, packets_, stuck, cycle));
  if (std::string pauses = standing_before_pauses(); !pauses.empty()) return pauses;
  return packets + ", and no cycle of waits is among them: no deadlock";
}

}  // namespace morgana
