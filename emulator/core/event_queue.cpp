#include "emulator/core/event_queue.h"

#include <algorithm>
#include <cassert>

#include "emulator/core/end_of_time.h"

namespace morgana {
namespace {
constexpr std::uint64_t after_operations = std::uint64_t{1} << 63;
constexpr std::uint64_t after_everything = after_operations | std::uint64_t{1} << 62;
constexpr std::size_t arity = 4;
}  // namespace

void refuse_time_past_end() {
  throw TimePastEnd(
      "simulated time passes its end, 53 days after the start: something computes, sleeps or transmits for "
      "longer");
}

void EventQueue::push(SimTime at, std::uint64_t order, EventHandler& handler, std::uint64_t what) {
  // Earlier than now: a sum of absurd times has overflown.
  if (at < now_ || at > latest) refuse_time_past_end();
  ++size_;
  const Event event{at, order, &handler, what};
  if (!lines_.append(event, at - now_, static_cast<unsigned>(order >> 62))) push_into_heap(event);
}

void EventQueue::schedule(SimTime at, EventHandler& handler, std::uint64_t what) {
  schedule_in_turn(at, take_turn(), handler, what);
}

void EventQueue::schedule_in_turn(SimTime at, std::uint64_t turn, EventHandler& handler, std::uint64_t what) {
  push(at, after_operations | turn, handler, what);
}

void EventQueue::schedule_operation(SimTime at, std::uint32_t rank, EventHandler& handler,
                                    std::uint64_t what) {
  push(at, rank, handler, what);
}

void EventQueue::schedule_late(SimTime at, EventHandler& handler, std::uint64_t what) {
  push(at, after_everything | scheduled_++, handler, what);
}

void EventQueue::push_into_heap(const Event& event) {
  if (hollow_) {
    hollow_ = false;
    sift_down(event);
    return;
  }
  std::size_t hole = heap_.size();
  heap_.push_back(event);
  while (hole > 0) {
    const std::size_t parent = (hole - 1) / arity;
    if (!event.before(heap_[parent])) break;
    heap_[hole] = heap_[parent];
    hole = parent;
  }
  heap_[hole] = event;
}

/// Of the children that begin at `first`. A full set is a tournament of conditional moves: which child wins
/// is a coin toss, and a wrong guess of the processor costs more than all the comparisons.
[[gnu::always_inline]] inline std::size_t EventQueue::least_child(std::size_t first) const {
  if (first + arity <= heap_.size()) {
    const Event* child = &heap_[first];
    const bool second_of_left = child[1].before(child[0]);
    const bool second_of_right = child[3].before(child[2]);
    const Event::Key left = second_of_left ? child[1].key() : child[0].key();
    const Event::Key right = second_of_right ? child[3].key() : child[2].key();
    const std::size_t right_winner = 2 + std::size_t{second_of_right};
    return first + (right < left ? right_winner : std::size_t{second_of_left});
  }
  std::size_t least = first;
  for (std::size_t child = first + 1; child < heap_.size(); ++child)
    if (heap_[child].before(heap_[least])) least = child;
  return least;
}

/// From the root, whatever stands there.
void EventQueue::sift_down(const Event& event) {
  std::size_t hole = 0;
  while (true) {
    const std::size_t first = hole * arity + 1;
    if (first >= heap_.size()) break;
    const std::size_t least = least_child(first);
    if (!heap_[least].before(event)) break;
    heap_[hole] = heap_[least];
    hole = least;
  }
  heap_[hole] = event;
}

void EventQueue::fill_root() {
  hollow_ = false;
  const Event last = heap_.back();
  heap_.pop_back();
  if (!heap_.empty()) sift_down(last);
}

bool EventQueue::holds_event_of_program() const {
  const auto serves = [](const Event& event) { return event.handler->serves_program(); };
  return std::any_of(heap_.begin() + (hollow_ ? 1 : 0), heap_.end(), serves) || lines_.any_of(serves);
}

void EventQueue::handle_next() {
  assert(size_ > 0);
  fill();
  --size_;
  ++handled_;
  hollow_ = heap_key() < lines_.first_key();
  const Event next = hollow_ ? heap_.front() : lines_.take_first();
  now_ = next.at;
  next.handler->handle(next.what);
}

}  // namespace morgana
