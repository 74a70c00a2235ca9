#pragma once

#include <algorithm>
#include <cstdint>
#include <list>
#include <optional>

#include "emulator/messaging/matcher.h"

namespace morgana {

/// MPI's matching rules as one would write them on a board: two lists, looked through from the front.
class ReferenceMatcher {
 public:
  std::optional<std::uint32_t> post(const Envelope& pattern, std::uint32_t receive) {
    const auto found =
        std::ranges::find_if(messages_, [&](const Entry& m) { return fits(pattern, m.envelope); });
    if (found == messages_.end()) {
      receives_.push_back({pattern, receive});
      return std::nullopt;
    }
    const std::uint32_t message = found->number;
    messages_.erase(found);
    return message;
  }

  std::optional<std::uint32_t> arrive(const Envelope& envelope, std::uint32_t message) {
    const auto found =
        std::ranges::find_if(receives_, [&](const Entry& r) { return fits(r.envelope, envelope); });
    if (found == receives_.end()) {
      messages_.push_back({envelope, message});
      return std::nullopt;
    }
    const std::uint32_t receive = found->number;
    receives_.erase(found);
    return receive;
  }

  std::optional<std::uint32_t> find(const Envelope& pattern) const {
    const auto found =
        std::ranges::find_if(messages_, [&](const Entry& m) { return fits(pattern, m.envelope); });
    if (found == messages_.end()) return std::nullopt;
    return found->number;
  }

  void cancel(std::uint32_t receive) {
    receives_.remove_if([&](const Entry& r) { return r.number == receive; });
  }

  std::size_t messages_waiting() const { return messages_.size(); }

 private:
  struct Entry {
    Envelope envelope;
    std::uint32_t number;
  };
  static bool fits(const Envelope& pattern, const Envelope& message) {
    return (pattern.context == any_context || pattern.context == message.context) &&
           (pattern.source == any_rank || pattern.source == message.source) &&
           (pattern.tag == any_tag || pattern.tag == message.tag);
  }
  std::list<Entry> receives_, messages_;
};

}  // namespace morgana
