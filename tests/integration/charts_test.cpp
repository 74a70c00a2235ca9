#include <string>
#include <vector>

#include "tests/integration/support/page_test.h"

namespace morgana::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::SizeIs;

/// Pages that lay things side by side: `--report` of compare, sweep, traffic and reproduce.
class Charts : public PageTest {
 protected:
  void record_ring() {
    succeed({"run", "-n", "2", "--compute", "none", "--quiet", "--trace", "run.otf2", "--", program("ring")});
  }
};

TEST_F(Charts, OfASweepBeginWithTheFigureThatIsAskedFor) {
  record_ring();
  const auto first_with = [&](const std::string& figure) {
    succeed({"sweep", "run.otf2", "--platform", "fast-ethernet", "--over", "network.rate=10,100 Mb/s",
             "--quiet", "--report", "run.html", "--figure", figure});
    return data_of("run.html").at("sections").at(0).at("figures").at(0).at("name").get<std::string>();
  };
  for (const auto& [figure, name] :
       {std::pair{"speedup", "speedup"}, {"compute_ps", "compute"}, {"total_ps", "total"}})
    EXPECT_EQ(first_with(figure), name);
  EXPECT_THAT(morgana({"sweep", "run.otf2", "--over", "network.rate=10,100 Mb/s", "--report", "run.html",
                       "--figure", "speed"})
                  .err,
              HasSubstr("there is no figure speed"));
}

// Where ranks vary the speedup stands first, unless another figure is asked for.
TEST_F(Charts, OfRanksBeginWithTheSpeedUpUnlessAFigureIsAskedFor) {
  const auto first_with = [&](std::vector<std::string> figure) {
    std::vector<std::string> command{"sweep",  "--compute", "none",    "-p",       "loggp-example",
                                     "--over", "ranks=2,4", "--quiet", "--report", "run.html"};
    command.insert(command.end(), figure.begin(), figure.end());
    command.insert(command.end(), {"--", program("ring"), "2", "64"});
    succeed(command);
    return data_of("run.html").at("sections").at(0).at("figures").at(0).at("name").get<std::string>();
  };
  EXPECT_EQ(first_with({}), "speedup");
  EXPECT_EQ(first_with({"--figure", "total_ps"}), "total");
}

// Ethernet has no cells.
TEST_F(Charts, OfASweepLeaveOutAFigureThatNoRunHas) {
  record_ring();
  succeed({"sweep", "run.otf2", "--platform", "fast-ethernet", "--over", "network.rate=10,100 Mb/s",
           "--quiet", "--report", "run.html", "--figure", "cells_lost"});
  const nlohmann::json data = data_of("run.html");
  EXPECT_THAT(data.at("notices").dump(), HasSubstr("no run has a value of cells_lost"));
  for (const auto& section : data.at("sections"))
    for (const auto& figure : section.value("figures", nlohmann::json::array()))
      EXPECT_NE(figure.at("name"), "cells lost");
}

TEST_F(Charts, OfAComparisonHaveBarsThatAddUpAndTimelinesOverOneAxis) {
  record_ring();
  succeed({"compare", "run.otf2", "--platforms", "myrinet-ud,ethernet-10", "--quiet", "--json", "run.json",
           "--report", "run.html"});
  if (!browser_runs()) GTEST_SKIP() << "chromium is not installed, or does not run here";
  const nlohmann::json found = in_browser(R"(
    const bars = data.sections[0].figures[0];
    found.parts = bars.parts;
    found.totals = bars.seconds.map(parts => Math.round(1e12 * d3.sum(parts)));
    found.onbars = [...document.querySelectorAll('#sections svg')][0].textContent;
    found.names = data.runs.map(run => run.name);
    found.ranks = views.map(view => view.run.ranks);
    found.paths = views.map(view => view.path.end[view.path.end.length - 1]);
    axis.first().call(axis.zoom.scaleTo, 4);
    axis.draw();
    const [from, to] = axis.visible.domain();
    found.shown = (to - from) / axis.time.domain()[1];
    found.second = d3.zoomTransform(views[1].canvas).k;
    axis.showTo(data.runs[0].data.end_ps);
    found.fitted = axis.visible.domain();
    d3.select('#which input').property('checked', false).dispatch('change');
    found.left = [...document.querySelectorAll('.run')].map(run => run.hidden);
    found.axis = [...document.querySelectorAll('#sections .tools select option')].map(one => one.value);
  )");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.at("wrong"), nlohmann::json::array());
  EXPECT_EQ(found.at("parts"),
            nlohmann::json({"computing", "host", "protocol", "network", "retransmission", "waiting"}));
  const nlohmann::json runs = nlohmann::json::parse(read("run.json")).at("platforms");
  const nlohmann::json times{runs.at(0).at("simulated_time_ps"), runs.at(1).at("simulated_time_ps")};
  EXPECT_EQ(found.at("totals"), times) << "the critical path takes the run's time";
  EXPECT_EQ(found.at("paths"), times);
  EXPECT_THAT(found.at("onbars").get<std::string>(),
              AllOf(HasSubstr("myrinet-ud"), HasSubstr("ethernet-10")));
  EXPECT_EQ(found.at("names"), nlohmann::json({"myrinet-ud", "ethernet-10"}));
  EXPECT_EQ(found.at("ranks"), nlohmann::json({2, 2}));
  EXPECT_NEAR(found.at("shown").get<double>(), 0.25, 1e-6);
  EXPECT_EQ(found.at("second"), 4) << "both timelines zoom";
  EXPECT_NEAR(found.at("fitted").at(0).get<double>(), 0, 1);
  EXPECT_NEAR(found.at("fitted").at(1).get<double>(), times.at(0).get<double>(), 1);
  EXPECT_EQ(found.at("left"), nlohmann::json({true, false}));
}

TEST_F(Charts, BreakTheAxisWhereBarsLieFarApart) {
  record_ring();
  succeed({"compare", "run.otf2", "--platforms", "ideal", "--quiet", "--report", "run.html"});
  if (!browser_runs()) GTEST_SKIP() << "chromium is not installed, or does not run here";
  // Hand calculation for 2, 1 and 100: the short ones share 0 to a tenth above the longest of them; 100 is
  // drawn from 6 % below it to a tenth of that above it.
  const nlohmann::json found = in_browser(R"(
    found.near = brokenAxis([3, 2]);
    found.far = brokenAxis([2, 100, 1]);
    const x = scaleOfStretches(found.far, 0, 256);
    found.order = [1, 2, 2.2, 94, 100].map(x);
    const draw = seconds => {
      const place = d3.select('#sections').append('div'), figure = {title: '', parts: ['computing', 'wire'],
        categories: ['a', 'b'], seconds, notes: ['', '']};
      drawBars(place, figure);
      return {ways: [...place.node().querySelectorAll('option')].map(one => one.value),
        breaks: place.node().querySelectorAll('.break').length, text: place.node().textContent,
        widths: [...place.node().querySelectorAll('rect')].map(one => +one.getAttribute('width'))};
    };
    found.close = draw([[1, 0.5], [1, 1]]);
    found.apart = draw([[0.001, 0.001], [1, 1]]);
  )");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.at("wrong"), nlohmann::json::array());
  ASSERT_THAT(found.at("near"), SizeIs(1));
  EXPECT_EQ(found.at("near").at(0).at(0), 0);
  EXPECT_NEAR(found.at("near").at(0).at(1).get<double>(), 3.3, 1e-9);
  ASSERT_THAT(found.at("far"), SizeIs(2));
  EXPECT_EQ(found.at("far").at(0).at(0), 0);
  EXPECT_NEAR(found.at("far").at(0).at(1).get<double>(), 2.2, 1e-9);
  EXPECT_NEAR(found.at("far").at(1).at(0).get<double>(), 94, 1e-9);
  EXPECT_NEAR(found.at("far").at(1).at(1).get<double>(), 100.6, 1e-9);
  // 240 pixels beside the gap of 16: 140 and 100.
  EXPECT_NEAR(found.at("order").at(2).get<double>(), 140, 1e-9);
  EXPECT_NEAR(found.at("order").at(3).get<double>(), 156, 1e-9);
  EXPECT_EQ(found.at("close").at("ways"), nlohmann::json({"linear", "shares"}));
  EXPECT_EQ(found.at("close").at("breaks"), 0);
  EXPECT_EQ(found.at("apart").at("ways"), nlohmann::json({"broken", "logarithmic", "linear", "shares"}));
  EXPECT_EQ(found.at("apart").at("breaks"), 2) << "one through the long bar, one on the axis";
  EXPECT_GT(found.at("apart").at("widths").at(0), 50) << "a bar of a thousandth can be seen";
  EXPECT_THAT(found.at("apart").at("text").get<std::string>(), AllOf(HasSubstr("1 ms"), HasSubstr("2 s")));
}

TEST_F(Charts, OfASweepHaveACurveForEachOfTheOtherAxes) {
  record_ring();
  succeed({"sweep", "run.otf2", "-p", "fast-ethernet", "--over", "network.rate=10,100 Mb/s", "--over",
           "messages.send-overhead=1,5 us", "--quiet", "--report", "run.html"});
  if (!browser_runs()) GTEST_SKIP() << "chromium is not installed, or does not run here";
  const nlohmann::json found = in_browser(R"(
    found.headings = data.sections.map(section => section.heading);
    found.curves = data.sections[0].figures[0].curves.map(curve => [curve.name, curve.points.map(point => point[0])]);
    found.marks = document.querySelectorAll('.figure')[0].querySelectorAll('circle').length;
    const choice = document.querySelector('#sections select');
    found.figures = [...choice.options].map(one => one.value);
    choice.value = 'mean latency';
    choice.dispatchEvent(new Event('change'));
    found.other = document.querySelectorAll('.figure')[0].textContent;
    found.rows = document.querySelectorAll('#sections tbody tr').length;
  )");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.at("wrong"), nlohmann::json::array());
  EXPECT_EQ(found.at("headings"), nlohmann::json({"Over network.rate", "Computing and calls", "Points"}));
  EXPECT_EQ(found.at("curves"), nlohmann::json::parse(R"([["messages.send-overhead 1 us", [10.0, 100.0]],
                                                         ["messages.send-overhead 5 us", [10.0, 100.0]]])"));
  EXPECT_EQ(found.at("marks"), 4);
  EXPECT_THAT(found.at("figures").dump(), HasSubstr("total"));
  EXPECT_THAT(found.at("other").get<std::string>(), HasSubstr("mean latency"));
  EXPECT_EQ(found.at("rows"), 4);
}

TEST_F(Charts, OfAScalingStudyHaveItsSpeedUpBesideAnIdealLine) {
  succeed({"sweep", "--compute", "none", "-p", "loggp-example", "--over", "ranks=2..16:x2", "--quiet",
           "--report", "run.html", "--", program("ring"), "2", "64"});
  if (!browser_runs()) GTEST_SKIP() << "chromium is not installed, or does not run here";
  const nlohmann::json found = in_browser(R"(
    const choice = document.querySelector('#sections select');
    found.figures = [...choice.options].map(one => one.value);
    choice.value = 'speedup';
    choice.dispatchEvent(new Event('change'));
    const drawn = document.querySelectorAll('.figure')[0];
    found.key = drawn.textContent;
    found.marks = [...drawn.querySelectorAll('.tick text')].map(one => one.textContent);
    const ideal = data.sections[0].figures.find(one => one.name === 'speedup').curves[1];
    found.ideal = [ideal.name, ideal.style, ideal.points.map(point => point[1])];
  )");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.at("wrong"), nlohmann::json::array());
  EXPECT_THAT(found.at("figures").dump(), AllOf(HasSubstr("speedup"), HasSubstr("efficiency")));
  EXPECT_EQ(found.at("ideal"), nlohmann::json::parse(R"(["ideal", "line", [1.0, 2.0, 4.0, 8.0]])"));
  EXPECT_THAT(found.at("key").get<std::string>(), AllOf(HasSubstr("ideal"), HasSubstr("strong scaling")));
  const auto marks = found.at("marks").get<std::vector<std::string>>();
  EXPECT_THAT(std::vector<std::string>(marks.begin(), marks.begin() + 4),
              testing::ElementsAre("2", "4", "8", "16"));
}

TEST_F(Charts, OfLoadsDrawTheNetworkAtEach) {
  succeed({"traffic", "--network", "torus:2x2x1", "--load", "0.01,0.02", "--messages", "200", "--quiet",
           "--json", "run.json", "--report", "run.html"});
  if (!browser_runs()) GTEST_SKIP() << "chromium is not installed, or does not run here";
  const nlohmann::json found = in_browser(R"(
    found.figures = data.sections.map(section => section.figures.map(figure => figure.name));
    const map = [...document.querySelectorAll('.figure')].pop();
    found.cables = map.querySelectorAll('path.cable').length;
    found.switches = map.querySelectorAll('circle.switch').length;
  )");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.at("wrong"), nlohmann::json::array());
  EXPECT_EQ(
      found.at("figures"),
      nlohmann::json::parse(R"json([["mean latency", "latencies by share", "accepted traffic"], ["loads"],
                                      ["load 0.01 (0.8 %)", "load 0.02 (1.6 %)"]])json"));
  EXPECT_EQ(found.at("switches"), 4);
  // A cable that goes round the edge of a grid is cut in two.
  EXPECT_GE(found.at("cables"), nlohmann::json::parse(read("run.json")).at("loads").at(0).at("links").size());
}

TEST_F(Charts, OfAnExperimentSetItsRowsBesideThePapers) {
  succeed({"reproduce", "pipelines", "--rows", "P-01,P-26", "--quiet", "--json", "run.json", "--report",
           "run.html"});
  if (!browser_runs()) GTEST_SKIP() << "chromium is not installed, or does not run here";
  const nlohmann::json found = in_browser(R"(
    const rows = document.querySelector('#sections table');
    found.rows = rows.querySelectorAll('tbody tr').length;
    found.verdicts = [...rows.querySelectorAll('tbody tr')].map(row => row.lastChild.textContent);
    found.tones = [...rows.querySelectorAll('tbody tr')].map(row => row.className);
    found.figures = data.sections.map(section => section.heading);
    for (const choice of document.querySelectorAll('#sections section > form select'))
      for (const option of choice.options) { choice.value = option.value; choice.dispatchEvent(new Event('change')); }
  )");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.at("wrong"), nlohmann::json::array()) << "of all figures";
  const nlohmann::json rows = nlohmann::json::parse(read("run.json")).at("rows");
  ASSERT_EQ(found.at("rows"), rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(found.at("verdicts").at(i), rows.at(i).at("verdict"));
    EXPECT_EQ(found.at("tones").at(i) == "good", rows.at(i).at("verdict") == "pass");
  }
  EXPECT_THAT(found.at("figures").dump(), HasSubstr("pipelines: figures"));
}

// On a narrow screen a row is a block of names and values; sizes are marked as they were asked for.
TEST_F(Charts, OfACollectiveStackTablesOfWordsAndMarkSizesWithUnits) {
  succeed({"collective", "all-reduce", "-p", "dgx-a100", "-n", "4", "--bytes", "1 MB", "--report", "run.html",
           "-q"});
  if (!browser_runs()) GTEST_SKIP() << "chromium is not installed, or does not run here";
  const nlohmann::json found = in_browser(R"(
    found.stacked = [...document.querySelectorAll('table')].map(one => one.classList.contains('many'));
    found.marks = [...document.querySelectorAll('svg .tick text')].map(one => one.textContent);
    addText(d3.select('#answer').html(''), 'take --compute recorded');
    found.option = document.querySelector('#answer .option').textContent;
    found.breaks = getComputedStyle(document.querySelector('#answer .option')).whiteSpace;
  )");
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.at("wrong"), nlohmann::json::array());
  EXPECT_EQ(found.at("stacked"), nlohmann::json({true, true}));
  EXPECT_THAT(found.at("marks").get<std::vector<std::string>>(), testing::Contains("1 MB"));
  EXPECT_EQ(found.at("option"), "--compute");
  EXPECT_EQ(found.at("breaks"), "nowrap");
}

TEST_F(Charts, AreRefusedWhereTheyCantBeWritten) {
  const FinishedProcess unwritten =
      morgana({"traffic", "--load", "0.01", "--messages", "100", "--report", "no/folder/x.html"});
  EXPECT_EQ(unwritten.exit_code, 2);
  EXPECT_THAT(unwritten.err, HasSubstr("no/folder/x.html"));
  const FinishedProcess twice =
      morgana({"reproduce", "pipelines", "--rows", "P-01", "--json", "x", "--report", "x"});
  EXPECT_EQ(twice.exit_code, 2);
  EXPECT_THAT(twice.err, HasSubstr("--json and --report both name x"));
}

}  // namespace
}  // namespace morgana::test
