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

void Matcher::show(Node message, std::size_t view) {
  if (seen_at_.size() < lines_.places()) seen_at_.resize(lines_.places());
  seen_at_[message][view] =
      seen_[view].append(seen_in(view, lines_.key(message)), message, lines_.sequence(message));
}

void Matcher::use_view(std::size_t view) {
  if (view_in_use_[view]) return;
  view_in_use_[view] = other_views_ = true;
  std::vector<Node> messages;
  for (Node node = 0; node < lines_.places(); ++node)
    if (is_message(node)) messages.push_back(node);
  std::ranges::sort(messages, {}, [this](Node node) { return lines_.sequence(node); });
  for (const Node message : messages) show(message, view);
}

Matcher::Node Matcher::first_message(const Envelope& pattern) {
  const std::size_t view = view_of(pattern);
  if (view == 0) {
    const Node node = lines_.first(pattern);
    return node == Queues::none || !is_message(node) ? Queues::none : node;
  }
  use_view(view);
  const Node seen = seen_[view].first(pattern);
  return seen == Queues::none ? Queues::none : seen_[view].item(seen);
}

void Matcher::take_message(Node message) {
  if (other_views_)
    for (std::size_t view = 1; view < views; ++view)
      if (view_in_use_[view]) seen_[view].remove(seen_at_[message][view]);
  lines_.remove(message);
  --messages_;
}

Matcher::Posted Matcher::post(const Envelope& pattern, std::uint32_t receive) {
  if (const auto message = take(pattern)) return {message, no_place};
  ++receives_in_view_[view_of(pattern)];
  return {std::nullopt, lines_.append(pattern, receive, 2 * sequence_++)};
}

std::optional<std::uint32_t> Matcher::arrive(const Envelope& envelope, std::uint32_t message) {
  Node earliest = Queues::none;
  for (std::size_t view = 0; view < views; ++view) {
    if (receives_in_view_[view] == 0) continue;
    const Node node = lines_.first(seen_in(view, envelope));
    if (node == Queues::none || is_message(node)) continue;
    if (earliest == Queues::none || lines_.sequence(node) < lines_.sequence(earliest)) earliest = node;
  }
  if (earliest != Queues::none) {
    const std::uint32_t receive = lines_.item(earliest);
    --receives_in_view_[view_of(lines_.key(earliest))];
    lines_.remove(earliest);
    return receive;
  }
  const Node node = lines_.append(envelope, message, 2 * sequence_++ + 1);
  ++messages_;
  if (other_views_)
    for (std::size_t view = 1; view < views; ++view)
      if (view_in_use_[view]) show(node, view);
  return std::nullopt;
}

bool Matcher::expects(const Envelope& envelope) const {
  for (std::size_t view = 0; view < views; ++view) {
    if (receives_in_view_[view] == 0) continue;
    if (const Node node = lines_.first(seen_in(view, envelope)); node != Queues::none && !is_message(node))
      return true;
  }
  return false;
}

std::optional<std::uint32_t> Matcher::find(const Envelope& pattern) {
  const Node node = first_message(pattern);
  if (node == Queues::none) return std::nullopt;
  return lines_.item(node);
}

std::optional<std::uint32_t> Matcher::take(const Envelope& pattern) {
  const Node node = first_message(pattern);
  if (node == Queues::none) return std::nullopt;
  const std::uint32_t message = lines_.item(node);
  take_message(node);
  return message;
}

bool Matcher::withdraw(std::uint32_t message) {
  for (Node node = 0; messages_ > 0 && node < lines_.places(); ++node) {
    if (!is_message(node) || lines_.item(node) != message) continue;
    take_message(node);
    return true;
  }
  return false;
}

void Matcher::cancel(const Envelope& pattern, Place place) {
  --receives_in_view_[view_of(pattern)];
  lines_.remove(place);
}

}  // namespace morgana
