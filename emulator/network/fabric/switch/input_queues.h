#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/network/fabric/packet.h"

namespace morgana::fabric {

/// The queues at a switch's inputs: one for each input and virtual channel, its number; with virtual output
/// queues one for each of these and each output. An output's fronts are the queues whose first packet goes to
/// it.
class InputQueues {
 public:
  /// @param packets  must outlive it. @param channels  virtual channels of an input
  InputQueues(Packets& packets, Queueing queueing, unsigned ports, unsigned channels)
      : packets_(packets),
        channels_(channels),
        numbers_(ports * channels),
        by_output_(queueing == Queueing::virtual_output_queues) {
    if (queueing == Queueing::output_queues) return;
    queues_.resize(by_output_ ? std::size_t{numbers_} * ports : numbers_);
    words_ = (numbers_ + 63) / 64;
    fronts_.resize(words_ * ports);
  }

  std::uint32_t number_of(const Packet& packet) const { return packet.input * channels_ + packet.came_on; }
  /// Whether a routed packet would be the first of its queue. @param packet  for whose output none waits
  bool would_be_first(const Packet& packet) const { return by_output_ || queues_[number_of(packet)].empty(); }
  Slot first(std::uint32_t number, PortNumber output) const { return queues_[index(number, output)].first; }
  /// @return whether it is the first of its queue
  bool push(Slot slot) {
    const Packet& packet = packets_[slot];
    const std::uint32_t number = number_of(packet);
    PacketQueue& queue = queues_[index(number, packet.output)];
    const bool is_front = queue.empty();
    queue.push(packets_, slot);
    if (is_front) set_front(packet.output, number, true);
    return is_front;
  }
  /// Takes the first packet, which goes to the output, out of its queue.
  /// @return the output of the next one, if it is another one's front now
  std::optional<PortNumber> pop(std::uint32_t number, PortNumber output) {
    PacketQueue& queue = queues_[index(number, output)];
    queue.pop(packets_);
    if (!queue.empty() && packets_[queue.first].output == output) return std::nullopt;
    set_front(output, number, false);
    if (queue.empty()) return std::nullopt;
    const PortNumber next = packets_[queue.first].output;
    set_front(next, number, true);
    return next;
  }
  /// Takes out all packets that go to the output: calls taken(slot) for each, and offered(other) for each
  /// output that has a new front by that.
  template <typename Taken, typename Offered>
  void take_out(PortNumber output, Taken taken, Offered offered);

  /// Calls visit(number, slot) for each of the output's fronts: the queue's number, and its first packet.
  template <typename Visit>
  void for_fronts(PortNumber output, Visit visit) const {
    for (std::size_t word = 0; word < words_; ++word) {
      for (std::uint64_t bits = fronts_[output * words_ + word]; bits != 0; bits &= bits - 1) {
        const auto number =
            static_cast<std::uint32_t>(word * 64 + static_cast<unsigned>(std::countr_zero(bits)));
        visit(number, first(number, output));
      }
    }
  }
  bool has_fronts(PortNumber output) const {
    for (std::size_t word = 0; word < words_; ++word)
      if (fronts_[output * words_ + word] != 0) return true;
    return false;
  }
  /// Calls visit(queue) for all queues, by number and output.
  template <typename Visit>
  void for_each(Visit visit) const {
    const std::size_t outputs = queues_.size() / numbers_;
    for (std::uint32_t number = 0; number < numbers_; ++number)
      for (std::size_t output = 0; output < outputs; ++output)
        visit(queues_[index(number, static_cast<PortNumber>(output))]);
  }
  /// Whether each queue leads to one output: virtual output queues.
  bool by_output() const { return by_output_; }

 private:
  std::size_t index(std::uint32_t number, PortNumber output) const {
    return by_output_ ? output * numbers_ + number : number;
  }
  void set_front(PortNumber output, std::uint32_t number, bool there) {
    std::uint64_t& word = fronts_[output * words_ + number / 64];
    const std::uint64_t bit = std::uint64_t{1} << number % 64;
    word = there ? word | bit : word & ~bit;
  }

  Packets& packets_;
  unsigned channels_;
  unsigned numbers_;
  bool by_output_;
  std::vector<PacketQueue> queues_;    // by output, if at all, and by number; or none
  std::size_t words_ = 0;              // an output's, of fronts_
  std::vector<std::uint64_t> fronts_;  // by output a bit for each number
};

template <typename Taken, typename Offered>
void InputQueues::take_out(PortNumber output, Taken taken, Offered offered) {
  const std::size_t begin = by_output_ ? index(0, output) : 0;
  for (std::uint32_t number = 0; number < numbers_ && !queues_.empty(); ++number) {
    PacketQueue& queue = queues_[begin + number];
    if (queue.empty()) continue;
    const Slot first = queue.first;
    PacketQueue kept;
    for (Slot slot = first, next = no_packet; slot != no_packet; slot = next) {
      next = packets_[slot].next;
      if (packets_[slot].output == output)
        taken(slot);
      else
        kept.push(packets_, slot);
    }
    queue = kept;
    if (queue.first == first) continue;
    set_front(output, number, false);
    if (queue.empty()) continue;
    const PortNumber other = packets_[queue.first].output;
    set_front(other, number, true);
    offered(other);
  }
}

}  // namespace morgana::fabric
