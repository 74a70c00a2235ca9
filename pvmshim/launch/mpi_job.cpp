#include "pvmshim/launch/mpi_job.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "pvmshim/channel/process_watch.h"
#include "pvmshim/launch/interrupt.h"
#include "pvmshim/launch/orphaned_memory.h"
#include "pvmshim/launch/rank_failure.h"
#include "pvmshim/launch/rank_watch.h"

namespace morgana {
namespace {

using namespace std::chrono_literals;

constexpr const char* mpiexec = "mpiexec.mpich";
constexpr const char* mark_variable = "MORGANA_JOB";

std::string new_mark() {
  static std::atomic<unsigned> jobs{0};
  return fmt::format("{}={}.{}", mark_variable, getpid(), ++jobs);
}

std::vector<std::string> arguments_for(const std::vector<std::string>& command, std::size_t ranks,
                                       const MpiJob::Environment& environment, MpiJob::Cleanup cleanup) {
  std::vector<std::string> arguments{mpiexec, "-n", std::to_string(ranks)};
  if (cleanup == MpiJob::Cleanup::by_us) arguments.emplace_back("-disable-auto-cleanup");
  for (const auto& [name, value] : environment) arguments.insert(arguments.end(), {"-genv", name, value});
  arguments.insert(arguments.end(), command.begin(), command.end());
  return arguments;
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
    : begin_(OrphanedMemory::now()),
      mark_(new_mark()),
      guardian_(arguments_for(command, ranks, environment, cleanup), environment_with(mark_)) {
  // Should the guardian be killed, its charges must not get away.
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}

MpiJob::~MpiJob() {
  terminate();
  for (const auto& [proxy, descriptor] : proxies_) close(descriptor);
}

std::vector<std::pair<int, pid_t>> MpiJob::new_ranks() {
  std::vector<std::pair<int, pid_t>> found;
  for (const pid_t proxy : ProcessTree::children_of(pid())) {
    if (!proxies_.contains(proxy))
      if (const int descriptor = static_cast<int>(syscall(SYS_pidfd_open, proxy, 0)); descriptor >= 0)
        proxies_.emplace(proxy, descriptor);
    for (const pid_t process : ProcessTree::children_of(proxy)) {
      if (ranks_.contains(process)) continue;
      const auto rank = ProcessTree::rank_of(process);
      if (!rank) continue;  // the proxy before it becomes the rank
      ranks_.insert(process);
      found.emplace_back(*rank, process);
    }
  }
  return found;
}

std::optional<int> MpiJob::exit_code() {
  const std::optional<int> status = guardian_.launcher_status();
  if (!status) return std::nullopt;
  return WIFEXITED(*status) ? WEXITSTATUS(*status) : 128 + WTERMSIG(*status);
}

int MpiJob::wait() {
  while (!exit_code()) {
    pollfd ended{guardian_.news(), POLLIN, 0};
    poll(&ended, 1, static_cast<int>((100ms).count()));  // not for ever: a signal may come just before
    if (interrupted()) break;
  }
  const std::optional<int> code = exit_code();
  if (!code) throw_if_interrupted();
  return *code;
}

std::optional<std::pair<std::string, int>> MpiJob::violent_end(bool of_proxies) {
  if (process_has_ended(pid())) wait();  // the guardian is about to say how
  if (const auto status = guardian_.launcher_status(); status && WIFSIGNALED(*status))
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
  const pid_t guardian = guardian_.process();
  if (guardian == 0) return;
  guardian_.end_all();
  // What a killed guardian has left.
  ProcessTree(guardian, mark_).end({pid()});
  OrphanedMemory::remove_since(begin_);
}

}  // namespace morgana
