#include "emulator/report/link_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string_view>
#include <system_error>

#include "emulator/core/error.h"
#include "emulator/report/counters.h"
#include "emulator/report/readable.h"

namespace morgana {
namespace {

constexpr std::array units{"flits", "cells", "frames", "packets"};

/// @param order  which of them, in which order
CounterTable table_of(const NetworkLinks& links, std::span<const std::size_t> order) {
  CounterTable table{
      "links", {{"from"}, {"from port"}, {"to"}, {"to port"}, {links.unit}, {"utilisation", true}}, {}};
  const bool stops = !links.loads.empty() && links.loads.front().stopped.has_value();
  if (stops) table.columns.push_back({"stopped", true});
  for (const std::size_t i : order) {
    const LinkLoad& link = links.loads[i];
    std::vector<CounterTable::Value> row{text_of(link.from), std::int64_t{link.from.port},
                                         text_of(link.to),   std::int64_t{link.to.port},
                                         link.carried,       link.utilisation};
    if (stops) row.push_back(link.stopped.value_or(0));
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::vector<std::size_t> all_of(const NetworkLinks& links) {
  std::vector<std::size_t> order(links.loads.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  return order;
}

std::string with_port(const LinkEnd& end) {
  return end.is_host() ? text_of(end) : fmt::format("{} port {}", text_of(end), end.port);
}

/// "host 3 NIC 1" and "switch 2 of rail 1", whose numbers for all rails number_rails() knows.
LinkEnd end_of(const std::string& text, std::uint32_t port) {
  for (const auto& [word, kind] :
       {std::pair{"switch ", LinkEnd::Kind::switch_port}, std::pair{"host ", LinkEnd::Kind::host}}) {
    if (!text.starts_with(word)) continue;
    const char* const digits = text.data() + std::string_view(word).size();
    const char* const end = text.data() + text.size();
    LinkEnd result{kind, 0, port};
    const auto [next, error] = std::from_chars(digits, end, result.number);
    if (error != std::errc()) continue;
    if (next == end) return result;
    const std::string_view rail = kind == LinkEnd::Kind::host ? " NIC " : " of rail ";
    if (!std::string_view(next, end).starts_with(rail)) continue;
    result.on_rail = LinkEnd::OnRail{0, result.number};
    const auto [last, no_rail] = std::from_chars(next + rail.size(), end, result.on_rail->rail);
    if (no_rail == std::errc() && last == end) return result;
  }
  throw Error(fmt::format("{:?} is neither a switch nor a host", text));
}

void check_share(const LinkLoad& link, const char* name, double share) {
  constexpr double rounding = 1e-6;
  if (share >= 0 && share <= 1 + rounding) return;
  throw Error(fmt::format("{}: {} {} can't be, it is a share from 0 to 1", text_of(link), name, share));
}

/// As RailNetworks numbers them.
void number_rails(NetworkLinks& links) {
  std::uint32_t rails = 0, switches = 0;
  const auto each_end = [&](const auto& see) {
    for (LinkLoad& link : links.loads)
      for (LinkEnd* const end : {&link.from, &link.to})
        if (end->on_rail) see(*end);
  };
  each_end([&](const LinkEnd& end) {
    rails = std::max(rails, end.on_rail->rail + 1);
    if (!end.is_host()) switches = std::max(switches, end.on_rail->number + 1);
  });
  each_end([&](LinkEnd& end) {
    end.number = end.is_host() ? end.on_rail->number * rails + end.on_rail->rail
                               : end.on_rail->rail * switches + end.on_rail->number;
  });
}

template <typename Field>
Field field_of(const nlohmann::json& entry, std::size_t number, const std::string& name) {
  const auto field = entry.find(name);
  if (field == entry.end()) throw Error(fmt::format("entry {} has no {}", number, name));
  try {
    return field->get<Field>();
  } catch (const nlohmann::json::exception&) {
    throw Error(fmt::format("{} of entry {} has the wrong type", name, number));
  }
}

/// @param number  of the entry, from 1
LinkLoad link_of(const nlohmann::json& entry, std::size_t number, const std::string& unit) {
  if (!entry.is_object()) throw Error(fmt::format("entry {} is not an object", number));
  const auto end = [&](const std::string& name) {
    const auto text = field_of<std::string>(entry, number, name);
    return end_of(text, field_of<std::uint32_t>(entry, number, name + "_port"));
  };
  LinkLoad link;
  link.from = end("from");
  link.to = end("to");
  link.carried = field_of<std::int64_t>(entry, number, unit);
  link.utilisation = field_of<double>(entry, number, "utilisation");
  if (entry.contains("stopped")) link.stopped = field_of<double>(entry, number, "stopped");
  link.of_program = !entry.contains("of_program") || field_of<bool>(entry, number, "of_program");
  if (link.carried < 0)
    throw Error(fmt::format("{}: {} {} can't be, it is a count", text_of(link), link.carried, unit));
  check_share(link, "utilisation", link.utilisation);
  check_share(link, "stopped", link.stopped.value_or(0));
  return link;
}

}  // namespace

std::string text_of(const LinkEnd& end) {
  if (!end.on_rail) return fmt::format("{} {}", end.is_host() ? "host" : "switch", end.number);
  return end.is_host() ? fmt::format("host {} NIC {}", end.on_rail->number, end.on_rail->rail)
                       : fmt::format("switch {} of rail {}", end.on_rail->number, end.on_rail->rail);
}

std::string text_of(const LinkLoad& link) {
  return with_port(link.from) + " to " + with_port(link.to);
}

const LinkLoad* busiest(const NetworkLinks& links) {
  const auto place =
      std::max_element(links.loads.begin(), links.loads.end(),
                       [](const LinkLoad& a, const LinkLoad& b) { return a.utilisation < b.utilisation; });
  return place == links.loads.end() ? nullptr : &*place;
}

std::string busiest_text(const NetworkLinks& links) {
  const LinkLoad* const link = busiest(links);
  if (link == nullptr) return "";
  if (link->utilisation == 0) return "nothing was sent";
  return fmt::format("busiest: {}, {}", text_of(*link), readable_share(link->utilisation));
}

std::string links_text(const NetworkLinks& links, std::size_t rows) {
  if (links.loads.empty()) return "";
  std::vector<std::size_t> order = all_of(links);
  std::erase_if(order, [&](std::size_t i) { return links.loads[i].utilisation == 0; });
  if (order.empty()) return "";
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return links.loads[a].utilisation > links.loads[b].utilisation;
  });
  const bool all = order.size() <= rows;
  order.resize(std::min(rows, order.size()));
  CounterTable table = table_of(links, order);
  table.title += fmt::format(", the {} of {} {}", order.size(), links.loads.size(),
                             all ? "that something went along" : "busiest");
  return counters_text({&table, 1});
}

nlohmann::ordered_json links_json(const NetworkLinks& links) {
  const CounterTable table = table_of(links, all_of(links));
  nlohmann::ordered_json list = counters_json({&table, 1}).at(table.title);
  for (std::size_t i = 0; i < links.loads.size(); ++i)
    if (!links.loads[i].of_program) list[i]["of_program"] = false;
  return list;
}

NetworkLinks read_links(const nlohmann::json& list, const std::string& origin) {
  NetworkLinks links;
  try {
    if (!list.is_array()) throw Error("they are not a list");
    if (list.empty()) throw Error("there are none");
    for (const char* unit : units)
      if (list.at(0).contains(unit)) links.unit = unit;
    if (links.unit.empty()) throw Error(fmt::format("entry 1 has none of {}", fmt::join(units, ", ")));
    for (const nlohmann::json& entry : list)
      links.loads.push_back(link_of(entry, links.loads.size() + 1, links.unit));
    number_rails(links);
  } catch (const Error& error) {
    throw Error(
        fmt::format("the links in {} can't be read ({}): take a report that run, replay or traffic "
                    "--json has written",
                    origin, error.what()));
  }
  return links;
}

}  // namespace morgana
