#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <string>
#include <utility>

#include "experiments/laboratory.h"
#include "experiments/nccl/figure_rows.h"
#include "experiments/nccl/nccl.h"
#include "runs/collective_time.h"
#include "runs/nccl_group.h"

namespace morgana {
namespace {

constexpr const char* nodes_of_h100 = "dgx-h100";

/// busbw of long all-reduces, in GB/s. NCCL takes what algorithm it likes.
struct BusBandwidth {
  const char* id;
  std::size_t gpus;
  bool nvls;  ///< NCCL_NVLS_ENABLE
  std::int64_t bytes;
  double published;
  double share;
  bool rule_came_first;  ///< before our value was known: 32 GPUs have the one of 16
  const char* source;
};
constexpr std::int64_t gibi = 1 << 30;
/// A reader of the issues finds them under github.com/NVIDIA.
constexpr std::array<BusBandwidth, 6> long_all_reduces{
    {{"H-01", 8, false, 8 * gibi, 368.76, 0.1, false, "nccl-tests, issue 309"},
     {"H-02", 8, true, 8 * gibi, 480, 0.1, false, "nccl-tests, issue 212: about 480 at its peak, of NVIDIA"},
     {"H-03.16", 16, false, 4 * gibi, 330, 0.15, false, "nccl, issue 1221, RoCE"},
     {"H-03.16.nvls", 16, true, 4 * gibi, 430, 0.15, false, "nccl, issue 1221, RoCE"},
     {"H-03.32", 32, false, 4 * gibi, 320, 0.15, true, "nccl, issue 1221, RoCE"},
     {"H-03.32.nvls", 32, true, 4 * gibi, 320, 0.15, true, "nccl, issue 1221, RoCE: no more than without"}}};

Condition condition_of(bool nvls) {
  Condition condition{"busbw of long all-reduces", nodes_of_h100};
  if (!nvls) condition.overrides.emplace_back("nccl.nvls=no");
  return condition;
}

RunOutcome bus_bandwidths(const Platform& platform, std::uint64_t seed) {
  constexpr double giga = 1e9;
  RunOutcome outcome;
  const bool nvls = platform.nccl().nvls == nccl::Parameters::Ability::yes;
  for (const BusBandwidth& one : long_all_reduces) {
    if (one.nvls != nvls) continue;
    const CollectiveTimer timer(platform, CollectiveLibrary::nccl,
                                {MeasuredCollective::all_reduce, one.gpus, {}, seed});
    outcome.figures[one.id] = timer.time(Bytes(one.bytes), {}).bus_bandwidth / giga;
  }
  return outcome;
}

/// The smallest power of two of bytes for which NCCL's model takes NVLS on 8 GPUs, in MiB.
RunOutcome first_by_nvls(const Platform& platform, std::uint64_t seed) {
  constexpr double mebi = 1 << 20;
  RunOutcome outcome;
  const NcclGroup group(platform, 8, {}, seed);
  for (std::int64_t bytes = 8; bytes <= 16 * gibi; bytes *= 2) {
    if (group.choose(MeasuredCollective::all_reduce, bytes).algorithm != nccl::Algorithm::nvls) continue;
    outcome.figures["MiB"] = static_cast<double>(bytes) / mebi;
    break;
  }
  return outcome;
}

}  // namespace

Experiment nccl_h100() {
  Experiment experiment;
  experiment.name = "nccl-h100";
  experiment.title = "all-reduces of H100 GPUs, with switches that add up and without";
  experiment.source = "NVIDIA: nccl-tests, issues 212 and 309; nccl, issue 1221";
  experiment.runs_programs = false;
  for (const BusBandwidth& one : long_all_reduces) {
    Row row =
        row_of_figure(one.id, fmt::format("{} H100 {} NVLS: busbw", one.gpus, one.nvls ? "with" : "without"),
                      one.published, "GB/s", one.share, condition_of(one.nvls), one.id);
    row.note = one.source;
    if (!one.rule_came_first) {
      row.standing = Standing::fitted;
      row.note += "; its rule was written when our value was known";
    }
    experiment.rows.push_back(std::move(row));
  }
  const Condition choice{"NCCL's choice", nodes_of_h100};
  Row first = row_of_figure("H-04", "8 H100: size from which on NCCL takes NVLS, in powers of two", 2, "MiB",
                            0, choice, "MiB");
  first.note = "nccl-tests, issue 309: Ring LL from 8 B to 1 MiB, NVLS from 2 MiB to 16 GiB";
  experiment.rows.push_back(std::move(first));
  experiment.prepare = [choice](Laboratory& laboratory, const ExperimentOptions&,
                                const std::set<std::string>&, const auto&) {
    using Measure = RunOutcome (*)(const Platform&, std::uint64_t);
    const auto define = [&laboratory](const std::string& name, Measure measure) {
      laboratory.define(name, [measure](const Condition&, const Platform& platform, std::uint64_t seed) {
        return measure(platform, seed);
      });
    };
    define(condition_of(true).workload, bus_bandwidths);
    define(choice.workload, first_by_nvls);
  };
  return experiment;
}

}  // namespace morgana
