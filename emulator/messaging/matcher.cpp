#include "emulator/messaging/matcher.h"

#include <algorithm>

namespace morgana {

std::size_t Matcher::Hash::operator()(const Envelope& envelope) const {
  std::uint64_t mixed = static_cast<std::uint64_t>(envelope.context) * 0x9e3779b97f4a7c15;
  mixed ^= (static_cast<std::uint64_t>(static_cast<std::uint32_t>(envelope.source)) << 32) |
           static_cast<std::uint32_t>(envelope.tag);
  mixed = (mixed ^ (mixed >> 32)) * 0xd6e8feb86659fd93;
  return mixed ^ (mixed >> 32);
}

std::size_t Matcher::view_of(const Envelope& pattern) {
  return (pattern.context == any_context ? 4U : 0U) + (pattern.source == any_rank ? 2U : 0U) +
         (pattern.tag == any_tag ? 1U : 0U);
}

Envelope Matcher::seen_in(std::size_t view, const Envelope& envelope) {
  // A receive from any context means neither collectives nor the service context.
  const bool hidden = is_for_collectives(envelope.context) || envelope.context == service_context;
  return {(view & 4U) != 0 && !hidden ? any_context : envelope.context,
          (view & 2U) != 0 ? any_rank : envelope.source, (view & 1U) != 0 ? any_tag : envelope.tag};
}

void Matcher::use_view(std::size_t view) {
  if (view_in_use_[view]) return;
  view_in_use_[view] = true;
  std::vector<std::uint32_t> slots;
  for (std::uint32_t slot = 0; slot < waiting_.all().size(); ++slot)
    if (waiting_[slot].waits) slots.push_back(slot);
  std::ranges::sort(slots, {}, [this](std::uint32_t slot) { return waiting_[slot].sequence; });
  for (const std::uint32_t slot : slots) {
    WaitingMessage& waiting = waiting_[slot];
    waiting.places[view] = messages_[view].append(seen_in(view, waiting.envelope), slot, waiting.sequence);
  }
}

Matcher::Node Matcher::first_message(const Envelope& pattern) {
  const std::size_t view = view_of(pattern);
  use_view(view);
  return messages_[view].first(pattern);
}

void Matcher::take_message(std::uint32_t slot) {
  WaitingMessage& waiting = waiting_[slot];
  for (std::size_t view = 0; view < messages_.size(); ++view)
    if (view_in_use_[view]) messages_[view].remove(waiting.places[view]);
  waiting.waits = false;
  waiting_.give_back(slot);
}

Matcher::Posted Matcher::post(const Envelope& pattern, std::uint32_t receive) {
  if (const auto message = take(pattern)) return {message, no_place};
  ++receives_in_view_[view_of(pattern)];
  return {std::nullopt, receives_.append(pattern, receive, sequence_++)};
}

std::optional<std::uint32_t> Matcher::arrive(const Envelope& envelope, std::uint32_t message) {
  Node earliest = Queues::none;
  std::size_t earliest_view = 0;
  for (std::size_t view = 0; view < receives_in_view_.size(); ++view) {
    if (receives_in_view_[view] == 0) continue;
    const Node node = receives_.first(seen_in(view, envelope));
    if (node == Queues::none) continue;
    if (earliest == Queues::none || receives_.sequence(node) < receives_.sequence(earliest)) {
      earliest = node;
      earliest_view = view;
    }
  }
  if (earliest != Queues::none) {
    const std::uint32_t receive = receives_.item(earliest);
    receives_.remove(earliest);
    --receives_in_view_[earliest_view];
    return receive;
  }

  const std::uint32_t slot = waiting_.take();
  WaitingMessage& waiting = waiting_[slot];
  waiting.envelope = envelope;
  waiting.sequence = sequence_++;
  waiting.message = message;
  waiting.waits = true;
  for (std::size_t view = 0; view < messages_.size(); ++view)
    if (view_in_use_[view])
      waiting.places[view] = messages_[view].append(seen_in(view, envelope), slot, waiting.sequence);
  return std::nullopt;
}

bool Matcher::expects(const Envelope& envelope) const {
  for (std::size_t view = 0; view < receives_in_view_.size(); ++view)
    if (receives_in_view_[view] > 0 && receives_.first(seen_in(view, envelope)) != Queues::none) return true;
  return false;
}

std::optional<std::uint32_t> Matcher::find(const Envelope& pattern) {
  const Node node = first_message(pattern);
  if (node == Queues::none) return std::nullopt;
  return waiting_[messages_[view_of(pattern)].item(node)].message;
}

std::optional<std::uint32_t> Matcher::take(const Envelope& pattern) {
  const Node node = first_message(pattern);
  if (node == Queues::none) return std::nullopt;
  const std::uint32_t slot = messages_[view_of(pattern)].item(node);
  take_message(slot);
  return waiting_[slot].message;
}

bool Matcher::withdraw(std::uint32_t message) {
  for (std::uint32_t slot = 0; slot < waiting_.all().size(); ++slot) {
    if (!waiting_[slot].waits || waiting_[slot].message != message) continue;
    take_message(slot);
    return true;
  }
  return false;
}

void Matcher::cancel(const Envelope& pattern, Place place) {
  --receives_in_view_[view_of(pattern)];
  receives_.remove(place);
}

}  // namespace morgana
