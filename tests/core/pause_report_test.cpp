#include "emulator/core/pause_report.h"

#include <gtest/gtest.h>

namespace morgana {
namespace {

TEST(PauseTables, CanBeReadBack) {
  const LinkEnd at_host{LinkEnd::Kind::host, 12, 0}, near{LinkEnd::Kind::switch_port, 3, 5},
      far{LinkEnd::Kind::switch_port, 4, 7};
  PauseReport report;
  report.paused = {{{near, far}, 1, 8, 0.5, {far, at_host}}, {{at_host, near}, 0, 2, 0.25, {far, at_host}}};
  report.congested = {{{far, at_host}, 1, 8, 1, 0.5, {{12, 0.75}, {3, 0.25}}},
                      {{far, at_host}, 0, 2, 1, 0.25, {{4, 1.0}}}};
  std::vector<CounterTable> tables = pause_tables(report);
  ASSERT_EQ(tables.size(), 3U);
  tables.insert(tables.begin(), CounterTable{"others", {{"count"}}, {{std::int64_t{1}}}});
  EXPECT_EQ(pauses_in(tables), report);
  EXPECT_EQ(pauses_in({}), PauseReport());
  for (const CounterTable& table : tables)
    for (const auto& row : table.rows) EXPECT_EQ(row.size(), table.columns.size()) << table.title;
}

TEST(PauseTables, OfRailsNameThem) {
  const LinkEnd near{LinkEnd::Kind::switch_port, 3, 5}, at_host{LinkEnd::Kind::host, 12, 0};
  std::vector<CounterTable> tables;
  for (const double share : {0.25, 0.5}) {
    PauseReport one;
    one.paused = {{{near, at_host}, 1, 8, share, {near, at_host}}};
    one.congested = {{{near, at_host}, 1, 8, 1, share, {{12, 1.0}}}};
    const std::string rail = share < 0.5 ? "rail 0: " : "rail 1: ";
    for (CounterTable& table : pause_tables(one)) {
      table.title = rail + table.title;
      tables.push_back(std::move(table));
    }
  }
  const PauseReport all = pauses_in(tables);
  ASSERT_EQ(all.paused.size(), 2U);
  ASSERT_EQ(all.congested.size(), 2U);
  EXPECT_EQ(all.paused[0].share, 0.5) << "the longest paused first";
  EXPECT_EQ(all.paused[0].link.from.on_rail, (LinkEnd::OnRail{1, 3}));
  EXPECT_EQ(all.congested[1].link.to.on_rail, (LinkEnd::OnRail{0, 12}));
  EXPECT_EQ(all.congested[1].senders.size(), 1U);
}

}  // namespace
}  // namespace morgana
