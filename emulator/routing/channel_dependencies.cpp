#include "emulator/routing/channel_dependencies.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace morgana {

ChannelDependencies::ChannelDependencies(const SwitchGraph& graph, unsigned virtual_channels)
    : graph_(graph), virtual_channels_(virtual_channels) {
  assert(virtual_channels >= 1);
  std::size_t words = 0;
  for (CableChannel channel = 0; channel < graph.channels(); ++channel) {
    first_word_.push_back(words);
    const Neighbour at = graph.receiver(channel);
    const std::size_t bits = at.is_switch() ? std::size_t{graph.ports(at.id)} * virtual_channels : 0;
    words += virtual_channels * ((bits + 63) / 64);
  }
  first_word_.push_back(words);
  wanted_.resize(words);
}

void ChannelDependencies::add(const HeldChannel& held, const HeldChannel& wanted) {
  assert(graph_.receiver(held.channel).id == graph_.sending_port(wanted.channel).at);
  const std::size_t words = (first_word_[held.channel + 1] - first_word_[held.channel]) / virtual_channels_;
  const std::size_t bit = bit_of(wanted);
  wanted_[first_word_[held.channel] + held.virtual_channel * words + bit / 64] |= std::uint64_t{1}
                                                                                  << bit % 64;
}

ChannelDependencies::Outputs ChannelDependencies::no_outputs(SwitchId at) const {
  return Outputs((std::size_t{graph_.ports(at)} * virtual_channels_ + 63) / 64);
}

void ChannelDependencies::want(Outputs& outputs, const HeldChannel& wanted) const {
  const std::size_t bit = bit_of(wanted);
  outputs[bit / 64] |= std::uint64_t{1} << bit % 64;
}

void ChannelDependencies::add_all(const HeldChannel& held, const Outputs& wanted) {
  std::uint64_t* const bits = &wanted_[first_word_[held.channel] + held.virtual_channel * wanted.size()];
  for (std::size_t word = 0; word < wanted.size(); ++word) bits[word] |= wanted[word];
}

/// The first node after `after` (none: the very first) that is wanted while this one is held.
ChannelDependencies::Node ChannelDependencies::next_wanted(Node held, Node after) const {
  const HeldChannel from = held_of(held);
  const std::size_t words = (first_word_[from.channel + 1] - first_word_[from.channel]) / virtual_channels_;
  if (words == 0) return none;
  const SwitchId at = graph_.receiver(from.channel).id;
  const Node first = node_of({graph_.channel_from(SwitchPort{at, 0}), 0});
  const std::size_t start = after == none ? 0 : after - first + 1;
  const std::uint64_t* const bits = &wanted_[first_word_[from.channel] + from.virtual_channel * words];
  for (std::size_t word = start / 64; word < words; ++word) {
    std::uint64_t left = bits[word];
    if (word == start / 64) left &= ~std::uint64_t{0} << start % 64;
    if (left != 0)
      return first + static_cast<Node>(word * 64 + static_cast<unsigned>(std::countr_zero(left)));
  }
  return none;
}

/// By depth-first search; none if there is no cycle.
ChannelDependencies::Node ChannelDependencies::node_of_a_cycle() const {
  enum : std::uint8_t { unseen, open, closed };
  std::vector<std::uint8_t> state(nodes(), unseen);
  struct Entered {
    Node node, last;
  };
  std::vector<Entered> stack;
  for (Node start = 0; start < nodes(); ++start) {
    if (state[start] != unseen) continue;
    stack.push_back({start, none});
    state[start] = open;
    while (!stack.empty()) {
      Entered& top = stack.back();
      top.last = next_wanted(top.node, top.last);
      if (top.last == none) {
        state[top.node] = closed;
        stack.pop_back();
      } else if (state[top.last] == open) {
        return top.last;
      } else if (state[top.last] == unseen) {
        state[top.last] = open;
        stack.push_back({top.last, none});
      }
    }
  }
  return none;
}

/// The shortest cycle through a node that lies on one.
std::vector<ChannelDependencies::Node> ChannelDependencies::shortest_cycle(Node start) const {
  std::vector<Node> before(nodes(), none), reached{start};
  for (std::size_t n = 0; before[start] == none; ++n) {
    assert(n < reached.size());
    for (Node next = next_wanted(reached[n], none); next != none; next = next_wanted(reached[n], next)) {
      if (before[next] != none) continue;
      before[next] = reached[n];
      reached.push_back(next);
    }
  }
  std::vector<Node> cycle;
  Node at = start;
  do {
    cycle.push_back(at);
    at = before[at];
  } while (at != start);
  std::reverse(cycle.begin() + 1, cycle.end());
  return cycle;
}

std::vector<HeldChannel> ChannelDependencies::cycle() const {
  const Node on_cycle = node_of_a_cycle();
  if (on_cycle == none) return {};
  std::vector<HeldChannel> cycle;
  for (const Node node : shortest_cycle(on_cycle)) cycle.push_back(held_of(node));
  return cycle;
}

}  // namespace morgana
