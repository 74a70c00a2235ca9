#include "experiments/ultraethernet/ultra_ethernet.h"

#include <fmt/format.h>

#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "experiments/ultraethernet/published.h"

namespace morgana {
namespace {

using namespace ultra_ethernet_results;

/// Said before anything was run: of mean and 99th percentile for simulators on the same configuration.
constexpr double near = 0.1;

Condition condition_of(const Published& result) {
  return {.workload = result.id};
}

/// The rule of trimming was read in the simulator's text after these had failed.
bool failed_by_trimming(const Published& result, std::string_view which) {
  return which == "first" &&
         (result.matrix == Matrix::incast_1023 ||
          (result.matrix == Matrix::incast_127 && result.control == UetParameters::Control::nscc));
}

Row completion_row(const Published& result, const char* which, double there) {
  Row row{.id = fmt::format("{}.{}", result.id, which),
          .title = fmt::format("{}: {} completion", title_of(result), which),
          .paper = fmt::format("{}", there),
          .unit = "us",
          .rule = within_share(there, near)};
  row.needs = {condition_of(result)};
  row.measure = [condition = condition_of(result), figure = std::string(which)](
                    const Laboratory& laboratory) { return measured(laboratory.mean(condition, figure)); };
  if (result.entropies == 1) {
    row.standing = Standing::informational;
    row.note = "one draw of hashes and of way decides, there and here";
  } else if (result.matrix == Matrix::permutation_16) {
    row.standing = Standing::fitted;
    row.note = "which of the public matrices of 16 hosts it is was chosen after rows with another had failed";
  } else if (result.differs.slow_links > 0) {
    row.standing = Standing::fitted;
    row.note = "the shorter queue of a slow link was read in the simulator's text after the row had failed";
  } else if (failed_by_trimming(result, which)) {
    row.standing = Standing::fitted;
    row.note = "which packet a full queue trims was read in the simulator's text after the row had failed";
  }
  return row;
}

}  // namespace

Experiment ultra_ethernet() {
  Experiment experiment;
  experiment.name = "ultra-ethernet";
  experiment.title = "Ultra Ethernet's congestion control against the results that its simulator comes with";
  experiment.source =
      "Ultra Ethernet Consortium, uet-htsim at 40ccb052 (2025), validate_outputs: failed links (FR, FS), "
      "load "
      "balancing (LR, LS), NSCC and RCCC (B), connection reuse (C), RCCC (R), NSCC (S)";
  experiment.runs_programs = false;
  for (const Published& result : published()) {
    if (result.first > 0 && result.first != result.last)
      experiment.rows.push_back(completion_row(result, "first", result.first));
    experiment.rows.push_back(completion_row(result, "last", result.last));
  }
  experiment.prepare = [](Laboratory& laboratory, const ExperimentOptions&,
                          const std::set<std::string>& workloads, const auto&) {
    for (const Published& result : published())
      if (workloads.contains(result.id))
        laboratory.define_own(result.id, [&result](std::uint64_t seed) { return run_here(result, seed); });
  };
  return experiment;
}

}  // namespace morgana
