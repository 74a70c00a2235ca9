#include "emulator/network/atm/paced_connections.h"

#include <algorithm>

namespace morgana::atm {

void PacedConnections::open(std::uint32_t connection, std::unique_ptr<Pacer> pacer) {
  lines_.emplace(connection, Line{std::move(pacer)});
}

void PacedConnections::wait(std::uint32_t connection, std::uint32_t train, std::uint32_t cells,
                            std::int64_t ready) {
  Line& line = lines_.at(connection);
  line.waiting.push_back({train, cells, 0, ready});
  if (line.waiting.size() == 1) set_timer(connection, line);
}

void PacedConnections::set_timer(std::uint32_t connection, Line& line) {
  const std::int64_t ready = line.pacer->has_more() ? 0 : line.waiting.front().ready;
  const std::int64_t at = std::max({line.pacer->next(), ready, events_.now().ps()});
  line.timer.set(SimTime::from_ps(at), events_, *this, connection);
}

void PacedConnections::handle(std::uint64_t what) {
  const TimerEvent event = TimerEvent::unpacked(what);
  Line& line = lines_.at(event.owner);
  if (!line.timer.run_out(event, events_, *this)) return;
  if (const auto resource = line.pacer->send(events_.now().ps())) {
    ++line.counters.forward;
    sender_.send_resource(event.owner, *resource);
  } else {
    Packet& packet = line.waiting.front();
    sender_.send_data(packet.train, packet.sent++);
    if (packet.sent == packet.cells) {
      line.waiting.pop_front();
      line.pacer->packet_ended();
    }
  }
  if (!line.waiting.empty() || line.pacer->has_more()) set_timer(event.owner, line);
}

void PacedConnections::take(std::uint32_t connection, const ResourceCell& backward) {
  Line& line = lines_.at(connection);
  ++line.counters.backward;
  line.pacer->take(backward);
  if (!line.waiting.empty() || line.pacer->has_more()) set_timer(connection, line);
}

PacedConnections::Counters PacedConnections::counters(std::uint32_t connection) const {
  const Line& line = lines_.at(connection);
  Counters counters = line.counters;
  counters.rate = line.pacer->allowed_rate();
  return counters;
}

}  // namespace morgana::atm
