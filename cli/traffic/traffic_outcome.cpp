#include "cli/traffic/traffic_outcome.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/common/progress_bar.h"

namespace morgana::cli {
namespace {

/// One short window.
TrafficSettings glance_of(TrafficSettings settings, std::size_t senders) {
  constexpr std::uint64_t of_each = 10;
  settings.at_most = 0;
  settings.warm_up = std::min(settings.warm_up, of_each * senders);
  settings.messages = std::max(settings.batches, std::min(settings.messages, of_each * senders));
  return settings;
}

}  // namespace

TrafficOutcome measure_traffic(const TrafficOptions& options, const TrafficNetwork& network) {
  const Destinations destinations(parse_pattern(options.pattern), network.graph, options.seed,
                                  network.hosts());
  ProgressBar bar(options.quiet, ProgressBar::Elsewhere::lines);
  TrafficOutcome outcome;
  for (HostNumber host = 0; host < destinations.hosts(); ++host)
    outcome.senders += destinations.sends(host) ? 1 : 0;
  const TrafficSettings settings = outcome.settings = options.settings(outcome.senders);
  outcome.injection_limit = network.injection_limit(settings);
  const auto measure_one = [&](double load, double share) -> const NetworkTraffic& {
    bar.show(fmt::format("load {:.4g} {} ({:.1f} % of what hosts can send)", load, network.load_unit(),
                         outcome.percent(load)),
             share);
    const auto place =
        std::upper_bound(outcome.points.begin(), outcome.points.end(), load,
                         [](double value, const LoadedPoint& point) { return value < point.load; });
    return outcome.points.insert(place, network.measure(destinations, load, settings))->traffic;
  };
  const auto count = static_cast<double>(options.loads.size());
  for (std::size_t i = 0; i < options.loads.size(); ++i)
    measure_one(options.loads[i], static_cast<double>(i) / count);
  if (options.saturation) {
    constexpr double about_as_many = 20;
    const auto point = [&](double load) {
      const auto done = static_cast<double>(outcome.points.size());
      const NetworkTraffic& traffic = measure_one(load, done / (done + about_as_many));
      return LoadPoint{load,
                       traffic.accepted.mean,
                       traffic.result.latency.mean,
                       traffic.accepted.radius,
                       traffic.result.latency.radius,
                       traffic.result.stalled};
    };
    const TrafficSettings short_window = glance_of(settings, outcome.senders);
    const auto glance = [&](double load) {
      bar.show(fmt::format("looking at a load of {:.4g} {}", load, network.load_unit()), 0);
      const NetworkTraffic traffic = network.measure(destinations, load, short_window).traffic;
      return LoadPoint{load, traffic.accepted.mean, traffic.result.latency.mean, 0,
                       0,    traffic.result.stalled};
    };
    outcome.saturation = find_saturation(point, {.highest = outcome.injection_limit,
                                                 .lowest = network.idle_load(settings),
                                                 .closest = 1.02,
                                                 .glance = glance});
  }
  return outcome;
}

}  // namespace morgana::cli
