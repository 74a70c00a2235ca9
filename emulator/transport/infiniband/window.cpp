// ReliableConnections: flows with a window, and the reports that congestion control learns from.

#include <algorithm>
#include <memory>
#include <utility>

#include "emulator/transport/congestion/cct.h"
#include "emulator/transport/congestion/dcqcn.h"
#include "emulator/transport/congestion/dctcp_flow.h"
#include "emulator/transport/congestion/hpcc.h"
#include "emulator/transport/congestion/swift.h"
#include "emulator/transport/congestion/timely.h"
#include "emulator/transport/infiniband/packet_sizes.h"
#include "emulator/transport/infiniband/reliable_connections.h"

namespace morgana {

using namespace rc;

namespace {

Bytes carried(BitRate rate, SimTime in) {
  constexpr double bit_picoseconds = 8e12;
  return Bytes(static_cast<std::int64_t>(static_cast<double>(rate.bits_per_second()) *
                                         static_cast<double>(in.ps()) / bit_picoseconds));
}

/// Packets that count in their flow's window: read requests don't.
bool counts(const Header& header) {
  return header.kind == PacketKind::read_response ||
         (header.kind == PacketKind::request && header.verb != Verb::read);
}

}  // namespace

void ReliableConnections::control_flow(Connection& connection) {
  const BitRate rate = marking_->port_rate(static_cast<PortId>(connection.from));
  switch (parameters_.control) {
    case RcParameters::Control::none:
      break;
    case RcParameters::Control::dcqcn:
      connection.control = std::make_unique<Dcqcn>(parameters_.dcqcn, rate);
      break;
    case RcParameters::Control::hpcc:
      connection.control = std::make_unique<Hpcc>(parameters_.hpcc, rate);
      break;
    case RcParameters::Control::swift:
      connection.control = std::make_unique<Swift>(parameters_.swift, rate, full_packet_);
      break;
    case RcParameters::Control::timely:
      connection.control = std::make_unique<Timely>(parameters_.timely, rate);
      break;
    case RcParameters::Control::cct:
      connection.control = std::make_unique<Cct>(parameters_.cct, rate);
      break;
    case RcParameters::Control::dctcp:
      connection.control = std::make_unique<DctcpFlow>(parameters_.dctcp, rate, full_packet_,
                                                       carried(rate, parameters_.dctcp_round_trip));
      break;
  }
  if (has_windows_) connection.window = std::make_unique<WindowFlow>();
}

/// What telemetry adds to a packet.
Bytes ReliableConnections::telemetry_of(const Header& header) const {
  const bool carries =
      parameters_.control == RcParameters::Control::hpcc && (counts(header) || is_report(header.kind));
  return carries ? parameters_.telemetry_header : Bytes();
}

/// How many ports may record in it.
std::uint8_t ReliableConnections::telemetry_ports(const Header& header) const {
  if (parameters_.control != RcParameters::Control::hpcc || !counts(header)) return 0;
  constexpr std::int64_t most = 255;
  return static_cast<std::uint8_t>(
      std::min(most, (parameters_.telemetry_header - telemetry_fixed).count() / telemetry_record.count()));
}

/// To a packet that goes to the network now.
void ReliableConnections::attach_echo(Header& header, Bytes unit) {
  WindowFlow& flow = *connections_[flow_of(header)].window;
  if (counts(header)) {
    const Bytes size = marking_->on_link(unit);
    flow.sent += size.count();
    const std::uint32_t slot = echoes_.take();
    echoes_[slot].place = flow.sent;
    echoes_[slot].size = size;
    echoes_[slot].sent_at = events_.now();
    header.echo = slot + 1;
  } else if (is_report(header.kind) && flow.newest.place > 0) {
    const std::uint32_t slot = echoes_.take(flow.newest);
    echoes_[slot].held = events_.now() - flow.newest.arrived_at;
    header.echo = slot + 1;
  }
}

void ReliableConnections::drop_echo(const Header& header) {
  if (header.echo != 0) echoes_.give_back(header.echo - 1);
}

/// A packet of the flow has come to its receiver.
void ReliableConnections::keep_echo(const Header& header) {
  const ConnectionId flow = flow_of(header);
  WindowFlow& window = *connections_[flow].window;
  const Echo& came = echoes_[header.echo - 1];
  if (marking_->delivered_marked()) window.newest.marked += came.size.count();
  if (came.place > window.newest.place) {
    const auto ports = telemetry_->delivered_telemetry();
    window.newest.place = came.place;
    window.newest.sent_at = came.sent_at;
    window.newest.arrived_at = events_.now();
    window.newest.hops = telemetry_->delivered_hops();
    window.newest.ports.assign(ports.begin(), ports.end());
  }
  drop_echo(header);
  if (header.kind == PacketKind::read_response && !std::exchange(window.owes_feedback, true))
    line_up(flow, Turn::What::feedback);
}

void ReliableConnections::send_feedback(ConnectionId flow) {
  connections_[flow].window->owes_feedback = false;
  if (connections_[flow].failed || connections_[opposite(flow)].failed) return;
  ++counters_.feedback;
  inject({.connection = flow, .kind = PacketKind::feedback}, aeth, Bytes());
}

/// A report has come to the flow's sender.
void ReliableConnections::take_report(const Header& header) {
  Connection& connection = connections_[header.connection];
  WindowFlow& window = *connection.window;
  const Echo& echo = echoes_[header.echo - 1];
  drop_echo(header);  // nothing is taken from the pool below
  if (connection.failed || echo.place <= window.reported) return;
  const Bytes returned(echo.place - window.reported);
  window.reported = echo.place;
  window.returned = std::max(window.returned, echo.place);
  window.is_held = false;
  const Bytes marked(echo.marked - std::exchange(window.marked, echo.marked));
  if (connection.oldest == connection.next) connection.timeout.clear();
  const SimTime round_trip = events_.now() - echo.sent_at;
  connection.control->acknowledged({.now = events_.now(),
                                    .place = echo.place,
                                    .sent = window.sent,
                                    .returned = returned,
                                    .round_trip = round_trip,
                                    .delay = round_trip - echo.held,
                                    .hops = echo.hops,
                                    .ports = echo.ports,
                                    .marked = marked > Bytes(),
                                    .marked_bytes = marked,
                                    .under_way = Bytes(window.sent - window.returned)});
  ++counters_.reports;
  if (parameters_.control == RcParameters::Control::hpcc && echo.ports.size() < echo.hops)
    ++counters_.no_space;
  counters_.least_window = std::min(counters_.least_window, connection.control->window());
  if (parameters_.control == RcParameters::Control::timely) {
    const BitRate rate = connection.control->rate(events_.now());
    counters_.least_rate = std::min(counters_.least_rate.value_or(rate), rate);
  }
  if (connection.requested_last) respond(opposite(header.connection));  // whose turn it is, of one window
}

bool ReliableConnections::is_window_closed(const Connection& connection) const {
  const std::int64_t under_way = connection.window->sent - connection.window->returned;
  return under_way > 0 && under_way + full_packet_.count() > connection.control->window().count();
}

/// Whether the flow has to wait for a report.
bool ReliableConnections::window_holds(ConnectionId flow) {
  Connection& connection = connections_[flow];
  if (!is_window_closed(connection)) return false;
  if (!std::exchange(connection.window->is_held, true)) ++counters_.held;
  if (!connection.request_in_port && !connection.waits && !connection.failed) await_answer(flow);
  return true;
}

/// Nothing that was sent so far is under way.
void ReliableConnections::forget_under_way(Connection& connection) const {
  if (connection.window != nullptr) connection.window->returned = connection.window->sent;
}

/// A read was requested again: its responder, the sender of the flow, sends responses again.
void ReliableConnections::repeat_responses(Connection& flow) const {
  if (!has_windows_) return;
  forget_under_way(flow);
  flow.control->repeats(events_.now(), CongestionControl::Repetition::by_receiver);
}

/// Requests and read responses of a flow whose window may have opened.
void ReliableConnections::flow_may_send(ConnectionId flow) {
  if (connections_[flow].requested_last) respond(opposite(flow));
  proceed(flow);
  respond(opposite(flow));
}

/// The timeout runs, from now on if it does not yet.
void ReliableConnections::await_answer(ConnectionId id) {
  Connection& connection = connections_[id];
  if (low_patience_ == SimTime() || connection.timeout.set()) return;
  connection.timeout.set(events_.now() + low_patience_, events_, *this, id, acknowledgement_timeout);
  connection.timeout_is_low = low_patience_ != patience_;
  connection.stands_since = events_.now();
}

/// RTO_low has run out. @return whether it does not hold, and the timeout runs on, up to RTO_high
bool ReliableConnections::waits_longer(ConnectionId id) {
  Connection& connection = connections_[id];
  if (!std::exchange(connection.timeout_is_low, false) || has_few_under_way(connection)) return false;
  if (patience_ != SimTime())
    connection.timeout.set(connection.stands_since + patience_, events_, *this, id, acknowledgement_timeout);
  return true;
}

}  // namespace morgana
