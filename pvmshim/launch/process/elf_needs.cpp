#include "pvmshim/launch/process/elf_needs.h"

#include <elf.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string_view>
#include <utility>

namespace morgana {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_entries = 65536;
constexpr std::size_t longest_string = 4096;

class ElfFile {
 public:
  explicit ElfFile(const fs::path& path) : file_(path, std::ios::binary) {}

  template <typename Record>
  bool read(std::uint64_t offset, Record& record) {
    file_.clear();
    file_.seekg(static_cast<std::streamoff>(offset));
    file_.read(reinterpret_cast<char*>(&record), sizeof record);
    return file_.gcount() == static_cast<std::streamsize>(sizeof record);
  }
  std::string read_string(std::uint64_t offset) {
    std::string text;
    file_.clear();
    file_.seekg(static_cast<std::streamoff>(offset));
    for (char next = 0; text.size() < longest_string && file_.get(next) && next != '\0';) text += next;
    return text;
  }
  /// As many bytes as the file has there, up to `most`.
  std::string read_block(std::uint64_t offset, std::uint64_t most) {
    file_.clear();
    file_.seekg(0, std::ios::end);
    const auto end = static_cast<std::uint64_t>(std::max<std::streamoff>(0, file_.tellg()));
    std::string block(offset < end ? std::min(most, end - offset) : 0, '\0');
    file_.seekg(static_cast<std::streamoff>(offset));
    file_.read(block.data(), static_cast<std::streamsize>(block.size()));
    block.resize(static_cast<std::size_t>(file_.gcount()));
    return block;
  }

 private:
  std::ifstream file_;
};

/// Where in the file lies what will lie at `address` in memory?
std::optional<std::uint64_t> offset_of(std::uint64_t address, const std::vector<Elf64_Phdr>& segments) {
  for (const Elf64_Phdr& segment : segments)
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
        address - segment.p_vaddr < segment.p_filesz)
      return segment.p_offset + (address - segment.p_vaddr);
  return std::nullopt;
}

std::vector<std::string> split_path(std::string path, const fs::path& file) {
  const std::string origin = fs::absolute(file).parent_path().string();
  for (const std::string name : {"${ORIGIN}", "$ORIGIN"})
    for (std::size_t at; (at = path.find(name)) != std::string::npos;) path.replace(at, name.size(), origin);
  std::vector<std::string> folders;
  for (std::size_t start = 0; start <= path.size();) {
    const std::size_t end = std::min(path.find(':', start), path.size());
    if (end > start) folders.push_back(path.substr(start, end - start));
    start = end + 1;
  }
  return folders;
}

/// Looks through the names of what the file calls and offers. Tables beyond all reason are not read.
void read_names(ElfFile& elf, std::uint64_t table, std::uint64_t bytes, ElfNeeds& needs) {
  constexpr std::uint64_t most_bytes = std::uint64_t{1} << 24;
  std::string names = elf.read_block(table, std::min(bytes, most_bytes));
  constexpr std::string_view loading("\0dlopen\0", 8);  // a whole name: `mydlopen` is none
  needs.loads_libraries = needs.loads_libraries || names.find(loading) != names.npos;
  std::ranges::transform(names, names.begin(), [](unsigned char c) { return std::tolower(c); });
  needs.cancels_messages = needs.cancels_messages || names.find("mpi_cancel") != names.npos;
  needs.reads_mpi_clock = needs.reads_mpi_clock || names.find("mpi_wti") != names.npos;
}

void read_dynamic_section(ElfFile& elf, const fs::path& path, const std::vector<Elf64_Phdr>& segments,
                          const Elf64_Phdr& section, ElfNeeds& needs) {
  std::vector<std::uint64_t> libraries;
  std::optional<std::uint64_t> strings, search_path;
  std::uint64_t bytes_of_strings = 0;
  const std::size_t entries = std::min<std::size_t>(section.p_filesz / sizeof(Elf64_Dyn), most_entries);
  for (std::size_t i = 0; i < entries; ++i) {
    Elf64_Dyn entry;
    if (!elf.read(section.p_offset + i * sizeof entry, entry) || entry.d_tag == DT_NULL) break;
    if (entry.d_tag == DT_NEEDED) libraries.push_back(entry.d_un.d_val);
    if (entry.d_tag == DT_STRTAB) strings = offset_of(entry.d_un.d_ptr, segments);
    if (entry.d_tag == DT_STRSZ) bytes_of_strings = entry.d_un.d_val;
    if (entry.d_tag == DT_RUNPATH || (entry.d_tag == DT_RPATH && !search_path))
      search_path = entry.d_un.d_val;
  }
  if (!strings) return;
  for (const std::uint64_t name : libraries) needs.libraries.push_back(elf.read_string(*strings + name));
  read_names(elf, *strings, bytes_of_strings, needs);
  if (search_path) needs.search_path = split_path(elf.read_string(*strings + *search_path), path);
}

/// The library that a function is of: "PVM" of pvm_send, "MPI" of MPI_Init; empty of others.
std::string library_of(std::string_view function) {
  if (function == "pvm_mytid" || function == "pvm_send") return "PVM";
  if (function.starts_with('P')) function.remove_prefix(1);  // the profiling interface's names
  const bool is_mpis = function == "MPI_Init" || function == "MPI_Init_thread" || function == "MPI_Finalize";
  return is_mpis ? "MPI" : "";
}

/// Whose functions the table of symbols defines; of tables beyond all reason, the beginning.
std::string library_defined_in(ElfFile& elf, const Elf64_Shdr& symbols, const Elf64_Shdr& names) {
  constexpr std::uint64_t most_bytes = std::uint64_t{1} << 26, block = sizeof(Elf64_Sym) << 16;
  const std::string text = elf.read_block(names.sh_offset, std::min(names.sh_size, most_bytes));
  const std::uint64_t bytes = std::min(symbols.sh_size, most_bytes);
  for (std::uint64_t at = 0; at < bytes; at += block) {
    const std::string table = elf.read_block(symbols.sh_offset + at, std::min(block, bytes - at));
    for (std::size_t i = 0; i + sizeof(Elf64_Sym) <= table.size(); i += sizeof(Elf64_Sym)) {
      Elf64_Sym symbol;
      std::memcpy(&symbol, table.data() + i, sizeof symbol);
      const bool is_defined = symbol.st_shndx != SHN_UNDEF && ELF64_ST_TYPE(symbol.st_info) == STT_FUNC;
      if (!is_defined || symbol.st_name >= text.size()) continue;
      std::string library = library_of(text.c_str() + symbol.st_name);
      if (!library.empty()) return library;
    }
    if (table.size() < block) break;
  }
  return "";
}

}  // namespace

std::string library_linked_into(const fs::path& path) {
  ElfFile elf(path);
  Elf64_Ehdr head;
  if (!elf.read(0, head) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
      head.e_ident[EI_CLASS] != ELFCLASS64)
    return "";
  for (std::size_t i = 0; i < head.e_shnum; ++i) {
    Elf64_Shdr symbols, names;
    if (!elf.read(head.e_shoff + i * sizeof symbols, symbols)) return "";
    if (symbols.sh_type == SHT_SYMTAB && symbols.sh_link < head.e_shnum &&
        elf.read(head.e_shoff + symbols.sh_link * sizeof names, names))
      return library_defined_in(elf, symbols, names);
  }
  return "";
}

std::optional<ElfNeeds> read_elf_needs(const fs::path& path) {
  ElfFile elf(path);
  Elf64_Ehdr head;
  if (!elf.read(0, head) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0) return std::nullopt;
  ElfNeeds needs;
#if defined(__x86_64__)
  constexpr auto machine = EM_X86_64;
#elif defined(__aarch64__)
  constexpr auto machine = EM_AARCH64;
#endif
  needs.same_machine = head.e_ident[EI_CLASS] == ELFCLASS64 && head.e_machine == machine;
  if (!needs.same_machine) return needs;

  std::vector<Elf64_Phdr> segments;
  for (std::size_t i = 0; i < head.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (!elf.read(head.e_phoff + i * sizeof segment, segment)) break;
    segments.push_back(segment);
  }
  for (const Elf64_Phdr& segment : segments)
    if (segment.p_type == PT_DYNAMIC) {
      needs.dynamic = true;
      read_dynamic_section(elf, path, segments, segment, needs);
    }
  return needs;
}

}  // namespace morgana
