#include "replay/graph_lanes.h"

#include <algorithm>
#include <utility>

namespace morgana {

GraphLanes::GraphLanes(const DependencyGraph& graph, RunStatistics* statistics,
                       std::span<OperationObserver* const> observers, CausalityObserver* causes,
                       SimTime start)
    : graph_(graph),
      statistics_(statistics),
      observers_(observers.begin(), observers.end()),
      causes_(causes),
      nobody_looks_(statistics == nullptr && observers.empty() && causes == nullptr),
      has_switches_(!graph.switches().empty()),
      lanes_(graph.ranks()) {
  for (Lane& lane : lanes_) lane.last = lane.computing_since = start;
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
  if (has_switches_) tell_wait_for_switches(rank);
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

bool GraphLanes::is_left_to_switch(Rank rank, std::uint32_t node, SimTime now) {
  if (!has_switches_) return false;
  GraphNode computed;
  if (!is_of_switch(rank, graph_.node(index(rank), node, computed))) {
    tell_wait_for_switches(rank);
    return false;
  }
  // While the rank computes, what it exchanges with switches takes none of its time.
  if (!is_switch(rank) && lanes_[index(rank)].computing == 0) lanes_[index(rank)].at_switches = now;
  return true;
}

/// Before the rank computes again, calls or ends: so nothing has been computed since `at_switches`. Time
/// passes within the call, as nothing of a program's completes in it: so traces repeat how long that was.
void GraphLanes::tell_wait_for_switches(Rank rank) {
  Lane& lane = lanes_[index(rank)];
  const SimTime end = std::exchange(lane.at_switches, SimTime());
  const SimTime before = lane.last;
  if (end <= before + lane.computed) return;
  const SimTime begin = count(lane, Kind::wait, end);
  at_switches_.duration = end - begin;
  tell(rank, at_switches_, before, begin, end);
}

SimTime GraphLanes::count(Lane& lane, Kind kind, SimTime now) {
  const SimTime begin = begin_of_call(lane, now);
  const auto which = static_cast<std::size_t>(kind);
  lane.last_kind = kind;
  ++lane.calls[which];
  lane.time[which] += now - begin;
  return begin;
}

void GraphLanes::tell(Rank rank, Operation& operation, SimTime before, SimTime begin, SimTime now,
                      std::span<const Completed> completed) {
  operation.elapsed = begin - before;
  for (OperationObserver* observer : observers_)
    observer->operation_ended(rank, operation, begin, now, completed);
}

void GraphLanes::posted(Rank rank, std::uint32_t node, SimTime now) {
  if (nobody_looks()) return;
  if (is_left_to_switch(rank, node, now)) return;
  Lane& lane = lanes_[index(rank)];
  const SimTime before = lane.last, begin = count(lane, Kind::receive, now);
  if (observers_.empty()) return;
  GraphNode computed;
  const GraphNode& receive = graph_.node(index(rank), node, computed);
  receive_.peer = receive.peer;
  receive_.tag = receive.tag;
  receive_.bytes = Bytes(receive.amount);
  receive_.request = request_of(node);
  tell(rank, receive_, before, begin, now);
}

void GraphLanes::sent(Rank rank, std::uint32_t node, SimTime now) {
  if (nobody_looks()) return;
  if (is_left_to_switch(rank, node, now)) return;
  GraphNode computed;
  const GraphNode& send = graph_.node(index(rank), node, computed);
  Lane& lane = lanes_[index(rank)];
  const SimTime before = lane.last, begin = count(lane, Kind::send, now);
  lane.bytes_sent += Bytes(send.amount);
  if (observers_.empty()) return;
  send_.peer = send.peer;
  send_.tag = send.tag;
  send_.bytes = Bytes(send.amount);
  send_.request = request_of(node);
  tell(rank, send_, before, begin, now);
}

void GraphLanes::waited(Rank rank, std::uint32_t node, SimTime now, const Completed& done,
                        const Awaited& awaited) {
  if (is_left_to_switch(rank, node, now)) return;
  Lane& lane = lanes_[index(rank)];
  const bool receives = done.source != any_rank;
  const SimTime before = lane.last, begin = count(lane, Kind::wait, now);
  if (const SimTime partner_at = std::min(awaited.partner_at, now); partner_at > begin)
    (receives ? lane.late_sender : lane.late_receiver) += partner_at - begin;
  if (receives) {
    ++lane.received;
    lane.bytes_received += done.bytes;
  }
  if (awaited.partner_at > SimTime())
    for (OperationObserver* observer : observers_)
      observer->partner_came(rank, receives ? WaitCause::late_sender : WaitCause::late_receiver,
                             awaited.partner_at);
  if (causes_ != nullptr && awaited.origin.by >= Rank{0} && awaited.there > begin) {
    const SimTime ready = std::min(awaited.origin.ready, awaited.there);
    causes_->released({{rank},
                       awaited.there,
                       {awaited.origin.by},
                       ready,
                       std::min(awaited.origin.wire, awaited.there - ready),
                       awaited.origin.in_memory,
                       false,
                       awaited.origin.timer_wait,
                       awaited.origin.carried});
  }
  if (observers_.empty()) return;
  wait_.requests[0] = request_of(node);
  tell(rank, wait_, before, begin, now, std::span(&done, 1));
}

void GraphLanes::exited(Rank rank, SimTime now) {
  if (is_switch(rank)) return;
  if (has_switches_) tell_wait_for_switches(rank);
  sum_up(rank);
  Lane& lane = lanes_[index(rank)];
  const SimTime before = lane.last, begin = begin_of_call(lane, now);
  tell(rank, exit_, before, begin, now);
  if (statistics_ != nullptr) statistics_->operation_ended(rank, exit_, begin, now, {});
}

void GraphLanes::delivered(Rank from, Rank to, Bytes bytes, SimTime sent, SimTime now) const {
  if (has_switches_ && (is_switch(from) || is_switch(to))) return;
  if (statistics_ != nullptr) statistics_->message_delivered(from, to, bytes, sent, now);
  for (OperationObserver* observer : observers_) observer->message_delivered(from, to, bytes, sent, now);
}

void GraphLanes::sum_up() {
  for (std::size_t i = 0; i < graph_.program_ranks(); ++i) sum_up(Rank{static_cast<std::int32_t>(i)});
}

void GraphLanes::sum_up(Rank rank) {
  Lane& lane = lanes_[index(rank)];
  if (statistics_ == nullptr || std::ranges::max(lane.calls) == 0) return;
  constexpr std::array<Call, kinds> names{Call::MPI_Isend, Call::MPI_Irecv, Call::MPI_Wait};
  const std::array<Bytes, kinds> bytes{lane.bytes_sent, Bytes(), lane.bytes_received};
  RunStatistics::PerRank more;
  std::vector<CallUse> uses;
  // The kind of the last call comes last.
  for (std::size_t i = 1; i <= kinds; ++i) {
    const std::size_t kind = (static_cast<std::size_t>(lane.last_kind) + i) % kinds;
    if (lane.calls[kind] == 0) continue;
    CallUse& use = uses.emplace_back();
    use.call = names[kind];
    use.count = lane.calls[kind];
    use.time = lane.time[kind];
    use.bytes = bytes[kind];
    more.communication += use.time;
    if (use.call != Call::MPI_Wait) continue;
    use.late_sender = lane.late_sender;
    use.late_receiver = lane.late_receiver;
  }
  more.end = lane.last;
  more.messages_sent = lane.calls[static_cast<std::size_t>(Kind::send)];
  more.messages_received = lane.received;
  more.bytes_sent = lane.bytes_sent;
  more.bytes_received = lane.bytes_received;
  statistics_->add(rank, more, uses);
  // What goes on is kept.
  lane.calls = {};
  lane.time = {};
  lane.received = 0;
  lane.late_sender = lane.late_receiver = SimTime();
  lane.bytes_sent = lane.bytes_received = Bytes();
}

}  // namespace morgana
