// What GraphRun does when its messages fare.

#include <algorithm>
#include <utility>

#include "replay/graph_run.h"

namespace morgana {

/// Its CPU reads it before it completes the receive.
void GraphRun::came_into_socket(Node node, SimTime cost) {
  const Rank rank = rank_of(node);
  GraphNode computed;
  ArrivedMessage piece{};
  piece.there = events_.now();
  piece.cost = cost;
  enqueue(cpus_.of(rank, progress_.shape_of(rank, node, computed)),
          GraphCpus::with_message(piece.there, node, arrived_.take(piece), true));
}

void GraphRun::received(Rank rank, Node node, const ArrivedMessage& message, const Origin* origin) {
  GraphNode computed;
  const GraphNode& receive = progress_.shape_of(rank, node, computed);
  // By a rule both ends of a message follow from the same step.
  if (graph_.rule() == nullptr && message.bytes != Bytes(receive.amount) && other_sizes_.count++ == 0) {
    other_sizes_.first = node;
    other_sizes_.bytes = message.bytes;
  }
  if (!posted_at_.empty()) posted_at_.erase(node);
  if (origin != nullptr && lanes_.asks_for_causes()) origins_[node] = *origin;
  enqueue(cpus_.of(rank, receive),
          GraphCpus::with_message(events_.now(), node, arrived_.take(message), false));
}

void GraphRun::receive_ended(Rank rank, Node node, const ArrivedMessage& arrived) {
  const std::uint32_t number = progress_.within(rank, node);
  Completed done;
  done.request = GraphLanes::request_of(number);
  done.source = arrived.source;
  done.tag = arrived.tag;
  done.bytes = arrived.bytes;
  GraphLanes::Awaited awaited{{}, arrived.there, arrived.begun};
  if (const auto origin = origins_.find(node); origin != origins_.end()) {
    awaited.origin = origin->second;
    origins_.erase(origin);
  }
  lanes_.waited(rank, number, events_.now(), done, awaited);
}

void GraphRun::sent(Node node, const Origin& origin) {
  if (!lanes_.nobody_looks()) origins_[node] = origin;
  part_of_send_done(rank_of(node), node, Part::went);
}

/// A send ends when its CPU has done its part and its message has left, or has been asked for.
void GraphRun::part_of_send_done(Rank rank, Node node, Part part) {
  if (!progress_.add(node, part)) return;
  if (!lanes_.nobody_looks()) tell_end_of_send(rank, node);
  node_ended(rank, node);
}

void GraphRun::tell_end_of_send(Rank rank, Node node) {
  const auto origin = origins_.find(node);
  if (origin == origins_.end() && !progress_.has_follower(rank, node)) return;
  const std::uint32_t number = progress_.within(rank, node);
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

void GraphRun::resumed(Node node) {
  const Rank rank = rank_of(node);
  if (!progress_.has_ended(node) && progress_.has(node, Part::unwritten)) {
    progress_.remove(node, Part::unwritten);
    return part_of_send_done(rank, node, Part::went);
  }
  GraphNode computed;
  const std::uint32_t number = cpus_.of(rank, progress_.at(rank, node, computed));
  if (!std::exchange(cpus_[number].suspended, false)) return;
  take_until(number, std::max(cpus_[number].until, events_.now()));
}

void GraphRun::met(Node send, Node receive) {
  if (const auto posted = posted_at_.find(receive); posted != posted_at_.end())
    partner_at_[send] = posted->second;
}

/// What the message was for goes on without it; the losses are told at the end.
void GraphRun::returned(Node node) {
  const Rank rank = rank_of(node);
  GraphNode computed;
  if (progress_.at(rank, node, computed).kind == GraphNode::Kind::send)
    return part_of_send_done(rank, node, Part::went);
  node_ended(rank, node);
}

}  // namespace morgana
