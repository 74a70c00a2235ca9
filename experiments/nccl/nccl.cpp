#include "experiments/nccl/nccl.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "experiments/nccl/figure_rows.h"
#include "runs/collective_time.h"
#include "runs/nccl_group.h"

namespace morgana {
namespace {

constexpr const char* node_of_a100 = "dgx-a100";
constexpr const char* pod_of_h100 = "dgx-h100-pod";
constexpr double micro = 1e6, giga = 1e9;

struct MeasuredPoint {
  std::int64_t bytes;
  double microseconds;
};

/// nccl-tests' all_reduce_perf on 8 A100-SXM4-40GB, out of place (microsoft/superbenchmark 700d6501,
/// tests/data/nccl_allreduce.log).
constexpr std::array<MeasuredPoint, 29> all_reduce_log{
    {{32, 35.60},          {64, 34.83},         {128, 34.53},        {256, 34.56},        {512, 34.94},
     {1024, 36.07},        {2048, 35.42},       {4096, 35.92},       {8192, 35.91},       {16384, 36.18},
     {32768, 36.65},       {65536, 37.82},      {131072, 41.19},     {262144, 47.53},     {524288, 60.32},
     {1048576, 74.78},     {2097152, 93.48},    {4194304, 112.0},    {8388608, 162.0},    {16777216, 226.0},
     {33554432, 374.3},    {67108864, 584.5},   {134217728, 1162.2}, {268435456, 2112.2}, {536870912, 4200.3},
     {1073741824, 8159.5}, {2147483648, 16215}, {4294967296, 32070}, {8589934592, 63896}}};

/// One channel of a ring of 2, 3, ... GPUs of a DGX A100, the smallest message (NVIDIA/nccl-tests, issue
/// 123).
constexpr std::array<double, 7> one_channel{10, 13.76, 16.88, 20.8, 25.2, 29.5, 33.7};

struct OtherCollective {
  MeasuredCollective collective;
  double bus_bandwidth;  ///< GB/s at 8 GiB
};
/// nccl-tests on 8 A100-SXM4-40GB, 8 GiB (microsoft/superbenchmark, tests/data/nccl_*.log); all-gather:
/// between 223 and 230.
constexpr std::array<OtherCollective, 5> others{{{MeasuredCollective::all_gather, 226.5},
                                                 {MeasuredCollective::reduce_scatter, 231.5},
                                                 {MeasuredCollective::broadcast, 232.8},
                                                 {MeasuredCollective::reduce, 228.4},
                                                 {MeasuredCollective::all_to_all, 224.3}}};

std::string figure_of_size(std::int64_t bytes) {
  return fmt::format("{} B", bytes);
}

RunOutcome all_reduces(const Platform& platform, std::uint64_t seed) {
  RunOutcome outcome;
  const CollectiveTimer timer(platform, CollectiveLibrary::nccl,
                              {MeasuredCollective::all_reduce, 8, {}, seed});
  for (const MeasuredPoint& point : all_reduce_log)
    outcome.figures[figure_of_size(point.bytes)] = timer.time(Bytes(point.bytes), {}).time.seconds() * micro;
  return outcome;
}

RunOutcome one_channel_rings(const Platform& platform, std::uint64_t seed) {
  RunOutcome outcome;
  for (std::size_t i = 0; i < one_channel.size(); ++i) {
    const std::size_t gpus = i + 2;
    const CollectiveTimer timer(platform, CollectiveLibrary::nccl,
                                {MeasuredCollective::all_reduce, gpus, {}, seed});
    outcome.figures[figure_of_size(static_cast<std::int64_t>(gpus))] =
        timer.time(Bytes(32), {"ring", "ll"}).time.seconds() * micro;
  }
  return outcome;
}

RunOutcome other_collectives(const Platform& platform, std::uint64_t seed) {
  RunOutcome outcome;
  for (const OtherCollective& other : others) {
    const CollectiveTimer timer(platform, CollectiveLibrary::nccl, {other.collective, 8, {}, seed});
    outcome.figures[std::string(name_of(other.collective))] =
        timer.time(Bytes(std::int64_t{8} << 30), {}).bus_bandwidth / giga;
  }
  return outcome;
}

/// The smallest power of two of bytes from which on the best ring is faster than the best tree; 0: it is not
/// at the largest of all.
template <class TimeOf>
double crossover(const NcclGroup& group, TimeOf time_of) {
  std::int64_t from = 0;
  for (std::int64_t bytes = std::int64_t{1} << 31; bytes >= 1 << 12; bytes /= 2) {
    const auto time_by = [&](nccl::Algorithm algorithm) {
      return time_of(bytes, group.choose(MeasuredCollective::all_reduce, bytes, algorithm));
    };
    if (time_by(nccl::Algorithm::ring) >= time_by(nccl::Algorithm::tree)) break;
    from = bytes;
  }
  return static_cast<double>(from);
}

RunOutcome crossovers(const Platform& platform, std::uint64_t seed) {
  RunOutcome outcome;
  const NcclGroup group(platform, 64, {}, seed);
  outcome.figures["emulated"] = crossover(group, [&](std::int64_t bytes, const nccl::Choice& choice) {
    return group.time_of(group.plan(MeasuredCollective::all_reduce, bytes, choice)).seconds();
  });
  outcome.figures["estimated"] = crossover(group, [&](std::int64_t bytes, const nccl::Choice& choice) {
    return group.estimate(MeasuredCollective::all_reduce, bytes, choice);
  });
  return outcome;
}

Row crossover_row() {
  const Condition condition{"ring and tree", pod_of_h100};
  Row row{"N-04",
          "8 x 8 GPUs: size from which on the ring is faster than the tree",
          "as NCCL's model",
          "MiB",
          RowKind::shape,
          as_worded("within a factor of 2 of NCCL's model")};
  row.needs = {condition};
  row.measure = [condition](const Laboratory& laboratory) {
    constexpr double mebi = 1 << 20;
    const double emulated = laboratory.mean(condition, "emulated") / mebi,
                 estimated = laboratory.mean(condition, "estimated") / mebi;
    Measurement result =
        found(emulated > 0 && estimated > 0 && std::abs(std::log2(emulated / estimated)) <= 1,
              fmt::format("{:g}, model {:g}", emulated, estimated));
    return result;
  };
  return row;
}

}  // namespace

Experiment nccl_a100() {
  Experiment experiment;
  experiment.name = "nccl-a100";
  experiment.title = "nccl-tests on the 8 A100 GPUs of a node, by NCCL's algorithms and protocols";
  experiment.source =
      "Microsoft: superbenchmark (github.com/microsoft/superbenchmark, 700d6501), tests/data/nccl_*.log; "
      "NVIDIA: "
      "nccl-tests, issue 123; NCCL 2.30.7, src/graph/tuning.cc";
  experiment.runs_programs = false;
  const Condition all_sizes{"all-reduce of 8", node_of_a100};
  for (const MeasuredPoint& point : all_reduce_log) {
    Row row = row_of_figure(fmt::format("N-01.{}", point.bytes),
                            fmt::format("all-reduce of 8 A100, {} B", point.bytes), point.microseconds, "us",
                            0.05, all_sizes, figure_of_size(point.bytes));
    row.standing = Standing::fitted;
    row.note = "the platform's latencies and bandwidths were chosen for these times";
    experiment.rows.push_back(std::move(row));
  }
  const Condition rings{"one channel", node_of_a100, {"nccl.channels=1 channel"}};
  for (std::size_t i = 0; i < one_channel.size(); ++i)
    experiment.rows.push_back(
        row_of_figure(fmt::format("N-02.{}", i + 2), fmt::format("one channel, ring of {} GPUs", i + 2),
                      one_channel[i], "us", 0.1, rings, figure_of_size(static_cast<std::int64_t>(i) + 2)));
  const Condition large{"other collectives", node_of_a100};
  for (const OtherCollective& other : others) {
    const std::string name(name_of(other.collective));
    experiment.rows.push_back(row_of_figure("N-03." + name, name + " of 8 A100, 8 GiB: busbw",
                                            other.bus_bandwidth, "GB/s", 0.15, large, name));
  }
  experiment.rows.push_back(crossover_row());
  experiment.prepare = [all_sizes, rings, large](Laboratory& laboratory, const ExperimentOptions&,
                                                 const std::set<std::string>&, const auto&) {
    using Measure = RunOutcome (*)(const Platform&, std::uint64_t);
    const auto define = [&laboratory](const std::string& name, Measure measure) {
      laboratory.define(name, [measure](const Condition&, const Platform& platform, std::uint64_t seed) {
        return measure(platform, seed);
      });
    };
    define(all_sizes.workload, all_reduces);
    define(rings.workload, one_channel_rings);
    define(large.workload, other_collectives);
    define("ring and tree", crossovers);
  };
  return experiment;
}

}  // namespace morgana
