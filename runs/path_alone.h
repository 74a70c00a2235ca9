#pragma once

#include <cstddef>
#include <cstdint>

#include "emulator/platform/platform.h"
#include "emulator/report/limits/critical_path.h"

namespace morgana {

/// Fills in CriticalPath::alone: what of the path's time in the network is latency, what the messages' own
/// data take, and what is left for waiting behind others. Each message of the path is sent again, once
/// without data and once with them, on a machine of its own that carries nothing else; of a path with many
/// messages some hundred are, at equal distances, and count for the others.
///
/// Left unknown where less than a tenth of the path is in the network, or less than 95 % of that with
/// messages whose ends are known; where hosts have several NICs, or their kernels or processors carry
/// messages; where ranks are placed when they begin; and where a message does not arrive, or waits for a
/// timer.
/// @param ranks, placement, seed  those of the run
void find_alone(CriticalPath& path, const Platform& platform, std::size_t ranks, const Placement& placement,
                std::uint64_t seed);

}  // namespace morgana
