#include "pvmshim/launch/process/elf_needs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "emulator/core/random.h"

namespace morgana {
namespace {

namespace fs = std::filesystem;

TEST(ElfNeeds, NamesTheLibrariesOfAProgram) {
  const auto needs = read_elf_needs(TEST_PROGRAMS "/misbehaving");
  ASSERT_TRUE(needs);
  EXPECT_TRUE(needs->same_machine);
  EXPECT_TRUE(needs->dynamic);
  EXPECT_THAT(needs->libraries, ::testing::IsSupersetOf({"libmpich.so.12", "libc.so.6"}));
}

TEST(ElfNeeds, ShimsBringNoLibraryIntoOtherPeoplesProcesses) {
  for (const auto& entry : fs::directory_iterator(SHIM_FOLDER)) {
    if (entry.path().extension() != ".so") continue;
    const auto needs = read_elf_needs(entry.path());
    ASSERT_TRUE(needs) << entry.path();
    EXPECT_THAT(needs->libraries, ::testing::Each(::testing::AnyOf("libc.so.6", "libm.so.6", "libdl.so.2",
                                                                   "ld-linux-x86-64.so.2", "libmpich.so.12")))
        << entry.path();
  }
}

TEST(ElfNeeds, SeesThatAProgramIsStatic) {
  const auto needs = read_elf_needs(TEST_PROGRAMS "/linked_statically");
  ASSERT_TRUE(needs);
  EXPECT_FALSE(needs->dynamic);
  EXPECT_TRUE(needs->libraries.empty());
}

TEST(ElfNeeds, OfOtherFilesAreNothing) {
  EXPECT_FALSE(read_elf_needs("/etc/passwd"));
  EXPECT_FALSE(read_elf_needs("/dev/null"));
  EXPECT_FALSE(read_elf_needs("/no/such/file"));
  EXPECT_FALSE(read_elf_needs("/tmp"));
}

TEST(ElfNeeds, DamagedFilesDoNoHarm) {
  const std::uint64_t seed = 4;
  RecordProperty("seed", std::to_string(seed));
  std::ifstream original(TEST_PROGRAMS "/without_mpi", std::ios::binary);
  const std::string whole{std::istreambuf_iterator<char>(original), {}};
  std::string name = (fs::temp_directory_path() / "morgana-elf-XXXXXX").string();
  close(mkstemp(name.data()));
  RandomStream random(seed, "damage");
  int understood = 0;
  for (int i = 0; i < 300; ++i) {
    std::string damaged = whole;
    for (int n = 0; n < 20; ++n) damaged[random.below(1024)] = static_cast<char>(random.below(256));
    if (i % 3 == 0) damaged.resize(random.below(damaged.size()));
    std::ofstream(name, std::ios::binary) << damaged;
    understood += read_elf_needs(name).has_value() ? 1 : 0;
  }
  fs::remove(name);
  EXPECT_GT(understood, 0) << "seed " << seed;
}

}  // namespace
}  // namespace morgana
