// What GraphRun does when its messages fare, and where kernels take processors.

#include <algorithm>
#include <set>
#include <utility>

#include "emulator/core/end_of_time.h"
#include "replay/graph_run.h"

namespace morgana {

/// Its CPU reads it before it completes the receive.
void GraphRun::came_into_socket(Token token, SimTime cost, const Origin&) {
  const Node node = node_of(token);
  const Rank rank = rank_of(node);
  GraphNode computed;
  Arrived piece{};
  piece.at = events_.now();
  piece.cost = cost;
  enqueue(cpu_of(rank, shape_of(rank, node, computed)), {piece.at, node, arrived_.take(piece), true});
}

void GraphRun::received(Token token, const ReceivedMessage& message) {
  const Node node = node_of(token);
  const Rank rank = rank_of(node);
  GraphNode computed;
  const GraphNode& receive = shape_of(rank, node, computed);
  // By a rule both ends of a message follow from the same step.
  if (rule_ == nullptr && message.bytes != Bytes(receive.amount) && other_sizes_++ == 0) {
    first_of_other_size_ = node;
    other_size_ = message.bytes;
  }
  if (!posted_at_.empty()) posted_at_.erase(node);
  if (lanes_.asks_for_causes()) origins_[node] = message.origin;
  const SimTime cost = time_before_end(message.cost + time_before_end(message.copy, message.bytes));
  const std::uint32_t slot = arrived_.take({events_.now(), message.early, message.begun, cost, message.bytes,
                                            messages_.of_job(message.envelope.source), message.envelope.tag});
  enqueue(cpu_of(rank, receive), {events_.now(), node, slot, false});
}

void GraphRun::receive_ended(Rank rank, Node node, const Arrived& arrived) {
  const std::uint32_t number = number_of(rank, node);
  Completed done;
  done.request = GraphLanes::request_of(number);
  done.source = arrived.source;
  done.tag = arrived.tag;
  done.bytes = arrived.bytes;
  GraphLanes::Awaited awaited{{}, arrived.at - arrived.early, arrived.begun};
  if (const auto origin = origins_.find(node); origin != origins_.end()) {
    awaited.origin = origin->second;
    origins_.erase(origin);
  }
  lanes_.waited(rank, number, events_.now(), done, awaited);
}

void GraphRun::sent(Token token, const Origin& origin) {
  const Node node = node_of(token);
  if (!lanes_.nobody_looks()) origins_[node] = origin;
  part_of_send_done(rank_of(node), node, went);
}

/// A send ends when its CPU has done its part and its message has left, or has been asked for.
void GraphRun::part_of_send_done(Rank rank, Node node, std::uint32_t part) {
  remaining_[node] |= part;
  if (remaining_[node] != (started | worked | went)) return;
  if (!lanes_.nobody_looks()) tell_end_of_send(rank, node);
  node_ended(rank, node);
}

void GraphRun::tell_end_of_send(Rank rank, Node node) {
  const std::uint32_t number = number_of(rank, node);
  const auto origin = origins_.find(node);
  if (origin != origins_.end() || has_follower(rank, number)) {
    Completed done;
    done.request = GraphLanes::request_of(number);
    GraphLanes::Awaited awaited;
    if (origin != origins_.end()) {
      awaited.origin = origin->second;
      awaited.there = events_.now();
      origins_.erase(origin);
      if (const auto partner = partner_at_.find(node); partner != partner_at_.end()) {
        awaited.partner_at = partner->second;
        partner_at_.erase(partner);
      }
    }
    lanes_.waited(rank, number, events_.now(), done, awaited);
  }
}

void GraphRun::resumed(Token token) {
  const Node node = node_of(token);
  const Rank rank = rank_of(node);
  if ((remaining_[node] & ended) == started && (remaining_[node] & unwritten) != 0) {
    remaining_[node] &= ~unwritten;
    return part_of_send_done(rank, node, went);
  }
  GraphNode computed;
  const std::uint32_t number = cpu_of(rank, at(rank, node, computed));
  if (!std::exchange(cpus_[number].suspended, false)) return;
  take_until(number, std::max(cpus_[number].until, events_.now()));
}

void GraphRun::met(Token send, Token receive) {
  if (const auto posted = posted_at_.find(node_of(receive)); posted != posted_at_.end())
    partner_at_[node_of(send)] = posted->second;
}

/// What the message was for goes on without it; the losses are told at the end.
void GraphRun::returned(Token token, const Envelope&, std::uint64_t, Outcome) {
  const Node node = node_of(token);
  const Rank rank = rank_of(node);
  GraphNode computed;
  if (at(rank, node, computed).kind == GraphNode::Kind::send) return part_of_send_done(rank, node, went);
  node_ended(rank, node);
}

void GraphRun::delivered(const Envelope& envelope, Rank receiver, Bytes bytes, SimTime sent) {
  lanes_.delivered(messages_.of_job(envelope.source), messages_.of_job(receiver), bytes, sent, events_.now());
}

/// As the engine does: a rank gets the first processor of its host that has the fewest ranks.
void GraphRun::place_on_processors() {
  if (!machine_.kernel && machine_.quantum == SimTime()) return;
  processor_of_.resize(graph_.ranks());
  for (std::size_t i = 0; i < graph_.ranks(); ++i) {
    const HostId host = messages_.host_of(Rank{static_cast<std::int32_t>(i)});
    std::vector<std::vector<Rank>>& processors = users_[static_cast<std::uint32_t>(host)];
    processors.resize(machine_.processors);
    const auto least = std::ranges::min_element(processors, {}, &std::vector<Rank>::size);
    if (!least->empty())
      throw Error(graph_.file().string() +
                  ": ranks of a schedule take no turns on processors: set hosts.processors so that each has "
                  "one to itself, or hosts.quantum=\"0 s\"");
    processor_of_[i] = static_cast<std::size_t>(least - processors.begin());
    least->push_back(Rank{static_cast<std::int32_t>(i)});
  }
  if (machine_.kernel) machine_.kernel->report_to(*this);
}

std::optional<std::size_t> GraphRun::processor_of(Rank rank) const {
  return processor_of_[index(messages_.of_job(rank))];
}

bool GraphRun::uses(HostId host, std::size_t processor) const {
  const auto found = users_.find(static_cast<std::uint32_t>(host));
  return found != users_.end() && std::ranges::any_of(found->second[processor], [this](Rank rank) {
           const Cpu& cpu = cpus_[first_cpu_[index(rank)]];
           return cpu.doing != Doing::nothing && !cpu.suspended;
         });
}

/// What is under way ends later, and nothing begins before.
void GraphRun::interrupted(HostId host, std::size_t processor, SimTime cost, SimTime until) {
  const auto found = users_.find(static_cast<std::uint32_t>(host));
  if (found == users_.end()) return;
  for (const Rank rank : found->second[processor]) {
    Cpu& cpu = cpus_[first_cpu_[index(rank)]];
    if (cpu.doing != Doing::nothing) cpu.until = time_before_end(cpu.until + cost);
    cpu.until = std::max(cpu.until, until);
  }
}

std::optional<std::size_t> GraphRun::poller(HostId host) const {
  const auto found = users_.find(static_cast<std::uint32_t>(host));
  if (found == users_.end()) return 0;
  bool deserted = true;
  for (std::size_t processor = 0; processor < found->second.size(); ++processor)
    for (const Rank rank : found->second[processor]) {
      if (ends_[index(rank)].left == 0) continue;
      if (cpus_[first_cpu_[index(rank)]].doing == Doing::nothing) return processor;
      deserted = false;
    }
  return deserted ? std::optional<std::size_t>(0) : std::nullopt;
}

/// Where hosts have kernels: an idle CPU, or one that is about to send or to receive, looks at the interface;
/// what the kernel does then goes first.
bool GraphRun::may_go_on(Cpu& cpu, std::uint32_t number) {
  if (number != first_cpu_[index(cpu.rank)]) return true;
  GraphNode computed;
  const bool computes =
      !cpu.line.empty() && at(cpu.rank, cpu.line.first().node, computed).kind == GraphNode::Kind::compute;
  if (!computes && machine_.kernel->polls() && ends_[index(cpu.rank)].left > 0)
    machine_.kernel->look(messages_.host_of(cpu.rank), processor_of_[index(cpu.rank)]);
  if (cpu.until <= events_.now() || cpu.line.empty()) return true;
  cpu.doing = Doing::finishing;
  take_until(number, cpu.until);
  return false;
}

HostUse GraphRun::host_use() const {
  const auto first = machine_.host_of.begin() + static_cast<std::ptrdiff_t>(options_.first_rank);
  const std::set<HostId> hosts(first, first + static_cast<std::ptrdiff_t>(graph_.program_ranks()));
  return {hosts.size(), machine_.processors, machine_.within_hosts, machine_.between_hosts};
}

}  // namespace morgana
