#include "pvmshim/launch/mpi/live_program.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <vector>

#include "pvmshim/channel/capture_log.h"
#include "pvmshim/launch/mpi/capture_to_trace.h"
#include "pvmshim/launch/process/interrupt.h"
#include "pvmshim/launch/process/proc_file.h"
#include "tests/pvmshim/forked.h"
#include "tests/pvmshim/launch/answer_everything.h"

namespace morgana {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using testing::answer_everything;
using ::testing::ContainsRegex;
using testing::Forked;
using ::testing::HasSubstr;

LaunchOptions misbehaving(const std::string& how, std::size_t ranks = 3) {
  return {.command = {TEST_PROGRAMS "/misbehaving", how}, .ranks = ranks, .compute = ComputeMode::none};
}

int run(const LaunchOptions& options) {
  LiveProgram program(options);
  answer_everything(program);
  return program.finish();
}

std::string error_of(const LaunchOptions& options) {
  try {
    run(options);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(LiveProgram, RunsAProgramToItsEnd) {
  EXPECT_EQ(run(misbehaving("well")), 0);
  EXPECT_EQ(run(misbehaving("well", 1)), 0);
}

TEST(LiveProgram, GivesTheProgramsExitCode) {
  EXPECT_EQ(run(misbehaving("code")), 5);
}

TEST(LiveProgram, TellsHowFarStartingHasCome) {
  LaunchOptions options = misbehaving("well", 4);
  std::vector<double> told;
  options.starting = [&told](double share) { told.push_back(share); };
  EXPECT_EQ(run(options), 0);
  ASSERT_FALSE(told.empty());
  EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
  EXPECT_GE(told.front(), 0);
  EXPECT_EQ(told.back(), 1);
  EXPECT_EQ(std::count(told.begin(), told.end(), 1), 1) << "all have started: that is told once";
}

TEST(LiveProgram, NamesTheRankThatWasKilledAndTheSignal) {
  EXPECT_THAT(error_of(misbehaving("kill")), HasSubstr("rank 1 was killed by signal 9 (Killed)"));
}

TEST(LiveProgram, NamesTheRankThatFaulted) {
  EXPECT_THAT(error_of(misbehaving("segfault")), HasSubstr("rank 1 was killed by signal 11"));
  EXPECT_THAT(error_of(misbehaving("abort")), HasSubstr("rank 1 was killed by signal 6"));
}

TEST(LiveProgram, NamesTheRankThatExitedTooEarly) {
  EXPECT_THAT(error_of(misbehaving("exit")), HasSubstr("rank 1 exited with code 7"));
  EXPECT_THAT(error_of(misbehaving("_exit")), HasSubstr("rank 1 exited with code 8"));
}

TEST(LiveProgram, NamesTheRankThatWasKilledAtTheVeryEnd) {
  EXPECT_THAT(error_of(misbehaving("late")), HasSubstr("rank 1 was killed by signal 9"));
}

TEST(LiveProgram, SaysThatMpiInitWasNeverCalled) {
  EXPECT_THAT(error_of(misbehaving("uninitialised")), HasSubstr("MPI_Init"));
  EXPECT_THAT(error_of({.command = {"/bin/sh", "-c", "true"}, .ranks = 2}), HasSubstr("MPI_Init"));
  EXPECT_THAT(error_of(misbehaving("fails")), AllOf(HasSubstr("code 3"), HasSubstr("MPI_Init")));
}

TEST(LiveProgram, NamesTheRankThatEndedWhileOthersStart) {
  EXPECT_THAT(error_of(misbehaving("early")),
              AllOf(HasSubstr("rank 1 "), HasSubstr(" before it had called MPI_Init")));
}

TEST(LiveProgram, NamesTheRankThatCalledMpiAbort) {
  EXPECT_THAT(error_of(misbehaving("mpi-abort")), HasSubstr("rank 1 "));
}

TEST(LiveProgram, RunsAProgramThatAScriptStarts) {
  EXPECT_EQ(run({.command = {"/bin/sh", "-c", TEST_PROGRAMS "/misbehaving well; exit $?"}, .ranks = 2}), 0);
  EXPECT_THAT(
      error_of({.command = {"/bin/sh", "-c", TEST_PROGRAMS "/misbehaving kill; exit $?"}, .ranks = 2}),
      HasSubstr("rank 1 was killed by signal 9"));
}

TEST(LiveProgram, SaysThatNobodyReceivesWhatFillsTheMemory) {
  LaunchOptions flood = misbehaving("flood");
  flood.payload_room = Bytes(1'000'000);
  EXPECT_THAT(error_of(flood), HasSubstr("rank 1 has sent more than its shared memory holds"));
}

TEST(LiveProgram, ChecksTheProgram) {
  EXPECT_THAT(error_of({.command = {"no-such-program"}}), HasSubstr("no program 'no-such-program'"));
  EXPECT_THAT(error_of({.command = {TEST_PROGRAMS "/without_mpi"}}), HasSubstr("is linked to neither MPICH"));
}

/// How many processes run this program with this argument?
int processes_of(const std::string& argument) {
  int found = 0;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string command = read_proc_file(entry.path() / "cmdline");
    if (command.starts_with(TEST_PROGRAMS "/misbehaving") &&
        command.find('\0' + argument + '\0') != std::string::npos)
      ++found;
  }
  return found;
}

TEST(LiveProgram, LeavesNoProcessBehind) {
  for (const char* how : {"well", "ignore", "orphan"}) {
    LaunchOptions options = misbehaving(how);
    const std::string own_argument = "test-" + std::to_string(getpid());
    options.command.insert(options.command.end(), {"0", own_argument});
    {
      LiveProgram program(options);
      Operation operation;
      while (!program.next(Rank{0}, operation)) program.wait({});
      EXPECT_GT(processes_of(own_argument), 0) << how;
    }
    EXPECT_EQ(processes_of(own_argument), 0) << how;
  }
}

/// What is written on standard error while it lives.
class StandardError {
 public:
  StandardError() : before_(dup(STDERR_FILENO)) {
    if (dup2(fileno(file_), STDERR_FILENO) < 0) throw Error("standard error can't be redirected");
  }
  ~StandardError() {
    dup2(before_, STDERR_FILENO);
    close(before_);
    fclose(file_);
  }
  StandardError(const StandardError&) = delete;
  StandardError& operator=(const StandardError&) = delete;

  std::string text() const {
    std::string text(static_cast<std::size_t>(lseek(fileno(file_), 0, SEEK_END)), '\0');
    text.resize(
        static_cast<std::size_t>(std::max<ssize_t>(pread(fileno(file_), text.data(), text.size(), 0), 0)));
    return text;
  }

 private:
  std::FILE* const file_ = std::tmpfile();
  int before_;
};

// The test ends when both notes are there; nothing else ends the program. Looks so short after each other may
// find all asleep while the ranks start.
TEST(LiveProgram, SaysWhatRanksAreInThatDoNotGoOn) {
  LaunchOptions options = misbehaving("hang");
  options.watch_interval = std::chrono::milliseconds(5);
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
  };
  std::string said;
  {
    const StandardError error;
    LiveProgram program(options);
    answer_everything(program, [&] {
      said = error.text();
      return has(said, "no rank has gone on: ranks 0-2: between calls after MPI_Wtime, asleep in") &&
             has(said, "): between calls after MPI_Wtime; thread ");
    });
  }
  EXPECT_THAT(
      said,
      ContainsRegex("rank 1 \\(process [0-9]+\\): between calls after MPI_Wtime; thread [0-9]+ asleep in"));
}

TEST(LiveProgram, EndsWhenTheUserInterrupts) {
  Forked emulator([] {
    install_signal_handlers();
    LiveProgram program(misbehaving("hang"));
    Operation operation;
    while (!program.next(Rank{0}, operation)) program.wait({});
    raise(SIGINT);
    try {
      answer_everything(program);
    } catch (const Interrupted& interruption) {
      return interruption.signal();
    }
    return 0;
  });
  EXPECT_EQ(emulator.result(), SIGINT);
}

class CountingObserver : public OperationObserver {
 public:
  void operation_ended(Rank rank, const Operation& operation, SimTime begin, SimTime end,
                       std::span<const Completed>) override {
    ++operations;
    EXPECT_LE(begin, end);
    EXPECT_GE(begin, last_begin) << "merged by when they began";
    last_begin = begin;
    exits += operation.kind == OperationKind::exit ? 1 : 0;
    ranks = std::max(ranks, index(rank) + 1);
  }
  int operations = 0;
  int exits = 0;
  std::size_t ranks = 0;
  SimTime last_begin;
};

class Capture : public ::testing::Test {
 protected:
  Capture() {
    std::string name = (fs::temp_directory_path() / "morgana-capture-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~Capture() override { fs::remove_all(folder_); }
  std::string folder_;
};

TEST_F(Capture, RecordsEveryRankToItsExit) {
  EXPECT_EQ(run_capturing(misbehaving("well"), folder_), 0);
  CountingObserver observer;
  const std::array<OperationObserver*, 1> observers{&observer};
  EXPECT_THAT(read_capture(folder_, 3, observers), ::testing::IsEmpty());
  EXPECT_EQ(observer.exits, 3);
  EXPECT_EQ(observer.ranks, 3U);
}

TEST_F(Capture, MergesLogsByTimeAndNoticesThoseThatEndEarly) {
  for (int rank = 0; rank < 2; ++rank) {
    CaptureLogWriter writer(folder_, Rank{rank});
    for (int i = 0; i < 10; ++i)
      writer.write(Operation(), SimTime::from_ps(i * 10 + rank), SimTime::from_ps(i * 10 + 5), {});
    if (rank == 0) writer.close();
  }
  CountingObserver observer;
  const std::array<OperationObserver*, 1> observers{&observer};
  EXPECT_THAT(read_capture(folder_, 2, observers), ::testing::ElementsAre(HasSubstr("rank 1 ends early")));
  EXPECT_EQ(observer.operations, 20);
}

TEST_F(Capture, RefusesALogThatGoesBackInTime) {
  CaptureLogWriter writer(folder_, Rank{0});
  writer.write(Operation(), SimTime::from_ps(10), SimTime::from_ps(20), {});
  writer.write(Operation(), SimTime::from_ps(15), SimTime::from_ps(30), {});
  writer.close();
  EXPECT_THROW(read_capture(folder_, 1, {}), Error);
}

}  // namespace
}  // namespace morgana
