#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/itb/network_map.h"
#include "experiments/itb/rows.h"

// Figures 10 to 17: latency over accepted traffic, in-transit buffers, and how evenly cables are used.
namespace morgana::itb_paper {
namespace {

/// The seed whose factor is closest to the mean, from 0: of random networks the paper shows that one. A mean
/// over networks that saturate at different loads would show none of them.
std::size_t typical(const Laboratory& laboratory, const Condition& condition) {
  const double mean = laboratory.mean(condition, "factor");
  const std::vector<double> factors = laboratory.values(condition, "factor");
  const auto nearer = [mean](double a, double b) { return std::abs(a - mean) < std::abs(b - mean); };
  return static_cast<std::size_t>(std::min_element(factors.begin(), factors.end(), nearer) - factors.begin());
}

/// Up to where latency hides the rest.
Curve latency_curve(const Figures& figures, const std::string& routes) {
  constexpr double ns_per_us = 1000, too_high = 8;
  Curve curve{routes, {}};
  const double lowest = figures.at(routes + ".latency.0");
  for (int i = 0; i < static_cast<int>(figures.at(routes + ".points")); ++i) {
    const double latency = figures.at(fmt::format("{}.latency.{}", routes, i));
    if (latency > too_high * lowest) break;
    curve.points.push_back({figures.at(fmt::format("{}.accepted.{}", routes, i)), latency / ns_per_us});
  }
  return curve;
}

const char* unit_text(bool one_routing_unit) {
  return one_routing_unit ? ", one routing unit a switch" : "";
}

ExperimentFigure latency_figure(PaperTasks& tasks, const std::string& name, const std::string& network,
                                std::int64_t length = 512, bool one_routing_unit = false) {
  const Condition condition = tasks.saturation(network, "uniform", length, one_routing_unit);
  const auto draw = [=](const Laboratory& laboratory) {
    const std::size_t shown = typical(laboratory, condition);
    Curves curves;
    curves.title = fmt::format("{}{}, uniform traffic of {} B{}", network,
                               network.starts_with("irregular") ? fmt::format(" (seed {})", shown + 1) : "",
                               length, unit_text(one_routing_unit));
    curves.x_name = "accepted traffic (flits/ns/switch)";
    curves.y_name = "mean latency (us)";
    for (const char* const kind : {"up-down", "in-transit"})
      curves.curves.push_back(latency_curve(laboratory.outcomes(condition)[shown].figures, kind));
    return curves;
  };
  return {name, {condition}, draw};
}

/// In-transit packets at each interface, of the first seed.
ExperimentFigure interface_figure(PaperTasks& tasks, const std::string& name, double load,
                                  bool one_routing_unit) {
  const Condition condition = two_million_packets(tasks, load, one_routing_unit);
  const auto draw = [=](const Laboratory& laboratory) {
    Curves curves;
    curves.title = fmt::format("irregular:32 (seed 1), uniform traffic of 32 B at {} flits/ns/switch{}", load,
                               unit_text(one_routing_unit));
    curves.x_name = "interface (number of its host)";
    curves.y_name = "in-transit packets there";
    const Figures& figures = laboratory.outcomes(condition).front().figures;
    for (const char* const kind : {"most", "mean"}) {
      Curve curve{kind, {}};
      for (int host = 0; host < static_cast<int>(figures.at("interfaces")); ++host)
        curve.points.push_back(
            {static_cast<double>(host), figures.at(fmt::format("{}_packets.{}", kind, host))});
      curves.curves.push_back(std::move(curve));
    }
    return curves;
  };
  return {name, {condition}, draw};
}

/// Cables under some loads, of the first seed.
struct Links {
  std::string name, network, pattern;
  struct Loaded {
    std::string part, routes;
    double load;
    Condition condition = {};
  };
  std::vector<Loaded> loaded;
};

double busiest(const Laboratory& laboratory, const Links& links) {
  double most = 0;
  for (const Links::Loaded& one : links.loaded)
    most = std::max(most, laboratory.outcomes(one.condition).front().figures.at("greatest"));
  return most;
}

/// The network, in the colours of a part's utilisation: the same for all parts.
LinkMap map_of(const Laboratory& laboratory, const Links& links, const Links::Loaded& part) {
  LinkMap map = network_map(links.network, laboratory.outcomes(part.condition).front().figures);
  map.title = fmt::format("{}, {} routes, {}, 512 B at {} flits/ns/switch", links.network, part.routes,
                          links.pattern, part.load);
  map.darkest = busiest(laboratory, links);
  return map;
}

/// Each direction of each cable between switches, from the busiest to the idlest.
Curves sorted(const Laboratory& laboratory, const Links& links) {
  Curves curves;
  curves.title = fmt::format("{}, {}, 512 B", links.network, links.pattern);
  curves.x_name = "cables between switches (each direction), the busiest first";
  curves.y_name = "utilisation (%)";
  for (const Links::Loaded& part : links.loaded) {
    const Figures& figures = laboratory.outcomes(part.condition).front().figures;
    std::vector<double> shares;
    for (int i = 0; i < static_cast<int>(figures.at("links")); ++i)
      shares.push_back(percent * figures.at(fmt::format("link.{}", i)));
    std::sort(shares.rbegin(), shares.rend());
    Curve curve{fmt::format("{} at {}", part.routes, part.load), {}};
    for (std::size_t i = 0; i < shares.size(); ++i)
      curve.points.push_back({static_cast<double>(i + 1), shares[i]});
    curves.curves.push_back(std::move(curve));
  }
  return curves;
}

void add_links(Experiment& experiment, PaperTasks& tasks, Links links) {
  std::vector<Condition> needs;
  for (Links::Loaded& part : links.loaded) {
    part.condition = tasks.enter({.kind = PaperTask::Kind::load,
                                  .network = links.network,
                                  .pattern = links.pattern,
                                  .routes = part.routes,
                                  .load = part.load});
    needs.push_back(part.condition);
  }
  for (const Links::Loaded& part : links.loaded) {
    experiment.figures.push_back({links.name + part.part, needs, [links, part](const Laboratory& laboratory) {
                                    return map_of(laboratory, links, part);
                                  }});
  }
  experiment.figures.push_back({links.name + "-sorted", needs,
                                [links](const Laboratory& laboratory) { return sorted(laboratory, links); }});
}

}  // namespace

void add_figures(Experiment& experiment, PaperTasks& tasks) {
  auto& figures = experiment.figures;
  figures.push_back(latency_figure(tasks, "figure-10a", "irregular:16"));
  figures.push_back(latency_figure(tasks, "figure-10b", "irregular:32"));
  figures.push_back(latency_figure(tasks, "figure-10c", "irregular:64"));
  for (const bool one_unit : {false, true}) {
    const std::string ending = one_unit ? "-one-unit" : "";
    figures.push_back(latency_figure(tasks, "figure-11a" + ending, "irregular:32", 32, one_unit));
    figures.push_back(interface_figure(tasks, "figure-11b" + ending, 0.034, one_unit));
    figures.push_back(interface_figure(tasks, "figure-11c" + ending, 0.039, one_unit));
  }
  figures.push_back(latency_figure(tasks, "figure-12a", "torus"));
  figures.push_back(latency_figure(tasks, "figure-12b", "express-torus"));
  figures.push_back(latency_figure(tasks, "figure-12c", "cplant"));
  const auto both = [](double load) {
    return std::vector<Links::Loaded>{{"a", "up-down", load}, {"b", "in-transit", load}};
  };
  add_links(experiment, tasks, {"figure-13", "torus", "uniform", both(0.015)});
  add_links(experiment, tasks, {"figure-14", "torus", "uniform", {{"", "in-transit", 0.03}}});
  add_links(experiment, tasks, {"figure-15", "express-torus", "uniform", both(0.07)});
  add_links(experiment, tasks, {"figure-16", "torus", "hotspot:10%", both(0.0123)});
  add_links(experiment, tasks, {"figure-17", "express-torus", "hotspot:3%", both(0.0483)});
}

}  // namespace morgana::itb_paper
