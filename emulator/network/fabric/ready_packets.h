#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/core/ring_queue.h"
#include "emulator/core/time.h"
#include "emulator/network/fabric/packet.h"

namespace morgana::fabric {

/// The packets that are on their way to a switch, by when they are ready there, those of one instant in the
/// order of injection. Where all cables are equally long they become ready in the order in which they start:
/// a line. Only what becomes ready before the last in the line is sorted.
class ReadyPackets {
 public:
  void add(SimTime at, std::uint64_t number, Slot packet) {
    const Ready ready{at, number, packet};
    if (in_line_.empty() || in_line_[in_line_.size() - 1].before(ready)) return in_line_.push_back(ready);
    sorted_.push_back(ready);
    std::push_heap(sorted_.begin(), sorted_.end(), later);
  }
  /// When the first one is ready; SimTime::max() if there is none.
  SimTime next() const {
    const SimTime line = in_line_.empty() ? SimTime::max() : in_line_.front().at;
    return sorted_.empty() ? line : std::min(line, sorted_.front().at);
  }
  /// All of them, in any order.
  template <typename Visit>
  void for_each(const Visit& visit) const {
    for (std::size_t i = 0; i < in_line_.size(); ++i) visit(in_line_[i].packet);
    for (const Ready& ready : sorted_) visit(ready.packet);
  }
  /// Takes the first one out; there must be one.
  Slot take() {
    if (sorted_.empty() || (!in_line_.empty() && in_line_.front().before(sorted_.front()))) {
      const Slot packet = in_line_.front().packet;
      in_line_.pop_front();
      return packet;
    }
    std::pop_heap(sorted_.begin(), sorted_.end(), later);
    const Slot packet = sorted_.back().packet;
    sorted_.pop_back();
    return packet;
  }

 private:
  struct Ready {
    SimTime at;
    std::uint64_t number = 0;
    Slot packet = no_packet;
    bool before(const Ready& other) const { return at != other.at ? at < other.at : number < other.number; }
  };
  static bool later(const Ready& a, const Ready& b) { return b.before(a); }

  RingQueue<Ready> in_line_;
  std::vector<Ready> sorted_;  // a heap
};

}  // namespace morgana::fabric
