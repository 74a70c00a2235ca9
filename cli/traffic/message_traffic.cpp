#include "cli/traffic/message_traffic.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/common/progress_bar.h"
#include "emulator/core/error.h"
#include "emulator/report/json_text.h"
#include "emulator/report/readable.h"

namespace morgana::cli {
namespace {

constexpr double percent = 100, ns_in_us = 1'000;

std::string decimal_size(Bytes size) {
  constexpr std::int64_t kilo = 1'000;
  const std::int64_t bytes = size.count();
  if (bytes >= kilo * kilo * kilo) return fmt::format("{:g} GB", static_cast<double>(bytes) / 1e9);
  if (bytes >= kilo * kilo) return fmt::format("{:g} MB", static_cast<double>(bytes) / 1e6);
  if (bytes >= kilo) return fmt::format("{:g} kB", static_cast<double>(bytes) / 1e3);
  return fmt::format("{} B", bytes);
}

std::vector<std::string> cells(const MessagePoint& point, const std::string& sizes, const MessageTimes& times,
                               bool with_missing) {
  std::vector<std::string> row{point.load > 0 ? readable_number(point.load) : "-", sizes,
                               std::to_string(times.ns.summary().count())};
  const bool any = times.ns.summary().count() > 0, compared = times.slowdowns.summary().count() > 0;
  row.push_back(any ? readable_number(times.ns.summary().mean() / ns_in_us) : "-");
  for (const double share : {0.5, 0.95, 0.99})
    row.push_back(any ? readable_number(times.ns.quantile(share) / ns_in_us) : "-");
  row.push_back(compared ? fmt::format("{:.2f}", times.slowdowns.summary().mean()) : "-");
  for (const double share : {0.5, 0.95, 0.99})
    row.push_back(compared ? fmt::format("{:.2f}", times.slowdowns.quantile(share)) : "-");
  if (with_missing)
    for (const std::uint64_t missing : {times.lost, times.unfinished, times.without_slowdown()})
      row.push_back(std::to_string(missing));
  return row;
}

nlohmann::ordered_json json_of(const MessageTimes& times) {
  nlohmann::ordered_json one{{"up_to_bytes", times.up_to.count()},
                             {"messages", times.ns.summary().count()},
                             {"with_slowdown", times.slowdowns.summary().count()},
                             {"lost", times.lost},
                             {"unfinished", times.unfinished}};
  const auto add = [&](const char* name, const Distribution& values, double unit) {
    if (values.summary().count() == 0) return;
    one[name]["mean"] = values.summary().mean() / unit;
    for (const int share : {5, 50, 95, 99})
      one[name]["percentiles"][std::to_string(share)] = values.quantile(share / percent) / unit;
  };
  add("completion_us", times.ns, ns_in_us);
  add("slowdown", times.slowdowns, 1);
  return one;
}

std::string sizes_word(const TrafficOptions& options) {
  std::string text = options.sizes.empty() ? fmt::format("messages of {} B", options.length())
                                           : "messages of sizes " + options.sizes;
  if (options.reply > 0) text += fmt::format(", replies of {} B", options.reply);
  if (options.outstanding > 0) text += fmt::format(", {} under way a host", options.outstanding);
  return text;
}

}  // namespace

MessageOutcome measure_messages(const TrafficOptions& options, const TrafficNetwork& network) {
  if (network.myrinet)
    throw Error(
        "--sizes, --reply and --outstanding are for networks that cut messages into packets, and a Myrinet "
        "carries each in one piece: name another platform, or use --length");
  const Destinations destinations(parse_pattern(options.pattern), network.graph, options.seed,
                                  network.hosts());
  MessageOutcome outcome;
  std::uint64_t& senders = outcome.senders;
  for (HostNumber host = 0; host < destinations.hosts(); ++host) senders += destinations.sends(host) ? 1 : 0;
  outcome.hosts_per_switch = network.other.hosts_per_switch();
  MessageLoopSettings& settings = outcome.settings;
  settings.sizes =
      options.sizes.empty() ? MessageSizes(Bytes(options.length())) : MessageSizes::named(options.sizes);
  settings.process = options.process() == "constant" ? TrafficSettings::Process::constant
                                                     : TrafficSettings::Process::exponential;
  settings.outstanding = options.outstanding;
  settings.reply = Bytes(options.reply);
  constexpr std::uint64_t a_sender = 100, least = 1'000, warm_up_share = 4;
  settings.messages = options.messages > 0 ? options.messages : std::max(least, a_sender * senders);
  settings.warm_up = options.warm_up > 0
                         ? options.warm_up
                         : std::max(settings.messages / warm_up_share, senders * settings.outstanding);
  settings.seed = options.seed;
  {
    constexpr std::int64_t most = 65'536;  // of networks that carry any length
    EventQueue events;
    settings.packet = std::min(Bytes(most), network.other.make(events, options.seed)->largest_unit());
  }
  TrafficSettings packets;
  packets.length = settings.packet;
  packets.seed = options.seed;
  outcome.injection_limit = morgana::injection_limit(network.other, packets);
  ProgressBar bar(options.quiet);
  const std::vector<double> loads = settings.outstanding > 0 ? std::vector<double>{0} : options.loads;
  for (std::size_t n = 0; n < loads.size(); ++n) {
    bar.show(sizes_word(options), static_cast<double>(n) / static_cast<double>(loads.size()));
    MessageLoopSettings one = settings;
    one.load = loads[n] / outcome.hosts_per_switch;
    outcome.points.push_back({loads[n], run_messages(network.other, destinations, one)});
  }
  return outcome;
}

TextTable messages_table(const MessageOutcome& outcome, bool all_columns) {
  const bool with_missing = all_columns || std::ranges::any_of(outcome.points, [](const MessagePoint& point) {
                              const MessageTimes& all = point.result.all;
                              return all.lost + all.unfinished + all.without_slowdown() > 0;
                            });
  std::vector<std::string> columns{"load", "size",     "messages", "mean us", "median", "95 %",
                                   "99 %", "slowdown", "median",   "95 %",    "99 %"};
  if (with_missing) columns.insert(columns.end(), {"lost", "not done", "no slowdown"});
  TextTable table(columns);
  for (const MessagePoint& point : outcome.points) {
    for (const MessageTimes& one : point.result.classes)
      table.add(cells(point, "to " + decimal_size(one.up_to), one, with_missing));
    table.add(cells(point, "all", point.result.all, with_missing));
  }
  return table;
}

namespace {

/// What of a load is missing from the table, and whether the load could be.
std::string notes_on(const MessagePoint& point, const MessageOutcome& outcome) {
  const MessageLoopResult& result = point.result;
  std::string text;
  if (result.lost > 0)
    text += fmt::format(
        "{} of {} messages, of {} hosts, lost a packet, which nothing repeats here; a closed loop goes on "
        "after "
        "what the message takes alone.\n",
        result.lost, result.measured, result.lost_hosts);
  if (result.unfinished > 0)
    text += fmt::format("Given up with {} of {} messages not done, which the times leave out: {}.\n",
                        result.unfinished, result.measured,
                        result.overloaded
                            ? "ever more messages are under way, so that the network does not carry this load"
                            : "none of their packets moves any more");
  if (const std::uint64_t missing = result.all.without_slowdown(); missing > 0)
    text += fmt::format("Of {} messages it is not known what they take alone: slowdowns are of the others.\n",
                        missing);
  constexpr double beyond = 1.001;
  if (point.load > 0 && outcome.with_replies(point.load) > beyond * outcome.injection_limit)
    text += "That is more than the hosts can send; messages wait in them without end.\n";
  if (!result.standstill.empty()) text += result.standstill + '\n';
  return text;
}

}  // namespace

std::string messages_text(const TrafficOptions& options, const TrafficNetwork& network,
                          const MessageOutcome& outcome) {
  const MessageLoopSettings& settings = outcome.settings;
  std::string text =
      fmt::format("{} hosts at {} switches ({}{}), {} routes; {}, {}, {}, seed {}\n", network.hosts(),
                  network.graph.switches(), network.platform.empty() ? "" : "platform ", network.name,
                  network.routes_word, options.pattern, sizes_word(options),
                  settings.outstanding > 0 ? "closed loop" : options.process() + " generation", options.seed);
  text += fmt::format(
      "Completion from generation to the last byte{}; slowdown against the same alone in the network, in "
      "packets of {} "
      "B. {} messages after {} of warm-up.\n\n",
      settings.reply > Bytes(0) ? " of the reply" : "", settings.packet.count(), settings.messages,
      settings.warm_up);
  text += messages_table(outcome, false).text();
  for (const MessagePoint& point : outcome.points) {
    const double delivered = point.result.delivered * outcome.hosts_per_switch;
    const double load = outcome.with_replies(point.load);
    std::string at = "Closed loop";
    if (point.load > 0) {
      at = fmt::format("At {}", readable_number(point.load));
      if (settings.reply > Bytes(0))
        at += fmt::format(" of requests, {} with replies", readable_number(load));
      at += fmt::format(" ({:.1f} % of the {:.4g} that the hosts can send)",
                        percent * load / outcome.injection_limit, outcome.injection_limit);
    }
    text += fmt::format("{}: {} {} delivered ({:.1f} %).\n", at, readable_number(delivered),
                        network.load_unit(), percent * delivered / outcome.injection_limit);
    text += notes_on(point, outcome);
  }
  if (const std::uint64_t first = outcome.senders * settings.outstanding; settings.warm_up < first)
    text += fmt::format(
        "--warm-up {} is less than the {} messages that the hosts begin with: what is measured is how the "
        "closed loop begins.\n",
        settings.warm_up, first);
  return text;
}

std::string messages_json(const TrafficOptions& options, const TrafficNetwork& network,
                          const MessageOutcome& outcome) {
  const MessageLoopSettings& settings = outcome.settings;
  nlohmann::ordered_json report{{"network", network.name}};
  if (!network.platform.empty()) {
    report["platform"] = network.platform;
    report["set"] = options.overrides;
  }
  report.update({{"routes", network.routes_word},
                 {"load_unit", network.load_unit()},
                 {"injection_limit", outcome.injection_limit},
                 {"switches", network.graph.switches()},
                 {"hosts", network.hosts()},
                 {"pattern", options.pattern},
                 {"process", settings.outstanding > 0 ? "closed loop" : options.process()},
                 {"sizes", options.sizes.empty() ? std::to_string(options.length()) : options.sizes},
                 {"reply", options.reply},
                 {"outstanding", options.outstanding},
                 {"packet", settings.packet.count()},
                 {"seed", options.seed},
                 {"messages", settings.messages},
                 {"warm_up", settings.warm_up}});
  report["loads"] = nlohmann::ordered_json::array();
  for (const MessagePoint& point : outcome.points) {
    nlohmann::ordered_json one{{"load", point.load},
                               {"with_replies", outcome.with_replies(point.load)},
                               {"delivered", point.result.delivered * outcome.hosts_per_switch},
                               {"measured", point.result.measured},
                               {"lost", point.result.lost},
                               {"lost_hosts", point.result.lost_hosts},
                               {"unfinished", point.result.unfinished},
                               {"overloaded", point.result.overloaded},
                               {"all", json_of(point.result.all)},
                               {"sizes", nlohmann::ordered_json::array()}};
    if (!point.result.standstill.empty()) one["standstill"] = point.result.standstill;
    for (const MessageTimes& times : point.result.classes) one["sizes"].push_back(json_of(times));
    report["loads"].push_back(one);
  }
  return json_text(report);
}

}  // namespace morgana::cli
