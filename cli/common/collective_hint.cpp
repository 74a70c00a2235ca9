#include "cli/common/collective_hint.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>

#include "emulator/core/quantity.h"
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

}  // namespace

std::string collective_hint(const RunStatistics& statistics, const std::string& platform,
                            const std::string& map) {
  constexpr double large_share = 0.3;
  const double all = statistics.total().time().seconds();
  const auto ranks = static_cast<std::int64_t>(statistics.ranks().size());
  for (const CallUse& use : statistics.calls()) {
    const double share = all > 0 ? (use.time - use.waiting()).seconds() / all : 0;
    if (share < large_share || use.count == 0) continue;
    for (const HintedCollective& one : hinted_collectives) {
      if (one.call != use.call) continue;
      const std::int64_t bytes =
          use.bytes.count() / static_cast<std::int64_t>(use.count) * (one.all_blocks ? ranks : 1);
      if (bytes < 1) return "";
      return fmt::format(
          "{} takes {} of the ranks' time: `morgana collective {} -n {} --map {} -p {} --bytes {} "
          "--algorithm "
          "auto,NAME` compares algorithms for it (docs/platforms.md, [collectives], names them), and --set "
          "collectives.{}=NAME takes one",
          name_of(one.call), readable_share(share), one.name, ranks, map, platform, to_text(Bytes(bytes)),
          one.key);
    }
  }
  return "";
}

}  // namespace morgana::cli
