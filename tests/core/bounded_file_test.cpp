#include "emulator/core/bounded_file.h"

#include <gtest/gtest.h>

#include <fstream>

#include "emulator/core/error.h"
#include "tests/support/temporary_folder.h"

namespace morgana {
namespace {

TEST(BoundedFile, IsReadWhole) {
  const testing::TemporaryFolder folder;
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{65'536}, std::size_t{200'000}}) {
    const std::string text(size, 'x');
    std::ofstream(folder / "file") << text;
    EXPECT_EQ(read_at_most(folder / "file", 200'000), text);
  }
}

TEST(BoundedFile, ThatIsLargerIsRefused) {
  const testing::TemporaryFolder folder;
  std::ofstream(folder / "file") << "12345";
  EXPECT_EQ(read_at_most(folder / "file", 5), "12345");
  EXPECT_THROW(read_at_most(folder / "file", 4), Error);
}

TEST(BoundedFile, ThatNeverEndsIsRefused) {
  EXPECT_THROW(read_at_most("/dev/zero", 1 << 20), Error);
}

TEST(BoundedFile, ThatIsNotThereOrAFolderIsRefused) {
  const testing::TemporaryFolder folder;
  EXPECT_THROW(read_at_most(folder / "nothing", 10), Error);
  EXPECT_THROW(read_at_most(folder.path(), 10), Error);
}

}  // namespace
}  // namespace morgana
