#include "emulator/core/event_queue.h"

#include <algorithm>
#include <cassert>

namespace morgana {
namespace {
constexpr std::uint64_t after_operations = std::uint64_t{1} << 63;
constexpr std::size_t arity = 4;
}  // namespace

void EventQueue::schedule(SimTime at, EventHandler& handler, std::uint64_t what) {
  push({at, after_operations | scheduled_++, &handler, what});
}

void EventQueue::schedule_operation(SimTime at, std::uint32_t rank, EventHandler& handler,
                                    std::uint64_t what) {
  push({at, rank, &handler, what});
}

void EventQueue::push(const Event& event) {
  assert(event.at >= now_);
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

void EventQueue::handle_next() {
  assert(!heap_.empty());
  const Event next = heap_.front();
  const Event last = heap_.back();
  heap_.pop_back();
  if (!heap_.empty()) {
    std::size_t hole = 0;
    while (true) {
      const std::size_t first = hole * arity + 1;
      if (first >= heap_.size()) break;
      const std::size_t end = std::min(first + arity, heap_.size());
      std::size_t least = first;
      for (std::size_t child = first + 1; child < end; ++child)
        if (heap_[child].before(heap_[least])) least = child;
      if (!heap_[least].before(last)) break;
      heap_[hole] = heap_[least];
      hole = least;
    }
    heap_[hole] = last;
  }
  now_ = next.at;
  ++handled_;
  next.handler->handle(next.what);
}

}  // namespace morgana
