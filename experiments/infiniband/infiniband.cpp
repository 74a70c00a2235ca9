#include "experiments/infiniband/infiniband.h"

#include <fmt/format.h>

#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "experiments/infiniband/programs.h"
#include "experiments/infiniband/published.h"

namespace morgana {
namespace {

using infiniband_tables::Benchmark;
using infiniband_tables::PublishedPoint;
using infiniband_tables::PublishedTable;

/// Measured with Open MPI 4.0.3 over UCX.
constexpr const char* cluster = "edr-fat-tree-2to1";

std::string name_of_size(std::int64_t bytes) {
  return fmt::format("{} B", bytes);
}

/// From here on the published allreduces go around a ring.
constexpr std::int64_t short_operand = 10000;

/// Why the parameters were chosen for a row; empty: it follows from others.
std::string fitted_by(const PublishedTable& table, std::int64_t bytes) {
  if (table.benchmark == Benchmark::latency || table.benchmark == Benchmark::bandwidth)
    return "the platform's parameters were chosen for latency and bandwidth of one pair";
  if (table.benchmark == Benchmark::allreduce && bytes < short_operand)
    return "messages.local-latency and messages.copy-per-byte were chosen for allreduces of 4 B to 8 KiB";
  return "";
}

/// What Open MPI 4.0.3 chooses for 64 ranks, by the block of a member or the operand: its component "tuned"
/// (ompi/mca/coll/tuned/coll_tuned_decision_fixed.c), whose later tables are those of collectives.library.
std::vector<std::string> settings_of(const PublishedTable& table, std::int64_t bytes) {
  constexpr std::int64_t short_result = 50000, short_block = 200, medium_block = 3000;
  std::vector<std::string> settings{"collectives.library=openmpi"};
  const auto choose = [&](const std::string& algorithm) {
    settings.insert(settings.end(), {"collectives.barrier=recursive-doubling", "collectives." + algorithm});
  };
  if (table.benchmark == Benchmark::allreduce)
    choose(bytes < short_operand ? "allreduce=recursive-doubling" : "allreduce=ring");
  if (table.benchmark == Benchmark::allgather)
    choose(bytes * table.ranks < short_result ? "allgather=recursive-doubling"
                                              : "allgather=neighbor-exchange");
  if (table.benchmark == Benchmark::alltoall)
    choose(bytes < short_block    ? "alltoall=bruck"
           : bytes < medium_block ? "alltoall=linear"
                                  : "alltoall=pairwise");
  return settings;
}

constexpr double published_tolerance = 0.15;

/// What the page has of another run where that would not pass as ours; empty: it would, or there is none.
std::string contradicted_by(const PublishedTable& table, const PublishedPoint& point) {
  for (const PublishedPoint& other : table.again)
    if (other.bytes == point.bytes && std::abs(other.value / point.value - 1) > published_tolerance)
      return fmt::format("another run on the same page has {:.6g} {}, {:+.1f} %", other.value, table.unit,
                         100 * (other.value / point.value - 1));
  return "";
}

Row row_of(const PublishedTable& table, const PublishedPoint& point) {
  const Condition condition{table.title, cluster, settings_of(table, point.bytes)};
  Row row{fmt::format("{}.{}", table.id, point.bytes),
          fmt::format("{}, {} B", table.title, point.bytes),
          fmt::format("{:.6g}", point.value),
          table.unit,
          RowKind::deterministic,
          within_share(point.value, published_tolerance)};
  row.needs = {condition};
  row.measure = [condition, point](const Laboratory& laboratory) {
    const double ours = laboratory.mean(condition, name_of_size(point.bytes));
    Measurement result = measured(ours);
    result.text = fmt::format("{:+.1f} %", 100 * (ours / point.value - 1));
    return result;
  };
  row.note = fitted_by(table, point.bytes);
  if (!row.note.empty()) row.standing = Standing::fitted;
  if (const std::string note = contradicted_by(table, point); !note.empty()) {
    row.note = note;
    row.standing = Standing::contradicted;
  }
  return row;
}

Workload workload_of_table(const PublishedTable& table) {
  return [&table](const Condition& condition, const Platform& platform, std::uint64_t seed) {
    RunOutcome outcome;
    for (const PublishedPoint& point : table.points)
      if (settings_of(table, point.bytes) == condition.overrides)
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
