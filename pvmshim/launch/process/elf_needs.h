#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace morgana {

/// What an ELF file says about the libraries that it needs.
struct ElfNeeds {
  bool same_machine = false;             ///< as this process: 64 bits, same processor
  bool dynamic = false;                  ///< has a dynamic section; if not, nothing can be preloaded into it
  std::vector<std::string> libraries;    ///< DT_NEEDED, in order
  std::vector<std::string> search_path;  ///< DT_RUNPATH or DT_RPATH, with $ORIGIN replaced
  bool cancels_messages = false;         ///< names MPI_Cancel, in any of its languages' ways
  bool reads_mpi_clock = false;          ///< names MPI_Wtime or MPI_Wtick, likewise
  bool loads_libraries = false;          ///< calls dlopen: what it needs may not be known beforehand
};

/// @return nothing if the file is no ELF file (or can't be read). Believes nothing in it.
std::optional<ElfNeeds> read_elf_needs(const std::filesystem::path& file);

/// Which message-passing library is linked into the file itself, by what its table of symbols defines: "PVM"
/// or "MPI". Empty if none is, and where that can't be known: a stripped file has no such table.
std::string library_linked_into(const std::filesystem::path& file);

}  // namespace morgana
