#include "report/chart_page.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "report/page_template.h"

namespace morgana {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

nlohmann::json only_figure(ChartFigure figure) {
  ChartPage page;
  page.sections = {{"heading", "text", {{"name", std::move(figure)}}}};
  return chart_data(page).at("sections").at(0).at("figures").at(0);
}

TEST(ChartPage, HasWhatItIsMadeOf) {
  ChartPage page;
  page.title = "cg compared";
  page.answer = "It is so.";
  page.facts = {"two platforms"};
  page.notices = {"a notice"};
  page.sections = {{"first", "of two", {}}, {"second", "", {}}};
  page.runs = {{"ideal", {{"ranks", 3}}}};
  EXPECT_EQ(chart_data(page), nlohmann::json::parse(R"json({
    "title": "cg compared", "answer": "It is so.", "facts": ["two platforms"], "notices": ["a notice"],
    "sections": [{"heading": "first", "text": "of two", "figures": []},
                 {"heading": "second", "text": "", "figures": []}],
    "runs": [{"name": "ideal", "data": {"ranks": 3}}]})json"));
}

TEST(ChartPage, HasBarsInSeconds) {
  StackedBars bars;
  bars.title = "times";
  bars.parts = {"computing", "wire"};
  bars.categories = {"a", "b"};
  bars.seconds = {{1, 0.5}, {2, 50}};
  bars.notes = {"", "x 35"};
  EXPECT_EQ(only_figure(bars), nlohmann::json::parse(R"json({
    "kind": "bars", "name": "name", "title": "times", "parts": ["computing", "wire"], "categories": ["a", "b"],
    "seconds": [[1.0, 0.5], [2.0, 50.0]], "notes": ["", "x 35"]})json"));
}

TEST(ChartPage, HasCurvesWithTheirStyles) {
  Curves curves;
  curves.title = "over load";
  curves.x_name = "load";
  curves.y_name = "latency (us)";
  curves.logarithmic_y = true;
  curves.curves = {{"ours", {{1, 2, 0.25}, {2, 8, 0}}}, {"theory", {{1, 3, 0}}, Curve::Style::line}};
  EXPECT_EQ(only_figure(curves), nlohmann::json::parse(R"json({
    "kind": "curves", "name": "name", "title": "over load", "x_name": "load", "y_name": "latency (us)",
    "x_is_size": false, "logarithmic_x": false, "logarithmic_y": true, "places": [],
    "curves": [{"name": "ours", "style": "marks-and-lines", "points": [[1.0, 2.0, 0.25], [2.0, 8.0, 0.0]]},
               {"name": "theory", "style": "line", "points": [[1.0, 3.0, 0.0]]}]
})json"));
}

TEST(ChartPage, HasNetworksAndBoxes) {
  LinkMap map;
  map.title = "net";
  map.caption = "busiest";
  map.darkest = 0.5;
  map.places = {{{1, 2}, "0"}};
  map.hosts = {{{3, 4}, {5, 6}, "h"}};
  map.lines = {{{{1, 2}, {3, 4}}, 0.25, true}};
  EXPECT_EQ(only_figure(map), nlohmann::json::parse(R"json({
    "kind": "map", "name": "name", "title": "net", "caption": "busiest", "coloured": true, "darkest": 0.5,
    "places": [{"at": [1.0, 2.0], "name": "0"}],
    "hosts": [{"at": [3.0, 4.0], "name_at": [5.0, 6.0], "name": "h"}],
    "lines": [{"points": [[1.0, 2.0], [3.0, 4.0]], "share": 0.25, "thin": true}]})json"));
  TimeSpace picture;
  picture.title = "pipe";
  picture.time_name = "time (us)";
  picture.rows = {"host", "bus"};
  picture.boxes = {{1, 2, 3, 4, "7"}};
  EXPECT_EQ(only_figure(picture), nlohmann::json::parse(R"json({
    "kind": "boxes", "name": "name", "title": "pipe", "time_name": "time (us)", "rows": ["host", "bus"],
    "boxes": [{"row": 1, "begin": 2.0, "end": 3.0, "colour": 4, "label": "7"}]
})json"));
}

TEST(ChartPage, HasTheCommandsTables) {
  TextTable table({"platform", "total"});
  table.add({"ideal", "1 s"});
  ChartTable drawn = chart_table(table);
  drawn.tones = {"good"};
  drawn.wide = {1};
  EXPECT_EQ(only_figure(drawn), nlohmann::json::parse(R"json({
    "kind": "table", "name": "name", "heading": ["platform", "total"], "rows": [["ideal", "1 s"]],
    "tones": ["good"], "wide": [1]})json"));
}

TEST(ChartPage, IsOneFileThatLoadsNothingAndThatNoNameBreaks) {
  if (!can_make_pages()) GTEST_SKIP() << "built without node-d3";
  ChartPage page;
  page.title = "</script><script>alert(1)</script><!-- @script@ @body@";
  const std::string text = chart_page(page);
  for (const char* loaded : {"src=", "href=\"http", "@import", "url(", "<link rel=\"stylesheet"})
    EXPECT_THAT(text.substr(0, text.find("d3js.org")), Not(HasSubstr(loaded))) << loaded;
  const std::string begin = R"(<script type="application/json" id="data">)";
  const std::size_t at = text.find(begin) + begin.size();
  EXPECT_EQ(nlohmann::json::parse(text.substr(at, text.find("</script>", at) - at)).at("title"), page.title);
}

}  // namespace
}  // namespace morgana
