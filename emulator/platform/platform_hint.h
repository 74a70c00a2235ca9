#pragma once

#include <string>

namespace morgana {

/// What a result does not show of an override: the run is what was asked for, and there may be more to ask.
struct PlatformHint {
  std::string about;  ///< the key that was overridden, as the user wrote it: "network.bandwidth"
  std::string text;   ///< a sentence for the user
  bool operator==(const PlatformHint&) const = default;
};

}  // namespace morgana
