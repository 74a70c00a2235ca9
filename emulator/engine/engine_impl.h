#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "emulator/engine/arrivals.h"
#include "emulator/engine/clock_rule.h"
#include "emulator/engine/collective_runner.h"
#include "emulator/engine/context_table.h"
#include "emulator/engine/engine.h"
#include "emulator/engine/operation_checks.h"
#include "emulator/engine/polls.h"
#include "emulator/engine/rank_copies.h"
#include "emulator/engine/rank_processors.h"
#include "emulator/engine/rank_waits.h"
#include "emulator/engine/releases.h"
#include "emulator/engine/request_table.h"
#include "emulator/engine/socket_reads.h"
#include "emulator/messaging/make_messenger.h"
#include "emulator/messaging/remote_access.h"

namespace morgana {

// engine.cpp: the main loop, and how ranks begin and end; engine_operations.cpp: how each kind of operation
// starts and ends; engine_accounts.cpp: what is known of a run. What has a state of its own is an object of
// its own: when ranks may go on (ClockRule, Polls), their requests (RequestTable, Arrivals, RankWaits), their
// processors, copies and sockets (RankProcessors, RankCopies, SocketReads), their collectives
// (CollectiveRunner).
class Engine::Impl final : private EventHandler, private OperationEnds, private RankCopiesClient {
 public:
  Impl(Machine& machine, OperationSource& source, std::span<OperationObserver* const> observers,
       CausalityObserver* causes)
      : machine_(machine),
        events_(*machine.events),
        source_(source),
        observers_(observers.begin(), observers.end()),
        ranks_(machine.host_of.size()),
        checks_(ranks_.size()),
        releases_(causes, ranks_, requests_),
        contexts_(ranks_.size(), std::min(source.world(), ranks_.size()),
                  [&source](Context context) { return source.given_name(context); }),
        arrivals_(events_, source, ranks_, requests_, releases_, collectives_, processors_, copies_, waits_,
                  reads_, observers, *this),
        messenger_(make_messenger(machine, arrivals_)),
        remote_access_(machine, arrivals_),
        collectives_(machine, *messenger_, arrivals_, contexts_),
        processors_(machine, source, ranks_, collectives_, *this),
        copies_(machine, source, ranks_, requests_, releases_, *this),
        reads_(events_, ranks_, collectives_, processors_, releases_),
        waits_(events_, ranks_, requests_, releases_, collectives_, processors_, copies_, reads_, observers,
               *this),
        polls_(machine, source, ranks_, collectives_, processors_),
        clock_(events_, source, ranks_, requests_, collectives_, processors_, polls_, *this) {
    if (causes != nullptr) collectives_.tell_causes(causes);
  }

  std::vector<SimTime> run(const std::function<void(SimTime)>& all_ended);
  SimTime now() const { return events_.now(); }
  std::uint64_t unreceived() const { return messenger_->unreceived(); }
  std::string unreceived_report() const { return messenger_->unreceived_report(); }
  Losses losses() const;
  std::string loss_report() const;
  std::string activity_report() const;
  HostUse host_use() const;

 private:
  std::vector<SimTime> run_all(const std::function<void(SimTime)>& all_ended);
  Deadlock deadlock() const;

  // Ranks begin and end.
  void begin_at_start(Rank rank);
  void begin(Rank rank);
  void end_early(Rank rank);
  void rank_ended(Rank rank);

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
  void start_probe(Rank rank);
  std::optional<Messenger::Found> find_probed(Rank rank);
  void end_probe(Rank rank, const Messenger::Found& found);
  void start_cancel(Rank rank);
  void start_access(Rank rank);
  void start_spawn(Rank rank);
  void start_kill(Rank rank);
  std::uint32_t new_request(Rank rank);

  void end(Rank rank, SimTime at, std::span<const Completed> completed) override;
  void end(Rank rank, SimTime at) { end(rank, at, {}); }
  void end_failed_poll(Rank rank) override;
  void look_at_probe(Rank rank) override;
  void message_waits_for_probe(Rank rank) override;

  void copied_before_send(Rank rank) override;
  void copied(Rank rank, std::span<const std::uint32_t> slots, SimTime from) override {
    waits_.complete(rank, slots, from);
  }
  void limit_was_reached(std::uint64_t limit) override { waits_.limit_reached(limit); }
  void waits_on(Rank rank) override;

  // What an event is about: a rank's operation, the posting of its receive, or its begin.
  static constexpr std::uint64_t post_event = std::uint64_t{1} << 60;
  static constexpr std::uint64_t begin_event = std::uint64_t{1} << 61;

  Machine& machine_;
  EventQueue& events_;
  OperationSource& source_;
  std::vector<OperationObserver*> observers_;
  std::vector<RankState> ranks_;
  OperationChecks checks_;
  RequestTable requests_;
  Releases releases_;
  ContextTable contexts_;
  Arrivals arrivals_;
  std::unique_ptr<Messenger> messenger_;
  RemoteAccess remote_access_;
  CollectiveRunner collectives_;
  RankProcessors processors_;
  RankCopies copies_;
  SocketReads reads_;
  RankWaits waits_;
  Polls polls_;
  ClockRule clock_;
  std::size_t started_ = 0, ended_ = 0;  ///< ranks other than services
  std::vector<Completed> completed_;     // scratch
};

}  // namespace morgana
