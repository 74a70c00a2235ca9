#include "emulator/report/counters.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace morgana {
namespace {

const std::vector<CounterTable> tables{
    {"ports", {{"port"}, {"cells lost"}, {"use", true}}, {{"left", std::int64_t{3}, 0.25}}},
    {"queue lengths", {{"mean"}}, {{1.5}, {20.0}, {11834.4}}}};

TEST(Counters, AreTablesForPeople) {
  EXPECT_EQ(counters_text(tables),
            "ports\n"
            "  port  cells lost     use\n"
            "  left           3  25.0 %\n"
            "queue lengths\n"
            "  mean\n"
            "  1.5\n"
            "  20\n"
            "  11834\n");
  EXPECT_EQ(counters_text({}), "");
}

TEST(Counters, AreObjectsInFiles) {
  EXPECT_EQ(
      counters_json(tables).dump(),
      R"({"ports":[{"port":"left","cells_lost":3,"use":0.25}],"queue_lengths":[{"mean":1.5},{"mean":20.0},{"mean":11834.4}]})");
}

}  // namespace
}  // namespace morgana
