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
  /// @param output  the channel by which it is going to leave the switch, or 0
  void add(SimTime at, std::uint64_t number, Slot packet, CableChannel output) {
    const Ready ready{at, number, packet, output};
    next_ = std::min(next_, at);
    if (in_line_.empty() || in_line_[in_line_.size() - 1].before(ready)) return in_line_.push_back(ready);
    sorted_.push_back(ready);
    std::push_heap(sorted_.begin(), sorted_.end(), later);
  }
  /// When the first one is ready; SimTime::max() if there is none.
  SimTime next() const { return next_; }
  /// Calls visit(packet, output) for the one that most probably is the first, if there is any.
  template <typename Visit>
  void foresee(const Visit& visit) const {
    if (!in_line_.empty()) visit(in_line_.front().packet, in_line_.front().output);
  }
  /// All of them, in any order.
  template <typename Visit>
  void for_each(const Visit& visit) const {
    for (std::size_t i = 0; i < in_line_.size(); ++i) visit(in_line_[i].packet);
    for (const Ready& ready : sorted_) visit(ready.packet);
  }
  /// Takes the first one out; there must be one.
  Slot take() {
    if (!sorted_.empty()) return take_sorted();
    const Slot packet = in_line_.front().packet;
    in_line_.pop_front();
    next_ = in_line_.empty() ? SimTime::max() : in_line_.front().at;
    return packet;
  }

 private:
  struct Ready {
    SimTime at;
    std::uint64_t number = 0;
    Slot packet = no_packet;
    CableChannel output = 0;
    bool before(const Ready& other) const { return at != other.at ? at < other.at : number < other.number; }
  };
  Slot take_sorted() {
    Slot packet = no_packet;
    if (!in_line_.empty() && in_line_.front().before(sorted_.front())) {
      packet = in_line_.front().packet;
      in_line_.pop_front();
    } else {
      std::pop_heap(sorted_.begin(), sorted_.end(), later);
      packet = sorted_.back().packet;
      sorted_.pop_back();
    }
    next_ = in_line_.empty() ? SimTime::max() : in_line_.front().at;
    if (!sorted_.empty()) next_ = std::min(next_, sorted_.front().at);
    return packet;
  }
  static bool later(const Ready& a, const Ready& b) { return b.before(a); }

  SimTime next_ = SimTime::max();
  RingQueue<Ready> in_line_;
  std::vector<Ready> sorted_;  // a heap
};

}  // namespace morgana::fabric
