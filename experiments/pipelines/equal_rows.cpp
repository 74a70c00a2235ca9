#include <fmt/format.h>

#include <cmath>

#include "emulator/pipeline/equal_fragments.h"
#include "emulator/pipeline/exit_times.h"
#include "emulator/pipeline/transitions.h"
#include "experiments/pipelines/algorithms.h"
#include "experiments/pipelines/rows.h"

// Equal fragments: sections 5.3, 5.4 and 6.
namespace morgana::pipelines_paper {
namespace {

using namespace pipeline;

constexpr double half_a_percent = 0.005, percent = 100;

/// By the exit times of Eqs. 1 to 3, which know nothing of Eq. 10.
double latency_us(const Stages& stages, double kb, std::size_t count) {
  return us(latency(stages, equal_fragments(kilobytes(kb), count)));
}

struct Point {
  std::size_t count;
  double us;
};
constexpr Point gam_points[] = {{1, 286.90},  {2, 214.40},  {3, 195.23}, {4, 189.40},
                                {5, 188.90},  {6, 191.07},  {7, 194.76}, {8, 199.40},
                                {10, 210.40}, {16, 249.40}, {32, 364.40}};
constexpr Point gms_points[] = {{1, 1201.0}, {2, 895.4}, {3, 796.2}, {4, 811.6}, {5, 859.9}, {6, 923.0}};

void add_curve(Experiment& experiment, const std::string& check, const char* what, const Stages& stages,
               double kb, std::span<const Point> points) {
  for (const Point& point : points)
    experiment.rows.push_back(calculated(theory_row(
        fmt::format("{}.{}", check, point.count), fmt::format("{} in {} equal fragments", what, point.count),
        fmt::format("{:g}", point.us), "us", within_share(point.us, half_a_percent),
        std::function<double()>([=, count = point.count] { return latency_us(stages, kb, count); }))));
}

/// Where the theorem, seeing only (g_b, sum of the others' G), puts the minimum.
std::size_t best_by(double overhead_us, double others_us_per_kb, double kb) {
  std::size_t best = 1;
  const auto cost = [&](std::size_t k) {
    return static_cast<double>(k) * overhead_us + kb / static_cast<double>(k) * others_us_per_kb;
  };
  for (std::size_t k = 2; k <= 64; ++k)
    if (cost(k) < cost(best)) best = k;
  return best;
}

Row lower_bound_row() {
  return calculated(theory_row("P-08",
                               "GAM, 4 KB: every number of equal fragments takes longer than Eq. 5 says",
                               "126.9", "us", as_worded("all above it"), std::function<Measurement()>([] {
                                 const RealTime bound = lower_bound(gam(), kilobytes(4));
                                 bool above = true;
                                 for (std::size_t k = 1; k <= 4096; ++k)
                                   above = above && latency_of_equal(gam(), kilobytes(4), k) > bound;
                                 return found(above, fmt::format("bound {:.2f} us", us(bound)));
                               })));
}

}  // namespace

void add_equal(Experiment& experiment) {
  auto& rows = experiment.rows;
  using Value = std::function<double()>;
  add_curve(experiment, "P-01", "GAM, 4 KB", gam(), 4, gam_points);
  rows.push_back(
      theory_row("P-02", "GAM, 4 KB: best number of equal fragments", "5", "", within(5, 0),
                 Value([] { return static_cast<double>(best_equal_count(gam(), kilobytes(4))); })));
  rows.push_back(theory_row("P-03", "the same over fragments of 4 KB: old / new - 1", "51 (\"up to\")", "%",
                            between(50, 53), Value([] {
                              const std::size_t best = best_equal_count(gam(), kilobytes(4));
                              return percent * (latency_us(gam(), 4, 1) / latency_us(gam(), 4, best) - 1);
                            })));
  rows.push_back(theory_row("P-04", "the same as a reduction: 1 - new / old", "-", "%", no_rule(), Value([] {
                              const std::size_t best = best_equal_count(gam(), kilobytes(4));
                              return percent * (1 - latency_us(gam(), 4, best) / latency_us(gam(), 4, 1));
                            })));
  rows.back().standing = Standing::informational;
  add_emulated(experiment);
  rows.push_back(theory_row("P-07", "GAM, 4 KB: best number by the indirect parameters (7.6, 37.8)", "5", "",
                            within(5, 0), std::function<Measurement()>([] {
                              Measurement result = measured(static_cast<double>(best_by(7.6, 37.8, 4)));
                              result.text =
                                  "the parts that depend on it are 68.20 us with 4, 68.24 us with 5";
                              return result;
                            })));
  rows.back().standing = Standing::contradicted;
  rows.back().note = "the paper's own two parameters make 4 the best, by 0.04 us";
  rows.push_back(lower_bound_row());
}

void add_static_sizes(Experiment& experiment) {
  auto& rows = experiment.rows;
  using Value = std::function<double()>;
  struct Line {
    double kb;
    std::size_t count;
    double us, over_gam, over_fm;
  };
  constexpr Line lines[] = {
      {0.125, 1, 35.41, 0, 0},     {0.5, 2, 57.25, 4.4, 17.5},    {1, 2, 79.70, 15.7, 37.6},
      {2, 3, 118.77, 32.3, 63.9},  {4, 5, 188.90, 51.9, 92.9},    {5, 5, 221.80, 36.2, 102.6},
      {6, 6, 254.20, 29.2, 110.1}, {8, 7, 317.21, 24.2, 121.9},   {12, 8, 438.60, 14.2, 137.9},
      {16, 9, 556.81, 9.2, 148.4}, {32, 13, 1012.56, 2.4, 170.8}, {64, 18, 1890.62, 0.1, 188.7}};
  constexpr double one_percent = 0.01;
  for (const Line& line : lines) {
    const auto add = [&](const char* part, const char* what, double value, const char* unit, Rule rule,
                         const Value& ours) {
      rows.push_back(calculated(theory_row(fmt::format("P-27.{}.{}", part, line.kb),
                                           fmt::format("GAM, {:g} KB: {}", line.kb, what),
                                           fmt::format("{:g}", value), unit, std::move(rule), ours)));
    };
    const RealBytes message = kilobytes(line.kb);
    const auto best = [message] {
      return latency_of_equal(gam(), message, best_equal_count(gam(), message));
    };
    const auto over = [message, best](std::int64_t fragment) {
      return Value([=] {
        const Bytes whole(std::llround(message.value()));
        return improvement(static_latency(gam(), whole, Bytes(fragment)), best());
      });
    };
    add("k", "best number of equal fragments", static_cast<double>(line.count), "",
        within(static_cast<double>(line.count), 0),
        [message] { return static_cast<double>(best_equal_count(gam(), message)); });
    add("latency", "in that many", line.us, "us", within_share(line.us, one_percent),
        [best] { return us(best()); });
    add("gam", "over fragments of 4 KB", line.over_gam, "%", within(line.over_gam, 1), over(4096));
    add("fm", "over fragments of 128 B", line.over_fm, "%", within(line.over_fm, 1), over(128));
  }
}

void add_gms(Experiment& experiment) {
  using Value = std::function<double()>;
  add_curve(experiment, "P-11", "GMS, 8 KB", gms(), 8, gms_points);
  experiment.rows.push_back(
      theory_row("P-11.best", "GMS, 8 KB: best number of equal fragments", "3 or 4", "", between(3, 4),
                 Value([] { return static_cast<double>(best_equal_count(gms(), kilobytes(8))); })));
  experiment.rows.push_back(
      calculated(theory_row("P-11.four", "GMS, 8 KB: what 4 take over what 3 do", "< 1.03", "", below(1.03),
                            Value([] { return latency_us(gms(), 8, 4) / latency_us(gms(), 8, 3); }))));
  experiment.rows.push_back(calculated(theory_row(
      "P-12", "GMS: the fragment with which Wire is slower than Req-CPU", "2.62 (\"shifts\")", "KB",
      within_share(2.62, 0.01), Value([] {
        constexpr double bytes_per_kb = 1024;
        const std::vector<Transition> all = transitions(gms(), Bytes(1), Bytes(8192));
        return all.size() == 1 ? static_cast<double>(all[0].size.count()) / bytes_per_kb : std::nan("");
      }))));
}

}  // namespace morgana::pipelines_paper
