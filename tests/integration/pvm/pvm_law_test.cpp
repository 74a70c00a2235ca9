#include <algorithm>
#include <tuple>

#include "tests/integration/support/morgana_test.h"

namespace morgana::test {
namespace {

using Words = std::vector<std::string>;

struct PvmCase {
  std::string name;
  Words command;
  std::string input;
};

std::ostream& operator<<(std::ostream& out, const PvmCase& program) {
  return out << program.name;
}

struct PvmPlace {
  std::string platform;
  int hosts;
};

std::ostream& operator<<(std::ostream& out, const PvmPlace& place) {
  return out << place.platform << " with " << place.hosts << " hosts";
}

/// The trace of an emulated PVM program, replayed on the same platform, takes the same time to the
/// picosecond.
class PvmLaw : public MorganaTest, public testing::WithParamInterface<std::tuple<PvmCase, PvmPlace>> {
 protected:
  static Words joined(Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
};

TEST_P(PvmLaw, Holds) {
  const auto& [program, place] = GetParam();
  const std::string hosts = std::to_string(place.hosts);
  const Words where{"--platform", place.platform,        "--set",   "hosts.count=" + hosts,
                    "--set",      "hosts.processors=16", "--quiet", "--seed",
                    "7"};
  write("input", program.input);
  Words run{"sh", "-c", "exec \"$@\" <input", "sh", MORGANA_BIN "/morgana", "run", "-n", hosts};
  run = joined(joined(run, where), {"--json", "run.json", "--trace", "run.otf2", "--"});
  HowToRun how;
  how.folder = path("");
  how.environment = {"PVM_PATH=/usr/bin"};
  const FinishedProcess emulated = run_to_end(joined(run, program.command), how);
  ASSERT_EQ(emulated.exit_code, 0) << emulated.out << emulated.err;
  succeed(joined({"replay", "run.otf2", "--json", "replay.json", "--trace", "replay.otf2"}, where));
  succeed(joined({"replay", "replay.otf2", "--json", "again.json"}, where));
  EXPECT_EQ(simulated_ps("run.json"), simulated_ps("replay.json"));
  EXPECT_EQ(read_json("run.json").at("per_rank"), read_json("replay.json").at("per_rank"));
  EXPECT_EQ(read_json("run.json").at("per_rank"), read_json("again.json").at("per_rank"));
  EXPECT_EQ(read_json("run.json").at("latency"), read_json("replay.json").at("latency"));
}

const std::string mhf_client = MORGANA_SOURCE "/tests/integration/pvm/mhf_client";

std::string pvm_program(const std::string& name) {
  return MORGANA_BIN "/" + name;
}

std::string name_of_pvm_law(const testing::TestParamInfo<std::tuple<PvmCase, PvmPlace>>& law) {
  const auto& [program, place] = law.param;
  std::string name = program.name + "_on_" + std::to_string(place.hosts) + "_" + place.platform;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(
    Of, PvmLaw,
    testing::Combine(
        testing::Values(PvmCase{"master1", {"master1"}, "3\n"},
                        PvmCase{"spmd", {pvm_program("pvm_spawner"), "4", "spmd", "4"}, ""},
                        // One process, two tasks one after the other.
                        PvmCase{"enrolling_anew", {pvm_program("../tests/pvm/leaving"), "enrol anew"}, ""},
                        // No task but the first one, and its daemon.
                        PvmCase{"alone", {pvm_program("pvm_alone")}, ""},
                        PvmCase{"alone_in_a_group", {pvm_program("pvm_alone"), "group"}, ""},
                        // Groups and reductions: contexts besides the first.
                        PvmCase{"gexample", {pvm_program("pvm_spawner"), "3", "gexample"}, ""},
                        // Receives from any context: message handlers.
                        PvmCase{
                            "handlers",
                            {pvm_program("pvm_spawner"), "1", "mhf_server", "@mhf_server", "1", mhf_client},
                            ""},
                        // Every way to receive, also in vain for a while.
                        PvmCase{"conversation", {pvm_program("../tests/pvm/conversation")}, ""},
                        // Polls of several tasks at once, some of which leave meanwhile.
                        PvmCase{"pollers", {pvm_program("pvm_pollers"), "3"}, ""},
                        PvmCase{"pollers_that_leave", {pvm_program("pvm_pollers"), "4", "leave"}, ""},
                        // Unpacks while the rest is under way, where the platform lets it.
                        PvmCase{"streams", {pvm_program("pvm_streams"), "10", "9180", "700"}, ""},
                        PvmCase{"pde1", {pvm_program("pde1.pvm"), "--tasks", "4", "--class", "S"}, ""},
                        PvmCase{"cg", {pvm_program("cg.pvm"), "--tasks", "4", "--class", "S"}, ""}),
        testing::Values(PvmPlace{"loggp-example", 1}, PvmPlace{"loggp-example", 4},
                        PvmPlace{"ethernet-10", 1}, PvmPlace{"ethernet-10", 4}, PvmPlace{"fast-ethernet", 1},
                        PvmPlace{"fast-ethernet", 4}, PvmPlace{"atm-oc3-streamed", 4})),
    name_of_pvm_law);

TEST_F(MorganaTest, ATaskThatIsGoneWithoutAWordLeavesATraceThatReplays) {
  succeed({"run", "--platform", "ethernet-10", "--quiet", "--trace", "gone.otf2", "--",
           pvm_program("pvm_leaving")});
  succeed({"replay", "gone.otf2", "--platform", "ethernet-10", "--quiet", "--json", "replay.json"});
  EXPECT_GT(simulated_ps("replay.json"), 0);
}

// The looks for what has come are part of pvm_exit; and how a process ends is no call.
TEST_F(MorganaTest, AnExitFromPvmCountsOnceAndOnlyWhereTheTaskCallsIt) {
  const auto exits = [this](Words program) {
    Words run{"run",     "-n",     "1",        "--platform", "fast-ethernet", "--compute", "none",
              "--quiet", "--json", "run.json", "--trace",    "run.otf2",      "--"};
    run.insert(run.end(), program.begin(), program.end());
    succeed(run);
    succeed({"replay", "run.otf2", "--platform", "fast-ethernet", "--quiet", "--json", "replay.json"});
    const nlohmann::json calls = read_json("run.json").at("calls");
    EXPECT_EQ(read_json("replay.json").at("calls"), calls);
    std::int64_t count = 0;
    for (const auto& call : calls)
      if (call.at("call") == "pvm_exit") count += call.at("count").get<std::int64_t>();
    return count;
  };
  EXPECT_EQ(exits({pvm_program("pvm_alone"), "group"}), 1);
  EXPECT_EQ(exits({pvm_program("pvm_alone")}), 0);
}

// Also where messages within hosts take longer than between them.
TEST_F(MorganaTest, TasksThatPollAtTheSameTimeTakeTheSameTimeEachTime) {
  constexpr std::size_t killed = 2;  // may end with the poll that it is in
  for (const std::string within_hosts : {"100ns", "1ms"}) {
    const auto run = [&](const Words& more) {
      Words words{"run",           "-n",        "3",     "--platform",
                  "loggp-example", "--compute", "none",  "--quiet",
                  "--json",        "run.json",  "--set", "messages.local-latency=" + within_hosts};
      words.insert(words.end(), more.begin(), more.end());
      words.insert(words.end(), {"--", pvm_program("pvm_pollers"), "4", "leave"});
      EXPECT_EQ(succeed(words).out, "PASS\n");
      auto tasks = read_json("run.json").at("per_rank");
      tasks.erase(killed);
      return tasks;
    };
    const auto untraced = run({});
    EXPECT_EQ(run({}), untraced);
    EXPECT_EQ(run({"--trace", "run.otf2"}), untraced);
  }
}

}  // namespace
}  // namespace morgana::test
