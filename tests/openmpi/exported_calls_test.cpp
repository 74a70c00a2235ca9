#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <set>
#include <string>

#include "tests/openmpi/exported_calls.h"

namespace morgana::test {
namespace {

/// Functions and data of MPI and of Open MPI itself; those of its portability layer are a library of their
/// own.
bool is_of_mpi(const std::string& name, const Elf64_Sym&) {
  return name.starts_with("MPI") || name.starts_with("PMPI") || name.starts_with("mpi") ||
         name.starts_with("pmpi") || name.starts_with("ompi");
}

/// Of Fortran alone: attribute functions and clocks under names in capitals.
bool is_fortrans(const std::string& name) {
  return name.ends_with("_FN") || name.ends_with("_FN_NULL") || name.ends_with("_F90") ||
         name == "MPI_CONVERSION_FN_NULL";
}

TEST(StandInsCalls, AreAllOfOpenMpi41) {
  const std::set<std::string> wanted = listed_calls(MORGANA_SOURCE "/tests/openmpi/calls_of_4_1.txt");
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
}  // namespace morgana::test
