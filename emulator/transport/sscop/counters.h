#pragma once

#include <cstdint>

#include "emulator/transport/assured/counters.h"

namespace morgana {

/// What the protocol did so far, on one connection or over all.
struct SscopCounters : assured::Counters {
  std::uint64_t frames_lost = 0;
  std::uint64_t cells = 0;  ///< of all frames
};

}  // namespace morgana
