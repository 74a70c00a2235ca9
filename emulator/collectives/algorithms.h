#pragma once

#include "emulator/collectives/member.h"
#include "emulator/collectives/schedule_writer.h"

// The algorithms, one function each, named kind_algorithm; which of them applies is selection.h's business.
// They take it for granted that the part is well formed. Where every member knows from its own part that no
// byte moves at all, those of ordinary communicators are not called.
namespace morgana::collectives {

using Algorithm = void (*)(const Member&, ScheduleWriter&);

void barrier_dissemination(const Member&, ScheduleWriter&);

void broadcast_binomial(const Member&, ScheduleWriter&);
void broadcast_scatter_recursive_doubling_allgather(const Member&, ScheduleWriter&);
void broadcast_scatter_ring_allgather(const Member&, ScheduleWriter&);
// The same two, in blocks of whole elements of that size (MPICH's are of single bytes).
void scatter_and_recursive_doubling_allgather(const Member&, Bytes element, ScheduleWriter&);
void scatter_and_ring_allgather(const Member&, Bytes element, ScheduleWriter&);

void gather_binomial(const Member&, ScheduleWriter&);
void gather_linear(const Member&, ScheduleWriter&);
void gatherv_linear(const Member&, ScheduleWriter&);

void scatter_binomial(const Member&, ScheduleWriter&);
void scatter_linear(const Member&, ScheduleWriter&);
void scatterv_linear(const Member&, ScheduleWriter&);

void allgather_recursive_doubling(const Member&, ScheduleWriter&);
void allgather_bruck(const Member&, ScheduleWriter&);
void allgather_ring(const Member&, ScheduleWriter&);
void allgatherv_recursive_doubling(const Member&, ScheduleWriter&);
void allgatherv_bruck(const Member&, ScheduleWriter&);
void allgatherv_ring(const Member&, ScheduleWriter&);

void alltoall_bruck(const Member&, ScheduleWriter&);
void alltoall_scattered(const Member&, ScheduleWriter&);
void alltoall_pairwise(const Member&, ScheduleWriter&);
void alltoall_pairwise_replace(const Member&, ScheduleWriter&);
// Also alltoallw.
void alltoallv_scattered(const Member&, ScheduleWriter&);
void alltoallv_pairwise(const Member&, ScheduleWriter&);
void alltoallv_pairwise_replace(const Member&, ScheduleWriter&);

void reduce_binomial(const Member&, ScheduleWriter&);
void reduce_reduce_scatter_gather(const Member&, ScheduleWriter&);

void allreduce_recursive_doubling(const Member&, ScheduleWriter&);
void allreduce_reduce_scatter_allgather(const Member&, ScheduleWriter&);

// Also reduce_scatter_block.
void reduce_scatter_recursive_halving(const Member&, ScheduleWriter&);
void reduce_scatter_pairwise(const Member&, ScheduleWriter&);
void reduce_scatter_recursive_doubling(const Member&, ScheduleWriter&);
void reduce_scatter_noncommutative(const Member&, ScheduleWriter&);

void scan_recursive_doubling(const Member&, ScheduleWriter&);
void exscan_recursive_doubling(const Member&, ScheduleWriter&);

// Of all the neighbourhood collectives.
void neighbor_linear(const Member&, ScheduleWriter&);

// Between the two groups of an intercommunicator.
void barrier_between_groups(const Member&, ScheduleWriter&);
void broadcast_between_groups(const Member&, ScheduleWriter&);
void gather_between_groups_by_leader(const Member&, ScheduleWriter&);
void gather_between_groups_linear(const Member&, ScheduleWriter&);
void gatherv_between_groups(const Member&, ScheduleWriter&);
void scatter_between_groups_by_leader(const Member&, ScheduleWriter&);
void scatter_between_groups_linear(const Member&, ScheduleWriter&);
void scatterv_between_groups(const Member&, ScheduleWriter&);
void allgather_between_groups(const Member&, ScheduleWriter&);
void allgatherv_between_groups(const Member&, ScheduleWriter&);
void alltoall_between_groups(const Member&, ScheduleWriter&);
void alltoallv_between_groups(const Member&, ScheduleWriter&);
void alltoallw_between_groups(const Member&, ScheduleWriter&);
void reduce_between_groups(const Member&, ScheduleWriter&);
void allreduce_between_groups(const Member&, ScheduleWriter&);
void reduce_scatter_between_groups(const Member&, ScheduleWriter&);
void reduce_scatter_block_between_groups(const Member&, ScheduleWriter&);
void create_context_between_groups(const Member&, ScheduleWriter&);

// What MPICH does when a context is created: an allreduce of a mask of the identifiers that every member has
// free, then a broadcast of a number.
const CollectivePart& context_mask_reduction(bool blocking);
const CollectivePart& context_number_broadcast(bool blocking);

}  // namespace morgana::collectives
