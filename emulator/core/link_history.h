#pragma once

#include <vector>

#include "emulator/core/link_load.h"
#include "emulator/core/time.h"

namespace morgana {

/// What a network's links did window by window, from time 0 on.
struct LinkHistory {
  SimTime window;               ///< the length of each, but for the last
  SimTime end;                  ///< of the last
  std::vector<LinkLoad> links;  ///< over all windows; empty for networks that have no switches and cables
  std::vector<float> busy;      ///< link by link: share of each window in which something was sent, 0 to 1
  std::vector<float> stopped;   ///< the same in which the receiver had stopped the sender; may be empty
  std::vector<SimTime> queued;  ///< the same: LinkLoad::queued at the end of each window; may be empty
  std::size_t windows() const { return links.empty() ? 0 : busy.size() / links.size(); }
};

}  // namespace morgana
