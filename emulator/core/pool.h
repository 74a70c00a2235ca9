#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace morgana {

/// Objects that are known by a number while they are in use. A number that is given back is taken again
/// before new ones are, the last one first. An object keeps what it holds (and its storage) from one use to
/// the next: the caller of take() sets it. References last until the next take().
template <typename T>
class Pool {
 public:
  using Slot = std::uint32_t;

  Slot take() {
    if (free_.empty()) {
      objects_.emplace_back();
      return static_cast<Slot>(objects_.size() - 1);
    }
    const Slot slot = free_.back();
    free_.pop_back();
    return slot;
  }
  /// With this value. Objects may be aligned to cache lines, and are not passed by value for that: compilers
  /// do not agree on where such arguments lie.
  Slot take(T&& object) {
    const Slot slot = take();
    objects_[slot] = std::move(object);
    return slot;
  }
  Slot take(const T& object) { return take(T(object)); }
  void give_back(Slot slot) {
    assert(slot < objects_.size());
    free_.push_back(slot);
  }

  T& operator[](Slot slot) { return objects_[slot]; }
  const T& operator[](Slot slot) const { return objects_[slot]; }

  std::size_t in_use() const { return objects_.size() - free_.size(); }
  /// All that were ever in use, by number.
  std::span<const T> all() const { return objects_; }
  std::span<T> all() { return objects_; }

 private:
  std::vector<T> objects_;
  std::vector<Slot> free_;
};

}  // namespace morgana
