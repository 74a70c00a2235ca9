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

/// How a host notices that its NIC has received something. Source of the two kinds of interrupts: K.-P. Wong
/// and C.-L. Wang, "Push-Pull Messaging", 1999, section 2 (asymmetric and symmetric interrupt).
struct InterruptParameters {
  enum class Handling : std::uint8_t {
    polling,       ///< no interrupts: ranks poll the NIC within calls of their library
    fixed,         ///< the NIC always interrupts the processor `affinity` (asymmetric)
    least_loaded,  ///< the NIC interrupts the least loaded processor, as of Kernel::interrupt() (symmetric)
  };
  Handling handling = Handling::polling;
  SimTime cost;               ///< CPU time of each interrupt, >= 0
  std::int64_t affinity = 0;  ///< with `fixed`: the processor's number, from 0
};

/// What the kernel asks of, and reports to, the part of the emulator that runs programs on hosts' processors.
class ProcessorUsers {
 public:
  /// Whether a program uses the processor now: it computes or its library works. It does not if it waits or
  /// sleeps.
  virtual bool uses(HostId host, std::size_t processor) const = 0;
  /// The kernel takes `cost` more CPU time from programs on the processor.
  /// @param until  when the processor will have done all kernel work that it has now; at least now + cost
  virtual void interrupted(HostId host, std::size_t processor, SimTime cost, SimTime until) = 0;
  /// A processor that polls the host's NIC now, because its program waits in a call of its library. If all
  /// programs of the host have ended, its idle kernel polls on processor 0.
  /// @return nothing if no processor polls
  virtual std::optional<std::size_t> poller(HostId host) const = 0;

 protected:
  ~ProcessorUsers() = default;
};

/// The part that takes received units from the hosts' NICs.
class InterfaceOwner {
 public:
  /// With Handling::polling: the processor polls the host's NIC, because its program enters a call of its
  /// library, or the host's last program has ended.
  virtual void looked_at(HostId host, std::size_t processor) = 0;

 protected:
  ~InterfaceOwner() = default;
};

/// The kernel work (interrupt handlers, system calls) on the processors of all hosts. Kernel work preempts
/// programs: it starts as soon as the processor has done its earlier kernel work, and the program's
/// computation continues after it. Processors of a host are numbered from 0.
class Kernel {
 public:
  /// @param processors  the number of processors of each host, >= 1
  /// @param interrupts  with `fixed`, the affinity must be less than `processors`
  Kernel(EventQueue& events, std::size_t processors, const InterruptParameters& interrupts);

  /// Sets what runs programs; must outlive the kernel. Before this call every processor counts as free of
  /// programs.
  void report_to(ProcessorUsers& users) { users_ = &users; }

  bool polls() const { return interrupts_.handling == InterruptParameters::Handling::polling; }
  /// With Handling::polling: sets the owner of the NICs, before the first program calls its library. It must
  /// outlive the kernel.
  void own_interfaces(InterfaceOwner& owner) { owner_ = &owner; }
  /// With Handling::polling: as InterfaceOwner::looked_at.
  void look(HostId host, std::size_t processor) {
    if (owner_ != nullptr) owner_->looked_at(host, processor);
  }
  /// With Handling::polling: as ProcessorUsers::poller.
  std::optional<std::size_t> poller(HostId host) const {
    return users_ == nullptr ? std::nullopt : users_->poller(host);
  }

  struct Work {
    std::size_t processor;
    SimTime done;  ///< when the processor will have done all kernel work that it has now
  };
  /// The NIC of a host interrupts it now. Not with Handling::polling. The least loaded processor is the one
  /// that can start first; of several, one that no program uses; of these, the one with the lowest number.
  /// @return the interrupted processor; `done` is at least now + the interrupt's cost. If interrupts are the
  /// host's only kernel work, `done` never descends from one interrupt to the next
  Work interrupt(HostId host);
  /// A processor gets more kernel work now: a handler continues, or a system call copies.
  /// @param cost  CPU time, >= 0
  /// @return when it is done
  SimTime work(HostId host, std::size_t processor, SimTime cost);

  /// When the processor has done all kernel work that it has been given so far. May be in the past.
  SimTime busy_until(HostId host, std::size_t processor) const;

  /// A table with a row for each processor that has done kernel work: interrupts, those that interrupted a
  /// running program, and kernel time (us). Empty if there was no kernel work.
  std::vector<CounterTable> counted() const;

 private:
  struct Processor {
    SimTime busy_until;
    SimTime busy;  ///< CPU time of all kernel work
    std::int64_t interrupts = 0;
    std::int64_t hits = 0;  ///< interrupts at which a program used the processor
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
  tsl::robin_map<std::uint32_t, Processors> hosts_;  // those that have had kernel work
};

}  // namespace morgana
