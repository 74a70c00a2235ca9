#pragma once

#include <cstdint>

#include "emulator/platform/platform.h"
#include "experiments/infiniband/published.h"

namespace morgana::infiniband_tables {

/// What a benchmark measures on a platform, in the table's unit. The two hosts are on different leaf
/// switches.
double emulated(const PublishedTable& table, std::int64_t bytes, const Platform& platform,
                std::uint64_t seed);

}  // namespace morgana::infiniband_tables
