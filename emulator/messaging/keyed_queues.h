#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace morgana {

/// First-in, first-out lines of small items, one line for each key that has any: constant time to append, to
/// look at the first and to take any item out. Lines come and go with each message, and thousands of ranks
/// each have some: a table holds no more of a line than the number of its first item, the rest is in the
/// items, so that an item and its line are mostly one entry and one place of the table.
template <class Key, class Hash>
class KeyedQueues {
 public:
  using Node = std::uint32_t;
  static constexpr Node none = ~Node{0};

  /// @param sequence  below 2^64 - 1
  /// @return the item's place, for remove()
  Node append(const Key& key, std::uint32_t item, std::uint64_t sequence) {
    if (2 * lines_ == buckets_.size()) grow();
    Node node = free_;
    if (node == none) {
      node = static_cast<Node>(nodes_.size());
      nodes_.emplace_back();
    } else {
      free_ = nodes_[node].next;
    }
    Entry& entry = nodes_[node];
    entry = {key, sequence, item, none, none, node, none};
    Node& bucket = bucket_of(key);
    const Node line = line_in(bucket, key);
    if (line == none) {
      entry.below = bucket;
      bucket = node;
      ++lines_;
    } else {
      Entry& first = nodes_[line];
      entry.previous = first.last;
      nodes_[first.last].next = node;
      first.last = node;
    }
    return node;
  }

  /// The first of the key's line, or none.
  Node first(const Key& key) const {
    return lines_ == 0 ? none : line_in(buckets_[Hash()(key) & (buckets_.size() - 1)], key);
  }

  void remove(Node node) {
    Entry& entry = nodes_[node];
    if (entry.previous == none)
      remove_first(entry);
    else if (entry.next == none)
      nodes_[first(entry.key)].last = entry.previous;
    if (entry.previous != none) nodes_[entry.previous].next = entry.next;
    if (entry.next != none) nodes_[entry.next].previous = entry.previous;
    entry.sequence = unused;
    entry.next = free_;
    free_ = node;
  }

  const Key& key(Node node) const { return nodes_[node].key; }
  std::uint32_t item(Node node) const { return nodes_[node].item; }
  std::uint64_t sequence(Node node) const { return nodes_[node].sequence; }
  /// All items' places are below this.
  Node places() const { return static_cast<Node>(nodes_.size()); }
  bool has(Node node) const { return nodes_[node].sequence != unused; }

 private:
  static constexpr std::uint64_t unused = ~std::uint64_t{0};
  struct Entry {
    Key key;
    std::uint64_t sequence;
    std::uint32_t item;
    Node previous, next;  ///< in its line
    // Of the first of a line:
    Node last;   ///< of the line
    Node below;  ///< the first of another line in the same bucket
  };

  Node& bucket_of(const Key& key) { return buckets_[Hash()(key) & (buckets_.size() - 1)]; }
  Node line_in(Node bucket, const Key& key) const {
    while (bucket != none && !(nodes_[bucket].key == key)) bucket = nodes_[bucket].below;
    return bucket;
  }

  /// The next one takes its place, or the line is gone.
  void remove_first(const Entry& entry) {
    Node* place = &bucket_of(entry.key);
    while (&nodes_[*place] != &entry) place = &nodes_[*place].below;
    if (entry.next == none) {
      *place = entry.below;
      --lines_;
      return;
    }
    Entry& next = nodes_[entry.next];
    next.last = entry.last;
    next.below = entry.below;
    *place = entry.next;
  }

  void grow() {
    const std::vector<Node> before = std::move(buckets_);
    buckets_.assign(before.empty() ? 4 : 2 * before.size(), none);
    for (Node bucket : before)
      while (bucket != none) {
        Node& place = bucket_of(nodes_[bucket].key);
        const Node below = nodes_[bucket].below;
        nodes_[bucket].below = place;
        place = bucket;
        bucket = below;
      }
  }

  std::vector<Node>
      buckets_;  ///< a power of two, twice as many as lines or more, by hash: the first of a line
  std::size_t lines_ = 0;
  std::vector<Entry> nodes_;
  Node free_ = none;
};

}  // namespace morgana
