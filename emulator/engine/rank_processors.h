#pragma once

#include <tsl/robin_map.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "emulator/engine/collective_runner.h"
#include "emulator/engine/operation_source.h"
#include "emulator/engine/rank_state.h"
#include "emulator/host/kernel.h"
#include "emulator/host/time_sharing.h"
#include "emulator/messaging/machine.h"

namespace morgana {

/// The processors that ranks compute on, where others may take them: the host's kernel (Machine::kernel), or
/// ranks that share a processor (Machine::quantum). Else each rank has one to itself, and nothing here has an
/// effect. Services (OperationSource::is_service) need none.
///
/// A rank needs its processor while it computes, and while its library works in a call: from the start of an
/// operation until it waits. What a rank waits for finds it in its call; what completing it costs, and what
/// the rank computes then, begin when the rank's turn comes: like kernel work, the turns of others make
/// begins later (RankState::interrupted), and what is under way ends later, though what it has sent has left.
class RankProcessors final : private ProcessorUsers, private TimeSharingClient {
 public:
  /// All of them must outlive this object. @param starts  handles the start of a rank's operation, an event
  /// whose number is the rank's
  RankProcessors(Machine& machine, OperationSource& source, std::vector<RankState>& ranks,
                 CollectiveRunner& collectives, EventHandler& starts);

  /// Whether anything here has an effect.
  bool may_be_taken() const { return machine_.kernel != nullptr || sharing_ != nullptr; }
  /// Whether ranks take turns on processors.
  bool are_shared() const { return sharing_ != nullptr; }

  /// The rank begins; it gets the first processor of its host that has the fewest ranks, and so one of its
  /// own where there are enough.
  void give(Rank rank);
  /// The rank has ended.
  void take_back(Rank rank);
  /// Of its host; nothing for a service. To be asked only where may_be_taken().
  std::optional<std::size_t> of(Rank rank) const;

  /// Whether other ranks may take the rank's processor at any time.
  bool is_shared(Rank rank) const;
  /// Whether it is the rank's turn. To be asked only where are_shared().
  bool has(Rank rank) const {
    return source_.is_service(rank) || sharing_->has_processor(static_cast<std::uint32_t>(index(rank)));
  }
  /// Where shared: others get the rank's processor, when its library has done what it is at, if it waits or
  /// sleeps.
  void leave_if_idle(Rank rank);
  /// Where shared: the rank's operation has ended.
  void needs(Rank rank);
  /// Where shared: the rank's library has something to do now. @return whether it is its turn
  bool gets(Rank rank);

  /// When the kernel has done what it has to do on the rank's processor by now; 0 where none takes any.
  SimTime kernel_busy_until(Rank rank) const;
  /// When the kernel leaves the processor to a rank that waits, at `from` at the earliest, and the steps of
  /// its collectives that the kernel has delayed are done.
  SimTime free(Rank rank, SimTime from) const { return may_be_taken() ? free_of_others(rank, from) : from; }
  /// The rank enters a call of its library, which may look at the host's interface.
  void look_at_interface(Rank rank);
  /// The rank has ended: if it was the last one of its host, the idle kernel looks at the interface.
  void look_without(Rank rank);

 private:
  bool uses_processor(Rank rank) const;
  SimTime free_of_others(Rank rank, SimTime from) const;
  std::span<const Rank> users_of(HostId host, std::size_t processor) const;

  // Of the kernel's, and of time sharing:
  bool uses(HostId host, std::size_t processor) const override;
  void interrupted(HostId host, std::size_t processor, SimTime cost, SimTime until) override;
  std::optional<std::size_t> poller(HostId host) const override;
  void got_processor(std::uint32_t task, SimTime since) override;
  void reminded(std::uint32_t task) override;

  Machine& machine_;
  EventQueue& events_;
  OperationSource& source_;
  std::vector<RankState>& ranks_;
  CollectiveRunner& collectives_;
  EventHandler& starts_;
  std::unique_ptr<TimeSharing> sharing_;   ///< none where each rank has a processor to itself
  std::vector<std::size_t> processor_of_;  ///< by rank
  tsl::robin_map<std::uint32_t, std::vector<std::vector<Rank>>> users_;  ///< by host and processor
};

}  // namespace morgana
