#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>

#include "emulator/report/execution_timeline.h"

namespace morgana {

/// What a page draws of an execution trace, as page_data() has it: `execution`.
/// @param most_spans  with more of them, pieces of time are joined until fewer are left
nlohmann::json execution_data(const ExecutionTimeline& timeline, std::size_t most_spans);

}  // namespace morgana
