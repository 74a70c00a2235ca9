#pragma once

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace morgana {

/// A pool of reusable objects, each named by its slot number while it is in use. take() returns the slot that
/// was given back last, or a new one. An object that is taken again still has its old value and storage: the
/// caller of take() sets it. References and spans are valid until the next take().
/// @tparam Vector  LargeVector of what may be millions (not of over-aligned objects)
template <typename T, template <typename...> typename Vector = std::vector>
class Pool {
 public:
  using Slot = std::uint32_t;

  /// @return the slot of an object that is not in use, with any value
  Slot take() {
    if (free_.empty()) {
      objects_.emplace_back();
      return static_cast<Slot>(objects_.size() - 1);
    }
    const Slot slot = free_.back();
    free_.pop_back();
    return slot;
  }
  /// The same, with a given value. Objects may be aligned to cache lines, and are not passed by value for
  /// that: compilers do not agree on where such arguments lie.
  Slot take(T&& object) {
    const Slot slot = take();
    objects_[slot] = std::move(object);
    return slot;
  }
  Slot take(const T& object) { return take(T(object)); }
  /// Ends an object's use. @param slot  must be in use (not checked)
  void give_back(Slot slot) {
    assert(slot < objects_.size());
    free_.push_back(slot);
  }

  T& operator[](Slot slot) { return objects_[slot]; }
  const T& operator[](Slot slot) const { return objects_[slot]; }

  /// The number of objects in use.
  std::size_t in_use() const { return objects_.size() - free_.size(); }
  /// All objects by slot number, in use or not.
  std::span<const T> all() const { return objects_; }
  std::span<T> all() { return objects_; }

 private:
  Vector<T> objects_;
  std::vector<Slot> free_;
};

}  // namespace morgana
