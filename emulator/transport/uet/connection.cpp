#include "emulator/transport/uet/connection.h"

#include <algorithm>

namespace morgana::uet {
namespace {

template <typename Messages>
auto& message_in(Messages& messages, Psn psn) {
  if (messages.back().first <= psn) return messages.back();  // mostly the one that is being sent
  const auto after = std::upper_bound(messages.begin(), messages.end(), psn,
                                      [](Psn one, const Message& message) { return one < message.first; });
  return *(after - 1);
}

}  // namespace

Message& Connection::message_of(Psn psn) {
  return message_in(messages, psn);
}

const Message& Connection::message_of(Psn psn) const {
  return message_in(messages, psn);
}

bool Connection::has_to_send(SimTime now) const {
  if (failed) return false;
  if (outbound.to_repeat()) return true;
  const Psn next = outbound.next();
  return next < end && message_of(next).ready <= now;
}

Bytes Connection::payload_of(Psn psn, const Framing& framing) const {
  const Message& message = message_of(psn);
  return framing.payload(message.bytes, psn - message.first);
}

Bytes Connection::next_size(const Framing& framing) const {
  if (const auto repeat = outbound.to_repeat()) return outbound[*repeat].size;
  return framing.on_link(payload_of(outbound.next(), framing));
}

bool Connection::may_send(const Framing& framing) const {
  if (lacks_credit()) return false;
  return control == nullptr || outbound.under_way() + next_size(framing) <= control->window();
}

std::int64_t Connection::target(const Framing& framing, std::size_t in_line_there) const {
  Bytes all = left + outbound.left_to_repeat();
  if (control != nullptr) all = std::min(all, control->window() + framing.full_packet());
  return credited->target(all, framing.full_packet(), in_line ? in_line_there : in_line_there + 1);
}

void Connection::forget_done() {
  while (!messages.empty() && messages.front().delivered && messages.front().to_acknowledge == 0)
    messages.pop_front();
}

}  // namespace morgana::uet
