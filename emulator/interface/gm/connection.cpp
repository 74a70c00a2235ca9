#include "emulator/interface/gm/connection.h"

#include <algorithm>
#include <cassert>

namespace morgana::gm {

void SendingEnd::post(UnitId message, Bytes bytes, Bytes largest_payload) {
  const std::int64_t room = largest_payload.count();
  const std::int64_t packets = std::max<std::int64_t>((bytes.count() + room - 1) / room, 1);
  const Number first = end_;
  end_ += static_cast<Number>(packets);
  messages_.push_back({message, bytes, first, end_});
}

Packet SendingEnd::fetch(Bytes largest_payload) {
  const Number number = next_++;
  while (messages_[fetching_].end <= number) ++fetching_;
  const CutMessage& message = messages_[fetching_];
  Packet packet;
  packet.message = message.id;
  packet.number = number;
  packet.session = session_;
  packet.completes_message = number + 1 == message.end;
  packet.first_time = number == never_sent_;
  if (packet.first_time) ++never_sent_;
  const Bytes before = static_cast<std::int64_t>(number - message.first) * largest_payload;
  packet.payload = packet.completes_message ? message.bytes - before : largest_payload;
  return packet;
}

bool SendingEnd::acknowledge(Number before) {
  if (before <= oldest_) return false;
  assert(before <= never_sent_);
  oldest_ = before;
  next_ = std::max(next_, before);  // it was sent before the last time-out, and is about to be repeated
  while (!messages_.empty() && messages_.front().end <= before) {
    messages_.pop_front();
    if (fetching_ > 0) --fetching_;
  }
  return true;
}

void SendingEnd::go_back() {
  next_ = oldest_;
  fetching_ = 0;
}

std::vector<UnitId> SendingEnd::give_up(Number accepted) {
  std::vector<UnitId> returned;
  for (const CutMessage& message : messages_)
    if (message.end > accepted) returned.push_back(message.id);
  messages_.clear();
  fetching_ = 0;
  oldest_ = next_ = never_sent_ = end_ = 0;
  ++session_;
  return returned;
}

ReceivingEnd::Verdict ReceivingEnd::receive(const Packet& packet) {
  if (packet.session != session_) return Verdict::stale;
  if (packet.number > expected_) return Verdict::early;
  if (packet.number < expected_) return Verdict::repeated;
  ++expected_;
  refused_ = false;
  return Verdict::accepted;
}

bool ReceivingEnd::to_be_refused() {
  const bool first = !refused_;
  refused_ = true;
  return first;
}

void ReceivingEnd::end_session() {
  ++session_;
  expected_ = 0;
  refused_ = false;
}

}  // namespace morgana::gm
