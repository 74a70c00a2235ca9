#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/core/time.h"

namespace morgana {

class EventHandler;

/// What an EventQueue keeps of an event.
struct Event {
  SimTime at;
  std::uint64_t order;  ///< among those at the same time
  EventHandler* handler;
  std::uint64_t what;
  /// Time and order as one number: compared without a branch, which would be mispredicted.
  __extension__ using Key = unsigned __int128;
  Key key() const { return static_cast<Key>(static_cast<std::uint64_t>(at.ps())) << 64 | order; }
  bool before(const Event& other) const { return key() < other.key(); }
};

/// Events that come in the order in which they were scheduled, as all do that lie equally far ahead: a
/// cable's arrivals, a processor's cycles, what happens at once. A delay that comes again and again has a
/// line of its own, into which an event is put, and out of which it is taken, without being compared with the
/// others in it. A tournament between the lines decides which of their first events is the next.
class EventLines {
 public:
  static constexpr Event::Key nothing = ~Event::Key{0};

  EventLines();

  /// @param delay  of the event, from now
  /// @param sort  of its order: a late event is never in line with others of the same delay
  /// @return whether it has got into a line: there is one for its delay, and it comes behind those in it
  bool append(const Event& event, SimTime delay, unsigned sort);

  bool empty() const { return first_key_ == nothing; }
  /// `nothing` if there is none.
  Event::Key first_key() const { return first_key_; }
  /// There must be one.
  Event take_first();
  /// @param is_wanted  of an Event
  template <class Predicate>
  bool any_of(Predicate is_wanted) const {
    for (const Line& line : lines_)
      for (std::size_t place = line.first; place != line.end; ++place)
        if (is_wanted(line.ring[place & line.mask])) return true;
    return false;
  }

 private:
  struct Kind {
    std::int64_t delay = -1;
    unsigned sort = 0;
    bool operator==(const Kind&) const = default;
  };
  struct Line {
    Kind kind;                // of the events in it
    Kind candidate;           // that wanted it last; who wants it twice gets it
    std::vector<Event> ring;  // its size is a power of two
    std::size_t mask = 0;     // that size - 1
    std::size_t first = 0, end = 0;
    bool empty() const { return first == end; }
    const Event& front() const { return ring[first & mask]; }
    const Event& back() const { return ring[(end - 1) & mask]; }
    bool full() const { return end - first == ring.size(); }
    void grow();
  };
  static constexpr std::size_t lines = 32;

  Line* line_for(Kind kind);
  Line* new_line_for(Kind kind, Line& one, Line& other);
  bool play(std::size_t line, Event::Key key);

  std::array<Line, lines> lines_;
  std::array<Event::Key, lines> heads_;          // of lines: their first events
  std::array<std::uint8_t, 2 * lines> winners_;  // of matches; the final is the first, lines are the last
  Event::Key first_key_ = nothing;               // of the final's winner
  Event::Key runner_up_ = 0;                     // no other line's first event comes before this
};

/// One of two, so that few delays that come often stand in each other's way.
[[gnu::always_inline]] inline EventLines::Line* EventLines::line_for(Kind kind) {
  const std::uint64_t mixed = (static_cast<std::uint64_t>(kind.delay) + kind.sort) * 0x9e3779b97f4a7c15;
  Line& one = lines_[mixed >> 59];
  if (one.kind == kind) return &one;
  Line& other = lines_[mixed >> 54 & (lines - 1)];
  if (other.kind == kind) return &other;
  return new_line_for(kind, one, other);
}

/// The matches of a line of which the first event is another now.
/// @return whether it wins the final
[[gnu::always_inline]] inline bool EventLines::play(std::size_t line, Event::Key key) {
  heads_[line] = key;
  std::size_t winner = line;
  Event::Key least = key, rivals = nothing;
  for (std::size_t match = lines + line; match > 1; match /= 2) {
    const std::size_t rival = winners_[match ^ 1];
    const Event::Key rivals_key = heads_[rival];
    const bool loses = rivals_key < least;
    rivals = rivals_key < rivals ? rivals_key : rivals;
    winner = loses ? rival : winner;
    least = loses ? rivals_key : least;
    winners_[match / 2] = static_cast<std::uint8_t>(winner);
  }
  first_key_ = least;
  if (winner != line) return false;
  runner_up_ = rivals;
  return true;
}

[[gnu::always_inline]] inline bool EventLines::append(const Event& event, SimTime delay, unsigned sort) {
  Line* const line = line_for({delay.ps(), sort});
  if (line == nullptr) return false;
  const bool first = line->empty();
  if (!first && event.before(line->back())) return false;
  if (line->full()) line->grow();
  line->ring[line->end++ & line->mask] = event;
  if (!first) return true;
  const Event::Key key = event.key();
  if (!play(static_cast<std::size_t>(line - lines_.data()), key) && key < runner_up_) runner_up_ = key;
  return true;
}

/// Often the next event is in the same line: what happens to many at once, say.
[[gnu::always_inline]] inline Event EventLines::take_first() {
  const std::size_t place = winners_[1];
  Line& line = lines_[place];
  const Event event = line.front();
  ++line.first;
  const Event::Key key = line.empty() ? nothing : line.front().key();
  if (key < runner_up_) {
    heads_[place] = first_key_ = key;
  } else if (!play(place, key)) {
    runner_up_ = 0;
  }
  return event;
}

}  // namespace morgana
