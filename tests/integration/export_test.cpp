#include <algorithm>
#include <cctype>
#include <cstdint>
#include <map>
#include <sstream>
#include <string>

#include "tests/integration/support/morgana_test.h"

namespace morgana::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Export : public MorganaTest {};

// What the program prints of its calls is counted by `stats`; every flow has two ends, in the calls of its
// ranks.
TEST_F(Export, HasTheCallsAndMessagesThatStatsCounts) {
  succeed({"run", "-n", "4", "--platform", "fast-ethernet", "--quiet", "--trace", "run.otf2", "--json",
           "run.json", "--", program("nonblocking")});
  succeed({"stats", "run.otf2", "--quiet", "--json", "stats.json"});
  const FinishedProcess exported = succeed({"export", "run.otf2", "-o", "run.chrome.json"});
  const nlohmann::json stats = read_json("stats.json"), chrome = read_json("run.chrome.json");
  std::map<int, int> flows;
  int calls = 0, messages = 0;
  double end = 0, ranks_end = 0;
  for (const nlohmann::json& event : chrome.at("traceEvents")) {
    const std::string kind = event.at("ph");
    if (kind == "X")
      ++calls, end = std::max(end, event.at("ts").get<double>() + event.at("dur").get<double>());
    if (kind == "s") ++messages, ++flows[event.at("id")];
    if (kind == "f") ++flows[event.at("id")];
    if (kind == "i") ranks_end = std::max(ranks_end, event.at("ts").get<double>());
  }
  EXPECT_THAT(exported.err, HasSubstr(std::to_string(calls) + " calls of 4 ranks, "));
  EXPECT_EQ(messages, stats.at("messages").get<int>());
  for (const auto& [id, ends] : flows) EXPECT_EQ(ends, 2) << "flow " << id;
  // What is computed after the last call is in no call.
  const double simulated = static_cast<double>(simulated_ps("run.json")) / 1e6;
  EXPECT_LE(end, simulated + 1e-3);
  EXPECT_GT(end, 0.9 * simulated);
  EXPECT_NEAR(ranks_end, simulated, 1e-6);
}

// PajeNG's reader checks each event against the file's own definitions, and that what begins ends.
TEST_F(Export, WritesPajeThatItsReaderReads) {
  if (in_shell("command -v pj_dump").exit_code != 0)
    GTEST_SKIP() << "pj_dump is not here (Debian's package pajeng)";
  succeed({"run", "-n", "4", "--platform", "fast-ethernet", "--quiet", "--trace", "run.otf2", "--",
           program("nonblocking")});
  const FinishedProcess exported = succeed({"export", "run.otf2", "--to", "paje", "-o", "run.paje"});
  const FinishedProcess dumped = in_shell("pj_dump run.paje");
  EXPECT_EQ(dumped.exit_code, 0) << dumped.err;
  EXPECT_EQ(dumped.err, "");
  std::map<std::string, int> lines;
  std::istringstream text(dumped.out);
  for (std::string line; std::getline(text, line);) ++lines[line.substr(0, line.find(','))];
  EXPECT_THAT(exported.err, HasSubstr(std::to_string(lines["State"]) + " calls of 4 ranks, " +
                                      std::to_string(lines["Link"]) + " messages"));
  EXPECT_GT(lines["Link"], 0);
}

// protoc reads the file by Perfetto's schema; what it does not find there it shows as numbers.
TEST_F(Export, WritesWhatPerfettosSchemaDescribes) {
  if (in_shell("command -v protoc").exit_code != 0)
    GTEST_SKIP() << "protoc is not here (Debian's package protobuf-compiler)";
  succeed({"run", "-n", "4", "--platform", "fast-ethernet", "--quiet", "--trace", "run.otf2", "--",
           program("nonblocking")});
  const FinishedProcess exported = succeed({"export", "run.otf2", "--to", "perfetto", "-o", "run.pftrace"});
  const FinishedProcess read = in_shell("protoc --decode=perfetto.protos.Trace -I " MORGANA_SOURCE
                                        "/tests/integration perfetto.proto < run.pftrace");
  ASSERT_EQ(read.exit_code, 0) << read.err;
  std::map<std::string, int> words;
  std::map<std::string, int> starts, ends;  // of flows
  std::uint64_t last = 0;
  std::istringstream text(read.out);
  for (std::string line; std::getline(text, line);) {
    std::istringstream parts(line);
    std::string field, value;
    parts >> field >> value;
    EXPECT_EQ(std::isdigit(static_cast<unsigned char>(field[0])), 0) << "not in the schema: " << line;
    ++words[value];
    if (field == "flow_ids:") ++starts[value];
    if (field == "terminating_flow_ids:") {
      EXPECT_EQ(starts[value], 1) << "it begins first";
      ++ends[value];
    }
    if (field != "timestamp:") continue;
    EXPECT_LE(last, std::stoull(value));
    last = std::stoull(value);
  }
  EXPECT_THAT(exported.err, HasSubstr(std::to_string(words["TYPE_SLICE_BEGIN"]) + " calls of 4 ranks, " +
                                      std::to_string(starts.size()) + " messages"));
  EXPECT_EQ(words["TYPE_SLICE_END"], words["TYPE_SLICE_BEGIN"]);
  EXPECT_EQ(ends, starts);
  EXPECT_GT(starts.size(), 0U);
  EXPECT_GT(words["TYPE_COUNTER"], 0) << "what the network did";
  EXPECT_THAT(read.out, AllOf(HasSubstr("name: \"rank 3\""), HasSubstr("name: \"network\"")));
}

// Where messages take no time, a schedule of it takes the time of the trace: computing there is whole
// nanoseconds. The binary form is that of the text.
TEST_F(Export, WritesSchedulesThatTakeTheTimeOfTheirTrace) {
  const std::string samples = MORGANA_SOURCE "/traces/samples/";
  const auto time_of = [this](const std::string& what) {
    succeed({"replay", what, "--platform", "ideal", "--quiet", "--json", "time.json"});
    return simulated_ps("time.json");
  };
  for (const std::string& trace : {samples + "is.mpi.otf2", samples + "rows-and-columns.dim"}) {
    SCOPED_TRACE(trace);
    succeed({"export", trace, "--to", "goal", "-o", "run.goal", "--quiet"});
    succeed({"export", trace, "--to", "goal-binary", "-o", "run.bin", "--quiet"});
    EXPECT_EQ(time_of("run.goal"), time_of(trace));
    succeed({"export", "run.goal", "--to", "goal-binary", "-o", "again.bin", "--quiet"});
    succeed({"export", "run.bin", "--to", "goal", "-o", "again.goal", "--quiet"});
    EXPECT_EQ(read("again.bin"), read("run.bin"));
    EXPECT_EQ(read("again.goal"), read("run.goal"));
  }
}

TEST_F(Export, RefusesWhatAScheduleCantHold) {
  const std::string samples = MORGANA_SOURCE "/traces/samples/";
  const auto refusal = [this](std::vector<std::string> options) {
    options.insert(options.begin(), "export");
    options.insert(options.end(), {"-o", "x.goal"});
    const FinishedProcess run = morgana(options);
    EXPECT_EQ(run.exit_code, 2);
    return run.err;
  };
  EXPECT_THAT(refusal({samples + "ep.pvm.otf2", "--to", "goal"}),
              AllOf(HasSubstr("ep.pvm.otf2"), HasSubstr("tasks of PVM")));
  EXPECT_THAT(refusal({samples + "data-parallel", "--to", "goal"}), HasSubstr("execution trace"));
  EXPECT_THAT(refusal({samples + "is.mpi.otf2", "--to", "goal", "--platform", "native"}),
              HasSubstr("native is not a model"));
  EXPECT_THAT(refusal({samples + "is.mpi.otf2", "--platform", "ideal"}),
              HasSubstr("--platform and --set are for --to goal"));
  succeed({"run", "-n", "2", "--platform", "ideal", "--compute", "none", "--quiet", "--trace", "put.otf2",
           "--", program("one_sided")});
  EXPECT_THAT(refusal({"put.otf2", "--to", "goal"}),
              AllOf(HasSubstr("put.otf2: rank "), HasSubstr("one-sided")));
}

TEST_F(Export, RefusesWhatItCantReadOrWrite) {
  const FinishedProcess unread = morgana({"export", "none.otf2", "-o", "x.json"});
  EXPECT_EQ(unread.exit_code, 2);
  EXPECT_THAT(unread.err, HasSubstr("there is no trace none.otf2"));
  succeed({"run", "-n", "2", "--quiet", "--trace", "run.otf2", "--", program("ring")});
  const FinishedProcess unwritten = morgana({"export", "run.otf2", "-o", "no/folder/x.json"});
  EXPECT_EQ(unwritten.exit_code, 2);
  EXPECT_THAT(unwritten.err, HasSubstr("no/folder/x.json"));
  EXPECT_THAT(morgana({"export", "run.otf2", "--to", "vcd", "-o", "x"}).err,
              HasSubstr("\"vcd\" is not chrome"));
}

}  // namespace
}  // namespace morgana::test
