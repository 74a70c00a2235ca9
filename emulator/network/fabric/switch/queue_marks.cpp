#include "emulator/network/fabric/switch/queue_marks.h"

namespace morgana::fabric {

/// Whether packets wait for space behind the output's channel, and are not marked for that.
bool QueueMarks::is_victim(const Packet& packet) {
  if (!queue(packet).held_back) return false;
  const MarkVictims marked = core_.parameters.marks.victims;
  return marked == MarkVictims::none ||
         (marked == MarkVictims::to_hosts && !core_.links.to(channel(packet)).is_host());
}

/// A packet that joins its queue, or has left it.
void QueueMarks::mark(Packet& packet) {
  const CableChannel out = channel(packet);
  if (is_victim(packet) ||
      !is_marked(core_.links.limits(out).marks, queue(packet).waiting, packet.number, out))
    return;
  packet.marked = true;
  core_.links.counts().mark(out, core_.channels.first_of(packet.group));
}

}  // namespace morgana::fabric
