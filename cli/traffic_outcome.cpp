#include "cli/traffic_outcome.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/progress_bar.h"

namespace morgana::cli {

TrafficOutcome measure_traffic(const TrafficOptions& options, const LoadedNetwork& loaded) {
  const Destinations destinations(parse_pattern(options.pattern), loaded.graph, options.seed);
  const MyrinetUnderTest network = loaded.under_test();
  ProgressBar bar(options.quiet);
  const TrafficSettings settings = options.settings();
  TrafficOutcome outcome;
  const auto measure_one = [&](double load, double share) -> const MyrinetTraffic& {
    bar.show(fmt::format("load {:.4g} flits/ns/switch", load), share);
    const auto place =
        std::upper_bound(outcome.points.begin(), outcome.points.end(), load,
                         [](double value, const LoadedPoint& point) { return value < point.load; });
    return outcome.points.insert(place, {load, measure_myrinet(network, destinations, load, settings)})
        ->traffic;
  };
  const auto count = static_cast<double>(options.loads.size());
  for (std::size_t i = 0; i < options.loads.size(); ++i)
    measure_one(options.loads[i], static_cast<double>(i) / count);
  if (options.saturation) {
    constexpr double about_as_many = 20;
    const auto point = [&](double load) {
      const auto done = static_cast<double>(outcome.points.size());
      const MyrinetTraffic& traffic = measure_one(load, done / (done + about_as_many));
      return LoadPoint{load, traffic.accepted.mean, traffic.result.latency.mean, traffic.accepted.radius,
                       traffic.result.latency.radius};
    };
    outcome.saturation = find_saturation(point, {.lowest = idle_load(network)});
  }
  return outcome;
}

}  // namespace morgana::cli
