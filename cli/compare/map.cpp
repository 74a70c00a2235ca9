#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <system_error>

#include "cli/common/command.h"
#include "cli/common/options.h"
#include "cli/common/progress_bar.h"
#include "cli/common/result_files.h"
#include "cli/common/run_options.h"
#include "cli/compare/map_report.h"
#include "emulator/core/error.h"
#include "emulator/network/myrinet/mapping/map_check.h"
#include "emulator/network/myrinet/routes/route_deadlock.h"
#include "emulator/platform/myrinet_platform.h"
#include "emulator/report/output_file.h"

namespace morgana::cli {
namespace {

MappedRoutes routes_of(const std::string& word) {
  if (word == "in-transit") return MappedRoutes::in_transit;
  return word == "up-down" ? MappedRoutes::up_down : MappedRoutes::shortest_up_down;
}

/// "3.5": port 5 of switch 3, where there must be a cable.
SwitchPort cable_end(const SwitchGraph& graph, const std::string& text) {
  const char* const end = text.data() + text.size();
  SwitchId at = 0;
  unsigned port = 0;
  const auto [dot, wrong_switch] = std::from_chars(text.data(), end, at);
  const bool has_dot = wrong_switch == std::errc() && dot != end && *dot == '.';
  const auto [rest, wrong_port] = std::from_chars(has_dot ? dot + 1 : end, end, port);
  if (!has_dot || wrong_port != std::errc() || rest != end) {
    throw Error(fmt::format("--kill-cable {}: say which as SWITCH.PORT, 3.5 is port 5 of switch 3", text));
  }
  if (at >= graph.switches() || port >= graph.ports(at) ||
      graph.neighbour({at, static_cast<PortNumber>(port)}).is_nothing()) {
    throw Error(fmt::format("--kill-cable {}: there is no cable; the network has switches 0 to {}", text,
                            graph.switches() - 1));
  }
  return {at, static_cast<PortNumber>(port)};
}

void check(const MapOptions& options, const SwitchGraph& graph) {
  claim_results({{"--json", options.json}});
  for (const std::uint32_t host : options.mappers) {
    if (host >= graph.hosts()) {
      throw Error(fmt::format("--mappers {}: the network has the hosts 0 to {}", host, graph.hosts() - 1));
    }
  }
  for (const SwitchId id : options.dead_switches) {
    if (id >= graph.switches()) {
      throw Error(
          fmt::format("--kill-switch {}: the network has the switches 0 to {}", id, graph.switches() - 1));
    }
  }
  for (const std::string& cable : options.dead_cables) cable_end(graph, cable);
  unsigned most_ports = 0;
  for (SwitchId id = 0; id < graph.switches(); ++id) most_ports = std::max(most_ports, graph.ports(id));
  constexpr unsigned most_tried = widest_turn + 1;
  if (most_ports > most_tried) {
    throw Error(
        fmt::format("the network has switches of {} ports, and mappers try {} at most: routes by "
                    "turns lead no farther",
                    most_ports, most_tried));
  }
}

MappingParameters parameters_of(const MapOptions& options, const SwitchGraph& graph) {
  MappingParameters parameters;
  parameters.exploration.attempts = options.attempts;
  parameters.exploration.most_ports = 1;
  for (SwitchId id = 0; id < graph.switches(); ++id) {
    unsigned& most = parameters.exploration.most_ports;
    most = std::max(most, graph.ports(id));
  }
  parameters.routes = routes_of(options.routes);
  parameters.routes_seed = options.seed;
  return parameters;
}

/// "the death of switch 9 and the cable at 3.5"; empty if nothing dies.
std::string what_dies(const MapOptions& options) {
  std::vector<std::string> names;
  for (const SwitchId id : options.dead_switches) names.push_back(fmt::format("switch {}", id));
  for (const std::string& cable : options.dead_cables) names.push_back("the cable at " + cable);
  return names.empty() ? "" : fmt::format("the death of {}", fmt::join(names, " and "));
}

/// The network, its daemons, and what has died.
class MapperTestbed {
 public:
  MapperTestbed(const MapOptions& options, const PlatformMyrinet& platform)
      : options_(options),
        graph_(platform.graph()),
        dead_(graph_),
        no_routes_(RouteTable::row_per_switch(graph_)),
        myrinet_(events_, graph_, no_routes_, platform.parameters(), options.seed),
        network_(events_, myrinet_, names(), parameters_of(options, graph_)),
        bar_(options.quiet) {}

  MappingRound map(std::string network) {
    MappingRound round;
    round.network = std::move(network);
    const std::size_t reports = network_.reports().size();
    const MappedNetwork::Totals before = network_.totals();
    for (const std::uint32_t host : options_.mappers) network_.map_from(host);
    while (network_.busy()) {
      for (int events = 0; events < 1000 && !events_.empty(); ++events) events_.handle_next();
      show();
    }
    while (!events_.idle()) events_.handle_next();
    for (std::size_t n = reports; n < network_.reports().size(); ++n) judge(network_.reports()[n], round);
    round.packets = network_.totals().sent - before.sent;
    round.lost = network_.totals().lost - before.lost;
    return round;
  }

  void kill() {
    for (const std::string& cable : options_.dead_cables) {
      const SwitchPort end = cable_end(graph_, cable);
      myrinet_.kill_cable(end, events_.now());
      dead_.kill_cable(end);
    }
    for (const SwitchId id : options_.dead_switches) {
      myrinet_.kill_switch(id, events_.now());
      dead_.kill_switch(id);
    }
  }

 private:
  /// A host's name is its number.
  std::vector<HostName> names() const {
    std::vector<HostName> names(graph_.hosts());
    std::iota(names.begin(), names.end(), 0);
    return names;
  }

  void judge(const MappingReport& report, MappingRound& round) const {
    if (!report.failure.empty()) return round.failures.push_back(report);
    round.maps.push_back({report, difference(report.map, graph_, network_.names(), dead_),
                          find_deadlock(graph_, network_.installed(report.map)).empty()});
  }

  void show() {
    std::size_t switches = 0;
    double told = 0;
    for (const std::uint32_t host : options_.mappers) {
      switches = std::max(switches, network_.host(host).mapper().switches_found());
      told = std::max(told, network_.host(host).mapper().share_told());
    }
    const double found = static_cast<double>(switches) / static_cast<double>(graph_.switches());
    constexpr double discovery = 0.8;  // of the time
    bar_.show(told > 0 ? "handing out routes" : fmt::format("{} switches found", switches),
              told > 0 ? discovery + (1 - discovery) * told : discovery * std::min(found, 1.0));
  }

  const MapOptions& options_;
  EventQueue events_;
  const SwitchGraph& graph_;
  DeadPorts dead_;
  RouteTable no_routes_;
  MyrinetNetwork myrinet_;
  MappedNetwork network_;
  ProgressBar bar_;
};

int map(const MapOptions& options) {
  const PlatformMyrinet platform(Platform::load(options.platform, options.overrides));
  check(options, platform.graph());
  std::vector<MappingRound> rounds;
  {
    MapperTestbed laboratory(options, platform);
    rounds.push_back(laboratory.map("The network as it is"));
    const std::string dead = what_dies(options);
    if (!dead.empty()) {
      laboratory.kill();
      rounds.push_back(laboratory.map("After " + dead));
    }
  }
  if (!options.quiet) fmt::print("{}", map_text(options, platform.graph(), rounds));
  if (!options.json.empty()) write_output(options.json, map_json(options, platform.graph(), rounds));
  return 0;
}

}  // namespace

void add_map(Commands& commands) {
  auto options = std::make_shared<MapOptions>();
  Command& command = commands.add("map", "Let a Myrinet's hosts discover its cables and distribute routes");
  command.add("-p,--platform", &options->platform, "A platform with a Myrinet")
      ->type_name("NAME|FILE")
      ->must_be_given();
  add_overrides(command, options->overrides);
  command.add("--mappers", &options->mappers, "Hosts that map at once; the lowest one leads")
      ->type_name("HOST,...")
      ->split_at(',')
      ->show_default();
  command.add("--routes", &options->routes, "Routes that the leader distributes; none of them can deadlock")
      ->type_name("KIND")
      ->check(one_of({"up-down", "in-transit", "shortest-up-down"}))
      ->show_default();
  command.add("--attempts", &options->attempts, "How often an unanswered probe is sent")
      ->type_name("N")
      ->check(whole_number(1, 1000))
      ->show_default();
  command
      .add("--kill-cable", &options->dead_cables,
           "Cable that fails after the first round; then all is mapped again; may be repeated")
      ->type_name("SWITCH.PORT")
      ->may_be_repeated();
  command
      .add("--kill-switch", &options->dead_switches,
           "Switch that fails after the first round; may be repeated")
      ->type_name("SWITCH")
      ->may_be_repeated();
  command.add("--seed", &options->seed, "Seed of all random choices")
      ->type_name("N")
      ->check(seed_number())
      ->show_default();
  command.add("--json", &options->json, "Write all results as JSON; - is standard output")->type_name("FILE");
  command.add("-q,--quiet", &options->quiet, "No text, no progress bar");
  command.footer = R"(
Switches answer nothing: mappers send probes by explicit routes and see which come back and which hosts
answer. The leader computes routes on its map and sends every host its own, over the network. All hosts that
the network has ports for answer, whatever a platform's hosts.count.

Examples:
  morgana map --platform myrinet-ud
  morgana map --platform myrinet-itb --set network.topology=now --mappers 99,3,42 --routes in-transit
  morgana map --platform myrinet-ud --set network.corruption=0.001 --kill-switch 9 --kill-cable 0.8)";
  command.action = [options] { return map(*options); };
}

}  // namespace morgana::cli
