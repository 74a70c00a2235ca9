#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "emulator/core/error.h"
#include "emulator/core/host_use.h"
#include "emulator/engine/operation_source.h"
#include "emulator/engine/run_account.h"
#include "emulator/messaging/machine.h"
#include "emulator/operations/causality.h"
#include "emulator/operations/observer.h"

namespace morgana {

/// Every rank waits and nothing can happen any more; the text names each rank's call, peer, tag and size. Its
/// first line says when the last rank blocked; then, each in a line that begins with two spaces, a label and
/// a colon, come what was found (cycle, eager hint, missing) and the ranks.
class Deadlock : public Error {
 public:
  /// A rank that waits, and its call.
  struct Waiting {
    Rank rank{};
    std::string call;
  };
  /// @param unstable  Losses::unstable, where ranks wait for what the load did not let through
  /// @param cycle  ranks each of which waits for the next one, and the last one for the first; may be empty
  /// @param ended  ranks that wait for nothing, as they have ended
  explicit Deadlock(const std::string& text, std::string unstable = {}, std::vector<Waiting> cycle = {},
                    std::vector<Rank> ended = {})
      : Error(text), unstable_(std::move(unstable)), cycle_(std::move(cycle)), ended_(std::move(ended)) {}
  const std::vector<Waiting>& cycle() const { return cycle_; }
  const std::vector<Rank>& ended() const { return ended_; }
  /// The rule by which the load is called more than a protocol carries; empty if that is not why they wait.
  const std::string& unstable() const { return unstable_; }

 private:
  std::string unstable_;
  std::vector<Waiting> cycle_;
  std::vector<Rank> ended_;
};

/// Runs the ranks of a program on a machine: takes their operations, keeps their clocks, matches their
/// messages, carries out their collectives' schedules, and reports to the source and the observers.
///
/// The clock rule: an event at t is handled only when every rank whose next operation is not known yet is
/// certain to be past t. So messages match in the order of simulated time, whatever the real interleaving.
class Engine final : public RunAccount {
 public:
  /// The machine, the source and the observers must outlive the engine.
  /// @param causes  gets what makes waiting ranks continue; may be null
  Engine(Machine& machine, OperationSource& source, std::span<OperationObserver* const> observers,
         CausalityObserver* causes = nullptr);
  ~Engine() override;

  /// Until every rank has exited, and then what is still under way.
  /// @param all_ended  called in between: when nothing is left that happens before the last exit, whose time
  /// it is given (services' do not count)
  /// @return each rank's clock at its exit
  /// @throws Deadlock; Error for an operation that is not valid (names the rank); whatever the source
  /// throws
  std::vector<SimTime> run(const std::function<void(SimTime)>& all_ended = {});

  /// Time of the event being handled (for progress bars).
  SimTime now() const;
  /// After the run: messages that came and were never received.
  std::uint64_t unreceived_messages() const;
  std::uint64_t lost_messages() const override;
  /// How many messages between ranks were never received, and sender, receiver, tag and size of the first;
  /// empty if all were. Services' messages and the parts of collectives don't count.
  std::string unreceived_report() const;
  std::uint64_t returned_messages() const override;
  std::string unstable() const override;
  /// What was lost or returned, where, and how to have all delivered; empty if all was.
  std::string loss_report() const;
  /// Where every rank is at this moment, a line each: when a run is ended in the midst of it.
  std::string activity_report() const;
  HostUse host_use() const override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace morgana
