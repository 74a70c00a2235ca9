#include <fmt/core.h>
#include <memory>

#include "cli/common/command.h"
#include "cli/common/result_files.h"
#include "cli/common/run_options.h"
#include "cli/traffic/message_traffic.h"
#include "cli/traffic/traffic_report.h"
#include "emulator/report/output_file.h"

namespace morgana::cli {
namespace {

int traffic(const TrafficOptions& options) {
  options.check();
  const TrafficNetwork network = loaded_network(options);
  if (options.cuts_messages()) {
    const MessageOutcome outcome = measure_messages(options, network);
    if (!options.quiet) fmt::print("{}", messages_text(options, network, outcome));
    print_hints({{network.platform, network.hints}}, options.quiet);
    if (!options.csv.empty()) write_output(options.csv, messages_table(outcome, true).csv());
    if (!options.json.empty()) write_output(options.json, messages_json(options, network, outcome));
    return 0;
  }
  const TrafficOutcome outcome = measure_traffic(options, network);
  if (!options.quiet) fmt::print("{}", traffic_text(options, network, outcome));
  print_hints({{network.platform, network.hints}}, options.quiet);
  if (!options.csv.empty()) write_output(options.csv, traffic_table(outcome).csv());
  if (!options.json.empty()) write_output(options.json, traffic_json(options, network, outcome));
  if (!options.plot.empty()) draw_traffic(options, network, outcome);
  if (!options.page.empty()) write_page(options.page, traffic_page(options, network, outcome), options.quiet);
  return 0;
}

}  // namespace

void add_traffic(Commands& commands) {
  auto options = std::make_shared<TrafficOptions>();
  Command& command = commands.add("traffic", "Measure a network of switches under generated traffic");
  options->add(command);
  command.footer = R"(
Hosts generate messages whether or not earlier ones have arrived (open loop); latencies include the wait in the host.
Saturation has two measures: the peak, the highest accepted traffic at any load, and the knee, the load at which the mean
latency is twice that of a low one. No load beyond what hosts can send is tried. The platform's hosts.count hosts
generate; without it as many as the network has ports for, as always on a Myrinet. The other keys of [hosts], [messages]
and [transport] (the costs of programs) have no effect: a message is one packet, frame, or packet of cells. With --sizes,
--reply or --outstanding hosts cut messages into packets, and the table has completion times and slowdowns by size.

Examples:
  morgana traffic --platform myrinet-itb --load 0.015 --plot links.svg
  morgana traffic --platform myrinet-ud --set network.cable="100 ns" --saturation
  morgana traffic --platform fast-ethernet-tree --length 1500 --saturation
  morgana traffic --platform atm-oc3 --set hosts.count=8 --set network.switches=4 --pattern bit-reversal --load 0.01
  morgana traffic --network torus --routes in-transit --saturation --plot latency.svg --report torus.html
  morgana traffic --platform hdr-fat-tree --set hosts.count=400 --pattern random-permutation --load 200
  morgana traffic --platform hdr-fat-tree --sizes web-search --process exponential --load 20,60
  morgana traffic --platform hdr-fat-tree --length 64 --reply 65536 --outstanding 4 --pattern incast:16
  morgana traffic --network irregular:32 --pattern hotspot:15% --length 32 --load 0.01,0.02 --json -)";
  command.action = [options] { return traffic(*options); };
}

}  // namespace morgana::cli
