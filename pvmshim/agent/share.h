#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <thread>
#include <utility>
#include <vector>

#include "pvmshim/agent/inbox.h"
#include "pvmshim/agent/letter_relay.h"
#include "pvmshim/agent/memory_relay.h"
#include "pvmshim/agent/payload_mirror.h"
#include "pvmshim/agent/peers.h"
#include "pvmshim/agent/setup.h"
#include "pvmshim/agent/stream.h"
#include "pvmshim/channel/codec.h"
#include "pvmshim/launch/mpi/live_program.h"

namespace morgana {

/// One run's ranks on this machine: what they say goes to the emulator, what it answers to them, and what
/// they send to ranks elsewhere to the agents there.
class Share {
 public:
  /// Starts the ranks. @param inbox  what the emulator says
  /// @throws Error
  Share(const AgentSetup& setup, Stream& emulator, Inbox& inbox, Peers& peers);
  ~Share();
  Share(const Share&) = delete;
  Share& operator=(const Share&) = delete;

  /// Passes on what there is, and sleeps until there may be more.
  /// @return false when all that runs here is to end. @throws RankFailed; Interrupted; Error
  bool step();

 private:
  using Clock = std::chrono::steady_clock;
  struct Waiting {
    Rank rank;
    Answer answer;
    std::vector<std::uint64_t> expected;  ///< messages, by agent, that are announced to its rank before
  };
  struct Reply {
    std::size_t agent;
    FrameKind kind;
    std::vector<std::byte> content;
  };

  template <typename Where>
  std::vector<Rank> ranks_where(const Where& where) const;
  std::size_t machine_of(Rank rank) const { return setup_.launch.machine_of[index(rank)]; }
  bool is_own(Rank rank) const { return machine_of(rank) == setup_.number; }
  Rank checked(std::int32_t rank) const;
  Rank checked_owner(std::uint64_t marked) const;
  [[noreturn]] static void throw_written_over(Rank rank);
  void throw_if_peer_is_lost();
  void throw_if_line_is_broken() const;

  bool take_from_emulator(Frame& frame);
  bool take_at_once(Frame& frame);
  bool waits_in_vain();
  void take_from_peer(std::size_t agent, Frame& frame);
  void ask_for_access(Rank rank, std::uint64_t connection, std::span<const std::byte> request);

  void reply(std::size_t agent, FrameKind kind, std::vector<std::byte> content);
  void send_replies();
  void push(std::uint64_t marked, Stream& peer);
  void send_left();
  void tell_promised(std::size_t agent);
  void give_waiting();
  bool give(Waiting& waiting);
  bool has_all(const Waiting& waiting);
  std::chrono::nanoseconds flush_or_gather();
  bool may_say_more(Rank rank) const { return said_[index(rank)] < taken_[index(rank)] + most_untaken; }
  void pass_on(Rank rank);
  void mark_payload(Rank rank, Operation& operation);
  void push_deposit(const Operation& collective);
  void note_context(const Operation& created);
  std::chrono::nanoseconds report_progress();
  void report_released();
  void end();

  /// Held by the thread that acts, but while it sleeps, and by the one that hears the emulator while it gives
  /// a rank its answer: that wakes no thread of the agent's own. The acting thread may wait for a rank that
  /// is stopped; the other one does not wait for it, or would not hear that the run is over.
  std::timed_mutex acting_;
  std::atomic<std::uint64_t> acted_{0};  ///< frames of the inbox that the acting thread has taken
  std::uint64_t left_ = 0;               ///< as many must it have taken before the other one takes any itself
  const std::thread::id acting_thread_ = std::this_thread::get_id();
  const AgentSetup& setup_;
  Stream& emulator_;
  Inbox& inbox_;
  Peers& peers_;
  std::vector<Rank> own_;
  std::vector<bool> exited_;                 ///< by rank
  std::vector<std::uint64_t> said_, taken_;  ///< operations, by rank: sent to the emulator, and taken by it
  std::vector<Rank> heard_;                  ///< own ranks that may say more
  // Of announced messages, by agent:
  std::vector<std::uint64_t> told_promised_;      ///< go there, as the emulator knows
  std::vector<std::uint64_t> expected_;           ///< have been sent from there, as the emulator knows
  std::vector<std::atomic<std::uint64_t>> come_;  ///< of those, ranks here have been told
  ChannelSettings settings_;
  LiveProgram program_;
  PayloadMirror mirror_;
  LetterRelay letters_;
  std::optional<MemoryRelay> memory_;  ///< through which ranks get the connections
  std::mutex replies_mutex_;
  /// Of the threads that receive. They never send: two agents that both sent much would both wait for the
  /// other to receive.
  std::vector<Reply> replies_;
  std::vector<Waiting> waiting_;          ///< for payloads, and messages
  std::atomic<bool> has_waiting_{false};  ///< any of those; set before it is looked for what they wait for
  /// The other agents that have members of a context.
  std::map<Context, std::vector<std::size_t>> others_of_;
  std::set<std::uint64_t> asked_for_;  ///< payloads, marked
  std::map<Rank, SimTime> awaited_;    ///< how far the emulator wants ranks to have computed
  Clock::time_point hurried_until_{};  ///< the emulator has awaited a rank not long ago
  Clock::time_point flushed_{};        ///< when the emulator was last told what there is
  Operation operation_;                // scratch
  std::vector<Word> words_;            // scratch
  std::size_t begun_ = 0;
  std::atomic<int> lost_peer_{-1};
  std::optional<Clock::time_point> lost_since_;
  bool ended_ = false;
};

}  // namespace morgana
