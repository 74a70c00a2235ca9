#include "pvmshim/launch/mpi/mpi_job.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <utility>

#include "pvmshim/channel/process_watch.h"
#include "pvmshim/launch/process/installation.h"
#include "pvmshim/launch/process/interrupt.h"
#include "pvmshim/launch/process/launcher_environment.h"
#include "pvmshim/launch/process/orphaned_memory.h"
#include "pvmshim/launch/process/process_state.h"
#include "pvmshim/launch/process/rank_failure.h"
#include "pvmshim/launch/process/rank_watch.h"
#include "pvmshim/start/rank_start.h"

namespace morgana {
namespace {

using namespace std::chrono_literals;

constexpr const char* mpiexec = "mpiexec.mpich";

std::string own_host() {
  char name[HOST_NAME_MAX + 1] = "";
  gethostname(name, sizeof name - 1);
  return name;
}

std::string new_mark() {
  static std::atomic<unsigned> jobs{0};
  return fmt::format("{}={}.{}", mark_variable, getpid(), ++jobs);
}

/// What morgana-rank is told of each rank besides its program.
struct RankStreams {
  std::vector<int> pipes;  ///< the ranks' output, their errors, where they begin, where they take leave to
  std::string start_file;
  int input;             ///< the rank that gets standard input
  int input_descriptor;  ///< where that rank inherits it; -1: by mpiexec's own standard input
};

std::vector<std::string> arguments_for(const std::vector<RankProgram>& programs, MpiJob::Cleanup cleanup,
                                       const RankStreams& streams) {
  std::vector<std::string> arguments{mpiexec};
  for (std::string& option : options_to_start_here()) arguments.push_back(std::move(option));
  if (cleanup == MpiJob::Cleanup::by_us) arguments.emplace_back("-disable-auto-cleanup");
  const std::string morgana_rank = own_library("morgana-rank");
  for (std::size_t number = 0; number < programs.size(); ++number) {
    if (number > 0) arguments.emplace_back(":");
    arguments.insert(arguments.end(), {"-n", std::to_string(programs[number].ranks), morgana_rank});
    for (const int pipe : streams.pipes) arguments.push_back(fmt::format("/proc/{}/fd/{}", getpid(), pipe));
    arguments.insert(arguments.end(),
                     {streams.start_file, std::to_string(number), std::to_string(streams.input),
                      std::to_string(streams.input_descriptor)});
  }
  return arguments;
}

std::string value_of(const Variables& variables, const std::string& name) {
  for (auto variable = variables.rbegin(); variable != variables.rend(); ++variable)
    if (variable->first == name) return variable->second;
  const char* const here = std::getenv(name.c_str());
  return here == nullptr ? "" : here;
}

/// The user's preloaded libraries come first: a sanitizer insists on it, and a profiler's calls to PMPI_*
/// reach the shim all the same.
std::string behind(const std::string& preloaded, const std::string& ours) {
  return preloaded.empty() ? ours : preloaded + ":" + ours;
}

std::string joined(const std::vector<std::string>& words, char between) {
  std::string text;
  for (const std::string& word : words) text.append(text.empty() ? 0 : 1, between).append(word);
  return text;
}

/// The start file (rank_start.h).
std::string start_text(const std::vector<RankProgram>& programs, const Variables& of_ranks,
                       const std::vector<std::string>& withheld, const RankShare& share) {
  std::string text;
  const auto add = [&text](const std::string& word) { text.append(word) += '\0'; };
  add(std::to_string(share.of));
  add(std::to_string(share.ranks.size()));
  for (const int rank : share.ranks) add(std::to_string(rank));
  for (const RankProgram& program : programs) {
    add(std::to_string(withheld.size() + program.environment.size()));
    for (const std::string& variable : withheld) add(variable);
    for (const auto& [name, value] : program.environment) add(name + "=" + value);
    add(std::to_string(of_ranks.size()));
    constexpr const char* preload = "LD_PRELOAD";
    for (const auto& [name, value] : of_ranks)
      add(name + "=" +
          (name == preload
               ? behind(value_of(program.environment, preload), behind(joined(program.preloaded, ':'), value))
               : value));
    add(std::to_string(program.by_rank.size()));
    for (const auto& [name, values] : program.by_rank) add(name + "=" + joined(values, value_separator));
    add(std::to_string(program.command.size()));
    for (const std::string& word : program.command) add(word);
  }
  return text;
}

/// A descriptor that mpiexec's own do not reach, and that its ranks inherit.
int number_for_input() {
  constexpr rlim_t far_from_mpiexecs_own = 199;
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return static_cast<int>(far_from_mpiexecs_own);
  return static_cast<int>(std::min(far_from_mpiexecs_own, limit.rlim_cur / 2));
}

std::size_t all_ranks_of(const std::vector<RankProgram>& programs) {
  std::size_t ranks = 0;
  for (const RankProgram& program : programs) ranks += program.ranks;
  return ranks;
}

void open_pipe(int& reading, int& writing) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw Error(fmt::format("can't open a pipe: {}", strerror(errno)));
  reading = ends[0];
  writing = ends[1];
}

}  // namespace

MpiJob::MpiJob(const std::vector<RankProgram>& programs, const Environment& environment, Cleanup cleanup,
               int input, const RankShare& share)
    : ranks_(all_ranks_of(programs)),
      begin_(OrphanedMemory::now()),
      mark_(new_mark()),
      stopped_(share.is_all() ? "" : " on " + own_host()) {
  open_pipe(starts_, starting_);
  open_pipe(awaited_, leave_);
  fcntl(starts_, F_SETFL, O_NONBLOCK);
  LauncherEnvironment variables = launcher_environment();
  variables.mpiexecs.push_back(mark_);
  const std::string text = start_text(programs, environment, variables.withheld, share);
  start_file_.emplace(text.size());
  std::fstream(start_file_->path(), std::ios::in | std::ios::out | std::ios::binary) << text << std::flush;
  // mpiexec passes its input on to rank 0; any other rank inherits it.
  const int input_descriptor = input > 0 ? number_for_input() : -1;
  guardian_.emplace(
      arguments_for(programs, cleanup,
                    {{output_.output(), output_.errors(), starting_, awaited_},
                     start_file_->path(),
                     input,
                     input_descriptor}),
      variables.mpiexecs, output_.lifeline(),
      input == 0 ? Guardian::Input::of_launcher() : Guardian::Input::inherited_as(input_descriptor));
  // Should the guardian be killed, its charges must not get away.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  if (cleanup == Cleanup::by_mpiexec) let_begin();
}

MpiJob::~MpiJob() {
  terminate();
  for (const int end : {starts_, awaited_, leave_})
    if (end >= 0) close(end);
  for (const auto& [proxy, descriptor] : proxies_) close(descriptor);
}

std::vector<std::pair<int, pid_t>> MpiJob::new_ranks() {
  std::vector<std::pair<int, pid_t>> found;
  RankStart start{};
  while (read(starts_, &start, sizeof start) == static_cast<ssize_t>(sizeof start))
    found.emplace_back(start.rank, start.process);
  // Looked for after the ranks: whoever has started one of them is there.
  for (const pid_t proxy : ProcessTree::children_of(pid()))
    if (!proxies_.contains(proxy))
      if (const int descriptor = static_cast<int>(syscall(SYS_pidfd_open, proxy, 0)); descriptor >= 0)
        proxies_.emplace(proxy, descriptor);
  return found;
}

std::vector<pid_t> MpiJob::processes_of(int rank) const {
  std::vector<pid_t> found;
  const std::string variable = fmt::format("PMI_RANK={}", rank);
  for (const pid_t process : ProcessTree(guardian_->process(), mark_).running())
    if (ProcessTree::carries(process, variable)) found.push_back(process);
  return found;
}

void MpiJob::let_begin() {
  if (leave_ < 0) return;
  const std::string leave(ranks_, '.');
  (void)!write(leave_, leave.data(), leave.size());
  close(std::exchange(leave_, -1));
}

std::optional<int> MpiJob::exit_code() {
  const std::optional<int> status = guardian_->launcher_status();
  if (!status) return std::nullopt;
  // Nobody begins any more: when those who have opened the pipes end, whoever reads from them is told.
  close_pipes();
  return WIFEXITED(*status) ? WEXITSTATUS(*status) : 128 + WTERMSIG(*status);
}

void MpiJob::close_pipes() {
  output_.close_pipes();
  if (starting_ >= 0) close(std::exchange(starting_, -1));
}

int MpiJob::wait_for_mpiexec() {
  while (!exit_code()) {
    pollfd ended{guardian_->news(), POLLIN, 0};
    poll(&ended, 1, static_cast<int>((100ms).count()));  // not for ever: a signal may come just before
    if (interrupted()) break;
    look_at_helpers();
  }
  const std::optional<int> code = exit_code();
  if (!code) throw_if_interrupted();
  return *code;
}

int MpiJob::wait() {
  const int code = wait_for_mpiexec();
  // Also for what a process prints that the program has left behind, as mpiexec does.
  while (!output_.ended_within(100ms)) {
    throw_if_interrupted();
    look_at_helpers();
  }
  return code;
}

void MpiJob::look_at_helpers() {
  stopped_.look([this] {
    StoppedHelpers::Helpers helpers{
        {"morgana-output, which passes on what the ranks print,", output_.process()},
        {"morgana-guard, which ends what the run has started,", guardian_->process()},
        {"mpiexec", pid()}};
    for (const auto& [proxy, descriptor] : proxies_) helpers.push_back({"mpiexec's hydra_pmi_proxy", proxy});
    return helpers;
  });
}

bool MpiJob::is_ending() const {
  return state_of(pid()).is_ending() || std::any_of(proxies_.begin(), proxies_.end(), [](const auto& proxy) {
           return state_of(proxy.first).is_ending();
         });
}

bool MpiJob::has_proxies() const {
  return std::any_of(proxies_.begin(), proxies_.end(), [](const auto& proxy) {
    pollfd ended{proxy.second, POLLIN, 0};
    return poll(&ended, 1, 0) <= 0;
  });
}

std::optional<std::pair<std::string, int>> MpiJob::violent_end(bool of_proxies) {
  if (process_has_ended(pid())) wait_for_mpiexec();  // the guardian is about to say how
  if (const auto status = guardian_->launcher_status(); status && WIFSIGNALED(*status))
    return std::pair(fmt::format("mpiexec {}", describe_status(*status)), exit_code_of(*status));
  if (!of_proxies) return std::nullopt;
  for (const auto& [proxy, descriptor] : proxies_) {
    pollfd ended{descriptor, POLLIN, 0};
    if (poll(&ended, 1, 0) <= 0) continue;
    const auto status = exit_status_of(proxy, descriptor);
    if (status && WIFSIGNALED(*status))
      return std::pair(fmt::format("mpiexec's hydra_pmi_proxy {}", describe_status(*status)),
                       exit_code_of(*status));
  }
  return std::nullopt;
}

void MpiJob::terminate() {
  const pid_t guardian = guardian_->process();
  if (guardian == 0) return;
  close_pipes();
  guardian_->end_all();
  // What a killed guardian has left.
  ProcessTree(guardian, mark_).end({pid()});
  OrphanedMemory::remove_since(begin_);
  output_.drain();
}

}  // namespace morgana
