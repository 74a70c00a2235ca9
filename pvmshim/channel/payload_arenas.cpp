#include "pvmshim/channel/payload_arenas.h"

#include <cassert>
#include <new>
#include <string>

namespace morgana {

/// Stands before a block's data.
struct alignas(16) PayloadArenas::Block {
  static constexpr std::uint32_t used = 0x6b'636f'6c;

  std::uint64_t size;
  std::uint64_t next;  ///< on the list of released blocks
  std::atomic<std::uint32_t> readers;
  std::uint32_t mark;  ///< `used` while it is a block
};

PayloadArenas::PayloadArenas(std::byte* base, std::uint64_t room, std::size_t ranks, Rank own, bool in_use)
    : base_(base),
      room_(room),
      ranks_(ranks),
      arena_(in_use ? *reinterpret_cast<Arena*>(base + index(own) * room)
                    : *new (base + index(own) * room) Arena(room, 0)) {}

std::uint64_t PayloadArenas::allocate(Bytes size, std::uint32_t readers) {
  const auto wanted = static_cast<std::uint64_t>(size.count());
  if (wanted < room_)
    if (void* memory = arena_.allocate(wanted + sizeof(Block))) {
      auto* fresh = new (memory) Block{wanted, 0, {readers}, Block::used};
      return static_cast<std::uint64_t>(reinterpret_cast<std::byte*>(fresh) - base_) + 1;
    }
  if (wanted >= room_ || arena_.all_memory_deallocated())
    throw Error("a message of " + std::to_string(wanted) + " bytes doesn't fit into the " +
                std::to_string(room_) + " bytes of shared memory that each rank has: send it in parts");
  return 0;
}

PayloadArenas::Block& PayloadArenas::block(std::uint64_t handle) const {
  const std::uint64_t offset = handle - 1;
  const std::uint64_t in_arena = offset % room_;
  if (handle != 0 && offset / room_ < ranks_ && offset % alignof(Block) == 0 &&
      in_arena <= room_ - sizeof(Block)) {
    auto& found = *reinterpret_cast<Block*>(base_ + offset);
    if (found.mark == Block::used && found.size <= room_ - sizeof(Block) - in_arena) return found;
  }
  throw Error("payload " + std::to_string(handle) + " names no block of shared memory: " +
              "the run's ranks disagree, or something has written over it");
}

std::span<std::byte> PayloadArenas::data(std::uint64_t handle) const {
  Block& named = block(handle);
  return {reinterpret_cast<std::byte*>(&named + 1), named.size};
}

bool PayloadArenas::release(std::uint64_t handle) const {
  const std::uint32_t readers = block(handle).readers.fetch_sub(1, std::memory_order_acq_rel);
  assert(readers > 0);
  return readers == 1;
}

Rank PayloadArenas::owner(std::uint64_t handle) const {
  return Rank{static_cast<std::int32_t>((handle - 1) / room_)};
}

void PayloadArenas::free(std::uint64_t handle) {
  Block& named = block(handle);
  named.mark = 0;
  arena_.deallocate(&named);
}

void PayloadArenas::put_on_list(std::atomic<std::uint64_t>& head, std::uint64_t handle) const {
  Block& named = block(handle);
  named.next = head.load(std::memory_order_relaxed);
  while (!head.compare_exchange_weak(named.next, handle, std::memory_order_release)) {
  }
}

void PayloadArenas::free_list(std::atomic<std::uint64_t>& head) {
  std::uint64_t handle = head.exchange(0, std::memory_order_acquire);
  while (handle != 0) {
    const std::uint64_t next = block(handle).next;
    free(handle);
    handle = next;
  }
}

}  // namespace morgana
