#pragma once

#include <elf.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

namespace morgana::test {

/// The symbols of a library that are defined there and for others to use, or that it needs of others.
/// @param keep  whether a symbol counts
template <typename Keep>
std::set<std::string> symbols_of(const std::string& library, bool defined, const Keep& keep) {
  std::ifstream file(library, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::set<std::string> names;
  const auto* head = reinterpret_cast<const Elf64_Ehdr*>(text.data());
  const auto* sections = reinterpret_cast<const Elf64_Shdr*>(text.data() + head->e_shoff);
  for (int i = 0; i < head->e_shnum; ++i) {
    if (sections[i].sh_type != SHT_DYNSYM) continue;
    const char* strings = text.data() + sections[sections[i].sh_link].sh_offset;
    const auto* symbols = reinterpret_cast<const Elf64_Sym*>(text.data() + sections[i].sh_offset);
    for (std::size_t symbol = 0; symbol < sections[i].sh_size / sizeof(Elf64_Sym); ++symbol) {
      const std::string name = strings + symbols[symbol].st_name;
      if ((symbols[symbol].st_shndx != SHN_UNDEF) == defined && keep(name, symbols[symbol]))
        names.insert(name);
    }
  }
  return names;
}

/// The names of MPI functions that a library exports, with and without the P.
inline std::set<std::string> calls_of(const std::string& library) {
  return symbols_of(library, true, [](const std::string& name, const Elf64_Sym& symbol) {
    const bool is_call = name.starts_with("MPI_") || name.starts_with("PMPI_") || name.starts_with("MPIX_") ||
                         name.starts_with("PMPIX_");
    return is_call && ELF64_ST_TYPE(symbol.st_info) == STT_FUNC;
  });
}

/// The names in a file, one a line, with and without the P.
inline std::set<std::string> listed_calls(const std::string& file_name) {
  std::ifstream file(file_name);
  std::set<std::string> names;
  for (std::string name; file >> name;) {
    names.insert(name);
    names.insert("P" + name);
  }
  return names;
}

inline std::vector<std::string> missing(const std::set<std::string>& wanted,
                                        const std::set<std::string>& from) {
  std::vector<std::string> lacking;
  std::ranges::set_difference(wanted, from, std::back_inserter(lacking));
  return lacking;
}

}  // namespace morgana::test
