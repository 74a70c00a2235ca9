#include "runs/scripted_ranks.h"

namespace morgana {

void ScriptedRanks::add(Rank rank, Operation operation) {
  scripts_.at(index(rank)).push_back(std::move(operation));
}

RequestId ScriptedRanks::start(Rank rank, Operation operation, CallPart part) {
  operation.request = RequestId{++requests_};
  operation.tag = Tag{1};
  operation.part = part;
  add(rank, std::move(operation));
  return RequestId{requests_};
}

void ScriptedRanks::wait(Rank rank, RequestId request, Call call, CallPart part) {
  Operation wait;
  wait.kind = OperationKind::wait;
  wait.part = part;
  wait.call = call;
  wait.requests.push_back(request);
  add(rank, std::move(wait));
}

namespace {

Operation transfer(OperationKind kind, Call call, Rank peer, Bytes bytes) {
  Operation operation;
  operation.kind = kind;
  operation.call = call;
  operation.peer = peer;
  operation.bytes = bytes;
  return operation;
}

}  // namespace

void ScriptedRanks::send(Rank from, Rank to, Bytes bytes) {
  const Operation send = transfer(OperationKind::send, Call::MPI_Send, to, bytes);
  wait(from, start(from, send, CallPart::first), send.call, CallPart::last);
}

void ScriptedRanks::receive(Rank at, Rank from, Bytes bytes) {
  const Operation receive = transfer(OperationKind::receive, Call::MPI_Recv, from, bytes);
  wait(at, start(at, receive, CallPart::first), receive.call, CallPart::last);
}

RequestId ScriptedRanks::begin_send(Rank from, Rank to, Bytes bytes) {
  return start(from, transfer(OperationKind::send, Call::MPI_Isend, to, bytes), CallPart::whole);
}

RequestId ScriptedRanks::begin_receive(Rank at, Rank from, Bytes bytes) {
  return start(at, transfer(OperationKind::receive, Call::MPI_Irecv, from, bytes), CallPart::whole);
}

void ScriptedRanks::wait(Rank rank, RequestId request) {
  wait(rank, request, Call::MPI_Wait, CallPart::whole);
}

void ScriptedRanks::collective(Rank rank, CollectiveKind kind, Bytes bytes, Bytes element) {
  Operation collective;
  collective.kind = OperationKind::collective;
  collective.call = Call::unknown;
  collective.collective.kind = kind;
  collective.collective.bytes = bytes;
  collective.collective.element = element;
  wait(rank, start(rank, collective, CallPart::first), collective.call, CallPart::last);
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
