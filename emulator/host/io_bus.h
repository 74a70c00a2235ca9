#pragma once

#include <tsl/robin_map.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "emulator/core/counter_table.h"
#include "emulator/core/event_queue.h"
#include "emulator/core/units.h"
#include "emulator/host/host_id.h"

namespace morgana {

/// The defaults are those of PCI with 32 bits at 33 MHz, a word a cycle (PCI Local Bus Specification 2.1).
/// How long a burst is and how many cycles go by before its data depends on bridge and NIC; 32 bytes
/// and four cycles (arbitration, address, turnaround, the target's first wait) are assumed.
struct IoBusParameters {
  BitRate rate{1'056'000'000};                   ///< of a transaction's data, > 0
  SimTime overhead = SimTime::from_ps(120'000);  ///< of each transaction, before its data, >= 0
  Bytes burst{32};                               ///< data of a DMA engine's transaction at most, > 0
  Bytes width{4};                                ///< data of a processor's transaction at most, > 0
};

/// Is called when a transfer has ended.
class IoBusUser {
 public:
  virtual void transferred(std::uint64_t what) = 0;

 protected:
  ~IoBusUser() = default;
};

/// The buses between the hosts' memories and their NICs (PCI, SBus), one a host. Three masters share
/// each: the processors, which write word by word into the NIC (programmed I/O), and the NIC's
/// DMA engines for what leaves and for what comes. A transfer is a sequence of transactions; after each one
/// the arbiter grants the bus to the next master, in rotation, that has something to transfer. A master's
/// transfers are served in the order of asking.
class IoBus final : private EventHandler {
 public:
  enum class Master : std::uint8_t { processor, outgoing, incoming };
  static constexpr std::size_t masters = 3;

  IoBus(EventQueue& events, const IoBusParameters& parameters) : events_(events), parameters_(parameters) {}

  /// Asked for now; a transfer of no bytes is a transaction without data. Never calls the user from within.
  /// @param user  is called when it has ended, with `what`; must outlive the transfer
  void transfer(HostId host, Master master, Bytes size, IoBusUser& user, std::uint64_t what);

  /// By host: transfers of each master, and how long the bus was busy.
  CounterTable counted() const;

 private:
  struct Transfer {
    Bytes left;
    IoBusUser* user;
    std::uint64_t what;
  };
  struct Host {
    std::array<std::deque<Transfer>, masters> line;
    std::array<std::int64_t, masters> transfers{};
    std::size_t master = masters - 1;  ///< that has the bus, or had it last
    std::int64_t granted = 0;          ///< transactions of its first transfer, one after the other; 0: none
    SimTime began;                     ///< the first of these
    std::uint32_t grant = 0;           ///< the one that counts
    SimTime busy;
  };
  Bytes unit_of(std::size_t master) const {
    return static_cast<Master>(master) == Master::processor ? parameters_.width : parameters_.burst;
  }
  SimTime time_of(std::size_t master, Bytes left, std::int64_t transactions) const;
  void grant_next(std::uint32_t number);
  void schedule_end(std::uint32_t number, Host& host);
  void handle(std::uint64_t what) override;

  EventQueue& events_;
  IoBusParameters parameters_;
  tsl::robin_map<std::uint32_t, Host> hosts_;  // whose buses have been used
};

}  // namespace morgana
