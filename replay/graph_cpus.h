#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>
#include <utility>
#include <vector>

#include "emulator/core/ring_queue.h"
#include "replay/graph_progress.h"
#include "traces/import/dependency_graph.h"

namespace morgana {

/// The CPUs of all ranks of a graph's run: who is on each, and who is in line for it. Who became ready first
/// goes first, of one instant the lowest number.
class GraphCpus {
 public:
  using Node = GraphProgress::Node;
  static constexpr std::uint32_t none = ~std::uint32_t{0};

  /// Something that wants a CPU. 16 bytes: a graph may have a hundred million nodes, and a third of them may
  /// be ready at once.
  struct Item {
    SimTime since;
    Node node = none;
    std::uint32_t arrived : 31 = no_message;  ///< of a receive whose message is there: where the run has it
    std::uint32_t is_piece : 1 = 0;           ///< in a socket: more is left to do for the receive

    bool has_message() const { return arrived != no_message; }
    bool later_than(const Item& other) const {
      if (since != other.since) return since > other.since;
      return node != other.node ? node > other.node : is_piece < other.is_piece;
    }

   private:
    static constexpr std::uint32_t no_message = none >> 1;
  };
  /// @param place  where the run has the message
  static Item with_message(SimTime since, Node node, std::uint32_t place, bool is_piece) {
    Item item{since, node};
    assert(place < none >> 1);
    item.arrived = place & (none >> 1);
    item.is_piece = is_piece ? 1 : 0;
    return item;
  }
  /// Those that want a CPU, the first one first. They come in the order of time, and mostly in that of
  /// numbers.
  class Line {
   public:
    bool empty() const { return in_order_.empty() && others_.empty(); }
    const Item& first() const { return other_is_first() ? others_.front() : in_order_.front(); }
    void add(const Item& item) {
      if (in_order_.empty() || !in_order_[in_order_.size() - 1].later_than(item))
        return in_order_.push_back(item);
      others_.push_back(item);
      std::ranges::push_heap(others_, [](const Item& a, const Item& b) { return a.later_than(b); });
    }
    Item take() {
      if (other_is_first()) {
        std::ranges::pop_heap(others_, [](const Item& a, const Item& b) { return a.later_than(b); });
        const Item taken = others_.back();
        others_.pop_back();
        return taken;
      }
      const Item taken = in_order_.front();
      in_order_.pop_front();
      return taken;
    }

   private:
    bool other_is_first() const {
      return !others_.empty() && (in_order_.empty() || in_order_.front().later_than(others_.front()));
    }
    RingQueue<Item> in_order_;  // each came behind the last one
    std::vector<Item> others_;  // a heap, the next one on top
  };
  enum class Doing : std::uint8_t { nothing, computing, sending, posting, receiving, finishing };
  struct alignas(64) Cpu {
    SimTime until;  ///< busy until then; if it does nothing, the kernel has it until then
    SimTime since;  ///< when it began what it is at
    Item item{};    ///< what it is at
    Rank rank{};
    Doing doing = Doing::nothing;
    bool suspended = false;   ///< by the send; goes on when the messenger says so
    bool touched = false;     ///< is among those that may go on in this instant
    bool hands_over = false;  ///< the message that it works on goes to its port when it is done
    Line line;
  };

  explicit GraphCpus(const DependencyGraph& graph) {
    const GraphRule* const rule = graph.rule();
    for (std::size_t i = 0; i < graph.ranks(); ++i) {
      first_.push_back(static_cast<std::uint32_t>(all_.size()));
      std::size_t cpus = rule != nullptr ? rule->cpus() : 1;
      if (rule == nullptr)
        for (const GraphNode& node : graph.rank(i).nodes())
          cpus = std::max<std::size_t>(cpus, node.cpu + std::size_t{1});
      all_.resize(all_.size() + cpus);
      for (std::size_t cpu = first_.back(); cpu < all_.size(); ++cpu)
        all_[cpu].rank = Rank{static_cast<std::int32_t>(i)};
    }
  }

  Cpu& operator[](std::uint32_t number) { return all_[number]; }
  /// A rank's CPU 0, its processor of its host; the others follow.
  std::uint32_t first(Rank rank) const { return first_[index(rank)]; }
  const Cpu& processor(Rank rank) const { return all_[first(rank)]; }
  std::uint32_t of(Rank rank, const GraphNode& node) const { return first(rank) + node.cpu; }

  /// It may go on in this instant.
  void touch(std::uint32_t number) {
    if (!std::exchange(all_[number].touched, true)) touched_.push_back(number);
  }
  bool any_touched() const { return !touched_.empty(); }
  /// Calls `go_on` with all of them, those that are touched meanwhile included.
  /// @param prefetch  is called with what will be next on a CPU
  template <class GoOn, class Prefetch>
  void each_touched(const GoOn& go_on, const Prefetch& prefetch) {
    constexpr std::size_t ahead = 8, nearer = 4;
    for (std::size_t i = 0; i < touched_.size(); ++i) {
      if (i + ahead < touched_.size()) {
        const Cpu& cpu = all_[touched_[i + ahead]];
        __builtin_prefetch(&cpu);
        __builtin_prefetch(&cpu.line);
      }
      if (i + nearer < touched_.size())
        if (const Cpu& cpu = all_[touched_[i + nearer]]; cpu.doing == Doing::nothing && !cpu.line.empty())
          prefetch(cpu.rank, cpu.line.first().node);
      all_[touched_[i]].touched = false;
      go_on(touched_[i]);
    }
    touched_.clear();
  }

 private:
  std::vector<std::uint32_t> first_;  ///< by rank
  std::vector<Cpu> all_;
  std::vector<std::uint32_t> touched_;
};

}  // namespace morgana
