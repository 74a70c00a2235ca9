#include "emulator/transport/ece/connection.h"

namespace morgana::ece {

EceCounters total(const Connection& connection) {
  const EceReceiverCounters receiver = connection.receiver.counters();
  EceCounters all{connection.counters,
                  connection.late,
                  connection.past_lstats + receiver.lstats,
                  connection.past_changes + connection.sender.changes(),
                  connection.past_missing + receiver.missing,
                  connection.carried};
  all.add(connection.sender.counters(), receiver);
  return all;
}

EceCounters total(const std::deque<Connection>& connections) {
  EceCounters sum;
  for (const Connection& connection : connections) sum += total(connection);
  return sum;
}

}  // namespace morgana::ece
