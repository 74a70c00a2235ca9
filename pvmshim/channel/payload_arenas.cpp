#include "pvmshim/channel/payload_arenas.h"

#include <algorithm>
#include <cassert>
#include <new>
#include <string>

#include "pvmshim/channel/marked_payload.h"

namespace morgana {

/// Stands before a block's data.
struct alignas(16) PayloadArenas::Block {
  static constexpr std::uint32_t used = 0x6b'636f'6c;

  std::uint64_t size;
  std::uint64_t next;  ///< on a list of blocks
  std::atomic<std::uint32_t> readers;
  std::uint32_t state;  ///< `used` while it is a block
  Context context{};    ///< of a message that its receiver is told of
  Tag tag{};            ///< the same
  Rank receiver{};      ///< that one
  std::atomic<std::uint64_t> mark{0};
};

namespace {

constexpr std::uint64_t page = 4096;
constexpr std::uint64_t short_room = page / 8;
constexpr std::uint64_t largest_short = 64;  // several blocks fit in
constexpr std::uint64_t small_room = page;
constexpr std::uint64_t largest_small = 1024;  // the same

/// Where the small arenas begin, on a page of their own, and the large ones behind them.
constexpr std::uint64_t begin_of_small(std::size_t ranks) {
  return (ranks * short_room + page - 1) / page * page;
}
constexpr std::uint64_t begin_of_large(std::size_t ranks) {
  return begin_of_small(ranks) + ranks * small_room;
}

}  // namespace

std::uint64_t PayloadArenas::size(std::size_t ranks, std::uint64_t room) {
  return begin_of_large(ranks) + ranks * room;
}

PayloadArenas::PayloadArenas(std::byte* base, std::uint64_t room, std::size_t ranks, Rank own, bool in_use)
    : base_(base),
      ranks_(ranks),
      rows_{{{0, short_room, largest_short, nullptr},
             {begin_of_small(ranks), small_room, largest_small, nullptr},
             {begin_of_large(ranks), room, room - 1, nullptr}}} {
  for (Row& row : rows_) {
    std::byte* const begin = base + row.begin + index(own) * row.room;
    row.own = in_use ? reinterpret_cast<Arena*>(begin) : new (begin) Arena(row.room, 0);
  }
}

std::uint64_t PayloadArenas::allocate(Bytes size, std::uint32_t readers) {
  const auto wanted = static_cast<std::uint64_t>(size.count());
  for (const Row& row : rows_) {
    if (wanted > row.largest) continue;
    void* const memory = row.own->allocate(wanted + sizeof(Block));
    if (memory == nullptr) continue;
    auto* fresh = new (memory) Block{wanted, 0, {readers}, Block::used};
    return static_cast<std::uint64_t>(reinterpret_cast<std::byte*>(fresh) - base_) + 1;
  }
  const Row& large = rows_.back();
  if (wanted > large.largest || large.own->all_memory_deallocated())
    throw Error("a message of " + std::to_string(wanted) + " bytes doesn't fit into the " +
                std::to_string(large.room) + " bytes of shared memory that each rank has: send it in parts");
  return 0;
}

PayloadArenas::Place PayloadArenas::place(std::uint64_t handle) const {
  const std::uint64_t offset = handle - 1;
  const auto row =
      std::find_if(rows_.rbegin(), rows_.rend() - 1, [&](const Row& one) { return offset >= one.begin; });
  const std::uint64_t within = offset - row->begin;
  return {&*row, within / row->room, within % row->room};
}

PayloadArenas::Block* PayloadArenas::find(std::uint64_t handle) const {
  const auto [row, rank, in_arena] = place(handle);
  const std::uint64_t room = row->room;
  if (handle == 0 || rank >= ranks_ || in_arena % alignof(Block) != 0 || in_arena > room - sizeof(Block))
    return nullptr;
  auto* const found = reinterpret_cast<Block*>(base_ + (handle - 1));
  return found->state == Block::used && found->size <= room - sizeof(Block) - in_arena ? found : nullptr;
}

bool PayloadArenas::is_block(std::uint64_t handle) const {
  return find(handle) != nullptr;
}

PayloadArenas::Block& PayloadArenas::block(std::uint64_t handle) const {
  if (Block* const found = find(handle)) return *found;
  throw Error("payload " + std::to_string(handle) + " names no block of shared memory: " +
              "the run's ranks disagree, or something has written over it");
}

std::span<std::byte> PayloadArenas::data(std::uint64_t handle) const {
  Block& named = block(handle);
  return {reinterpret_cast<std::byte*>(&named + 1), named.size};
}

std::uint64_t PayloadArenas::room_of(std::uint64_t data) {
  return sizeof(Block) + data;
}

std::uint32_t PayloadArenas::readers(std::uint64_t handle) const {
  return block(handle).readers.load(std::memory_order_acquire);
}

void PayloadArenas::make_copy(std::uint64_t handle, std::uint64_t size, std::uint32_t readers) const {
  const auto [row, rank, in_arena] = place(handle);
  if (handle == 0 || rank >= ranks_ || in_arena % alignof(Block) != 0 ||
      in_arena + sizeof(Block) > row->room || size > row->room - sizeof(Block) - in_arena)
    throw Error("payload " + std::to_string(handle) + " can be no block of " + std::to_string(size) +
                " bytes");
  new (base_ + (handle - 1)) Block{size, 0, {readers}, Block::used};
}

bool PayloadArenas::release(std::uint64_t handle) const {
  const std::uint32_t readers = block(handle).readers.fetch_sub(1, std::memory_order_acq_rel);
  assert(readers > 0);
  return readers == 1;
}

Rank PayloadArenas::owner(std::uint64_t handle) const {
  return Rank{static_cast<std::int32_t>(place(handle).rank)};
}

void PayloadArenas::address(std::uint64_t handle, Rank receiver, Context context, Tag tag) const {
  Block& named = block(handle);
  named.receiver = receiver;
  named.context = context;
  named.tag = tag;
}

Rank PayloadArenas::receiver(std::uint64_t handle) const {
  return block(handle).receiver;
}

Context PayloadArenas::context(std::uint64_t handle) const {
  return block(handle).context;
}

Tag PayloadArenas::tag(std::uint64_t handle) const {
  return block(handle).tag;
}

void PayloadArenas::mark(std::uint64_t handle, std::uint64_t mark) const {
  block(handle).mark = mark;
}

void PayloadArenas::mark_late(std::uint64_t handle, std::uint64_t mark) const {
  Block* const found = find(handle);
  if (found == nullptr) return;
  std::uint64_t before = found->mark.load();
  while ((before & whole_by_owner) == 0 && !found->mark.compare_exchange_weak(before, mark)) {
  }
}

std::uint64_t PayloadArenas::mark(std::uint64_t handle) const {
  return block(handle).mark;
}

void PayloadArenas::free(std::uint64_t handle) {
  Block& named = block(handle);
  const auto [row, rank, in_arena] = place(handle);
  if (reinterpret_cast<std::byte*>(row->own) != base_ + row->begin + rank * row->room)
    throw Error("payload " + std::to_string(handle) + " is rank " + std::to_string(rank) +
                "'s, and can't be freed by another one: something has written over the list of those that "
                "were released");
  named.state = 0;
  row->own->deallocate(&named);
}

void PayloadArenas::put_on_list(std::atomic<std::uint64_t>& head, std::uint64_t handle) const {
  Block& named = block(handle);
  named.next = head.load(std::memory_order_relaxed);
  while (!head.compare_exchange_weak(named.next, handle, std::memory_order_release)) {
  }
}

void PayloadArenas::take_list(std::atomic<std::uint64_t>& head, std::vector<std::uint64_t>& handles) const {
  const auto before = static_cast<std::ptrdiff_t>(handles.size());
  for (std::uint64_t handle = head.exchange(0, std::memory_order_acquire); handle != 0;
       handle = block(handle).next)
    handles.push_back(handle);
  std::reverse(handles.begin() + before, handles.end());
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
