#include "emulator/network/fabric/switch/switch_pauses.h"

#include <algorithm>
#include <bit>

namespace morgana::fabric {

void SwitchPauses::start_frame(PortNumber output, SwitchMemory& memory, const OutputQueues& queues,
                               SimTime now) {
  const CableChannel out = first_channel_ + output;
  const Neighbour& to = core_.links.to(out);
  const CableChannel reverse =
      to.is_host() ? core_.graph.channel_from(HostNumber{to.id}) : core_.graph.channel_from(to.switch_port());
  const GroupSet before = memory.told(output), paused = memory.tell(output);
  const SimTime effect = core_.links.start_pause_frame(out, reverse, paused, now);
  for (GroupSet left = before & ~paused; left != 0; left &= left - 1)
    core_.links.causes().resume(reverse, static_cast<unsigned>(std::countr_zero(left)), effect);
  for (GroupSet left = paused & ~before; left != 0; left &= left - 1) {
    const auto group = static_cast<unsigned>(std::countr_zero(left));
    note_pause(group, fullest_output(memory.account(output, group), queues), reverse, effect, queues);
  }
  core_.carrier.pause_told(reverse, paused, effect);
}

/// Of an input that is about to be paused: by which congested channel, and who fills its queue.
/// @param congested  the output that most of the input's bytes wait for. @param paused  the input's channel
void SwitchPauses::note_pause(unsigned group, PortNumber congested, CableChannel paused, SimTime effect,
                              const OutputQueues& queues) {
  const unsigned traffic_class = group / core_.channels.of_routing;
  PauseCauses& causes = core_.links.causes();
  if (const auto cause = cause_of(congested, traffic_class, queues))
    return causes.pause(paused, group, traffic_class, effect, *cause);
  const CableChannel channel = first_channel_ + congested;
  causes.pause(paused, group, traffic_class, effect, channel);
  constexpr unsigned most_packets = 256;  // from the queue's front on: a sample for each pause
  unsigned seen = 0;
  for (unsigned one = 0; one < core_.channels.of_routing; ++one)
    for (Slot slot = queues.first(congested, core_.channels.group_of(traffic_class, one));
         slot != no_packet && seen < most_packets; slot = core_.packets[slot].next, ++seen) {
      const Packet& packet = core_.packets[slot];
      causes.queued(channel, traffic_class, static_cast<HostNumber>(packet.from), packet.size);
    }
}

/// The output that most of an account's bytes wait for; where all of them are in transmission, the one that
/// sends for longest.
PortNumber SwitchPauses::fullest_output(std::size_t account, const OutputQueues& queues) const {
  const auto first = waiting_.begin() + static_cast<std::ptrdiff_t>(account * ports_);
  const auto most = std::max_element(first, first + ports_);
  return *most > 0 ? static_cast<PortNumber>(most - first) : queues.longest_sender();
}

/// What a paused output's pause is caused by; nothing if what waits longest for it has not met any.
std::optional<CableChannel> SwitchPauses::cause_of(PortNumber output, unsigned traffic_class,
                                                   const OutputQueues& queues) {
  for (unsigned one = 0; one < core_.channels.of_routing; ++one) {
    const unsigned group = core_.channels.group_of(traffic_class, one);
    if (!queues.is_filled(output, group)) continue;
    const SimTime tail_ready = core_.packets[queues.first(output, group)].tail_ready;
    if (const auto cause = core_.links.causes().cause(first_channel_ + output, group, tail_ready))
      return cause;
  }
  return std::nullopt;
}

}  // namespace morgana::fabric
