#pragma once

#include "emulator/collectives/algorithms.h"

// Open MPI 4.1's algorithms that differ from MPICH's, one function each, named kind_algorithm. Each is
// written from the comments of its function in ompi/mca/coll/base/coll_base_*.c of Open MPI 4.1.4 (blocking
// forms; what only its component "basic" has, ompi/mca/coll/basic) or of ompi/mca/coll/libnbc/nbc_i*.c
// (nonblocking forms). What they and MPICH's do alike is MPICH's function: decision.h says which. For
// algorithms.h's Member and ScheduleWriter; the communicator has at least two members.
namespace morgana::collectives::openmpi {

void barrier_linear(const Member&, ScheduleWriter&);
void barrier_double_ring(const Member&, ScheduleWriter&);
void barrier_recursive_doubling(const Member&, ScheduleWriter&);
void barrier_two_proc(const Member&, ScheduleWriter&);
void barrier_tree(const Member&, ScheduleWriter&);

void broadcast_linear(const Member&, ScheduleWriter&);
void broadcast_chain(const Member&, ScheduleWriter&);
void broadcast_pipeline(const Member&, ScheduleWriter&);
void broadcast_binary(const Member&, ScheduleWriter&);
void broadcast_binomial(const Member&, ScheduleWriter&);
void broadcast_knomial(const Member&, ScheduleWriter&);
void broadcast_split_binary(const Member&, ScheduleWriter&);
void broadcast_scatter_allgather(const Member&, ScheduleWriter&);
void broadcast_scatter_allgather_ring(const Member&, ScheduleWriter&);

void reduce_linear(const Member&, ScheduleWriter&);
void reduce_chain(const Member&, ScheduleWriter&);
void reduce_pipeline(const Member&, ScheduleWriter&);
void reduce_binary(const Member&, ScheduleWriter&);
void reduce_binomial(const Member&, ScheduleWriter&);
void reduce_in_order_binary(const Member&, ScheduleWriter&);
void reduce_rabenseifner(const Member&, ScheduleWriter&);

void allreduce_linear(const Member&, ScheduleWriter&);
void allreduce_nonoverlapping(const Member&, ScheduleWriter&);
void allreduce_recursive_doubling(const Member&, ScheduleWriter&);
void allreduce_ring(const Member&, ScheduleWriter&);
void allreduce_segmented_ring(const Member&, ScheduleWriter&);
void allreduce_rabenseifner(const Member&, ScheduleWriter&);
/// What an algorithm of an allreduce does with as little as the member has, or uncut: another one of these,
/// or itself.
using AllreduceAlgorithm = void (*)(const Member&, ScheduleWriter&);
AllreduceAlgorithm allreduce_in_fact(AllreduceAlgorithm, const Member&);

void allgather_linear(const Member&, ScheduleWriter&);
void allgather_bruck(const Member&, ScheduleWriter&);
void allgather_recursive_doubling(const Member&, ScheduleWriter&);
void allgather_neighbor_exchange(const Member&, ScheduleWriter&);
void allgather_two_proc(const Member&, ScheduleWriter&);
void allgatherv_linear(const Member&, ScheduleWriter&);
void allgatherv_bruck(const Member&, ScheduleWriter&);
void allgatherv_ring(const Member&, ScheduleWriter&);
void allgatherv_neighbor_exchange(const Member&, ScheduleWriter&);
void allgatherv_two_proc(const Member&, ScheduleWriter&);

void alltoall_linear(const Member&, ScheduleWriter&);
void alltoall_linear_sync(const Member&, ScheduleWriter&);
void alltoall_pairwise(const Member&, ScheduleWriter&);
void alltoall_bruck(const Member&, ScheduleWriter&);
void alltoall_two_proc(const Member&, ScheduleWriter&);
void alltoall_in_place(const Member&, ScheduleWriter&);
void alltoallv_linear(const Member&, ScheduleWriter&);
void alltoallv_pairwise(const Member&, ScheduleWriter&);
void alltoallv_in_place(const Member&, ScheduleWriter&);  ///< also alltoallw
void alltoallw_linear(const Member&, ScheduleWriter&);

void gather_linear(const Member&, ScheduleWriter&);
void gather_binomial(const Member&, ScheduleWriter&);
void gather_linear_sync(const Member&, ScheduleWriter&);
void gatherv_linear(const Member&, ScheduleWriter&);
void scatter_linear(const Member&, ScheduleWriter&);
void scatter_binomial(const Member&, ScheduleWriter&);
void scatter_linear_nonblocking(const Member&, ScheduleWriter&);
void scatterv_linear(const Member&, ScheduleWriter&);

// Also reduce_scatter_block.
void reduce_scatter_nonoverlapping(const Member&, ScheduleWriter&);
void reduce_scatter_ring(const Member&, ScheduleWriter&);
void reduce_scatter_butterfly(const Member&, ScheduleWriter&);

void scan_linear(const Member&, ScheduleWriter&);
void exscan_linear(const Member&, ScheduleWriter&);

// The nonblocking forms' (libnbc), where they differ from the above.
void ibcast_binomial(const Member&, ScheduleWriter&);
void iallgather_linear(const Member&, ScheduleWriter&);
void iallgatherv_linear(const Member&, ScheduleWriter&);
void ialltoall_linear(const Member&, ScheduleWriter&);
void ialltoallv_linear(const Member&, ScheduleWriter&);    ///< also alltoallw
void ialltoallv_in_place(const Member&, ScheduleWriter&);  ///< also alltoall and alltoallw
void ireduce_binomial(const Member&, ScheduleWriter&);
void ireduce_chain(const Member&, ScheduleWriter&);
void iallreduce_binomial(const Member&, ScheduleWriter&);
void iallreduce_ring(const Member&, ScheduleWriter&);
void ireduce_scatter_binomial(const Member&, ScheduleWriter&);  ///< also reduce_scatter_block
void igatherv_linear(const Member&, ScheduleWriter&);
void iscatterv_linear(const Member&, ScheduleWriter&);

/// A communicator's number is agreed on by three nonblocking allreduces of an integer (ompi_comm_nextcid,
/// ompi_comm_activate): the largest of the lowest free numbers, whether it is free with all, and a barrier.
void create_context(const Member&, ScheduleWriter&);

}  // namespace morgana::collectives::openmpi
