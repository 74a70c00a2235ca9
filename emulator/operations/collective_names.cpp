#include "emulator/operations/collective_names.h"

#include <algorithm>
#include <array>

namespace morgana {
namespace {

// In the order of CollectiveKind.
constexpr std::array<std::string_view, 23> collective_names{
    "barrier",
    "broadcast",
    "gather",
    "gatherv",
    "scatter",
    "scatterv",
    "allgather",
    "allgatherv",
    "alltoall",
    "alltoallv",
    "alltoallw",
    "reduce",
    "allreduce",
    "reduce_scatter",
    "reduce_scatter_block",
    "scan",
    "exscan",
    "neighbor_allgather",
    "neighbor_allgatherv",
    "neighbor_alltoall",
    "neighbor_alltoallv",
    "neighbor_alltoallw",
    "create_context",
};
static_assert(collective_names.size() == static_cast<std::size_t>(CollectiveKind::create_context) + 1);

}  // namespace

std::string_view name_of(CollectiveKind kind) {
  return collective_names.at(static_cast<std::size_t>(kind));
}

std::optional<CollectiveKind> collective_named(std::string_view name) {
  const auto found = std::find(collective_names.begin(), collective_names.end(), name);
  if (found == collective_names.end()) return std::nullopt;
  return static_cast<CollectiveKind>(found - collective_names.begin());
}

}  // namespace morgana
