#include <array>

#include "emulator/collectives/algorithm_table.h"
#include "emulator/collectives/openmpi/algorithms.h"

namespace morgana::collectives {
namespace {

bool is_shared(const Member& member) {
  return member.members > 1;
}
bool is_shared_and_commutes(const Member& member) {
  return is_shared(member) && member.part.commutative;
}
bool is_shared_out_of_place(const Member& member) {
  return is_shared(member) && !member.part.in_place;
}
bool is_shared_in_place(const Member& member) {
  return is_shared(member) && member.part.in_place;
}
bool is_of_two(const Member& member) {
  return member.members == 2;
}
bool is_of_two_out_of_place(const Member& member) {
  return is_of_two(member) && !member.part.in_place;
}

constexpr CollectiveLibrary library = CollectiveLibrary::openmpi;
constexpr auto by_table = "by its table of numbers of members and sizes";
constexpr auto never = "never";
constexpr auto in_place = "in place";

const std::array choices{
    AlgorithmRow{{"barrier", "linear", "member 0 hears of everyone, then lets one after the other go",
                  "4 to 7 members", "barrier_intra_basic_linear", library},
                 {openmpi::barrier_linear, is_shared}},
    AlgorithmRow{{"barrier", "double-ring", "a message goes twice around the ring", never,
                  "barrier_intra_doublering", library},
                 {openmpi::barrier_double_ring, is_shared}},
    AlgorithmRow{{"barrier", "recursive-doubling", "exchanges at distances 1, 2, 4, ... in a power of two",
                  "2, 3 and 8 to 63 members", "barrier_intra_recursivedoubling", library},
                 {openmpi::barrier_recursive_doubling, is_shared}},
    AlgorithmRow{
        {"barrier", "bruck", "MPICH's dissemination",
         "64 to 255, 512 to 1023 and 4096 or more members; nonblocking", "barrier_intra_bruck", library},
        {barrier_dissemination, is_shared}},
    AlgorithmRow{
        {"barrier", "two-proc", "one exchange, of 2 members", never, "barrier_intra_two_procs", library},
        {openmpi::barrier_two_proc, is_of_two}},
    AlgorithmRow{{"barrier", "tree", "up a binomial tree and down again",
                  "256 to 511 and 1024 to 4095 members", "barrier_intra_tree", library},
                 {openmpi::barrier_tree, is_shared}},

    AlgorithmRow{{"broadcast", "linear", "the root sends to everyone at once", by_table,
                  "bcast_intra_basic_linear", library},
                 {openmpi::broadcast_linear, is_shared}},
    AlgorithmRow{
        {"broadcast", "chain", "down collectives.chains chains", by_table, "bcast_intra_chain", library},
        {openmpi::broadcast_chain, is_shared}},
    AlgorithmRow{{"broadcast", "pipeline", "down one chain", by_table, "bcast_intra_pipeline", library},
                 {openmpi::broadcast_pipeline, is_shared}},
    AlgorithmRow{{"broadcast", "split-binary",
                  "halves of the message down the two subtrees of a binary tree, then exchanges in pairs",
                  by_table, "bcast_intra_split_bintree", library},
                 {openmpi::broadcast_split_binary, is_shared}},
    AlgorithmRow{{"broadcast", "binary", "down a binary tree", by_table, "bcast_intra_bintree", library},
                 {openmpi::broadcast_binary, is_shared}},
    AlgorithmRow{{"broadcast", "binomial", "down a binomial tree, to all children at once", by_table,
                  "bcast_intra_binomial", library},
                 {openmpi::broadcast_binomial, is_shared}},
    AlgorithmRow{{"broadcast", "knomial", "down a tree in base 4", by_table, "bcast_intra_knomial", library},
                 {openmpi::broadcast_knomial, is_shared}},
    AlgorithmRow{{"broadcast", "scatter-allgather", "MPICH's scatter-recursive-doubling-allgather", by_table,
                  "bcast_intra_scatter_allgather", library},
                 {openmpi::broadcast_scatter_allgather, is_shared}},
    AlgorithmRow{{"broadcast", "scatter-allgather-ring", "MPICH's scatter-ring-allgather", never,
                  "bcast_intra_scatter_allgather_ring", library},
                 {openmpi::broadcast_scatter_allgather_ring, is_shared}},

    AlgorithmRow{{"gather", "linear", "the root receives from one member after the other", by_table,
                  "gather_intra_basic_linear", library},
                 {openmpi::gather_linear, is_shared}},
    AlgorithmRow{{"gather", "binomial", "up a binomial tree, in growing messages", by_table,
                  "gather_intra_binomial", library},
                 {openmpi::gather_binomial, is_shared}},
    AlgorithmRow{{"gather", "linear-sync", "the root asks one member after the other for its first segment",
                  by_table, "gather_intra_linear_sync", library},
                 {openmpi::gather_linear_sync, is_shared}},
    AlgorithmRow{{"gatherv", "linear", "the root receives from one member after the other", "always",
                  "basic_gatherv_intra", library},
                 {openmpi::gatherv_linear, is_shared}},
    AlgorithmRow{{"scatter", "linear", "the root sends to one member after the other", by_table,
                  "scatter_intra_basic_linear", library},
                 {openmpi::scatter_linear, is_shared}},
    AlgorithmRow{{"scatter", "binomial", "down a binomial tree, in shrinking messages", by_table,
                  "scatter_intra_binomial", library},
                 {openmpi::scatter_binomial, is_shared}},
    AlgorithmRow{{"scatter", "linear-nonblocking", "the root sends to everyone at once", by_table,
                  "scatter_intra_linear_nb", library},
                 {openmpi::scatter_linear_nonblocking, is_shared}},
    AlgorithmRow{{"scatterv", "linear", "the root sends to one member after the other", "always",
                  "basic_scatterv_intra", library},
                 {openmpi::scatterv_linear, is_shared}},

    AlgorithmRow{
        {"allgather", "linear", "a gather and a broadcast", never, "allgather_intra_basic_linear", library},
        {openmpi::allgather_linear, is_shared}},
    AlgorithmRow{{"allgather", "bruck", "ceil(log2 n) rounds to members 2^k places back; reorders at the end",
                  by_table, "allgather_intra_bruck", library},
                 {openmpi::allgather_bruck, is_shared}},
    AlgorithmRow{{"allgather", "recursive-doubling",
                  "exchanges with growing groups; Bruck's unless there are 2^k members", by_table,
                  "allgather_intra_recursivedoubling", library},
                 {openmpi::allgather_recursive_doubling, is_shared}},
    AlgorithmRow{{"allgather", "ring", "n - 1 rounds; passes on what came in the round before", by_table,
                  "allgather_intra_ring", library},
                 {allgather_ring, is_shared}},
    AlgorithmRow{{"allgather", "neighbor-exchange", "n / 2 rounds of two blocks with alternate neighbours",
                  by_table, "allgather_intra_neighborexchange", library},
                 {openmpi::allgather_neighbor_exchange, is_shared}},
    AlgorithmRow{{"allgather", "two-proc", "one exchange, of 2 members", "2 members",
                  "allgather_intra_two_procs", library},
                 {openmpi::allgather_two_proc, is_of_two}},
    AlgorithmRow{{"allgatherv", "linear", "a gatherv and a broadcast", by_table,
                  "allgatherv_intra_basic_default", library},
                 {openmpi::allgatherv_linear, is_shared}},
    AlgorithmRow{{"allgatherv", "bruck", "ceil(log2 n) rounds to members 2^k places back", by_table,
                  "allgatherv_intra_bruck", library},
                 {openmpi::allgatherv_bruck, is_shared}},
    AlgorithmRow{
        {"allgatherv", "ring", "n - 1 rounds of whole blocks", by_table, "allgatherv_intra_ring", library},
        {openmpi::allgatherv_ring, is_shared}},
    AlgorithmRow{{"allgatherv", "neighbor-exchange", "n / 2 rounds of two blocks with alternate neighbours",
                  by_table, "allgatherv_intra_neighborexchange", library},
                 {openmpi::allgatherv_neighbor_exchange, is_shared}},
    AlgorithmRow{{"allgatherv", "two-proc", "one exchange, of 2 members", by_table,
                  "allgatherv_intra_two_procs", library},
                 {openmpi::allgatherv_two_proc, is_of_two}},

    AlgorithmRow{
        {"alltoall", "linear", "all messages at once", by_table, "alltoall_intra_basic_linear", library},
        {openmpi::alltoall_linear, is_shared_out_of_place}},
    AlgorithmRow{{"alltoall", "pairwise", "n - 1 rounds around the ring", by_table, "alltoall_intra_pairwise",
                  library},
                 {openmpi::alltoall_pairwise, is_shared_out_of_place}},
    AlgorithmRow{{"alltoall", "bruck", "ceil(log2 n) messages; blocks hop by the bits of their distance",
                  by_table, "alltoall_intra_bruck", library},
                 {openmpi::alltoall_bruck, is_shared_out_of_place}},
    AlgorithmRow{
        {"alltoall", "linear-sync", "all messages at once: Open MPI's default limits their number by none",
         by_table, "alltoall_intra_linear_sync", library},
        {openmpi::alltoall_linear_sync, is_shared_out_of_place}},
    AlgorithmRow{
        {"alltoall", "two-proc", "one exchange, of 2 members", by_table, "alltoall_intra_two_procs", library},
        {openmpi::alltoall_two_proc, is_of_two_out_of_place}},
    AlgorithmRow{{"alltoall", "in-place", "exchanges at growing distances; keeps one block", in_place,
                  "alltoall_intra_basic_inplace", library},
                 {openmpi::alltoall_in_place, is_shared_in_place}},
    AlgorithmRow{
        {"alltoallv", "linear", "all messages at once", by_table, "alltoallv_intra_basic_linear", library},
        {openmpi::alltoallv_linear, is_shared_out_of_place}},
    AlgorithmRow{{"alltoallv", "pairwise", "n - 1 rounds around the ring", by_table,
                  "alltoallv_intra_pairwise", library},
                 {openmpi::alltoallv_pairwise, is_shared_out_of_place}},
    AlgorithmRow{{"alltoallv", "in-place", "exchanges at growing distances; keeps one block", in_place,
                  "alltoallv_intra_basic_inplace", library},
                 {openmpi::alltoallv_in_place, is_shared_in_place}},
    AlgorithmRow{
        {"alltoallw", "linear", "all messages at once", "not in place", "basic_alltoallw_intra", library},
        {openmpi::alltoallw_linear, is_shared_out_of_place}},
    AlgorithmRow{{"alltoallw", "in-place", "exchanges at growing distances; keeps one block", in_place,
                  "basic_alltoallw_intra_inplace", library},
                 {openmpi::alltoallv_in_place, is_shared_in_place}},

    AlgorithmRow{{"reduce", "linear", "the root receives from one member after the other and reduces",
                  by_table, "reduce_intra_basic_linear", library},
                 {openmpi::reduce_linear, is_shared}},
    AlgorithmRow{{"reduce", "chain", "up collectives.chains chains", by_table, "reduce_intra_chain", library},
                 {openmpi::reduce_chain, is_shared_and_commutes}},
    AlgorithmRow{{"reduce", "pipeline", "up one chain", by_table, "reduce_intra_pipeline", library},
                 {openmpi::reduce_pipeline, is_shared_and_commutes}},
    AlgorithmRow{{"reduce", "binary", "up a binary tree", by_table, "reduce_intra_binary", library},
                 {openmpi::reduce_binary, is_shared_and_commutes}},
    AlgorithmRow{{"reduce", "binomial", "up a binomial tree", by_table, "reduce_intra_binomial", library},
                 {openmpi::reduce_binomial, is_shared_and_commutes}},
    AlgorithmRow{{"reduce", "in-order-binary", "up a binary tree in the order of members, to the last one",
                  by_table, "reduce_intra_in_order_binary", library},
                 {openmpi::reduce_in_order_binary, is_shared}},
    AlgorithmRow{{"reduce", "rabenseifner", "everyone reduces a part, the root gathers", by_table,
                  "reduce_intra_redscat_gather", library},
                 {openmpi::reduce_rabenseifner, is_shared}},
    AlgorithmRow{{"allreduce", "linear", "a linear reduce and a linear broadcast", by_table,
                  "allreduce_intra_basic_linear", library},
                 {openmpi::allreduce_linear, is_shared}},
    AlgorithmRow{{"allreduce", "nonoverlapping", "a reduce and a broadcast by their tables", by_table,
                  "allreduce_intra_nonoverlapping", library},
                 {openmpi::allreduce_nonoverlapping, is_shared}},
    AlgorithmRow{{"allreduce", "recursive-doubling", "log2 n rounds of exchanging and reducing everything",
                  by_table, "allreduce_intra_recursivedoubling", library},
                 {openmpi::allreduce_recursive_doubling, is_shared}},
    AlgorithmRow{
        {"allreduce", "ring", "reduces and gathers around a ring", by_table, "allreduce_intra_ring", library},
        {openmpi::allreduce_ring, is_shared_and_commutes}},
    AlgorithmRow{
        {"allreduce", "segmented-ring", "as ring, reducing in phases of collectives.segment for a member",
         by_table, "allreduce_intra_ring_segmented", library},
        {openmpi::allreduce_segmented_ring, is_shared_and_commutes}},
    AlgorithmRow{{"allreduce", "rabenseifner", "everyone reduces a part, all gather", by_table,
                  "allreduce_intra_redscat_allgather", library},
                 {openmpi::allreduce_rabenseifner, is_shared}},
    AlgorithmRow{{"reduce_scatter", "nonoverlapping", "a reduce and a scatterv", by_table,
                  "reduce_scatter_intra_nonoverlapping", library},
                 {openmpi::reduce_scatter_nonoverlapping, is_shared}},
    AlgorithmRow{{"reduce_scatter", "recursive-halving", "log2 n rounds of splitting what is still shared",
                  by_table, "reduce_scatter_intra_basic_recursivehalving", library},
                 {reduce_scatter_recursive_halving, is_shared_and_commutes}},
    AlgorithmRow{{"reduce_scatter", "ring", "n - 1 rounds; blocks are reduced on their way to their members",
                  by_table, "reduce_scatter_intra_ring", library},
                 {openmpi::reduce_scatter_ring, is_shared_and_commutes}},
    AlgorithmRow{{"reduce_scatter", "butterfly", "Traff's: halves in mirrored order, then an exchange",
                  by_table, "reduce_scatter_intra_butterfly", library},
                 {openmpi::reduce_scatter_butterfly, is_shared}},
    AlgorithmRow{{"reduce_scatter_block", "nonoverlapping", "a reduce and a scatter", by_table,
                  "reduce_scatter_block_basic_linear", library},
                 {openmpi::reduce_scatter_nonoverlapping, is_shared}},
    AlgorithmRow{
        {"reduce_scatter_block", "recursive-doubling", "log2 n rounds of exchanging what others still need",
         by_table, "reduce_scatter_block_intra_recursivedoubling", library},
        {reduce_scatter_recursive_doubling, is_shared}},
    AlgorithmRow{
        {"reduce_scatter_block", "recursive-halving", "log2 n rounds of splitting what is still shared",
         by_table, "reduce_scatter_block_intra_recursivehalving", library},
        {reduce_scatter_recursive_halving, is_shared_and_commutes}},
    AlgorithmRow{{"reduce_scatter_block", "butterfly", "Traff's: halves in mirrored order", by_table,
                  "reduce_scatter_block_intra_butterfly", library},
                 {openmpi::reduce_scatter_butterfly, is_shared}},
    AlgorithmRow{{"scan", "linear", "from each member to the next", "always", "scan_intra_linear", library},
                 {openmpi::scan_linear, is_shared}},
    AlgorithmRow{{"scan", "recursive-doubling", "log2 n rounds of exchanging partial reductions", never,
                  "scan_intra_recursivedoubling", library},
                 {scan_recursive_doubling, is_shared}},
    AlgorithmRow{
        {"exscan", "linear", "from each member to the next", "always", "exscan_intra_linear", library},
        {openmpi::exscan_linear, is_shared}},
    AlgorithmRow{{"exscan", "recursive-doubling", "log2 n rounds of exchanging partial reductions", never,
                  "exscan_intra_recursivedoubling", library},
                 {exscan_recursive_doubling, is_shared}},
    AlgorithmRow{{"create_context", "next-number", "three allreduces of 4 B in their nonblocking form",
                  "always", "ompi_comm_nextcid", library},
                 {openmpi::create_context, is_shared}},
};

}  // namespace

std::span<const AlgorithmRow> openmpi_rows() {
  return choices;
}

}  // namespace morgana::collectives
