#pragma once

#include <cstdint>
#include <limits>
#include <span>

#include "emulator/collectives/algorithms.h"

namespace morgana::collectives::openmpi {

/// No limit.
inline constexpr std::int32_t any = std::numeric_limits<std::int32_t>::max();

/// A row of a decision function: for fewer than `members` members and less than `bytes`.
struct DecisionRow {
  std::int32_t members, bytes;
  Algorithm algorithm;
};
/// In the order of the function's conditions: the first row that fits decides. The last one fits always.
using DecisionTable = std::span<const DecisionRow>;

inline Algorithm decide(DecisionTable table, std::int32_t members, Bytes size) {
  for (const DecisionRow& row : table)
    if ((row.members == any || members < row.members) && (row.bytes == any || size.count() < row.bytes))
      return row.algorithm;
  return nullptr;
}

// The tables, by what their sizes are. Source: coll_tuned_decision_fixed.c of Open MPI 4.1.4.
DecisionTable barrier_table();
DecisionTable broadcast_table();                       ///< the message
DecisionTable gather_table();                          ///< the block of a member
DecisionTable scatter_table();                         ///< the block of a member
DecisionTable allgather_table();                       ///< the block of a member
DecisionTable allgatherv_table();                      ///< the mean of the members' blocks, rounded down
DecisionTable alltoall_table();                        ///< the block for a member
DecisionTable alltoallv_table();                       ///< by members alone
DecisionTable reduce_table(bool commutative);          ///< the operand
DecisionTable allreduce_table(bool commutative);       ///< the operand
DecisionTable reduce_scatter_table(bool commutative);  ///< the operand
DecisionTable reduce_scatter_block_table(bool commutative);  ///< the block of a member

}  // namespace morgana::collectives::openmpi
