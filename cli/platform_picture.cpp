#include "cli/platform_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "emulator/core/bounded_file.h"
#include "emulator/report/link_report.h"
#include "emulator/report/pictures/gnuplot.h"
#include "emulator/report/pictures/network_layout.h"

namespace morgana::cli {
namespace {

/// What was sent on a network, and what the links carried then.
struct Report {
  std::string subject;
  NetworkLinks links;
};

std::string shortened(const std::string& text) {
  constexpr std::size_t most = 60;
  return text.size() <= most ? text : text.substr(0, most - 3) + "...";
}

/// A program's command line as it is, of a trace's path the last part.
std::string name_of(const std::string& subject) {
  if (subject.find(' ') != std::string::npos) return shortened(subject);
  return shortened(std::filesystem::path(subject).filename().string());
}

Report read_report(const std::string& file) {
  constexpr std::size_t largest_report = 1024 * 1024 * 1024;
  const nlohmann::json json =
      nlohmann::json::parse(read_at_most(file, largest_report, "--after"), nullptr, false);
  if (json.is_object() && json.contains("links"))
    return {name_of(json.value("subject", "a run")), read_links(json["links"], file)};
  if (json.is_object() && json.contains("loads") && json["loads"].is_array() && !json["loads"].empty()) {
    const nlohmann::json& last = json["loads"].back();
    if (last.is_object() && last.contains("links")) {
      return {fmt::format("{}, {} B at {:g} {}", json.value("pattern", "traffic"), json.value("length", 0),
                          last.value("load", 0.0), json.value("load_unit", "flits/ns/switch")),
              read_links(last["links"], file)};
    }
  }
  throw Error(
      fmt::format("{} reports of no links: take what run, replay or traffic --json has written on a Myrinet, "
                  "on ATM or on switched Ethernet",
                  file));
}

std::size_t hosts_of(const NetworkLinks& links) {
  return static_cast<std::size_t>(std::count_if(links.loads.begin(), links.loads.end(),
                                                [](const LinkLoad& link) { return link.from.is_host(); }));
}

void check_same(const NetworkLinks& report, const NetworkLinks& graph, const std::string& platform,
                const std::string& file) {
  for (std::size_t i = 0; i < std::max(report.loads.size(), graph.loads.size()); ++i) {
    const LinkLoad* const there = i < report.loads.size() ? &report.loads[i] : nullptr;
    const LinkLoad* const here = i < graph.loads.size() ? &graph.loads[i] : nullptr;
    if (there && here && there->from == here->from && there->to == here->to) continue;
    throw Error(
        fmt::format("the links in {} are not those of {}: {}{}; name the platform of that run, with the same "
                    "--set",
                    file, platform, there ? "there is " + text_of(*there) : "none is left there",
                    here ? ", here " + text_of(*here) : ", none here"));
  }
}

std::string title_of(const NetworkLinks& links, const std::string& name) {
  std::set<std::uint32_t> switches;
  std::size_t directions = 0;
  for (const LinkLoad& link : links.loads) {
    for (const LinkEnd& end : {link.from, link.to})
      if (!end.is_host()) switches.insert(end.number);
    if (!link.from.is_host() && !link.to.is_host()) ++directions;
  }
  const auto counted = [](std::size_t count, const char* one, const char* many) {
    return fmt::format("{} {}", count, count == 1 ? one : many);
  };
  std::string title = fmt::format("{}: {}, {}", name, counted(switches.size(), "switch", "switches"),
                                  counted(hosts_of(links), "host", "hosts"));
  if (directions > 0)
    title += fmt::format(", {} between switches", counted(directions / 2, "cable", "cables"));
  return title;
}

}  // namespace

void draw_platform(const Platform& platform, const std::string& name, const std::string& file,
                   const std::string& after) {
  gnuplot::check(file);
  if (after.empty()) {
    const NetworkGraph graph = platform.network_graph();
    LinkMap map = map_of(graph.links, graph.shape, false);
    map.title = title_of(graph.links, name);
    return draw(map, file);
  }
  const Report report = read_report(after);
  const NetworkGraph graph = platform.network_graph(hosts_of(report.links));
  check_same(report.links, graph.links, name, after);
  LinkMap map = map_of(report.links, graph.shape, true);
  map.title = title_of(report.links, name);
  map.caption = fmt::format("{}; {}", report.subject, busiest_text(report.links));
  draw(map, file);
}

}  // namespace morgana::cli
