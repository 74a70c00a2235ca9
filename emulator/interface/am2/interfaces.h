#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "emulator/core/pool.h"
#include "emulator/interface/am2/firmware.h"
#include "emulator/network/endpoint_network.h"
#include "emulator/network/interface_network.h"
#include "emulator/network/myrinet/myrinet_network.h"

namespace morgana::am2 {

/// A Myrinet with the firmware of Active Messages II at every NIC, as the hosts see it: a unit is a
/// message of any length, which is delivered once or returned once. Packets of several channels overtake each
/// other where some are repeated; the hosts' library puts messages of the same two endpoints into their
/// order, unless programs take them out of the queues (Ends::held): in that case a refused message
/// might never get space, because later ones fill the queue, and Active Messages promise no order.
class Interfaces : public InterfaceNetwork<MyrinetNetwork>,
                   public EndpointNetwork,
                   private UnitListener,
                   private Surroundings {
 public:
  /// @param network  into which nothing has been injected, and which keeps the order of any two hosts'
  /// packets
  /// @param seed  of the segment drivers' delays
  /// @throws Error as Parameters::check
  Interfaces(EventQueue& events, std::unique_ptr<MyrinetNetwork> network, const Parameters& parameters,
             std::uint64_t seed);

  void inject(const Unit& unit) override;
  NetworkExtensions extensions() override { return {.endpoints = this}; }
  void address_next(const EndpointAddress& address) override;
  bool suspends(PortId at, EndpointId endpoint) const override { return this->at(at).suspends(endpoint); }
  void consumed(PortId at, const Ends& ends) override { firmware(at).consumed(ends); }
  Bytes largest_unit() const override;
  SimTime least_latency() const override;
  NetworkCapabilities capabilities() const override {
    NetworkCapabilities all = InterfaceNetwork::capabilities();
    all.returns = true;
    return all;
  }
  std::string how_lost() const override { return how_lost_; }
  std::string remedy() const override;
  std::vector<CounterTable> counted(SimTime until) override;

  /// As Firmware::evict.
  void evict(PortId host, EndpointId endpoint = {}) { firmware(host).evict(endpoint); }
  const Firmware& at(PortId host) const { return *firmware_[static_cast<std::size_t>(host)]; }
  /// Of all NICs together.
  FirmwareCounters counters() const;
  /// Messages that have no fate yet.
  std::size_t under_way() const { return messages_.in_use(); }

 private:
  struct Message {
    Unit unit{};
    EndpointAddress address{};
    std::deque<std::uint32_t>* line = nullptr;  ///< in which it stands; none if it is held
    std::int64_t departed = 0, settled = 0;  ///< packets: sent for the first time; with a fate, sent or not
    std::int64_t packets = 0;
    bool returned = false;
    std::string how;
  };
  struct Between {
    PortId from, to;
    EndpointId from_endpoint, to_endpoint;
    bool operator==(const Between&) const = default;
  };
  struct BetweenHash {
    std::size_t operator()(const Between& pair) const;
  };

  Firmware& firmware(PortId host) { return *firmware_[static_cast<std::size_t>(host)]; }
  std::int64_t packets_of(Bytes bytes) const;
  std::deque<std::uint32_t>& line_of(const Unit& unit, const Ends& ends) {
    return order_[{unit.from, unit.to, ends.from, ends.to}];
  }
  void settle(std::uint32_t message, std::int64_t packets);
  void finish(std::uint32_t message);
  // The network's side.
  void unit_departed(UnitId id, PortId from) override;
  void unit_delivered(UnitId id, PortId to) override;
  void unit_lost(UnitId id) override;
  // The firmware's side.
  void send(const Packet& packet) override;
  void stop_link(PortId at, bool stop) override { network_->stop_towards(at, stop); }
  bool delivered(const Packet& packet) override;
  void written(std::uint32_t message) override {
    const EndpointAddress& address = messages_[message].address;
    address.writer->endpoint_written(address.write);
  }
  void undeliverable(const Packet& packet, std::int64_t unsent) override;
  bool end_session(const Packet& packet) override { return firmware(packet.to).end_session(packet); }

  Parameters parameters_;
  std::vector<std::unique_ptr<Firmware>> firmware_;  // by host
  Pool<Packet> packets_;                             // in the network, by its number
  Pool<Message> messages_;
  std::optional<EndpointAddress> next_;  // of the unit that is injected next
  /// Messages in their order, of which the first has no fate yet; never iterated.
  std::unordered_map<Between, std::deque<std::uint32_t>, BetweenHash> order_;
  std::string how_lost_, networks_remedy_;
};

}  // namespace morgana::am2
