#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>

#include "cli/common/command.h"
#include "cli/common/run_options.h"
#include "cli/platform_import.h"
#include "cli/platform_picture.h"
#include "emulator/core/bounded_file.h"
#include "emulator/core/standard_error.h"
#include "emulator/platform/myrinet_platform.h"
#include "emulator/platform/platform.h"
#include "emulator/platform/platform_network.h"
#include "emulator/report/json_text.h"
#include "emulator/report/output_file.h"

namespace morgana::cli {
namespace {

struct PlatformsArguments {
  std::string name;
  std::vector<std::string> overrides;
  bool reference = false;
  bool names = false;
  std::string plot, after, json, network_of, routes_of;
};

struct Age {
  std::int64_t from;  ///< the first year
  const char* title;
};
/// The newest first. Platforms without a year come behind all others.
constexpr Age ages[] = {
    {2015, "Clusters of today"}, {2000, "2000 to 2014"}, {1, "The 1990s"}, {0, "Without an age"}};

std::size_t age_of(const Platform& platform) {
  const auto place = std::ranges::find_if(ages, [&](const Age& age) { return platform.year() >= age.from; });
  return static_cast<std::size_t>(place - std::begin(ages));
}

struct KindTitle {
  const char* kind;
  const char* title;
};
/// In the order in which they are listed; others follow under their own names.
constexpr KindTitle kind_titles[] = {
    {"fabric", "every packet, switch, buffer and credit (fabric)"},
    {"ethernet-switched", "every frame through store-and-forward switches (ethernet-switched)"},
    {"ethernet-shared", "every frame on a shared segment, CSMA/CD (ethernet-shared)"},
    {"ethernet-cable", "every frame on one cable (ethernet-cable)"},
    {"fddi", "every frame on a token ring (fddi)"},
    {"atm", "every cell through ATM switches (atm)"},
    {"myrinet", "every packet through wormhole switches (myrinet)"},
    {"loggp", "latency, gaps and overheads, no contention in switches (loggp)"},
    {"smp", "the memory of one host (smp)"}};

std::size_t order_of(const std::string& kind) {
  const auto place =
      std::ranges::find_if(kind_titles, [&](const KindTitle& one) { return kind == one.kind; });
  return static_cast<std::size_t>(place - std::begin(kind_titles));
}

std::string title_of(const std::string& kind) {
  const std::size_t order = order_of(kind);
  return order < std::size(kind_titles) ? kind_titles[order].title : kind;
}

void list() {
  struct Listed {
    std::size_t age, kind;
    std::string title, name, description;
    Platform::Outline outline;
  };
  std::vector<Listed> all;
  for (const std::string& name : Platform::names()) {
    const Platform platform = Platform::load(name);
    Platform::Outline outline = platform.outline();
    all.push_back({age_of(platform), order_of(outline.network), title_of(outline.network), name,
                   platform.description(), std::move(outline)});
  }
  std::ranges::stable_sort(all, [](const Listed& a, const Listed& b) {
    return std::tie(a.age, a.kind, a.title) < std::tie(b.age, b.kind, b.title);
  });
  const auto width = [&](const auto& text) {
    std::size_t most = 0;
    for (const Listed& one : all) most = std::max(most, text(one).size());
    return most;
  };
  const std::size_t names = width([](const Listed&one) { return one.name; }),
                    rates = width([](const Listed&one) { return one.outline.rate; }),
                    topologies = width([](const Listed&one) { return one.outline.topology; }),
                    transports = width([](const Listed&one) { return one.outline.transport; });
  std::string heading;
  for (const Listed& one : all) {
    if (std::string now = fmt::format("{}: {}", ages[one.age].title, one.title); now != heading) {
      fmt::print("{}{}\n", heading.empty() ? "" : "\n", now);
      heading = std::move(now);
    }
    fmt::print("  {:<{}}  {:<{}}  {:<{}}  {:<{}}  {}\n", one.name, names, one.outline.rate, rates,
               one.outline.topology, topologies, one.outline.transport, transports, one.description);
  }
}

void draw(const PlatformsArguments& options) {
  if (options.name.empty())
    throw Error(
        "--plot draws one platform's network: name it, as in `morgana platforms myrinet-ud --plot p.svg`");
  const Platform platform = Platform::load(options.name, options.overrides);
  std::string name = platform.name();
  if (!options.overrides.empty()) name += fmt::format(" with {}", fmt::join(options.overrides, ", "));
  draw_platform(platform, name, options.plot, options.after);
}

nlohmann::ordered_json json_of(const TopologyFigures& figures) {
  nlohmann::ordered_json json{{"switches", figures.switches},
                              {"switches_with_hosts", figures.switches_with_hosts}};
  json["hosts"] = figures.hosts ? nlohmann::ordered_json(*figures.hosts) : nullptr;
  json["cables"] = figures.cables();
  json["trunks"] = figures.trunks();
  json["tiers"] = nlohmann::ordered_json::array();
  for (const TopologyFigures::Tier& tier : figures.tiers)
    json["tiers"].push_back({{"name", tier.name}, {"trunks", tier.trunks}});
  json["ports_in_use"] = figures.ports_in_use();
  json["ports"] = nlohmann::ordered_json::array();
  for (const TopologyFigures::Ports& some : figures.ports)
    json["ports"].push_back({{"ports", some.ports}, {"switches", some.switches}});
  json["diameter"] = figures.distances.largest;
  json["mean_distance"] = figures.distances.mean;
  json["bisection"] = figures.bisection ? nlohmann::ordered_json(*figures.bisection) : nullptr;
  const auto& bounds = figures.bisection_bounds;
  json["bisection_at_least"] = bounds ? nlohmann::ordered_json(bounds->at_least) : nullptr;
  json["bisection_at_most"] = bounds ? nlohmann::ordered_json(bounds->at_most) : nullptr;
  json["bisection_bits_per_second"] =
      figures.bisection_rate ? nlohmann::ordered_json(figures.bisection_rate->bits_per_second()) : nullptr;
  json["grown"] = figures.grown.empty() ? nullptr : nlohmann::ordered_json(figures.grown);
  return json;
}

void write_json(const PlatformsArguments& options) {
  if (options.name.empty())
    throw Error(
        "--json writes one platform's network in numbers: name it, as in `morgana platforms hdr-fat-tree "
        "--json -`");
  const Platform platform = Platform::load(options.name, options.overrides);
  const std::optional<TopologyFigures> figures = PlatformNetwork::figures(platform);
  nlohmann::ordered_json json{{"platform", platform.name()},
                              {"overrides", options.overrides},
                              {"description", platform.description()}};
  json["network"] = figures ? json_of(*figures) : nlohmann::ordered_json(nullptr);
  write_output(options.json, json_text(json));
}

/// Prints a platform with the network of a file; what is wrong with it goes to standard error.
int import_network(const PlatformsArguments& options) {
  if (options.name.empty())
    throw Error(
        "--network-of makes a platform that extends another: name that, as in `morgana platforms "
        "hdr-fat-tree "
        "--network-of fabric.txt`");
  constexpr std::size_t largest_file = 64 * 1024 * 1024;
  const Platform base = Platform::load(options.name, options.overrides);
  if (!PlatformNetwork::figures(base))
    throw Error(fmt::format(
        "the platform {} has no network of switches: take one that has, such as hdr-fat-tree", options.name));
  const topology::NetworkFile network = topology::read_network_file(
      read_at_most(options.network_of, largest_file, "--network-of"), options.network_of);
  const std::string kind = base.outline().network;
  if (!network.keys.empty() && kind != "fabric" && kind != "ethernet-switched")
    throw Error(
        fmt::format("{}: the rates and latencies of a cluster of SimGrid are for platforms with network.kind "
                    "= \"fabric\" or "
                    "\"ethernet-switched\", and that of {} is \"{}\": take another one, such as hdr-fat-tree",
                    options.network_of, options.name, kind));
  const bool numbered = PlatformMyrinet::is_one(base);
  std::vector<std::string> routes;
  if (!options.routes_of.empty())
    routes = topology::read_forwarding_tables(read_at_most(options.routes_of, largest_file, "--routes-of"),
                                              options.routes_of, network, numbered);
  const bool is_fabric = kind == "fabric";
  const std::string text =
      network.keys.empty()
          ? platform_with(network, options.name, options.network_of, numbered, routes, is_fabric)
          : platform_with_keys(network, options.name, options.network_of, is_fabric);
  fmt::print("{}", text);
  try {
    Platform::parse(text, "the platform printed", options.overrides);
  } catch (const Error& error) {
    print_error(fmt::format("It can't be used as it is: {}\n", error.what()));
  }
  return 0;
}

int platforms(const PlatformsArguments& options) {
  if (!options.network_of.empty()) return import_network(options);
  if (!options.plot.empty()) {
    draw(options);
  } else if (!options.json.empty()) {
    write_json(options);
  } else if (options.reference) {
    fmt::print("{}", platform_reference());
  } else if (options.names) {
    for (const std::string& name : Platform::names()) fmt::print("{}\n", name);
  } else if (options.name.empty()) {
    list();
  } else {
    const Platform platform = Platform::load(options.name, options.overrides);
    print_platform_notices(platform);
    fmt::print("{}", platform.describe());
    print_hints(platform, false);
  }
  return 0;
}

}  // namespace

void add_platforms(Commands& commands) {
  auto options = std::make_shared<PlatformsArguments>();
  Command& command = commands.add("platforms", "List the platforms, or every key of one platform");
  command.add("name", &options->name, "Show this platform's keys: value, meaning, default, source")
      ->type_name("NAME|FILE");
  command.add("--set", &options->overrides, "Override a key before showing; may be repeated")
      ->type_name("KEY=VALUE")
      ->may_be_repeated();
  command.add("--reference", &options->reference, "Every key that a platform file may hold, as Markdown");
  command.add("--names", &options->names, "Names only, one per line");
  Option* plot = command.add("--plot", &options->plot, "Draw its switches, hosts and cables: .svg or .png")
                     ->type_name("FILE");
  command
      .add("--after", &options->after,
           "Colour the cables by their utilisation in a run: a report that run, replay or traffic "
           "--json has written on this platform (traffic: of its highest load)")
      ->type_name("REPORT.json")
      ->only_with(*plot);
  command
      .add("--json", &options->json,
           "Write its network in numbers as JSON: switches, hosts, cables, ports, distances, bisection; - is "
           "standard "
           "output")
      ->type_name("FILE");
  Option* network_of =
      command
          .add(
              "--network-of", &options->network_of,
              "Print a platform that extends this one with the switches, hosts and cables of a file: what "
              "InfiniBand's "
              "ibnetdiscover prints, a list of edges (two names a line; h0 or host0 is a host), or SimGrid's "
              "platform "
              "XML with one cluster")
          ->type_name("FILE");
  command
      .add("--routes-of", &options->routes_of,
           "With --network-of what ibnetdiscover prints: the switches' forwarding tables, as dump_lfts.sh or "
           "ibroute "
           "print them, as its routes")
      ->type_name("FILE")
      ->only_with(*network_of);
  command.footer = R"(
A picture shows each direction of a cable on the right of who sends along it; cables that go round the edge of
a torus are cut in two. Myrinet, ATM and switched Ethernet networks and fabrics can be drawn.

Examples:
  morgana platforms
  morgana platforms fast-ethernet
  morgana platforms fast-ethernet --set network.rate="1 Gb/s"
  morgana platforms hdr-fat-tree --set network.topology=xgft --set network.children=16x8 --set network.parents=8x8
  morgana platforms hdr-fat-tree --json -
  morgana platforms hdr-fat-tree --network-of ibnetdiscover.txt > ours.toml
  morgana platforms hdr-fat-tree --network-of ibnetdiscover.txt --routes-of dump_lfts.txt > ours.toml
  morgana platforms hdr-fat-tree --network-of cluster.xml > ours.toml
  morgana platforms myrinet-itb --set network.topology=now --plot now.svg
  morgana run -n 64 --platform myrinet-ud --json run.json -- ./program
  morgana platforms myrinet-ud --plot links.svg --after run.json)";
  command.action = [options] { return platforms(*options); };
}

}  // namespace morgana::cli
