#pragma once

#include <compare>
#include <cstddef>
#include <span>
#include <vector>

namespace morgana::time_independent {

/// A line that starts a request or names it, as SMPI names requests: by the ranks of a message and its tag.
struct RequestLine {
  enum class Kind { starts, tests, waits };
  struct Name {
    int source, destination, tag;
    auto operator<=>(const Name&) const = default;
  };

  Kind kind;
  Name name;
  bool any = false;      ///< `starts`: it may be named with another source or tag (a wildcard receive)
  std::size_t test = 0;  ///< `tests`: which of the rank's, from 0
};

/// Which of a rank's tests found their request complete. SMPI's traces do not say what a test found; but a
/// program waits no more for what it found complete, so these are the last tests of requests that no later
/// wait names. Read from the end: a wait is for the start before it that is nearest and has none yet, and so
/// is the last test before the next start; a start without either has a test further on that no other one
/// needs.
/// @return ascending
std::vector<std::size_t> tests_that_found(std::span<const RequestLine> lines);

}  // namespace morgana::time_independent
