#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/link_layout.h"
#include "cli/progress_bar.h"
#include "cli/validators.h"
#include "emulator/core/error.h"
#include "emulator/report/curves.h"
#include "emulator/report/gnuplot.h"
#include "emulator/report/output_file.h"
#include "emulator/report/table.h"
#include "emulator/traffic/cabled.h"
#include "emulator/traffic/myrinet_traffic.h"

namespace morgana::cli {
namespace {

struct Options {
  std::string network = "torus", routes = "up-down", pattern = "uniform", process = "constant";
  std::string routing_unit = "each-output";
  std::vector<double> loads;
  bool saturation = false, quiet = false;
  std::int64_t length = 512;
  std::uint64_t messages = 20'000, warm_up = 0, batches = 20, seed = 1;
  std::string json, csv, plot;
};

/// A load and all that was found there.
struct Point {
  double load;
  MyrinetTraffic traffic;
};

struct Outcome {
  std::vector<Point> points;  // by load
  std::optional<Saturation> saturation;
};

TrafficSettings settings_of(const Options& options) {
  constexpr std::uint64_t warm_up_share = 4;
  TrafficSettings settings;
  settings.length = Bytes(options.length);
  settings.process = options.process == "constant" ? TrafficSettings::Process::constant
                                                   : TrafficSettings::Process::exponential;
  settings.messages = options.messages;
  settings.batches = options.batches;
  settings.warm_up = options.warm_up > 0 ? options.warm_up : options.messages / warm_up_share;
  settings.seed = options.seed;
  return settings;
}

void check(const Options& options) {
  if (options.loads.empty() && !options.saturation)
    throw Error("how much traffic? Say --load 0.015, in flits a nanosecond and switch, or --saturation");
  for (const double load : options.loads)
    if (!(load > 0 && load < 1000)) throw Error(fmt::format("--load {:g}: a load is more than 0", load));
  if (options.messages < options.batches) {
    throw Error(fmt::format("--messages {} make no {} batches: ask for more messages, or fewer --batches",
                            options.messages, options.batches));
  }
  if (!options.json.empty()) check_output(options.json);
  if (!options.csv.empty()) check_output(options.csv);
  if (!options.plot.empty()) gnuplot::terminal(options.plot, 1);
}

/// Mean and greatest of the cables between switches.
RunningStatistics cables(const SwitchGraph& graph, const MyrinetTraffic& traffic) {
  RunningStatistics statistics;
  for (const CableChannel channel : switch_channels(graph)) statistics.add(traffic.utilisation[channel]);
  return statistics;
}

Outcome measure(const Options& options, const MyrinetUnderTest& network, const Destinations& destinations) {
  ProgressBar bar(options.quiet);
  const TrafficSettings settings = settings_of(options);
  Outcome outcome;
  const auto measure_one = [&](double load, double share) -> const MyrinetTraffic& {
    bar.show(fmt::format("load {:.4g} flits/ns/switch", load), share);
    const auto place = std::upper_bound(outcome.points.begin(), outcome.points.end(), load,
                                        [](double value, const Point& point) { return value < point.load; });
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

std::string number(double value) {
  return fmt::format("{:.4g}", value);
}

std::vector<std::string> cells(const SwitchGraph& graph, const Point& point) {
  constexpr double percent = 100;
  const TrafficResult& result = point.traffic.result;
  const RunningStatistics used = cables(graph, point.traffic);
  return {number(point.load),
          number(point.traffic.accepted.mean),
          fmt::format("{:.2g}", point.traffic.accepted.radius),
          fmt::format("{:.0f}", result.latency.mean),
          fmt::format("{:.0f}", result.latency.radius),
          fmt::format("{:.0f}", result.latencies.median()),
          fmt::format("{:.0f}", result.latencies.quantile(0.95)),
          fmt::format("{:.0f}", result.latencies.quantile(0.99)),
          fmt::format("{:.1f}", percent * used.mean()),
          fmt::format("{:.1f}", percent * used.maximum()),
          fmt::format("{}", point.traffic.most_in_transit_packets),
          fmt::format("{}", result.lost)};
}

Table table_of(const SwitchGraph& graph, const Outcome& outcome) {
  Table table({"load", "accepted", "+-", "latency", "+-", "median", "95 %", "99 %", "cables %", "busiest %",
               "in transit", "lost"});
  for (const Point& point : outcome.points) table.add(cells(graph, point));
  return table;
}

std::string words(const Options& options, const SwitchGraph& graph, const Outcome& outcome) {
  const TrafficSettings settings = settings_of(options);
  std::string text =
      fmt::format("{} hosts at {} switches ({}), {} routes; {}, {} B, {} generation, seed {}\n",
                  graph.hosts(), graph.switches(), options.network, options.routes, options.pattern,
                  options.length, options.process, options.seed);
  text += fmt::format(
      "Loads and accepted traffic in payload flits/ns/switch, latencies in ns from generation; {} messages "
      "after {} of "
      "warm-up, 90 % intervals from {} batches.\n\n",
      settings.messages, settings.warm_up, settings.batches);
  text += table_of(graph, outcome).text();
  for (const Point& point : outcome.points) {
    if (point.traffic.result.stalled)
      text += fmt::format("At {:g} the network carries next to nothing: given up.\n", point.load);
  }
  if (outcome.saturation) {
    text += fmt::format("\nsaturation: peak {} accepted (at a load of {}), latency doubled at a load of {}\n",
                        number(outcome.saturation->peak), number(outcome.saturation->peak_load),
                        number(outcome.saturation->knee));
  }
  return text;
}

nlohmann::ordered_json json_of(const SwitchGraph& graph, const Point& point) {
  const TrafficResult& result = point.traffic.result;
  nlohmann::ordered_json entry{{"load", point.load},
                               {"accepted", point.traffic.accepted.mean},
                               {"accepted_radius_90", point.traffic.accepted.radius},
                               {"latency_ns", result.latency.mean},
                               {"latency_radius_90", result.latency.radius}};
  for (const int percent : {1, 5, 50, 95, 99})
    entry["percentiles_ns"][std::to_string(percent)] = result.latencies.quantile(percent / 100.0);
  entry["generated"] = result.generated;
  entry["delivered"] = result.delivered;
  entry["lost"] = result.lost;
  entry["warm_up_us"] = result.warm_up.seconds() * 1e6;
  entry["window_us"] = result.window.seconds() * 1e6;
  entry["stalled"] = result.stalled;
  entry["in_transit"] = {{"packets", point.traffic.in_transit},
                         {"overflows", point.traffic.overflows},
                         {"most_packets", point.traffic.most_in_transit_packets},
                         {"most_bytes", point.traffic.most_in_transit_bytes}};
  entry["cables"] = nlohmann::ordered_json::array();
  for (const CableChannel channel : switch_channels(graph)) {
    const SwitchPort sender = graph.sending_port(channel);
    entry["cables"].push_back({{"from", sender.at},
                               {"port", sender.port},
                               {"to", graph.receiver(channel).id},
                               {"utilisation", point.traffic.utilisation[channel]}});
  }
  return entry;
}

std::string json_text(const Options& options, const SwitchGraph& graph, const Outcome& outcome) {
  const TrafficSettings settings = settings_of(options);
  nlohmann::ordered_json report{{"network", options.network},
                                {"routes", options.routes},
                                {"routing_unit", options.routing_unit},
                                {"switches", graph.switches()},
                                {"hosts", graph.hosts()},
                                {"pattern", options.pattern},
                                {"process", options.process},
                                {"length", options.length},
                                {"seed", options.seed},
                                {"messages", settings.messages},
                                {"warm_up", settings.warm_up},
                                {"batches", settings.batches},
                                {"confidence", 0.9}};
  if (outcome.saturation) {
    report["saturation"] = {{"peak", outcome.saturation->peak},
                            {"peak_load", outcome.saturation->peak_load},
                            {"knee", outcome.saturation->knee}};
  }
  report["loads"] = nlohmann::ordered_json::array();
  for (const Point& point : outcome.points) report["loads"].push_back(json_of(graph, point));
  return report.dump(2) + '\n';
}

/// How many switches stand in a row of the picture; 0: in a circle.
unsigned columns_of(const std::string& network) {
  if (!network.starts_with("torus") && !network.starts_with("express-torus")) return 0;
  constexpr unsigned usual = 8;
  unsigned columns = usual;
  if (const std::size_t colon = network.find(':'); colon != std::string::npos)
    std::from_chars(network.data() + colon + 1, network.data() + network.size(), columns);
  return columns;
}

void draw_links(const Options& options, const SwitchGraph& graph, const Point& point) {
  LinkMap map = link_map(graph, columns_of(options.network), point.traffic.utilisation);
  map.title = fmt::format("{}, {} routes, {}, {} B at {:g} flits/ns/switch", options.network, options.routes,
                          options.pattern, options.length, point.load);
  draw(map, options.plot);
}

void draw_curve(const Options& options, const Outcome& outcome) {
  Curves curves;
  curves.title = fmt::format("{}, {} routes, {}, {} B", options.network, options.routes, options.pattern,
                             options.length);
  curves.x_name = "accepted traffic (flits/ns/switch)";
  curves.y_name = "mean latency (us)";
  Curve curve{options.routes, {}};
  // Beyond saturation latency grows with the time measured: it would hide the rest.
  constexpr double ns_per_us = 1000, too_high = 10;
  const double lowest = outcome.points.front().traffic.result.latency.mean;
  for (const Point& point : outcome.points) {
    const ConfidenceInterval& latency = point.traffic.result.latency;
    if (latency.mean > too_high * lowest) break;
    curve.points.push_back(
        {point.traffic.accepted.mean, latency.mean / ns_per_us, latency.radius / ns_per_us});
  }
  curves.curves.push_back(std::move(curve));
  draw(curves, options.plot);
}

int traffic(const Options& options) {
  check(options);
  const SwitchGraph graph = named_network(options.network, options.seed);
  graph.check_connected();
  const RouteTable routes = routes_of(graph, parse_route_kind(options.routes), options.seed);
  MyrinetParameters parameters;
  if (options.routing_unit == "each-switch") parameters.routing_unit = RoutingUnit::each_switch;
  const Destinations destinations(parse_pattern(options.pattern), graph, options.seed);
  const Outcome outcome = measure(options, {graph, routes, parameters}, destinations);
  if (!options.quiet) fmt::print("{}", words(options, graph, outcome));
  if (!options.csv.empty()) write_output(options.csv, table_of(graph, outcome).csv());
  if (!options.json.empty()) write_output(options.json, json_text(options, graph, outcome));
  if (!options.plot.empty()) {
    if (outcome.points.size() == 1)
      draw_links(options, graph, outcome.points.front());
    else
      draw_curve(options, outcome);
  }
  return 0;
}

}  // namespace

void add_traffic(CLI::App& app, CommandLine& line) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("traffic", "Load a Myrinet with generated messages and measure it");
  command
      ->add_option(
          "--network", options->network,
          "torus (torus:4x4x4), express-torus, cplant, now, irregular:32, fat-tree:4x2 or the file of a list "
          "(with a slash or ending in .txt)")
      ->type_name("NAME|FILE")
      ->capture_default_str();
  command->add_option("--routes", options->routes, "up-down, in-transit, minimal or shortest-up-down")
      ->type_name("KIND")
      ->check(one_of({"up-down", "in-transit", "minimal", "shortest-up-down"}))
      ->capture_default_str();
  command->add_option("--routing-unit", options->routing_unit, "What routing a header occupies")
      ->type_name("each-output|each-switch")
      ->check(one_of({"each-output", "each-switch"}))
      ->capture_default_str();
  command
      ->add_option(
          "--pattern", options->pattern,
          "uniform, bit-reversal, hotspot:5% (hotspot:5%@17: host 17), local:3 (at most three switches away: "
          "one cable; local:3-1: at most 3 - 1 cables)")
      ->type_name("PATTERN")
      ->capture_default_str();
  command
      ->add_option("--process", options->process,
                   "Every host generates at equal distances, or at random ones")
      ->type_name("constant|exponential")
      ->check(one_of({"constant", "exponential"}))
      ->capture_default_str();
  command->add_option("--length", options->length, "Of every message, in bytes")
      ->type_name("BYTES")
      ->check(whole_number(1, 1'000'000))
      ->capture_default_str();
  command->add_option("--load", options->loads, "Payload generated, in flits (bytes) a nanosecond and switch")
      ->type_name("LOAD,...")
      ->delimiter(',');
  command->add_flag("--saturation", options->saturation, "Find by itself what the network carries");
  command->add_option("--messages", options->messages, "To be measured at each load")
      ->type_name("N")
      ->check(whole_number(2, 1'000'000'000))
      ->capture_default_str();
  command->add_option("--warm-up", options->warm_up, "Messages before those; default: a quarter as many")
      ->type_name("N")
      ->check(whole_number(1, 1'000'000'000));
  command->add_option("--batches", options->batches, "Whose means make the intervals")
      ->type_name("N")
      ->check(whole_number(2, 10'000))
      ->capture_default_str();
  command->add_option("--seed", options->seed, "Of all that is left to chance")
      ->type_name("N")
      ->capture_default_str();
  command
      ->add_option("--json", options->json, "Write all of it, every cable too, as JSON; - is standard output")
      ->type_name("FILE");
  command->add_option("--csv", options->csv, "Write the table as CSV; - is standard output")
      ->type_name("FILE");
  command
      ->add_option("--plot", options->plot,
                   "Draw the cables' utilisation at one load, or latency over accepted traffic: .svg or .png")
      ->type_name("FILE");
  command->add_flag("-q,--quiet", options->quiet, "No table, no progress bar");
  command->footer(R"(
Hosts generate messages whatever becomes of them (open loop); latencies include the wait in the host. Saturation
is told by two measures: the highest traffic that is accepted at any load, and the load at which the mean
latency is twice that of a low one.

Examples:
  morgana traffic --load 0.015 --plot links.svg
  morgana traffic --network torus --routes in-transit --saturation --plot latency.svg
  morgana traffic --network irregular:32 --pattern hotspot:15% --length 32 --load 0.01,0.02 --json -)");
  command->callback([options, &line] { line.action = [options] { return traffic(*options); }; });
}

}  // namespace morgana::cli
