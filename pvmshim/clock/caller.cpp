#include "pvmshim/clock/caller.h"

#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace morgana {
namespace {

struct Range {
  std::uintptr_t begin, end;
  CodeOf whose;
};
using Ranges = std::vector<Range>;  // sorted, disjoint

/// Replaced as a whole, never changed; old ones stay, since another thread may be reading them.
std::atomic<const Ranges*> known{nullptr};

bool is_below(std::string_view path) {
  constexpr std::array prefixes{
      std::string_view("libmorgana"), std::string_view("libmpich"),   std::string_view("libucp"),
      std::string_view("libucs"),     std::string_view("libuct"),     std::string_view("libucm"),
      std::string_view("libfabric"),  std::string_view("libhwloc"),   std::string_view("libnuma"),
      std::string_view("libudev"),    std::string_view("libibverbs"), std::string_view("librdmacm"),
      std::string_view("libnl-"),     std::string_view("libefa"),     std::string_view("libpsm"),
      std::string_view("libpmi"),     std::string_view("ld-linux"),   std::string_view("linux-vdso"),
  };
  const std::string_view name = path.substr(path.find_last_of('/') + 1);
  return path.find("/ucx/") != std::string_view::npos ||
         std::ranges::any_of(prefixes, [name](std::string_view prefix) { return name.starts_with(prefix); });
}

/// Python's is a library, or the program itself.
bool is_interpreter(std::string_view path) {
  const std::string_view name = path.substr(path.find_last_of('/') + 1);
  return name.starts_with("libpython") || name.starts_with("python") || name.starts_with("pypy");
}

CodeOf code_in(std::string_view library) {
  if (is_below(library)) return CodeOf::below;
  if (is_interpreter(library)) return CodeOf::interpreter;
  const std::string_view name = library.substr(library.find_last_of('/') + 1);
  return name.starts_with("libstdc++") ? CodeOf::cpp_library : CodeOf::program;
}

std::string path_of_program() {
  std::array<char, 4096> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  return length <= 0 ? "" : std::string(path.data(), static_cast<std::size_t>(length));
}

int add_object(dl_phdr_info* object, std::size_t, void* data) {
  auto& ranges = *static_cast<Ranges*>(data);
  const bool is_named = object->dlpi_name != nullptr && *object->dlpi_name != 0;
  const std::string path = is_named ? object->dlpi_name : path_of_program();
  const CodeOf whose = is_named               ? code_in(path)
                       : is_interpreter(path) ? CodeOf::interpreter
                                              : CodeOf::program;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const auto& segment = object->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    const std::uintptr_t begin = object->dlpi_addr + segment.p_vaddr;
    ranges.push_back({begin, begin + segment.p_memsz, whose});
  }
  return 0;
}

const Range* find(const Ranges* ranges, std::uintptr_t address) {
  if (ranges == nullptr) return nullptr;
  auto after = std::upper_bound(ranges->begin(), ranges->end(), address,
                                [](std::uintptr_t a, const Range& range) { return a < range.begin; });
  if (after == ranges->begin()) return nullptr;
  --after;
  return address < after->end ? &*after : nullptr;
}

const Ranges* look_again() {
  static std::mutex looking;
  static auto& all = *new std::deque<Ranges>;  // never destroyed: the clock is read until the process ends
  const std::lock_guard lock(looking);
  Ranges* ranges = &all.emplace_back();
  dl_iterate_phdr(add_object, ranges);
  std::ranges::sort(*ranges, {}, &Range::begin);
  known.store(ranges, std::memory_order_release);
  return ranges;
}

}  // namespace

CodeOf code_at(const void* return_address) {
  const auto address = reinterpret_cast<std::uintptr_t>(return_address);
  const Range* range = find(known.load(std::memory_order_acquire), address);
  if (range == nullptr) range = find(look_again(), address);
  return range == nullptr ? CodeOf::program
                          : range->whose;  // code that belongs to no file was made by the program
}

bool called_from_below(const void* return_address) {
  return code_at(return_address) == CodeOf::below;
}

}  // namespace morgana
