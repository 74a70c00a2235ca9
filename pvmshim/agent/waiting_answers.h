#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "emulator/operations/operation.h"
#include "pvmshim/channel/codec.h"

namespace morgana {

/// Answers of the emulator that wait until all is here that they are about: payloads that they name, and
/// messages that the emulator knew of when it answered. Used by one thread at a time, but for came() and
/// any().
class WaitingAnswers {
 public:
  /// What they ask of others; each named by a payload's marked handle.
  struct Surroundings {
    std::function<bool(std::uint64_t payload)> is_here;
    /// Called once for each that is not, and answer waits for.
    std::function<void(std::uint64_t payload)> ask_for;
    /// Handles of payloads are without marks.
    std::function<void(Rank rank, const Answer& answer)> give;
  };

  WaitingAnswers(std::size_t agents, Surroundings surroundings)
      : surroundings_(std::move(surroundings)), expected_(agents), come_(agents) {}

  /// So many messages have been sent by that agent's ranks to ranks here, as the emulator knows.
  /// @throws MalformedFrame if there is no such agent
  void expect(std::int32_t agent, std::uint64_t sent);
  /// One more of those has been announced to a rank here. From any thread.
  void came(std::size_t agent) { ++come_[agent]; }
  /// Whether any answer waits, or is looked at now: what comes meanwhile must be said to the thread that
  /// gives them. From any thread.
  bool any() const { return has_any_; }

  /// To be given with the next give_all(), or later.
  void add(Rank rank, Answer answer);
  /// Gives it now if it waits for nothing, and else as add(). If this throws, it is not there.
  /// @return whether it was given
  bool add_or_give(Rank rank, Answer answer);
  /// Gives those that wait for nothing. @return whether none is left
  bool give_all();

 private:
  struct Waiting {
    Rank rank;
    Answer answer;
    std::vector<std::uint64_t> expected;  ///< messages, by agent, that are announced to its rank before
  };

  bool has_all(const Waiting& waiting);
  bool give(Waiting& waiting);

  Surroundings surroundings_;
  std::vector<std::uint64_t> expected_;           ///< messages, by agent
  std::vector<std::atomic<std::uint64_t>> come_;  ///< of those
  std::vector<Waiting> waiting_;
  std::set<std::uint64_t> asked_for_;  ///< payloads, marked
  std::atomic<bool> has_any_{false};   ///< set before it is looked for what they wait for
};

}  // namespace morgana
