#include "emulator/collectives/measured_collective.h"

#include <algorithm>
#include <array>

namespace morgana {
namespace {

constexpr std::array<std::string_view, 6> collective_names{"all-reduce", "all-gather", "reduce-scatter",
                                                           "broadcast",  "reduce",     "all-to-all"};

}  // namespace

std::span<const std::string_view> measured_collective_names() {
  return collective_names;
}

std::string_view name_of(MeasuredCollective collective) {
  return collective_names[static_cast<std::size_t>(collective)];
}

std::optional<MeasuredCollective> measured_collective_named(std::string_view name) {
  const auto found = std::find(collective_names.begin(), collective_names.end(), name);
  if (found == collective_names.end()) return std::nullopt;
  return static_cast<MeasuredCollective>(found - collective_names.begin());
}

CollectiveKind kind_of(MeasuredCollective collective) {
  switch (collective) {
    case MeasuredCollective::all_reduce:
      return CollectiveKind::allreduce;
    case MeasuredCollective::all_gather:
      return CollectiveKind::allgather;
    case MeasuredCollective::reduce_scatter:
      return CollectiveKind::reduce_scatter_block;
    case MeasuredCollective::broadcast:
      return CollectiveKind::broadcast;
    case MeasuredCollective::reduce:
      return CollectiveKind::reduce;
    case MeasuredCollective::all_to_all:
      break;
  }
  return CollectiveKind::alltoall;
}

bool has_blocks(MeasuredCollective collective) {
  return collective == MeasuredCollective::all_gather || collective == MeasuredCollective::reduce_scatter ||
         collective == MeasuredCollective::all_to_all;
}

Bytes possible_size(MeasuredCollective collective, Bytes size, std::size_t ranks) {
  const std::int64_t step =
      measured_element.count() * (has_blocks(collective) ? static_cast<std::int64_t>(ranks) : 1);
  return Bytes(size.count() / step * step);
}

double bus_factor(MeasuredCollective collective, std::size_t ranks) {
  const auto n = static_cast<double>(ranks);
  switch (collective) {
    case MeasuredCollective::all_reduce:
      return 2 * (n - 1) / n;
    case MeasuredCollective::all_gather:
    case MeasuredCollective::reduce_scatter:
    case MeasuredCollective::all_to_all:
      return (n - 1) / n;
    case MeasuredCollective::broadcast:
    case MeasuredCollective::reduce:
      break;
  }
  return 1;
}

}  // namespace morgana
