#pragma once

#include <chrono>

#include "pvmshim/channel/emulator_channel.h"

namespace morgana::testing {

inline ChannelSettings settings_for(std::uint32_t ranks) {
  ChannelSettings settings;
  settings.ranks = ranks;
  return settings;
}

/// Waits until the rank has posted something and takes it.
inline Operation next_of(EmulatorChannel& emulator, Rank rank) {
  Operation operation;
  while (!emulator.take(rank, operation)) emulator.wait({&rank, 1}, std::chrono::milliseconds(100));
  return operation;
}

}  // namespace morgana::testing
