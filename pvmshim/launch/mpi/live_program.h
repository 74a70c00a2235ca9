#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pvmshim/channel/card_table.h"
#include "pvmshim/channel/emulator_channel.h"
#include "pvmshim/channel/settings.h"
#include "pvmshim/launch/mpi/hosted_program.h"
#include "pvmshim/launch/mpi/mpi_job.h"
#include "pvmshim/launch/mpi/rank_deaths.h"
#include "pvmshim/launch/mpi/rank_program.h"
#include "pvmshim/launch/process/program_check.h"
#include "pvmshim/launch/process/progress_watch.h"

namespace morgana {

struct LaunchOptions {
  std::vector<std::string> command;  ///< program and arguments, not empty
  std::size_t ranks = 1;             ///< all of them
  /// Of a run with several programs (MPMD), or with an environment of its own: all of them, whose ranks are
  /// `ranks` together; `command` is the first one's. Empty: every rank runs `command`.
  std::vector<RankProgram> programs = {};
  /// The ranks that run on this machine, as an agent of a run on several starts them.
  RankShare share = {};
  std::vector<std::uint32_t> machine_of = {};  ///< of such a run: each rank's; empty: all are here
  int input = 0;                               ///< the rank that gets standard input; -1: none
  MpiChoice mpi = MpiChoice::automatic;        ///< for which MPI library the programs were built
  ComputeMode compute = ComputeMode::measured;
  double compute_scale = 1.0;
  std::uint32_t cores_per_rank = 0;  ///< threads of a rank that compute at a time; 0: all
  bool quiet = false;                ///< run_capturing() doesn't report a program of which no call ends
  SimTime least_distance{};          ///< of the machine (machine.h): lets ranks that poll go on side by side
  SimTime least_distance_between_hosts{};  ///< of its network; 0: no more than least_distance
  /// The platform's host of each rank: ranks of one host may share memory (MPI_COMM_TYPE_SHARED). Empty: each
  /// is alone on its own.
  std::vector<std::uint32_t> host_of = {};
  /// What simulated time 0 is for clocks with a date, if that is chosen.
  std::optional<std::int64_t> epoch_s = {};
  bool messages_may_return = false;          ///< expects_returns() of the machine (machine.h)
  bool receives_take_no_time = false;        ///< as machine.h has it
  bool page_faults_suspend_threads = false;  ///< EndpointSettings::Suspends::thread
  bool messages_are_certain = false;   ///< whether everything that is sent comes (ordered_reliable_delivery)
  bool processors_are_shared = false;  ///< by ranks that take turns (machine.h: quantum)
  /// Is called with the share of ranks' start-up that is done, 0 to 1, until it is complete. May be empty.
  std::function<void(double)> starting = {};
  /// Shared memory for the messages that a rank has sent and that are not received yet; address space, used
  /// only as far as it is needed.
  Bytes payload_room{std::int64_t{1} << 32};
  /// How often to look whether ranks go on, while none says anything (ProgressWatch).
  std::chrono::milliseconds watch_interval{1000};
};

/// What the ranks' shims are given.
ChannelSettings channel_settings(const LaunchOptions& options);

/// Whether each message of the program comes, as receivers may rely on (ChannelSettings).
bool are_messages_certain(const LaunchOptions& options);

/// What the ranks run, one program at least.
std::vector<RankProgram> programs_of(const LaunchOptions& options);
/// Whether any and all of these programs were built for Open MPI. None, if check_command() refuses one.
struct BuiltForOpenMpi {
  bool any = false, all = false;
};
BuiltForOpenMpi built_for_openmpi(const LaunchOptions& options);

/// An unmodified MPI program under MPICH's mpiexec, its ranks' communication coming over the channel.
/// However it ends, no process and no shared memory stays behind.
class LiveProgram : public HostedProgram {
 public:
  /// Checks the program (exists, is dynamically linked to MPICH) and starts it. @throws Error
  explicit LiveProgram(const LaunchOptions& options);
  /// Ends whatever still runs.
  ~LiveProgram() override = default;
  LiveProgram(const LiveProgram&) = delete;
  LiveProgram& operator=(const LiveProgram&) = delete;

  std::size_t ranks() const override { return computed_.size(); }
  bool next(Rank rank, Operation& operation) override;
  void answer(Rank rank, const Answer& answer) override;
  void dropped(std::uint64_t payload) override;
  /// @throws RankFailed: throw_returned_too_late()
  void returned(Rank rank, const Operation& operation, Outcome why) override;
  std::string given_name(Context context) const override;
  std::optional<SimTime> computed(Rank rank) override;
  /// Where computing takes no time, and for a second no rank has said anything.
  bool is_held_up() override;
  /// @throws RankFailed (rank_failure.h) naming the rank and the cause if one died or was stopped, or if
  /// mpiexec ended before all had finished; Error; Interrupted (interrupt.h)
  void wait(std::span<const AwaitedRank> awaited) override;

  int finish() override;
  std::uint32_t most_threads() const override;

  // Of an agent's ranks (LaunchOptions::share):
  std::string channel_path() const override { return channel_.path(); }
  std::size_t begun() const override { return deaths_.seen() + own_.size() - unattached_.size(); }
  bool has_finished(Rank rank) const override { return channel_.ended(rank); }
  void end_ranks() override { job_.terminate(); }
  bool has_ended() const override { return deaths_.job_ended(); }
  std::optional<int> pid_of(Rank rank) const override { return channel_.pid_of(rank); }
  RobustMutex& memory_of(Rank rank) override { return channel_.memory_of(rank); }
  RanksAtRest at_rest() override;
  bool is_unhurried() const override { return channel_.is_unhurried(); }
  void hurry(bool hurried) override { channel_.hurry(hurried); }
  void rest(std::chrono::nanoseconds longest, std::span<const Rank> heard) override;
  void wake() override { channel_.wake(); }

 private:
  bool is_own(Rank rank) const;
  RankDeaths::Account account(bool mpi_guessed);
  void refuse_uncertain(Rank rank, const Answer& answer) const;
  void watch_new_ranks();
  void tell_starting();
  std::vector<RankStanding> standings() const;
  void note_movement();
  bool has_news(std::span<const Rank> ranks) const;
  void tell_of_standstill();
  void look_carefully(std::span<const AwaitedRank> awaited);
  void throw_if_ended_without_a_word(Rank rank);
  bool every_rank_rests();

  std::vector<RankProgram> programs_;
  ChannelSettings settings_;
  RankShare share_;
  std::vector<Rank> own_;                         ///< the ranks on this machine
  std::function<void(double)> tell_starting_;     ///< empty once all ranks have started
  std::vector<SimTime> computed_;                 ///< by rank, as last reported to the engine
  std::vector<std::optional<SimTime>> answered_;  ///< by rank: its last answer's clock, until it says more
  std::vector<Rank> unattached_;
  std::vector<Rank> awaited_;
  std::chrono::steady_clock::time_point next_look_;
  struct Said {
    Call last = Call::unknown;
    bool asks = false;  ///< and waits for the answer
  };
  std::vector<Said> said_;  ///< by rank
  ProgressWatch watch_;
  bool has_moved_ = true;                             ///< a rank has said something, or was answered
  std::chrono::steady_clock::time_point still_from_;  ///< a moment after the last of that
  EmulatorChannel channel_;
  std::optional<CardTable> card_table_;
  MpiJob job_;
  RankDeaths deaths_;
};

/// The rank has taken the end of such a call for granted and gone on: it is too late for its error handler.
/// @throws RankFailed, as MPI's default handler would end the run
[[noreturn]] void throw_returned_too_late(Rank rank, const Operation& operation, Outcome why);

/// Runs the program over the real MPICH with the shim recording; the logs lie in `folder`, one a rank
/// (capture_to_trace.h reads them). @return its exit code. @throws as LiveProgram
int run_capturing(const LaunchOptions& options, const std::string& folder);
/// Runs the program untouched. @return its exit code. @throws Error if there is no such program; Interrupted
int run_native(const LaunchOptions& options);

}  // namespace morgana
