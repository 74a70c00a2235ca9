#pragma once

#include <atomic>
#include <cstdint>

#include "pvmshim/channel/channel_memory.h"
#include "pvmshim/channel/payload_arenas.h"

namespace morgana {

/// Hands a block that is not read any more back to its owner, whose slot that is.
/// @return whether the owner waits for space and has been rung for
inline bool hand_back(const PayloadArenas& arenas, RankSlot& owner, std::uint64_t handle) {
  arenas.put_on_list(owner.released, handle);
  // Either the owner sees the block, or we that it lacks space.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (owner.lacks_room.load(std::memory_order_relaxed) == 0) return false;
  ring(owner);
  return true;
}

}  // namespace morgana
