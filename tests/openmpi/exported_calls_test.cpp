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

/// The names of MPI functions that a library exports, with and without the P.
std::set<std::string> calls_of(const std::string& library) {
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
      const bool is_call = name.starts_with("MPI_") || name.starts_with("PMPI_") ||
                           name.starts_with("MPIX_") || name.starts_with("PMPIX_");
      if (is_call && symbols[symbol].st_shndx != SHN_UNDEF &&
          ELF64_ST_TYPE(symbols[symbol].st_info) == STT_FUNC)
        names.insert(name);
    }
  }
  return names;
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

// A call that only the shim had would be given handles of the other interface. Large counts and MPICH's own
// functions are in no release of Open MPI that has this interface.
TEST(StandInsCalls, HideAllOfTheShimsThatOpenMpiMayHave) {
  std::set<std::string> of_shim = calls_of(SHIM);
  ASSERT_GT(of_shim.size(), 400U);
  std::erase_if(of_shim, [](const std::string& name) { return name.ends_with("_c"); });
  EXPECT_THAT(missing(of_shim, calls_of(STAND_IN)), testing::IsEmpty());
}

}  // namespace
