#include "experiments/scripted_ranks.h"

namespace morgana {

void ScriptedRanks::add(Rank rank, Operation operation) {
  scripts_.at(index(rank)).push_back(std::move(operation));
}

void ScriptedRanks::start_and_wait(Rank rank, Operation start) {
  start.request = RequestId{++requests_};
  start.tag = Tag{1};
  start.part = CallPart::first;
  Operation wait;
  wait.kind = OperationKind::wait;
  wait.part = CallPart::last;
  wait.call = start.call;
  wait.requests.push_back(start.request);
  add(rank, std::move(start));
  add(rank, std::move(wait));
}

void ScriptedRanks::send(Rank from, Rank to, Bytes bytes) {
  Operation send;
  send.kind = OperationKind::send;
  send.call = Call::MPI_Send;
  send.peer = to;
  send.bytes = bytes;
  start_and_wait(from, std::move(send));
}

void ScriptedRanks::receive(Rank at, Rank from, Bytes bytes) {
  Operation receive;
  receive.kind = OperationKind::receive;
  receive.call = Call::MPI_Recv;
  receive.peer = from;
  receive.bytes = bytes;
  start_and_wait(at, std::move(receive));
}

void ScriptedRanks::compute(Rank rank, SimTime time) {
  Operation pause;
  pause.elapsed = time;
  add(rank, std::move(pause));
}

void ScriptedRanks::exit(Rank rank) {
  Operation exit;
  exit.kind = OperationKind::exit;
  add(rank, std::move(exit));
}

bool ScriptedRanks::next(Rank rank, Operation& operation) {
  operation = scripts_.at(index(rank)).at(position_.at(index(rank))++);
  return true;
}

}  // namespace morgana
