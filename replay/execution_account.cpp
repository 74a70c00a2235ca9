#include "replay/execution_account.h"

#include <algorithm>
#include <cmath>

namespace morgana {

using Role = ExecutionRoles::Role;

namespace {

Role role_of(const ExecutionRoles::OfRank& rank, std::uint32_t node) {
  return node < rank.nodes.size() ? rank.nodes[node] : Role::none;
}

}  // namespace

ExecutionAccount::ExecutionAccount(const ExecutionRoles& roles, const DependencyGraph& graph)
    : roles_(roles), graph_(graph), ranks_(roles.ranks.size()), collectives_(roles.collectives.size()) {
  for (const ExecutionRoles::Kind& kind : roles.kinds) kinds_.emplace_back().what = kind.what;
}

void ExecutionAccount::keep(ExecutionTimeline& into) {
  timeline_ = &into;
  into.ranks.resize(ranks_.size());
  computing_since_.resize(ranks_.size());
}

/// Of a node without a role: whether it is what a collective adds up or copies.
bool ExecutionAccount::works(Rank rank, std::uint32_t node) const {
  const GraphNode& one = graph_.rank(index(rank)).nodes()[node];
  return one.kind == GraphNode::Kind::compute && one.amount > 0;
}

void ExecutionAccount::pass(Rank number, SimTime until) {
  OfRank& rank = ranks_[index(number)];
  const SimTime since = rank.since, passed = until - since;
  rank.since = until;
  if (rank.computes > 0 && rank.communicates > 0)
    rank.hidden += passed;
  else if (rank.computes > 0)
    rank.computing += passed;
  else if (rank.communicates > 0) {
    rank.exposed += passed;
    if (rank.works > 0) rank.working += passed;
  }
  if (timeline_ == nullptr || rank.communicates == 0) return;
  ExecutionTimeline::OfRank& kept = timeline_->ranks[index(number)];
  timeline_->add(rank.computes > 0 ? kept.hidden : kept.exposed, since, until);
}

void ExecutionAccount::started(Rank rank, std::uint32_t node, SimTime at) {
  const Role role = role_of(roles_.ranks[index(rank)], node);
  OfRank& own = ranks_[index(rank)];
  if (role == Role::none && works(rank, node)) {
    pass(rank, at);
    ++own.works;
  }
  if (role != Role::computes && role != Role::message) return;
  pass(rank, at);
  if (timeline_ != nullptr && role == Role::computes) computing_since_[index(rank)][node] = at;
  ++(role == Role::computes ? own.computes : own.communicates);
}

void ExecutionAccount::ended(Rank rank, std::uint32_t node, SimTime at) {
  const ExecutionRoles::OfRank& roles = roles_.ranks[index(rank)];
  const Role role = role_of(roles, node);
  if (role == Role::none && !works(rank, node)) return;
  OfRank& own = ranks_[index(rank)];
  pass(rank, at);
  switch (role) {
    case Role::computes:
      --own.computes;
      if (timeline_ != nullptr) {
        const auto since = computing_since_[index(rank)].extract(node);
        timeline_->add(timeline_->ranks[index(rank)].streams[graph_.rank(index(rank)).nodes()[node].cpu],
                       since.mapped(), at);
      }
      break;
    case Role::message:
      --own.communicates;
      break;
    case Role::enters:
      ++own.communicates;
      entered(collective_at(rank, roles.enters, node), at);
      break;
    case Role::leaves:
      --own.communicates;
      left(collective_at(rank, roles.leaves, node), at);
      break;
    case Role::none:
      --own.works;
      break;
  }
}

std::uint32_t ExecutionAccount::collective_at(Rank rank, const std::vector<std::uint32_t>& nodes,
                                              std::uint32_t node) const {
  const auto place = std::ranges::lower_bound(nodes, node) - nodes.begin();
  return roles_.ranks[index(rank)].collectives[static_cast<std::size_t>(place)];
}

void ExecutionAccount::entered(std::uint32_t collective, SimTime at) {
  UnderWay& one = collectives_[collective];
  if (one.entered++ == 0) one.first_entry = at;
  one.last_entry = at;  // nodes end in the order of time
  one.behind += at - one.first_entry;
}

/// A member may leave before others have entered (a broadcast's root): only the last one's exit counts.
void ExecutionAccount::left(std::uint32_t collective, SimTime at) {
  UnderWay& one = collectives_[collective];
  const ExecutionRoles::Collective& what = roles_.collectives[collective];
  if (++one.left < what.members) return;
  CollectiveUse& use = kinds_[what.kind];
  const SimTime took = at - one.last_entry;
  ++use.times;
  use.total += took;
  use.longest = std::max(use.longest, took);
  use.late += one.last_entry - one.first_entry -
              SimTime::from_ps(one.behind.ps() / static_cast<std::int64_t>(what.members));
  use.bus_bytes += roles_.kinds[what.kind].bus_bytes;
}

ExecutionUse ExecutionAccount::use() const {
  ExecutionUse result;
  SimTime end;
  for (const OfRank& rank : ranks_) end = std::max(end, rank.since);
  if (ranks_.empty()) return result;
  const auto mean = [&](SimTime OfRank::*part) {
    long double sum = 0;  // of many ranks more than picoseconds in 64 bits
    for (const OfRank& rank : ranks_) sum += static_cast<long double>((rank.*part).ps());
    return SimTime::from_ps(std::llround(sum / static_cast<long double>(ranks_.size())));
  };
  result.computing = mean(&OfRank::computing);
  result.hidden = mean(&OfRank::hidden);
  result.exposed = mean(&OfRank::exposed);
  result.working = mean(&OfRank::working);
  result.idle = end - result.computing - result.hidden - result.exposed;
  for (const CollectiveUse& kind : kinds_)
    if (kind.times > 0) result.collectives.push_back(kind);
  return result;
}

}  // namespace morgana
