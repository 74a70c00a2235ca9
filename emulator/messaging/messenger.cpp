#include "emulator/messaging/messenger.h"

#include <fmt/format.h>

#include <tuple>

namespace morgana {
namespace {

/// 0 of a service's.
SimTime begin_of(const Messenger::Send& send) {
  return send.serves ? SimTime() : send.begun;
}

}  // namespace

ReceivedMessage Messenger::received_of(const Send& send) {
  ReceivedMessage received;
  received.envelope = send.envelope;
  received.bytes = send.bytes;
  received.payload = send.payload;
  received.begun = begin_of(send);
  return received;
}

Messenger::Found Messenger::found(std::uint32_t message) const {
  const Send& send = send_of(message);
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

std::string Messenger::unreceived_report() const {
  std::uint64_t count = 0;
  const Send* first = nullptr;
  const auto order = [](const Send& send) {
    return std::tuple(send.begun, index(send.envelope.source), index(send.receiver), send.envelope.tag);
  };
  for (const Matcher& matcher : matchers_)
    matcher.for_each_message_waiting([&](std::uint32_t message) {
      const Send& send = send_of(message);
      if (send.serves || is_for_collectives(send.envelope.context)) return;
      ++count;
      if (first == nullptr || order(send) < order(*first)) first = &send;
    });
  if (first == nullptr) return {};
  return fmt::format("{} never received: {}from rank {} to rank {} with tag {} ({} bytes)",
                     count == 1 ? "1 message was" : fmt::format("{} messages were", count),
                     count == 1 ? "" : "the first one ", index(first->envelope.source),
                     index(first->receiver), static_cast<std::int32_t>(first->envelope.tag),
                     first->bytes.count());
}

}  // namespace morgana
