#include "emulator/interface/lanai/processor.h"

#include <bit>
#include <cassert>

namespace morgana {

LanaiProcessor::LanaiProcessor(EventQueue& events, LanaiHandlers& handlers, SimTime cycle,
                               std::int64_t dispatch, DispatchOrder order)
    : events_(events), handlers_(handlers), cycle_(cycle), dispatch_(dispatch), order_(order) {
  assert(cycle > SimTime() && dispatch > 0);
}

void LanaiProcessor::raise(unsigned event) {
  assert(event < most_events);
  status_ |= std::uint32_t{1} << event;
  if (busy_) return;
  busy_ = true;
  events_.schedule_late(events_.now(), *this, status_is_read);
}

void LanaiProcessor::schedule(std::int64_t cycles, What what) {
  cycles_ += cycles;
  events_.schedule(events_.now() + cycles * cycle_, *this, what);
}

unsigned LanaiProcessor::next() const {
  const std::uint64_t behind = std::uint64_t{status_} >> (current_ + 1) << (current_ + 1);
  const bool first = order_ == DispatchOrder::by_priority || behind == 0;
  return static_cast<unsigned>(std::countr_zero(first ? std::uint64_t{status_} : behind));
}

void LanaiProcessor::handle(std::uint64_t what) {
  switch (static_cast<What>(what)) {
    case status_is_read:
      current_ = next();
      ++dispatches_;
      return schedule(dispatch_, handler_begins);
    case handler_begins:
      status_ &= ~(std::uint32_t{1} << current_);
      return schedule(handlers_.begin(current_), handler_ends);
    case handler_ends:
      handlers_.end(current_);
      busy_ = status_ != 0;
      if (busy_) events_.schedule_late(events_.now(), *this, status_is_read);
  }
}

}  // namespace morgana
