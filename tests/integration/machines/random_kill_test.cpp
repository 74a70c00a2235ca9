#include <signal.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <regex>
#include <thread>
#include <utility>

#include "tests/integration/support/native_run.h"
#include "tests/integration/support/struck_runs.h"

namespace morgana::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

/// Linux keeps a process's exit status for those who watch it since 6.15; before, it is gone when its parent
/// has asked first, and Morgana can only say who has ended.
bool forgets_statuses() {
  utsname system{};
  int version = 0, part = 0;
  return ::uname(&system) == 0 && std::sscanf(system.release, "%d.%d", &version, &part) == 2 &&
         std::pair(version, part) < std::pair(6, 15);
}

enum class Victim { rank, mpiexec, proxy, morgana };

/// How a run is struck.
struct Strike {
  int number;
  constexpr bool recorded() const { return number % 3 == 0; }  ///< over the real MPI
  /// Most runs would go on for hours, so that the machine's load can't make the kill come too late; the
  /// others may just be ending.
  constexpr bool endless() const { return number % 4 != 0; }
};

/// Kills one of the processes of a run at a random moment, again and again: MORGANA_KILLS times (20 unless
/// told otherwise), the moments drawn from MORGANA_SEED.
class RandomKills : public StruckRuns, public testing::WithParamInterface<Victim> {
 protected:
  RandomKills() : StruckRuns("kills") {}

  /// About a quarter of a second of computing and communicating, or without end; a few more to start.
  std::vector<std::string> command(const Strike& strike) const {
    std::vector<std::string> words;
    if (strike.recorded())
      words = {"env", sleeping_progress(), program("morgana"), "capture", "-o", "kept.otf2"};
    else
      words = {program("morgana"), "run", "--trace", "kept.otf2"};
    const char* rounds = strike.endless() ? "20000000" : "200";
    words.insert(words.end(), {"-n", "3", "--quiet", "--", program("barriers"), "0.001", rounds});
    return words;
  }

  std::chrono::microseconds duration_of_a_run() {
    constexpr Strike shortest{4};
    static_assert(!shortest.recorded() && !shortest.endless());
    const auto begin = Clock::now();
    StartedProcess run(command(shortest), path(""), mark(shortest.number));
    EXPECT_EQ(run.exit_code_within(forever), 0) << read(StartedProcess::err);
    return std::chrono::duration_cast<std::chrono::microseconds>(Clock::now() - begin);
  }

  /// The process to be killed, if it is there.
  std::optional<SeenProcess> victim(const StartedProcess& run, int kill) {
    if (GetParam() == Victim::morgana) return SeenProcess{run.pid(), 0, "morgana", {}};
    const std::vector<SeenProcess> all = processes_of(kill);
    const auto is_kind = [this](const SeenProcess& one) {
      const std::string name = fs::path(one.program).filename();
      switch (GetParam()) {
        case Victim::rank:
          return name == "barriers";
        case Victim::mpiexec:
          return name.starts_with("mpiexec");
        default:
          return name.find("hydra_pmi_proxy") != std::string::npos;
      }
    };
    std::vector<SeenProcess> found;
    for (const SeenProcess& one : all) {
      // A child that has not become what it will be still looks like its parent.
      if (is_kind(one) && !one.is_copy_among(all)) found.push_back(one);
    }
    if (found.empty()) return std::nullopt;
    return found[random().below(found.size())];
  }

  /// How messages begin that are about it, as a regular expression: "morgana: rank 2".
  std::string told_as(const SeenProcess& process, bool in_the_midst) const {
    const std::string variable = std::string(1, '\0') + "PMI_RANK=";
    switch (GetParam()) {
      case Victim::rank:
        // In MPI_Init and MPI_Finalize the proxy writes to ranks, and kills all when one has gone: which of
        // them was killed before, no trace is left of.
        return in_the_midst ? std::string("morgana: rank ") +
                                  process.environment.at(process.environment.find(variable) + variable.size())
                            : "morgana: rank [012]";
      case Victim::mpiexec:
        return "morgana: mpiexec";
      default:
        return "morgana: mpiexec's hydra_pmi_proxy";
    }
  }

  /// What must be told, however late Morgana looks: no rank's program begins before it has seen all ranks.
  /// @param had_begun  whether all had met when the victim was killed
  void expect_message(const Strike& strike, const SeenProcess& killed, std::optional<int> exit_code,
                      bool had_begun) {
    const std::string err = read(StartedProcess::err);
    const auto tells = [&](const std::string& what) {
      return std::regex_search(err, std::regex(told_as(killed, had_begun && strike.endless()) + what));
    };
    const bool struck = exit_code == 137 && tells(" was killed by signal 9 \\(Killed\\)");
    const bool by_name = exit_code > 0 && tells(" ended ");
    const bool unseen = exit_code > 0 && err.find("mpiexec's exit code is") != std::string::npos;
    const std::string all = std::to_string(exit_code.value_or(-1)) + '\n' + err;
    switch (GetParam()) {
      case Victim::rank:
        EXPECT_TRUE(struck || (forgets_statuses() && by_name)) << all;
        break;
      case Victim::mpiexec:
        EXPECT_TRUE(struck) << all;
        break;
      case Victim::proxy:
        EXPECT_TRUE(struck || ((forgets_statuses() || !had_begun) && unseen)) << all;
        break;
      case Victim::morgana:  // it says no more
        EXPECT_EQ(exit_code, 137) << err;
    }
  }

  /// A trace is there as a whole or not at all: Morgana may have finished it just before it was killed, and
  /// mpiexec or its proxy may be killed when all ranks have ended.
  void expect_no_half_trace(const Strike& strike) {
    if (!fs::exists(path("kept.otf2"))) return;
    EXPECT_TRUE(GetParam() == Victim::morgana || !strike.endless()) << "a trace of a run that had not ended";
    succeed({"stats", "kept.otf2"});
  }

  /// Whether all ranks have met, so that who watches the run can know them.
  bool computing() const { return read(StartedProcess::out).find("computing") != std::string::npos; }

  /// @return whether the victim was there to be killed
  bool strike(const Strike& strike, std::chrono::microseconds delay) {
    SCOPED_TRACE("kill " + std::to_string(strike.number) + " of seed " + std::to_string(seed()) + " after " +
                 std::to_string(delay.count()) + " us");
    const long begin = std::time(nullptr);
    StartedProcess run(command(strike), path(""), mark(strike.number));
    const auto moment = Clock::now() + delay;
    std::this_thread::sleep_until(moment);
    std::optional<SeenProcess> killed;
    while (!killed && run.running()) {
      killed = victim(run, strike.number);
      if (!killed) std::this_thread::yield();
    }
    const bool had_begun = computing();
    if (killed) ::kill(killed->pid, SIGKILL);
    const auto struck = Clock::now();
    const auto exit_code = run.exit_code_within(forever);
    EXPECT_TRUE(exit_code) << "still runs";
    const auto ended = Clock::now();
    // Whoever was about to end anyway has done no harm.
    const bool hit = killed && exit_code != 0;
    if (hit) {
      expect_message(strike, *killed, exit_code, had_begun);
      expect_no_half_trace(strike);
    } else {
      EXPECT_EQ(exit_code, 0) << read(StartedProcess::err);
      EXPECT_THAT(read(StartedProcess::out), HasSubstr("PASS"));
    }
    expect_nothing_left(strike.number, begin);
    if (hit) {
      slowest_ = std::max(slowest_, Clock::now() - struck);
      slowest_end_ = std::max(slowest_end_, ended - struck);
    }
    fs::remove_all(path("kept.otf2"));
    return hit;
  }

  static double seconds(Clock::duration time) { return std::chrono::duration<double>(time).count(); }
  double slowest_end() const { return seconds(slowest_end_); }
  double slowest_seconds() const { return seconds(slowest_); }

 private:
  Clock::duration slowest_{}, slowest_end_{};
};

TEST_P(RandomKills, LeaveNothingAndSayWhatHappened) {
  const auto whole = static_cast<std::uint64_t>(duration_of_a_run().count());
  fs::remove_all(path("kept.otf2"));
  const int kills = static_cast<int>(number_from("MORGANA_KILLS", 20));
  int hits = 0;
  for (int kill = 1; kill <= kills && !HasFailure(); ++kill)
    hits += strike({kill}, std::chrono::microseconds(random().below(whole))) ? 1 : 0;
  std::cout << hits << " of " << kills << " kills hit; ended at most " << slowest_end() << " s, all clean "
            << slowest_seconds() << " s later" << std::endl;
  EXPECT_GT(hits, kills / 2);
}

std::string name_of_victim(const testing::TestParamInfo<Victim>& victim) {
  constexpr std::array names{"ARank", "Mpiexec", "ItsProxy", "Morgana"};
  return names[static_cast<std::size_t>(victim.param)];
}

INSTANTIATE_TEST_SUITE_P(Of, RandomKills,
                         testing::Values(Victim::rank, Victim::mpiexec, Victim::proxy, Victim::morgana),
                         name_of_victim);

}  // namespace
}  // namespace morgana::test
