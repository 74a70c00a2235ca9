// Processes of PVM tasks, each with programs that know nothing of PVM.

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>

#include "pvmshim/launch/process/proc_file.h"
#include "pvmshim/launch/pvm/task_command.h"
#include "pvmshim/launch/pvm/task_processes.h"

namespace morgana {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A pipe whose ends are inherited.
class OpenPipe {
 public:
  OpenPipe() { EXPECT_EQ(pipe2(ends_.data(), O_NONBLOCK), 0); }
  ~OpenPipe() {
    for (const int end : ends_) close(end);
  }
  int in() const { return ends_[1]; }
  void fill() {
    const std::array<char, 4096> block{};
    while (write(ends_[1], block.data(), block.size()) > 0) {
    }
  }
  /// What there is.
  std::string take() {
    std::string all;
    std::array<char, 4096> block{};
    for (ssize_t count = 0; (count = read(ends_[0], block.data(), block.size())) > 0;)
      all.append(block.data(), static_cast<std::size_t>(count));
    return all;
  }

 private:
  std::array<int, 2> ends_{};
};

bool sleeps(pid_t thread) {
  const std::string stat = read_proc_file("/proc/self/task/" + std::to_string(thread) + "/stat");
  const std::size_t name_ends = stat.rfind(") ");
  return name_ends != std::string::npos && stat.at(name_ends + 2) == 'S';
}

// Whoever asks for a process must not wait for a task that does not read.
TEST(TaskProcesses, AreKnownWhileOutputWaitsForItsReader) {
  OpenPipe pipe;
  pipe.fill();
  TaskProcesses processes({}, [] {});
  processes.take_output_elsewhere([](Rank, const std::string&) {});
  constexpr Rank taker{1};
  processes.start_first({"/bin/sleep", "60"}, taker, 0x40001);
  processes.catch_output(taker, pipe.in());
  std::atomic<pid_t> writing{0};
  std::atomic<bool> has_written{false};
  std::thread writer([&] {
    writing = gettid();
    processes.caught(taker, "a line\n");
    has_written = true;
  });
  while (!has_written && (writing == 0 || !sleeps(writing))) std::this_thread::yield();
  EXPECT_FALSE(processes.ended(taker));
  std::string come = pipe.take();
  writer.join();
  come += pipe.take();
  EXPECT_THAT(come, testing::EndsWith("a line\n"));
}

// A task that sets O_NONBLOCK on its standard error sets it on ours, too.
TEST(TaskProcesses, LoseNoOutputWhereStandardErrorHasNoRoomAtTheMoment) {
  OpenPipe pipe;
  pipe.fill();
  TaskProcesses processes({}, [] {});
  const int errors = dup(STDERR_FILENO);
  ASSERT_GE(dup2(pipe.in(), STDERR_FILENO), 0);
  std::atomic<pid_t> writing{0};
  std::atomic<bool> has_written{false};
  std::thread writer([&] {
    writing = gettid();
    processes.caught(Rank{1}, "a line\n");
    has_written = true;
  });
  while (!has_written && (writing == 0 || !sleeps(writing))) std::this_thread::yield();
  std::string come = pipe.take();
  writer.join();
  come += pipe.take();
  dup2(errors, STDERR_FILENO);
  close(errors);
  EXPECT_THAT(come, testing::EndsWith("a line\n"));
}

TEST(TaskCommands, DoNotInheritThePlaceOfThisProcessInAnMpiJob) {
  OpenPipe pipe;
  setenv("PMI_RANK", "3", 1);
  setenv("MPI_LOCALNRANKS", "4", 1);
  setenv("MORGANA_TEST_OTHER", "5", 1);
  int failure = 0;
  const pid_t process =
      start_process({"/usr/bin/env", {"env"}, {"MORGANA_TEST_OWN=6"}, "", pipe.in()}, failure);
  for (const char* variable : {"PMI_RANK", "MPI_LOCALNRANKS", "MORGANA_TEST_OTHER"}) unsetenv(variable);
  ASSERT_GT(process, 0) << failure;
  int status = 0;
  ASSERT_EQ(waitpid(process, &status, 0), process);
  const std::string variables = pipe.take();
  EXPECT_THAT(variables, testing::AllOf(HasSubstr("MORGANA_TEST_OTHER=5"), HasSubstr("MORGANA_TEST_OWN=6")));
  EXPECT_THAT(variables, testing::AllOf(Not(HasSubstr("PMI_RANK")), Not(HasSubstr("MPI_LOCALNRANKS"))));
}

}  // namespace
}  // namespace morgana
