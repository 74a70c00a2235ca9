#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/pipelines/algorithms.h"
#include "experiments/pipelines/rows.h"

// A disk behind, and between, slow networks: section 5.5.
namespace morgana::pipelines_paper {
namespace {

using namespace pipeline;
using Value = std::function<double()>;
using Algorithm = PipelineAlgorithm (*)(const DiskPipeline&, RealBytes);

constexpr double one_percent = 0.01;

DiskPipeline brief() {
  return network_and_disk(disk());
}
DiskPipeline extended() {
  return network_disk_network(disk());
}

Row latency_row(const char* id, const char* title, double paper, DiskPipeline (*pipeline)(),
                Algorithm algorithm) {
  return calculated(theory_row(id, title, fmt::format("{:.1f}", paper), "us",
                               within_share(paper, one_percent),
                               Value([=] { return us(algorithm(pipeline(), kilobytes(64)).latency); })));
}

Row count_row(const char* id, const char* title, double paper, DiskPipeline (*pipeline)(),
              Algorithm algorithm) {
  return calculated(theory_row(
      id, title, number(paper), "", within(paper, 0),
      Value([=] { return static_cast<double>(algorithm(pipeline(), kilobytes(64)).sizes.size()); })));
}

Row sizes_row(const char* id, const char* title, const char* text, const std::vector<double>& paper,
              DiskPipeline (*pipeline)(), Algorithm algorithm) {
  return calculated(
      theory_row(id, title, text, "KB", as_worded("each within 1 %"), std::function<Measurement()>([=] {
                   const Sizes sizes = algorithm(pipeline(), kilobytes(64)).sizes;
                   bool agree = sizes.size() == paper.size();
                   std::string ours;
                   for (std::size_t i = 0; i < sizes.size(); ++i) {
                     const double kb = sizes[i] / kilobytes(1);
                     ours += fmt::format("{}{:.2f}", i == 0 ? "" : " / ", kb);
                     agree = agree && std::abs(kb / paper[i] - 1) <= one_percent;
                   }
                   return found(agree, ours);
                 })));
}

Row gain_row(const char* id, const char* title, const char* paper, Rule rule, DiskPipeline (*pipeline)(),
             Algorithm from, Algorithm to) {
  return theory_row(id, title, paper, "%", std::move(rule), Value([=] {
                      return improvement(from(pipeline(), kilobytes(64)).latency,
                                         to(pipeline(), kilobytes(64)).latency);
                    }));
}

void add_bars(Experiment& experiment) {
  auto& rows = experiment.rows;
  rows.push_back(
      latency_row("P-13.latency", "network and disk, 64 KB: algorithm A", 31320.5, brief, algorithm_a));
  rows.push_back(count_row("P-13.k", "its fragments", 2, brief, algorithm_a));
  rows.push_back(latency_row("P-14.latency", "network and disk: B", 25862.8, brief, algorithm_b));
  rows.push_back(count_row("P-14.k", "its fragments at the disk", 2, brief, algorithm_b));
  rows.push_back(calculated(theory_row(
      "P-14.sub", "sub-fragments of each in the network", "13", "", within(13, 0), Value([] {
        const PipelineAlgorithm way = algorithm_b(brief(), kilobytes(64));
        return static_cast<double>(way.pieces.front().size()) / static_cast<double>(way.sizes.size());
      }))));
  rows.push_back(latency_row("P-15.latency", "network and disk: C", 23616.7, brief, algorithm_c));
  rows.push_back(
      sizes_row("P-15.sizes", "its sizes at the disk", "16.22 / 47.78", {16.22, 47.78}, brief, algorithm_c));
  rows.push_back(gain_row("P-16", "network and disk: B over A", "21.3", between(20.5, 22), brief, algorithm_a,
                          algorithm_b));
  rows.push_back(gain_row("P-17", "network and disk: C over B", "9.2", between(8.7, 10), brief, algorithm_b,
                          algorithm_c));
  rows.push_back(latency_row("P-18.latency", "network, disk, network: A", 38918.3, extended, algorithm_a));
  rows.push_back(count_row("P-18.k", "its fragments", 3, extended, algorithm_a));
  rows.push_back(latency_row("P-19.latency", "network, disk, network: B", 30925.6, extended, algorithm_b));
  rows.push_back(count_row("P-19.k", "its fragments at the disk", 2, extended, algorithm_b));
  rows.push_back(latency_row("P-20.latency", "network, disk, network: C'", 29044.5, extended, algorithm_c));
  rows.push_back(sizes_row("P-20.sizes", "its sizes at the disk", "11.53 / 40.95 / 11.53",
                           {11.53, 40.95, 11.53}, extended, algorithm_c));
  rows.push_back(gain_row("P-21", "network, disk, network: B over A", "25.8", between(25, 27), extended,
                          algorithm_a, algorithm_b));
  rows.push_back(gain_row("P-22", "network, disk, network: C' over B", "6.4", between(6, 7), extended,
                          algorithm_b, algorithm_c));
}

/// Every KB from 1 to 64.
LinearFit compound_fit() {
  constexpr std::size_t sizes = 64;
  return CompoundStage(slow_network()).line(kilobytes(1), kilobytes(sizes), sizes);
}

void add_compound(Experiment& experiment) {
  experiment.rows.push_back(theory_row("P-23.mean", "network as one stage, 1 to 64 KB: mean latency", "5118",
                                       "us", within_share(5118, 0.03), Value([] {
                                         double sum = 0;
                                         constexpr int sizes = 64;
                                         const CompoundStage network(slow_network());
                                         for (int kb = 1; kb <= sizes; ++kb)
                                           sum += us(network.time_for(kilobytes(kb)));
                                         return sum / sizes;
                                       })));
  experiment.rows.push_back(theory_row("P-23.deviation", "the same: standard deviation of the line's errors",
                                       "65", "us", within_share(65, 0.15),
                                       Value([] { return us(compound_fit().deviation); })));
}

/// The network as one stage, its costs fitted once: footnote 1's regression (P-23).
PipelineAlgorithm algorithm_c_of_footnote(const DiskPipeline& pipeline, RealBytes message) {
  static const Stage line = [] {
    constexpr std::size_t sizes = 64;
    return CompoundStage(slow_network()).simple(kilobytes(1), kilobytes(sizes));
  }();
  return algorithm_c_by_line(pipeline, message, line);
}

/// C over B.
double greatest(const std::vector<double>& sizes, const std::vector<double>& rates,
                Algorithm c = algorithm_c) {
  double most = 0;
  for (const double overhead : disk_overheads())
    for (const double rate : rates)
      for (const double kb : sizes) {
        const DiskPipeline pipeline = network_and_disk(disk_of(overhead, rate));
        most = std::max(most, improvement(algorithm_b(pipeline, kilobytes(kb)).latency,
                                          c(pipeline, kilobytes(kb)).latency));
      }
  return most;
}

void add_maxima(Experiment& experiment) {
  auto& rows = experiment.rows;
  rows.push_back(theory_row("P-24", "64 KB, all disks: greatest gain of C over B", "never above 10", "%",
                            at_most(10), Value([] { return greatest({64}, disk_rates()); })));
  const auto add = [&rows](const char* part, const char* sizes, int per_octave, Algorithm c) {
    rows.push_back(
        theory_row(fmt::format("P-25.{}", part),
                   fmt::format("disk of 5 MB/s, {} from 4 KB to 4 MB: greatest gain of C over B", sizes),
                   "never above 11", "%", at_most(11),
                   Value([=] { return greatest(packet_sizes(per_octave), {5}, c); })));
    rows.back().note = "the paper does not say which sizes it has tried between 4 KB and 4 MB";
  };
  add("doubled", "sizes doubled", 1, algorithm_c_of_footnote);
  add("finer", "four sizes an octave", 4, algorithm_c_of_footnote);
  rows.back().standing = Standing::fitted;
  rows.back().note =
      "that the network's line is fitted once, as footnote 1 has it, was chosen after it had failed";
  add("refitted", "four sizes an octave, the network's line fitted anew to the sizes", 4, algorithm_c);
  rows.back().standing = Standing::informational;
}

void add_grid(Experiment& experiment) {
  struct Line {
    double rate;
    double gains[7];
  };
  constexpr Line lines[] = {{5, {10.3, 14.1, 18.3, 21.1, 30.0, 29.9, 21.1}},
                            {20, {-13.8, -1.9, 18.5, 33.6, 43.9, 40.0, 25.6}}};
  for (const Line& line : lines) {
    const std::vector<double> overheads = disk_overheads();
    for (std::size_t i = 0; i < overheads.size(); ++i) {
      const double overhead = overheads[i], paper = line.gains[i], rate = line.rate;
      experiment.rows.push_back(
          calculated(theory_row(fmt::format("P-26.{}.{}", rate, overhead),
                                fmt::format("64 KB, disk of {} ms and {} MB/s: B over A", overhead, rate),
                                number(paper), "%", within(paper, 1), Value([=] {
                                  const DiskPipeline pipeline = network_and_disk(disk_of(overhead, rate));
                                  return improvement(algorithm_a(pipeline, kilobytes(64)).latency,
                                                     algorithm_b(pipeline, kilobytes(64)).latency);
                                }))));
    }
  }
}

}  // namespace

void add_disk(Experiment& experiment) {
  add_bars(experiment);
  add_compound(experiment);
  add_maxima(experiment);
  add_grid(experiment);
}

}  // namespace morgana::pipelines_paper
