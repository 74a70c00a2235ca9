#include "emulator/transport/overlay/servers.h"

#include <algorithm>
#include <cassert>

namespace morgana::overlay {

std::vector<ServerNumber> Servers::neighbours(ServerNumber server) const {
  std::vector<ServerNumber> all;
  if (shape_ == OverlayParameters::Shape::ring) {
    if (count_ > 1) all.push_back((server + count_ - 1) % count_);
    if (count_ > 2) all.push_back((server + 1) % count_);
  } else {
    if (server > 0) all.push_back((server - 1) / arity_);
    for (std::uint64_t below = std::uint64_t{arity_} * server + 1;
         below <= std::uint64_t{arity_} * server + arity_ && below < count_; ++below)
      all.push_back(static_cast<ServerNumber>(below));
  }
  std::sort(all.begin(), all.end());
  return all;
}

std::uint32_t Servers::level(ServerNumber server) const {
  std::uint32_t level = 0;
  for (; server > 0; server = (server - 1) / arity_) ++level;
  return level;
}

ServerNumber Servers::next(ServerNumber at, ServerNumber to, Way way) const {
  assert(at != to && at < count_ && to < count_);
  if (shape_ == OverlayParameters::Shape::ring) {
    const std::uint32_t upwards = (to + count_ - at) % count_;
    if (way == Way::shorter) way = 2 * upwards <= count_ ? Way::upwards : Way::downwards;
    return way == Way::upwards ? (at + 1) % count_ : (at + count_ - 1) % count_;
  }
  // Down if `to` is below `at`, whose child on the way is found by climbing from `to`; else up.
  const std::uint32_t own = level(at);
  if (level(to) > own) {
    ServerNumber child = to;
    while (level(child) > own + 1) child = (child - 1) / arity_;
    if ((child - 1) / arity_ == at) return child;
  }
  return (at - 1) / arity_;
}

}  // namespace morgana::overlay
