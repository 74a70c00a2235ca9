#include "pvmshim/launch/mpi/mpi_job.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <utility>

#include "pvmshim/channel/process_watch.h"
#include "pvmshim/launch/process/installation.h"
#include "pvmshim/launch/process/interrupt.h"
#include "pvmshim/launch/process/orphaned_memory.h"
#include "pvmshim/launch/process/process_state.h"
#include "pvmshim/launch/process/rank_failure.h"
#include "pvmshim/launch/process/rank_watch.h"
#include "pvmshim/start/rank_start.h"

namespace morgana {
namespace {

using namespace std::chrono_literals;

constexpr const char* mpiexec = "mpiexec.mpich";

std::string new_mark() {
  static std::atomic<unsigned> jobs{0};
  return fmt::format("{}={}.{}", mark_variable, getpid(), ++jobs);
}

/// @param pipes  of the ranks: their output, their errors, where they say that they begin, where they take
/// leave to
std::vector<std::string> arguments_for(const std::vector<std::string>& command, std::size_t ranks,
                                       const MpiJob::Environment& environment, MpiJob::Cleanup cleanup,
                                       const std::vector<int>& pipes) {
  std::vector<std::string> arguments{mpiexec, "-n", std::to_string(ranks)};
  if (cleanup == MpiJob::Cleanup::by_us) arguments.emplace_back("-disable-auto-cleanup");
  std::string preloaded = no_preload;
  for (const auto& [name, value] : environment) {
    if (name == "LD_PRELOAD")
      preloaded = value;  // not into morgana-rank itself
    else
      arguments.insert(arguments.end(), {"-genv", name, value});
  }
  arguments.push_back(own_library("morgana-rank"));
  for (const int pipe : pipes) arguments.push_back(fmt::format("/proc/{}/fd/{}", getpid(), pipe));
  arguments.push_back(preloaded);
  arguments.insert(arguments.end(), command.begin(), command.end());
  return arguments;
}

void open_pipe(int& reading, int& writing) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw Error(fmt::format("can't open a pipe: {}", strerror(errno)));
  reading = ends[0];
  writing = ends[1];
}

std::vector<std::string> environment_with(const std::string& mark) {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable)
    if (std::strncmp(*variable, mark_variable, std::strlen(mark_variable)) != 0)
      variables.emplace_back(*variable);
  variables.push_back(mark);
  return variables;
}

}  // namespace

MpiJob::MpiJob(const std::vector<std::string>& command, std::size_t ranks, const Environment& environment,
               Cleanup cleanup)
    : ranks_(ranks), begin_(OrphanedMemory::now()), mark_(new_mark()) {
  open_pipe(starts_, starting_);
  open_pipe(awaited_, leave_);
  fcntl(starts_, F_SETFL, O_NONBLOCK);
  guardian_.emplace(arguments_for(command, ranks, environment, cleanup,
                                  {output_.output(), output_.errors(), starting_, awaited_}),
                    environment_with(mark_), output_.lifeline());
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
  }
  const std::optional<int> code = exit_code();
  if (!code) throw_if_interrupted();
  return *code;
}

int MpiJob::wait() {
  const int code = wait_for_mpiexec();
  // Also for what a process prints that the program has left behind, as mpiexec does.
  while (!output_.ended_within(100ms)) throw_if_interrupted();
  return code;
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
