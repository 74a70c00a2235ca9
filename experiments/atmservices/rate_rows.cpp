#include <fmt/format.h>

#include <algorithm>

#include "experiments/atmservices/rows.h"

namespace morgana::atm_services_paper {
namespace {

constexpr int load_of_section = 80;
/// The range of Figures 6.18 and 6.19 is not printed.
constexpr double peaks[] = {20, 50, 100, 150};
constexpr Service judged_services[] = {Service::abr, Service::switching};
constexpr double minima[] = {0, 7.5, 20, 35, 50};

std::vector<Point> with_peaks(const std::string& program, Service service) {
  std::vector<Point> points;
  for (const double peak : peaks) points.push_back({program, service, load_of_section, peak, 0});
  return points;
}

std::vector<Point> with_minima(const std::string& program, Service service) {
  std::vector<Point> points;
  for (const double minimum : minima) points.push_back({program, service, load_of_section, 50, minimum});
  return points;
}

/// The longest mean latency over the shortest.
double spread(const Laboratory& laboratory, const std::vector<Point>& points) {
  double least = latency(laboratory, points.front()), greatest = least;
  for (const Point& point : points) {
    least = std::min(least, latency(laboratory, point));
    greatest = std::max(greatest, latency(laboratory, point));
  }
  return greatest / least;
}

std::string told(const Laboratory& laboratory, const std::vector<Point>& points, bool minimum) {
  std::string text;
  for (const Point& point : points)
    text += fmt::format("{}{} Mb/s: {:.3g} ms", text.empty() ? "" : ", ",
                        minimum ? point.minimum_mbps : point.peak_mbps, 1e3 * latency(laboratory, point));
  return text;
}

Row spread_row(const std::string& id, const std::string& title, const std::string& paper, double limit,
               const std::vector<Point>& points, bool minimum) {
  Row row{id, title, paper, "", RowKind::shape, at_most(limit)};
  row.needs = conditions_of(points);
  row.measure = [points, minimum](const Laboratory& laboratory) {
    Measurement measurement = measured(spread(laboratory, points));
    measurement.runs = laboratory.seeds();
    measurement.text = told(laboratory, points, minimum);
    return measurement;
  };
  return row;
}

void add_gain(Experiment& experiment, const std::string& program, Service service) {
  const Point without{program, service, load_of_section}, with{program, service, load_of_section, 50, 35};
  Row row{
      fmt::format("A-72.{}-{}", program, word_of(service)),
      fmt::format("latency of {}'s cells over {} at rho 0.8 without a minimum rate over that with 35 Mb/s",
                  printed_name(program), to_text(service)),
      "about 10",
      "",
      RowKind::statistical,
      between(5, 20),
      Standing::contradicted};
  row.needs = conditions_of({without, with});
  row.note =
      "ERICA leaves a source at least its fair part among the active ones, 12.7 Mb/s of ten and one here, so "
      "that a burst can't take ten times as long as at 35 Mb/s.";
  row.measure = [without, with](const Laboratory& laboratory) {
    return measured(laboratory.quotient(loaded(without), loaded(with), "cell_latency_s"), laboratory.seeds());
  };
  experiment.rows.push_back(row);
}

void add_unchanged_use(Experiment& experiment, const std::string& program) {
  const Point without{program, Service::switching, load_of_section},
      with{program, Service::switching, load_of_section, 50, 35};
  Row row{fmt::format("A-72.{}-use", program),
          fmt::format("points by which 35 Mb/s change {}'s share of cells over ABR at rho 0.8",
                      printed_name(program)),
          "0",
          "points",
          RowKind::statistical,
          within(0, 10)};
  row.needs = conditions_of({without, with});
  row.measure = [without, with](const Laboratory& laboratory) {
    Measurement change = measured(
        100 * (laboratory.mean(loaded(with), "abr_share") - laboratory.mean(loaded(without), "abr_share")));
    change.runs = laboratory.seeds();
    return change;
  };
  experiment.rows.push_back(row);
}

using Points = std::vector<Point>;
using Series = std::vector<std::pair<std::string, Points>>;

/// A curve of latency for each service over what changes from point to point.
void add_figure(Experiment& experiment, const std::string& name, const std::string& title,
                const std::string& x_name, const Series& series, double (*x_of)(const Point&)) {
  ExperimentFigure figure{name, {}, {}};
  for (const auto& [label, points] : series)
    for (const Condition& condition : conditions_of(points)) figure.needs.push_back(condition);
  figure.draw = [=](const Laboratory& laboratory) {
    Curves curves{title, x_name, "mean latency of a cell (ms)", false, true, {}, {}};
    for (const auto& [label, points] : series) {
      Curve curve{label, {}};
      for (const Point& point : points) {
        const ConfidenceInterval interval = laboratory.interval(loaded(point), "cell_latency_s");
        curve.points.push_back({x_of(point), 1e3 * interval.mean, 1e3 * interval.radius});
      }
      curves.curves.push_back(std::move(curve));
    }
    return curves;
  };
  experiment.figures.push_back(std::move(figure));
}

double peak_of(const Point& point) {
  return point.peak_mbps;
}
double minimum_of(const Point& point) {
  return point.minimum_mbps;
}
double load_of(const Point& point) {
  return point.load / 100.0;
}

Points over_loads(const std::string& program, Service service, double minimum) {
  Points points;
  for (const int load : loads_of(program)) points.push_back({program, service, load, 50, minimum});
  return points;
}

/// A curve of a share over rho for each service.
void add_shares(Experiment& experiment, const std::string& name, const std::string& title,
                const std::string& y_name, const std::string& of, const Series& series) {
  ExperimentFigure figure{name, {}, {}};
  for (const auto& [label, points] : series)
    for (const Condition& condition : conditions_of(points)) figure.needs.push_back(condition);
  figure.draw = [=](const Laboratory& laboratory) {
    Curves curves{title, "rho", y_name, false, false, {}, {}};
    for (const auto& [label, points] : series) {
      Curve curve{label, {}};
      for (const Point& point : points) {
        const ConfidenceInterval interval = laboratory.interval(loaded(point), of);
        curve.points.push_back({load_of(point), 100 * interval.mean, 100 * interval.radius});
      }
      curves.curves.push_back(std::move(curve));
    }
    return curves;
  };
  experiment.figures.push_back(std::move(figure));
}

}  // namespace

void add_rates(Experiment& experiment) {
  for (const std::string& program : programs)
    for (const Service service : judged_services)
      experiment.rows.push_back(spread_row(
          fmt::format("A-71.{}-{}", program, word_of(service)),
          fmt::format(
              "greatest over least latency of {}'s cells over {} with ABR's peak 20 to 150 Mb/s at rho 0.8",
              printed_name(program), to_text(service)),
          "negligible", 1.25, with_peaks(program, service), false));
  for (const std::string& program : programs) {
    for (const Service service : judged_services) add_gain(experiment, program, service);
    add_unchanged_use(experiment, program);
  }
  for (const std::string& program : programs)
    for (const Service service : judged_services) {
      std::vector<Point> points = with_minima(program, service);
      points.erase(points.begin());  // without a minimum
      experiment.rows.push_back(spread_row(
          fmt::format("A-73.{}-{}", program, word_of(service)),
          fmt::format(
              "greatest over least latency of {}'s cells over {} with minima of 7.5 to 50 Mb/s at rho 0.8",
              printed_name(program), to_text(service)),
          "slight", 2, points, true));
    }
  const std::string number_of_peaks[] = {"figure-6.18", "figure-6.19"};
  const std::string number_of_minimum[] = {"figure-6.20", "figure-6.21"};
  for (std::size_t number = 0; number < 2; ++number) {
    const std::string& program = programs[number];
    const std::string name = printed_name(program);
    Series over_peaks, with_and_without;
    for (const Service service : judged_services) {
      over_peaks.emplace_back(to_text(service), with_peaks(program, service));
      with_and_without.emplace_back(to_text(service), over_loads(program, service, 0));
      with_and_without.emplace_back(to_text(service) + ", 35 Mb/s", over_loads(program, service, 35));
    }
    add_figure(experiment, number_of_peaks[number], name + " at rho 0.8", "ABR's peak rate (Mb/s)",
               over_peaks, peak_of);
    add_figure(experiment, number_of_minimum[number], name + " with and without a minimum rate", "rho",
               with_and_without, load_of);
  }
  Series over_minima;
  for (const std::string& program : programs)
    for (const Service service : judged_services)
      over_minima.emplace_back(printed_name(program) + ", " + to_text(service),
                               with_minima(program, service));
  add_figure(experiment, "figure-6.22", "Latency at rho 0.8", "ABR's minimum rate (Mb/s)", over_minima,
             minimum_of);
}

void add_load_figures(Experiment& experiment) {
  for (const std::string& program : programs) {
    Series latencies;
    for (const Service service : all_services)
      latencies.emplace_back(to_text(service), over_loads(program, service, 0));
    add_figure(experiment, "figure-6.15-" + program, printed_name(program), "rho", latencies, load_of);
    add_shares(experiment, "figure-6.16-" + program, printed_name(program), "cells lost (%)", "loss",
               {{"UBR only", over_loads(program, Service::ubr, 0)},
                {"switching ECE", over_loads(program, Service::switching, 0)}});
    add_shares(experiment, "figure-6.17-" + program, printed_name(program), "cells over ABR (%)", "abr_share",
               {{"switching ECE", over_loads(program, Service::switching, 0)},
                {"duplicating ECE", over_loads(program, Service::duplicating, 0)}});
  }
}

}  // namespace morgana::atm_services_paper
