#include "emulator/transport/direct/direct.h"

#include <string>

#include "emulator/core/error.h"

namespace morgana {
namespace {

MessageId message(UnitId unit) {
  return static_cast<MessageId>(unit);
}

}  // namespace

DirectTransport::DirectTransport(Network& network) : network_(network), largest_(network.largest_unit()) {
  network.report_to(*this);
}

void DirectTransport::send(const Shipment& shipment) {
  if (shipment.bytes > largest_)
    throw Error("a message of " + std::to_string(shipment.bytes.count()) +
                " bytes does not fit into one unit of the network (at most " +
                std::to_string(largest_.count()) +
                "): choose a transport that cuts messages, like go-back-n");
  network_.inject({static_cast<UnitId>(shipment.id), static_cast<PortId>(shipment.from),
                   static_cast<PortId>(shipment.to), shipment.bytes});
}

std::string DirectTransport::how_lost() const {
  return network_.how_lost();
}

std::string DirectTransport::remedy() const {
  if (network_.returns()) return networks_remedy_;
  const std::string own = "transport.kind = \"direct\" repeats nothing";
  return networks_remedy_.empty() ? own + ": --set transport.kind=go-back-n repeats what is lost"
                                  : own + "; " + networks_remedy_;
}

void DirectTransport::unit_departed(UnitId id, PortId) {
  listener_->shipment_departed(message(id));
}

void DirectTransport::unit_delivered(UnitId id, PortId) {
  listener_->shipment_delivered(message(id));
}

void DirectTransport::unit_lost(UnitId id) {
  if (!has_lost_) networks_remedy_ = network_.remedy();
  has_lost_ = true;
  if (network_.returns()) return listener_->shipment_returned(message(id), Outcome::given_up);
  listener_->shipment_lost(message(id));
}

}  // namespace morgana
