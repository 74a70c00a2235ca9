#include "emulator/transport/uet/outbound.h"

#include <cassert>

namespace morgana::uet {

using State = Outbound::Sent::State;

Psn Outbound::send_new(SimTime now, Bytes size, std::uint32_t entropy) {
  sent_.push_back({.at = now, .size = size, .entropy = entropy, .times = 1});
  order_.push_back({next_, 1});
  under_way_ += size.count();
  return next_++;
}

void Outbound::send_again(Psn psn, SimTime now, std::uint32_t entropy) {
  Sent& packet = sent_[psn - oldest_];
  assert(packet.state == State::to_repeat);
  repeats_.erase(psn);
  to_repeat_bytes_ -= packet.size;
  packet.state = State::under_way;
  packet.at = now;
  packet.entropy = entropy;
  order_.push_back({psn, ++packet.times});
  under_way_ += packet.size.count();
}

bool Outbound::is_under_way(Psn psn) const {
  return psn >= oldest_ && psn < next_ && sent_[psn - oldest_].state == State::under_way;
}

std::optional<SimTime> Outbound::sent_at(const Acknowledgement& report) const {
  if (!is_under_way(report.packet)) return std::nullopt;
  const Sent& packet = sent_[report.packet - oldest_];
  const std::uint32_t times = report.repeated ? 2 : 1;
  return packet.times == times ? std::optional(packet.at) : std::nullopt;
}

/// @return whether it was not before
bool Outbound::note_acknowledged(Psn psn) {
  if (psn < oldest_ || psn >= next_) return false;
  Sent& packet = sent_[psn - oldest_];
  if (packet.state == State::acknowledged) return false;
  if (packet.state == State::to_repeat) {
    // It was given up, and its receiver has counted it.
    repeats_.erase(psn);
    to_repeat_bytes_ -= packet.size;
    under_way_ += packet.size.count();
  }
  packet.state = State::acknowledged;
  return true;
}

void Outbound::give_up(Psn psn, bool by_timeout) {
  Sent& packet = sent_[psn - oldest_];
  assert(packet.state == State::under_way);
  packet.state = State::to_repeat;
  packet.timeouts += by_timeout ? 1 : 0;
  repeats_.insert(psn);
  to_repeat_bytes_ += packet.size;
  under_way_ -= packet.size.count();
}

std::optional<Psn> Outbound::first_sent() {
  while (!order_.empty()) {
    const auto [psn, times] = order_.front();
    if (is_under_way(psn) && sent_[psn - oldest_].times == times) return psn;
    order_.pop_front();
  }
  return std::nullopt;
}

void Outbound::clear() {
  oldest_ = next_;
  sent_.clear();
  repeats_.clear();
  order_.clear();
  to_repeat_bytes_ = Bytes();
  under_way_ = 0;
}

}  // namespace morgana::uet
