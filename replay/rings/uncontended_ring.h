#pragma once

#include <optional>

#include "emulator/collectives/nccl/nccl_schedule.h"
#include "emulator/core/time.h"
#include "emulator/messaging/machine.h"

namespace morgana {

/// How long a collective of NCCL along rings takes, from the ranks' common start until the last one has
/// ended, computed step by step without events: the same picosecond as GraphRun's of graph_of(). That needs a
/// machine on which nothing can contend, since then a step begins when the one before it and its message are
/// there:
///   - a host for each rank, which has no kernel, no shared memory and no background traffic;
///   - a network whose units wait for their ports alone (PortNetwork), and a transport that sends a message
///     as one unit (Transport::sends_single_units), none of which goes by rendezvous;
///   - at each port either one worker, so one after the other of its messages leaves, and one after the
///   other comes; or several, and no message keeps a port busy.
/// @param plan  by Algorithm::ring  @param machine  has as many ranks
/// @return nothing if the machine is another one, or the time lies past the end of simulated time
std::optional<SimTime> uncontended_ring_time(const nccl::Plan& plan, const nccl::Parameters& parameters,
                                             Machine& machine);

}  // namespace morgana
