#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "emulator/network/myrinet/interface_program.h"
#include "emulator/network/myrinet/packet_fates.h"
#include "emulator/network/myrinet/send_queues.h"
#include "emulator/network/myrinet/senders.h"
#include "emulator/network/myrinet/transit_pool.h"

namespace morgana::myrinet {

/// The hosts' NICs: what each sends next, what has come to it, and what it sends on. Where a program
/// runs at the NICs, it decides when a packet in transit is sent on; else two constants do.
class HostInterfaces {
 public:
  static constexpr PortId anywhere{~std::uint32_t{0}};

  /// The objects must outlive this one.
  HostInterfaces(Agenda agenda, WormChannels& channels, PacketStore& packets, FlitRuns& runs,
                 Senders& senders, PacketFates& fates, const MyrinetParameters& parameters);

  /// As MyrinetNetwork::run_at_interfaces.
  void run(InterfaceProgram& program) { program_ = &program; }
  std::size_t hosts() const { return interfaces_.size(); }
  const InTransitStatistics& in_transit(HostNumber host) const { return interfaces_[host].pool.statistics(); }
  Time time_in_pool(HostNumber host) const { return interfaces_[host].pool.packet_time(agenda_.now()); }
  void begin_window();

  /// A new packet is to be sent by its source.
  void inject(Index packet);
  /// WormEvent::interface_chooses.
  void choose(Index host);
  /// The last flit of a packet has left the host's channel.
  void sent(Index channel, Index packet);

  /// The last flit of a passage has left the switch for its host, whose cable is clear of it at `clear`.
  void all_sent_to_host(Index passage, Time clear);
  /// WormEvent::mark_is_there, first_four_are_there, in_transit_is_there, packet_is_ready and
  /// packet_is_there.
  void mark_arrives(Index passage);
  void first_four_arrive(Index passage);
  void in_transit_arrived(Index passage);
  void ready(Index passage);
  void deliver(Index passage);
  /// As MyrinetNetwork::send_on.
  void send_on(PacketAtInterface packet);
  /// What is known of the arrival of the passage's first four bytes may have changed.
  void expect_first_four(Index channel, Index passage) {
    if (program_ != nullptr) predict_first_four(channel, passage);
  }

 private:
  struct Interface {
    SendQueues queues;
    TransitPool pool;
    Time choosing_at = never;
  };

  void choose_late(Index host);
  void predict_first_four(Index channel, Index passage);
  static Count first_four_end(const Passage& passage);

  Agenda agenda_;
  const WormChannels& layout_;
  std::span<Channel> channels_;
  PacketStore& packets_;
  FlitRuns& runs_;
  Senders& senders_;
  PacketFates& fates_;
  InterfaceProgram* program_ = nullptr;
  std::int64_t priority_threshold_;
  Time cable_;
  Time until_ready_;        // from the mark's arrival, if no program decides
  Time host_memory_delay_;  // after the last byte
  bool through_host_memory_;
  std::vector<Interface> interfaces_;
  std::uint64_t marks_ = 0;
};

}  // namespace morgana::myrinet
