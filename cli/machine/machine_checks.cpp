#include "cli/machine/machine_checks.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <new>
#include <string>
#include <thread>
#include <utility>

#include "cli/common/progress_bar.h"
#include "emulator/report/readable.h"
#include "pvmshim/launch/mpi/mpi_job.h"
#include "pvmshim/launch/process/installation.h"
#include "pvmshim/launch/process/interrupt.h"
#include "pvmshim/launch/process/launcher_environment.h"
#include "pvmshim/launch/process/library_search.h"
#include "pvmshim/launch/process/program_check.h"

namespace morgana::cli {
namespace {

using State = Check::State;

/// Whether `attempt`, run in a process of its own, returns true.
bool succeeds_in_child(const std::function<bool()>& attempt) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(attempt() ? 0 : 1);
  int status = 0;
  while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

Check program(const std::string& name, const std::string& package, State otherwise, const std::string& use) {
  try {
    return {State::ok, name, find_program(name), ""};
  } catch (const Error&) {
    return {otherwise, name, "not in PATH", fmt::format("{}: apt-get install {}", use, package)};
  }
}

/// A batch system's variables lead mpiexec to other machines, unless it is told to stay here; it is.
Check batch_system() {
  const auto allocation = allocation_here();
  if (!allocation) return {State::ok, "batch system", "no allocation here", ""};
  return {State::ok, "batch system",
          fmt::format("in an allocation of {} ({}={}): ranks run on this machine alone", allocation->system,
                      allocation->variable, allocation->value),
          ""};
}

/// Starts two ranks, as every run does.
Check started_ranks() {
  constexpr const char* what = "starting ranks";
  constexpr auto longest = std::chrono::seconds(60);
  try {
    MpiJob job({find_program("true").string()}, 2, {});
    const auto start = std::chrono::steady_clock::now();
    while (!job.exit_code()) {
      throw_if_interrupted();
      if (std::chrono::steady_clock::now() - start > longest)
        return {State::missing, what, fmt::format("two ranks have not ended after {} s", longest.count()),
                "does `mpiexec.mpich -launcher fork -rmk user -n 2 true` end?"};
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    if (job.exit_code() == 0) return {State::ok, what, "two ranks start and end", ""};
    return {State::missing, what, fmt::format("two ranks end with exit code {}", *job.exit_code()),
            "does `mpiexec.mpich -launcher fork -rmk user -n 2 true` run?"};
  } catch (const Error& error) {
    return {State::missing, what, "they can't be started", error.what()};
  }
}

Check mpi_library() {
  const bool loads =
      succeeds_in_child([] { return ::dlopen("libmpich.so.12", RTLD_LAZY | RTLD_LOCAL) != nullptr; });
  if (loads) return {State::ok, "libmpich.so.12", "loads", ""};
  return {State::missing, "libmpich.so.12", "does not load", "programs need it: apt-get install libmpich12"};
}

/// Runs and replays of PVM programs use the stand-in for its libraries.
Check pvm() {
  try {
    return {State::ok, "pvm", find_program("pvm"), ""};
  } catch (const Error&) {
    return {State::warning, "pvm", "not in PATH",
            "only captures over the real PVM need it: package pvm of Debian 12, which later releases lack"};
  }
}

Check shim() {
  try {
    return {State::ok, "shim library", own_library("libmorgana-mpi.so"), ""};
  } catch (const Error& error) {
    return {State::missing, "shim library", "not found", error.what()};
  }
}

/// What stands in for other MPI libraries.
Check stand_ins() {
  constexpr const char* what = "programs for Open MPI";
  try {
    own_library("libmorgana-openmpi.so");
    own_library("libmorgana-abi.so");
    own_library("libmorgana-abi-0.so");
    own_library("libmorgana-mpich-family.so");
    std::string found = "in C and Python (libmpi.so.40)", absent;
    for (const auto& [language, library] :
         {std::pair{"Fortran", "libmpi_mpifh.so.40"}, std::pair{"C++", "libmpi_cxx.so.40"}})
      (is_missing(library, folders_in("LD_LIBRARY_PATH")) ? absent : found) +=
          fmt::format(", {} ({})", language, library);
    if (!absent.empty())
      found += ", not in " + absent.substr(2) + ", which Open MPI's package libopenmpi3 has";
    return {State::ok, what,
            found + "; and for MPICH's own name (libmpi.so.12) and the standard ABI (libmpi_abi.so.1)", ""};
  } catch (const Error& error) {
    return {State::warning, what, "not supported", error.what()};
  }
}

/// The way on which ranks reach the emulator: anonymous memory, opened through the launcher's /proc entry.
std::vector<Check> channel() {
  const int fd = ::memfd_create("morgana-doctor", MFD_CLOEXEC);
  if (fd < 0) {
    return {
        {State::missing, "anonymous memory", std::strerror(errno), "memfd_create needs Linux 3.17 or later"}};
  }
  const std::string path = fmt::format("/proc/{}/fd/{}", ::getpid(), fd);
  const bool opens = succeeds_in_child([&] { return ::open(path.c_str(), O_RDWR | O_CLOEXEC) >= 0; });
  ::close(fd);
  std::vector<Check> checks{{State::ok, "anonymous memory", "memfd_create works", ""}};
  if (opens) {
    checks.push_back({State::ok, "access to /proc/PID/fd", "a child can open what its parent shares", ""});
  } else {
    checks.push_back({State::missing, "access to /proc/PID/fd", "refused",
                      "mount /proc without hidepid, or allow ptrace-like access in this container"});
  }
  return checks;
}

/// The way on which one-sided communication reaches another rank's memory.
Check memory_of_others() {
  const int here = 42;
  const pid_t parent = ::getpid();
  ::prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
  const bool readable_memory = succeeds_in_child([&] {
    int read = 0;
    const iovec to{&read, sizeof read}, from{const_cast<int*>(&here), sizeof here};
    return ::process_vm_readv(parent, &to, 1, &from, 1, 0) == sizeof read && read == here;
  });
  ::prctl(PR_SET_PTRACER, 0, 0, 0, 0);
  if (readable_memory) return {State::ok, "other ranks' memory", "process_vm_readv works", ""};
  return {State::warning, "other ranks' memory", "process_vm_readv is refused",
          "one-sided communication needs it: in a container, --cap-add SYS_PTRACE"};
}

Check processor_clock() {
  clockid_t clock{};
  timespec time{};
  const bool readable_clock =
      ::clock_getcpuclockid(::getppid(), &clock) == 0 && ::clock_gettime(clock, &time) == 0;
  if (readable_clock) return {State::ok, "processor clocks", "another process's can be read", ""};
  return {State::warning, "processor clocks", "another process's cannot be read",
          "ranks will compute one after the other where they could side by side"};
}

Check cores() {
  const unsigned count = std::thread::hardware_concurrency();
  const std::string detail = fmt::format("{}", count);
  if (count >= 2) return {State::ok, "cores", detail, ""};
  return {State::warning, "cores", detail, "ranks compute one after the other: simulated times are the same"};
}

Check open_files() {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const std::string detail =
      limit.rlim_cur == RLIM_INFINITY ? "unlimited" : fmt::format("{}", limit.rlim_cur);
  if (limit.rlim_cur >= 1024) return {State::ok, "open files", detail, ""};
  return {State::warning, "open files", detail, "runs with many ranks need more: ulimit -n 4096"};
}

void futex_wait(std::atomic<std::uint32_t>& word, std::uint32_t value) {
  timespec limit{1, 0};  // should the other side have died
  ::syscall(SYS_futex, &word, FUTEX_WAIT, value, &limit, nullptr, 0);
}
void futex_wake(std::atomic<std::uint32_t>& word) {
  ::syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

Check round_trip() {
  constexpr std::uint32_t rounds = 2000;
  void* memory = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    return {State::missing, "shared memory", std::strerror(errno), "allow this user more memory"};
  }
  auto* turn = new (memory) std::atomic<std::uint32_t>(0);  // even: ours, odd: the child's
  const pid_t child = ::fork();
  if (child == 0) {
    for (std::uint32_t i = 0; i < rounds; ++i) {
      while (turn->load() != 2 * i + 1) futex_wait(*turn, 2 * i);
      turn->store(2 * i + 2);
      futex_wake(*turn);
    }
    ::_exit(0);
  }
  const StopWatch watch;
  for (std::uint32_t i = 0; child > 0 && i < rounds; ++i) {
    turn->store(2 * i + 1);
    futex_wake(*turn);
    while (turn->load() != 2 * i + 2) futex_wait(*turn, 2 * i + 1);
  }
  const double each = watch.seconds() / rounds;
  while (child > 0 && ::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  ::munmap(memory, 4096);
  if (child < 0) return {State::missing, "processes", "cannot be started", "raise this user's process limit"};
  if (each < 100e-6) return {State::ok, "round trip", readable_seconds(each), ""};
  return {State::warning, "round trip", readable_seconds(each),
          "usual are 5 to 30 us: each call of a program will be slow while the machine is this busy"};
}

}  // namespace

std::vector<Check> check_machine() {
  std::vector<Check> checks;
  checks.push_back(program("mpiexec.mpich", "mpich", State::missing, "it starts programs"));
  const bool has_launcher = checks.back().state == State::ok;
  checks.push_back(batch_system());
  checks.push_back(mpi_library());
  checks.push_back(shim());
  checks.push_back(stand_ins());
  if (has_launcher) checks.push_back(started_ranks());
  for (Check& check : channel()) checks.push_back(std::move(check));
  checks.push_back(memory_of_others());
  checks.push_back(processor_clock());
  checks.push_back(cores());
  checks.push_back(open_files());
  checks.push_back(round_trip());
  checks.push_back(pvm());
  checks.push_back(program("otf2-print", "otf2-tools", State::warning, "it shows traces as text"));
  checks.push_back(program("gnuplot", "gnuplot-nox", State::warning, "it draws plots"));
  checks.push_back(program("neato", "graphviz", State::warning, "it lays out pictures of networks"));
  return checks;
}

}  // namespace morgana::cli
