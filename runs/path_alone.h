#pragma once

#include <cstddef>
#include <cstdint>

#include "emulator/platform/platform.h"
#include "emulator/report/limits/critical_path.h"

namespace morgana {

/// Fills in CriticalPath::alone: what of the path's time in the network is latency, what the messages' own
/// data take, and what is left for waiting behind others. Each message of the path is sent again, once
/// without data and twice with them, on a machine of its own that carries nothing else; equal messages of the
/// same two ranks once. The first 512 such kinds are, with 128 MiB at most in all, and count for the others.
///
/// Left unknown where less than a tenth of the path is in the network, or less than 95 % of that with
/// messages whose ends are known, or less than half of it with those that are sent again; where hosts have
/// several NICs, or their kernels or processors carry messages; and where a message does not arrive, or waits
/// for a timer. Not for programs whose ranks are placed when they begin (PVM).
/// @param ranks, placement, seed  those of the run
void find_alone(CriticalPath& path, const Platform& platform, std::size_t ranks, const Placement& placement,
                std::uint64_t seed);

}  // namespace morgana
