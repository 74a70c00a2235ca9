#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "emulator/core/error.h"
#include "emulator/topology/listed/network_file.h"

namespace morgana::topology {
namespace {

constexpr std::string_view blanks = " \t\r";

/// Takes the next word from the beginning of `text`; empty if there is none.
std::string_view take_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(blanks));
  text.remove_prefix(word.size());
  return word;
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

bool names_host(std::string_view word) {
  for (const std::string_view prefix : {std::string_view("host"), std::string_view("h")})
    if (word.starts_with(prefix) && is_number(word.substr(prefix.size()))) return true;
  return false;
}

struct Edge {
  std::string a, b, link;
  std::size_t line = 0;
};

std::vector<Edge> edges_of(std::string_view text, const std::string& name) {
  std::vector<Edge> edges;
  for (std::size_t line = 1; !text.empty(); ++line) {
    std::string_view rest = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(rest.size() + 1, text.size()));
    rest = rest.substr(0, rest.find('#'));
    const std::string_view a = take_word(rest), b = take_word(rest);
    if (a.empty()) continue;
    rest.remove_prefix(std::min(rest.find_first_not_of(blanks), rest.size()));
    while (!rest.empty() && blanks.find(rest.back()) != blanks.npos) rest.remove_suffix(1);
    if (b.empty() || a == b || (!rest.empty() && !rest.starts_with("at ") && !rest.starts_with("over ")))
      throw Error(fmt::format(
          "{}:{}: write two names, such as \"s0 s1\", \"s0 h3\" or \"0 1 at 100 Gb/s over 25 ns\"", name,
          line));
    edges.push_back({std::string(a), std::string(b), std::string(rest), line});
  }
  return edges;
}

/// Numbers for the switches' names: as they come, or in their own order if all are numbers.
std::vector<std::string> switch_names(const std::vector<Edge>& edges) {
  std::vector<std::string> names;
  std::map<std::string, bool> met;
  for (const Edge& edge : edges)
    for (const std::string& end : {edge.a, edge.b})
      if (!names_host(end) && !std::exchange(met[end], true)) names.push_back(end);
  if (std::ranges::all_of(names, [](const std::string& one) { return is_number(one); }))
    std::ranges::stable_sort(names, [](const std::string& a, const std::string& b) {
      return a.size() != b.size() ? a.size() < b.size() : a < b;
    });
  return names;
}

}  // namespace

NetworkFile read_edge_list(std::string_view text, const std::string& name) {
  const std::vector<Edge> edges = edges_of(text, name);
  NetworkFile file;
  file.switches = switch_names(edges);
  if (file.switches.empty())
    throw Error(fmt::format("{}: no cable to a switch: write one a line, such as \"s0 h3\"", name));
  std::map<std::string, SwitchId> numbers;
  for (const std::string& one : file.switches) numbers.emplace(one, static_cast<SwitchId>(numbers.size()));
  std::map<std::string, std::size_t> hosts;  // the line that names it
  for (const Edge& edge : edges) {
    const bool host_first = names_host(edge.a), host_last = names_host(edge.b);
    if (!host_first && !host_last) {
      file.cables.push_back({{numbers.at(edge.a), {}}, {numbers.at(edge.b), {}}, edge.link});
      continue;
    }
    if (host_first && host_last)
      throw Error(fmt::format("{}:{}: {} and {} are both hosts: a cable leads to a switch", name, edge.line,
                              edge.a, edge.b));
    const std::string &host = host_first ? edge.a : edge.b, &at = host_first ? edge.b : edge.a;
    if (const auto [known, is_new] = hosts.emplace(host, edge.line); !is_new)
      throw Error(fmt::format("{}:{}: {} has a cable already (line {}), and a host has one", name, edge.line,
                              host, known->second));
    file.hosts.push_back({host, {numbers.at(at), {}}, edge.link});
  }
  return file;
}

NetworkFile read_network_file(std::string_view text, const std::string& name) {
  using namespace std::string_view_literals;
  for (const std::string_view begin : {"\xFE\xFF"sv, "\xFF\xFE"sv, "<\0"sv, "\0<"sv})
    if (text.starts_with(begin))
      throw Error(fmt::format("{}: its characters have two bytes each (UTF-16): save it as UTF-8", name));
  if (text.starts_with("\xEF\xBB\xBF"sv)) text.remove_prefix(3);
  if (text.substr(std::min(text.find_first_not_of(" \t\r\n"), text.size())).starts_with('<'))
    return read_simgrid_cluster(text, name);
  const bool discovered = text.starts_with("vendid=") || text.find("\nvendid=") != text.npos ||
                          text.starts_with("Switch\t") || text.find("\nSwitch\t") != text.npos;
  return discovered ? read_ibnetdiscover(text, name) : read_edge_list(text, name);
}

}  // namespace morgana::topology
