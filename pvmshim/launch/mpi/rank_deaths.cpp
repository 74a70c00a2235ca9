#include "pvmshim/launch/mpi/rank_deaths.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <thread>

#include "emulator/core/standard_error.h"
#include "pvmshim/launch/process/interrupt.h"
#include "pvmshim/launch/process/proc_file.h"
#include "pvmshim/launch/process/process_state.h"

namespace morgana {
namespace {

using namespace std::chrono_literals;

constexpr auto between_looks_at_states = 500ms;

/// Whether MPICH ends processes so because of an error that nobody catches: the one that makes it exits with
/// its code, unless it is killed before like all others. (A program's own error handler may end it
/// otherwise.)
bool may_be_mpichs_doing(std::optional<int> status, int code) {
  if (!status) return true;
  if (WIFEXITED(*status)) return exit_code_of(*status) == code;
  return WTERMSIG(*status) == SIGKILL || WTERMSIG(*status) == SIGTERM;
}

/// What `morgana` returns when nobody takes what the ranks print: something that the user can mend.
constexpr int lost_output = 2;

/// How often a process has left a processor.
std::uint64_t context_switches(pid_t process) {
  const std::string status = read_proc_file("/proc/" + std::to_string(process) + "/status");
  std::uint64_t sum = 0;
  for (const std::string name : {"\nvoluntary_ctxt_switches:", "\nnonvoluntary_ctxt_switches:"})
    if (const std::size_t at = status.find(name); at != std::string::npos)
      sum += std::strtoull(status.c_str() + at + name.size(), nullptr, 10);
  return sum;
}

int number(Rank rank) {
  return static_cast<int>(rank);
}

}  // namespace

RankDeaths::RankDeaths(MpiJob& job, std::size_t ranks, std::span<const Rank> own, Account account,
                       std::function<void()> news)
    : job_(job),
      account_(std::move(account)),
      elsewhere_(ranks - own.size()),
      seen_(ranks, true),
      process_of_(ranks),
      next_look_at_states_(Clock::now() + between_looks_at_states),
      watch_(job.pid(), job.output().news(), account_.finished, std::move(news)) {
  for (const Rank rank : own) seen_[index(rank)] = false;
}

std::size_t RankDeaths::seen() const {
  return static_cast<std::size_t>(std::count(seen_.begin(), seen_.end(), true)) - elsewhere_;
}

void RankDeaths::add(Rank rank, pid_t process) {
  seen_[index(rank)] = true;
  processes_.emplace(process, rank);
  process_of_[index(rank)] = process;
  watch_.add(rank, process);
}

pid_t RankDeaths::process_of(Rank rank) const {
  return process_of_[index(rank)];
}

void RankDeaths::look() {
  const auto now = Clock::now();
  if (starting_) find_new_ranks();
  if (now >= next_look_at_states_) {
    next_look_at_states_ = now + between_looks_at_states;
    job_.look_at_helpers();
    tell_of_stopped();
    // Ranks that wait for a proxy which is no more, or for a rank that nobody starts any more, do so for
    // long.
    if (const auto end = job_.violent_end(true)) throw RankFailed(end->first, end->second);
  }
}

void RankDeaths::find_new_ranks() {
  for (const auto& [rank, process] : job_.new_ranks())
    if (rank >= 0 && static_cast<std::size_t>(rank) < seen_.size()) add(Rank{rank}, process);
  starting_ = std::find(seen_.begin(), seen_.end(), false) != seen_.end();
  if (!starting_) job_.let_begin();  // now that none can end unseen
}

/// It is waited for: whoever has stopped it may want to look at it, and lets it go on. A tracer (strace)
/// stops it at each of its system calls, for a moment: that is not told.
void RankDeaths::tell_of_stopped() {
  std::map<pid_t, std::uint64_t> before;
  before.swap(stopped_);
  for (const auto& [process, rank] : processes_) {
    if (account_.finished(rank) || told_of_.contains(rank)) continue;
    const ProcessState state = state_of(process);
    if (!state.is_stopped() && !state.is_traced()) continue;
    const std::uint64_t switches = context_switches(process);
    stopped_.emplace(process, switches);
    const auto last = before.find(process);
    if (last == before.end() || last->second != switches) continue;
    told_of_.insert(rank);
    print_error(fmt::format(
        "morgana: note: rank {} (process {}) is {}: the run waits until it goes on\n", number(rank), process,
        state.is_traced() ? "held by a debugger" : "stopped by a signal, as SIGSTOP or Ctrl-Z does"));
  }
}

void RankDeaths::throw_if_output_is_lost() {
  if (const auto trouble = job_.output().trouble())
    throw RankFailed(*trouble + ", and the run ended with it", lost_output);
}

void RankDeaths::throw_if_announced(std::optional<int> status) const {
  for (std::size_t rank = 0; rank < seen_.size(); ++rank) {
    const auto end = account_.announced_end(Rank{static_cast<std::int32_t>(rank)});
    if (!end) continue;
    const int code = exit_code_of_abort(end->code);
    if (end->error.empty())
      throw RankFailed(fmt::format("rank {} called MPI_Abort with code {}", rank, end->code), code);
    if (may_be_mpichs_doing(status, code))
      throw RankFailed(
          fmt::format("rank {} ended the run by an error that it does not catch, in {}", rank, end->error),
          code);
  }
}

void RankDeaths::throw_death(const RankWatch::End& death) {
  throw_if_output_is_lost();  // then its pipe was broken
  throw_if_announced(death.status);
  // Ranks do not outlive the proxy that has started them.
  // The proxy's death is either the cause of the rank's, or mpiexec's answer to it. It shows later than its
  // connections break, but those break when it has begun to end.
  const bool killed = death.status && WIFSIGNALED(*death.status) && WTERMSIG(*death.status) == SIGKILL;
  const bool may_follow = !killed || (account_.bound_to_proxy && account_.began(death.rank));
  for (bool more = true; more;) {
    more = job_.is_ending();
    if (const auto end = job_.violent_end(may_follow)) throw RankFailed(end->first, end->second);
    if (more) std::this_thread::sleep_for(1ms);
    throw_if_interrupted();
  }
  // MPICH kills the other ranks when one has died: who is missing may have died first.
  if (killed && starting_) find_new_ranks();
  if (killed && starting_)
    throw RankFailed(fmt::format("a rank, too early to tell which, ended before all had started (mpiexec has "
                                 "then ended rank {})",
                                 number(death.rank)),
                     exit_code_of(*death.status));
  const bool began = account_.began(death.rank);
  const char* when = death.finished ? "after it had called MPI_Finalize"
                     : began        ? "before it had called MPI_Finalize"
                                    : "before it had called MPI_Init: is it an MPI program?";
  constexpr int not_found = 127;  // of shells and the dynamic linker
  const bool lacks_one =
      !began && death.status && WIFEXITED(*death.status) && WEXITSTATUS(*death.status) == not_found;
  if (lacks_one)
    when = account_.mpi_guessed
               ? "before it had called MPI_Init: a program or a library was not found. What "
                 "a script starts for Open MPI needs --mpi openmpi, for the standard ABI --mpi abi"
               : "before it had called MPI_Init: a program or a library was not found. A library "
                 "that is named above is to be installed, or LD_LIBRARY_PATH to be set to its folder";
  throw RankFailed(fmt::format("rank {} {} {}", number(death.rank),
                               death.status ? describe_status(*death.status) : "ended", when),
                   death.status ? exit_code_of(*death.status) : EXIT_FAILURE);
}

/// A process that ends well before its rank has begun may have left another one that becomes the rank, as
/// `setsid` does. Whether it will is not known before it begins or ends, too.
bool RankDeaths::goes_on_elsewhere(const RankWatch::End& end) {
  const bool ended_well = end.status && WIFEXITED(*end.status) && WEXITSTATUS(*end.status) == 0;
  if (!ended_well || end.finished || account_.began(end.rank)) return false;
  bool found = false;
  for (const pid_t process : job_.processes_of(number(end.rank))) {
    if (processes_.contains(process)) continue;
    add(end.rank, process);
    found = true;
  }
  if (found) watch_.forget(end);
  return found;
}

std::optional<RankWatch::End> RankDeaths::death() {
  while (true) {
    const auto end = watch_.death();
    if (!end || !goes_on_elsewhere(*end)) return end;
  }
}

void RankDeaths::throw_if_failed() {
  const bool ended = job_ended();  // asked before: it tells of all deaths first
  if (watch_.output_has_news()) throw_if_output_is_lost();
  if (const auto end = death()) throw_death(*end);
  if (ended) throw_unfinished();
}

/// A rank lives a few hundred microseconds before it can be seen.
void RankDeaths::throw_ended_unseen(std::size_t unfinished) {
  const int code = job_.exit_code().value_or(EXIT_FAILURE);
  const bool known = std::count(seen_.begin(), seen_.end(), false) <= 1;
  const bool began = account_.began(Rank{static_cast<std::int32_t>(unfinished)});
  throw RankFailed(
      fmt::format("{} ended before it had called {} (mpiexec's exit code is {})",
                  known ? fmt::format("rank {}", unfinished) : "a rank, too early to tell which,",
                  began ? "MPI_Finalize" : "MPI_Init: is it an MPI program?", code),
      exit_code_of_abort(code));
}

void RankDeaths::throw_unfinished() {
  const auto unfinished = [this] {
    for (std::size_t rank = 0; rank < seen_.size(); ++rank)
      if (!account_.finished(Rank{static_cast<std::int32_t>(rank)})) return std::optional(rank);
    return std::optional<std::size_t>();
  };
  if (unfinished()) throw_if_announced(std::nullopt);
  if (const auto end = job_.violent_end(!starting_)) throw RankFailed(end->first, end->second);
  while (const auto rank = unfinished()) {
    // Asked before the deaths: what ends meanwhile is told of at the next look.
    const bool more =
        watch_.more_to_come() || (watch_.runs(Rank{static_cast<std::int32_t>(*rank)}) && job_.has_proxies());
    find_new_ranks();
    if (const auto end = death()) throw_death(*end);
    if (!more) throw_ended_unseen(*rank);
    throw_if_interrupted();
    std::this_thread::sleep_for(1ms);
  }
}

}  // namespace morgana
