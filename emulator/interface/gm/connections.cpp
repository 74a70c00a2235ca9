// The control program's connections: who stands in line, and what is repeated or given up.
#include <algorithm>
#include <cassert>

#include "emulator/interface/gm/control_program.h"

namespace morgana::gm {

ControlProgramCounters& ControlProgramCounters::operator+=(const ControlProgramCounters& other) {
  packets += other.packets;
  repeated += other.repeated;
  acknowledgements += other.acknowledgements;
  refusals += other.refusals;
  timeouts += other.timeouts;
  given_up += other.given_up;
  return *this;
}

ControlProgram::ConnectionNumber ControlProgram::number_of(PortId peer) {
  const auto [place, added] = numbers_.try_emplace(static_cast<std::uint32_t>(peer),
                                                   static_cast<ConnectionNumber>(connections_.size()));
  if (added) {
    connections_.emplace_back().peer = peer;
    connections_.back().number = place->second;
  }
  return place->second;
}

bool ControlProgram::may_fetch(const Connection& connection) const {
  return connection.sending.may_fetch(parameters_.window);
}

/// Whatever has changed for a connection's sending end: it stands in line if it has a packet to be fetched,
/// and its time runs if all that it can do is wait.
void ControlProgram::proceed(Connection& connection) {
  const bool fetches = may_fetch(connection);
  if (fetches && !connection.in_line) {
    connection.in_line = true;
    line_.push_back(connection.number);
    if (may_start_sdma()) processor_.raise(start_sdma);
  }
  if (fetches || connection.on_its_way > 0 || !connection.sending.has_unacknowledged()) {
    connection.timer.clear();
  } else if (!connection.overdue) {
    connection.timer.set(events_.now() + parameters_.timeout, events_, *this, connection.number);
  }
}

/// The timer of a connection has run out, or been put off meanwhile.
void ControlProgram::handle(std::uint64_t what) {
  const TimerEvent event = TimerEvent::unpacked(what);
  const ConnectionNumber number = event.owner;
  Connection& connection = connections_[number];
  if (!connection.timer.run_out(event, events_, *this)) return;
  connection.overdue = true;
  overdue_.push_back(number);
  processor_.raise(resend);
}

/// An acknowledgement may have come while the processor was busy.
void ControlProgram::see_to_overdue() {
  Connection& connection = connections_[overdue_.front()];
  overdue_.pop_front();
  if (!overdue_.empty()) processor_.raise(resend);
  if (!connection.overdue) return;
  connection.overdue = false;
  time_out(connection);
}

void ControlProgram::time_out(Connection& connection) {
  ++counters_.timeouts;
  ++connection.futile;
  if (parameters_.tries > 0 && connection.futile > parameters_.tries) return give_up(connection);
  connection.sending.go_back();
  proceed(connection);
}

void ControlProgram::give_up(Connection& connection) {
  std::string how = "given up after " + std::to_string(parameters_.tries) +
                    (parameters_.tries == 1 ? " repetition" : " repetitions");
  how += connection.last_loss.empty() ? ", none of them acknowledged"
                                      : "; the last of its packets to be lost: " + connection.last_loss;
  const std::vector<UnitId> returned =
      connection.sending.give_up(fabric_.end_session(self_, connection.peer));
  connection.futile = 0;
  connection.last_loss.clear();
  proceed(connection);
  counters_.given_up += returned.size();
  for (const UnitId message : returned) host_.message_returned(message, how);
}

Number ControlProgram::end_session(PortId from) {
  Connection& connection = connection_with(from);
  const Number accepted = connection.receiving.expected();
  connection.receiving.end_session();
  connection.refusal_due = false;
  return accepted;
}

bool ControlProgram::repeats(PortId to) {
  return connection_with(to).futile > 0;
}

bool ControlProgram::has_unacknowledged() const {
  return std::any_of(connections_.begin(), connections_.end(),
                     [](const Connection& connection) { return connection.sending.has_unacknowledged(); });
}

}  // namespace morgana::gm
