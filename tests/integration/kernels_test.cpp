// The kernels as programs: over the real MPI, over the real PVM, and under Morgana.
#include <cstdio>
#include <map>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "tests/integration/support/morgana_test.h"
#include "tests/integration/support/native_run.h"
#include "tests/support/pvm_daemon.h"

namespace morgana::test {
namespace {

using testing::HasSubstr;
using Words = std::vector<std::string>;

struct KernelCase {
  std::size_t number;
  std::string name;
  /// Sizes for more tasks than processors: the real MPI then takes milliseconds a message.
  Words tiny;
};

std::ostream& operator<<(std::ostream& out, const KernelCase& kernel) {
  return out << kernel.name;
}

Words joined(Words words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// The real PVM, where its daemon can be started.
class RealPvm {
 public:
  RealPvm() {
    try {
      daemon_.emplace();
    } catch (const std::runtime_error& error) {
      why_not_ = error.what();
    }
  }
  bool runs() const { return daemon_.has_value(); }
  const std::string& why_not() const { return why_not_; }
  FinishedProcess run(const Words& command) const { return run_to_end(daemon_->command(command)); }

 private:
  std::optional<PvmDaemon> daemon_;
  std::string why_not_;
};

/// All that a kernel prints but its time.
std::string result_of(const FinishedProcess& process) {
  EXPECT_EQ(process.exit_code, 0) << process.out << process.err;
  EXPECT_THAT(process.out, HasSubstr("PASS\n")) << process.err;
  return process.out.substr(0, process.out.find("time "));
}

class KernelProgram : public MorganaTest, public testing::WithParamInterface<KernelCase> {
 protected:
  static constexpr int task_counts[] = {2, 4, 5, 8};

  Words sizes(int tasks) const { return tasks > 4 ? GetParam().tiny : Words{"--class", "S"}; }
  std::string mpi_program() const { return program(GetParam().name + ".mpi"); }
  std::string pvm_program() const { return program(GetParam().name + ".pvm"); }
  std::string emulated_ranks(const std::string& platform, int tasks, const Words& how) {
    const Words start{"run",  "-n",     std::to_string(tasks), "--platform", platform, "--compute",
                      "none", "--quiet"};
    return result_of(morgana(joined(joined(start, {"--", mpi_program()}), how)));
  }
  std::string emulated_tasks(const std::string& platform, int tasks, const Words& how) {
    const std::string count = std::to_string(tasks);
    const Words start{"run", "-n", count, "--platform", platform, "--compute", "none", "--quiet"};
    return result_of(morgana(joined(joined(start, {"--", pvm_program(), "--tasks", count}), how)));
  }
  std::vector<std::string> modelled_platforms() {
    std::vector<std::string> names;
    std::istringstream list(succeed({"platforms", "--names"}).out);
    for (std::string name; list >> name;)
      if (name != "native") names.push_back(name);
    return names;
  }
  std::string native_result(int tasks) const {
    return result_of(run_natively(tasks, joined({mpi_program()}, sizes(tasks))));
  }
};

TEST_P(KernelProgram, ComputesTheSameUnderMorganaAsOverTheRealMpi) {
  for (const int tasks : task_counts) {
    const Words start{"run", "-n", std::to_string(tasks), "--platform", "fast-ethernet", "--quiet", "--"};
    EXPECT_EQ(result_of(morgana(joined(joined(start, {mpi_program()}), sizes(tasks)))), native_result(tasks));
  }
}

TEST_P(KernelProgram, ComputesTheSameAsPvmTasksUnderMorgana) {
  for (const int tasks : task_counts)
    EXPECT_EQ(emulated_tasks("fast-ethernet", tasks, sizes(tasks)), native_result(tasks));
}

TEST_P(KernelProgram, ComputesTheSameOnEveryPlatform) {
  std::map<int, std::string> expected;  // by tasks; the tests above compare it with the real MPI's
  for (const int tasks : task_counts)
    expected[tasks] = emulated_ranks("fast-ethernet", tasks, GetParam().tiny);
  // A run is mostly its start: on each platform one half of the kernels sends over MPI and the other over
  // PVM, each half in all numbers of processes, and on the next platform the halves are exchanged.
  std::size_t turn = GetParam().number, platforms = 0;
  for (const std::string& platform : modelled_platforms()) {
    const int processes = task_counts[turn / 2 % std::size(task_counts)];
    const bool over_mpi = turn % 2 == 0;
    SCOPED_TRACE(testing::Message() << platform << ", " << processes
                                    << (over_mpi ? " MPI ranks" : " PVM tasks"));
    const std::string result = over_mpi ? emulated_ranks(platform, processes, GetParam().tiny)
                                        : emulated_tasks(platform, processes, GetParam().tiny);
    EXPECT_EQ(result, expected[processes]);
    ++turn;
    ++platforms;
  }
  EXPECT_GT(platforms, 10U);
}

// Others offer 1.1 times what the links carry: at least one cell in eleven is lost, once buffers are full.
// SSCOP would be unstable but for ABT, whose blocks lose nothing to others.
TEST_P(KernelProgram, ComputesTheSameWhereCellsAreLost) {
  const std::string expected = emulated_ranks("fast-ethernet", 4, GetParam().tiny);
  const Words loaded{"--set",     "network.buffer=20 cells",
                     "--set",     "network.background.load=110 %",
                     "--compute", "none",
                     "--quiet",   "--"};
  const std::string poll = "transport.poll=2 ms", monitoring = "transport.lme.interval=2 ms";
  for (const auto& [platform, polls] :
       {std::pair{"atm-oc3-pcaal", poll}, std::pair{"atm-oc3-pcaal-single", poll},
        std::pair{"atm-oc3-abr", poll}, std::pair{"atm-oc3-abt", poll}, std::pair{"atm-oc3-ece", monitoring},
        std::pair{"atm-oc3-ece-duplicating", monitoring}}) {
    SCOPED_TRACE(platform);
    const Words start = joined({"run", "-n", "4", "--platform", platform, "--set", polls}, loaded);
    EXPECT_EQ(result_of(morgana(joined(joined(start, {mpi_program()}), GetParam().tiny))), expected);
    EXPECT_EQ(result_of(morgana(joined(joined(start, {pvm_program(), "--tasks", "4"}), GetParam().tiny))),
              expected);
  }
}

// The same loss on every hop, among servers that relay every message: of a ring's both ways, and with
// channels that come and go in a tree.
TEST_P(KernelProgram, ComputesTheSameWhereServersRelayAndCellsAreLost) {
  const std::string expected = emulated_ranks("fast-ethernet", 8, GetParam().tiny);
  const Words lossy{"--set",  "transport.kind=pc-aal",   "--set",     "transport.poll=2 ms",
                    "--set",  "network.buffer=20 cells", "--set",     "network.background.load=90 %",
                    "--set",  "overlay.relay=10 us",     "--compute", "none",
                    "--quiet"};
  const Words ring{"run",
                   "-n",
                   "8",
                   "--platform",
                   "atm-overlay-ring",
                   "--set",
                   "overlay.routing=replicated",
                   "--set",
                   "overlay.direct=never"};
  const Words tree{"run",
                   "-n",
                   "8",
                   "--platform",
                   "atm-overlay-tree",
                   "--set",
                   "overlay.identifiers=3",
                   "--set",
                   "overlay.idle=1 ms",
                   "--set",
                   "overlay.signalling=100 us"};
  for (const Words& start : {ring, tree}) {
    SCOPED_TRACE(start[4]);
    EXPECT_EQ(
        result_of(morgana(joined(joined(start, lossy), joined({"--", mpi_program()}, GetParam().tiny)))),
        expected);
  }
}

TEST_P(KernelProgram, ComputesTheSameOverTheRealPvmAsOverTheRealMpi) {
  const RealPvm pvm;
  if (!pvm.runs()) GTEST_SKIP() << pvm.why_not();
  for (const int tasks : task_counts) {
    const Words command = joined({pvm_program(), "--tasks", std::to_string(tasks)}, sizes(tasks));
    EXPECT_EQ(result_of(pvm.run(command)), native_result(tasks));
  }
}

TEST_P(KernelProgram, ComputesTheSameHoweverPvmPacksAndSends) {
  const RealPvm pvm;
  if (!pvm.runs()) GTEST_SKIP() << pvm.why_not();
  const Words command = joined({pvm_program(), "--tasks", "3"}, GetParam().tiny);
  const std::string expected = result_of(pvm.run(command));
  EXPECT_EQ(result_of(pvm.run(joined(command, {"--encoding", "raw", "--route", "direct"}))), expected);
}

INSTANTIATE_TEST_SUITE_P(
    Of, KernelProgram,
    testing::Values(
        KernelCase{0, "ep", {"--pairs", "16"}},
        KernelCase{1, "cg", {"--order", "200", "--nonzeros", "3", "--outer", "1", "--inner", "20"}},
        KernelCase{2, "ft", {"--nx", "16", "--ny", "16", "--nz", "16", "--steps", "2"}},
        KernelCase{3, "is", {"--keys", "12", "--range", "8", "--rankings", "2"}},
        KernelCase{4, "mg", {"--size", "8", "--cycles", "2"}},
        KernelCase{5, "pde1", {"--size", "8", "--iterations", "50"}},
        KernelCase{6, "pde2", {"--size", "16", "--cycles", "3"}},
        KernelCase{7, "solver", {"--x", "2", "--y", "2", "--z", "4", "--t", "8", "--iterations", "20"}}),
    [](const auto& it) { return it.param.name; });

/// Messages as a kernel counts them itself.
struct Counted {
  unsigned long long messages = 0, bytes = 0;
  double mean = 0.0, median = 0.0;
};

Counted counted(const std::string& out) {
  Counted traffic;
  const auto time = out.find("time ");
  const auto line = time == std::string::npos ? time : out.find('\n', time);
  if (line == std::string::npos ||
      std::sscanf(out.c_str() + line, " %llu messages, %llu bytes, mean %lf, median %lf", &traffic.messages,
                  &traffic.bytes, &traffic.mean, &traffic.median) != 4) {
    ADD_FAILURE() << "no line of traffic in " << out;
  }
  return traffic;
}

/// A line of Table A.1 of the ATM paper, five processors.
struct PaperLine {
  std::string name;
  double messages, mean, median;
};

class KernelTraffic : public MorganaTest, public testing::WithParamInterface<PaperLine> {
 protected:
  static void compare(double messages, double mean, double median) {
    const PaperLine& paper = GetParam();
    EXPECT_NEAR(messages, paper.messages, 0.02 * paper.messages);
    EXPECT_NEAR(mean, paper.mean, 0.02 * paper.mean);
    EXPECT_EQ(median, paper.median);
  }
};

TEST_P(KernelTraffic, IsThePapersWhenCapturedOverMpi) {
  const std::string kernel = program(GetParam().name + ".mpi");
  succeed({"capture", "-n", "4", "-o", "kernel.otf2", "--quiet", "--", kernel, "--class", "paper"});
  succeed({"stats", "kernel.otf2", "--quiet", "--json", "stats.json"});
  const nlohmann::json stats = read_json("stats.json");
  compare(stats.at("messages").get<double>(), stats.at("mean_length").get<double>(),
          stats.at("median_length").get<double>());
  // The kernel's own count is what the PVM test goes by: it must be that of the trace.
  const Counted own = counted(run_natively(4, {kernel, "--class", "paper", "--traffic"}).out);
  EXPECT_EQ(own.messages, stats.at("messages").get<unsigned long long>());
  EXPECT_EQ(own.bytes, stats.at("bytes").get<unsigned long long>());
}

TEST_P(KernelTraffic, IsThePapersOverPvm) {
  const RealPvm pvm;
  if (!pvm.runs()) GTEST_SKIP() << pvm.why_not();
  const FinishedProcess run =
      pvm.run({program(GetParam().name + ".pvm"), "--tasks", "4", "--class", "paper", "--traffic"});
  result_of(run);
  const Counted traffic = counted(run.out);
  compare(static_cast<double>(traffic.messages), traffic.mean, traffic.median);
}

INSTANTIATE_TEST_SUITE_P(
    Of, KernelTraffic,
    testing::Values(PaperLine{"pde1", 5608, 8180.360, 8192}, PaperLine{"pde2", 8068, 116.827, 40},
                    PaperLine{"solver", 4792, 7107.595, 6144}, PaperLine{"cg", 7116, 1963.389, 8},
                    PaperLine{"ft", 189, 233200.75, 262144}, PaperLine{"is", 599, 71364.320, 130016},
                    PaperLine{"mg", 848, 30226.525, 2592}),
    [](const auto& it) { return it.param.name; });

class KernelRefusal : public MorganaTest {};

TEST_F(KernelRefusal, IsOneSentenceAndExitCode2) {
  const FinishedProcess mpi = run_natively(3, {program("mg.mpi"), "--size", "100"});
  EXPECT_EQ(mpi.exit_code, 2);
  EXPECT_EQ(mpi.err, "mg.mpi: --size must be a power of two, not 100\n");
  EXPECT_EQ(mpi.out, "");
  const FinishedProcess pvm = run_to_end({program("mg.pvm"), "--tasks", "none"});
  EXPECT_EQ(pvm.exit_code, 2);
  EXPECT_EQ(pvm.err, "mg.pvm: --tasks takes a whole number from 1 to 4096, not 'none'\n");
}

TEST_F(KernelRefusal, SaysHowManyTasksAreTooMany) {
  const FinishedProcess mpi = run_natively(5, {program("pde1.mpi"), "--size", "4"});
  EXPECT_EQ(mpi.exit_code, 2);
  EXPECT_THAT(mpi.err, HasSubstr("5 tasks form a rectangle of 1 x 5, which can't share 4 points a side"));
}

TEST_F(KernelRefusal, NamesTheMissingDaemon) {
  std::filesystem::create_directory(path("nothing"));
  const FinishedProcess pvm =
      run_to_end({"env", "PVM_TMP=" + path("nothing"), "PVM_ALLOW_ROOT=1", program("ep.pvm")});
  EXPECT_EQ(pvm.exit_code, 2);
  EXPECT_THAT(pvm.err, HasSubstr("ep.pvm: PVM's daemon can't be reached"));
}

TEST_F(KernelRefusal, NamesTheProgramThatPvmDoesNotFind) {
  const RealPvm pvm;
  if (!pvm.runs()) GTEST_SKIP() << pvm.why_not();
  // Started by its bare name it asks PVM for that name, which lies on no path of PVM's.
  const FinishedProcess run = pvm.run({"env", "PATH=" MORGANA_BIN ":/usr/bin:/bin", "ep.pvm"});
  EXPECT_EQ(run.exit_code, 2);
  EXPECT_THAT(run.err, HasSubstr("PVM started 0 of 4 workers 'ep.pvm'"));
}

TEST_F(KernelRefusal, IsNotHelp) {
  for (const char* name : {"ep.mpi", "ep.pvm"}) {
    const FinishedProcess help = run_to_end({program(name), "--help"});
    EXPECT_EQ(help.exit_code, 0) << help.err;
    EXPECT_THAT(help.out, HasSubstr("--class S|W|A|paper"));
  }
}

TEST_F(KernelRefusal, IsNotAFailedVerification) {
  const FinishedProcess run = run_natively(2, {program("pde1.mpi"), "--size", "16", "--iterations", "3"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_THAT(run.out, HasSubstr("FAIL\n"));
}

}  // namespace
}  // namespace morgana::test
