#include "emulator/messaging/losses.h"

#include <fmt/format.h>

#include <algorithm>

namespace morgana {
namespace {

constexpr std::size_t kept = 1000, listed = 5;

template <typename Condition>
const UndeliveredMessage* first_with(const std::vector<UndeliveredMessage>& messages,
                                     const Condition& condition) {
  const auto found = std::ranges::find_if(messages, condition);
  return found == messages.end() ? nullptr : &*found;
}

std::string messages_were(std::uint64_t count) {
  return fmt::format("{} {}", count, count == 1 ? "message was" : "messages were");
}

std::string heading(std::uint64_t lost, std::uint64_t returned) {
  std::string text;
  if (lost > 0) text = messages_were(lost) + " lost";
  if (lost > 0 && returned > 0) text += ", ";
  if (returned > 0)
    text += messages_were(returned) + (returned == 1 ? " returned to its sender undelivered"
                                                     : " returned to their senders undelivered");
  return text +
         fmt::format(": a rank that waits for {0} waits forever", lost + returned == 1 ? "it" : "them");
}

}  // namespace

void Losses::add(const UndeliveredMessage& message) {
  latest_ = std::max(latest_, message.at);
  ++(message.returned ? returned_ : lost_);
  if (first_.size() < kept) first_.push_back(message);
}

void Losses::add(const Losses& others) {
  latest_ = std::max(latest_, others.latest_);
  lost_ += others.lost_;
  returned_ += others.returned_;
  first_.insert(first_.end(), others.first_.begin(), others.first_.end());
  std::ranges::stable_sort(first_, {}, &UndeliveredMessage::at);
}

std::string Losses::report(const std::string& remedy, const std::function<std::string(Rank)>& text_of) const {
  if (count() == 0) return {};
  std::string text = unstable().empty() ? "" : fmt::format("{}: ", name_of(Outcome::unstable));
  text += heading(lost_, returned_);
  if (!remedy.empty()) text += "; " + remedy;
  const std::size_t lines = std::min(first_.size(), listed);
  for (std::size_t i = 0; i < lines; ++i) {
    const UndeliveredMessage& message = first_[i];
    text += fmt::format("\n  {} of {} bytes", message.what, message.bytes.count());
    if (message.tag != any_tag) text += fmt::format(" with tag {}", static_cast<std::int32_t>(message.tag));
    const auto named = [&](Rank rank) {
      return text_of ? text_of(rank) : fmt::format("rank {}", index(rank));
    };
    text += fmt::format(" from {} to {}, at {:.9f} s", named(message.from), named(message.to),
                        message.at.seconds());
    if (!message.where.empty())
      text += ": " + message.where;
    else if (message.returned)
      text += fmt::format(": {}", name_of(*message.returned));
  }
  if (count() > lines) text += fmt::format("\n  and {} more", count() - lines);
  return text;
}

std::string Losses::unstable() const {
  const UndeliveredMessage* message =
      first_with(first_, [](const UndeliveredMessage& one) { return one.returned == Outcome::unstable; });
  if (message == nullptr) return {};
  return message->where.empty() ? std::string(name_of(Outcome::unstable)) : message->where;
}

const UndeliveredMessage* Losses::to_receive(Rank to, Context context, Rank from, Tag tag) const {
  return first_with(first_, [&](const UndeliveredMessage& message) {
    return message.to == to && (context == message.context || context == any_context) &&
           (from == message.from || from == any_rank) && (tag == message.tag || tag == any_tag);
  });
}

const UndeliveredMessage* Losses::of_send(Rank from, Context context, Rank to, Tag tag) const {
  return first_with(first_, [&](const UndeliveredMessage& message) {
    return message.from == from && message.context == context && message.to == to && message.tag == tag;
  });
}

const UndeliveredMessage* Losses::to(Rank rank, Context context) const {
  return first_with(first_, [&](const UndeliveredMessage& message) {
    return message.context == context && message.to == rank;
  });
}

const UndeliveredMessage* Losses::with(Rank rank, Context context) const {
  return first_with(first_, [&](const UndeliveredMessage& message) {
    return message.context == context && (message.from == rank || message.to == rank);
  });
}

std::string fate_of(const UndeliveredMessage& message) {
  return message.returned ? fmt::format("returned to its sender: {}", name_of(*message.returned)) : "lost";
}

}  // namespace morgana
