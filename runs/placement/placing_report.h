#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runs/placement/placing.h"

namespace morgana {

/// What was placed.
struct PlacingSubject {
  std::string trace, platform;
  std::vector<std::string> overrides{};  ///< keys of the platform that were overridden: "hosts.processors=1"
  std::uint64_t seed = 1;
  Bytes message{};  ///< PlacingRequest::message
};

/// What the ranks send each other, a line a placement, and what the best one saves against the first.
std::string placing_text(const PlacingSubject& subject, const Placing& placing);
std::string placing_json(const PlacingSubject& subject, const Placing& placing);
/// The best placement as a file for --map: a host number a line, with a heading.
std::string map_file(const PlacingSubject& subject, const Placing& placing);

}  // namespace morgana
