#include "emulator/report/link_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "emulator/core/error.h"
#include "tests/support/messages.h"

namespace morgana {
namespace {

using testing::HasSubstr;
using End = LinkEnd::Kind;

NetworkLinks three_links() {
  return {"flits",
          {{{End::host, 7, 0}, {End::switch_port, 0, 3}, 120, 0.25, 0.125},
           {{End::switch_port, 0, 4}, {End::switch_port, 1, 5}, 200, 0.5, 0.0},
           {{End::switch_port, 1, 5}, {End::switch_port, 0, 4}, 0, 0.0, 0.0}}};
}

TEST(LinkReport, ListsEachDirectionWithItsEnds) {
  const nlohmann::ordered_json list = links_json(three_links());
  ASSERT_EQ(list.size(), 3U);
  EXPECT_EQ(
      list[0].dump(),
      R"({"from":"host 7","from_port":0,"to":"switch 0","to_port":3,"flits":120,"utilisation":0.25,"stopped":0.125})");
  EXPECT_EQ(list[2].at("from"), "switch 1");
}

TEST(LinkReport, CellsAreNeverStopped) {
  const NetworkLinks links{"cells", {{{End::host, 0, 0}, {End::switch_port, 0, 0}, 5, 0.5}}};
  EXPECT_FALSE(links_json(links)[0].contains("stopped"));
  EXPECT_EQ(links_json(links)[0].at("cells"), 5);
}

TEST(LinkReport, IsReadAsItWasWritten) {
  const NetworkLinks read = read_links(links_json(three_links()), "a.json");
  EXPECT_EQ(read.unit, "flits");
  EXPECT_EQ(links_json(read), links_json(three_links()));
}

// Two rails of two switches: host 1's cables on both, and that between the switches of the second.
TEST(LinkReport, NamesNicsAndRailsAndNumbersThemAsTheyWere) {
  NetworkLinks links{"packets", {}};
  for (const std::uint32_t rail : {0U, 1U}) {
    LinkEnd host{End::host, 2 + rail, 0}, near{End::switch_port, 2 * rail, 3},
        far{End::switch_port, 2 * rail + 1, 4};
    host.on_rail = LinkEnd::OnRail{rail, 1};
    near.on_rail = LinkEnd::OnRail{rail, 0};
    far.on_rail = LinkEnd::OnRail{rail, 1};
    links.loads.push_back({host, near, 5, 0.5});
    links.loads.push_back({near, far, 6, 0.6});
  }
  EXPECT_EQ(text_of(links.loads[2]), "host 1 NIC 1 to switch 0 of rail 1 port 3");
  const NetworkLinks read = read_links(links_json(links), "a.json");
  ASSERT_EQ(read.loads.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(read.loads[i].from, links.loads[i].from) << i;
    EXPECT_EQ(read.loads[i].to, links.loads[i].to) << i;
  }
}

TEST(LinkReport, MarksLinksThatOnlyOthersUsed) {
  NetworkLinks links = three_links();
  links.loads[1].of_program = false;
  const nlohmann::ordered_json list = links_json(links);
  EXPECT_FALSE(list[0].contains("of_program"));
  EXPECT_EQ(list[1].at("of_program"), false);
  EXPECT_FALSE(read_links(list, "a.json").loads[1].of_program);
}

TEST(LinkReport, RefusesWhatIsNoListOfLinks) {
  for (const char* text :
       {"[]", "3", R"([{"flits": 3}])",
        R"([{"from":"swatch 0","from_port":0,"to":"host 0","to_port":0,"flits":1,"utilisation":0}])",
        R"([{"from":"host 0 NIC","from_port":0,"to":"host 0","to_port":0,"flits":1,"utilisation":0}])",
        R"([{"from":"host 0 of rail 1","from_port":0,"to":"host 0","to_port":0,"flits":1,"utilisation":0}])",
        R"([{"from":"host 0x","from_port":0,"to":"host 0","to_port":0,"flits":1,"utilisation":0}])",
        R"([{"from":"host 0","from_port":0,"to":"host 1","to_port":0,"flits":1,"utilisation":-5}])",
        R"([{"from":"host 0","from_port":0,"to":"host 1","to_port":0,"flits":1,"utilisation":1.1}])",
        R"([{"from":"host 0","from_port":0,"to":"host 1","to_port":0,"flits":-1,"utilisation":0}])",
        R"([{"from":"host 0","from_port":0,"to":"host 1","to_port":0,"flits":1,"utilisation":0,
             "stopped":2}])"}) {
    try {
      read_links(nlohmann::json::parse(text), "a.json");
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      expect_message(error.what(), "a.json");
    }
  }
}

TEST(LinkReport, ShowsPeopleTheBusiestFirst) {
  EXPECT_EQ(links_text(three_links()),
            "links, the 2 of 3 that something went along\n"
            "  from      from port        to  to port  flits  utilisation  stopped\n"
            "  switch 0          4  switch 1        5    200       50.0 %    0.0 %\n"
            "  host 7            0  switch 0        3    120       25.0 %   12.5 %\n");
  EXPECT_THAT(links_text(three_links(), 1), HasSubstr("links, the 1 of 3 busiest"));
  EXPECT_EQ(links_text({}), "");
}

TEST(LinkReport, NamesTheBusiestLink) {
  const NetworkLinks links = three_links();
  EXPECT_EQ(text_of(*busiest(links)), "switch 0 port 4 to switch 1 port 5");
  EXPECT_EQ(text_of(links.loads[0]), "host 7 to switch 0 port 3");
  EXPECT_EQ(busiest({}), nullptr);
  EXPECT_EQ(busiest_text(links), "busiest: switch 0 port 4 to switch 1 port 5, 50.0 %");
  EXPECT_EQ(busiest_text({"flits", {links.loads[2]}}), "nothing was sent");
}

}  // namespace
}  // namespace morgana
