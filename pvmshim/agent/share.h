#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "pvmshim/agent/awaited_clocks.h"
#include "pvmshim/agent/frame_inbox.h"
#include "pvmshim/agent/hosted_tasks.h"
#include "pvmshim/agent/letter_relay.h"
#include "pvmshim/agent/lost_peer.h"
#include "pvmshim/agent/memory_relay.h"
#include "pvmshim/agent/payload_mirror.h"
#include "pvmshim/agent/payload_sender.h"
#include "pvmshim/agent/peers.h"
#include "pvmshim/agent/rank_places.h"
#include "pvmshim/agent/replies.h"
#include "pvmshim/agent/said_operations.h"
#include "pvmshim/agent/setup.h"
#include "pvmshim/agent/stream.h"
#include "pvmshim/agent/waiting_answers.h"
#include "pvmshim/channel/codec.h"
#include "pvmshim/launch/mpi/live_program.h"

namespace morgana {

/// One run's ranks, or a PVM program's tasks, on this machine: what they say goes to the emulator, what it
/// answers to them, and what they send to ranks elsewhere to the agents there.
class Share {
 public:
  /// Starts the ranks. @param inbox  what the emulator says
  /// @throws Error
  Share(const AgentSetup& setup, Stream& emulator, FrameInbox& inbox, Peers& peers);
  ~Share();
  Share(const Share&) = delete;
  Share& operator=(const Share&) = delete;

  /// Passes on what there is, and sleeps until there may be more.
  /// @return false when all that runs here is to end. @throws RankFailed; Interrupted; Error
  bool step();

 private:
  using Clock = std::chrono::steady_clock;
  Rank checked_owner(std::uint64_t marked) const;

  bool take_from_emulator(Frame& frame);
  bool take_at_once(Frame& frame);
  bool take_of_tasks(Frame& frame);
  bool take_of_tasks_at_once(Frame& frame);
  void carry_out_for_task(std::span<const std::byte> content);
  std::unique_ptr<HostedProgram> start();
  bool waits_in_vain();
  void take_from_peer(std::size_t agent, Frame& frame);
  void wake_receivers(std::size_t agent);
  void ask_for_access(Rank rank, std::uint64_t connection, std::span<const std::byte> request);

  void reply(std::size_t agent, FrameKind kind, std::vector<std::byte> content);
  void send_replies();
  std::chrono::nanoseconds send_left();
  void tell_promised(std::size_t agent);
  std::chrono::nanoseconds flush_or_gather();
  bool pass_on(Rank rank);
  std::chrono::nanoseconds report_progress();
  void report_released();
  void tell_room();
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
  FrameInbox& inbox_;
  Peers& peers_;
  LostPeer lost_peer_;
  RankPlaces places_;
  std::vector<Rank> own_;
  SaidOperations said_;
  std::vector<Rank> heard_;  ///< own ranks that may say more
  /// Announced messages, by agent, that go there, as the emulator knows.
  std::vector<std::uint64_t> told_promised_;
  /// Own ranks to which messages were announced, by agent that sent them: of the thread of its stream.
  std::vector<std::vector<Rank>> to_wake_;
  ChannelSettings settings_;
  HostedTasks* tasks_ = nullptr;  ///< the program, if it is one for PVM
  const std::unique_ptr<HostedProgram> program_;
  PayloadMirror mirror_;
  LetterRelay letters_;
  std::optional<MemoryRelay> memory_;  ///< through which ranks get the connections
  Replies replies_;
  PayloadSender payloads_;
  WaitingAnswers waiting_;
  AwaitedClocks awaited_;
  std::uint64_t released_to_others_ = 0;               ///< frames
  std::atomic<std::uint64_t> released_by_others_ = 0;  ///< frames, as far as taken
  std::optional<std::uint64_t> asked_for_room_;        ///< the question's number, if it was not answered
  Clock::time_point flushed_{};                        ///< of the last flush to the emulator
  Operation operation_;                                // scratch
  std::vector<Word> words_;                            // scratch
  std::size_t begun_ = 0;
  bool ended_ = false;
};

}  // namespace morgana
