#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "emulator/messaging/machine.h"
#include "traces/import/dependency_graph.h"

namespace morgana {

class TraceTranslation;

/// A recorded trace as a schedule.
struct TraceSchedule {
  std::shared_ptr<const DependencyGraph> graph;
  /// Sentences for the user: what the schedule says otherwise than the trace.
  std::vector<std::string> notices;
};

/// Makes a dependency graph of a recorded trace, as its replay would go. Computing becomes calculations of
/// whole nanoseconds, whose remainders add up; a nonblocking send or receive becomes a node that starts when
/// the rank's node before it has; what follows a wait requires the ends of what the rank waited for.
/// Wildcards, waits for any of several and tests are resolved as recorded; a probe that found a message
/// becomes its receive. An empty message answers a synchronous send. Nonblocking collectives are on CPU 1
/// where the machine's go on asynchronously, else on CPU 0 with all the rest. Of receives that are longer
/// than their message the message's size counts. Messages of MPI_COMM_WORLD keep their tags; all others get
/// tags from 1073741824 on, one for each communicator and tag, and for each collective.
/// @param file  the trace's name, for errors
/// @param machine  for the trace's ranks: whose collective algorithms are taken, and what combining and
///     copying operands and failed polls cost
/// @param progress  called now and then with the share done, 0 to 1; may be empty
/// @throws Error naming rank and call for what a schedule can't hold: one-sided accesses, cancelled messages,
///     receives and probes that never got a message, tasks of PVM; and for what the replay refuses
TraceSchedule schedule_of(const std::filesystem::path& file,
                          const std::shared_ptr<const TraceTranslation>& trace, const Machine& machine,
                          const std::function<void(double)>& progress = {});

}  // namespace morgana
