#pragma once

#include <cstdint>
#include <functional>

#include "emulator/collectives/nccl/nccl_schedule.h"

namespace morgana::nccl {

/// Parts of for_each_primitive(), lanes_of(), workers_of() and streams_of() for algorithms in which switches
/// add up.
///
/// NVLS: each GPU of a node is the head of a part of each lane's data. For each of its chunks a head asks the
/// node's unit, which asks every GPU of the node for what it has, adds that up and sends the sum to the head
/// (multimem.ld_reduce). The head sends the result to the unit, which multicasts it to all (multimem.st). So
/// with n GPUs a link carries 1 + 1 / n of the data in each direction. A head asks for no more than two
/// chunks at a time: it loads the next one while the last one's stores are on their way. Between the two a
/// head of several nodes exchanges its sum with the heads of the other nodes: by the network's units (nvls),
/// or along NCCL's double binary tree of nodes (nvls_tree). collnet_chain: the chain of a tree in each node,
/// and its head sends to the network's units. collnet_direct: each GPU sends a head its part as the head has
/// space, two chunks, and gets the result from it; heads send to the network's units. Sources: Klenk et al.,
/// "An In-Network Architecture for Accelerating Shared-Memory Multiprocessor Collectives", ISCA 2020;
/// NCCL 2.30.7, src/device/all_reduce.h, all_gather.h, reduce_scatter.h.
void write_in_network(const Plan& plan, int rank, const std::function<void(const Primitive&)>& visit);
int lanes_in_network(const Plan& plan);
std::uint32_t workers_in_network(const Plan& plan);
std::uint32_t streams_in_network(const Plan& plan);

}  // namespace morgana::nccl
