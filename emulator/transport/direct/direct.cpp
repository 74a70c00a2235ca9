#include "emulator/transport/direct/direct.h"

#include <string>

#include "emulator/core/error.h"

namespace morgana {

DirectTransport::DirectTransport(Network& network) : network_(network), largest_(network.largest_unit()) {
  network.report_to(*this);
}

void DirectTransport::send(const Shipment& shipment) {
  if (shipment.bytes > largest_)
    throw Error("a message of " + std::to_string(shipment.bytes.count()) +
                " bytes does not fit into one unit of the network (at most " +
                std::to_string(largest_.count()) +
                "): choose a transport that cuts messages, like go-back-n");
  network_.inject({UnitId{under_way_.take(shipment.id)}, static_cast<PortId>(shipment.from),
                   static_cast<PortId>(shipment.to), shipment.bytes});
}

std::string DirectTransport::how_lost() const {
  return network_.how_lost();
}

std::string DirectTransport::remedy() const {
  if (network_.capabilities().returns) return networks_remedy_;
  const std::string own = "transport.kind = \"direct\" repeats nothing";
  return networks_remedy_.empty() ? own + ": --set transport.kind=go-back-n repeats what is lost"
                                  : own + "; " + networks_remedy_;
}

void DirectTransport::unit_departed(UnitId id, PortId) {
  const MessageId departed = message(id);
  departed.listener->shipment_departed(departed);
}

void DirectTransport::unit_delivered(UnitId id, PortId) {
  const MessageId delivered = message(id);
  under_way_.give_back(static_cast<std::uint32_t>(id));
  delivered.listener->shipment_delivered(delivered);
}

void DirectTransport::unit_lost(UnitId id) {
  if (!has_lost_) networks_remedy_ = network_.remedy();
  has_lost_ = true;
  const MessageId lost = message(id);
  // What an interface has given up may still depart: its slot stays taken.
  if (network_.capabilities().returns) return lost.listener->shipment_returned(lost, Outcome::given_up);
  under_way_.give_back(static_cast<std::uint32_t>(id));
  lost.listener->shipment_lost(lost);
}

}  // namespace morgana
