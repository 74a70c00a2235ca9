#include "emulator/core/unfinished_path.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace morgana {
namespace {

namespace fs = std::filesystem;

class UnfinishedPaths : public ::testing::Test {
 protected:
  UnfinishedPaths() {
    std::string name = (fs::temp_directory_path() / "morgana-unfinished-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~UnfinishedPaths() override { fs::remove_all(folder_); }
  fs::path folder_;
};

TEST_F(UnfinishedPaths, AreRemovedWithAllThatIsInThem) {
  fs::create_directories(folder_ / "trace" / "locations");
  std::ofstream(folder_ / "trace" / "anchor") << "half";
  std::ofstream(folder_ / "trace" / "locations" / "0") << "half";
  std::ofstream(folder_ / "table") << "half";
  std::ofstream(folder_ / "other") << "whole";
  const UnfinishedPath trace((folder_ / "trace").string()), table((folder_ / "table").string());
  remove_unfinished_paths();
  EXPECT_FALSE(fs::exists(folder_ / "trace"));
  EXPECT_FALSE(fs::exists(folder_ / "table"));
  EXPECT_TRUE(fs::exists(folder_ / "other"));
}

TEST_F(UnfinishedPaths, AreForgottenWhenTheyAreFinished) {
  std::ofstream(folder_ / "table") << "whole";
  { const UnfinishedPath table((folder_ / "table").string()); }
  remove_unfinished_paths();
  EXPECT_TRUE(fs::exists(folder_ / "table"));
}

}  // namespace
}  // namespace morgana
