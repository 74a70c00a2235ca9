#include "emulator/report/pictures/curves.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>

#include "emulator/report/pictures/gnuplot.h"
#include "report/web_files.h"
#include "tests/support/temporary_folder.h"

namespace morgana {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Curves two_curves() {
  return {"a title",
          "load (%)",
          "time (s)",
          false,
          false,
          {},
          {{"one", {{0, 1, 0}, {10, 2, 0}}}, {"it's two", {{0, 3, 0.5}, {10, 4, 0.25}}}}};
}

TEST(Curves, AreDrawnAsAnSvgThatNamesEveryCurveAndAxis) {
  const testing::TemporaryFolder folder;
  draw(two_curves(), (folder / "curves.svg").string());
  std::ifstream file(folder / "curves.svg");
  const std::string svg{std::istreambuf_iterator<char>(file), {}};
  for (const char* text : {"a title", "load (%)", "time (s)", "one", "it's two"})
    EXPECT_THAT(svg, HasSubstr(text));
  // librsvg refuses a drawing in which anything is scaled by 0.
  EXPECT_THAT(svg, Not(HasSubstr("scale(0.00)")));
}

TEST(Curves, DifferInColourOrShape) {
  Curves curves = two_curves();
  const Curve one = curves.curves[0];
  curves.curves.assign(35, one);
  const std::string script = gnuplot_script(curves, "x.svg");
  std::set<std::string> looks;
  for (std::size_t at = script.find("rgb '", script.find("plot")); at != std::string::npos;
       at = script.find("rgb '", at + 1))
    looks.insert(script.substr(at + 5, 7) + script.substr(script.find(" pt ", at), 6));
  EXPECT_EQ(looks.size(), 35U);
}

// gnuplot warns of an empty range, and would write 1e+09.
TEST(Curves, HaveARangeAroundTheOnlyPlace) {
  Curves curves = two_curves();
  for (Curve& curve : curves.curves) curve.points = {{1e9, 2, 0}};
  curves.x_is_size = true;
  const std::string script = gnuplot_script(curves, "x.svg");
  EXPECT_THAT(script, HasSubstr("set xrange [500000000:1500000000]\n"));
  EXPECT_THAT(script, HasSubstr("set xtics ('1 GB' 1000000000)\n"));
  EXPECT_THAT(gnuplot_script(two_curves(), "x.svg"), Not(HasSubstr("set xrange")));
}

TEST(Curves, HaveBarsWhereThereAreIntervals) {
  const std::string script = gnuplot_script(two_curves(), "x.svg");
  EXPECT_THAT(script, Not(HasSubstr("$curve0 using 1:2:3 with yerrorbars")));
  EXPECT_THAT(script, HasSubstr("$curve1 using 1:2:3 with yerrorbars"));
  EXPECT_THAT(script, HasSubstr("10 4 0.25\n"));
}

TEST(Curves, HaveTheirPointsOnTheAxisWhereThereIsRoomForThem) {
  Curves curves = two_curves();
  curves.curves[1].points[0].x = 4;
  EXPECT_THAT(gnuplot_script(curves, "x.svg"), HasSubstr("set xtics (0, 4, 10)\n"));
  curves.curves[1].points[0].x = 4.50048;
  EXPECT_THAT(gnuplot_script(curves, "x.svg"), HasSubstr("set xtics (0, '4.5' 4.50048, 10)\n"));
  // Every point has a mark, and every label has room.
  curves.curves[1].points[0].x = 9.9;
  EXPECT_THAT(gnuplot_script(curves, "x.svg"), HasSubstr("set xtics (0, '' 9.9, 10)\n"));
  curves.curves[1].points[0].x = 0.1;
  EXPECT_THAT(gnuplot_script(curves, "x.svg"), HasSubstr("set xtics (0, '' 0.1, 10)\n"));
  for (int i = 1; i < 20; ++i) curves.curves[0].points.push_back({10.0 + i, 2, 0});
  EXPECT_THAT(gnuplot_script(curves, "x.svg"), Not(HasSubstr("set xtics (")));
}

TEST(Curves, MayStandOverWordsAndOnLogarithmicAxes) {
  Curves sizes = two_curves();
  sizes.x_is_size = true;
  for (Curve& curve : sizes.curves) curve.points = {{8, 1, 0}, {8 << 20, 2, 0}};
  EXPECT_THAT(gnuplot_script(sizes, "x.svg"), HasSubstr("set xtics ('8 B' 8, '8 MiB' 8388608)\n"));
  sizes.curves[0].points.clear();
  for (int size = 8; size <= 8 << 20; size *= 2)
    sizes.curves[0].points.push_back({static_cast<double>(size), 1, 0});
  sizes.logarithmic_x = true;
  EXPECT_THAT(gnuplot_script(sizes, "x.svg"), HasSubstr("set xtics ('8 B' 8, '' 16, '32 B' 32, "));
  Curves curves = two_curves();
  curves.places = {"here", "there"};
  EXPECT_THAT(gnuplot_script(curves, "x.svg"), HasSubstr("set xtics ('here' 0, 'there' 1)"));
  EXPECT_THAT(gnuplot_script(curves, "x.svg"), Not(HasSubstr("logscale")));
  // A line from one word to the next would show what is not there.
  EXPECT_THAT(gnuplot_script(curves, "x.svg"), Not(HasSubstr("lines")));
  EXPECT_THAT(gnuplot_script(curves, "x.svg"), HasSubstr("$curve0 using 1:2 with points "));
  curves.logarithmic_y = true;
  EXPECT_THAT(gnuplot_script(curves, "x.png"), HasSubstr("set logscale y 2\n"));
  curves.curves[0].points[0].y = 0.01;
  EXPECT_THAT(gnuplot_script(curves, "x.png"), HasSubstr("set logscale y\n"));
}

TEST(Curves, HaveShortNumbersOnLogarithmicAxes) {
  Curves curves = two_curves();
  curves.logarithmic_y = curves.logarithmic_x = true;
  EXPECT_THAT(gnuplot_script(curves, "x.svg"), HasSubstr("set format y '%.0f'\n"));
  curves.curves[0].points[0].y = 0.1;
  EXPECT_THAT(gnuplot_script(curves, "x.svg"), HasSubstr("set format y '%g'\n"));
  EXPECT_THAT(gnuplot_script(curves, "x.svg"), HasSubstr("set format x '%g'\n"));
}

/// Of "--name: #123456;", the first one: what is light.
std::string colour_in_style(const std::string& name) {
  const std::string style(web_files().style);
  const std::size_t at = style.find("--" + name + ": ");
  return at == std::string::npos ? "none" : style.substr(at + name.size() + 4, 7);
}

TEST(Plots, HaveTheColoursOfPages) {
  for (std::size_t i = 0; i < gnuplot::colours.size(); ++i)
    EXPECT_EQ(gnuplot::colour_of("ring", i), colour_in_style("series-" + std::to_string(i)));
  const std::string figures(web_files().figures);
  const std::size_t begin = figures.find("namedColours = {"), end = figures.find("};", begin);
  const std::string named = figures.substr(begin, end - begin);
  const std::regex entry("'?([a-z][a-z ]*[a-z])'?: '([a-z-]+)'");
  std::size_t found = 0;
  for (std::sregex_iterator one(named.begin(), named.end(), entry), none; one != none; ++one, ++found)
    EXPECT_EQ(gnuplot::colour_of((*one)[1].str(), 3), colour_in_style((*one)[2])) << (*one)[1];
  EXPECT_EQ(found, 11U);
}

TEST(Curves, HaveAnAxisEvenWhereEverythingIsZero) {
  Curves curves = two_curves();
  EXPECT_THAT(gnuplot_script(curves, "x.svg"), HasSubstr("set yrange [0:*]"));
  for (Curve& curve : curves.curves) curve.points = {{0, 0, 0}, {1, 0, 0}};
  EXPECT_THAT(gnuplot_script(curves, "x.svg"), HasSubstr("set yrange [0:1]"));
}

// An improvement that is none is not cut off at an axis of 0.
TEST(Curves, ShowWhatIsBelowZero) {
  Curves curves = two_curves();
  curves.curves[0].points[1].y = -2;
  EXPECT_THAT(gnuplot_script(curves, "x.svg"), HasSubstr("set yrange [*:*]"));
}

TEST(Curves, OfManyPointsAreLinesWithoutMarks) {
  Curves curves = two_curves();
  for (int i = 0; i < 40; ++i) curves.curves[0].points.push_back({10.0 + i, 2, 0});
  const std::string script = gnuplot_script(curves, "x.svg");
  EXPECT_THAT(script, HasSubstr("$curve0 using 1:2 with lines "));
  EXPECT_THAT(script, HasSubstr("$curve1 using 1:2 with linespoints "));
}

TEST(Curves, JoinNothingWhereTheAxisHasWords) {
  Curves curves = two_curves();
  curves.places = {"whole", "4096"};
  EXPECT_THAT(gnuplot_script(curves, "x.svg"),
              AllOf(HasSubstr("$curve0 using 1:2 with points "), Not(HasSubstr("with lines"))));
}

TEST(Curves, TellWhatIsMeasuredFromWhatIsFitted) {
  Curves curves = two_curves();
  curves.curves[0].style = Curve::Style::line;
  curves.curves[1].style = Curve::Style::marks;
  const std::string script = gnuplot_script(curves, "x.svg");
  EXPECT_THAT(script, HasSubstr("$curve0 using 1:2 with lines "));
  EXPECT_THAT(script, HasSubstr("$curve1 using 1:2 with points "));
}

TEST(Curves, AreNotDrawnInAnUnknownFormat) {
  EXPECT_THROW(gnuplot_script(two_curves(), "curves.pdf"), Error);
}

}  // namespace
}  // namespace morgana
