#include "pvmshim/channel/card_table.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25  // Linux 6.1; Debian 12's headers don't have it
#endif

namespace morgana {
namespace {

constexpr std::size_t large_page = std::size_t{1} << 21;

constexpr std::size_t whole_large_pages(std::size_t size) {
  return (size + large_page - 1) / large_page * large_page;
}

std::byte* aligned(std::byte* place) {
  const auto address = reinterpret_cast<std::uintptr_t>(place);
  return place + (large_page - address % large_page) % large_page;
}

}  // namespace

CardTable::CardTable(std::size_t ranks) : file_(whole_large_pages(size(ranks))) {
  auto* const table = static_cast<std::byte*>(map_card_table(path(), size(ranks)));
  if (table == nullptr) return;
  const std::size_t room = whole_large_pages(size(ranks));
  // What has never been touched is not made large. All of this is a wish: otherwise its pages stay small.
  for (std::size_t place = 0; place < room; place += large_page)
    *reinterpret_cast<volatile std::byte*>(table + place) = std::byte{0};
  madvise(table, room, MADV_COLLAPSE);
  unmap_card_table(table, size(ranks));
}

void* map_card_table(const std::string& path, std::size_t size) {
  const std::size_t room = whole_large_pages(size), reserved = room + large_page;
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return nullptr;
  void* const place = mmap(nullptr, reserved, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  void* table = MAP_FAILED;
  if (place != MAP_FAILED) {
    auto* const begin = static_cast<std::byte*>(place);
    std::byte* const table_begin = aligned(begin);
    // Where its pages are small they are all given at once: faults for each would cost more.
    table = mmap(table_begin, room, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED | MAP_POPULATE, file, 0);
    if (table == MAP_FAILED) {
      munmap(place, reserved);
    } else {
      if (table_begin != begin) munmap(begin, static_cast<std::size_t>(table_begin - begin));
      if (std::byte* const end = table_begin + room; end != begin + reserved)
        munmap(end, static_cast<std::size_t>(begin + reserved - end));
    }
  }
  close(file);
  return table == MAP_FAILED ? nullptr : table;
}

void unmap_card_table(void* table, std::size_t size) {
  munmap(table, whole_large_pages(size));
}

}  // namespace morgana
