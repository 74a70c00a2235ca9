// ReliableConnections: at what pace queue pairs send, and who is told of marked packets.

#include <utility>

#include "emulator/transport/infiniband/packet_sizes.h"
#include "emulator/transport/infiniband/reliable_connections.h"

namespace morgana {

using namespace rc;

/// Whether the flow may send now; it is looked at again when it may.
bool ReliableConnections::keeps_pace(ConnectionId flow) {
  if (marking_ == nullptr) return true;
  if (has_windows_ && window_holds(flow)) return false;
  Connection& connection = connections_[flow];
  const SimTime may_send = connection.control->may_send();
  if (may_send <= events_.now()) return true;
  if (connection.awaited < may_send) {
    connection.awaited = may_send;
    events_.schedule(may_send, *this, TimerEvent{0, flow, ready}.packed());
  }
  return false;
}

void ReliableConnections::pace(const Header& header, Bytes unit) {
  if (!is_data(header.kind)) return;
  Connection& flow = connections_[flow_of(header)];
  flow.requested_last = header.kind == PacketKind::request;
  flow.control->sent(events_.now(), marking_->on_link(unit));
}

void ReliableConnections::came_marked(ConnectionId flow) {
  Connection& connection = connections_[flow];
  ++counters_.marked;
  using Control = RcParameters::Control;
  if (parameters_.control != Control::dcqcn && parameters_.control != Control::cct) return;
  if (connections_[opposite(flow)].failed || connection.notifies > events_.now()) return;
  if (parameters_.control == Control::dcqcn)
    connection.notifies = events_.now() + parameters_.dcqcn.cnp_interval;
  if (std::exchange(connection.owes_notification, true)) return;
  line_up(flow, Turn::What::notification);
}

void ReliableConnections::send_notification(ConnectionId flow) {
  connections_[flow].owes_notification = false;
  if (connections_[opposite(flow)].failed) return;
  ++counters_.notifications;
  inject({.connection = flow, .kind = PacketKind::notification}, Bytes(), notification_payload);
}

}  // namespace morgana
