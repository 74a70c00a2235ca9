#include "emulator/core/pause_report.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>

namespace morgana {
namespace {

using Row = std::vector<CounterTable::Value>;

constexpr const char* paused_title = "Paused links";
constexpr const char* congested_title = "Congested links behind pauses";
constexpr const char* senders_title = "Senders behind pauses";
constexpr std::string_view host_word = "host ", switch_word = "switch ", rail_word = "rail ";
constexpr std::size_t end_columns = 2, link_columns = 2 * end_columns;  // a node and its port

void add_end(Row& row, const LinkEnd& end) {
  std::string node(end.is_host() ? host_word : switch_word);
  node += std::to_string(end.number);
  row.emplace_back(std::move(node));
  row.emplace_back(std::int64_t{end.port});
}

void add_link(Row& row, const PauseReport::Link& link) {
  add_end(row, link.from);
  add_end(row, link.to);
}

std::int64_t count_at(const Row& row, std::size_t column) {
  return std::get<std::int64_t>(row.at(column));
}

LinkEnd end_at(const Row& row, std::size_t column) {
  const auto& text = std::get<std::string>(row.at(column));
  const bool is_host = text.starts_with(host_word);
  LinkEnd end{is_host ? LinkEnd::Kind::host : LinkEnd::Kind::switch_port, 0,
              static_cast<std::uint32_t>(count_at(row, column + 1))};
  std::from_chars(text.data() + (is_host ? host_word : switch_word).size(), text.data() + text.size(),
                  end.number);
  return end;
}

PauseReport::Link link_at(const Row& row, std::size_t column) {
  return {end_at(row, column), end_at(row, column + end_columns)};
}

const CounterTable* table_named(std::span<const CounterTable> tables, std::string_view title) {
  const auto place = std::ranges::find(tables, title, &CounterTable::title);
  return place == tables.end() ? nullptr : &*place;
}

/// Adds what the tables say whose titles begin so; of one rail the ends of links are on it.
void add_pauses(PauseReport& report, std::span<const CounterTable> tables, const std::string& before,
                std::optional<std::uint32_t> rail) {
  const CounterTable* const paused = table_named(tables, before + paused_title);
  const CounterTable* const congested = table_named(tables, before + congested_title);
  const CounterTable* const senders = table_named(tables, before + senders_title);
  if (paused == nullptr || congested == nullptr || senders == nullptr) return;
  const auto link = [&](const Row& row, std::size_t column) {
    PauseReport::Link found = link_at(row, column);
    for (LinkEnd* const end : {&found.from, &found.to})
      if (rail) end->on_rail = LinkEnd::OnRail{*rail, end->number};
    return found;
  };
  for (const Row& row : paused->rows)
    report.paused.push_back({link(row, 0), count_at(row, link_columns), count_at(row, link_columns + 1),
                             std::get<double>(row.at(link_columns + 2)), link(row, link_columns + 3)});
  for (const Row& row : congested->rows) {
    PauseReport::Congested one{link(row, 0), count_at(row, link_columns), count_at(row, link_columns + 1),
                               count_at(row, link_columns + 2), std::get<double>(row.at(link_columns + 3))};
    for (const Row& sender : senders->rows)
      if (link(sender, 0) == one.link && count_at(sender, link_columns) == one.traffic_class)
        one.senders.emplace_back(count_at(sender, link_columns + 1),
                                 std::get<double>(sender.at(link_columns + 2)));
    report.congested.push_back(std::move(one));
  }
}

/// Of a table that says which links of a rail were paused ("rail 1: Paused links").
std::optional<std::uint32_t> rail_in(std::string_view title) {
  if (!title.starts_with(rail_word) || !title.ends_with(paused_title)) return std::nullopt;
  std::uint32_t rail = 0;
  const auto [end, error] =
      std::from_chars(title.data() + rail_word.size(), title.data() + title.size(), rail);
  if (error != std::errc()) return std::nullopt;
  return rail;
}

}  // namespace

std::vector<CounterTable> pause_tables(const PauseReport& pauses) {
  if (pauses.paused.empty()) return {};
  CounterTable paused{paused_title,
                      {{"from"},
                       {"from port"},
                       {"to"},
                       {"to port"},
                       {"traffic class"},
                       {"pauses"},
                       {"pause in force", true},
                       {"because of"},
                       {"its port"},
                       {"that sends to"},
                       {"at port"}},
                      {}};
  for (const PauseReport::Paused& one : pauses.paused) {
    Row row;
    add_link(row, one.link);
    row.insert(row.end(), {one.traffic_class, one.pauses, one.share});
    add_link(row, one.cause);
    paused.rows.push_back(std::move(row));
  }
  CounterTable congested{congested_title,
                         {{"from"},
                          {"from port"},
                          {"to"},
                          {"to port"},
                          {"traffic class"},
                          {"pauses"},
                          {"links paused"},
                          {"links held in the mean"}},
                         {}};
  CounterTable senders{
      senders_title,
      {{"from"}, {"from port"}, {"to"}, {"to port"}, {"traffic class"}, {"host"}, {"of the queue", true}},
      {}};
  for (const PauseReport::Congested& one : pauses.congested) {
    Row row;
    add_link(row, one.link);
    row.insert(row.end(), {one.traffic_class, one.pauses, one.links_paused, one.paused_links});
    congested.rows.push_back(std::move(row));
    for (const auto& [host, share] : one.senders) {
      Row sender;
      add_link(sender, one.link);
      sender.insert(sender.end(), {one.traffic_class, host, share});
      senders.rows.push_back(std::move(sender));
    }
  }
  return {std::move(paused), std::move(congested), std::move(senders)};
}

PauseReport pauses_in(std::span<const CounterTable> tables) {
  PauseReport report;
  add_pauses(report, tables, "", std::nullopt);
  std::size_t rails = 0;
  for (const CounterTable& table : tables) {
    const std::optional<std::uint32_t> rail = rail_in(table.title);
    if (!rail) continue;
    ++rails;
    add_pauses(report, tables,
               table.title.substr(0, table.title.size() - std::string_view(paused_title).size()), rail);
  }
  if (rails < 2) return report;
  std::ranges::stable_sort(report.paused, std::greater<>(), &PauseReport::Paused::share);
  std::ranges::stable_sort(report.congested, std::greater<>(), &PauseReport::Congested::paused_links);
  return report;
}

}  // namespace morgana
