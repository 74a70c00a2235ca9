#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "emulator/core/background_use.h"
#include "emulator/core/host_use.h"
#include "emulator/core/statistics.h"
#include "emulator/operations/observer.h"
#include "emulator/report/call_use.h"
#include "emulator/report/context_places.h"

namespace morgana {

/// Where a run's time went, gathered operation by operation.
class RunStatistics : public OperationObserver {
 public:
  struct PerRank {
    SimTime begin;          ///< when it began: 0 but for those that others have started
    SimTime end;            ///< its clock at its last operation
    SimTime communication;  ///< spent inside calls, polls that it answered itself included
    SimTime interrupted;    ///< outside of calls, while the host's kernel had its processor
    std::uint64_t messages_sent = 0, messages_received = 0;  ///< point to point
    Bytes bytes_sent, bytes_received;
    std::uint64_t collectives = 0;
    SimTime time() const { return end - begin; }
    SimTime compute() const { return time() - communication - interrupted; }
    /// Of the rank's time, 0 to 1.
    double communication_share() const;
  };

  /// @param ranks  that run from the start on; others are added when they begin
  /// @param services  ranks 0 to services - 1 only serve the others: neither they nor messages from or to
  /// them are counted
  explicit RunStatistics(std::size_t ranks, std::size_t services = 0);
  void operation_ended(Rank rank, const Operation& operation, SimTime begin, SimTime end,
                       std::span<const Completed> completed) override;
  void partner_came(Rank rank, WaitCause cause, SimTime at) override;
  void message_delivered(Rank from, Rank to, Bytes bytes, SimTime sent, SimTime now) override;

  /// Calls of a rank that were counted elsewhere, as if operation_ended() had been given each of them.
  /// @param more  what they add to the rank's; its end is that of the last call
  /// @param calls  by kind, the kind of the last call last
  void add(Rank rank, const PerRank& more, std::span<const CallUse> calls);

  /// By rank, services left out.
  std::span<const PerRank> ranks() const { return std::span(ranks_).subspan(services_); }
  std::size_t first_rank() const { return services_; }
  /// The last rank's end.
  SimTime simulated_time() const;
  /// All ranks together: sums, `begin` and `end` included.
  PerRank total() const;
  /// Of a rank, in the mean: inside calls, and outside of them, interrupts included. Their sum is what the
  /// ranks' lives take in the mean, which is less than simulated_time() where some end earlier than others.
  SimTime mean_communication() const;
  SimTime mean_compute() const;
  /// Where the communication went, by kind of call: the times add up to PerRank::communication.
  /// @param rank  one of ranks(), counted from first_rank() on
  std::vector<CallUse> calls(Rank rank) const { return calls_.of(rank); }
  /// Where the communication of all ranks together went, by kind of call.
  std::vector<CallUse> calls() const { return calls_.all(services_); }
  /// From the start of the send to the whole message being at the receiver's host, in seconds.
  const Distribution& latency() const { return latency_; }

  /// Where the ranks were, once the run is over; unknown of what has run on no model.
  void ran_on(const HostUse& hosts) { hosts_ = hosts; }
  const std::optional<HostUse>& hosts() const { return hosts_; }
  /// What hosts have sent beside the program; nothing where the platform has no background traffic.
  void ran_beside(const std::optional<BackgroundUse>& background) { background_ = background; }
  const std::optional<BackgroundUse>& background() const { return background_; }

 private:
  Bytes count(Rank rank, const Operation& operation, std::span<const Completed> completed);
  bool is_service(Rank rank) const { return index(rank) < services_; }

  std::vector<PerRank> ranks_;
  std::vector<std::uint8_t> in_call_;  ///< by rank; no bits, which take longer to find
  std::size_t services_;
  ContextPlaces places_;
  CallUses calls_;
  Distribution latency_;
  std::optional<HostUse> hosts_;
  std::optional<BackgroundUse> background_;
};

}  // namespace morgana
