#include "replay/graph_lanes.h"

#include <algorithm>
#include <utility>

namespace morgana {

GraphLanes::GraphLanes(const DependencyGraph& graph, std::span<OperationObserver* const> observers,
                       CausalityObserver* causes, SimTime start)
    : graph_(graph),
      observers_(observers.begin(), observers.end()),
      causes_(causes),
      lanes_(graph.ranks(), Lane{start, start, SimTime(), 0, SimTime()}) {
  send_.kind = OperationKind::send;
  send_.call = Call::MPI_Isend;
  receive_.kind = OperationKind::receive;
  receive_.call = Call::MPI_Irecv;
  wait_.kind = OperationKind::wait;
  wait_.call = Call::MPI_Wait;
  wait_.requests.resize(1);
  at_switches_.kind = OperationKind::sleep;
  at_switches_.call = Call::MPI_Wait;
  exit_.kind = OperationKind::exit;
}

void GraphLanes::computing_begins(Rank rank, SimTime now) {
  if (nobody_looks()) return;
  tell_wait_for_switches(rank);
  Lane& lane = lanes_[index(rank)];
  if (lane.computing++ == 0) lane.computing_since = now;
}

void GraphLanes::computing_ends(Rank rank, SimTime now) {
  if (nobody_looks()) return;
  Lane& lane = lanes_[index(rank)];
  if (--lane.computing == 0) lane.computed += now - lane.computing_since;
}

/// A call ends now; it has begun when the rank had computed as much as it has since its last one.
SimTime GraphLanes::begin_of_call(Lane& lane, SimTime now) const {
  const SimTime begin =
      lane.last + lane.computed + (lane.computing > 0 ? now - lane.computing_since : SimTime());
  lane.last = now;
  lane.computed = SimTime();
  lane.computing_since = now;
  return begin;
}

/// While the rank computes, what it exchanges with switches takes none of its time.
void GraphLanes::had_to_do_with_switch(Rank rank, SimTime now) {
  if (is_switch(rank)) return;
  Lane& lane = lanes_[index(rank)];
  if (lane.computing == 0) lane.at_switches = now;
}

/// Before the rank computes again, calls or ends: so nothing has been computed since `at_switches`. Time
/// passes within the call, as nothing of a program's completes in it: so traces repeat how long that was.
void GraphLanes::tell_wait_for_switches(Rank rank) {
  Lane& lane = lanes_[index(rank)];
  const SimTime end = std::exchange(lane.at_switches, SimTime());
  const SimTime last = lane.last, begin = last + lane.computed;
  if (end <= begin) return;
  lane.last = lane.computing_since = end;
  lane.computed = SimTime();
  at_switches_.elapsed = begin - last;
  at_switches_.duration = end - begin;
  for (OperationObserver* observer : observers_)
    observer->operation_ended(rank, at_switches_, begin, end, {});
}

void GraphLanes::tell(Rank rank, Operation& operation, SimTime now, std::span<const Completed> completed) {
  tell_wait_for_switches(rank);
  Lane& lane = lanes_[index(rank)];
  const SimTime before = lane.last;
  const SimTime begin = begin_of_call(lane, now);
  operation.elapsed = begin - before;
  for (OperationObserver* observer : observers_)
    observer->operation_ended(rank, operation, begin, now, completed);
}

void GraphLanes::posted(Rank rank, std::uint32_t node, SimTime now) {
  if (nobody_looks()) return;
  GraphNode computed;
  const GraphNode& receive = graph_.node(index(rank), node, computed);
  if (is_of_switch(rank, receive)) return had_to_do_with_switch(rank, now);
  receive_.peer = receive.peer;
  receive_.tag = receive.tag;
  receive_.bytes = Bytes(receive.amount);
  receive_.request = request_of(node);
  tell(rank, receive_, now);
}

void GraphLanes::sent(Rank rank, std::uint32_t node, SimTime now) {
  if (nobody_looks()) return;
  GraphNode computed;
  const GraphNode& send = graph_.node(index(rank), node, computed);
  if (is_of_switch(rank, send)) return had_to_do_with_switch(rank, now);
  send_.peer = send.peer;
  send_.tag = send.tag;
  send_.bytes = Bytes(send.amount);
  send_.request = request_of(node);
  tell(rank, send_, now);
}

void GraphLanes::waited(Rank rank, std::uint32_t node, SimTime now, const Completed& done,
                        const Awaited& awaited) {
  GraphNode computed;
  const GraphNode& what = graph_.node(index(rank), node, computed);
  if (is_of_switch(rank, what)) return had_to_do_with_switch(rank, now);
  tell_wait_for_switches(rank);
  wait_.requests[0] = request_of(node);
  if (awaited.partner_at > SimTime()) {
    const bool receives = what.kind == GraphNode::Kind::receive;
    for (OperationObserver* observer : observers_)
      observer->partner_came(rank, receives ? WaitCause::late_sender : WaitCause::late_receiver,
                             awaited.partner_at);
  }
  if (causes_ != nullptr && awaited.origin.by >= Rank{0}) {
    Lane copy = lanes_[index(rank)];
    if (const SimTime idle_from = begin_of_call(copy, now); awaited.there > idle_from) {
      const SimTime ready = std::min(awaited.origin.ready, awaited.there);
      causes_->released({{rank},
                         awaited.there,
                         {awaited.origin.by},
                         ready,
                         std::min(awaited.origin.wire, awaited.there - ready),
                         awaited.origin.in_memory,
                         false,
                         awaited.origin.timer_wait});
    }
  }
  tell(rank, wait_, now, std::span(&done, 1));
}

void GraphLanes::exited(Rank rank, SimTime now) {
  if (!is_switch(rank)) tell(rank, exit_, now);
}

void GraphLanes::delivered(Rank from, Rank to, Bytes bytes, SimTime sent, SimTime now) const {
  if (is_switch(from) || is_switch(to)) return;
  for (OperationObserver* observer : observers_) observer->message_delivered(from, to, bytes, sent, now);
}

}  // namespace morgana
