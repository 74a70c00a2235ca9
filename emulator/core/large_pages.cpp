#include "emulator/core/large_pages.h"

#include <sys/mman.h>

#include <cstdint>

namespace morgana::large_pages {
namespace {

constexpr std::size_t page = 2 << 20, least_of_large_pages = 4 << 20;

}  // namespace

void* take(std::size_t bytes) {
  if (bytes < least_mapped) return ::operator new(bytes);
  const bool large = bytes >= least_of_large_pages;
  // A large page begins at a multiple of its size: what is mapped too much at both ends is given back at
  // once.
  const std::size_t more = large ? page : 0;
  void* const mapped =
      ::mmap(nullptr, bytes + more, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  if (!large) return mapped;
  const auto begin = reinterpret_cast<std::uintptr_t>(mapped);
  const std::uintptr_t first = (begin + page - 1) / page * page;
  constexpr std::size_t small_page = 4096;
  const std::uintptr_t end = (first + bytes + small_page - 1) / small_page * small_page;
  if (first > begin) ::munmap(mapped, first - begin);
  if (begin + bytes + more > end) ::munmap(reinterpret_cast<void*>(end), begin + bytes + more - end);
  auto* const memory = reinterpret_cast<void*>(first);
  ::madvise(memory, bytes, MADV_HUGEPAGE);  // where there are none it is as good without
  return memory;
}

void give_back(void* memory, std::size_t bytes) noexcept {
  if (bytes < least_mapped)
    ::operator delete(memory);
  else
    ::munmap(memory, bytes);
}

}  // namespace morgana::large_pages
