#include <dlfcn.h>
#include <elf.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <link.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <vector>

namespace {

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
std::set<std::string> calls_of(const std::string& library) {
  return symbols_of(library, true, [](const std::string& name, const Elf64_Sym& symbol) {
    const bool is_call = name.starts_with("MPI_") || name.starts_with("PMPI_") || name.starts_with("MPIX_") ||
                         name.starts_with("PMPIX_");
    return is_call && ELF64_ST_TYPE(symbol.st_info) == STT_FUNC;
  });
}

/// Functions and data of MPI and of Open MPI itself; those of its portability layer are a library of their
/// own.
bool is_of_mpi(const std::string& name, const Elf64_Sym&) {
  return name.starts_with("MPI") || name.starts_with("PMPI") || name.starts_with("mpi") ||
         name.starts_with("pmpi") || name.starts_with("ompi");
}

std::vector<std::string> missing(const std::set<std::string>& wanted, const std::set<std::string>& from) {
  std::vector<std::string> lacking;
  std::ranges::set_difference(wanted, from, std::back_inserter(lacking));
  return lacking;
}

/// Of Fortran alone: attribute functions and clocks under names in capitals.
bool is_fortrans(const std::string& name) {
  return name.ends_with("_FN") || name.ends_with("_FN_NULL") || name.ends_with("_F90") ||
         name == "MPI_CONVERSION_FN_NULL";
}

TEST(StandInsCalls, AreAllOfOpenMpi41) {
  std::ifstream file(MORGANA_SOURCE "/tests/openmpi/calls_of_4_1.txt");
  std::set<std::string> wanted;
  for (std::string name; file >> name;) {
    wanted.insert(name);
    wanted.insert("P" + name);
  }
  ASSERT_GT(wanted.size(), 850U);
  EXPECT_THAT(missing(wanted, calls_of(STAND_IN)), testing::IsEmpty());
}

TEST(StandInsCalls, AreAllOfTheInstalledOpenMpi) {
  const std::string library = OPENMPI_LIBRARY;
  if (!std::ifstream(library))
    GTEST_SKIP() << "Open MPI is not installed, and MORGANA_OPENMPI names no prefix with it";
  std::set<std::string> wanted = calls_of(library);
  std::erase_if(wanted, is_fortrans);
  EXPECT_THAT(missing(wanted, calls_of(STAND_IN)), testing::IsEmpty());
}

// Open MPI's libraries for Fortran and C++ run over the stand-in.
TEST(StandInsCalls, AreAllThatTheInstalledBindingsNeed) {
  const std::string library = OPENMPI_LIBRARY;
  if (!std::ifstream(library))
    GTEST_SKIP() << "Open MPI is not installed, and MORGANA_OPENMPI names no prefix with it";
  std::set<std::string> needed, there = symbols_of(STAND_IN, true, is_of_mpi);
  for (const char* name : {"libmpi_mpifh.so.40", "libmpi_usempif08.so.40", "libmpi_usempi_ignore_tkr.so.40",
                           "libmpi_cxx.so.40"}) {
    const std::string binding = library.substr(0, library.rfind('/') + 1) + name;
    if (!std::ifstream(binding)) continue;
    needed.merge(symbols_of(binding, false, is_of_mpi));
    there.merge(symbols_of(binding, true, is_of_mpi));
  }
  EXPECT_GT(needed.size(), 500U);
  EXPECT_THAT(missing(needed, there), testing::IsEmpty());
}

// A call that only the shim had would be given handles of the other interface. Large counts and MPICH's own
// functions are in no release of Open MPI that has this interface.
TEST(StandInsCalls, HideAllOfTheShimsThatOpenMpiMayHave) {
  std::set<std::string> of_shim = calls_of(SHIM);
  ASSERT_GT(of_shim.size(), 400U);
  std::erase_if(of_shim, [](const std::string& name) {
    return name.ends_with("_c") || name.find("MPIX_Stream_") != std::string::npos ||
           name.find("MPIX_Threadcomm_") != std::string::npos;
  });
  EXPECT_THAT(missing(of_shim, calls_of(STAND_IN)), testing::IsEmpty());
}

}  // namespace
