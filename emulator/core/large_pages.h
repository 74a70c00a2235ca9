#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace morgana {

/// Memory from the kernel, which gets it back as soon as it is freed; of much of it the kernel is asked for
/// large pages, so that arrays of hundreds of megabytes that are read here and there take few entries of the
/// processor's translation buffers.
namespace large_pages {
inline constexpr std::size_t least_mapped = 64 << 10;  ///< less comes from the heap
/// @throws std::bad_alloc
void* take(std::size_t bytes);
void give_back(void* memory, std::size_t bytes) noexcept;
}  // namespace large_pages

template <class T>
struct LargePageAllocator {
  using value_type = T;
  LargePageAllocator() = default;
  template <class Other>
  LargePageAllocator(const LargePageAllocator<Other>&) {}
  T* allocate(std::size_t count) { return static_cast<T*>(large_pages::take(count * sizeof(T))); }
  void deallocate(T* memory, std::size_t count) noexcept {
    large_pages::give_back(memory, count * sizeof(T));
  }
  bool operator==(const LargePageAllocator&) const { return true; }
};

template <class T>
using LargeVector = std::vector<T, LargePageAllocator<T>>;

}  // namespace morgana
