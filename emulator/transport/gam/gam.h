#pragma once

#include <tsl/robin_map.h>

#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "emulator/core/event_queue.h"
#include "emulator/core/pool.h"
#include "emulator/network/network.h"
#include "emulator/transport/gam/cut.h"
#include "emulator/transport/transport.h"

namespace morgana {

/// What Generic Active Messages' library costs the hosts. The defaults are those of R. Y. Wang et al.,
/// Towards a Theory of Optimal Communication Pipelines, 1998, Table 1, with KB of 1024 bytes.
struct GamParameters {
  SimTime send_overhead = SimTime::from_ps(7'200'000);       ///< of each fragment's copy, >= 0
  ByteCost send_per_byte = ByteCost::from_fs(7'031'250);     ///< of that: 7.2 us/KB
  SimTime receive_overhead = SimTime::from_ps(7'400'000);    ///< as send_overhead
  ByteCost receive_per_byte = ByteCost::from_fs(7'714'844);  ///< 7.9 us/KB
  Fragmentation fragmentation = Fragmentation::by_4096;
  std::int64_t fragments = 0;  ///< of `fixed`: how many; 0: as many as the theorem says
  /// Fragments from one host to another that may be unanswered; 0: any number, and none is answered.
  std::int64_t credits = 0;
};

/// Messages by Generic Active Messages, cut into fragments, one a unit of the network. Source: R. Y. Wang et
/// al. (GamParameters), sections 5.2 and 5.3. One message, walked through:
///
///   - the sending rank's processor copies fragment after fragment into the NIC's send queue, within
///     the call (sending_work), and each is injected at the end of its copy;
///   - at the receiving host they lie in the receive queue as they come out of the network;
///   - the receiving rank's processor copies each out when it gets to it (receiving_work).
///
/// So copies, and whatever the network is made of, work on different fragments at once. With credits a
/// fragment waits in its host until there are fewer unanswered ones; the receiving NIC's answer, a unit
/// of no bytes, goes back through the network when a fragment is in the host's memory.
///
/// GAM relies on the network. If that loses a fragment, the message is lost, of which neither rank learns; a
/// lost answer gives its credit back none the less, so that the others' fates do not depend on it.
class Gam final : public Transport, private UnitListener, private EventHandler {
 public:
  /// @param network  reports to this transport from now on; must outlive it, like the queue
  /// @param stages  that a fragment passes, for fragmentations that follow from them
  Gam(EventQueue& events, Network& network, const GamParameters& parameters, pipeline::Stages stages);

  /// @throws Error if a fragment is longer than the network's largest unit, or there are too many
  void send(const Shipment& shipment) override;
  bool works_on_processors() const override { return true; }
  SimTime sending_work(Bytes bytes) override;
  ProcessorWork receiving_work() const override { return work_; }
  std::string how_lost() const override { return how_lost_; }
  std::string remedy() const override;
  std::vector<CounterTable> counted() const override;

 private:
  using Slot = std::uint32_t;
  struct Message {
    Shipment shipment{};
    std::optional<Cut> cut;
    std::size_t copied = 0, posted = 0, settled = 0;  ///< fragments
    bool lost = false;
    std::string how_lost;
    SimTime copying;   ///< what copying out takes that has come
    SimTime earliest;  ///< when that ends, if the processor is free for it at once
  };
  /// From one host to another. Several ranks of a host copy at once; what was sent first is posted first.
  struct Connection {
    std::deque<Slot> copying;  ///< messages that are not wholly posted
    std::int64_t unanswered = 0;
    std::deque<Unit> waiting;
  };

  void handle(std::uint64_t what) override;
  void unit_departed(UnitId, PortId) override {}
  void unit_delivered(UnitId id, PortId to) override;
  void unit_lost(UnitId id) override;
  SimTime copy_in(Bytes fragment) const;
  SimTime copy_out(Bytes fragment) const;
  void post_copied(Connection& connection);
  void post(Connection& connection, const Unit& fragment);
  void settle(Slot slot);
  void answered(std::uint64_t connection);
  static std::uint64_t connection_of(const Shipment& shipment);

  EventQueue& events_;
  Network& network_;
  Bytes largest_;
  GamParameters parameters_;
  Cutter cutter_;
  Pool<Message> messages_;
  tsl::robin_map<std::uint64_t, Connection> connections_;
  ProcessorWork work_;
  std::string how_lost_, networks_remedy_;
  std::uint64_t fragments_ = 0, sent_ = 0, answers_ = 0, waited_ = 0, lost_ = 0;
};

}  // namespace morgana
