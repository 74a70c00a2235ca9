#include <fmt/format.h>

#include <algorithm>

#include "emulator/pipeline/equal_fragments.h"
#include "emulator/pipeline/optimum.h"
#include "emulator/pipeline/schedule.h"
#include "experiments/pipelines/algorithms.h"
#include "experiments/pipelines/rows.h"

// Figures 8 to 14, as far as theory gives them.
namespace morgana::pipelines_paper {
namespace {

using namespace pipeline;

ExperimentFigure theory_figure(const std::string& name,
                               const std::function<std::variant<Curves, LinkMap, TimeSpace>()>& draw,
                               const std::vector<std::string>& shows) {
  return {name, {}, [draw](const Laboratory&) { return draw(); }, shows};
}

double number_of(std::size_t count) {
  return static_cast<double>(count);
}

Curves figure_8() {
  constexpr std::size_t most = 32;
  const RealBytes message = kilobytes(4);
  Curve equal{"Eq. 10", {}}, optimal{"optimum", {}}, machine{"emulated", {}}, bound{"Eq. 5", {}};
  for (std::size_t k = 1; k <= most; ++k) {
    equal.points.push_back({number_of(k), us(latency_of_equal(gam(), message, k))});
    machine.points.push_back({number_of(k), emulated_gam_us(k)});
    optimal.points.push_back({number_of(k), us(optimum(gam(), message, k).latency)});
    bound.points.push_back({number_of(k), us(lower_bound(gam(), message))});
  }
  return {"Figure 8: 4 KB through GAM in equal fragments; optimum and bound",
          "fragments",
          "latency (us)",
          false,
          false,
          {},
          {equal, machine, optimal, bound}};
}

Curves figure_9() {
  constexpr double step = 0.25, most = 16;
  Curve fixed{"best equal fragments", {}}, by_gam{"GAM (4 KB)", {}}, by_fm{"FM (128 B)", {}};
  for (double kb = step; kb <= most; kb += step) {
    const RealBytes message = kilobytes(kb);
    const Bytes bytes(static_cast<std::int64_t>(message.value()));
    fixed.points.push_back({kb, us(latency_of_equal(gam(), message, best_equal_count(gam(), message)))});
    by_gam.points.push_back({kb, us(static_latency(gam(), bytes, Bytes(4096)))});
    by_fm.points.push_back({kb, us(static_latency(gam(), bytes, Bytes(128)))});
  }
  return {"Figure 9: fragments through GAM, the model",
          "message (KB)",
          "latency (us)",
          false,
          false,
          {},
          {by_fm, by_gam, fixed}};
}

using Gain = std::function<double(const DiskPipeline&, RealBytes)>;

double b_over_a(const DiskPipeline& pipeline, RealBytes message) {
  return improvement(algorithm_a(pipeline, message).latency, algorithm_b(pipeline, message).latency);
}

double c_over_b(const DiskPipeline& pipeline, RealBytes message) {
  return improvement(algorithm_b(pipeline, message).latency, algorithm_c(pipeline, message).latency);
}

Curves over_rates(const std::string& title, const Gain& gain) {
  Curves curves{title, "disk (MB/s)", "improvement (%)", false, false, {}, {}};
  for (const double overhead : disk_overheads()) {
    Curve curve{fmt::format("{} ms", overhead), {}};
    for (const double rate : disk_rates())
      curve.points.push_back({rate, gain(network_and_disk(disk_of(overhead, rate)), kilobytes(64))});
    curves.curves.push_back(std::move(curve));
  }
  return curves;
}

Curves over_sizes(const std::string& title, const Gain& gain) {
  constexpr double rate = 5;
  Curves curves{title, "message (KB)", "improvement (%)", true, false, {}, {}};
  for (const double overhead : disk_overheads()) {
    Curve curve{fmt::format("{} ms", overhead), {}};
    for (const double kb : packet_sizes(4))
      curve.points.push_back({kb, gain(network_and_disk(disk_of(overhead, rate)), kilobytes(kb))});
    curves.curves.push_back(std::move(curve));
  }
  return curves;
}

/// The paper's bars, lying: T_f until the disk has its first fragment, T_b in the disk, T_l.
TimeSpace figure_14() {
  constexpr double us_per_ms = 1000;
  const DiskPipeline brief = network_and_disk(disk()), extended = network_disk_network(disk());
  const RealBytes message = kilobytes(64);
  struct Bar {
    const char* name;
    const DiskPipeline* pipeline;
    PipelineAlgorithm way;
  };
  const Bar bars[] = {{"A", &brief, algorithm_a(brief, message)},
                      {"B", &brief, algorithm_b(brief, message)},
                      {"C", &brief, algorithm_c(brief, message)},
                      {"A, long", &extended, algorithm_a(extended, message)},
                      {"B, long", &extended, algorithm_b(extended, message)},
                      {"C', long", &extended, algorithm_c(extended, message)}};
  TimeSpace picture{"Figure 14: 64 KB through network and disk; long: and network", "time (ms)", {}, {}};
  for (const Bar& bar : bars) {
    const Schedule::Parts parts = Schedule(bar.pipeline->stages, bar.way.pieces).parts();
    const auto ms = [](SimTime time) { return us(real(time)) / us_per_ms; };
    const std::size_t row = picture.rows.size();
    const double first = ms(parts.first), inside = ms(parts.first + parts.inside),
                 end = ms(parts.first + parts.inside + parts.last);
    picture.rows.push_back(bar.name);
    picture.boxes.push_back({row, 0, first, 0, "network"});
    picture.boxes.push_back({row, first, inside, 1, "disk"});
    if (end > inside) picture.boxes.push_back({row, inside, end, 2, "network"});
  }
  return picture;
}

}  // namespace

void add_figures(Experiment& experiment) {
  auto& figures = experiment.figures;
  figures.push_back(
      theory_figure("figure-8", figure_8, {"P-01", "P-02", "P-03", "P-04", "P-05", "P-08", "P-09"}));
  figures.push_back(theory_figure("figure-9", figure_9, {"P-27"}));
  figures.push_back(theory_figure(
      "figure-10", [] { return over_rates("Figure 10: B over A, 64 KB, by the disk's overhead", b_over_a); },
      {"P-16", "P-26"}));
  figures.push_back(theory_figure(
      "figure-11", [] { return over_rates("Figure 11: C over B, 64 KB, by the disk's overhead", c_over_b); },
      {"P-17", "P-24"}));
  figures.push_back(theory_figure(
      "figure-12",
      [] { return over_sizes("Figure 12: B over A, disk of 5 MB/s, by its overhead", b_over_a); }, {"P-16"}));
  figures.push_back(theory_figure(
      "figure-13",
      [] { return over_sizes("Figure 13: C over B, disk of 5 MB/s, by its overhead", c_over_b); },
      {"P-17", "P-25"}));
  figures.push_back(
      theory_figure("figure-14", figure_14,
                    {"P-13", "P-14", "P-15", "P-16", "P-17", "P-18", "P-19", "P-20", "P-21", "P-22"}));
}

}  // namespace morgana::pipelines_paper
