#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>

#include "tests/conformance/described.h"
#include "tests/integration/support/morgana_test.h"
#include "tests/integration/support/native_run.h"

namespace morgana::test {
namespace {

/// A program that checks itself, run three times: over the real MPI, emulated, and replayed from its own
/// trace.
class Conformance : public MorganaTest, public testing::WithParamInterface<Conforming> {
 protected:
  static std::string binary() { return program("conformance/" + GetParam().name); }
  static std::string ranks() { return std::to_string(GetParam().ranks); }
  static FinishedProcess native_run(const std::vector<std::string>& cases) {
    std::vector<std::string> command{binary()};
    command.insert(command.end(), cases.begin(), cases.end());
    if (GetParam().one_host) return run_natively(GetParam().ranks, command);
    // Ranks that take each other for strangers also start sooner.
    return run_natively(GetParam().ranks, command, {"MPIR_CVAR_NOLOCAL=1", "UCX_TLS=sm,self"});
  }
};

TEST_P(Conformance, IsTheSameNativelyEmulatedAndReplayed) {
  ASSERT_GE(GetParam().ranks, 2) << "the program's source has no line '// ranks: N'";
  const std::vector<std::string> platform{"--platform", "fast-ethernet", "--set",
                                          GetParam().one_host ? "hosts.processors=8" : "hosts.processors=1"};
  std::vector<std::string> cases;
  if (!GetParam().not_natively.empty()) {
    // What MPICH's release gets wrong, or does another way, is right in emulation all the same.
    std::vector<std::string> all{"run", "--compute", "none", "--quiet", "-n", ranks(), "--", binary()};
    all.insert(all.begin() + 1, platform.begin(), platform.end());
    cases = cases_in(lines_of(succeed(all).out));
    for (const std::string& name : GetParam().not_natively) ASSERT_EQ(std::erase(cases, name), 1U) << name;
  }
  FinishedProcess native = native_run(cases);
  ASSERT_EQ(native.exit_code, 0) << native.out << native.err;
  ASSERT_THAT(native.out, testing::HasSubstr("case "));
  if (!GetParam().differing.empty()) {
    cases = cases_in(lines_of(native.out));
    for (const std::string& name : GetParam().differing) ASSERT_EQ(std::erase(cases, name), 1U) << name;
    native = native_run(cases);
  }

  std::vector<std::string> run{"run",     "--compute", "none",   "--quiet",  "-n", ranks(),
                               "--trace", "run.otf2",  "--json", "run.json", "--", binary()};
  run.insert(run.begin() + 1, platform.begin(), platform.end());
  run.insert(run.end(), cases.begin(), cases.end());
  const FinishedProcess emulated = morgana(run);
  if (!GetParam().refused.empty()) {
    EXPECT_NE(emulated.exit_code, 0);
    EXPECT_THAT(emulated.err, testing::HasSubstr(GetParam().refused));
    return;
  }
  EXPECT_EQ(lines_of(emulated.out), lines_of(native.out)) << emulated.err;
  ASSERT_EQ(emulated.exit_code, 0) << emulated.out << emulated.err;

  if (!GetParam().no_replay.empty()) return;
  std::vector<std::string> replay{"replay", "run.otf2", "--quiet", "--json", "replay.json"};
  replay.insert(replay.end(), platform.begin(), platform.end());
  succeed(replay);
  EXPECT_EQ(simulated_ps("run.json"), simulated_ps("replay.json"));
}

INSTANTIATE_TEST_SUITE_P(Of, Conformance, testing::ValuesIn(all_programs()),
                         [](const testing::TestParamInfo<Conforming>& about) { return about.param.name; });

/// The n-th of every so many programs, to share the time among processes.
struct Portion {
  std::size_t n = 0;
  static constexpr std::size_t of = 28;
};

void PrintTo(const Portion& portion, std::ostream* out) {
  *out << "part " << portion.n << " of " << Portion::of;
}

/// How the time of a rank with several threads divides among its calls differs by some picoseconds from run
/// to run (docs/limits.md); what it adds up to does not.
nlohmann::json without_times_of_calls(const std::string& text) {
  nlohmann::json run = nlohmann::json::parse(text);
  const std::function<void(nlohmann::json&)> strip = [&](nlohmann::json& part) {
    if (part.is_object() && part.contains("call")) part.erase("time_ps");
    if (part.is_structured())
      for (auto& inner : part) strip(inner);
  };
  strip(run);
  return run;
}

/// How many machines have agents, and which ranks run where.
struct OnAgents {
  int agents;
  const char* distribution;
};

/// Programs whose ranks agents run, against the same on one machine without: on two platforms and two agents,
/// or, with MORGANA_EVERYWHERE in the environment, on five and one to three.
class ConformanceOnAgents : public MorganaTest, public testing::WithParamInterface<Portion> {
 protected:
  struct Outcome {
    int exit_code = 0;
    std::vector<std::string> lines;
    std::string json, errors;
  };
  Outcome run(const Conforming& program, const std::vector<std::string>& options,
              const std::vector<std::string>& cases) {
    std::vector<std::string> words{"run",     "--compute", "none",
                                   "--quiet", "-n",        std::to_string(program.ranks),
                                   "--json",  "run.json",  "--set"};
    words.emplace_back(program.one_host ? "hosts.processors=8" : "hosts.processors=1");
    words.insert(words.end(), options.begin(), options.end());
    words.insert(words.end(), {"--", MorganaTest::program("conformance/" + program.name)});
    words.insert(words.end(), cases.begin(), cases.end());
    std::filesystem::remove(path("run.json"));
    FinishedProcess done = morgana(words);
    Outcome outcome{done.exit_code, lines_of(done.out), {}, std::move(done.err)};
    if (std::filesystem::exists(path("run.json"))) outcome.json = read("run.json");
    return outcome;
  }
  static std::vector<std::string> on_agents(std::vector<std::string> options, const OnAgents& how) {
    options.insert(options.end(), {"--on", "mpi", "--with=-n", "--with=" + std::to_string(how.agents),
                                   "--distribution", how.distribution});
    return options;
  }
  void expect_same(const Conforming& program, const char* platform, const std::vector<OnAgents>& all) {
    const std::vector<std::string> alone{"--platform", platform};
    const Outcome whole = run(program, alone, {});
    for (const OnAgents& how : all) {
      if (how.agents > program.ranks) continue;
      SCOPED_TRACE(program.name + " on " + platform + " and " + std::to_string(how.agents) + " agents");
      if (program.one_host && how.agents > 1)
        expect_refused(run(program, on_agents(alone, how), {}));
      else
        expect_same(program, alone, how, whole);
    }
  }

 private:
  /// Its ranks share memory, which several machines don't have.
  static void expect_refused(const Outcome& refused) {
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_THAT(refused.errors, testing::HasSubstr("run on different machines"));
  }
  void expect_same(const Conforming& program, const std::vector<std::string>& alone, const OnAgents& how,
                   const Outcome& whole) {
    const Outcome shared = run(program, on_agents(alone, how), {});
    EXPECT_EQ(shared.exit_code, whole.exit_code) << shared.errors;
    EXPECT_EQ(shared.lines, whole.lines) << shared.errors;
    if (program.has_threads) {
      EXPECT_EQ(without_times_of_calls(shared.json), without_times_of_calls(whole.json));
      return;
    }
    if (program.varying.empty()) {
      EXPECT_EQ(shared.json, whole.json);
      return;
    }
    std::vector<std::string> cases = cases_in(whole.lines);
    for (const std::string& name : program.varying) ASSERT_EQ(std::erase(cases, name), 1U) << name;
    const Outcome rest = run(program, alone, cases);
    EXPECT_FALSE(rest.json.empty()) << rest.errors;
    EXPECT_EQ(run(program, on_agents(alone, how), cases).json, rest.json);
  }
};

// Where each message is certain to come, ranks send to each other themselves; elsewhere their agents do.
TEST_P(ConformanceOnAgents, IsByteForByteTheSameAsOnOneMachine) {
  const std::vector<Conforming> programs = all_programs();
  const bool everywhere = std::getenv("MORGANA_EVERYWHERE") != nullptr;
  for (std::size_t i = GetParam().n; i < programs.size(); i += Portion::of) {
    if (everywhere) {
      for (const char* platform :
           {"infiniband-hdr", "fast-ethernet", "hdr-fat-tree", "roce-100g", "loggp-example"})
        expect_same(programs[i], platform, {{1, "block"}, {2, "cyclic"}, {3, "block"}});
      continue;
    }
    expect_same(programs[i], "infiniband-hdr", {{2, "cyclic"}});
    expect_same(programs[i], "fast-ethernet", {{2, "block"}});
  }
}

std::vector<Portion> all_portions() {
  std::vector<Portion> portions;
  for (std::size_t n = 0; n < Portion::of; ++n) portions.push_back({n});
  return portions;
}

INSTANTIATE_TEST_SUITE_P(Part, ConformanceOnAgents, testing::ValuesIn(all_portions()),
                         [](const testing::TestParamInfo<Portion>& about) {
                           return std::to_string(about.param.n);
                         });

/// What the command gives back must not hide that a program failed: one that is told to run no case fails.
TEST_F(MorganaTest, AConformanceProgramThatRunsNothingFailsNativelyAndEmulated) {
  const std::string binary = program("conformance/receives");
  EXPECT_NE(run_natively(4, {binary, "no_such_case"}).exit_code, 0);
  EXPECT_NE(morgana({"run", "--quiet", "-n", "4", "--", binary, "no_such_case"}).exit_code, 0);
}

}  // namespace

}  // namespace morgana::test
