#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "emulator/interface/gm/control_program.h"
#include "emulator/network/myrinet/myrinet_network.h"

namespace morgana {

/// A control program at every interface of a Myrinet network, which from then on is theirs: nobody else may
/// inject.
class MyrinetInterfaces : private UnitListener, private InterfaceProgram, private ControlProgram::Sender {
 public:
  /// @param network  into which nothing has been injected; both it and the listener must outlive this
  /// @throws Error as ControlProgramParameters::check
  MyrinetInterfaces(EventQueue& events, MyrinetNetwork& network, PacketListener& listener, std::size_t hosts,
                    const ControlProgramParameters& parameters);

  /// The packet's source host has written a send token for it, now.
  void post(const InterfacePacket& packet) { program(packet.from).post(packet); }
  const ControlProgram& at(PortId host) const { return *programs_[static_cast<std::size_t>(host)]; }

 private:
  ControlProgram& program(PortId host) { return *programs_[static_cast<std::size_t>(host)]; }
  void unit_departed(UnitId id, PortId from) override;
  void unit_delivered(UnitId id, PortId to) override;
  void unit_lost(UnitId id) override;
  void early_received(PortId host, PacketAtInterface packet, ArrivalKind kind) override;
  void in_transit_received(PortId host, PacketAtInterface packet) override;
  void in_transit_departed(PortId host, PacketAtInterface packet) override;
  void send(const InterfacePacket& packet) override;
  void send_on(PacketAtInterface packet) override { network_.send_on(packet); }

  MyrinetNetwork& network_;
  PacketListener& listener_;
  Bytes header_;
  std::vector<std::unique_ptr<ControlProgram>> programs_;
  std::map<UnitId, InterfacePacket> on_the_way_;
  std::uint64_t sent_ = 0;
};

}  // namespace morgana
