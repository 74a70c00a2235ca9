#include <fmt/format.h>

#include <cmath>

#include "cli/traffic/traffic_report.h"
#include "emulator/report/limits/bottleneck.h"
#include "emulator/report/readable.h"

namespace morgana::cli {
namespace {

/// Mean and greatest of the cables between switches.
RunningStatistics cables(const NetworkTraffic& traffic) {
  RunningStatistics statistics;
  for (const LinkLoad& link : traffic.links.loads)
    if (!link.from.is_host() && !link.to.is_host()) statistics.add(link.utilisation);
  return statistics;
}

std::string number(double value) {
  return readable_number(value);
}

/// "-" for what was not measured, or can't be told.
std::string known(bool measured, const std::string& format, double value) {
  return measured && std::isfinite(value) ? fmt::format(fmt::runtime(format), value) : "-";
}

std::string measured_number(bool measured, double value, int digits) {
  return measured && std::isfinite(value) ? readable_number(value, digits) : "-";
}

std::vector<std::string> cells(const TrafficOutcome& outcome, const LoadedPoint& point) {
  constexpr double percent = 100;
  const TrafficResult& result = point.traffic.result;
  const RunningStatistics used = cables(point.traffic);
  const bool measured = result.measured(), arrived = result.delivered > 0, joined = used.count() > 0;
  std::vector<std::string> row{number(point.load),
                               fmt::format("{:.1f}", outcome.percent(point.load)),
                               measured_number(measured, point.traffic.accepted.mean, 4),
                               known(measured, "{:.1f}", outcome.percent(point.traffic.accepted.mean)),
                               measured_number(measured, point.traffic.accepted.radius, 2),
                               known(arrived, "{:.0f}", result.latency.mean),
                               known(arrived, "{:.0f}", result.latency.radius),
                               known(arrived, "{:.0f}", result.latencies.median()),
                               known(arrived, "{:.0f}", result.latencies.quantile(0.95)),
                               known(arrived, "{:.0f}", result.latencies.quantile(0.99)),
                               known(measured && joined, "{:.1f}", percent * used.mean()),
                               known(measured && joined, "{:.1f}", percent * used.maximum())};
  if (point.myrinet) row.push_back(fmt::format("{}", point.myrinet->most_in_transit_packets));
  row.push_back(fmt::format("{}", result.lost));
  return row;
}

/// A steady state takes so many of each host.
std::string few_messages(const TrafficOutcome& outcome) {
  const TrafficSettings& settings = outcome.settings;
  const std::uint64_t all = settings.warm_up + settings.messages;
  if (settings.at_most > 0 || all >= least_messages_a_sender * outcome.senders) return "";
  return fmt::format(
      "--messages {} are too few for a steady state of {} hosts that send: {:.1f} of each with the warm-up. "
      "Leave "
      "--messages out, for as many as it takes.",
      settings.messages, outcome.senders, static_cast<double>(all) / static_cast<double>(outcome.senders));
}

std::string note_on(const TrafficOutcome& outcome, const LoadedPoint& point) {
  const TrafficSettings& settings = outcome.settings;
  const NetworkTraffic& traffic = point.traffic;
  if (point.deadlock())
    return fmt::format("At {:g} it is a deadlock: these routes allow one, and nothing moves any more.",
                       point.load);
  if (!traffic.standstill.empty())
    return fmt::format("At {:g} the load is given up: {}", point.load, traffic.standstill);
  if (traffic.result.stalled)
    return fmt::format("At {:g} the network carries next to nothing: given up.", point.load);
  // A network can't pass on more than it is given; short batches begin and end with what is under way.
  constexpr double by_chance = 1.02;
  if (traffic.accepted.least() > by_chance * point.load)
    return fmt::format(
        "At {:g} more seems to be accepted than is generated: {} messages are too few for {} batches; ask "
        "for "
        "more --messages.",
        point.load, settings.messages, settings.batches);
  // The highest load that is asked for by itself is the limit, whose last digits are by chance.
  constexpr double beyond = 1.001;
  std::string note;
  if (point.load > beyond * outcome.injection_limit)
    note = fmt::format("At {:g}: more than the hosts can send, {:.4g}; messages wait in them without end.",
                       point.load, outcome.injection_limit);
  return note;
}

/// Networks that were still filling up, or whose latency was still growing.
std::string not_settled(const TrafficOutcome& outcome) {
  std::string loads;
  double most = 0;
  for (const LoadedPoint& point : outcome.points) {
    const TrafficResult& result = point.traffic.result;
    if (result.stalled || result.settled) continue;
    loads += fmt::format("{}{}", loads.empty() ? "" : ", ", number(point.load));
    most = std::max(most, std::abs(result.change));
  }
  if (loads.empty()) return "";
  constexpr double percent = 100;
  return fmt::format(
      "Not settled at {}: latency or accepted traffic was still changing, the latter by up to {:.1f} % {}.",
      loads, percent * most,
      outcome.settings.at_most > 0
          ? "from the last window but one to the last"
          : "from the first half of the window to the second; ask for more --messages");
}

/// Signs of trouble, warm-up included, and the links that were busy most of the time, or because of these.
std::string bottleneck_at(const LoadedPoint& point) {
  constexpr std::size_t most_links = 3;
  constexpr double telling_utilisation = 0.5;
  const std::string trouble = trouble_text(point.traffic.troubles);
  const std::string busiest =
      busiest_links_text(point.traffic.links, most_links, trouble.empty() ? telling_utilisation : 0);
  if (trouble.empty() && busiest.empty()) return "";
  std::string note = fmt::format("At {:g}:", point.load);
  if (!trouble.empty()) note += fmt::format(" {}{}", trouble, busiest.empty() ? "" : ";");
  if (!busiest.empty()) note += " busiest links " + busiest;
  return note;
}

/// How packets wait for each other, once for all loads.
std::string circle_of(const TrafficNetwork& network, const TrafficOutcome& outcome) {
  for (const LoadedPoint& point : outcome.points)
    if (point.deadlock())
      return "Packets can wait for each other so, for example:\n" +
             describe(network.graph, point.myrinet->deadlock);
  return "";
}

}  // namespace

TextTable traffic_table(const TrafficOutcome& outcome) {
  std::vector<std::string> columns{"load", "load %", "accepted", "accepted %", "+-",       "latency",
                                   "+-",   "median", "95 %",     "99 %",       "cables %", "busiest %"};
  if (outcome.points.front().myrinet) columns.push_back("in transit");
  columns.push_back("lost");
  TextTable table(columns);
  for (const LoadedPoint& point : outcome.points) table.add(cells(outcome, point));
  return table;
}

std::vector<std::string> traffic_conditions(const TrafficOptions& options, const TrafficNetwork& network,
                                            const TrafficOutcome& outcome) {
  const TrafficSettings& settings = outcome.settings;
  const std::string messages =
      settings.at_most > 0
          ? fmt::format("as many messages at each load as it takes to settle, at most {}", settings.at_most)
          : fmt::format("{} messages after {} of warm-up", settings.messages, settings.warm_up);
  return {fmt::format("{} hosts at {} switches ({}{}), {} routes; {}, {} B, {} generation, seed {}",
                      network.hosts(), network.graph.switches(), network.platform.empty() ? "" : "platform ",
                      network.name, network.routes_word, options.pattern, options.length(), options.process(),
                      options.seed),
          fmt::format("Loads and accepted traffic in payload {}; in % of the {:.4g} that the hosts can send. "
                      "Latencies in "
                      "ns from generation; {}; 90 % intervals from {} batches.",
                      network.load_unit(), outcome.injection_limit, messages, settings.batches)};
}

std::vector<std::string> traffic_notes(const TrafficOutcome& outcome) {
  std::vector<std::string> notes;
  if (std::string note = few_messages(outcome); !note.empty()) notes.push_back(std::move(note));
  if (std::string note = not_settled(outcome); !note.empty()) notes.push_back(std::move(note));
  for (const LoadedPoint& point : outcome.points) {
    if (std::string note = note_on(outcome, point); !note.empty()) notes.push_back(std::move(note));
    if (std::string note = bottleneck_at(point); !note.empty()) notes.push_back(std::move(note));
  }
  return notes;
}

namespace {

/// Signs that some loads were measured before the network had filled.
std::string doubts(const TrafficOutcome& outcome, const Saturation& found) {
  for (const LoadedPoint& point : outcome.points)
    if (point.load == found.peak_load && !point.traffic.result.settled)
      return "\nThe network has not settled at the peak: check it with --messages and --warm-up.";
  constexpr double clearly_less = 0.98;
  double best = 0;
  for (const LoadPoint& point : found.points) {
    if (point.load > found.peak_load) break;
    if (point.accepted + point.accepted_radius < clearly_less * best)
      return fmt::format(
          "\nLess is accepted at a load of {} than at a lower one, below the peak: check both with "
          "--messages "
          "and --warm-up.",
          number(point.load));
    best = std::max(best, point.accepted);
  }
  if (found.knee.value_or(0) <= found.peak_load) return "";
  return "\nThe knee lies above the peak: check the loads between them with --messages and --warm-up.";
}

}  // namespace

std::string saturation_text(const TrafficOutcome& outcome) {
  if (!outcome.saturation) return "";
  const auto with_share = [&](double load) {
    return fmt::format("{} ({:.1f} %)", number(load), outcome.percent(load));
  };
  const Saturation& found = *outcome.saturation;
  return fmt::format("saturation: peak {} accepted, at a load of {}; {}{}", with_share(found.peak),
                     with_share(found.peak_load),
                     found.knee
                         ? fmt::format("knee (latency doubled) at a load of {}", with_share(*found.knee))
                         : "no knee: latency is less than doubled at all that the hosts can send",
                     doubts(outcome, found));
}

std::string traffic_text(const TrafficOptions& options, const TrafficNetwork& network,
                         const TrafficOutcome& outcome) {
  std::string text;
  for (const std::string& condition : traffic_conditions(options, network, outcome)) text += condition + '\n';
  text += '\n' + traffic_table(outcome).text();
  for (const std::string& note : traffic_notes(outcome)) text += note + '\n';
  text += circle_of(network, outcome);
  if (outcome.saturation) text += '\n' + saturation_text(outcome) + '\n';
  return text;
}

}  // namespace morgana::cli
