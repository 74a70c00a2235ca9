// How LibraryMessenger takes back a message that its sender has cancelled.

#include <utility>

#include "emulator/messaging/library_messenger.h"

namespace morgana {

void LibraryMessenger::recall(std::uint32_t number) {
  Message& message = messages_[number];
  if (message.holds_buffer) return;  // as of every eager message: it is over before an answer could come
  if (!std::exchange(message.recall_sent, true) && message.started) ask_back(number);
}

void LibraryMessenger::ask_back(std::uint32_t number) {
  Message& message = messages_[number];
  message.recalling = true;
  if (message.local)
    later(machine_.events->now() + machine_.messages.local_latency, number, Leg::recall);
  else
    shipments_.ship(number, Leg::recall);
}

/// A message that has matched, or that a probe has taken, is answered by what follows from that.
void LibraryMessenger::recall_came(std::uint32_t number) {
  Message& message = messages_[number];
  const std::size_t receiver = index(message.send.receiver);
  if (message.over || (message.has_come && !matchers_[receiver].withdraw(number))) return recall_over(number);
  message.withdrawn = true;
  if (message.has_come) shipments_.take_out(message);
  unexpected_.free(message);
  if (message.local)
    later(machine_.events->now() + machine_.messages.local_latency, number, Leg::recalled);
  else
    shipments_.ship(number, Leg::recalled);
}

void LibraryMessenger::recall_answered(std::uint32_t number) {
  Message& message = messages_[number];
  if (!std::exchange(message.acknowledged, true))
    client_.recalled(message.send.token, messages_[number].take_payload());
  recall_over(number);
  forget_if_withdrawn(number);
}

void LibraryMessenger::recall_over(std::uint32_t number) {
  Message& message = messages_[number];
  message.recalling = false;
  if (message.departed && !std::exchange(message.acknowledged, true))
    client_.sent(message.send.token, messages_.departure(messages_[number], machine_.events->now()));
  if (messages_[number].over) messages_.forget(number);
}

/// When nothing of it is under way.
void LibraryMessenger::forget_if_withdrawn(std::uint32_t number) {
  const Message& message = messages_[number];
  if (message.withdrawn && message.acknowledged && message.has_come && messages_.has_second_push(message) &&
      !message.recalling)
    messages_.forget(number);
}

}  // namespace morgana
