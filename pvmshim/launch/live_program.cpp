#include "pvmshim/launch/live_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "pvmshim/channel/emulator_channel.h"
#include "pvmshim/launch/interrupt.h"
#include "pvmshim/launch/program_check.h"
#include "pvmshim/launch/rank_environment.h"
#include "pvmshim/launch/rank_watch.h"

namespace morgana {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

/// Bounds of a sleep: shorter ones cost more than they gain, and after the longest one it is worth looking
/// whether the program has used more processors at once than expected.
constexpr nanoseconds shortest_sleep = 50us;
constexpr nanoseconds longest_sleep = 20ms;
/// While ranks start: how often to look which ones have, and how long to wait for the next.
constexpr nanoseconds between_looks = 50ms;
constexpr nanoseconds longest_start = 1s;
/// A rank that has been woken runs again before this, however busy the machine is.
constexpr nanoseconds longest_awakening = 2s;

ChannelSettings settings_for(const LaunchOptions& options) {
  ChannelSettings settings;
  settings.ranks = static_cast<std::uint32_t>(options.ranks);
  settings.compute = options.compute;
  settings.compute_scale = options.compute_scale;
  settings.least_distance_ps = options.least_distance.ps();
  return settings;
}

MpiJob::Environment environment_for(const std::string& channel) {
  MpiJob::Environment environment = shim_environment();
  for (auto& variable : emulated_environment(channel)) environment.push_back(std::move(variable));
  return environment;
}

std::vector<Rank> all_ranks(std::size_t count) {
  std::vector<Rank> ranks;
  for (std::size_t rank = 0; rank < count; ++rank) ranks.push_back(Rank{static_cast<std::int32_t>(rank)});
  return ranks;
}

/// The command with its program as a path that has been checked.
std::vector<std::string> checked(std::vector<std::string> command) {
  const std::filesystem::path program = find_program(command.at(0));
  check_program(program);
  command[0] = program.string();
  return command;
}

}  // namespace

class LiveProgram::Impl {
 public:
  explicit Impl(const LaunchOptions& options)
      : command_(checked(options.command)),
        settings_(settings_for(options)),
        computed_(options.ranks),
        answered_(options.ranks),
        unattached_(all_ranks(options.ranks)),
        started_(options.ranks),
        channel_(settings_, options.payload_room),
        job_(command_, options.ranks, environment_for(channel_.path()), MpiJob::Cleanup::by_us),
        watch_(
            job_.pid(), [this](Rank rank) { return channel_.ended(rank); }, [this] { channel_.wake(); }) {}

  std::size_t ranks() const { return computed_.size(); }

  bool next(Rank rank, Operation& operation) {
    if (channel_.take(rank, operation)) {
      answered_[index(rank)].reset();
      stuck_since_.reset();
      return true;
    }
    throw_if_a_rank_died();
    return false;
  }

  void answer(Rank rank, const Answer& answer) {
    answered_[index(rank)] = answer.clock;
    channel_.answer(rank, answer);
  }

  std::optional<SimTime> computed(Rank rank) {
    const auto used = channel_.computed(rank);
    if (!used) return std::nullopt;
    SimTime computed = simulated(*used, settings_);
    // Polls that it has answered itself cost time too; it shows where they have brought it.
    if (const auto& answered = answered_[index(rank)])
      computed = std::max(computed, channel_.reached(rank) - *answered);
    return computed_[index(rank)] = computed;
  }

  void wait(std::span<const Laggard> laggards) {
    throw_if_interrupted();
    throw_if_a_rank_died();
    awaited_.clear();
    nanoseconds timeout = longest_sleep;
    for (const Laggard& laggard : laggards) {
      awaited_.push_back(laggard.rank);
      timeout = std::min(timeout, processor_time_missing(laggard));
    }
    // What has not attached holds up the others, whomever the engine waits for.
    awaited_.insert(awaited_.end(), unattached_.begin(), unattached_.end());
    if (awaited_.empty()) awaited_ = all_ranks(ranks());
    channel_.wait(awaited_, std::max(timeout, shortest_sleep));
    const bool job_ended = watch_.job_ended();  // asked before: ranks may attach and end in between
    watch_new_ranks();
    throw_if_interrupted();
    throw_if_a_rank_died();
    if (job_ended && !unattached_.empty()) never_attached(unattached_.front());
    throw_if_out_of_room(laggards);
  }

  int finish() {
    while (!watch_.job_ended()) {
      throw_if_interrupted();
      throw_if_a_rank_died();
      channel_.wait({}, longest_sleep);
    }
    throw_if_a_rank_died();
    return job_.wait();
  }

 private:
  nanoseconds processor_time_missing(const Laggard& laggard) const {
    if (settings_.compute == ComputeMode::none || settings_.compute_scale <= 0) return longest_sleep;
    const SimTime missing = laggard.until - laggard.since - computed_[index(laggard.rank)];
    const double needed_ns = static_cast<double>(missing.ps()) * 1e-3 / settings_.compute_scale;
    if (needed_ns >= static_cast<double>(longest_sleep.count())) return longest_sleep;
    return nanoseconds(static_cast<std::int64_t>(needed_ns));
  }

  /// Watches the processes of the ranks that are new: those that have attached, and until all have, those
  /// that mpiexec has started, so that one that never attaches is noticed too.
  void watch_new_ranks() {
    if (unattached_.empty()) return;
    std::erase_if(unattached_, [this](Rank rank) {
      const auto pid = channel_.pid_of(rank);
      if (pid) watch(rank, *pid);
      return pid.has_value();
    });
    const auto now = std::chrono::steady_clock::now();
    if (unattached_.empty() || now < next_look_) return;
    next_look_ = now + between_looks;
    for (const auto& [rank, pid] : job_.processes().ranks())
      if (rank >= 0 && static_cast<std::size_t>(rank) < ranks() && watch(Rank{rank}, pid)) last_start_ = now;
    if (last_start_ && now > *last_start_ + longest_start) throw_if_one_was_never_seen();
  }

  bool watch(Rank rank, pid_t pid) {
    started_[index(rank)] = true;
    job_.processes().remember(pid);
    return watch_.add(rank, pid);
  }

  /// mpiexec starts the ranks together: one that is still missing had ended before anyone looked.
  void throw_if_one_was_never_seen() const {
    for (const Rank rank : unattached_)
      if (!started_[index(rank)])
        throw Error(fmt::format("rank {} ended before it had called MPI_Init", static_cast<int>(rank)));
  }

  void throw_if_a_rank_died() const {
    const auto death = watch_.death();
    if (!death) return;
    for (const Rank rank : all_ranks(ranks()))
      if (const auto code = channel_.abort_code(rank))
        throw Error(fmt::format("rank {} called MPI_Abort with code {}", static_cast<int>(rank), *code));
    const char* when = death->finished ? "after it had called MPI_Finalize"
                       : channel_.pid_of(death->rank)
                           ? "before it had called MPI_Finalize"
                           : "before it had called MPI_Init: is it an MPI program?";
    throw Error(fmt::format("rank {} {} {}", static_cast<int>(death->rank),
                            death->status ? describe_status(*death->status) : "ended", when));
  }

  /// A rank that waits for room for its messages gives the emulator nothing to go on with; if every other one
  /// waits too, that is for ever.
  void throw_if_out_of_room(std::span<const Laggard> laggards) {
    const auto full = std::find_if(laggards.begin(), laggards.end(), [this](const Laggard& laggard) {
      return channel_.lacks_room(laggard.rank);
    });
    if (full == laggards.end() || !every_rank_rests()) {
      stuck_since_.reset();
      return;
    }
    const auto now = std::chrono::steady_clock::now();
    if (!stuck_since_) stuck_since_ = now;
    if (now - *stuck_since_ > longest_awakening)
      throw Error(
          fmt::format("rank {} has sent more than its shared memory holds, and nobody receives it: let "
                      "ranks receive before they send more",
                      static_cast<int>(full->rank)));
  }

  bool every_rank_rests() {
    const auto ranks_of_run = all_ranks(ranks());
    return std::all_of(ranks_of_run.begin(), ranks_of_run.end(),
                       [this](Rank rank) { return channel_.ended(rank) || channel_.sleeps(rank); });
  }

  /// mpiexec has ended although this rank never attached.
  [[noreturn]] void never_attached(Rank rank) {
    throw Error(
        fmt::format("mpiexec ended with exit code {} before rank {} of {} had called MPI_Init: is it an MPI "
                    "program, and does it run under 'mpiexec.mpich -n {}'?",
                    job_.wait(), static_cast<int>(rank), command_.front(), ranks()));
  }

  std::vector<std::string> command_;
  ChannelSettings settings_;
  std::vector<SimTime> computed_;                 ///< by rank, as the engine was told last
  std::vector<std::optional<SimTime>> answered_;  ///< by rank: its last answer's clock, until it says more
  std::vector<Rank> unattached_;
  std::vector<bool> started_;  ///< by rank: a process of it was seen
  std::optional<std::chrono::steady_clock::time_point> last_start_;
  std::chrono::steady_clock::time_point next_look_;
  std::vector<Rank> awaited_;
  std::optional<std::chrono::steady_clock::time_point> stuck_since_;  ///< every rank sleeps
  EmulatorChannel channel_;
  MpiJob job_;
  RankWatch watch_;
};

LiveProgram::LiveProgram(const LaunchOptions& options) : impl_(std::make_unique<Impl>(options)) {}
LiveProgram::~LiveProgram() = default;
std::size_t LiveProgram::ranks() const {
  return impl_->ranks();
}
bool LiveProgram::next(Rank rank, Operation& operation) {
  return impl_->next(rank, operation);
}
void LiveProgram::answer(Rank rank, const Answer& answer) {
  impl_->answer(rank, answer);
}
std::optional<SimTime> LiveProgram::computed(Rank rank) {
  return impl_->computed(rank);
}
void LiveProgram::wait(std::span<const Laggard> laggards) {
  impl_->wait(laggards);
}
int LiveProgram::finish() {
  return impl_->finish();
}

int run_capturing(const LaunchOptions& options, const std::string& folder) {
  MpiJob::Environment environment = shim_environment();
  for (auto& variable : capture_environment(std::filesystem::absolute(folder).string()))
    environment.push_back(std::move(variable));
  return MpiJob(checked(options.command), options.ranks, environment).wait();
}

int run_native(const LaunchOptions& options) {
  std::vector<std::string> command = options.command;
  command.at(0) = find_program(command[0]).string();
  return MpiJob(command, options.ranks, {}).wait();
}

}  // namespace morgana
