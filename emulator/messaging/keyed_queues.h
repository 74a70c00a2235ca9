#pragma once

#include <tsl/robin_map.h>

#include <cstdint>
#include <vector>

namespace morgana {

/// First-in, first-out lines of small items, one line for each key that has any: constant time to append, to
/// look at the first and to take any item out.
template <class Key, class Hash>
class KeyedQueues {
 public:
  using Node = std::uint32_t;
  static constexpr Node none = ~Node{0};

  /// @return the item's place, for remove()
  Node append(const Key& key, std::uint32_t item, std::uint64_t sequence) {
    Node node = free_;
    if (node == none) {
      node = static_cast<Node>(nodes_.size());
      nodes_.emplace_back();
    } else {
      free_ = nodes_[node].next;
    }
    auto [line, fresh] = lines_.try_emplace(key, Line{node, node});
    const Node last = fresh ? none : line->second.last;
    nodes_[node] = {key, sequence, item, last, none};
    if (!fresh) {
      nodes_[last].next = node;
      line.value().last = node;
    }
    return node;
  }

  /// The first of the key's line, or none.
  Node first(const Key& key) const {
    if (lines_.empty()) return none;
    const auto line = lines_.find(key);
    return line == lines_.end() ? none : line->second.first;
  }

  void remove(Node node) {
    Entry& entry = nodes_[node];
    if (entry.previous == none || entry.next == none) {
      const auto line = lines_.find(entry.key);
      if (entry.previous == none && entry.next == none) {
        lines_.erase(line);
      } else if (entry.previous == none) {
        line.value().first = entry.next;
      } else {
        line.value().last = entry.previous;
      }
    }
    if (entry.previous != none) nodes_[entry.previous].next = entry.next;
    if (entry.next != none) nodes_[entry.next].previous = entry.previous;
    entry.next = free_;
    free_ = node;
  }

  std::uint32_t item(Node node) const { return nodes_[node].item; }
  std::uint64_t sequence(Node node) const { return nodes_[node].sequence; }

 private:
  struct Line {
    Node first, last;
  };
  struct Entry {
    Key key;
    std::uint64_t sequence;
    std::uint32_t item;
    Node previous, next;
  };
  tsl::robin_map<Key, Line, Hash> lines_;
  std::vector<Entry> nodes_;
  Node free_ = none;
};

}  // namespace morgana
