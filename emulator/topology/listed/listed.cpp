#include "emulator/topology/listed/listed.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>
#include <vector>

#include "emulator/core/error.h"

namespace morgana::topology {
namespace {

std::vector<std::string_view> words_of(std::string_view line) {
  constexpr std::string_view blank = " \t\r";
  line = line.substr(0, line.find('#'));
  std::vector<std::string_view> words;
  while (true) {
    const std::size_t start = line.find_first_not_of(blank);
    if (start == line.npos) return words;
    line.remove_prefix(start);
    const std::size_t end = std::min(line.find_first_of(blank), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

template <typename Number>
std::optional<Number> number(std::string_view word) {
  Number value = 0;
  const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (problem != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

SwitchPort end_of_cable(std::string_view word) {
  const std::size_t dot = word.find('.');
  if (dot != word.npos) {
    const auto at = number<SwitchId>(word.substr(0, dot));
    const auto port = number<PortNumber>(word.substr(dot + 1));
    if (at && port) return {*at, *port};
  }
  throw Error(fmt::format("'{}' is not a port: write SWITCH.PORT, as in 0.4", word));
}

void read_line(SwitchGraph& graph, std::string_view line) {
  const auto words = words_of(line);
  if (words.empty()) return;
  if (words[0] == "switch" && words.size() == 2) {
    const auto ports = number<unsigned>(words[1]);
    if (!ports) throw Error(fmt::format("'{}' is not a number of ports", words[1]));
    if (*ports > SwitchGraph::most_ports_of_routes) {
      throw Error(fmt::format("switch {} can't have {} ports: give it 1 to {}", graph.switches(), *ports,
                              SwitchGraph::most_ports_of_routes));
    }
    graph.add_switch(*ports);
  } else if (words[0] == "host" && words.size() == 2) {
    graph.add_host(end_of_cable(words[1]));
  } else if (words[0] == "cable" && words.size() == 3) {
    graph.connect(end_of_cable(words[1]), end_of_cable(words[2]));
  } else {
    throw Error("write 'switch PORTS', 'host SWITCH.PORT' or 'cable SWITCH.PORT SWITCH.PORT'");
  }
}

}  // namespace

SwitchGraph listed(std::string_view text, std::string_view name) {
  SwitchGraph graph;
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    try {
      read_line(graph, text.substr(0, end));
    } catch (const Error& problem) {
      throw Error(fmt::format("{}, line {}: {}", name, line, problem.what()));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return graph;
}

std::string as_list(const SwitchGraph& graph) {
  std::string text;
  for (SwitchId id = 0; id < graph.switches(); ++id) text += fmt::format("switch {}\n", graph.ports(id));
  for (HostNumber host = 0; host < graph.hosts(); ++host) {
    text += fmt::format("host {}.{}\n", graph.port_of(host).at, graph.port_of(host).port);
  }
  for (const auto& [a, b] : graph.cables()) {
    text += fmt::format("cable {}.{} {}.{}\n", a.at, a.port, b.at, b.port);
  }
  return text;
}

}  // namespace morgana::topology
