#include "cli/traffic/traffic_options.h"

#include <fmt/core.h>

#include "cli/common/options.h"
#include "cli/common/result_files.h"
#include "cli/common/run_options.h"
#include "emulator/core/error.h"
#include "emulator/report/output_file.h"
#include "emulator/report/pictures/gnuplot.h"
#include "report/page_template.h"

namespace morgana::cli {
namespace {

void add_network(Command& command, TrafficOptions& options) {
  command
      .add("-p,--platform", &options.platform,
           "Platform with switches (Myrinet, ATM, Ethernet, fabric): its network, routes and times; or a "
           "TOML file")
      ->type_name("NAME|FILE");
  add_overrides(command, options.overrides);
  command
      .add("--network", &options.network,
           "A Myrinet instead of a platform: torus (torus:4x4x4), express-torus, cplant, now, irregular:32, "
           "fat-tree:4x2, or a file with a list (with a slash or ending in .txt)")
      ->type_name("NAME|FILE")
      ->show_default("torus");
  command
      .add("--routes", &options.routes, "With --network: up-down, in-transit, minimal or shortest-up-down")
      ->type_name("KIND")
      ->check(one_of({"up-down", "in-transit", "minimal", "shortest-up-down"}))
      ->show_default("up-down");
  command
      .add("--routing-unit", &options.routing_unit,
           "With --network: what a header occupies while it is routed")
      ->type_name("each-output|each-switch")
      ->check(one_of({"each-output", "each-switch"}))
      ->show_default("each-output");
}

void add_messages(Command& command, TrafficOptions& options) {
  command
      .add("--pattern", &options.pattern,
           "Destinations: uniform, bit-reversal, bit-complement, transpose, tornado (tornado:8x8: in each "
           "dimension), neighbour (neighbour:8x8), random-permutation, permutation:FILE (destinations, one "
           "per line), hotspot:5% (hotspot:5%@17: host 17), local:3 (at most three switches away: one cable; "
           "local:3-1: at most 3 - 1 cables), next-group:32 (the next 32 hosts, the worst case of a "
           "dragonfly of such groups), group-to-group:32@0-1 (from group 0 to group 1), incast:16 (of 16 "
           "hosts; incast:16@3: to host 3), all-to-all (to all others one after the other)")
      ->type_name("PATTERN")
      ->show_default();
  command
      .add("--process", &options.given_process,
           "Times between a host's messages: equal or random; not with --outstanding")
      ->type_name("constant|exponential")
      ->check(one_of({"constant", "exponential"}))
      ->show_default("constant");
  command.add("--length", &options.given_length, "Length of every message, in bytes")
      ->type_name("BYTES")
      ->check(whole_number(1, 1'000'000))
      ->show_default(std::to_string(TrafficOptions::usual_length));
  command
      .add("--sizes", &options.sizes,
           "Random lengths in place of --length: web-search, data-mining, hadoop, or a file with lines of a "
           "size in bytes and the share of messages up to it in per cent. Hosts cut messages into packets; "
           "the table has completion times and slowdowns by size")
      ->type_name("NAME|FILE");
  command
      .add("--reply", &options.reply,
           "Receivers answer with a message of this size, which completes the request")
      ->type_name("BYTES")
      ->check(whole_number(1, 1'000'000'000));
  command
      .add("--outstanding", &options.outstanding,
           "Closed loop: every host has N messages (or requests) under way, and starts the next one when one "
           "is complete")
      ->type_name("N")
      ->check(whole_number(1, 10'000));
  command
      .add("--load", &options.loads,
           "Generated payload in bytes (a Myrinet's flits) per nanosecond and switch; with --reply that of "
           "the requests alone")
      ->type_name("LOAD,...")
      ->check(number_between(0, 100'000))
      ->split_at(',');
  command.add("--saturation", &options.saturation,
              "Search for the load that the network carries; not with --sizes, --reply and --outstanding");
  command
      .add("--messages", &options.messages,
           "Messages measured at each load; default: until accepted traffic and latency settle, at most 320 "
           "per sending host; with --sizes, --reply or --outstanding 100 per sending host, at least 1,000")
      ->type_name("N")
      ->check(whole_number(2, 1'000'000'000));
  command
      .add("--warm-up", &options.warm_up,
           "Messages before the measured ones; default: a quarter as many with --messages, otherwise 20 per "
           "sending host; with --sizes, --reply or --outstanding a quarter as many, and at least those that "
           "a closed loop starts with")
      ->type_name("N")
      ->check(whole_number(1, 1'000'000'000));
  command
      .add("--batches", &options.given_batches,
           "Batches of messages whose means give the confidence intervals; not with --sizes, --reply and "
           "--outstanding")
      ->type_name("N")
      ->check(whole_number(2, 10'000))
      ->show_default(std::to_string(TrafficOptions::usual_batches));
  command
      .add("--seed", &options.seed,
           "Seed of all random choices, except a platform's topology and routes, which have keys")
      ->type_name("N")
      ->check(seed_number())
      ->show_default();
}

void add_results(Command& command, TrafficOptions& options) {
  command.add("--json", &options.json, "Write all results, with every cable, as JSON; - is standard output")
      ->type_name("FILE");
  command.add("--csv", &options.csv, "Write the table as CSV; - is standard output")->type_name("FILE");
  command
      .add("--plot", &options.plot,
           "Draw the cables' utilisation at one load, or latency over accepted traffic: .svg or .png")
      ->type_name("FILE");
  command
      .add("--report", &options.page,
           "Draw a web page: latencies and accepted traffic over the loads, and the cables at each load")
      ->type_name("FILE.html")
      ->check(name_of_page());
  command.add("-q,--quiet", &options.quiet, "No table, no progress bar");
}

}  // namespace

void TrafficOptions::add(Command& command) {
  add_network(command, *this);
  add_messages(command, *this);
  add_results(command, *this);
}

void TrafficOptions::check() const {
  if (!platform.empty() && (network || routes || routing_unit)) {
    throw Error(fmt::format(
        "{} and --platform exclude each other: leave one out, or change the platform with --set {}",
        network  ? "--network"
        : routes ? "--routes"
                 : "--routing-unit",
        network  ? "network.topology=..."
        : routes ? "network.routes=..."
                 : "network.routing-unit=..."));
  }
  if (platform.empty() && !overrides.empty())
    throw Error(
        fmt::format("--set {} overrides a key of a platform: name one with --platform", overrides[0]));
  if (cuts_messages()) {
    if (saturation || !plot.empty() || !page.empty())
      throw Error(
          fmt::format("{} is not for messages in many packets (--sizes, --reply, --outstanding): they are "
                      "reported as a table, --csv and --json",
                      saturation      ? "--saturation"
                      : !plot.empty() ? "--plot"
                                      : "--report"));
    if (!sizes.empty() && given_length > 0)
      throw Error("--length and --sizes exclude each other: both say how long messages are");
    if (given_batches > 0)
      throw Error(
          "--batches is not for messages in many packets (--sizes, --reply, --outstanding), of which no "
          "intervals are reported: leave it out");
    if (outstanding > 0 && given_process)
      throw Error(
          "--process and --outstanding exclude each other: in a closed loop a host generates a message when "
          "one is complete");
    if (outstanding == 0 && loads.empty())
      throw Error(
          "no load is given: add --load 20 (bytes per nanosecond and switch), or --outstanding 1 for a "
          "closed loop");
  }
  if (outstanding > 0 && !loads.empty())
    throw Error(
        "--load and --outstanding exclude each other: in a closed loop a host generates a message when one "
        "is "
        "complete");
  if (outstanding == 0 && loads.empty() && !saturation)
    throw Error(
        "no load is given: add --load 0.015 (bytes per nanosecond and switch), or --saturation to search for "
        "the limit");
  if (!cuts_messages() && messages > 0 && messages < batches()) {
    throw Error(fmt::format("--messages {} make no {} batches: ask for more messages, or fewer --batches",
                            messages, batches()));
  }
  claim_results({{"--json", json}, {"--csv", csv}, {"--plot", plot, false}, {"--report", page}});
  if (!page.empty()) check_can_make_pages();
  if (!plot.empty()) gnuplot::check(plot);
}

TrafficSettings TrafficOptions::settings(std::size_t senders) const {
  constexpr std::uint64_t warm_up_share = 4;
  TrafficSettings settings;
  settings.length = Bytes(length());
  settings.process =
      process() == "constant" ? TrafficSettings::Process::constant : TrafficSettings::Process::exponential;
  settings.batches = batches();
  settings.warm_up = warm_up > 0 ? warm_up : messages / warm_up_share;
  if (messages > 0)
    settings.messages = messages;
  else
    measure_until_settled(settings, senders);
  settings.seed = seed;
  return settings;
}

}  // namespace morgana::cli
