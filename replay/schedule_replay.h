#pragma once

#include "replay/comparison.h"
#include "traces/import/chakra.h"
#include "traces/import/dependency_graph.h"

namespace morgana {

/// replay_on() of a schedule that has been read; `platform` is a modelled one.
ReplayResult run_schedule_on(const Platform& platform, const DependencyGraph& schedule,
                             const ReplayOptions& options);

/// replay_on() of an execution trace that has been read; `platform` is a modelled one.
ReplayResult run_execution_on(const Platform& platform, const chakra::Trace& trace,
                              const ReplayOptions& options);

}  // namespace morgana
