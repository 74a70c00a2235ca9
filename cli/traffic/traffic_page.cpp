#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "cli/traffic/traffic_report.h"
#include "emulator/core/error.h"
#include "report/chart_page.h"

namespace morgana::cli {
namespace {

constexpr double ns_per_us = 1000;

/// Of each load that has delivered something, the latencies below which so many of 100 messages stay.
Curves percentiles(const TrafficNetwork& network, const TrafficOutcome& outcome) {
  Curves curves;
  curves.title = "so many of 100 messages are faster";
  curves.x_name = fmt::format("load ({})", network.load_unit());
  curves.y_name = "latency (us)";
  curves.logarithmic_y = true;
  for (const int percent : {1, 5, 50, 95, 99}) {
    Curve curve{fmt::format("{}", percent), {}};
    for (const LoadedPoint& point : outcome.points) {
      const TrafficResult& result = point.traffic.result;
      if (result.delivered == 0) continue;
      curve.points.push_back({point.load, result.latencies.quantile(percent / 100.0) / ns_per_us, 0});
    }
    curves.curves.push_back(std::move(curve));
  }
  return curves;
}

Curves accepted(const TrafficNetwork& network, const TrafficOutcome& outcome) {
  Curves curves;
  curves.title = "what the network carries of what is generated";
  curves.x_name = fmt::format("load ({})", network.load_unit());
  curves.y_name = fmt::format("accepted ({})", network.load_unit());
  Curve found{"accepted", {}}, all{"all of it", {}, Curve::Style::line};
  for (const LoadedPoint& point : outcome.points) {
    all.points.push_back({point.load, point.load, 0});
    if (!point.traffic.result.measured()) continue;
    const ConfidenceInterval& carried = point.traffic.accepted;
    found.points.push_back({point.load, carried.mean, std::isfinite(carried.radius) ? carried.radius : 0});
  }
  curves.curves = {std::move(found), std::move(all)};
  return curves;
}

/// The network at each load; drawn darkest where it is busiest at any of them, so that loads compare.
void add_maps(ChartPage& page, const TrafficOptions& options, const TrafficNetwork& network,
              const TrafficOutcome& outcome) {
  ChartSection section{"The network", "Each direction of a cable by itself, on the right of who sends.", {}};
  double busiest = 0;
  for (const LoadedPoint& point : outcome.points)
    for (const LinkLoad& link : point.traffic.links.loads) busiest = std::max(busiest, link.utilisation);
  try {
    for (const LoadedPoint& point : outcome.points) {
      LinkMap map = links_picture(options, network, point);
      map.darkest = busiest;
      section.figures.emplace_back(
          fmt::format("load {:.4g} ({:.1f} %)", point.load, outcome.percent(point.load)), std::move(map));
    }
    page.sections.push_back(std::move(section));
  } catch (const Error& error) {
    page.notices.push_back(fmt::format("the network is not drawn: {}", error.what()));
  }
}

}  // namespace

std::string traffic_page(const TrafficOptions& options, const TrafficNetwork& network,
                         const TrafficOutcome& outcome) {
  ChartPage page;
  page.title = fmt::format("{} under load", network.name);
  page.facts = traffic_conditions(options, network, outcome);
  page.answer = saturation_text(outcome);
  page.notices = traffic_notes(outcome);
  if (outcome.points.size() > 1) {
    Curves latency = latency_picture(options, network, outcome);
    latency.title.clear();
    page.sections.push_back({"Latency and load",
                             "With 90 % confidence intervals.",
                             {{"mean latency", std::move(latency)},
                              {"latencies by share", percentiles(network, outcome)},
                              {"accepted traffic", accepted(network, outcome)}}});
  }
  page.sections.push_back({"Loads", "", {{"loads", chart_table(traffic_table(outcome))}}});
  add_maps(page, options, network, outcome);
  return chart_page(page);
}

}  // namespace morgana::cli
