#include "pvmshim/mpi/emulate/ucx/link_table.h"

#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>

namespace morgana::mpi::emulated {
namespace {

/// A library's entry for one function.
struct CallEntry {
  std::string_view name;
  void** place;
  bool is_protected;  ///< from writing, once the loader is through
};

std::uintptr_t page_of(std::uintptr_t address) {
  static const auto page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  return address & ~(page - 1);
}

/// Of one loaded library.
struct Tables {
  const ElfW(Rela) * calls = nullptr;
  std::size_t calls_size = 0;
  const ElfW(Rela) * others = nullptr;
  std::size_t others_size = 0;
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  ElfW(Addr) fixed_begin = 0, fixed_end = 0;  ///< written by the loader only
};

Tables tables_of(const dl_phdr_info& object) {
  Tables tables;
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const auto& segment = object.dlpi_phdr[i];
    if (segment.p_type == PT_GNU_RELRO) {
      // The loader protects whole pages: the last one only if nothing else lies on it.
      tables.fixed_begin = page_of(object.dlpi_addr + segment.p_vaddr);
      tables.fixed_end = page_of(object.dlpi_addr + segment.p_vaddr + segment.p_memsz);
    }
    if (segment.p_type != PT_DYNAMIC) continue;
    const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + segment.p_vaddr);
    for (; entry->d_tag != DT_NULL; ++entry) {
      const auto address = entry->d_un.d_ptr;  // the loader has made them absolute
      if (entry->d_tag == DT_JMPREL) tables.calls = reinterpret_cast<const ElfW(Rela)*>(address);
      if (entry->d_tag == DT_PLTRELSZ) tables.calls_size = entry->d_un.d_val / sizeof(ElfW(Rela));
      if (entry->d_tag == DT_RELA) tables.others = reinterpret_cast<const ElfW(Rela)*>(address);
      if (entry->d_tag == DT_RELASZ) tables.others_size = entry->d_un.d_val / sizeof(ElfW(Rela));
      if (entry->d_tag == DT_SYMTAB) tables.symbols = reinterpret_cast<const ElfW(Sym)*>(address);
      if (entry->d_tag == DT_STRTAB) tables.names = reinterpret_cast<const char*>(address);
    }
  }
  return tables;
}

std::vector<CallEntry> entries_of(const dl_phdr_info& object) {
  const Tables tables = tables_of(object);
  std::vector<CallEntry> entries;
  if (tables.symbols == nullptr || tables.names == nullptr) return entries;
  const auto add = [&](const ElfW(Rela) * table, std::size_t size) {
    for (std::size_t i = 0; table != nullptr && i < size; ++i) {
      const auto symbol = ELF64_R_SYM(table[i].r_info);
      if (symbol == 0) continue;
      const ElfW(Addr) place = object.dlpi_addr + table[i].r_offset;
      entries.push_back({tables.names + tables.symbols[symbol].st_name, reinterpret_cast<void**>(place),
                         place >= tables.fixed_begin && place < tables.fixed_end});
    }
  };
  add(tables.calls, tables.calls_size);
  add(tables.others, tables.others_size);
  return entries;
}

struct Search {
  std::string_view library;
  std::vector<CallEntry> found;
};

int add_library(dl_phdr_info* object, std::size_t, void* data) {
  auto& search = *static_cast<Search*>(data);
  const std::string_view path = object->dlpi_name == nullptr ? "" : object->dlpi_name;
  if (!path.substr(path.find_last_of('/') + 1).starts_with(search.library)) return 0;
  search.found = entries_of(*object);
  return 1;
}

/// Lets an entry be written to, while it lives, where the library is linked so that the loader protects its
/// table: Debian's from 13 on.
class OpenedEntry {
 public:
  explicit OpenedEntry(const CallEntry& entry)
      : page_(reinterpret_cast<void*>(page_of(reinterpret_cast<std::uintptr_t>(entry.place)))),
        is_open_(!entry.is_protected || mprotect(page_, 1, PROT_READ | PROT_WRITE) == 0),
        is_to_close_(entry.is_protected && is_open_) {}
  ~OpenedEntry() {
    if (is_to_close_) mprotect(page_, 1, PROT_READ);
  }
  OpenedEntry(const OpenedEntry&) = delete;
  OpenedEntry& operator=(const OpenedEntry&) = delete;

  bool is_open() const { return is_open_; }

 private:
  void* page_;
  bool is_open_, is_to_close_;
};

std::vector<CallEntry> entries_of_library(std::string_view library) {
  Search search{library, {}};
  dl_iterate_phdr(&add_library, &search);
  return search.found;
}

}  // namespace

std::vector<std::string> functions_called_by(std::string_view library, std::string_view prefix) {
  std::vector<std::string> names;
  for (const CallEntry& entry : entries_of_library(library))
    if (entry.name.starts_with(prefix)) names.emplace_back(entry.name);
  return names;
}

bool replace_calls_of(std::string_view library,
                      const std::vector<std::pair<std::string_view, void*>>& replacements) {
  const std::vector<CallEntry> entries = entries_of_library(library);
  std::vector<std::pair<CallEntry, void*>> changes;
  for (const auto& [name, function] : replacements) {
    const std::size_t before = changes.size();
    for (const CallEntry& entry : entries)
      if (entry.name == name) changes.emplace_back(entry, function);
    if (changes.size() == before) return false;
  }
  for (const auto& [entry, function] : changes)
    if (!OpenedEntry(entry).is_open()) return false;
  for (const auto& [entry, function] : changes) {
    const OpenedEntry opened(entry);
    *entry.place = function;
  }
  return true;
}

}  // namespace morgana::mpi::emulated
