#pragma once

#include <tsl/robin_map.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "emulator/collectives/schedule.h"
#include "emulator/core/pool.h"
#include "emulator/engine/context_table.h"
#include "emulator/engine/entered_collectives.h"
#include "emulator/engine/rank_progress.h"
#include "emulator/messaging/machine.h"
#include "emulator/messaging/messenger.h"
#include "emulator/operations/causality.h"

namespace morgana {

/// Is called when a rank's part of a collective is done.
class CollectiveClient {
 public:
  /// @param done  >= now: the rank's processor may still be busy with the last message
  /// @param deposits  what every member has given so far, by its place; empty if no member gave anything
  /// @param outcome  of what the rank has sent in it: why the first message that was returned was
  /// @param partner_at  when the member had entered without which the rank could not continue; 0 if it needs
  /// none
  virtual void collective_done(std::uint32_t request, SimTime done,
                               const std::vector<std::uint64_t>& deposits, Outcome outcome,
                               SimTime partner_at) = 0;
  /// Where ranks share processors: the rank has something to do in a collective, now. @return whether its
  /// processor does it now; else go_on() when it is the rank's turn
  virtual bool gets_processor(Rank rank) = 0;

 protected:
  ~CollectiveClient() = default;
};

/// Carries out ranks' parts of collectives: each is a schedule of sends, receives and reductions, run step by
/// step from the moment the rank enters, with the message layer's costs. The steps of all collectives of a
/// rank share its processor (RankProgress), one after the other as they become due. Those of a nonblocking
/// collective are carried out while the rank is in a call, between begin_call() and end_call(), or, with
/// asynchronous progress, at any time on a processor beside the rank's.
///
/// Where the memory of a host may slow what its ranks copy and combine at once (Machine::memory), a blocking
/// collective's part waits for the end of each such copy. Copies of the others, and of ranks that share
/// processors with others or with kernels, take as long as alone.
class CollectiveRunner : private EventHandler, private MemoryUser {
 public:
  /// Tokens of this runner's messages are those from `first_token` on.
  static constexpr std::uint32_t first_token = std::uint32_t{1} << 31;

  CollectiveRunner(Machine& machine, Messenger& messenger, CollectiveClient& client,
                   const ContextTable& contexts);

  /// @param rank  enters now with `operation`, a collective, under `request`
  /// @return the rank's part, until collective_done() is called for the request (it may have been already)
  /// @throws Error if it does not fit what other members have entered, or its sizes are not valid
  std::uint32_t enter(Rank rank, const Operation& operation, std::uint32_t request);
  /// No part has this number.
  static constexpr std::uint32_t no_part = ~std::uint32_t{0};
  /// The collectives that ranks have entered, and which one of them a part is of.
  const EnteredCollectives& entered() const { return entered_; }
  std::uint32_t collective_of(std::uint32_t part) const { return parts_[part].collective; }

  /// Whether the operation, a collective, progresses only while its rank is in a call.
  bool in_background(const Operation& operation) const {
    return !operation.collective.blocking && progresses_in_calls_;
  }
  /// The rank is in a call from now on. @param goes_on  whether that carries out what is owed
  void begin_call(Rank rank, bool goes_on);
  void end_call(Rank rank);
  /// The observer gets what lets ranks continue within collectives; not null.
  void tell_causes(CausalityObserver* observer) { causes_ = observer; }
  /// Whether the operation, a collective, progresses beside its rank's processor.
  bool goes_on_besides(const Operation& operation) const {
    return !operation.collective.blocking && !progresses_in_calls_;
  }
  /// Ranks share processors from now on: CollectiveClient::gets_processor() is asked.
  void share_processors() { shares_processors_ = true; }
  /// Where ranks share processors: it is the rank's turn after a time since `since` in which it was not, and
  /// nothing begins before `until`. What is owed continues.
  void go_on(Rank rank, SimTime since, SimTime until);
  /// Other work takes the rank's processor now, for `cost` more and altogether up to `until`.
  void interrupted(Rank rank, SimTime cost, SimTime until) {
    progress_[index(rank)].interrupt(machine_.events->now(), cost, until);
  }
  /// What the rank's processor does for collectives, and for what else in the library uses it.
  RankProgress& progress(Rank rank) { return progress_[index(rank)]; }
  const RankProgress& progress(Rank rank) const { return progress_[index(rank)]; }
  /// Whether the collective of a message with one of this runner's tokens goes on beside its rank.
  bool goes_on_besides(Token token) const { return part_of(token).own_thread; }
  /// The processor beside that rank's takes a piece of the message, which has come now, out of its socket.
  void read_besides(Token token, SimTime cost) {
    progress_[index(part_of(token).rank)].spend_besides(machine_.events->now(), cost);
  }
  Rank rank_of(Token token) const { return part_of(token).rank; }

  // Of the messages with this runner's tokens:
  void sent(Token token, const Origin& origin);
  /// @param cost  without the copy into the program's buffer
  void received(Token token, SimTime early, SimTime cost, const MemoryWork& copy, const Origin& origin);
  /// Its step has failed; the rank continues with the others.
  void returned(Token token, Outcome why);

 private:
  struct Part {  // one rank's
    Rank rank{};
    std::uint32_t request = 0, collective = 0;
    Envelope plane;  // of this collective's messages, source = the rank
    Schedule schedule;
    std::size_t next_step = 0;
    std::uint32_t pending = 0;  // messages of the group under way
    SimTime clock;
    SimTime owed;  // for receives that completed while the group was being started, or outside of calls
    std::vector<MemoryWork> copies;  // of these receives, where the memory may slow them
    bool starting = false;     // a group of steps, or copies are under way: `pending` may be 0 during that
    bool in_group = false;     // steps of that group have not started yet
    bool step_copied = false;  // what the next step copies or combines is done
    SimTime step_begun;        // when that began
    std::optional<CopyId> in_memory;  // the memory is at it; it ends before the part does
    bool background = false;          // progresses in calls only
    bool own_thread = false;          // progresses on a processor beside the rank's
    bool is_owed = false;             // waits for the rank's next call
    Outcome outcome = Outcome::delivered;
  };

  void handle(std::uint64_t part) override;
  bool serves_program() const override { return true; }
  void run(std::uint32_t part);
  bool must_start_on_time(const Part& part) const;
  void start_group(std::uint32_t part);
  void work_on(std::uint32_t part);
  bool start_steps(std::uint32_t part);
  bool done_in_memory(std::uint32_t part, const MemoryWork& work);
  bool may_slow(const Part& part, const MemoryWork& work) const;
  void use_memory(std::uint32_t part, const MemoryWork& work);
  void begin_in_memory(std::uint32_t part, const MemoryWork& work);
  void memory_done(std::uint64_t part, CopyId copy) override;
  void finish(std::uint32_t part);
  bool may_go_on(const Part& part) const;
  void resume_owed(Rank rank);
  void owe(std::uint32_t part);
  /// Takes the processor that works for the part; the part's clock is then where that ends.
  void spend(Part& part, SimTime released, SimTime cost) {
    RankProgress& progress = progress_[index(part.rank)];
    released = std::max(part.clock, released);
    part.clock = part.own_thread ? progress.spend_besides(released, cost) : progress.spend(released, cost);
  }
  /// The processor that works for the part may be at another's steps: it continues when that has ended.
  void await_processor(Part& part) const {
    const RankProgress& progress = progress_[index(part.rank)];
    part.clock = std::max(part.clock, part.own_thread ? progress.besides_until : progress.busy_until);
  }
  const Part& part_of(Token token) const { return parts_[static_cast<std::uint32_t>(token) & ~first_token]; }
  void step_ended(std::uint32_t part, const Origin* origin);
  void tell_release(const Part& part, SimTime idle_from, SimTime at, const Origin& origin) const;

  Machine& machine_;
  Messenger& messenger_;
  CollectiveClient& client_;
  const ContextTable& contexts_;
  EnteredCollectives entered_;
  Pool<Part> parts_;
  Bytes match_matters_beyond_;
  bool receives_cost_;
  bool progresses_in_calls_;
  bool shares_processors_ = false;
  CausalityObserver* causes_ = nullptr;
  std::vector<RankProgress> progress_;             // by rank
  tsl::robin_map<std::uint32_t, MemoryWork> due_;  // by part: begins when the part's clock has come
};

}  // namespace morgana
