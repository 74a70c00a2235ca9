// Runs on several machines of which something is killed or stopped at a random moment.

#include <arpa/inet.h>
#include <linux/filter.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <functional>
#include <iostream>
#include <map>
#include <optional>
#include <regex>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "tests/integration/support/struck_runs.h"

namespace morgana::test {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using Words = std::vector<std::string>;
namespace fs = std::filesystem;

enum class Struck { agent, rank, stream };
enum class Blow { kills, stops };

/// What runs, without end, and on how many machines.
struct StruckRun {
  int number = 0;
  Words program;
  bool is_pvm = false;
  int ranks = 4;
  int agents = 2;
  bool is_measured = false;
  Struck struck = Struck::agent;
  Blow blow = Blow::kills;
};

/// A socket of another process, as if it were this one's.
class BorrowedSocket {
 public:
  BorrowedSocket(pid_t process, int descriptor) {
    const int handle = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
    if (handle < 0) return;
    socket_ = static_cast<int>(syscall(SYS_pidfd_getfd, handle, descriptor, 0));
    close(handle);
  }
  ~BorrowedSocket() {
    if (socket_ >= 0) close(socket_);
  }
  BorrowedSocket(const BorrowedSocket&) = delete;
  BorrowedSocket& operator=(const BorrowedSocket&) = delete;

  bool is_tcp_connection() const {
    sockaddr_storage other{};
    socklen_t size = sizeof other;
    return socket_ >= 0 && getpeername(socket_, reinterpret_cast<sockaddr*>(&other), &size) == 0 &&
           (other.ss_family == AF_INET || other.ss_family == AF_INET6);
  }
  void kill() { shutdown(socket_, SHUT_RDWR); }
  /// Nothing arrives any more, as if the network between had gone; what its process sends still leaves.
  void stop() {
    sock_filter drop = BPF_STMT(BPF_RET | BPF_K, 0);
    const sock_fprog program{1, &drop};
    setsockopt(socket_, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program);
  }

 private:
  int socket_ = -1;
};

/// The process's connections, by their descriptors.
std::vector<int> connections_of(int process) {
  std::vector<int> found;
  std::error_code gone;
  for (const auto& entry : fs::directory_iterator("/proc/" + std::to_string(process) + "/fd", gone)) {
    const int descriptor = std::atoi(entry.path().filename().c_str());
    if (BorrowedSocket(process, descriptor).is_tcp_connection()) found.push_back(descriptor);
  }
  return found;
}

/// Strikes MORGANA_KILLS runs (6 unless told otherwise), MPI and PVM programs by turns, drawn from
/// MORGANA_SEED.
class RandomKillsOnMachines : public StruckRuns {
 protected:
  RandomKillsOnMachines() : StruckRuns("machines") {}

  StruckRun draw(int number) {
    StruckRun run;
    run.number = number;
    run.is_pvm = HAS_PVM && number % 2 == 0;
    run.agents = 2 + static_cast<int>(random().below(2));
    run.is_measured = random().below(2) == 0;
    run.struck = std::array{Struck::agent, Struck::rank, Struck::stream}[random().below(3)];
    run.blow = random().below(2) == 0 ? Blow::kills : Blow::stops;
    const std::array<Words, 4> of_mpi{
        Words{program("barriers"), "0.001", "20000000"}, Words{program("live"), "pingpong", "100000000"},
        Words{program("live"), "posted", "10000000"}, Words{program("live"), "window", "10000000"}};
    run.program = of_mpi[random().below(of_mpi.size())];
    // A connection that carries nothing may stop unnoticed: this one sends from agent to agent.
    if (run.struck == Struck::stream) run.program = of_mpi[2];
    if (run.is_pvm) run.program = {program("cg.pvm"), "--tasks", "4", "--outer", "10000"};
    if (run.is_pvm && run.struck == Struck::agent && random().below(2) == 0) {
      run.program = {program("pvm_forking"), "2"};
      run.is_measured = true;  // its tasks compute without end, whatever becomes of others
    }
    return run;
  }

  Words command(const StruckRun& run) const {
    Words words{program("morgana"),
                "run",
                "-n",
                std::to_string(run.ranks),
                "--quiet",
                "--on",
                "mpi",
                "--with=-n",
                "--with=" + std::to_string(run.agents),
                "--platform",
                "fast-ethernet"};
    if (!run.is_measured) words.insert(words.end(), {"--compute", "none"});
    words.emplace_back("--");
    words.insert(words.end(), run.program.begin(), run.program.end());
    return words;
  }

  /// The run's agents, or its ranks or tasks.
  std::vector<SeenProcess> victims(const StruckRun& run) const {
    std::vector<SeenProcess> all = processes_of(run.number), found;
    const std::string name = fs::path(run.program[0]).filename();
    for (const SeenProcess& one : all) {
      const bool is_rank = fs::path(one.program).filename() == name;
      if (!one.is_copy_among(all) && (run.struck == Struck::rank ? is_rank : one.is_agent()))
        found.push_back(one);
    }
    return found;
  }

  /// @return what was struck, in words; nothing if it was not there
  std::optional<std::string> strike(const StruckRun& run) {
    const std::vector<SeenProcess> all = victims(run);
    if (all.empty()) return std::nullopt;
    const SeenProcess& victim = all[random().below(all.size())];
    if (run.struck != Struck::stream) {
      ::kill(victim.pid, run.blow == Blow::kills ? SIGKILL : SIGSTOP);
      return run.struck == Struck::rank ? "rank" : "agent";
    }
    const std::vector<int> connections = connections_of(victim.pid);
    if (connections.empty()) return std::nullopt;
    BorrowedSocket socket(victim.pid, connections[random().below(connections.size())]);
    run.blow == Blow::kills ? socket.kill() : socket.stop();
    return "stream";
  }

  /// What is said of it, as people will read it; the first that is found.
  static std::string cause_in(const std::string& err) {
    const std::vector<std::pair<std::string, const char*>> causes{
        {"rank or task killed", R"((rank \d+|task t[0-9a-f]+) was killed by signal 9)"},
        {"agent gone before all had come", R"(the agent on \S+ \(\d\) is gone: )"},
        {"rank or task stopped", R"((rank \d+|task t[0-9a-f]+).* stopped by a signal)"},
        {"rank ended", R"(rank \d+ .*ended )"},
        {"agent gone", R"(the agent on \S+ \(\d\), which runs .*, is gone: )"},
        {"agent stopped", R"(the agent on \S+ \(\d\), which runs .*: it is stopped)"},
        {"machine silent", R"(the agent on \S+ \(\d\), which runs .*: its machine does not answer)"},
        {"machine silent to another", R"(agent \d at \S+ has not confirmed .* \(on \S+\))"},
        {"connection broken", R"(the connection of agent \d to agent \d has broken \(on \S+\))"},
        {"starter ended", R"(which was to start the agents, has ended before)"},
        {"agents missing", R"(of \d agents have come)"},
        {"starter stopped", R"((what|an agent that) mpiexec\.mpich has started.* stopped)"}};
    for (const auto& [cause, pattern] : causes)
      if (std::regex_search(err, std::regex(pattern))) return cause;
    return {};
  }

  void carry_out(const StruckRun& run) {
    const auto delay = std::chrono::milliseconds(random().below(2000));
    std::string what = std::to_string(run.number) + " of seed " + std::to_string(seed()) + " after " +
                       std::to_string(delay.count()) + " ms:";
    for (const std::string& word : command(run)) what += ' ' + word;
    what += run.struck == Struck::agent ? " (agent" : run.struck == Struck::rank ? " (rank" : " (stream";
    what += run.blow == Blow::kills ? " killed)" : " stopped)";
    SCOPED_TRACE(what);
    const long begin = std::time(nullptr);
    StartedProcess started(command(run), path(""), mark(run.number));
    std::this_thread::sleep_for(delay);
    std::optional<std::string> struck;
    while (!struck && started.running())
      if (!(struck = strike(run))) std::this_thread::yield();
    const auto moment = Clock::now();
    const auto said = [&] { return read(StartedProcess::err); };
    std::string how = struck.value_or("nothing") + (run.blow == Blow::kills ? " killed" : " stopped");
    // A rank that is stopped may go on, and an agent before it has come: the run names it and waits, also for
    // who is at the keyboard.
    if (struck && struck != "stream" && run.blow == Blow::stops) {
      const auto patience = struck == "rank" ? 0s : 9s;
      while (started.running() && Clock::now() - moment < forever &&
             (Clock::now() - moment < patience || cause_in(said()).empty()))
        std::this_thread::sleep_for(1ms);
      note(how + ", until it was named", Clock::now() - moment);
      ::kill(started.pid(), SIGINT);
    }
    const auto exit_code = started.exit_code_within(forever);
    EXPECT_TRUE(exit_code) << "still runs\n" << said();
    EXPECT_NE(exit_code, 0) << said();
    const std::string cause = cause_in(said());
    EXPECT_FALSE(cause.empty()) << exit_code.value_or(-1) << '\n' << said();
    note(how, Clock::now() - moment);
    ++causes_[how + ": " + (cause.empty() ? "UNNAMED" : cause)];
    expect_nothing_left(run.number, begin);
    std::cout << what << ": " << (cause.empty() ? "UNNAMED" : cause) << ", over after "
              << std::chrono::duration<double>(Clock::now() - moment).count() << " s"
              << (struck ? "" : "; it had ended before") << std::endl;
  }

  void print() const {
    for (const auto& [cause, count] : causes_) std::cout << count << " x " << cause << '\n';
    for (const auto& [what, longest] : longest_)
      std::cout << "longest: " << what << ": " << std::chrono::duration<double>(longest).count() << " s\n";
    std::cout << std::flush;
  }

 private:
  void note(const std::string& what, Clock::duration time) {
    longest_[what] = std::max(longest_[what], time);
  }

  std::map<std::string, int> causes_;
  std::map<std::string, Clock::duration> longest_;
};

TEST_F(RandomKillsOnMachines, EndTheRunNameTheCauseAndLeaveNothing) {
  const int kills = static_cast<int>(number_from("MORGANA_KILLS", 6));
  const bool stops_at_first = number_from("MORGANA_KILLS_GO_ON", 0) == 0;
  for (int kill = 1; kill <= kills && !(stops_at_first && HasFailure()); ++kill) carry_out(draw(kill));
  print();
}

}  // namespace
}  // namespace morgana::test
