#include <fmt/format.h>

#include "experiments/atm/rows.h"

// A synthetic sequence of 2500 cells in 5 s, in bursts of several sizes: section 2.2.1 and figure 2.3.
namespace morgana::atm_paper {
namespace {

constexpr int cells = 2500;
constexpr int sizes[] = {1, 5, 25, 50, 100, 250, 500};
constexpr int short_burst = 1, long_burst = 500;
constexpr int burst_loads[] = {70, 120};

Condition burst(int size, int load) {
  Condition condition{fmt::format("burst {}", size), "atm-ideal"};
  // Four identical sources. Each may be lower than one alone: together they make the load.
  condition.overrides = {fmt::format("network.background.load={} %", load),
                         "network.background.sources=4 sources",
                         "network.background.low=1.61 %",
                         "network.background.on-share=87 %",
                         "network.background.mean-on=0.435 ms",
                         "network.background.copies=50 %"};
  condition.random = true;
  return condition;
}

std::vector<Condition> corners() {
  return {burst(short_burst, 70), burst(short_burst, 120), burst(long_burst, 70), burst(long_burst, 120)};
}

double latency(const Laboratory& laboratory, int size, int load) {
  return laboratory.mean(burst(size, load), "mean_latency_us");
}

/// Bursts evenly spread over five seconds, from one host to another.
RunOutcome play_bursts(int size, const Platform& platform, std::uint64_t seed) {
  constexpr Rank from{0}, to{1};
  const int bursts = cells / size;
  const SimTime interval = SimTime::from_seconds(5.0 / bursts);
  ScriptedRanks ranks(2);
  for (int i = 0; i < bursts; ++i) {
    ranks.compute(from, interval);
    ranks.send(from, to, Bytes(48 * size - 8));
    ranks.receive(to, from, Bytes(48 * size - 8));
  }
  ranks.exit(from);
  ranks.exit(to);
  return play(ranks, platform, seed);
}

Row load_row() {
  Row row{"A-38.load",
          "what load 1.2 makes of the time at 0.7",
          "more for short bursts",
          "",
          RowKind::shape,
          as_worded("the factor is greater for bursts of 1 than of 500")};
  row.needs = corners();
  row.measure = [](const Laboratory& laboratory) {
    const double brief = latency(laboratory, short_burst, 120) / latency(laboratory, short_burst, 70);
    const double extended = latency(laboratory, long_burst, 120) / latency(laboratory, long_burst, 70);
    return found(brief > extended, fmt::format("bursts of 1: x {:.4g}, of 500: x {:.4g}", brief, extended));
  };
  return row;
}

Row size_row() {
  Row row{"A-38.size",    "what bursts of 500 make of the time of bursts of 1", "more at low load", "",
          RowKind::shape, as_worded("the factor is greater at 0.7 than at 1.2")};
  row.needs = corners();
  row.measure = [](const Laboratory& laboratory) {
    const double low = latency(laboratory, long_burst, 70) / latency(laboratory, short_burst, 70);
    const double high = latency(laboratory, long_burst, 120) / latency(laboratory, short_burst, 120);
    return found(low > high, fmt::format("rho 0.7: x {:.4g}, 1.2: x {:.4g}", low, high));
  };
  return row;
}

}  // namespace

void add_bursts(Experiment& experiment) {
  experiment.rows.push_back(load_row());
  experiment.rows.push_back(size_row());
  ExperimentFigure plot{"figure-2.3", {}, {}};
  for (const int size : sizes)
    for (const int load : burst_loads) plot.needs.push_back(burst(size, load));
  plot.draw = [](const Laboratory& laboratory) {
    Curves curves{"2500 cells in 5 s, after figure 2.3",
                  "cells in a burst",
                  "time to move a burst (us)",
                  true,
                  true,
                  {},
                  {}};
    for (const int load : burst_loads) {
      Curve curve{fmt::format("rho {}", load / 100.0), {}};
      for (const int size : sizes) {
        const ConfidenceInterval interval = laboratory.interval(burst(size, load), "mean_latency_us");
        curve.points.push_back({static_cast<double>(size), interval.mean, interval.radius});
      }
      curves.curves.push_back(std::move(curve));
    }
    return curves;
  };
  experiment.figures.push_back(std::move(plot));
}

void define_bursts(Laboratory& laboratory) {
  for (const int size : sizes)
    laboratory.define(fmt::format("burst {}", size),
                      [size](const Condition&, const Platform& platform, std::uint64_t seed) {
                        return play_bursts(size, platform, seed);
                      });
}

}  // namespace morgana::atm_paper
