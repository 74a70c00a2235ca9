#include <fmt/format.h>

#include "experiments/atmtransport/programs.h"
#include "experiments/atmtransport/rows.h"

namespace morgana::atm_transport_paper {
namespace {

/// What a curve shows over rho.
struct Shown {
  std::string name;    ///< of the file, after the figure's
  std::string figure;  ///< of each run
  std::string axis;
  double unit;  ///< what one of the figure is on the axis
};
const Shown shown[] = {{"latency", "latency_s", "mean latency of a message (s)", 1},
                       {"loss", "loss", "cells lost (%)", 100},
                       {"time", "total_s", "run time (s)", 1}};

struct Line {
  std::string name;
  std::function<Condition(int load)> at;
  int highest;  ///< load at which it is drawn
};

void add_figure(Experiment& experiment, const std::string& name, const std::string& title, const Shown& what,
                const std::vector<Line>& lines) {
  ExperimentFigure figure{name + "-" + what.name, {}, {}};
  for (const Line& line : lines)
    for (const int load : loads)
      if (load <= line.highest) figure.needs.push_back(line.at(load));
  figure.draw = [=](const Laboratory& laboratory) {
    Curves curves{title, "rho", what.axis, false, true, {}, {}};
    for (const Line& line : lines) {
      Curve curve{line.name, {}};
      for (const int load : loads) {
        if (load > line.highest || !all_finished(laboratory, line.at(load))) continue;
        const ConfidenceInterval interval = laboratory.interval(line.at(load), what.figure);
        curve.points.push_back({load / 100.0, what.unit * interval.mean, what.unit * interval.radius});
      }
      curves.curves.push_back(std::move(curve));
    }
    return curves;
  };
  experiment.figures.push_back(std::move(figure));
}

void add_bursts(Experiment& experiment, const std::string& name, int buffer, int poll_ms) {
  std::vector<Line> lines;
  // SSCOP's latency beyond rho 0.9 is not finite.
  for (const std::string& protocol : {sscop, single, several})
    lines.push_back({protocol,
                     [=](int load) {
                       return loaded({protocol, load, buffer, poll_ms});
                     },
                     protocol == sscop ? 90 : 150});
  const std::string title =
      fmt::format("PDE1's bursts, {} cells of buffer, T_POLL {} s", buffer, poll_ms / 1000.0);
  for (const Shown& what : shown) add_figure(experiment, name, title, what, lines);
}

}  // namespace

void add_figures(Experiment& experiment) {
  add_bursts(experiment, "figure-5.13", 200, 500);
  add_bursts(experiment, "figure-5.15", 1000, 500);
  add_bursts(experiment, "figure-5.16", 200, 1500);
  std::vector<Line> lines;
  for (const std::string& name : programs)
    lines.push_back({name, [name](int load) { return program(name, {several, load}); }, 150});
  const std::string title = "Parts of PDE1, SOLVER and PDE2 over PC-AAL, several elements a cell";
  add_figure(experiment, "figure-5.17", title, shown[0], lines);
  add_figure(experiment, "figure-5.17", title, shown[1], lines);
  add_figure(experiment, "figure-5.18", title, shown[2], lines);
}

}  // namespace morgana::atm_transport_paper
