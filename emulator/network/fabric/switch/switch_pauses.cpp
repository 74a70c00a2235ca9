// FabricSwitch: pause frames, and what they are noted to be caused by.

#include <algorithm>
#include <bit>

#include "emulator/network/fabric/switch/fabric_switch.h"

namespace morgana::fabric {

void FabricSwitch::start_pause_frame(PortNumber output) {
  keep_load(output);
  const CableChannel out = channel(output);
  const Neighbour& to = links().to(out);
  const CableChannel reverse =
      to.is_host() ? core_.graph.channel_from(HostNumber{to.id}) : core_.graph.channel_from(to.switch_port());
  const GroupSet before = memory_->told(output), paused = memory_->tell(output);
  const SimTime effect = links().start_pause_frame(out, reverse, paused, now_);
  for (GroupSet left = before & ~paused; left != 0; left &= left - 1)
    links().causes().resume(reverse, static_cast<unsigned>(std::countr_zero(left)), effect);
  for (GroupSet left = paused & ~before; left != 0; left &= left - 1)
    note_pause(output, static_cast<unsigned>(std::countr_zero(left)), reverse, effect);
  core_.carrier.pause_told(reverse, paused, effect);
}

/// Of an input that is about to be paused: by which congested channel, and who fills its queue.
void FabricSwitch::note_pause(PortNumber input, unsigned group, CableChannel paused, SimTime effect) {
  const unsigned traffic_class = group / core_.channels.of_routing;
  const PortNumber output = fullest_output(memory_->account(input, group));
  PauseCauses& causes = links().causes();
  if (const auto cause = cause_of(output, traffic_class))
    return causes.pause(paused, group, traffic_class, effect, *cause);
  const CableChannel congested = channel(output);
  causes.pause(paused, group, traffic_class, effect, congested);
  constexpr unsigned most_packets = 256;  // from the queue's front on: a sample for each pause
  unsigned seen = 0;
  for (unsigned one = 0; one < core_.channels.of_routing; ++one)
    for (Slot slot = output_queues_[pair(output, core_.channels.group_of(traffic_class, one))].first;
         slot != no_packet && seen < most_packets; slot = packet(slot).next, ++seen)
      causes.queued(congested, traffic_class, static_cast<HostNumber>(packet(slot).from), packet(slot).size);
}

/// The output that most of an account's bytes wait for; where all of them are in transmission, the one that
/// sends for longest.
PortNumber FabricSwitch::fullest_output(std::size_t account) const {
  const auto first = held_.begin() + static_cast<std::ptrdiff_t>(account * ports_);
  const auto most = std::max_element(first, first + ports_);
  if (*most > 0) return static_cast<PortNumber>(most - first);
  return static_cast<PortNumber>(std::ranges::max_element(sending_, {}, &Sending::until) - sending_.begin());
}

/// What a paused output's pause is caused by; nothing if what waits longest for it has not met any.
std::optional<CableChannel> FabricSwitch::cause_of(PortNumber output, unsigned traffic_class) {
  for (unsigned one = 0; one < core_.channels.of_routing; ++one) {
    const unsigned group = core_.channels.group_of(traffic_class, one);
    const PacketQueue& queue = output_queues_[pair(output, group)];
    if (queue.empty()) continue;
    if (const auto cause = links().causes().cause(channel(output), group, packet(queue.first).tail_ready))
      return cause;
  }
  return std::nullopt;
}

}  // namespace morgana::fabric
