#include "cli/common/collective_hint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "emulator/collectives/algorithm_choice.h"
#include "emulator/report/readable.h"

namespace morgana::cli {
namespace {

/// A call, its key in [collectives], and how `morgana collective` counts its bytes.
struct HintedCollective {
  Call call;
  const char* key;
  const char* name;
  bool all_blocks;  ///< of all ranks, of which a rank gives one
};

constexpr std::array<HintedCollective, 5> hinted_collectives{
    {{Call::MPI_Allreduce, "allreduce", "all-reduce", false},
     {Call::MPI_Allgather, "allgather", "all-gather", true},
     {Call::MPI_Alltoall, "alltoall", "all-to-all", false},
     {Call::MPI_Bcast, "broadcast", "broadcast", false},
     {Call::MPI_Reduce, "reduce", "reduce", false}}};

/// "auto,pairwise,bruck": all that the library has for this one.
std::string algorithms_for(const char* key, CollectiveLibrary library) {
  std::string names = "auto";
  for (const AlgorithmChoice& one : algorithm_choices())
    if (one.kind == key && one.library == library) names += fmt::format(",{}", one.algorithm);
  return names;
}

/// " --set KEY=VALUE ..." as a shell takes it.
std::string settings_text(std::span<const std::string> overrides) {
  std::string text;
  for (const std::string& one : overrides) {
    const bool plain = one.find_first_of(" '\"()*?;&|<>$`") == std::string::npos;
    text += plain ? fmt::format(" --set {}", one) : fmt::format(" --set \"{}\"", one);
  }
  return text;
}

bool is_chosen(std::span<const std::string> overrides, const char* key) {
  return std::ranges::any_of(
      overrides, [wanted = fmt::format("collectives.{}", key)](const std::string& one) {
        return one.starts_with(wanted) && one.find_first_not_of(' ', wanted.size()) == one.find('=');
      });
}

}  // namespace

void CollectiveGroups::operation_ended(Rank rank, const Operation& operation, SimTime, SimTime,
                                       std::span<const Completed>) {
  if (operation.kind == OperationKind::context_created)
    places_.announce(rank, operation.context, operation.members);
  if (operation.kind != OperationKind::collective) return;
  const std::uint32_t members = places_.find(rank, operation.context, all).members;
  std::uint32_t& smallest = smallest_[static_cast<std::size_t>(operation.call)];
  if (members != all && (smallest == all || members < smallest)) smallest = members;
}

bool CollectiveGroups::are_of_all(Call call, std::size_t ranks) const {
  const std::uint32_t smallest = smallest_[static_cast<std::size_t>(call)];
  return smallest == all || smallest >= ranks;
}

std::string collective_hint(const RunStatistics& statistics, const CollectiveGroups& groups,
                            const HintedRun& run) {
  constexpr double large_share = 0.5;
  constexpr std::uint64_t few = 10;  // of each rank
  constexpr SimTime least = SimTime::from_ps(1'000'000'000);
  const double all = statistics.total().time().seconds();
  const std::size_t ranks = statistics.ranks().size();
  const CollectiveLibrary library =
      run.openmpi_collectives ? CollectiveLibrary::openmpi : CollectiveLibrary::mpich;
  const CollectiveLibrary usual = run.platform.collective_library();
  const bool names_library = library == CollectiveLibrary::openmpi
                                 ? usual != CollectiveLibrary::openmpi
                                 : usual == CollectiveLibrary::openmpi || usual == CollectiveLibrary::nccl;
  for (const CallUse& use : statistics.calls()) {
    const double share = all > 0 ? (use.time - use.waiting()).seconds() / all : 0;
    if (share < large_share || use.count < few * ranks || statistics.simulated_time() < least) continue;
    for (const HintedCollective& one : hinted_collectives) {
      if (one.call != use.call) continue;
      const std::int64_t bytes = use.bytes.count() / static_cast<std::int64_t>(use.count) *
                                 (one.all_blocks ? static_cast<std::int64_t>(ranks) : 1);
      if (bytes < 1 || is_chosen(run.overrides, one.key) || !groups.are_of_all(use.call, ranks)) return "";
      std::string text = fmt::format(
          "{} takes {} of the ranks' time. To compare algorithms for its mean size: "
          "`morgana collective {} -n {} --map {} -p {}",
          name_of(one.call), readable_share(share), one.name, ranks, run.map, run.platform_name);
      text += settings_text(run.overrides);
      if (names_library)
        text += library == CollectiveLibrary::openmpi ? " --library openmpi" : " --library mpich";
      text += fmt::format(" --bytes {}B --algorithm {}`; --set collectives.{}=NAME takes one", bytes,
                          algorithms_for(one.key, library), one.key);
      return text;
    }
  }
  return "";
}

}  // namespace morgana::cli
