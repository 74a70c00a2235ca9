#include <fmt/format.h>

#include "cli/traffic/traffic_report.h"
#include "emulator/report/link_report.h"
#include "emulator/report/pictures/curves.h"
#include "emulator/report/pictures/network_layout.h"

namespace morgana::cli {
LinkMap links_picture(const TrafficOptions& options, const TrafficNetwork& network,
                      const LoadedPoint& point) {
  LinkMap map = map_of(point.traffic.links, network.shape, true);
  map.title = fmt::format("{}, {} routes, {}, {} B at {:g} {}", network.name, network.routes_word,
                          options.pattern, options.length(), point.load, network.load_unit());
  map.caption = busiest_text(point.traffic.links);
  return map;
}

Curves latency_picture(const TrafficOptions& options, const TrafficNetwork& network,
                       const TrafficOutcome& outcome) {
  Curves curves;
  curves.title = fmt::format("{}, {} routes, {}, {} B", network.name, network.routes_word, options.pattern,
                             options.length());
  curves.x_name = fmt::format("accepted traffic ({})", network.load_unit());
  curves.y_name = "mean latency (us)";
  Curve curve{network.platform.empty() ? network.routes_word : network.platform, {}};
  // Beyond saturation latency grows with the time measured: it would hide the rest.
  constexpr double ns_per_us = 1000, too_high = 10;
  const double lowest = outcome.points.front().traffic.result.latency.mean;
  for (const LoadedPoint& point : outcome.points) {
    const ConfidenceInterval& latency = point.traffic.result.latency;
    if (latency.mean > too_high * lowest) break;
    curve.points.push_back(
        {point.traffic.accepted.mean, latency.mean / ns_per_us, latency.radius / ns_per_us});
  }
  curves.curves.push_back(std::move(curve));
  return curves;
}

void draw_traffic(const TrafficOptions& options, const TrafficNetwork& network,
                  const TrafficOutcome& outcome) {
  if (outcome.points.size() == 1)
    draw(links_picture(options, network, outcome.points.front()), options.plot);
  else
    draw(latency_picture(options, network, outcome), options.plot);
}

}  // namespace morgana::cli
