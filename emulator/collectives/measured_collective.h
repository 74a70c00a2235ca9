#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "emulator/core/units.h"
#include "emulator/operations/operation.h"

namespace morgana {

/// The collectives that nccl-tests measure, with its definitions of size and bandwidth (nccl-tests,
/// doc/PERFORMANCE.md).
enum class MeasuredCollective : std::uint8_t {
  all_reduce,
  all_gather,
  reduce_scatter,
  broadcast,
  reduce,
  all_to_all,
};
/// In the order of the enumeration.
std::span<const std::string_view> measured_collective_names();
std::string_view name_of(MeasuredCollective collective);  ///< "all-reduce"
std::optional<MeasuredCollective> measured_collective_named(std::string_view name);

/// The MPI call that the collective stands for.
CollectiveKind kind_of(MeasuredCollective collective);

/// Whether its size is that of a buffer with a block for each rank: what a rank ends with (all-gather), or
/// begins with (reduce-scatter, all-to-all). Else every rank has one buffer of that size.
bool has_blocks(MeasuredCollective collective);

/// Of one element (float, as nccl-tests have it).
inline constexpr Bytes measured_element{4};

/// The largest size up to `size` that the collective can have: of whole elements, and as many in each block.
/// 0: there is none.
Bytes possible_size(MeasuredCollective collective, Bytes size, std::size_t ranks);

/// busbw / algbw: algbw is size over time; busbw is comparable with the rate of a rank's link, whatever the
/// number of ranks.
double bus_factor(MeasuredCollective collective, std::size_t ranks);

}  // namespace morgana
