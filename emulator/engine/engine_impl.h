#pragma once

#include <tsl/robin_map.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "emulator/core/pool.h"
#include "emulator/engine/collective_runner.h"
#include "emulator/engine/context_table.h"
#include "emulator/engine/engine.h"
#include "emulator/engine/rank_state.h"
#include "emulator/host/time_sharing.h"
#include "emulator/messaging/make_messenger.h"
#include "emulator/messaging/messenger.h"
#include "emulator/messaging/remote_access.h"

namespace morgana {

// engine.cpp: the clock rule and the main loop; engine_operations.cpp: how each kind of operation starts;
// engine_requests.cpp: how requests become ready and are waited for; engine_streams.cpp: messages that come
// part by part; engine_outcomes.cpp: what waits bring; engine_polls.cpp: what becomes of polls that find
// nothing; engine_ranks.cpp: how ranks begin and end; engine_causes.cpp: what makes ranks go on that wait;
// engine_copies.cpp: copies in calls, where the hosts' memories may slow them;
// engine_progress.cpp: how nonblocking collectives go on within calls; engine_kernel.cpp: how the hosts'
// kernels take processors from ranks; engine_sharing.cpp: how ranks take turns on processors.
class Engine::Impl final : private EventHandler,
                           private MessengerClient,
                           private CollectiveClient,
                           private ProcessorUsers,
                           private TimeSharingClient,
                           private RemoteAccessClient,
                           private MemoryUser {
 public:
  Impl(Machine& machine, OperationSource& source, std::span<OperationObserver* const> observers,
       CausalityObserver* causes)
      : machine_(machine),
        events_(*machine.events),
        source_(source),
        observers_(observers.begin(), observers.end()),
        causes_(causes),
        messenger_(make_messenger(machine, *this)),
        remote_access_(machine, *this),
        contexts_(machine.host_of.size(), std::min(source.world(), machine.host_of.size()),
                  [&source](Context context) { return source.given_name(context); }),
        collectives_(machine, *messenger_, *this, contexts_),
        ranks_(machine.host_of.size()),
        largest_size_((std::int64_t{1} << 60) / std::max<std::int64_t>(std::ssize(ranks_), 1)) {
    if (causes_ != nullptr) collectives_.tell_causes(causes_);
    if (machine_.kernel) machine_.kernel->report_to(*this);
    if (machine_.quantum > SimTime()) {
      TimeSharingClient& client = *this;
      sharing_ = std::make_unique<TimeSharing>(events_, machine_.quantum, machine_.processors, client);
      collectives_.share_processors();
    }
  }

  std::vector<SimTime> run(const std::function<void(SimTime)>& all_ended);
  SimTime now() const { return events_.now(); }
  std::uint64_t unreceived() const { return messenger_->unreceived(); }
  std::string unreceived_report() const { return messenger_->unreceived_report(); }
  Losses losses() const;
  std::string loss_report() const;
  std::string activity_report() const;
  HostUse host_use() const;
  Deadlock deadlock() const;

 private:
  std::vector<SimTime> run_all(const std::function<void(SimTime)>& all_ended);
  // The clock rule.
  void fetch(Rank rank);
  bool computing_ranks_are_past(SimTime horizon);
  /// When the rank's next operation, whose `elapsed` is known, begins, if nothing more is taken from it.
  static SimTime begin_of_next(const RankState& state) {
    return state.clock + state.operation.elapsed + state.interrupted;
  }

  // One function for each kind of operation; each either ends it or leaves the rank waiting.
  void handle(std::uint64_t what) override;
  bool serves_program() const override { return true; }
  void start(Rank rank);
  void start_send(Rank rank);
  void send_now(Rank rank, const Messenger::SendCost& cost);
  void start_receive(Rank rank);
  void post_receive(Rank rank);
  void take_message(Rank rank, std::uint32_t slot);
  void start_collective(Rank rank);
  void start_wait(Rank rank);
  bool begin_waiting(Rank rank);
  void stop_waiting(RankState& state);
  void limit_reached(std::uint64_t wait);
  void look_at_wait(Rank rank);
  void complete_wait(Rank rank);
  static bool is_satisfied(const RankState& state);
  void start_test(Rank rank);
  void end_test(Rank rank);
  std::vector<std::uint32_t> found_by_test(const RankState& state) const;
  void start_probe(Rank rank);
  void look_at_probe(Rank rank);
  void start_cancel(Rank rank);
  void start_access(Rank rank);
  void start_wait_part(Rank rank);
  void end_wait_part(Rank rank, std::uint32_t slot);
  SimTime copy_what_came(std::uint32_t slot);
  SimTime cost_of_completing(std::uint32_t slot);
  bool has_come(std::uint32_t slot, Bytes part) const;
  void give_back(std::uint32_t slot);
  void forget_rest(Rank rank, std::uint32_t slot);
  void start_spawn(Rank rank);
  void start_kill(Rank rank);
  void begin_at_start(Rank rank);
  void begin(Rank rank);
  void end_early(Rank rank);
  void rank_ended(Rank rank);
  void end(Rank rank, SimTime at, std::span<const Completed> completed = {});
  bool is_certain(std::uint32_t slot) const;
  Completed outcome_of(std::uint32_t slot) const;
  void answer_without_time();
  void end_failed_poll(Rank rank);
  bool would_find_something(Rank rank);
  bool failed_polls_are_due(SimTime horizon) const;
  void answer_failed_polls();
  /// A poll that is known and has not begun: what its rank does then reaches no other sooner than after the
  /// least distance, so it does not end what others may be told.
  struct PendingPoll {
    Rank rank;
    SimTime begin;
  };
  bool is_pure_poll(Rank rank) const;
  const PendingPoll& first_pending_poll() const;
  bool schedule_pending_poll(SimTime horizon);
  void end_probe(Rank rank, const Messenger::Found& found);

  // Nonblocking collectives in calls.
  bool goes_on_in_call(Rank rank);
  bool works_on(Rank rank);
  void work_done(Rank rank);
  void leave_call(Rank rank);

  // Kernel work.
  void give_processor(Rank rank);
  void take_processor_back(Rank rank);
  bool uses_processor(Rank rank) const;
  bool uses(HostId host, std::size_t processor) const override;
  void interrupted(HostId host, std::size_t processor, SimTime cost, SimTime until) override;
  std::optional<std::size_t> poller(HostId host) const override;
  void look_at_interface(Rank rank);
  SimTime kernel_busy_until(Rank rank) const;
  SimTime processor_free(Rank rank, SimTime from) const;

  // Processors that ranks share.
  bool shares_processor(Rank rank) const;
  bool has_processor(Rank rank) const;
  void leave_if_idle(Rank rank);
  void needs_processor(Rank rank);
  void got_processor(std::uint32_t task, SimTime since) override;
  void reminded(std::uint32_t task) override;
  bool gets_processor(Rank rank) override;

  // Requests.
  std::uint32_t new_request(Rank rank);
  void collect_awaited(Rank rank);
  void make_ready(std::uint32_t slot, SimTime at, SimTime cost);
  void became_ready(std::uint32_t slot);
  Completed take_completed(std::uint32_t slot);
  void complete(Rank rank, std::span<const std::uint32_t> slots, SimTime from);
  SimTime end_of_work(Rank rank, std::span<const std::uint32_t> slots, SimTime from);

  // Copies that the hosts' memories may slow.
  /// A rank's processor in a call that copies in memory. Those that go on with nonblocking collectives don't:
  /// there copies take as long as alone.
  struct Copier {
    struct InMemory {
      static constexpr std::uint32_t sends = ~std::uint32_t{0};
      CopyId copy;
      std::uint32_t slot;  ///< of a receive, or `sends`
    };
    std::optional<InMemory> at;             ///< the memory is at it: the call does not end before it does
    SimTime free_at;                        ///< else when the processor has done what is there
    bool is_due = false;                    ///< an event will go on then
    std::vector<std::uint32_t> waiting;     ///< requests that the rank waits for and that are ready
    std::vector<std::uint32_t> completing;  ///< those that complete when all of them have been copied
    std::optional<std::uint64_t> limit;     ///< of its wait, reached meanwhile
  };
  bool may_slow(Rank rank, const MemoryWork& work) const {
    return machine_.memory && !sharing_ && !machine_.kernel && !source_.is_service(rank) &&
           machine_.memory->may_slow(machine_.host_of[index(rank)], work);
  }
  void memory_done(std::uint64_t rank, CopyId copy) override;
  void copy_before_send(Rank rank, const MemoryWork& work);
  void begin_copy(Rank rank, std::uint32_t slot, const MemoryWork& work);
  void copy_while_waiting(Rank rank, std::uint32_t slot);
  void copy_what_is_there(Rank rank);
  void in_order_of_coming(std::vector<std::uint32_t>& slots) const;
  void give_up_copy(Rank rank);
  bool is_in_copier(Rank rank) const;
  bool copies_before_completion(Rank rank, std::span<const std::uint32_t> slots);
  bool is_completing(Rank rank) const;
  bool is_copying(Rank rank) const;
  void go_on_copying(Rank rank);
  bool begin_next_copy(Rank rank, Copier& copier);
  void copy_is_due(Rank rank);
  SimTime end_of_copies(Rank rank, SimTime at);
  SimTime cost_of_copy(std::uint32_t slot);

  // What makes ranks go on, if somebody asks.
  void note_origin(std::uint32_t slot, const Origin& origin) {
    if (causes_ != nullptr) origins_[slot] = origin;
  }
  [[gnu::cold]] void tell_release(Rank rank, SimTime idle_from, SimTime at, const Origin& origin) const;
  [[gnu::cold]] void tell_release(std::uint32_t slot, SimTime idle_from) const;
  [[gnu::cold]] void tell_begin(Rank rank, SimTime at, Rank by) const;
  std::uint32_t first_ready(const RankState& state) const;
  std::vector<std::uint32_t> ready_among(const RankState& state) const;
  /// What all ranks together may name is still a number of bytes.
  void check_size(Rank rank, Bytes size) const {
    if (size < Bytes(0) || size > largest_size_) refuse_size(rank, size);
  }
  [[noreturn, gnu::cold]] void refuse_size(Rank rank, Bytes size) const;
  void check_peer(Rank rank, const Operation& operation, bool wildcard) const;
  void check_envelope(Rank rank, const Operation& operation, bool wildcard) const;

  void sent(Token token, const Origin& origin) override;
  void resumed(Token token) override;
  void matched(Token token) override;
  void met(Token send, Token receive) override;
  void received(Token token, const ReceivedMessage& message) override;
  bool takes_heads(Token token) const override;
  void returned(Token token, const Envelope& envelope, std::uint64_t payload, Outcome why) override;
  void recalled(Token token, std::uint64_t payload) override;
  void dropped(std::uint64_t payload) override { source_.dropped(payload); }
  void more_came(Token token, Bytes coming) override;
  void waits_unmatched(Rank receiver, const Envelope& envelope, Bytes bytes) override;
  void delivered(const Envelope& envelope, Rank receiver, Bytes bytes, SimTime sent) override;
  std::optional<std::size_t> processor_of(Rank rank) const override;
  void access_done(std::uint32_t request, Outcome outcome, SimTime timer_wait) override;
  void collective_done(std::uint32_t request, SimTime done, const std::vector<std::uint64_t>& deposits,
                       Outcome outcome, SimTime partner_at) override;
  void tell_partner(const Request& request) const;

  static constexpr std::uint32_t no_slot = ~std::uint32_t{0};
  // What an event is about: a rank, a request, the posting of a rank's receive, the end of a rank's work for
  // collectives, the limit of a rank's wait (the number of that wait above the rank), or the begin of a rank.
  static constexpr std::uint64_t request_event = std::uint64_t{1} << 32;
  static constexpr std::uint64_t copy_event = std::uint64_t{1} << 59;
  static constexpr std::uint64_t post_event = std::uint64_t{1} << 60;
  static constexpr std::uint64_t work_event = std::uint64_t{1} << 61;
  static constexpr std::uint64_t limit_event = std::uint64_t{1} << 62;
  static constexpr std::uint64_t begin_event = std::uint64_t{3} << 60;
  static constexpr unsigned rank_bits = 31;

  Machine& machine_;
  EventQueue& events_;
  OperationSource& source_;
  std::vector<OperationObserver*> observers_;
  CausalityObserver* causes_;                      ///< null: nobody asks
  tsl::robin_map<std::uint32_t, Origin> origins_;  ///< if somebody does: of what is ready, by slot
  std::unique_ptr<Messenger> messenger_;
  RemoteAccess remote_access_;
  ContextTable contexts_;
  CollectiveRunner collectives_;
  std::vector<RankState> ranks_;
  Bytes largest_size_;  ///< in one operation of one rank
  std::vector<Rank> computing_;
  std::size_t started_ = 0, ended_ = 0;  ///< ranks other than services
  Pool<Request> requests_;
  tsl::robin_map<std::uint32_t, std::vector<std::uint64_t>>
      deposits_;                                           ///< of collectives that are ready, by slot
  tsl::robin_map<std::uint32_t, ComingMessage> coming_;    ///< of streamed receives, by slot
  tsl::robin_map<std::uint32_t, MemoryWork> to_copy_;      ///< of receives that are ready: what may be slowed
  tsl::robin_map<std::uint32_t, Copier> copiers_;          ///< by rank, while it copies
  std::vector<std::uint32_t> one_slot_;                    // scratch
  std::vector<std::pair<SimTime, std::size_t>> in_order_;  // scratch: when requests became ready, and which
  std::vector<Completed> completed_;                       // scratch
  std::vector<OperationSource::AwaitedRank> awaited_;
  std::vector<PendingPoll> pending_polls_;  ///< not in the queue, whose next event others are told
  std::vector<Rank> failed_polls_;          ///< that have ended, but are not answered yet
  std::unique_ptr<TimeSharing> sharing_;    ///< none where each rank has a processor to itself
  // Where hosts have a kernel, or ranks share processors:
  std::vector<std::size_t> processor_of_;                                ///< by rank
  tsl::robin_map<std::uint32_t, std::vector<std::vector<Rank>>> users_;  ///< by host and processor
  static constexpr std::size_t most_computing_told = 64;
};

}  // namespace morgana
