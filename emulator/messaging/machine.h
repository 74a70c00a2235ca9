#pragma once

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "emulator/collectives/tuning.h"
#include "emulator/core/event_queue.h"
#include "emulator/core/host_use.h"
#include "emulator/host/host_memory.h"
#include "emulator/host/kernel.h"
#include "emulator/host/memory_bus.h"
#include "emulator/messaging/background_messages.h"
#include "emulator/messaging/endpoint_settings.h"
#include "emulator/messaging/kernel/kernel_messages.h"
#include "emulator/messaging/message_layer.h"
#include "emulator/network/link_sampler.h"
#include "emulator/network/network.h"
#include "emulator/operations/operation.h"
#include "emulator/transport/transport.h"

namespace morgana {

class RankTraffic;

/// A platform made ready for one run: what the engine runs ranks on.
struct Machine {
  std::vector<HostId> host_of;  ///< by rank
  std::size_t processors = 1;   ///< of each host
  std::size_t nics = 1;         ///< of each host; host h's NIC i is at the transport's host h * nics + i
  bool names_nics = false;      ///< the program says by which NIC each message goes
  SimTime quantum;              ///< for which ranks of a processor take turns; 0: each has one to itself
  MessageLayer messages;
  EndpointSettings endpoints;
  std::optional<KernelMessages> kernel_messages;  ///< the hosts' kernels carry the messages
  KernelMessageCounters kernel_message_counters;  ///< of these messages
  CollectiveTuning collectives;
  std::unique_ptr<EventQueue> events = std::make_unique<EventQueue>();
  std::unique_ptr<MemoryBus> bus;        ///< none where nothing is copied over it
  std::unique_ptr<HostMemory> memory;    ///< uses *events; none where copies do not slow each other
  std::unique_ptr<Kernel> kernel;        ///< uses *events; none where no processor is ever interrupted
  std::unique_ptr<Network> network;      ///< uses *events
  std::unique_ptr<Transport> transport;  ///< uses *events, *network and the kernel
  std::unique_ptr<BackgroundMessages> background;  ///< uses *events and *transport; none without a load
  Traffic within_hosts, between_hosts;             ///< what the program has sent
  RankTraffic* pairs = nullptr;                    ///< the same by sender and receiver; null: not asked for
  /// How many ranks, the first ones, are the program's: the others are those of jobs beside it, and none of
  /// HostUse.
  std::size_t program_ranks = std::numeric_limits<std::size_t>::max();
  /// Behind all ranks of jobs so many stand for switches that add up, of which the first are the program's.
  std::size_t switch_units = 0, program_units = 0;
  bool places_later = false;  ///< some of them begin later, on hosts that are not known before (PVM)
  /// The program's messages of which the transport has still to report the last: that they are lost,
  /// returned, or delivered, or, if they complete, that they have (Shipment::completes).
  std::uint64_t under_way = 0;

  /// From now on copies share the hosts' memories. @param knows_ranks  host_of is of all ranks, and final
  void share_memory(const HostMemoryParameters& parameters, bool knows_ranks);
  /// Where the transport finds a rank's host, by one of its NICs.
  HostId port_of(Rank rank, std::size_t nic) const {
    return static_cast<HostId>(static_cast<std::size_t>(host_of[index(rank)]) * nics + nic);
  }
  /// Decides what an endpoint is, where the platform leaves that open. @param by_tags  the program is one of
  /// libmorgana-am, so that its marked tags name endpoints
  void name_endpoints(bool by_tags) {
    if (endpoints.named == EndpointSettings::Named::automatic && by_tags)
      endpoints.named = EndpointSettings::Named::marked;
  }
  /// Whether the library chooses the NIC of a message (MessageLayer::nic).
  bool chooses_nics() const { return nics > 1 && !names_nics; }
  bool share_host(Rank a, Rank b) const { return host_of[index(a)] == host_of[index(b)]; }
  /// Notes what a rank has sent, if it is the program's. @param local  through the memory of a common host
  void count(Rank sender, Rank receiver, bool local, Bytes bytes);
};

/// For people: that `what` never arrived on the machine, why, and how it would.
std::string never_arrived(const Machine& machine, const std::string& what);

/// What the network has carried until the last rank ended, and what transport and kernels have counted in
/// all; beside other jobs, these also until the program's last rank ended. What goes on after that (a timer
/// that expires 200 ms later, a message that is never received) is no part of the time that links are used
/// for.
class NetworkAccount {
 public:
  /// @param over_time  whether links are also watched window by window
  NetworkAccount(Machine& machine, bool counters, bool links, bool over_time = false);
  /// All ranks have ended, the last one at `end`, and nothing later has happened. (A run that ends otherwise
  /// is closed when it has.) The first time counts.
  void close(SimTime end);
  /// After close(): the network's, the transport's and the kernels'.
  std::vector<CounterTable> counters() const;
  /// Nothing for networks that have none.
  const NetworkLinks& links() const { return links_; }
  /// After close(), if it was asked for.
  LinkHistory history() const { return sampler_ ? sampler_->history() : LinkHistory(); }

 private:
  void add_counters_of_hosts(std::vector<CounterTable>& tables) const;
  void leave_out_links_of_others();

  Machine& machine_;
  bool wants_counters_, wants_links_, closed_ = false;
  std::vector<bool> ports_;  ///< of the program, where others use the network, too
  bool followed_ = false;    ///< the network follows them
  std::vector<CounterTable> counters_;
  NetworkLinks links_;
  std::optional<LinkSampler> sampler_;
};

/// Whether nothing but background traffic will happen: then a program that waits is deadlocked.
/// False for a while after that has become so: it takes a look through the event queue, from time to time.
bool only_background_goes_on(Machine& machine);

/// Nothing where there is no background traffic.
std::optional<BackgroundUse> background_use(const Machine& machine);

/// After a program's end: lets happen what happens until then, and then what of the program's is still under
/// way (messages that are never received). Background traffic ends with the program.
/// @param all_ended  called in between, with `end`; may be empty
void finish_network(Machine& machine, SimTime end, const std::function<void(SimTime)>& all_ended);

/// Whether every message that a rank sends comes to its receiver, however long that takes, and in order: its
/// receive may then be matched before it has come. A message that is given up all the same must end the run.
bool ordered_reliable_delivery(const Machine& machine);

/// Whether a rank goes on at once when it has posted a receive, whatever has come for it: nothing but its
/// library uses its processor, and that copies and reads later. Only what its library has begun to read while
/// the rank slept in a call, just before, may have to end first.
bool receives_take_no_time(const Machine& machine);

/// Whether something in the network fails and the transport gives up then.
bool expects_returns(const Machine& machine);

/// What one rank does reaches no other sooner than after this.
SimTime least_distance(const Machine& machine);

}  // namespace morgana
