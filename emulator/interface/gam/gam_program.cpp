#include "emulator/interface/gam/gam_program.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace morgana::gam {

GamProgram::GamProgram(EventQueue& events, GamSurroundings& surroundings, PortId self,
                       const Parameters& parameters)
    : parameters_(parameters),
      surroundings_(surroundings),
      self_(self),
      processor_(events, *this, parameters.lanai.cycle, parameters.dispatch),
      bus_(parameters.lanai.bus_latency, parameters.lanai.bus_rate, parameters.lanai.rate_to_host()),
      from_host_(events, bus_, processor_, finish_fetch, BusDirection::from_host),
      to_host_(events, bus_, processor_, finish_deliver, BusDirection::to_host) {}

void GamProgram::post(const Unit& fragment) {
  assert(fragment.from == self_ && fragment.to != self_);
  posted_.push_back(fragment);
  most_waiting_ = std::max(most_waiting_, posted_.size());
  move_on();
}

/// Short messages that are next are in the interface already.
void GamProgram::move_on() {
  for (; !fetching_ && !posted_.empty() && parameters_.is_short(posted_.front().size); posted_.pop_front())
    ready_.push_back(posted_.front());
  if (may_fetch()) processor_.raise(start_fetch);
  want_door();
}

bool GamProgram::may_fetch() const {
  return !posted_.empty() && !fetching_ && buffers_used_ < parameters_.send_buffers;
}

void GamProgram::door_opens() {
  processor_.raise(start_send);
}

void GamProgram::departed() {
  sending_ = false;
  if (!sends_short_) --buffers_used_;
  move_on();
}

void GamProgram::received(const Unit& fragment) {
  arrived_.push_back(fragment);
  processor_.raise(finish_receive);
}

void GamProgram::want_door() {
  if (sending_ || ready_.empty()) return;
  sending_ = true;
  surroundings_.ask_for_door(self_, ready_.front().to);
}

std::int64_t GamProgram::begin(unsigned /*event*/) {
  return parameters_.handler;
}

void GamProgram::end(unsigned event) {
  switch (static_cast<Event>(event)) {
    case finish_receive:
      return deliver_next();
    case finish_deliver: {
      const Unit fragment = *std::exchange(delivering_, std::nullopt);
      if (!arrived_.empty()) processor_.raise(finish_receive);
      return surroundings_.in_host_memory(fragment);
    }
    case start_send: {
      const Unit fragment = ready_.front();
      ready_.pop_front();
      ++fragments_;
      sends_short_ = parameters_.is_short(fragment.size);
      return surroundings_.send(fragment);
    }
    case finish_fetch:
      ready_.push_back(*std::exchange(fetching_, std::nullopt));
      return move_on();
    case start_fetch:
      return fetch_next();
  }
}

void GamProgram::fetch_next() {
  if (!may_fetch()) return;
  fetching_ = posted_.front();
  posted_.pop_front();
  ++buffers_used_;
  from_host_.start(fetching_->size);
}

/// With several receive buffers the DMA may still be at an earlier fragment, whose end raises this again.
void GamProgram::deliver_next() {
  if (delivering_ || arrived_.empty()) return;
  const Unit fragment = arrived_.front();
  arrived_.pop_front();
  if (parameters_.is_short(fragment.size)) {
    if (!arrived_.empty()) processor_.raise(finish_receive);
    return surroundings_.in_host_memory(fragment);
  }
  delivering_ = fragment;
  to_host_.start(delivering_->size);
}

}  // namespace morgana::gam
