#include "emulator/collectives/algorithms.h"

namespace morgana::collectives {

// MPIR_Ineighbor_*_allcomm_sched_linear, which the blocking forms use too: a message along every edge, all at
// once. Several edges between the same two members match in the order in which they are listed. An edge from
// a member to itself is a copy.
void neighbor_linear(const Member& member, ScheduleWriter& writer) {
  const CollectivePart& part = member.part;
  for (std::size_t i = 0; i < part.sources.size(); ++i) {
    const Bytes bytes = part.receive_sizes.empty() ? part.bytes : part.receive_sizes[i];
    if (part.sources[i] != member.me) writer.receive(part.sources[i], bytes);
  }
  for (std::size_t i = 0; i < part.destinations.size(); ++i) {
    const Bytes bytes = part.send_sizes.empty() ? part.bytes : part.send_sizes[i];
    if (part.destinations[i] == member.me)
      writer.copy_alongside(bytes);
    else
      writer.send(part.destinations[i], bytes);
  }
}

}  // namespace morgana::collectives
