#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "emulator/pipeline/equal_fragments.h"
#include "experiments/pipelines/algorithms.h"
#include "experiments/pipelines/rows.h"
#include "runs/platform_probe.h"

// GAM on the emulated Myrinet (platform myrinet-gam): sections 5.3.2 and 5.4. Theory is compared with it, so
// nothing here may come from theory but what it is compared with.
namespace morgana::pipelines_paper {
namespace {

using namespace pipeline;

constexpr std::size_t most_fragments_drawn = 32;  // of Figure 8
constexpr std::int64_t message = 4096;

/// 4 KB from program to program, cut by the transport.
double emulated_us(std::size_t count) {
  const std::vector<std::string> overrides{"transport.fragmentation=fixed",
                                           fmt::format("transport.fragments={}", count)};
  const PlatformProbe probe(Platform::load("myrinet-gam", overrides), 1);
  const Bytes sizes[] = {Bytes(message)};
  return us(real(probe.send(sizes).back()));
}

/// By number of fragments, from 1 on; run once.
const std::vector<double>& emulated() {
  static const std::vector<double> all = [] {
    std::vector<double> times;
    for (std::size_t k = 1; k <= most_fragments_drawn; ++k) times.push_back(emulated_us(k));
    return times;
  }();
  return all;
}

double error_percent(std::size_t count) {
  constexpr double percent = 100;
  const double machine = emulated()[count - 1];
  return percent * std::abs(us(latency_of_equal(gam(), real(Bytes(message)), count)) / machine - 1);
}

/// The platform by itself, every message a fragment, as section 5.3.2 probes it.
const ProbedRange& probed() {
  static const ProbeResult result = [] {
    const PlatformProbe box(
        Platform::load("myrinet-gam", std::vector<std::string>{"transport.fragmentation=whole"}), 1);
    return pipeline::probe([&](std::span<const Bytes> sizes) { return box.send(sizes); }, ProbeSettings());
  }();
  return result.ranges.front();
}

Row emulated_row(const std::string& id, const std::string& title, const std::string& paper,
                 const std::string& unit, Rule rule, const std::function<double()>& value) {
  Row row = theory_row(id, title, paper, unit, std::move(rule), value);
  row.kind = RowKind::statistical;
  row.note =
      "on myrinet-gam, whose handlers and bus are set so that one fragment by itself takes Table 1's stages; "
      "how fragments get in each other's way is emulated";
  return row;
}

/// What the platform's keys were set to give agrees by construction.
Row fitted(Row row) {
  row.standing = Standing::fitted;
  row.note =
      "on myrinet-gam, whose handlers and bus were chosen, beside Table 1's copies and rates, so that one "
      "fragment by itself takes the table's stages: the probe finds what was put in";
  return row;
}

Row part(Row row) {
  row.standing = Standing::informational;
  return row;
}

}  // namespace

double emulated_gam_us(std::size_t count) {
  return emulated().at(count - 1);
}

void add_emulated(Experiment& experiment) {
  auto& rows = experiment.rows;
  rows.push_back(emulated_row("P-05", "GAM, 4 KB: mean error of Eq. 10 against the emulated machine", "5.9",
                              "%", below(8), [] {
                                double sum = 0;
                                for (std::size_t k = 1; k <= most_fragments_drawn; ++k)
                                  sum += error_percent(k);
                                return sum / static_cast<double>(most_fragments_drawn);
                              }));
  rows.push_back(part(emulated_row("P-05.most", "the same, the greatest error", "-", "%", no_rule(), [] {
    double most = 0;
    for (std::size_t k = 1; k <= most_fragments_drawn; ++k) most = std::max(most, error_percent(k));
    return most;
  })));
  for (const std::size_t k : {1, 2, 3, 4, 5, 6, 7, 8, 10, 16, 32})
    rows.push_back(part(
        emulated_row(fmt::format("P-05.{}", k), fmt::format("GAM, 4 KB in {} equal fragments, emulated", k),
                     fmt::format("(Eq. 10: {:.2f})", us(latency_of_equal(gam(), real(Bytes(message)), k))),
                     "us", no_rule(), [k] { return emulated()[k - 1]; })));
  rows.push_back(emulated_row(
      "P-05.best", "GAM, 4 KB: best number of equal fragments, emulated", "5", "", within(5, 0), [] {
        const auto& all = emulated();
        return static_cast<double>(std::min_element(all.begin(), all.end()) - all.begin() + 1);
      }));
  rows.push_back(emulated_row("P-05.gain", "the same over one fragment of 4 KB: old / new - 1, emulated",
                              "51 (\"up to\")", "%", between(50, 53), [] {
                                constexpr double percent = 100;
                                const auto& all = emulated();
                                return percent * (all[0] / *std::min_element(all.begin(), all.end()) - 1);
                              }));
  constexpr double share = 0.08, direct_overhead = 7.5, direct_costs = 40.0;
  rows.push_back(fitted(emulated_row("P-06.overhead", "g_b of the emulated GAM, probed from outside",
                                     "7.6 (direct: 7.5)", "us", within_share(direct_overhead, share),
                                     [] { return us(probed().interval.line.overhead); })));
  rows.push_back(fitted(emulated_row("P-06.costs", "sum of the others' G, probed from outside",
                                     "37.8 (direct: 40.0)", "us/KB", within_share(direct_costs, share),
                                     [] { return us(RealTime(probed().other_costs().value() * 1024)); })));
  rows.push_back(part(emulated_row("P-06.sum", "sum of all g, probed from outside", "(direct: 27.3)", "us",
                                   no_rule(), [] { return us(probed().latency.line.overhead); })));
}

}  // namespace morgana::pipelines_paper
