#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "emulator/engine/engine.h"
#include "emulator/platform/platform.h"
#include "tests/engine/scripted_source.h"

namespace morgana {
namespace {

using namespace script;

/// When the last rank ends. Ranks fill hosts one after the other. @param processors  of each host
SimTime duration(const std::string& preset, std::vector<std::vector<Operation>> ranks, int processors) {
  const std::vector<std::string> overrides{fmt::format("hosts.processors={}", processors)};
  Machine machine = Platform::load(preset, overrides).build(ranks.size(), {}, 1);
  ScriptedSource source(std::move(ranks));
  SimTime last;
  for (const SimTime end : Engine(machine, source, {}).run()) last = std::max(last, end);
  return last;
}

/// As osu_latency: half the time of a message there and one back.
double latency_in_us(const std::string& preset, std::int64_t bytes) {
  const SimTime both =
      duration(preset,
               {{send(1, bytes, 1, 1), wait({1}), receive(1, bytes, 1, 2), wait({2}), exit()},
                {receive(0, bytes, 1, 1), wait({1}), send(0, bytes, 1, 2), wait({2}), exit()}},
               1);
  return both.seconds() * 1e6 / 2;
}

/// As osu_mbw_mr with two pairs on two hosts: 64 messages at a time, then a receipt of 4 bytes.
double bandwidth_in_mb(const std::string& preset, std::int64_t bytes) {
  constexpr int window = 64, rounds = 10;
  const auto rank = [&](int peer, bool sends) {
    std::vector<Operation> operations;
    for (int round = 0; round < rounds; ++round) {
      Operation all = wait({});
      for (std::uint64_t i = 1; i <= window; ++i) {
        operations.push_back(sends ? send(peer, bytes, 1, i) : receive(peer, bytes, 1, i));
        all.requests.push_back(RequestId{i});
      }
      operations.push_back(all);
      operations.push_back(sends ? receive(peer, 4, 2, 100) : send(peer, 4, 2, 100));
      operations.push_back(wait({100}));
    }
    operations.push_back(exit());
    return operations;
  };
  const SimTime all = duration(preset, {rank(2, true), rank(3, true), rank(0, false), rank(1, false)}, 2);
  return 2.0 * rounds * window * static_cast<double>(bytes) / all.seconds() / 1e6;
}

std::vector<std::string> lines_of_the_reference() {
  std::ifstream file(MORGANA_REFERENCE);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

/// A row of a table under a heading: bytes, measured, ours, the residual in percent.
struct Row {
  std::int64_t bytes;
  std::string measured, ours, residual;
};
std::vector<Row> rows_under(const std::string& heading) {
  const std::regex form(R"(\| (\d+) \| ([\d.]+) \| ([\d.]+) \| ([-+][\d.]+ %) \|)");
  std::vector<Row> rows;
  bool there = false;
  for (const std::string& line : lines_of_the_reference()) {
    if (line.starts_with("|") && line.find(heading) != std::string::npos) there = true;
    std::smatch match;
    if (there && std::regex_match(line, match, form))
      rows.push_back({std::stoll(match[1]), match[2], match[3], match[4]});
    if (!line.starts_with("|")) there = false;
  }
  return rows;
}

std::string residual(double ours, const std::string& measured) {
  return fmt::format("{:+.1f} %", 100 * (ours / std::stod(measured) - 1));
}

TEST(FittedPresets, HaveTheLatenciesThatTheReferenceShows) {
  const std::vector<Row> rows = rows_under("infiniband-hdr, us");
  ASSERT_EQ(rows.size(), 13U);
  for (const Row& row : rows) {
    const double ours = latency_in_us("infiniband-hdr", row.bytes);
    EXPECT_EQ(row.ours, fmt::format("{:.2f}", ours)) << row.bytes << " bytes";
    EXPECT_EQ(row.residual, residual(ours, row.measured)) << row.bytes << " bytes";
    EXPECT_LT(std::abs(ours / std::stod(row.measured) - 1), 0.15) << row.bytes << " bytes";
  }
}

/// Those that `morgana fit` makes of tables in docs/measurements.
TEST(FittedPresets, HaveTheLatenciesThatTheReferenceShowsForPublishedTables) {
  for (const std::string preset : {"qlogic-infinipath", "cray-aries"}) {
    const std::vector<Row> rows = rows_under(preset + ", us");
    ASSERT_EQ(rows.size(), 23U) << preset;
    for (const Row& row : rows) {
      const double ours = latency_in_us(preset, row.bytes);
      EXPECT_EQ(row.ours, fmt::format("{:.2f}", ours)) << preset << ", " << row.bytes << " bytes";
      EXPECT_EQ(row.residual, residual(ours, row.measured)) << preset << ", " << row.bytes << " bytes";
      EXPECT_LT(std::abs(ours / std::stod(row.measured) - 1), 0.125)
          << preset << ", " << row.bytes << " bytes";
    }
  }
}

TEST(FittedPresets, HaveTheBandwidthsThatTheReferenceShows) {
  const std::vector<Row> rows = rows_under("infiniband-hdr, MB/s");
  ASSERT_EQ(rows.size(), 11U);
  for (const Row& row : rows) {
    const double ours = bandwidth_in_mb("infiniband-hdr", row.bytes);
    EXPECT_EQ(row.ours, fmt::format("{:.0f}", ours)) << row.bytes << " bytes";
    EXPECT_EQ(row.residual, residual(ours, row.measured)) << row.bytes << " bytes";
    EXPECT_LT(std::abs(ours / std::stod(row.measured) - 1), 0.15) << row.bytes << " bytes";
  }
}

TEST(FittedPresets, TakeNoLessTimeForLongerMessages) {
  for (const char* preset : {"infiniband-hdr", "roce-100g-loggp", "qlogic-infinipath", "cray-aries"}) {
    double last = 0;
    for (const std::int64_t bytes :
         {0, 1, 64, 511, 512, 513, 1024, 4096, 8191, 8192, 8193, 16384, 65536, 1 << 20}) {
      const double latency = latency_in_us(preset, bytes);
      EXPECT_GE(latency, last) << preset << ", " << bytes << " bytes";
      last = latency;
    }
  }
}

}  // namespace
}  // namespace morgana
