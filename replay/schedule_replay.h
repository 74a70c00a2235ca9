#pragma once

#include <string>
#include <vector>

#include "replay/comparison.h"
#include "traces/import/chakra.h"
#include "traces/import/dependency_graph.h"

namespace morgana {

/// What runs beside a schedule, read: of traces the schedules that they become.
/// @param notices  gets what is to be said of these
/// @throws Error as read_trace() and schedule_of()
std::vector<TraceBeside> schedules_beside(const Platform& platform, const std::vector<TraceBeside>& beside,
                                          std::vector<std::string>& notices);

/// replay_on() of a schedule that has been read; `platform` is a modelled one.
ReplayResult run_schedule_on(const Platform& platform, const DependencyGraph& schedule,
                             const ReplayOptions& options);

/// replay_on() of an execution trace that has been read; `platform` is a modelled one.
ReplayResult run_execution_on(const Platform& platform, const chakra::Trace& trace,
                              const ReplayOptions& options);

}  // namespace morgana
