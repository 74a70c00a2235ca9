#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/operations/operation.h"

namespace morgana {

/// What waits at one receiver, by source and tag: receives for their message, or messages for their receive.
/// A hash table with linear probing of eight bytes a place (Knuth, The Art of Computer Programming, volume 3,
/// 6.4, algorithms L and R). It holds no keys: its user finds them where items are.
class PortLines {
 public:
  /// What an item is the number of.
  enum class Kind : std::uint32_t { nothing, receive, message, several };

  struct Entry {
    std::uint32_t item = 0;
    std::uint32_t mark = 0;  ///< hash and kind; 0: the place is free
    Kind kind() const { return static_cast<Kind>(mark & kind_mask); }
    void set(Kind kind, std::uint32_t of) {
      item = of;
      mark = (mark & ~kind_mask) | static_cast<std::uint32_t>(kind);
    }
  };

  /// Of 30 bits, above those of a kind.
  static std::uint32_t hash(Rank source, Tag tag) {
    std::uint64_t mixed =
        (std::uint64_t{static_cast<std::uint32_t>(source)} << 32 | static_cast<std::uint32_t>(tag)) *
        0x9e3779b97f4a7c15;
    mixed = (mixed ^ (mixed >> 32)) * 0xd6e8feb86659fd93;
    return static_cast<std::uint32_t>(mixed >> 32) & ~kind_mask;
  }

  /// @param is_key  of an Entry: whether it is of the source and the tag that the hash is of
  /// @return null if nothing of that source and tag waits; valid until the next add() or erase()
  template <class IsKey>
  Entry* find(std::uint32_t hash, const IsKey& is_key) {
    if (places_.empty()) return nullptr;
    for (std::size_t at = home(hash);; at = next(at)) {
      Entry& entry = places_[at];
      if (entry.mark == 0) return nullptr;
      if ((entry.mark & ~kind_mask) == hash && is_key(entry)) return &entry;
    }
  }
  /// There must be none of its source and tag.
  void add(std::uint32_t hash, Kind kind, std::uint32_t item) {
    if (4 * (count_ + 1) > 3 * places_.size()) grow();
    ++count_;
    put({item, hash | static_cast<std::uint32_t>(kind)});
  }
  /// What stands behind it and nearer to its home there moves up.
  void erase(Entry* entry) {
    auto hole = static_cast<std::size_t>(entry - places_.data());
    for (std::size_t at = next(hole); places_[at].mark != 0; at = next(at)) {
      if (((at - home(places_[at].mark)) & mask()) < ((at - hole) & mask())) continue;
      places_[hole] = places_[at];
      hole = at;
    }
    places_[hole].mark = 0;
    --count_;
  }
  void clear() {
    places_ = {};
    count_ = 0;
  }
  template <class Use>
  void each(const Use& use) const {
    for (const Entry& entry : places_)
      if (entry.mark != 0) use(entry);
  }

 private:
  static constexpr std::uint32_t kind_mask = 3;

  std::size_t mask() const { return places_.size() - 1; }
  std::size_t home(std::uint32_t hash) const { return (hash >> 2) & mask(); }
  std::size_t next(std::size_t at) const { return (at + 1) & mask(); }
  void put(const Entry& entry) {
    std::size_t at = home(entry.mark);
    while (places_[at].mark != 0) at = next(at);
    places_[at] = entry;
  }
  void grow() {
    std::vector<Entry> before(std::max<std::size_t>(8, 2 * places_.size()));
    before.swap(places_);
    for (const Entry& entry : before)
      if (entry.mark != 0) put(entry);
  }

  std::vector<Entry> places_;  ///< a power of two of them, a quarter free; none before the first add()
  std::size_t count_ = 0;
};

}  // namespace morgana
