#include "emulator/report/pictures/link_map.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "tests/support/temporary_folder.h"

namespace morgana {
namespace {

using ::testing::HasSubstr;

LinkMap two_switches() {
  return {"a title",
          {{{0, 0}, "left"}, {{1, 0}, "right"}},
          {{{{0, 0}, {0.5, 0.1}, {1, 0}}, 0.25}, {{{1, 0}, {0, 0}}, 0.5}}};
}

TEST(LinkMap, IsDrawnAsAnSvgThatNamesThePlaces) {
  const testing::TemporaryFolder folder;
  draw(two_switches(), (folder / "map.svg").string());
  std::ifstream file(folder / "map.svg");
  const std::string svg{std::istreambuf_iterator<char>(file), {}};
  for (const char* text : {"a title", "left", "right", "utilisation (%)"}) EXPECT_THAT(svg, HasSubstr(text));
}

TEST(LinkMap, ColoursGoUpToTheBusiestLine) {
  const std::string script = gnuplot_script(two_switches(), "x.png");
  EXPECT_THAT(script, HasSubstr("set cbrange [0:50]"));
  EXPECT_THAT(script, HasSubstr("0.5 0.1 25\n"));
}

TEST(LinkMap, ColoursGoUpToTheShareThatIsAskedFor) {
  LinkMap map = two_switches();
  map.darkest = 0.6;
  EXPECT_THAT(gnuplot_script(map, "x.png"), HasSubstr("set cbrange [0:60]"));
}

TEST(LinkMap, RefusesOtherFiles) {
  EXPECT_THROW(gnuplot_script(two_switches(), "x.pdf"), Error);
}

}  // namespace
}  // namespace morgana
