#include "emulator/interface/gm/interfaces.h"

namespace morgana {

MyrinetInterfaces::MyrinetInterfaces(EventQueue& events, MyrinetNetwork& network, PacketListener& listener,
                                     std::size_t hosts, const ControlProgramParameters& parameters)
    : network_(network), listener_(listener), header_(parameters.header) {
  ControlProgram::Sender& sender = *this;
  for (std::size_t host = 0; host < hosts; ++host)
    programs_.push_back(std::make_unique<ControlProgram>(events, sender, listener, parameters));
  network.report_to(*this);
  network.run_at_interfaces(*this);
}

void MyrinetInterfaces::send(const InterfacePacket& packet) {
  const UnitId id{sent_++};
  on_the_way_.emplace(id, packet);
  network_.inject({id, packet.from, packet.to, header_ + packet.payload});
}

void MyrinetInterfaces::unit_departed(UnitId /*id*/, PortId from) {
  program(from).departed();
}

void MyrinetInterfaces::unit_delivered(UnitId id, PortId to) {
  program(to).received(on_the_way_.extract(id).mapped());
}

void MyrinetInterfaces::unit_lost(UnitId id) {
  const InterfacePacket packet = on_the_way_.extract(id).mapped();
  if (packet.type != PacketType::acknowledgement) listener_.packet_lost(packet);
}

void MyrinetInterfaces::early_received(PortId host, PacketAtInterface packet, ArrivalKind kind) {
  program(host).early_received(packet, kind);
}

void MyrinetInterfaces::in_transit_received(PortId host, PacketAtInterface /*packet*/) {
  program(host).in_transit_received();
}

void MyrinetInterfaces::in_transit_departed(PortId host, PacketAtInterface packet) {
  program(host).in_transit_departed(packet);
}

}  // namespace morgana
