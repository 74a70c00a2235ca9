#include <fmt/format.h>

#include <algorithm>

#include "experiments/itb/rows.h"

// Figures 10 to 17: latency over accepted traffic, and how evenly cables are used.
namespace morgana::itb_paper {
namespace {

const char* const routes[] = {"up-down", "in-transit"};

/// Of the first seed: a mean over networks that saturate at different loads would show none of them.
ExperimentFigure latency_figure(Tasks& tasks, const std::string& name, const std::string& network,
                                std::int64_t length = 512) {
  const Condition condition = tasks.saturation(network, "uniform", length);
  const auto draw = [condition, network, length](const Laboratory& laboratory) {
    Curves curves;
    curves.title = fmt::format("{}, uniform traffic of {} B", network, length);
    curves.x_name = "accepted traffic (flits/ns/switch)";
    curves.y_name = "mean latency (us)";
    const auto& figures = laboratory.outcomes(condition).front().figures;
    for (const char* kind : routes) {
      Curve curve{kind, {}};
      const double lowest = figures.at(fmt::format("{}.latency.0", kind));
      for (int i = 0; i < static_cast<int>(figures.at(fmt::format("{}.points", kind))); ++i) {
        constexpr double ns_per_us = 1000, too_high = 8;
        const double latency = figures.at(fmt::format("{}.latency.{}", kind, i));
        if (latency > too_high * lowest) break;
        curve.points.push_back({figures.at(fmt::format("{}.accepted.{}", kind, i)), latency / ns_per_us});
      }
      curves.curves.push_back(std::move(curve));
    }
    return curves;
  };
  return {name, {condition}, draw};
}

struct Loaded {
  std::string routes;
  double load;
};

/// Cables between switches, each direction, from the busiest to the idlest.
ExperimentFigure link_figure(Tasks& tasks, const std::string& name, const std::string& network,
                             const std::string& pattern, const std::vector<Loaded>& loads) {
  std::vector<std::pair<std::string, Condition>> series;
  std::vector<Condition> needs;
  for (const Loaded& one : loads) {
    needs.push_back(tasks.enter({.kind = Task::Kind::load,
                                 .network = network,
                                 .pattern = pattern,
                                 .routes = one.routes,
                                 .load = one.load}));
    series.emplace_back(fmt::format("{} at {}", one.routes, one.load), needs.back());
  }
  const auto draw = [series, network, pattern](const Laboratory& laboratory) {
    Curves curves;
    curves.title = fmt::format("{}, {}", network, pattern);
    curves.x_name = "cables between switches, the busiest first";
    curves.y_name = "utilisation (%)";
    for (const auto& [title, condition] : series) {
      const auto& figures = laboratory.outcomes(condition).front().figures;
      std::vector<double> links;
      for (int i = 0; i < static_cast<int>(figures.at("links")); ++i)
        links.push_back(100 * figures.at(fmt::format("link.{}", i)));
      std::sort(links.rbegin(), links.rend());
      Curve curve{title, {}};
      for (std::size_t i = 0; i < links.size(); ++i)
        curve.points.push_back({static_cast<double>(i + 1), links[i]});
      curves.curves.push_back(std::move(curve));
    }
    return curves;
  };
  return {name, needs, draw};
}

}  // namespace

void add_figures(Experiment& experiment, Tasks& tasks) {
  auto& figures = experiment.figures;
  figures.push_back(latency_figure(tasks, "figure-10a", "irregular:16"));
  figures.push_back(latency_figure(tasks, "figure-10b", "irregular:32"));
  figures.push_back(latency_figure(tasks, "figure-10c", "irregular:64"));
  figures.push_back(latency_figure(tasks, "figure-11a", "irregular:32", 32));
  figures.push_back(latency_figure(tasks, "figure-12a", "torus"));
  figures.push_back(latency_figure(tasks, "figure-12b", "express-torus"));
  figures.push_back(latency_figure(tasks, "figure-12c", "cplant"));
  figures.push_back(
      link_figure(tasks, "figure-13", "torus", "uniform", {{"up-down", 0.015}, {"in-transit", 0.015}}));
  figures.push_back(link_figure(tasks, "figure-14", "torus", "uniform", {{"in-transit", 0.03}}));
  figures.push_back(
      link_figure(tasks, "figure-15", "express-torus", "uniform", {{"up-down", 0.07}, {"in-transit", 0.07}}));
  figures.push_back(
      link_figure(tasks, "figure-16", "torus", "hotspot:10%", {{"up-down", 0.0123}, {"in-transit", 0.0123}}));
  figures.push_back(link_figure(tasks, "figure-17", "express-torus", "hotspot:3%",
                                {{"up-down", 0.0483}, {"in-transit", 0.0483}}));
}

}  // namespace morgana::itb_paper
