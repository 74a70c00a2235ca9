#include "emulator/routing/acyclic_graph.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace morgana {

AcyclicGraph::AcyclicGraph(std::size_t nodes) : next_(nodes), before_(nodes), place_(nodes), met_(nodes) {
  std::iota(place_.begin(), place_.end(), 0U);
}

bool AcyclicGraph::has(Node from, Node to) const {
  return std::ranges::find(next_[from], to) != next_[from].end();
}

bool AcyclicGraph::add(Node from, Node to) {
  assert(from != to && !has(from, to));
  if (place_[to] < place_[from]) {
    const bool closes = reaches(to, from);
    if (!closes) reorder(from);
    for (const Node one : ahead_) met_[one] = false;
    if (closes) return false;
  }
  next_[from].push_back(to);
  before_[to].push_back(from);
  return true;
}

void AcyclicGraph::remove(Node from, Node to) {
  next_[from].erase(std::ranges::find(next_[from], to));
  before_[to].erase(std::ranges::find(before_[to], from));
}

/// Whether edges lead there. All nodes on the way that are not behind the target in the order become ahead_.
bool AcyclicGraph::reaches(Node from, Node target) {
  ahead_.assign(1, from);
  met_[from] = true;
  for (std::size_t n = 0; n < ahead_.size(); ++n) {
    for (const Node to : next_[ahead_[n]]) {
      if (to == target) return true;
      if (met_[to] || place_[to] > place_[target]) continue;
      met_[to] = true;
      ahead_.push_back(to);
    }
  }
  return false;
}

/// Puts what leads to `from` in front of ahead_, on the places that both have.
void AcyclicGraph::reorder(Node from) {
  const std::uint32_t first = place_[ahead_.front()];
  behind_.assign(1, from);
  met_[from] = true;  // none of behind_ is in ahead_: that would be a cycle
  for (std::size_t n = 0; n < behind_.size(); ++n) {
    for (const Node one : before_[behind_[n]]) {
      if (met_[one] || place_[one] < first) continue;
      met_[one] = true;
      behind_.push_back(one);
    }
  }
  for (const Node one : behind_) met_[one] = false;
  const auto by_place = [this](Node a, Node b) { return place_[a] < place_[b]; };
  std::ranges::sort(behind_, by_place);
  std::vector<Node> ahead = ahead_;
  std::ranges::sort(ahead, by_place);
  std::vector<Node> order = behind_;
  order.insert(order.end(), ahead.begin(), ahead.end());
  std::vector<std::uint32_t> places;
  for (const Node one : order) places.push_back(place_[one]);
  std::ranges::sort(places);
  for (std::size_t n = 0; n < order.size(); ++n) place_[order[n]] = places[n];
}

}  // namespace morgana
