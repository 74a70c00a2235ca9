#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "emulator/core/pool.h"
#include "emulator/interface/gm/control_program.h"
#include "emulator/network/interface_network.h"
#include "emulator/network/myrinet/myrinet_network.h"

namespace morgana::gm {

/// A Myrinet with GM's control program at every NIC, as the hosts see it: a unit is a message of any
/// length, which the sender's host posts and which comes out in the receiver's memory. With acknowledgements
/// nothing is lost; what a program gives up is returned. Messages between the same two hosts keep their
/// order.
class Interfaces : public InterfaceNetwork<MyrinetNetwork>,
                   private UnitListener,
                   private InterfaceProgram,
                   private NetworkSide,
                   private HostSide {
 public:
  /// @param network  into which nothing has been injected
  /// @throws Error as Parameters::check
  Interfaces(EventQueue& events, std::unique_ptr<MyrinetNetwork> network, const Parameters& parameters);

  void inject(const Unit& unit) override;
  Bytes largest_unit() const override;
  SimTime least_latency() const override;
  NetworkCapabilities capabilities() const override {
    NetworkCapabilities all = InterfaceNetwork::capabilities();
    all.returns = parameters_.acknowledge;
    return all;
  }
  std::string how_lost() const override { return how_lost_; }
  std::string remedy() const override;
  std::vector<CounterTable> counted(SimTime until) override;

  const ControlProgram& at(PortId host) const { return *programs_[static_cast<std::size_t>(host)]; }
  /// Of all programs together.
  ControlProgramCounters counters() const;
  MyrinetNetwork& network() { return *network_; }

 private:
  /// Of a message that is not acknowledged.
  struct Unacknowledged {
    std::int64_t packets_left = 0;  ///< of which nothing is known yet
    bool lost = false;
    std::string how;
  };

  ControlProgram& program(PortId host) { return *programs_[static_cast<std::size_t>(host)]; }
  void settle(const Packet& packet, bool lost);
  void note_loss(PortId from, PortId to);
  // The network's side.
  void unit_departed(UnitId id, PortId from) override;
  void unit_delivered(UnitId id, PortId to) override;
  void unit_lost(UnitId id) override;
  void early_received(PortId host, PacketAtInterface packet, ArrivalKind kind) override;
  void in_transit_received(PortId host, PacketAtInterface packet) override;
  void in_transit_departed(PortId host, PacketAtInterface packet) override;
  // The programs' side.
  void send(const Packet& packet) override;
  void send_on(PacketAtInterface packet) override { network_->send_on(packet); }
  Number end_session(PortId from, PortId to) override { return program(to).end_session(from); }
  void message_departed(UnitId message, PortId from) override;
  void packet_received(const Packet& packet) override;
  void message_returned(UnitId message, const std::string& how) override;

  Parameters parameters_;
  std::vector<std::unique_ptr<ControlProgram>> programs_;
  Pool<Packet> under_way_;
  std::unordered_map<std::uint64_t, Unacknowledged> unacknowledged_;  // by message; never iterated
  std::string how_lost_, networks_remedy_;
};

}  // namespace morgana::gm
