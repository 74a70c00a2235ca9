#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "emulator/report/output_file.h"
#include "emulator/report/pictures/plot.h"
#include "tests/support/messages.h"

namespace morgana {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

class Output : public testing::Test {
 protected:
  Output() {
    std::string pattern = (fs::temp_directory_path() / "morgana-test-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~Output() override { fs::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  std::string content(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

 private:
  fs::path folder_;
};

StackedBars bars() {
  return {"a title",
          {"compute", "communication"},
          {"first", "it's \"x\""},
          {{0.002, 0.001}, {0.002, 0.004}},
          {"1.00", "2.00"}};
}

template <typename Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST_F(Output, ReplacesAFileAndLeavesNoOther) {
  write_output(path("report"), "old and long");
  write_output(path("report"), "new");
  EXPECT_EQ(content("report"), "new");
  EXPECT_EQ(files(), 1u);
}

TEST_F(Output, NamesTheFileThatCannotBeWritten) {
  expect_message(error_of([&] { write_output(path("missing/report"), "x"); }),
                 "FOLDER/missing/report: No such file or directory");
}

TEST_F(Output, CannotReplaceAFolder) {
  fs::create_directory(path("folder"));
  expect_message(error_of([&] { write_output(path("folder"), "x"); }), "FOLDER/folder");
  EXPECT_EQ(files(), 1u);
}

TEST_F(Output, ChangesWhatALinkLeadsToAndKeepsTheLink) {
  write_output(path("target"), "old");
  fs::create_symlink("target", path("link"));
  fs::create_symlink(path("link"), path("link to it"));
  write_output(path("link to it"), "new");
  EXPECT_EQ(content("target"), "new");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_TRUE(fs::is_symlink(path("link to it")));
  EXPECT_EQ(files(), 3u);
}

TEST_F(Output, MakesWhatALinkLeadsTo) {
  fs::create_symlink("later", path("link"));
  write_output(path("link"), "new");
  EXPECT_EQ(content("later"), "new");
  EXPECT_TRUE(fs::is_symlink(path("link")));
}

TEST_F(Output, RefusesLinksThatLeadToEachOther) {
  fs::create_symlink("b", path("a"));
  fs::create_symlink("a", path("b"));
  expect_message(error_of([&] { write_output(path("a"), "x"); }), "FOLDER/a:");
  expect_message(error_of([&] { check_output(path("a")); }), "FOLDER/a:");
}

// No name has more than 255 characters.
TEST_F(Output, TakesANameAsLongAsNamesMayBe) {
  const std::string longest(255, 'n'), too_long(256, 'n');
  check_output(path(longest));
  write_output(path(longest), "x");
  EXPECT_EQ(content(longest), "x");
  for (const auto action : {+[](const std::string& name) { check_output(name); },
                            +[](const std::string& name) { write_output(name, "x"); }})
    expect_message(error_of([&] { action(path(too_long)); }), {": File name too long", too_long});
  expect_message(error_of([] { check_output(""); }));
}

TEST_F(Output, WritesToADevice) {
  EXPECT_NO_THROW(write_output("/dev/null", "x"));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(Output, AsksForRoomOnADiskThatIsFull) {
  expect_message(error_of([] { write_output("/dev/full", "x"); }), "/dev/full: No space left on device");
}

TEST_F(Output, DrawsAnSvgThatNamesEveryBarAndPart) {
  draw(bars(), path("plot.svg"));
  const std::string svg = content("plot.svg");
  for (const char* text : {"a title", "compute", "communication", "first", "it's 'x'", "time (ms)", "2.00"}) {
    EXPECT_THAT(svg, HasSubstr(text));
  }
  EXPECT_THAT(svg, HasSubstr("</svg>"));
}

TEST_F(Output, DrawsAPng) {
  draw(bars(), path("plot.png"));
  EXPECT_EQ(content("plot.png").substr(0, 8), "\x89PNG\r\n\x1a\n");
}

TEST_F(Output, RefusesAPlotOfAnotherKind) {
  expect_message(error_of([&] { draw(bars(), path("plot.pdf")); }), {"FOLDER/plot.pdf", ".svg", ".png"});
  EXPECT_EQ(files(), 0u);
}

TEST_F(Output, NamesTheFolderThatAPlotCannotGoTo) {
  expect_message(error_of([&] { draw(bars(), path("missing/plot.svg")); }),
                 "FOLDER/missing/plot.svg: No such file or directory");
}

TEST_F(Output, MakesTheFolderForResults) {
  make_output_folder(path("a/b/c"));
  make_output_folder(path("a/b/c"));  // it is there already
  write_output(path("a/b/c/x"), "fine");
  EXPECT_EQ(content("a/b/c/x"), "fine");
}

TEST_F(Output, RefusesAFolderThatCannotBe) {
  write_output(path("file"), "");
  for (const char* folder : {"file", "file/below"}) {
    try {
      make_output_folder(path(folder));
      FAIL() << folder;
    } catch (const Error& error) {
      expect_message(error.what(), {"FOLDER/" + std::string(folder) + ": Not a directory"});
    }
  }
}

TEST(StackedBars, ThatDifferByFiftyTimesHaveTheirPartsSideBySide) {
  StackedBars far = bars();
  EXPECT_EQ(gnuplot_script(far, "x.svg").find("logscale"), std::string::npos);
  // 3 ms against 200 ms, in ms; a part of nothing has no logarithm.
  far.seconds = {{0.002, 0.001}, {0.2, 0}};
  const std::string script = gnuplot_script(far, "x.svg");
  EXPECT_NE(script.find("set style histogram clustered"), std::string::npos);
  EXPECT_NE(script.find("set logscale y"), std::string::npos);
  EXPECT_NE(script.find(" 200 NaN\n"), std::string::npos);
  EXPECT_NE(script.find("set yrange [0.5:400]"), std::string::npos);
}

TEST(StackedBars, HaveTheirLegendBelow) {
  EXPECT_NE(gnuplot_script(bars(), "x.svg").find("set key below"), std::string::npos);
}

}  // namespace
}  // namespace morgana
