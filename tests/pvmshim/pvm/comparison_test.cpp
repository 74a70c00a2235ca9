// Programs that need no daemon print the same over the real library and over ours.

#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <string>

namespace morgana {
namespace {

/// What a program prints with the dynamic linker looking in `libraries` first. Neither library finds a
/// daemon.
std::string output_of(const std::string& program, const std::string& libraries) {
  const std::string command =
      "cd / && env -u MORGANA_CHANNEL PVM_ALLOW_ROOT=1 PVM_TMP=/nonexistent LD_LIBRARY_PATH=" + libraries +
      " " + MORGANA_PVM_PROGRAMS + "/" + program + " 2>/dev/null";
  FILE* pipe = popen(command.c_str(), "r");
  std::string output;
  std::array<char, 4096> buffer{};
  for (std::size_t count = 0; (count = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;)
    output.append(buffer.data(), count);
  EXPECT_EQ(pclose(pipe), 0) << command;
  return output;
}

class Comparison : public testing::TestWithParam<const char*> {};

TEST_P(Comparison, WithTheRealLibraryShowsNoDifference) {
  const std::string real = output_of(GetParam(), "/nonexistent");
  EXPECT_GT(real.size(), 500U);
  EXPECT_EQ(output_of(GetParam(), MORGANA_PVM_LIBRARIES), real);
}

INSTANTIATE_TEST_SUITE_P(Programs, Comparison, testing::Values("packing", "without_daemon"));

}  // namespace
}  // namespace morgana
