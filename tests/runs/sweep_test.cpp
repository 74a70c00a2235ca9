#include "runs/sweep/sweep.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "runs/sweep/sweep_report.h"
#include "tests/support/messages.h"

namespace morgana {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

SweepRequest request(const std::vector<std::string>& over) {
  SweepRequest request;
  request.trace = std::string(MORGANA_SOURCE) + "/traces/samples/ep.mpi.otf2";
  request.platform = "atm-oc3-loaded";
  for (const std::string& axis : over) request.axes.push_back(parse_axis(axis));
  return request;
}

std::string error_of(const SweepRequest& wrong) {
  try {
    const Sweep sweep(wrong);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

std::vector<CsvRow> run(const Sweep& sweep, std::size_t side_by_side) {
  return sweep.run(
      Runner(side_by_side), [](const CsvRow&) { return nullptr; }, [](const CsvRow&) {},
      [](const std::string&, double) {});
}

TEST(Sweep, GoesThroughAllCombinationsTheLastAxisFirst) {
  const Sweep sweep(request({"network.switches=1,2", "network.background.load=10 %,20 %,30 %"}));
  std::vector<std::vector<std::string>> values;
  for (const SweepPoint& point : sweep.points()) values.push_back(point.values);
  EXPECT_THAT(values,
              ElementsAre(ElementsAre("1", "10 %"), ElementsAre("1", "20 %"), ElementsAre("1", "30 %"),
                          ElementsAre("2", "10 %"), ElementsAre("2", "20 %"), ElementsAre("2", "30 %")));
}

TEST(Sweep, GivesTheLastUnitToAKeysValuesButNotToAProgramsArguments) {
  const auto values = [](const Sweep& sweep) {
    std::vector<std::string> all;
    for (const SweepPoint& point : sweep.points()) all.push_back(point.values.at(0));
    return all;
  };
  EXPECT_THAT(values(Sweep(request({"network.rate=100,200 Mb/s"}))), ElementsAre("100 Mb/s", "200 Mb/s"));
  SweepRequest program = request({"size=64,1M"});
  program.trace.clear();
  program.command = {"./program", "{size}"};
  EXPECT_THAT(values(Sweep(program)), ElementsAre("64", "1M"));
}

TEST(Sweep, SaysWithEachRowWhatWasRun) {
  SweepRequest two = request({"platform=atm-oc3,ethernet-10"});
  two.seeds = {4, 5};
  two.overrides = {"hosts.processors=2"};
  const Sweep sweep(two);
  EXPECT_EQ(sweep.inputs(), 6u);
  EXPECT_THAT(sweep.heading(),
              testing::IsSupersetOf({"subject", "platform", "settings", "map", "seed", "compute_scale",
                                     "outcome", "total_ps", "messages_lost"}));
  EXPECT_THAT(sweep.all_inputs(),
              ElementsAre(ElementsAre(testing::_, "atm-oc3", "hosts.processors=2", "block", "4", "1"),
                          ElementsAre(testing::_, "atm-oc3", "hosts.processors=2", "block", "5", "1"),
                          ElementsAre(testing::_, "ethernet-10", "hosts.processors=2", "block", "4", "1"),
                          ElementsAre(testing::_, "ethernet-10", "hosts.processors=2", "block", "5", "1")));
}

TEST(Sweep, PutsValuesIntoTheProgramsArguments) {
  SweepRequest live = request({"size=8,16"});
  live.trace.clear();
  live.command = {"./program", "--size={size}", "{size}"};
  const Sweep sweep(live);
  EXPECT_THAT(sweep.points().at(1).command, ElementsAre("./program", "--size=16", "16"));
}

TEST(Sweep, PutsSweptRanksAndPlatformsIntoTheArgumentsToo) {
  SweepRequest live = request({"ranks=2,4", "platform=atm-oc3,ethernet-10"});
  live.trace.clear();
  live.command = {"./program", "--grid={ranks}x{ranks}", "-o", "{platform}.txt", "{other}"};
  const Sweep sweep(live);
  EXPECT_EQ(sweep.points().at(3).ranks, 4u);
  EXPECT_EQ(sweep.points().at(3).platform.name(), "ethernet-10");
  EXPECT_THAT(sweep.points().at(3).command,
              ElementsAre("./program", "--grid=4x4", "-o", "ethernet-10.txt", "{other}"));
}

TEST(Sweep, BindsNamesToThoseThatVary) {
  SweepRequest live = request({"ranks=2,4", "size=8,16"});
  live.trace.clear();
  live.command = {"./program", "{n}", "--half={half}"};
  live.command.emplace_back("{size}");
  live.bindings = {parse_binding("n=256*ranks"), parse_binding("half=n/2/size")};
  const Sweep sweep(live);
  EXPECT_THAT(sweep.points().at(3).command, ElementsAre("./program", "1024", "--half=32", "16"));
  EXPECT_THAT(sweep.points().at(0).command, ElementsAre("./program", "512", "--half=32", "8"));
  EXPECT_THAT(sweep.points().at(3).bound, ElementsAre("1024", "32"));
  EXPECT_THAT(sweep.unfilled_names(), ElementsAre());
  // Another expression gives other rows.
  EXPECT_THAT(sweep.heading(), testing::IsSupersetOf({"ranks", "size", "n", "half"}));
  EXPECT_THAT(sweep.all_inputs().at(3), testing::IsSupersetOf({"4", "16", "1024", "32"}));
}

TEST(Sweep, BindsRanksAndKeysOfThePlatformToo) {
  SweepRequest live = request({"side=2,3"});
  live.trace.clear();
  live.command = {"./program", "{side}"};
  live.bindings = {parse_binding("ranks=side*side"), parse_binding("network.switches=side-1")};
  const Sweep sweep(live);
  EXPECT_EQ(sweep.points().at(1).ranks, 9u);
  EXPECT_EQ(sweep.all_inputs().at(0).at(0), "./program '{side}'");
}

TEST(Sweep, RefusesBindingsThatCanNotBe) {
  const auto refusal = [](const std::string& binding, const std::string& argument = "{n}") {
    SweepRequest live = request({"ranks=2,4"});
    live.trace.clear();
    live.command = {"./program", argument};
    live.bindings = {parse_binding(binding)};
    return error_of(live);
  };
  expect_message(refusal("n=256*rank"), "--let n=256*rank:");
  expect_message(refusal("n=1/(ranks-4)"), {"--let n=1/(ranks-4)", "ranks is 4"});
  expect_message(refusal("m=2*ranks"), "--let m");
  expect_message(refusal("ranks=2"), "--over");
  expect_message(refusal("platform=2"), "--let platform=2");
  expect_message(refusal("network.switches=ranks/8"),
                 "--let network.switches=0.25: network.switches: \"0.25\"");
  expect_message(refusal("network.swiches=ranks"), "--let network.swiches");
  SweepRequest replayed = request({"network.switches=1,2"});
  replayed.bindings = {parse_binding("ranks=2*network.switches")};
  expect_message(error_of(replayed), "--let ranks");
  SweepRequest broken = request({"side=2,3"});
  broken.trace.clear();
  broken.command = {"./program", "{side}"};
  broken.bindings = {parse_binding("ranks=side/2")};
  expect_message(error_of(broken), {"--let ranks=1.5", "4096"});
}

TEST(Sweep, TellsWhichNamesInBracesNoAxisFills) {
  SweepRequest live = request({"size=8,16"});
  live.trace.clear();
  live.command = {"./program", "{size}", "--grid={rows}x{columns}", "{rows}", "{1,2}", "{}"};
  EXPECT_THAT(Sweep(live).unfilled_names(), ElementsAre("rows", "columns"));
  live.command = {"./program", "{size}"};
  EXPECT_THAT(Sweep(live).unfilled_names(), ElementsAre());
}

TEST(Sweep, SaysWhatAWordThatIsNoKeyLacks) {
  SweepRequest live = request({"size=8,16"});
  live.trace.clear();
  live.command = {"./program", "size"};
  expect_message(error_of(live), {"--over size", "{size}"});
  expect_message(error_of(request({"seed=1,2"})), "--seeds 10");
}

TEST(Sweep, SaysWhereAProgramsComputeTimesWereRecorded) {
  SweepRequest live = request({"network.switches=1,2"});
  live.trace.clear();
  live.command = {"./program"};
  live.ranks = 4;
  live.compute = ComputeMode::none;
  live.recorded_compute = "run.otf2";
  EXPECT_EQ(Sweep(live).all_inputs().at(0).at(0), "-n 4 --compute recorded:run.otf2 ./program");
  live.axes = {parse_axis("ranks=2,4")};
  expect_message(error_of(live), "run.otf2");
  SweepRequest replayed = request({"network.switches=1,2"});
  replayed.recorded_compute = "run.otf2";
  expect_message(error_of(replayed), {"--compute recorded", "\"--\""});
}

TEST(Sweep, RefusesWhatIsNoKeyOrDoesNotFitItsKeyBeforeAnythingRuns) {
  expect_message(error_of(request({"network.swiches=1,2"})), {"--over network.swiches", "network.switches"});
  expect_message(error_of(request({"network.switch-delay=1 us,1 Mb/s"})),
                 {"--over network.switch-delay", "1 Mb/s"});
  expect_message(error_of(request({"network.switches=1,0"})), "--over network.switches");
  expect_message(error_of(request({"platform=atm-oc3,atm-oc4"})), "atm-oc4");
  expect_message(error_of(request({"platform=native"})), "native");
  expect_message(error_of(request({"network.switches=1", "network.switches=2"})),
                 {"network.switches", "--over"});
  expect_message(error_of(request({"ranks=2,4"})), {"--over ranks", "\"--\""});
  SweepRequest set = request({"network.switches=1,2"});
  set.overrides = {"network.switches = 3"};
  expect_message(error_of(set), {"network.switches", "--set network.switches = 3"});
  SweepRequest endless = request({"network.switches=1..200:1", "network.background.load=1..70 %:0.1"});
  expect_message(error_of(endless), "100000 runs");
}

TEST(Sweep, TakesRanksAsAWholeNumber) {
  for (const char* wrong : {"0", "2.5", "two", "5000", "99999999999"}) {
    SweepRequest live = request({std::string("ranks=") + wrong});
    live.trace.clear();
    live.command = {"./program"};
    expect_message(error_of(live), {std::string("--over ranks=") + wrong, "4096"});
  }
}

TEST(Sweep, GivesTheSameRowsHoweverManyRunSideBySide) {
  SweepRequest two = request({"network.switches=1,2"});
  two.seeds = {1, 2, 3};
  const Sweep sweep(two);
  const auto rows = run(sweep, 1);
  EXPECT_EQ(rows, run(sweep, 4));
  EXPECT_NE(rows.at(0).at(sweep.inputs() + 1),
            rows.at(1).at(sweep.inputs() + 1));  // another seed, other luck
}

TEST(Sweep, RunsOnlyWhatIsNotKnown) {
  SweepRequest two = request({"network.switches=1,2"});
  two.seeds = {1, 2};
  const Sweep sweep(two);
  const auto rows = run(sweep, 2);
  std::vector<CsvRow> made;
  const auto again = sweep.run(
      Runner(2),
      [&](const CsvRow& inputs) -> const CsvRow* {
        if (inputs == sweep.all_inputs().at(2)) return nullptr;
        for (const CsvRow& row : rows)
          if (std::equal(inputs.begin(), inputs.end(), row.begin())) return &row;
        return nullptr;
      },
      [&](const CsvRow& row) { made.push_back(row); }, [](const std::string&, double) {});
  EXPECT_EQ(again, rows);
  EXPECT_THAT(made, ElementsAre(rows.at(2)));
}

TEST(Sweep, ReportsMeansAndIntervalsOfEachPoint) {
  SweepRequest two = request({"network.switches=1,2"});
  two.seeds = {1, 2};
  const Sweep sweep(two);
  auto rows = run(sweep, 2);
  const std::size_t total = sweep.inputs() + 1;
  rows[0][total] = "1e12";
  rows[1][total] = "3e12";
  rows[2][sweep.inputs()] = rows[3][sweep.inputs()] = "deadlock";
  const auto points = summarize(sweep, rows);
  ASSERT_EQ(points.size(), 2u);
  EXPECT_EQ(points[0].interval("total_ps").mean, 2e12);
  EXPECT_NEAR(points[0].interval("total_ps").radius, 6.314e12, 1e9);  // t(1) = 6.314, standard error 1
  EXPECT_EQ(points[1].unfinished, 2u);
  EXPECT_THAT(sweep_table(sweep, points), AllOf(HasSubstr("2.000 s +- 6.314 s"), HasSubstr("unfinished")));
  const Curves curves = sweep_curves(sweep, points, "total_ps");
  ASSERT_EQ(curves.curves.size(), 1u);
  ASSERT_EQ(curves.curves[0].points.size(), 1u);  // what did not finish has no figures
  EXPECT_EQ(curves.curves[0].points[0].y, 2);
  EXPECT_THROW(sweep_curves(sweep, points, "total"), Error);
}

TEST(Sweep, NamesWhatRanAndThePlatformInThePictureUnlessThatVaries) {
  const auto title = [](const std::string& over) {
    const Sweep sweep(request({over}));
    return sweep_curves(sweep, summarize(sweep, run(sweep, 1)), "total_ps").title;
  };
  const SweepRequest plain = request({"network.switches=1,2"});
  const std::string what = plain.trace.empty() ? plain.command.front() : plain.trace.filename().string();
  EXPECT_THAT(title("network.switches=1,2"), AllOf(HasSubstr(what), HasSubstr(" on " + plain.platform)));
  EXPECT_THAT(title("platform=loggp-example,ideal"),
              AllOf(HasSubstr(what), ::testing::Not(HasSubstr(" on "))));
}

TEST(Sweep, DrawsFiguresFarApartOnALogarithmicAxisAndMultiplesAsNumbers) {
  const Sweep sweep(request({"network.bandwidth=x1,x2,x4"}));
  std::vector<PointSummary> points;
  for (const char* value : {"x1", "x2", "x4"}) points.push_back({{value}, 1, 0, {}, {}});
  const double seconds[] = {50, 10, 1};
  for (std::size_t i = 0; i < 3; ++i) points[i].figures["total_ps"].add(seconds[i] * 1e12);
  const Curves curves = sweep_curves(sweep, points, "total_ps");
  EXPECT_TRUE(curves.logarithmic_y);
  EXPECT_TRUE(curves.places.empty());
  EXPECT_EQ(curves.curves.at(0).points.at(2).x, 4);
  EXPECT_TRUE(curves.logarithmic_x);  // they grow by a factor
}

}  // namespace
}  // namespace morgana
