#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "emulator/core/ring_queue.h"
#include "pvmshim/agent/agent_start.h"
#include "pvmshim/agent/room_survey.h"
#include "pvmshim/agent/stream.h"
#include "pvmshim/channel/codec.h"
#include "pvmshim/launch/mpi/live_program.h"
#include "pvmshim/launch/mpi/mpi_program.h"

namespace morgana {

/// An unmodified MPI program whose ranks run on several machines. An agent on each machine is to its ranks
/// what the emulator is in a run on one; what happens when is decided here alone, so results do not depend on
/// how many machines there are. Operations and handles of payloads come here, payloads themselves do not.
///
/// A closed stream, or an agent that says nothing for too long (Silence), ends the run. However it ends,
/// nothing stays behind on any machine.
class DistributedProgram : public MpiProgram {
 public:
  /// Starts the agents and, through them, the ranks. @throws Error; RankFailed; Interrupted
  DistributedProgram(const LaunchOptions& options, const Machines& machines);
  /// What agents say beside all that. @return whether that was it. Called on a thread of each agent.
  using Other = std::function<bool(std::size_t agent, Frame& frame)>;
  /// Starts the agents for a program whose ranks begin while it runs, where assign() says (DistributedTasks).
  DistributedProgram(const LaunchOptions& options, const Machines& machines, Other other);
  /// Ends whatever still runs.
  ~DistributedProgram() override;
  DistributedProgram(const DistributedProgram&) = delete;
  DistributedProgram& operator=(const DistributedProgram&) = delete;

  /// By what the compute times of each machine are multiplied to be this machine's.
  const std::vector<double>& compute_scales() const { return compute_scales_; }
  std::size_t ranks() const override { return ranks_.size(); }
  bool next(Rank rank, Operation& operation) override;
  void answer(Rank rank, const Answer& answer) override;
  void dropped(std::uint64_t payload) override;
  void returned(Rank rank, const Operation& operation, Outcome why) override;
  std::string given_name(Context context) const override;
  std::optional<SimTime> computed(Rank rank) override;
  /// As LiveProgram's.
  bool is_held_up() override;
  /// @throws RankFailed naming rank or machine and the cause; Interrupted
  void wait(std::span<const AwaitedRank> awaited) override;
  int finish() override;
  std::uint32_t most_threads() const override;

  // Of a program whose ranks begin while it runs:
  std::size_t agents() const { return agents_.size(); }
  /// Where the rank is to begin. Its agent hears of it by what it is asked to do.
  void assign(Rank rank, std::uint32_t agent);
  /// All agents hear of the rank's place, before anybody can know of the rank.
  void announce(Rank rank);
  /// Of one that was assigned.
  std::uint32_t agent_of(Rank rank) const;
  std::string machine_of(Rank rank) const;
  Stream& stream(std::size_t agent);
  /// Sleeps until `is_there`, which is asked at each wake(), or until this has lasted so long.
  /// @return whether it is. @throws as wait()
  bool wait_until(std::chrono::nanoseconds longest, const std::function<bool()>& is_there);
  /// Lets it, and wait(), look again; from any thread.
  void wake();

 private:
  struct Agent;
  struct RankState {
    std::uint32_t machine = 0;
    RingQueue<Operation> said;  ///< and not taken by the engine
    std::uint64_t taken = 0;    ///< operations
    SimTime computed;           ///< since its last operation
    SimTime asked;              ///< its agent reports when it has computed so far
    bool is_awaited = false;    ///< its agent knows that the engine waits for its next words
  };
  struct Failure {
    int code;  ///< 0: no rank's doing
    std::string why;
  };

  void start_agents(const LaunchOptions& options, const Machines& machines);
  void set_up(const LaunchOptions& options, const Machines& machines);
  void receive(Agent& agent);
  void await(const AwaitedRank& awaited);
  void take(Agent& agent, Frame& frame);
  void gather(Agent& agent, const Frame& frame);
  void hand_over(Agent& agent);
  RankState& rank_of(const Agent& agent, std::int32_t number);
  void write_output(int descriptor, std::span<const std::byte> bytes);
  void fail(Failure failure);
  void throw_if_failed(std::unique_lock<std::mutex>& lock);
  void give_signs_of_life();
  void tell_starting();
  void look_for_full_memory(std::unique_lock<std::mutex>& lock);
  void end_agents();
  std::string ranks_text(const Agent& agent) const;

  std::optional<AgentStart> start_;
  std::vector<std::unique_ptr<Agent>> agents_;
  std::function<void(double)> tell_starting_;
  const Other other_;
  const bool measures_;
  const bool messages_are_certain_;
  std::vector<double> compute_scales_;
  std::vector<Word> words_;  // scratch

  mutable std::mutex mutex_;  ///< guards what follows, and what agents have said
  mutable std::condition_variable news_;
  bool has_news_ = false;
  std::vector<RankState> ranks_;
  std::size_t asking_ = 0;  ///< ranks that wait for an answer
  std::chrono::steady_clock::time_point still_from_ = std::chrono::steady_clock::now();  ///< nothing was said
  std::uint64_t moves_ = 0;  ///< operations that were said, answers, and tasks' ends
  RoomSurvey room_;
  std::optional<Failure> failure_;
  bool is_over_ = false;  ///< agents may leave
  std::thread living_;
};

}  // namespace morgana
