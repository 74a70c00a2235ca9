#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "tests/integration/support/morgana_test.h"

namespace morgana::test {
namespace {

using testing::Contains;
using testing::HasSubstr;
using testing::StartsWith;

/// Programs that wait with time limits of every kind, and check what each wait comes to and how long it
/// takes.
class Waits : public MorganaTest {
 protected:
  /// With computing that takes no time waits take as long as they say, and all of them come to the same
  /// again.
  void expect_exact(const std::vector<std::string>& command, const std::string& ranks = "1") {
    const auto outcome = [&] { return sorted_lines(succeed(exactly(command, ranks)).out); };
    const std::vector<std::string> out = outcome();
    EXPECT_THAT(out, Contains(StartsWith("PASS")));
    EXPECT_EQ(outcome(), out);
  }
  /// And at the same times, to the picosecond, where each thread has a clock of its own. (Of one clock the
  /// threads take the ticks in any order.)
  void expect_exact_in_turns(std::vector<std::string> command) {
    command.emplace_back("multiple");
    expect_exact(command);
    const std::int64_t took = simulated_ps("run.json");
    succeed(exactly(command));
    EXPECT_EQ(simulated_ps("run.json"), took);
  }
  /// They come to the same where computing takes time: little, as a busy machine may take a processor away
  /// for as long as these waits last.
  void expect_decisions(const std::vector<std::string>& command, const std::string& ranks = "1") {
    std::vector<std::string> run{"run", "-n", ranks, "--set", "hosts.compute-scale=0.1", "--quiet", "--"};
    run.insert(run.end(), command.begin(), command.end());
    EXPECT_THAT(succeed(run).out, HasSubstr("PASS"));
  }

 private:
  /// Ranks print in any order.
  static std::vector<std::string> sorted_lines(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    std::ranges::sort(lines);
    return lines;
  }
  static std::vector<std::string> exactly(const std::vector<std::string>& command,
                                          const std::string& ranks = "1") {
    std::vector<std::string> run{"run",     "-n",     ranks,      "--compute", "none",
                                 "--quiet", "--json", "run.json", "--"};
    run.insert(run.end(), command.begin(), command.end());
    run.emplace_back("simulated");
    return run;
  }
};

TEST_F(Waits, OfCEndAtTheirDeadlinesOrWithWhatComes) {
  expect_exact({program("waits")});
  expect_decisions({program("waits")});
}

TEST_F(Waits, OfThreadsWithClocksOfTheirOwnEndSo) {
  expect_exact_in_turns({program("waits")});
  expect_decisions({program("waits"), "multiple"});
}

// Without descriptors, with bad operations on semaphores, of threads that are cancelled.
TEST_F(Waits, InCornersEndSo) {
  expect_exact({program("wait_corners")});
  expect_exact({program("wait_corners"), "multiple"});
  expect_decisions({program("wait_corners")});
}

TEST_F(Waits, OfCppEndSo) {
  expect_exact({program("waits_cxx")});
  expect_decisions({program("waits_cxx")});
  expect_exact_in_turns({program("waits_cxx")});
}

TEST_F(Waits, OfPythonEndSo) {
  if (in_shell("command -v python3").exit_code != 0) GTEST_SKIP() << "python3 is not here";
  write(
      "waits.py",
      R"py(import asyncio, concurrent.futures, ctypes, os, queue, select, signal, subprocess, sys, threading, time
mpi = ctypes.CDLL("libmpich.so.12")
mpi.MPI_Init(None, None)
SPAN, LONG = 0.02, 30
simulated = "simulated" in sys.argv
failed = False

def came_to(name, result, expected, begin, least):
    global failed
    took = time.monotonic() - begin
    right = result == expected and took >= least - 1e-6 and (not simulated or took <= least + 5e-3)
    if not right:
        failed = True
        print("FAIL %s: %s, not %s, after %.9f s, not %.3f" % (name, result, expected, took, least))
    print(name + ": " + str(result))

def later(act):
    def run():
        time.sleep(SPAN)
        act()
    thread = threading.Thread(target=run)
    thread.start()
    return thread

begin = time.monotonic(); time.sleep(SPAN)
came_to("sleep", True, True, begin, SPAN)
event = threading.Event()
begin = time.monotonic()
came_to("Event.wait", event.wait(SPAN), False, begin, SPAN)
begin = time.monotonic(); thread = later(event.set)
came_to("Event.wait, set later", event.wait(LONG), True, begin, SPAN)
thread.join()
lock = threading.Lock(); lock.acquire()
begin = time.monotonic()
came_to("Lock.acquire", lock.acquire(timeout=SPAN), False, begin, SPAN)
begin = time.monotonic(); thread = later(lock.release)
came_to("Lock.acquire, released later", lock.acquire(timeout=LONG), True, begin, SPAN)
thread.join()
begin = time.monotonic(); thread = later(lock.release)
came_to("Lock.acquire, released too late", lock.acquire(timeout=SPAN / 2), False, begin, SPAN / 2)
thread.join(SPAN / 4)
came_to("Thread.join, too early", thread.is_alive(), True, begin, SPAN * 3 / 4)
thread.join(LONG)
came_to("Thread.join", thread.is_alive(), False, begin, SPAN)
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    begin = time.monotonic()
    future = pool.submit(time.sleep, SPAN)
    try:
        future.result(SPAN / 2); result = "done"
    except concurrent.futures.TimeoutError:
        result = "timeout"
    came_to("Future.result, too early", result, "timeout", begin, SPAN / 2)
    came_to("Future.result", future.result(LONG), None, begin, SPAN)
    begin = time.monotonic()
    came_to("Future.result of what is computed", pool.submit(sum, range(100000)).result(LONG), 4999950000, begin, 0)
items = queue.Queue()
begin = time.monotonic()
try:
    items.get(timeout=SPAN); result = "got"
except queue.Empty:
    result = "empty"
came_to("Queue.get", result, "empty", begin, SPAN)
begin = time.monotonic(); thread = later(lambda: items.put(5))
came_to("Queue.get, put later", items.get(timeout=LONG), 5, begin, SPAN)
thread.join()
begin = time.monotonic()
asyncio.run(asyncio.sleep(SPAN))
came_to("asyncio.sleep", True, True, begin, SPAN)
async def never():
    await asyncio.sleep(LONG)
async def limited():
    try:
        await asyncio.wait_for(never(), SPAN)
        return "done"
    except asyncio.TimeoutError:
        return "timeout"
begin = time.monotonic()
came_to("asyncio.wait_for", asyncio.run(limited()), "timeout", begin, SPAN)
reading, writing = os.pipe()
begin = time.monotonic()
came_to("select", select.select([reading], [], [], SPAN)[0], [], begin, SPAN)
begin = time.monotonic(); thread = later(lambda: os.write(writing, b"x"))
came_to("select, written later", len(select.select([reading], [], [], LONG)[0]), 1, begin, SPAN)
thread.join()
begin = time.monotonic()
came_to("sigtimedwait", signal.sigtimedwait([signal.SIGUSR1], SPAN), None, begin, SPAN)
begin = time.monotonic()
output = subprocess.run(["/bin/echo", "x"], capture_output=True, timeout=3600, env={}).stdout
print("subprocess: %s" % output)  # for which the interpreter waits in a loop
failed = failed or output != b"x\n"
print("FAIL" if failed else "PASS")
mpi.MPI_Finalize()
)py");
  expect_exact({"python3", "waits.py"});
  expect_decisions({"python3", "waits.py"});
}

TEST_F(Waits, AndTimersExpireOnTheSimulatedClock) {
  expect_exact({program("timers")}, "2");
  expect_decisions({program("timers")}, "2");
}

TEST_F(Waits, AndTimersOfThreadsWithClocksOfTheirOwn) {
  expect_exact({program("timers"), "multiple"}, "2");
  expect_decisions({program("timers"), "multiple"}, "2");
}

/// What passes in MPI_Init is real, by every clock; only a date that the user has chosen makes dates jump.
TEST_F(Waits, AndClocksGoOnOverTheBeginningOfMpi) {
  for (const char* compute : {"none", "measured"})
    EXPECT_THAT(
        succeed({"run", "-n", "2", "--compute", compute, "--quiet", "--", program("clocks_over_init")}).out,
        HasSubstr("PASS"));
  EXPECT_THAT(succeed({"run", "-n", "1", "--compute", "none", "--quiet", "--date", "2000-01-01", "--",
                       program("clocks_over_init"), "946684800"})
                  .out,
              HasSubstr("PASS"));
}

}  // namespace
}  // namespace morgana::test
