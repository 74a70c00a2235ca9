#include "traces/import/time_independent_tests.h"

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <utility>

#include "traces/import/time_independent_action.h"

namespace morgana::time_independent {
namespace {

/// What follows a line, under one name.
struct Following {
  std::size_t waits = 0;            ///< whose start has not been met
  std::optional<std::size_t> last;  ///< test before the next start
  /// Earlier tests before it, and those beyond it of which that start has no need; the last one first.
  std::deque<std::size_t> spare;
};
using AllFollowing = std::map<RequestLine::Name, Following>;

AllFollowing::iterator named(AllFollowing& following, const RequestLine& start) {
  const auto exact = following.find(start.name);
  if (exact != following.end() || !start.any) return exact;
  return std::ranges::find_if(following, [&](const auto& one) {
    const RequestLine::Name& name = one.first;
    return name.destination == start.name.destination &&
           (start.name.source == undefined_peer || name.source == start.name.source) &&
           (start.name.tag == any_tag_there || name.tag == start.name.tag);
  });
}

}  // namespace

std::vector<std::size_t> tests_that_found(std::span<const RequestLine> lines) {
  std::vector<std::size_t> found;
  AllFollowing following;
  for (std::size_t left = lines.size(); left > 0;
       --left) {  // clang 14 takes no std::views::reverse of a span
    const RequestLine& line = lines[left - 1];
    if (line.kind == RequestLine::Kind::tests) {
      Following& its = following[line.name];
      if (its.last)
        its.spare.push_back(line.test);
      else
        its.last = line.test;
      continue;
    }
    if (line.kind == RequestLine::Kind::waits) {
      ++following[line.name].waits;
      continue;
    }
    const auto place = named(following, line);
    if (place == following.end()) continue;
    Following& its = place->second;
    if (its.waits > 0) {
      --its.waits;
      if (its.last) its.spare.push_front(*std::exchange(its.last, std::nullopt));
    } else if (its.last) {
      found.push_back(*std::exchange(its.last, std::nullopt));
    } else {
      found.push_back(its.spare.front());
      its.spare.pop_front();
    }
    if (its.waits == 0 && !its.last && its.spare.empty()) following.erase(place);
  }
  std::ranges::sort(found);
  return found;
}

}  // namespace morgana::time_independent
