#include "emulator/messaging/messenger.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

namespace morgana {
namespace {

/// 0 of a service's.
SimTime begin_of(const Messenger::Sent& send) {
  return send.serves ? SimTime() : send.begun;
}

}  // namespace

ReceivedMessage Messenger::received_of(const Sent& send) {
  ReceivedMessage received;
  received.envelope = send.envelope;
  received.bytes = send.bytes;
  received.payload = send.payload;
  received.begun = begin_of(send);
  return received;
}

Messenger::Found Messenger::found(std::uint32_t message) const {
  const Sent& send = send_of(message);
  return {send.envelope, send.bytes, message, begin_of(send), origin_of(message)};
}

std::optional<Messenger::Found> Messenger::find(Rank receiver, const Envelope& pattern) {
  const auto message = matchers_[index(receiver)].find(pattern);
  if (!message) return std::nullopt;
  return found(*message);
}

std::optional<Messenger::Found> Messenger::take(Rank receiver, const Envelope& pattern) {
  const auto message = matchers_[index(receiver)].take(pattern);
  if (!message) return std::nullopt;
  return found(*message);
}

std::uint64_t Messenger::unreceived() const {
  std::uint64_t count = 0;
  for (const Matcher& matcher : matchers_) count += matcher.messages_waiting();
  return count;
}

std::vector<Messenger::Found> Messenger::unreceived(Rank receiver) const {
  std::vector<Found> messages;
  matchers_[index(receiver)].for_each_message_waiting([&](std::uint32_t message) {
    const Sent& send = send_of(message);
    if (is_of_program(send) && !is_for_collectives(send.envelope.context)) messages.push_back(found(message));
  });
  std::ranges::sort(messages, {}, [](const Found& one) {
    return std::tuple(one.begun, index(one.envelope.source), one.envelope.tag, one.message);
  });
  return messages;
}

std::string Messenger::unreceived_report() const {
  std::uint64_t count = 0;
  std::optional<Found> first;
  std::size_t receiver_of_first = 0;
  for (std::size_t receiver = 0; receiver < matchers_.size(); ++receiver) {
    const std::vector<Found> messages = unreceived(Rank{static_cast<std::int32_t>(receiver)});
    count += messages.size();
    if (messages.empty()) continue;
    const auto order = [](const Found& one) { return std::tuple(one.begun, index(one.envelope.source)); };
    if (first && order(messages.front()) >= order(*first)) continue;
    first = messages.front();
    receiver_of_first = receiver;
  }
  if (!first) return {};
  return fmt::format("{} never received: {}from rank {} to rank {} with tag {} ({} bytes)",
                     count == 1 ? "1 message was" : fmt::format("{} messages were", count),
                     count == 1 ? "" : "the first one ", index(first->envelope.source), receiver_of_first,
                     static_cast<std::int32_t>(first->envelope.tag), first->bytes.count());
}

}  // namespace morgana
