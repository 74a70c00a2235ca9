#pragma once

#include <array>
#include <atomic>
#include <boost/interprocess/mem_algo/rbtree_best_fit.hpp>
#include <boost/interprocess/sync/mutex_family.hpp>
#include <cstdint>
#include <span>
#include <vector>

#include "emulator/core/error.h"
#include "emulator/core/units.h"
#include "emulator/operations/operation.h"

namespace morgana {

/// Blocks of shared memory in which ranks leave data for each other: arenas for each rank, in which only
/// that rank allocates. A block's last reader gives it back to the owner on a list that takes no lock, so a
/// rank that dies never leaves another one waiting for a mutex.
/// Each rank has an arena for short blocks and one for small ones beside its large arena; those of all ranks
/// lie together, since a rank that reads payloads of all ranks would need two tables of the system's (8 KiB)
/// for each large arena, and a page of memory, which costs a page fault, for each small one. Eight short ones
/// share a page. A handle is the block's distance from the start of the first arena, plus 1: it names both
/// rank and offset.
class PayloadArenas {
 public:
  /// What the arenas of so many ranks take.
  static std::uint64_t size(std::size_t ranks, std::uint64_t room);

  /// @param base  where they begin, aligned to a page
  /// @param room  of each large arena, in bytes, whole pages
  /// @param in_use  the own arena has been made before
  PayloadArenas(std::byte* base, std::uint64_t room, std::size_t ranks, Rank own, bool in_use = false);

  /// @return 0 if there is no space now. @throws Error if there never will be
  std::uint64_t allocate(Bytes size, std::uint32_t readers);
  /// @throws Error if the handle names no block
  std::span<std::byte> data(std::uint64_t handle) const;

  /// Whether there is a block.
  bool is_block(std::uint64_t handle) const;

  /// One reader less. @return whether it was the last
  bool release(std::uint64_t handle) const;
  Rank owner(std::uint64_t handle) const;
  /// The owner: whom a message is to, and what that rank must know to find the receive that it is for.
  void address(std::uint64_t handle, Rank receiver, Context context, Tag tag) const;
  Rank receiver(std::uint64_t handle) const;
  Context context(std::uint64_t handle) const;
  Tag tag(std::uint64_t handle) const;
  /// The whole mark under which it leaves its machine (marked_payload.h); 0: it has none. The owner's stays.
  void mark(std::uint64_t handle, std::uint64_t mark) const;
  /// The same for the owner's agent, which may come late: what is no block any more, or has the owner's mark,
  /// is another payload.
  void mark_late(std::uint64_t handle, std::uint64_t mark) const;
  std::uint64_t mark(std::uint64_t handle) const;
  /// The owner, after the last reader's release. @throws Error if it is not the owner
  void free(std::uint64_t handle);

  // Copies of blocks of ranks on other machines, in this machine's memory at the same place.
  /// What a block takes from its handle on.
  static std::uint64_t room_of(std::uint64_t data);
  /// How often release() has still to be called.
  std::uint32_t readers(std::uint64_t handle) const;
  /// Makes space for a copy where the handle points to; what is there has no readers any more.
  /// @throws Error if the handle can name no block of this size
  void make_copy(std::uint64_t handle, std::uint64_t size, std::uint32_t readers) const;

  // Lists of blocks that begin at `head`, on which any rank puts blocks and one takes all; a block is on one
  // of them at a time.
  void put_on_list(std::atomic<std::uint64_t>& head, std::uint64_t handle) const;
  /// Takes all, those first that were put on it first.
  void take_list(std::atomic<std::uint64_t>& head, std::vector<std::uint64_t>& handles) const;
  /// The owner frees all: the list of released blocks.
  void free_list(std::atomic<std::uint64_t>& head);

 private:
  struct Block;
  using Arena = boost::interprocess::rbtree_best_fit<boost::interprocess::null_mutex_family>;

  /// Arenas of one size, one of each rank's beside the next.
  struct Row {
    std::uint64_t begin;    ///< from the first arena
    std::uint64_t room;     ///< of each
    std::uint64_t largest;  ///< block that is tried here
    Arena* own;             ///< kept in the shared memory itself
  };

  /// Where a handle points to.
  struct Place {
    const Row* row;
    std::uint64_t rank, in_arena;
  };

  Place place(std::uint64_t handle) const;
  Block* find(std::uint64_t handle) const;
  /// @throws Error if the handle names no block
  Block& block(std::uint64_t handle) const;

  std::byte* base_;
  std::size_t ranks_;
  std::array<Row, 3> rows_;  ///< the shortest first
};

}  // namespace morgana
