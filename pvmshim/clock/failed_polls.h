#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <utility>

#include "emulator/operations/operation.h"

namespace morgana {

/// Polls of a rank that have found nothing since it did anything else, and what the emulator has said to
/// them: the first ones.
class FailedPolls {
 public:
  struct FailedPoll {
    Operation poll;
    Answer answer;
    SimTime cost;
  };

  /// The one that asks the same; null: none.
  const FailedPoll* find(const Operation& poll) const {
    const std::size_t place = place_of(poll);
    return place == count_ ? nullptr : &polls_[place];
  }
  void keep(const Operation& poll, const Answer& answer, SimTime cost) {
    std::size_t place = place_of(poll);
    if (place == most_) place = replaced_++ % most_;
    count_ = std::max(count_, place + 1);
    polls_[place] = {poll, answer, cost};
  }
  std::span<const FailedPoll> all() const { return {polls_.data(), count_}; }

  /// The rank does something else. @return what restore() needs if that has changed nothing
  std::size_t forget() { return std::exchange(count_, 0); }
  void restore(std::size_t count) { count_ = count; }
  std::size_t count() const { return count_; }
  /// More than those of a rank without turns.
  void keep_more() { most_ = polls_.size(); }

 private:
  static bool ask_the_same(const Operation& one, const Operation& other) {
    return one.kind == other.kind && one.call == other.call && one.context == other.context &&
           one.peer == other.peer && one.tag == other.tag && one.completion == other.completion &&
           one.requests == other.requests;
  }
  /// count_ if it is not there.
  std::size_t place_of(const Operation& poll) const {
    std::size_t place = 0;
    while (place < count_ && !ask_the_same(polls_[place].poll, poll)) ++place;
    return place;
  }

  std::array<FailedPoll, 16> polls_;
  std::size_t most_ = 4;  // a rank without turns has so many
  std::size_t count_ = 0;
  std::size_t replaced_ = 0;  // which one gives its place to the next
};

}  // namespace morgana
