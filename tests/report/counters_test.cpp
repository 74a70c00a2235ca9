#include "emulator/report/counters.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

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

TEST(Counters, LeaveOutRowsThatCountNothingAndBeginWithTheBusiest) {
  const std::int64_t none = 0;
  const std::vector<CounterTable> links{
      {"links",
       {{"from"}, {"to"}, {"packets"}, {"paused", true}, {"utilisation", true}},
       {{"a", "b", none, 0.0, 0.0},
        {"b", "c", std::int64_t{2}, 0.0, 0.25},
        {"c", "d", none, 0.5, 0.0},
        {"d", "e", none, 0.0, 0.75},  // another channel of its cable is busy
        {"e", "f", std::int64_t{7}, 0.0, 0.75}}},
      {"losses", {{"cause"}, {"packets"}}, {{"corrupt", none}, {"no path", none}}},
      {"transport", {{"connections"}, {"timeouts"}}, {{none, std::int64_t{3}}}}};
  EXPECT_EQ(counters_text(links),
            "links\n"
            "  from  to  packets  paused  utilisation\n"
            "  e      f        7   0.0 %       75.0 %\n"
            "  b      c        2   0.0 %       25.0 %\n"
            "  c      d        0  50.0 %        0.0 %\n"
            "losses\n"
            "  all counts are 0\n"
            "transport\n"
            "  connections  timeouts\n"
            "  0                   3\n");
  EXPECT_EQ(counters_json(links).at("links").size(), 5U) << "files have all";
  EXPECT_TRUE(lists_links(links));
  EXPECT_FALSE(lists_links(tables));
}

TEST(Counters, ShowOnlyTheBusiestOfManyLinks) {
  CounterTable many{"links", {{"from"}, {"packets"}, {"utilisation", true}}, {}};
  for (std::int64_t i = 1; i <= 43; ++i) many.rows.push_back({"x", i, static_cast<double>(i) / 100});
  const std::string text = counters_text({&many, 1});
  EXPECT_EQ(text.find("  x           3 "), std::string::npos);
  EXPECT_LT(text.find("43.0 %"), text.find("4.0 %\n  and 3 rows less busy; --json has them all\n"));
}

// 41 rows with a count and two without.
TEST(Counters, ShowOnlyTheLargestOfManyRowsWithoutAUtilisation) {
  for (const char* amount : {"packets", "of the queue", "links held in the mean"}) {
    CounterTable many{"many", {{"from"}, {"virtual channel"}, {amount}}, {}};
    for (std::int64_t i = 0; i < 43; ++i)
      many.rows.push_back({"x", std::int64_t{0}, static_cast<double>(i < 2 ? 0 : 1000 + i)});
    const std::string text = counters_text({&many, 1});
    EXPECT_LT(text.find("1042\n"), text.find("1003\n")) << text;
    EXPECT_EQ(text.find("1002"), std::string::npos) << text;
    EXPECT_TRUE(text.ends_with("1003\n  and 1 row with smaller \"" + std::string(amount) +
                               "\"; --json has it, too\n"))
        << text;
    EXPECT_EQ(counters_json({&many, 1}).at("many").size(), 43U);
    many.rows.resize(42);
    EXPECT_LT(counters_text({&many, 1}).find("1002\n"), counters_text({&many, 1}).find("1041\n"))
        << "40 rows stand as they are";
  }
}

TEST(Counters, AreCutWhereNothingSaysWhichRowsAreLarge) {
  CounterTable many{"many", {{"from"}, {"refused"}}, {}};
  for (std::int64_t i = 1; i <= 50; ++i) many.rows.push_back({"x", 100 + i});
  EXPECT_TRUE(counters_text({&many, 1}).ends_with("140\n  and 10 rows more; --json has them all\n"));
}

TEST(Counters, AreObjectsInFiles) {
  EXPECT_EQ(
      counters_json(tables).dump(),
      R"({"ports":[{"port":"left","cells_lost":3,"use":0.25}],"queue_lengths":[{"mean":1.5},{"mean":20.0},{"mean":11834.4}]})");
}

}  // namespace
}  // namespace morgana
