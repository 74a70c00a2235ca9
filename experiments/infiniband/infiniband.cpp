#include "experiments/infiniband/infiniband.h"

#include <fmt/format.h>

#include <set>
#include <string>

#include "experiments/infiniband/programs.h"
#include "experiments/infiniband/published.h"

namespace morgana {
namespace {

using infiniband_tables::Benchmark;
using infiniband_tables::PublishedPoint;
using infiniband_tables::PublishedTable;

/// Measured with Open MPI 4 over UCX.
constexpr const char* cluster = "edr-fat-tree-2to1";

std::string name_of_size(std::int64_t bytes) {
  return fmt::format("{} B", bytes);
}

/// Up to which size copies stay in caches was decided anew once these had been seen.
bool is_of_a_collective(const PublishedTable& table) {
  return table.benchmark == Benchmark::allreduce || table.benchmark == Benchmark::allgather ||
         table.benchmark == Benchmark::alltoall;
}

/// The parameters were chosen for these; all others follow.
bool is_fitted(const PublishedTable& table) {
  return table.benchmark == Benchmark::latency || table.benchmark == Benchmark::bandwidth;
}

Row row_of(const PublishedTable& table, const PublishedPoint& point) {
  constexpr double tolerance = 0.15;
  const Condition condition{table.title, cluster, {"collectives.library=openmpi"}};
  Row row{fmt::format("{}.{}", table.id, point.bytes),
          fmt::format("{}, {} B", table.title, point.bytes),
          fmt::format("{:.6g}", point.value),
          table.unit,
          RowKind::deterministic,
          within_share(point.value, tolerance)};
  row.needs = {condition};
  row.measure = [condition, point](const Laboratory& laboratory) {
    const double ours = laboratory.mean(condition, name_of_size(point.bytes));
    Measurement result = measured(ours);
    result.text = fmt::format("{:+.1f} %", 100 * (ours / point.value - 1));
    return result;
  };
  if (is_fitted(table)) {
    row.standing = Standing::fitted;
    row.note = "the platform's parameters were chosen for latency and bandwidth of one pair";
  }
  if (is_of_a_collective(table))
    row.note =
        "hosts.memory-cache (half of a core's L2) was decided after a first reading (16 KiB) had been run";
  return row;
}

Workload workload_of_table(const PublishedTable& table) {
  return [&table](const Condition&, const Platform& platform, std::uint64_t seed) {
    RunOutcome outcome;
    for (const PublishedPoint& point : table.points)
      outcome.figures[name_of_size(point.bytes)] = emulated(table, point.bytes, platform, seed);
    return outcome;
  };
}

}  // namespace

Experiment infiniband() {
  Experiment experiment;
  experiment.name = "infiniband";
  experiment.title =
      "OSU micro-benchmarks on two hosts of a cluster on EDR InfiniBand, by reliable connections";
  experiment.source =
      "UKRI ExCALIBUR: excalibur-tests (github.com/ukri-excalibur/excalibur-tests, 37bbdc95, 2020), cluster "
      "Alaska";
  experiment.runs_programs = false;
  for (const PublishedTable& table : infiniband_tables::published_tables())
    for (const PublishedPoint& point : table.points) experiment.rows.push_back(row_of(table, point));
  experiment.prepare = [](Laboratory& laboratory, const ExperimentOptions&,
                          const std::set<std::string>& workloads, const auto&) {
    for (const PublishedTable& table : infiniband_tables::published_tables())
      if (workloads.contains(table.title)) laboratory.define(table.title, workload_of_table(table));
  };
  return experiment;
}

}  // namespace morgana
