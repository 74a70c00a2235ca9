#include "traces/otf2/pending_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "tests/support/messages.h"
#include "tests/support/temporary_folder.h"
#include "tests/traces/otf2/sample_trace.h"

namespace morgana {
namespace {

namespace fs = std::filesystem;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using testing::TemporaryFolder;
using testing::write_sample;

void write(const fs::path& file, const std::string& content) {
  std::ofstream(file) << content;
}

std::string message_of_keeping(PendingFolder& folder) {
  try {
    folder.keep();
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(PendingFolder, ATraceWhosePlaceATraceWithAStrangersFileHasTakenStaysBesideIt) {
  const TemporaryFolder folder;
  const fs::path place = folder / "trace";
  write_sample(place, 2);
  write(folder / "trace.1", "of someone else");
  {
    PendingFolder pending(place);
    write(pending.path() / "traces.otf2", "the new one");
    write(place / "notes.txt", "a stranger's");
    const std::string message = message_of_keeping(pending);
    EXPECT_THAT(message, HasSubstr("notes.txt, which is not a part of one"));
    EXPECT_THAT(message, EndsWith("; the new trace is in " + (folder / "trace.2").string()));
  }
  EXPECT_TRUE(fs::exists(folder / "trace.2" / "traces.otf2"));
  EXPECT_TRUE(fs::exists(place / "notes.txt"));
  EXPECT_TRUE(fs::exists(place / "traces.def"));
}

TEST(PendingFolder, ATraceWhosePlaceAFileHasTakenStaysBesideIt) {
  const TemporaryFolder folder;
  const fs::path place = folder / "trace";
  {
    PendingFolder pending(place);
    write(pending.path() / "traces.otf2", "the new one");
    write(place, "a file");
    expect_message(message_of_keeping(pending), {"FOLDER/trace ", "FOLDER/trace.1"});
  }
  EXPECT_TRUE(fs::is_regular_file(place));
  EXPECT_TRUE(fs::exists(folder / "trace.1" / "traces.otf2"));
}

TEST(PendingFolder, WhatIsNotKeptDisappears) {
  const TemporaryFolder folder;
  { PendingFolder pending(folder / "trace"); }
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

}  // namespace
}  // namespace morgana
