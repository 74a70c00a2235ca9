#include "emulator/collectives/algorithm_choice.h"

#include <fmt/format.h>

#include <array>
#include <string>
#include <vector>

#include "emulator/collectives/algorithm_table.h"
#include "emulator/collectives/openmpi/algorithms.h"
#include "emulator/collectives/openmpi/decision.h"
#include "emulator/collectives/selection.h"
#include "emulator/core/error.h"
#include "emulator/operations/collective_names.h"

namespace morgana {
namespace {

using namespace collectives;

using Row = AlgorithmRow;

const std::array mpich_rows{
    Row{{"barrier", "dissemination", "ceil(log2 n) rounds; in round k to the member 2^k places on", "always",
         "MPIR_Barrier_intra_dissemination"},
        {barrier_dissemination, always_applies}},
    Row{{"broadcast", "binomial", "the whole message down a binomial tree",
         "fewer than 8 members, or up to 12288 B", "MPIR_Bcast_intra_binomial"},
        {broadcast_binomial, always_applies}},
    Row{{"broadcast", "scatter-recursive-doubling-allgather",
         "scatters the message, then allgathers it by recursive doubling",
         "8, 16, 32, ... members and 12289 B to 524288 B",
         "MPIR_Bcast_intra_scatter_recursive_doubling_allgather"},
        {broadcast_scatter_recursive_doubling_allgather, always_applies}},
    Row{{"broadcast", "scatter-ring-allgather", "scatters the message, then allgathers it around a ring",
         "otherwise", "MPIR_Bcast_intra_scatter_ring_allgather"},
        {broadcast_scatter_ring_allgather, always_applies}},
    Row{{"gather", "binomial", "up a binomial tree, in growing messages", "always",
         "MPIR_Gather_intra_binomial"},
        {gather_binomial, always_applies}},
    Row{{"gather", "linear", "everyone sends to the root", "never", "MPIR_Gather_inter_linear"},
        {gather_linear, always_applies}},
    Row{{"gatherv", "linear", "everyone with data sends to the root", "always",
         "MPIR_Gatherv_allcomm_linear"},
        {gatherv_linear, always_applies}},
    Row{{"scatter", "binomial", "down a binomial tree, in shrinking messages", "always",
         "MPIR_Scatter_intra_binomial"},
        {scatter_binomial, always_applies}},
    Row{{"scatter", "linear", "the root sends to everyone", "never", "MPIR_Scatter_inter_linear"},
        {scatter_linear, always_applies}},
    Row{{"scatterv", "linear", "the root sends to everyone who gets data", "always",
         "MPIR_Scatterv_allcomm_linear"},
        {scatterv_linear, always_applies}},
    Row{{"allgather", "ring", "n - 1 rounds; passes on what came in the round before", "otherwise",
         "MPIR_Allgather_intra_ring"},
        {allgather_ring, always_applies}},
    Row{{"allgather", "recursive-doubling", "log2 n rounds of exchanges with growing groups",
         "2^k members and a result shorter than 524288 B", "MPIR_Allgather_intra_recursive_doubling"},
        {allgather_recursive_doubling, always_applies}},
    Row{{"allgather", "bruck", "ceil(log2 n) rounds to members 2^k places back; reorders at the end",
         "other numbers of members and a result shorter than 81920 B", "MPIR_Allgather_intra_brucks"},
        {allgather_bruck, always_applies}},
    Row{{"allgatherv", "ring", "around a ring in pieces of 32768 B or the shortest contribution", "otherwise",
         "MPIR_Allgatherv_intra_ring"},
        {allgatherv_ring, always_applies}},
    Row{{"allgatherv", "recursive-doubling", "log2 n rounds of exchanges with growing groups",
         "2^k members and a result shorter than 524288 B", "MPIR_Allgatherv_intra_recursive_doubling"},
        {allgatherv_recursive_doubling, always_applies}},
    Row{{"allgatherv", "bruck", "ceil(log2 n) rounds to members 2^k places back; reorders at the end",
         "other numbers of members and a result shorter than 81920 B", "MPIR_Allgatherv_intra_brucks"},
        {allgatherv_bruck, always_applies}},
    Row{{"alltoall", "pairwise", "n - 1 rounds with one partner each", "otherwise",
         "MPIR_Alltoall_intra_pairwise"},
        {alltoall_pairwise, applies_out_of_place}},
    Row{{"alltoall", "scattered", "all messages at once, 32 at a time", "up to 32768 B for each",
         "MPIR_Alltoall_intra_scattered"},
        {alltoall_scattered, applies_out_of_place}},
    Row{{"alltoall", "bruck", "ceil(log2 n) messages; blocks hop by the bits of their distance",
         "more than 8 members and up to 256 B (nonblocking: 2048 B) for each", "MPIR_Alltoall_intra_brucks"},
        {alltoall_bruck, applies_out_of_place}},
    Row{{"alltoall", "pairwise-replace", "pair after pair in one order; keeps no second buffer", "in place",
         "MPIR_Alltoall_intra_pairwise_sendrecv_replace"},
        {alltoall_pairwise_replace, applies_in_place}},
    Row{{"alltoallv", "pairwise", "n - 1 rounds with one partner each", "never",
         "MPIR_Alltoallv_inter_pairwise_exchange"},
        {alltoallv_pairwise, applies_out_of_place}},
    Row{{"alltoallv", "scattered", "all messages at once, 32 at a time", "not in place",
         "MPIR_Alltoallv_intra_scattered"},
        {alltoallv_scattered, applies_out_of_place}},
    Row{{"alltoallv", "pairwise-replace", "pair after pair in one order; keeps no second buffer", "in place",
         "MPIR_Alltoallv_intra_pairwise_sendrecv_replace"},
        {alltoallv_pairwise_replace, applies_in_place}},
    Row{{"alltoallw", "pairwise", "n - 1 rounds with one partner each", "never",
         "MPIR_Alltoallw_inter_pairwise_exchange"},
        {alltoallv_pairwise, applies_out_of_place}},
    Row{{"alltoallw", "scattered", "all messages at once, 32 at a time", "not in place",
         "MPIR_Alltoallw_intra_scattered"},
        {alltoallv_scattered, applies_out_of_place}},
    Row{{"alltoallw", "pairwise-replace", "pair after pair in one order; keeps no second buffer", "in place",
         "MPIR_Alltoallw_intra_pairwise_sendrecv_replace"},
        {alltoallv_pairwise_replace, applies_in_place}},
    Row{{"reduce", "binomial", "up a binomial tree, reducing on the way",
         "up to 2048 B, own operators, or fewer elements than members", "MPIR_Reduce_intra_binomial"},
        {reduce_binomial, always_applies}},
    Row{{"reduce", "reduce-scatter-gather", "Rabenseifner's: everyone reduces a part, the root gathers",
         "otherwise", "MPIR_Reduce_intra_reduce_scatter_gather"},
        {reduce_reduce_scatter_gather, applies_to_divisible_operands}},
    Row{{"allreduce", "recursive-doubling", "log2 n rounds of exchanging and reducing everything",
         "up to 8 B (nonblocking: 2048 B), own operators, or fewer elements than members",
         "MPIR_Allreduce_intra_recursive_doubling"},
        {allreduce_recursive_doubling, always_applies}},
    Row{{"allreduce", "reduce-scatter-allgather", "Rabenseifner's: everyone reduces a part, all gather",
         "otherwise", "MPIR_Allreduce_intra_reduce_scatter_allgather"},
        {allreduce_reduce_scatter_allgather, applies_to_divisible_operands}},
    Row{{"reduce_scatter", "pairwise", "n - 1 rounds; in each, everyone sends what one other needs",
         "commuting operands of 524288 B or more", "MPIR_Reduce_scatter_intra_pairwise"},
        {reduce_scatter_pairwise, applies_to_commuting_operands}},
    Row{{"reduce_scatter", "recursive-halving", "log2 n rounds of splitting what is still shared",
         "commuting operands shorter than 524288 B", "MPIR_Reduce_scatter_intra_recursive_halving"},
        {reduce_scatter_recursive_halving, applies_to_commuting_operands}},
    Row{{"reduce_scatter", "recursive-doubling", "log2 n rounds of exchanging what others still need",
         "operands that don't commute, in general", "MPIR_Reduce_scatter_intra_recursive_doubling"},
        {reduce_scatter_recursive_doubling, always_applies}},
    Row{{"reduce_scatter", "noncommutative", "Traff's: recursive halving in mirrored order",
         "operands that don't commute, equal blocks, 2^k members",
         "MPIR_Reduce_scatter_intra_noncommutative"},
        {reduce_scatter_noncommutative, applies_to_regular_power_of_two}},
    Row{{"reduce_scatter_block", "pairwise", "n - 1 rounds; in each, everyone sends what one other needs",
         "commuting operands of 524288 B or more", "MPIR_Reduce_scatter_block_intra_pairwise"},
        {reduce_scatter_pairwise, applies_to_commuting_operands}},
    Row{{"reduce_scatter_block", "recursive-halving", "log2 n rounds of splitting what is still shared",
         "commuting operands shorter than 524288 B", "MPIR_Reduce_scatter_block_intra_recursive_halving"},
        {reduce_scatter_recursive_halving, applies_to_commuting_operands}},
    Row{{"reduce_scatter_block", "recursive-doubling", "log2 n rounds of exchanging what others still need",
         "operands that don't commute, in general", "MPIR_Reduce_scatter_block_intra_recursive_doubling"},
        {reduce_scatter_recursive_doubling, always_applies}},
    Row{{"reduce_scatter_block", "noncommutative", "Traff's: recursive halving in mirrored order",
         "operands that don't commute, 2^k members", "MPIR_Reduce_scatter_block_intra_noncommutative"},
        {reduce_scatter_noncommutative, applies_to_regular_power_of_two}},
    Row{{"scan", "recursive-doubling", "log2 n rounds of exchanging partial reductions", "always",
         "MPIR_Scan_intra_recursive_doubling"},
        {scan_recursive_doubling, always_applies}},
    Row{{"exscan", "recursive-doubling", "log2 n rounds of exchanging partial reductions", "always",
         "MPIR_Exscan_intra_recursive_doubling"},
        {exscan_recursive_doubling, always_applies}},
    Row{{"neighbor_allgather", "linear", "a message along every edge, all at once", "always",
         "MPIR_Ineighbor_allgather_allcomm_sched_linear"},
        {neighbor_linear, always_applies}},
    Row{{"neighbor_allgatherv", "linear", "a message along every edge, all at once", "always",
         "MPIR_Ineighbor_allgatherv_allcomm_sched_linear"},
        {neighbor_linear, always_applies}},
    Row{{"neighbor_alltoall", "linear", "a message along every edge, all at once", "always",
         "MPIR_Ineighbor_alltoall_allcomm_sched_linear"},
        {neighbor_linear, always_applies}},
    Row{{"neighbor_alltoallv", "linear", "a message along every edge, all at once", "always",
         "MPIR_Ineighbor_alltoallv_allcomm_sched_linear"},
        {neighbor_linear, always_applies}},
    Row{{"neighbor_alltoallw", "linear", "a message along every edge, all at once", "always",
         "MPIR_Ineighbor_alltoallw_allcomm_sched_linear"},
        {neighbor_linear, always_applies}},
    Row{{"create_context", "allreduce",
         "an allreduce of 260 B and a broadcast of 4 B, by those kinds' algorithms", "always",
         "MPIR_Get_contextid_sparse_group"},
        {nullptr, always_applies}},
};

using Rows = std::span<const Row>;

/// MPICH's and Open MPI's, those of `library` first.
std::array<Rows, 2> rows_from(CollectiveLibrary library) {
  const Rows mpich(mpich_rows);
  return library == CollectiveLibrary::openmpi ? std::array<Rows, 2>{openmpi_rows(), mpich}
                                               : std::array<Rows, 2>{mpich, openmpi_rows()};
}

std::string names_for(std::string_view kind, Rows rows) {
  std::string known;
  for (const Row& row : rows)
    if (row.choice.kind == kind)
      known += fmt::format("{}\"{}\"", known.empty() ? "" : ", ", row.choice.algorithm);
  return known;
}

[[noreturn]] void throw_unknown_algorithm(std::string_view kind, std::string_view name) {
  throw Error(fmt::format("there is no algorithm \"{}\" for {} here; choose MPICH's {}, or Open MPI's {}",
                          name, kind, names_for(kind, mpich_rows), names_for(kind, openmpi_rows())));
}

}  // namespace

std::span<const AlgorithmChoice> algorithm_choices() {
  static const auto choices = [] {
    std::vector<AlgorithmChoice> all;
    for (const Rows rows : rows_from(CollectiveLibrary::mpich))
      for (const Row& row : rows) all.push_back(row.choice);
    return all;
  }();
  return choices;
}

NamedAlgorithm collectives::algorithm_named(CollectiveKind kind, std::string_view name,
                                            CollectiveLibrary library) {
  const std::string_view kind_name = name_of(kind);
  for (const Rows rows : rows_from(library))
    for (const Row& row : rows)
      if (row.choice.kind == kind_name && row.choice.algorithm == name) return row.algorithm;
  throw_unknown_algorithm(kind_name, name);
}

ChosenAlgorithm collectives::chosen_algorithm(const Member& member, const CollectiveTuning& tuning) {
  const bool is_ordinary = member.part.first_group == 0;
  if (!tuning.algorithm.empty() && is_ordinary) {
    const std::string_view kind = name_of(member.part.kind);
    for (const auto& [tuned, name] : tuning.algorithm) {
      if (tuned != kind) continue;
      const NamedAlgorithm algorithm = algorithm_named(member.part.kind, name, tuning.library);
      if (algorithm.applies(member)) return {algorithm.run, true};
    }
  }
  // Alone, Open MPI's component "self" only copies, as MPICH's algorithms do then.
  if (tuning.library == CollectiveLibrary::openmpi && is_ordinary && member.members > 1)
    return {openmpi::choice(member)};
  return {mpich_choice(member)};
}

namespace {

std::string_view name_of(Algorithm algorithm, CollectiveKind kind, CollectiveLibrary library) {
  for (const Rows rows : rows_from(library))
    for (const Row& row : rows)
      if (row.choice.kind == name_of(kind) && row.algorithm.run == algorithm) return row.choice.algorithm;
  return "";
}

}  // namespace

std::string_view algorithm_of(const CollectivePart& part, std::int32_t members,
                              const CollectiveTuning& tuning) {
  return name_of(chosen_algorithm({part, members, 0}, tuning).run, part.kind, tuning.library);
}

std::string algorithm_text(const CollectivePart& part, std::int32_t members, const CollectiveTuning& tuning) {
  Member member{part, members, 0};
  const auto [chosen, is_named] = chosen_algorithm(member, tuning);
  if (is_named) member.segment = tuning.segment;
  std::string text{name_of(chosen, part.kind, tuning.library)};
  if (part.kind != CollectiveKind::allreduce || text.empty()) return text;
  const Algorithm in_fact = openmpi::allreduce_in_fact(chosen, member);
  if (in_fact != chosen) text.append(" as ").append(name_of(in_fact, part.kind, CollectiveLibrary::openmpi));
  return text;
}

void check(const CollectiveTuning& tuning) {
  for (const auto& [kind_name, algorithm] : tuning.algorithm) {
    const auto kind = collective_named(kind_name);
    if (!kind)
      throw Error(fmt::format(
          "there is no collective \"{}\"; write \"broadcast\", \"reduce_scatter\" and so on", kind_name));
    collectives::algorithm_named(*kind, algorithm, tuning.library);
  }
}

}  // namespace morgana
