#pragma once

#include <tsl/robin_map.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/core/counter_table.h"
#include "emulator/core/event_queue.h"
#include "emulator/core/time.h"
#include "emulator/host/host_id.h"

namespace morgana {

/// How a host learns that its interface has received something. Source of the two kinds of interrupts: K.-P.
/// Wong and C.-L. Wang, "Push-Pull Messaging", 1999, section 2 (asymmetric and symmetric interrupt).
struct InterruptParameters {
  enum class Handling : std::uint8_t {
    polling,       ///< ranks look within calls of their library: there are no interrupts
    fixed,         ///< an interrupt of one processor, always the same
    least_loaded,  ///< an interrupt of the processor that has the least to do
  };
  Handling handling = Handling::polling;
  SimTime cost;               ///< processor time of each interrupt's work, >= 0
  std::int64_t affinity = 0;  ///< `fixed`: the number of the processor, from 0
};

/// The part that runs programs on the hosts' processors.
class ProcessorUsers {
 public:
  /// Whether a program uses the processor now: it computes, or its library works; it neither waits nor
  /// sleeps.
  virtual bool uses(HostId host, std::size_t processor) const = 0;
  /// The kernel takes the processor for `cost` more. @param until  when it has done all that it has to do
  /// there by now; at least now + cost
  virtual void interrupted(HostId host, std::size_t processor, SimTime cost, SimTime until) = 0;
  /// A processor whose program waits in a call of its library, and so looks at the host's interface again and
  /// again; the first one if no program is left on the host, whose idle kernel looks; else nothing.
  virtual std::optional<std::size_t> poller(HostId host) const = 0;

 protected:
  ~ProcessorUsers() = default;
};

/// Who takes from the hosts' interfaces what has come.
class InterfaceOwner {
 public:
  /// Where hosts poll: a program there enters a call of its library, or the last one of the host has ended.
  virtual void looked_at(HostId host, std::size_t processor) = 0;

 protected:
  ~InterfaceOwner() = default;
};

/// What the kernels of all hosts do on their hosts' processors. Kernel work goes before programs: it begins
/// as soon as the processor has done the kernel work that it was given before, and what a program computes
/// there continues after it.
class Kernel {
 public:
  /// @param processors  of each host, >= 1
  /// @param interrupts  a fixed processor must be one of these
  Kernel(EventQueue& events, std::size_t processors, const InterruptParameters& interrupts);

  /// Until then no program runs on any processor.
  void report_to(ProcessorUsers& users) { users_ = &users; }

  bool polls() const { return interrupts_.handling == InterruptParameters::Handling::polling; }
  /// Where hosts poll. Before the first program calls its library.
  void own_interfaces(InterfaceOwner& owner) { owner_ = &owner; }
  /// Where hosts poll: as InterfaceOwner::looked_at.
  void look(HostId host, std::size_t processor) {
    if (owner_ != nullptr) owner_->looked_at(host, processor);
  }
  /// Where hosts poll: as ProcessorUsers::poller.
  std::optional<std::size_t> poller(HostId host) const {
    return users_ == nullptr ? std::nullopt : users_->poller(host);
  }

  struct Work {
    std::size_t processor;
    SimTime done;  ///< when the processor has done all that it has to do for the kernel
  };
  /// The interface of a host that does not poll interrupts it, now. The least loaded processor is the one
  /// that can begin first; among several such, one that no program uses; among several such, that of the
  /// lowest number.
  /// @return done: at least now + the interrupt's cost; never before that of an earlier interrupt of the same
  /// host, where its processors do nothing else for the kernel
  Work interrupt(HostId host);
  /// A processor gets more kernel work, now: a handler continues, or a system call copies.
  /// @param cost  processor time, >= 0 @return when it is done
  SimTime work(HostId host, std::size_t processor, SimTime cost);

  /// When the processor has done all kernel work that it has by now; may be past.
  SimTime busy_until(HostId host, std::size_t processor) const;

  /// By host that was interrupted: interrupts and processor time, and how many hit a program.
  std::vector<CounterTable> counted() const;

 private:
  struct Processor {
    SimTime busy_until;
    SimTime busy;
    std::int64_t interrupts = 0;
    std::int64_t hits = 0;  ///< of these: those in which a program used the processor
  };
  using Processors = std::vector<Processor>;  // of one host
  Processors& of(HostId host) {
    return hosts_.try_emplace(static_cast<std::uint32_t>(host), Processors(processors_)).first.value();
  }
  bool is_used(HostId host, std::size_t processor) const {
    return users_ != nullptr && users_->uses(host, processor);
  }
  std::size_t choose(HostId host, const Processors& processors) const;

  EventQueue& events_;
  std::size_t processors_;
  InterruptParameters interrupts_;
  ProcessorUsers* users_ = nullptr;
  InterfaceOwner* owner_ = nullptr;
  tsl::robin_map<std::uint32_t, Processors> hosts_;  // that have had kernel work
};

}  // namespace morgana
