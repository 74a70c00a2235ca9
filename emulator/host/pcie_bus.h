#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/core/counter_table.h"
#include "emulator/core/event_queue.h"
#include "emulator/core/units.h"
#include "emulator/host/host_id.h"

namespace morgana {

/// PCI Express between a host's memory and its NIC. Packets of the transaction layer (TLPs) have headers,
/// with framing, sequence number and LCRC, of 24 B (MWr, MRd with 64-bit addresses) and 20 B (CplD).
struct PcieParameters {
  BitRate rate{0};              ///< of each way, for TLPs; 0: unlimited
  BitRate both_ways{0};         ///< payload of both ways together; 0: unlimited
  Bytes max_payload{256};       ///< MPS: of a write and of a completion, > 0
  Bytes max_read_request{512};  ///< MRRS: what a read request asks for at most, > 0

  // Descriptors, of the ways' `rate` only; 0: they are not counted.
  Bytes work_request{0};        ///< blocks in which a processor writes work requests into the NIC
  Bytes receive_request{0};     ///< what the NIC reads of each receive that a message takes
  Bytes completion{0};          ///< what the NIC writes for each receive that completes
  Bytes completion_payload{0};  ///< a whole message of up to this is written within its completion

  bool limits() const { return rate > BitRate(0) || both_ways > BitRate(0); }
};

/// What a NIC writes into memory.
struct PcieWrite {
  Bytes payload;
  bool completes = false;  ///< a receive completes with it
  bool whole = false;      ///< it is all of its message
};

/// Waits for a bus on which it wants to read.
class PcieUser {
 public:
  /// A read may begin now that could not before.
  virtual void may_read(HostId host) = 0;

 protected:
  ~PcieUser() = default;
};

/// The buses of all hosts, each between a memory and a NIC that reads what it sends and writes what it
/// receives.
///
/// A read of n bytes is ceil(n / max_read_request) requests (MRd) from the NIC to the host, and ceil(n /
/// max_payload) completions (CplD) back, which bring the n bytes. A write is ceil(n / max_payload) posted
/// writes (MWr) from the NIC to the host. So requests and writes share the way to the host, completions have
/// the other one to themselves, and the bytes of both take part in `both_ways`, the limit of what lies
/// behind: root complex, NIC, path to memory.
///
/// Descriptors. A work request of n bytes is ceil(n / work_request) writes (MWr) of that size from the
/// processor, which share the way to the NIC with completions (CplD). A receive that a message takes is a
/// read of receive_request bytes, in one request, which waits for nothing, as NICs fetch them ahead. With a
/// write that completes a receive goes another one (MWr), of `completion` bytes: if the whole message has at
/// most completion_payload bytes it takes the place of the message's own.
///
/// What reads and writes share, they share equally while both want it, and either has all of it while the
/// other wants none (processor sharing of two; bytes of one kind are served in order). A NIC reads ahead by
/// one packet: a read may begin when all before it are over. A write begins at once, behind those before it:
/// a packet is written when it is whole. How long a write takes is worked out when it begins: a read that
/// begins later does not slow it any more, but those behind it.
///
/// Source: Neugebauer et al., Understanding PCIe performance for end host networking, SIGCOMM 2018, section
/// 3: the headers, what requests, completions and writes take of each way, and that acknowledgements and flow
/// control (DLLPs) leave 57.88 of 62.96 Gb/s of 8 lanes of generation 3. The limit of both ways together is
/// measured. Simplifications: doorbells and completions of sends are not counted, nor descriptors in the
/// limit of both ways; a processor never waits for its writes; completions (CplD) are not cut at the read
/// completion boundary.
class PcieBus final : private EventHandler {
 public:
  /// @param user  must outlive this object
  PcieBus(EventQueue& events, const PcieParameters& parameters, std::size_t hosts, PcieUser& user)
      : events_(events), parameters_(parameters), user_(user), hosts_(hosts) {}

  /// Whether a read may begin now. If not, the user is called when it may; once for all that asked.
  bool admits_read(HostId host);
  /// A read begins now.
  void read(HostId host, Bytes bytes);
  /// A write begins now. @return how much longer than alone it takes
  SimTime write(HostId host, const PcieWrite& what);
  /// A processor writes a work request now. @return how much longer than alone that takes
  SimTime post(HostId host, Bytes request);
  /// A message takes a receive now.
  void read_receive(HostId host);

  /// Of all hosts: reads, writes, and for how long they had to wait for each other.
  CounterTable counted() const;
  /// How long each host's bus has been in use, where it has a limit (time_in_use).
  std::vector<CounterTable> in_use() const;

 private:
  enum class Way : std::uint8_t { read, write };
  /// Until when reads and writes that have begun use a resource, and how much work that was in all.
  struct Shared {
    std::array<SimTime, 2> free{};
    SimTime work;
  };
  struct Host {
    Shared to_host, to_nic, both_ways;
    SimTime awaited;  ///< the user will be called then; the past: it will not
  };

  SimTime take(Shared& resource, Way way, SimTime work) const;
  SimTime tlps(Bytes bytes, std::int64_t packets, Bytes header) const;
  void handle(std::uint64_t host) override;

  EventQueue& events_;
  PcieParameters parameters_;
  PcieUser& user_;
  std::vector<Host> hosts_;
  std::int64_t reads_ = 0, writes_ = 0;
  SimTime reads_waited_, writes_waited_;
};

}  // namespace morgana
