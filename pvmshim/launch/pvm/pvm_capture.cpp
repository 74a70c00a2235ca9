#include "pvmshim/launch/pvm/pvm_capture.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iostream>
#include <optional>
#include <system_error>
#include <thread>

#include "pvmshim/channel/capture_log.h"
#include "pvmshim/channel/processor_clock.h"
#include "pvmshim/launch/process/installation.h"
#include "pvmshim/launch/process/interrupt.h"
#include "pvmshim/launch/process/pointers_to.h"
#include "pvmshim/launch/process/proc_file.h"
#include "pvmshim/launch/process/process_tree.h"
#include "pvmshim/launch/process/program_check.h"
#include "pvmshim/launch/process/standstill.h"
#include "pvmshim/pvmd/codes.h"
#include "pvmshim/pvmd/spawn_shortfall.h"

namespace morgana {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto between_looks_at_tasks = 5ms;
constexpr auto longest_start = 20s;
/// A program of which no call ends for so long is told of.
constexpr auto longest_standstill_of_tasks = 30s;
/// How long tasks may go on when the first one has ended, and how long processes may take to end when asked.
constexpr auto longest_afterwards = 5s;
constexpr auto grace = 3s;

std::string root_folder() {
  const char* root = std::getenv("PVM_ROOT");
  return root == nullptr ? "/usr/lib/pvm3" : root;
}

/// As in an emulated run: where the user says, the usual folders, beside the program, where the shell looks.
std::string search_path(const fs::path& program) {
  std::string path;
  const auto add = [&path](const std::string& folders) {
    if (!folders.empty()) path += (path.empty() ? "" : ":") + folders;
  };
  if (const char* folders = std::getenv("PVM_PATH")) add(folders);
  if (const char* home = std::getenv("HOME")) add(fmt::format("{}/pvm3/bin/{}", home, pvm::architecture));
  add(fmt::format("{}/bin/{}", root_folder(), pvm::architecture));
  add(fs::absolute(program).parent_path().string());
  if (const char* folders = std::getenv("PATH")) add(folders);
  return path;
}

/// A child of this process, in a session of its own, that ends with this thread.
class Child {
 public:
  /// @param output  of its standard output; -1 for this process's own, with standard input and errors
  Child(const std::vector<std::string>& command, const std::vector<std::string>& environment, int output) {
    const std::vector<char*> arguments = pointers_to(command), variables = pointers_to(environment);
    const pid_t parent = getpid();
    pid_ = fork();
    if (pid_ < 0) throw Error(fmt::format("can't start {}: {}", command.front(), strerror(errno)));
    if (pid_ > 0) return;
    setsid();
    prctl(PR_SET_PDEATHSIG, output >= 0 ? SIGTERM : SIGKILL);
    if (getppid() != parent) _exit(127);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    if (output >= 0) {
      const int nothing = open("/dev/null", O_RDWR);
      dup2(nothing, STDIN_FILENO);
      dup2(output, STDOUT_FILENO);
      dup2(nothing, STDERR_FILENO);
    }
    execve(arguments[0], arguments.data(), variables.data());
    _exit(127);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  pid_t pid() const { return pid_; }
  /// As wait(2) tells it, once it has ended.
  std::optional<int> status() {
    int status = 0;
    if (!status_ && waitpid(pid_, &status, WNOHANG) == pid_) status_ = status;
    return status_;
  }

 private:
  pid_t pid_ = -1;
  std::optional<int> status_;
};

/// The virtual machine of one run.
class PrivateMachine {
 public:
  PrivateMachine(const fs::path& program, const fs::path& logs) : folder_(logs / "pvm") {
    fs::create_directory(folder_);
    mark_ = fmt::format("{}={}.pvm", mark_variable, getpid());
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    make_environment(program, logs);
    start();
  }
  ~PrivateMachine() { end(); }
  PrivateMachine(const PrivateMachine&) = delete;
  PrivateMachine& operator=(const PrivateMachine&) = delete;

  const std::vector<std::string>& environment() const { return environment_; }
  const std::string& mark() const { return mark_; }

  /// Whether a task runs that PVM has started.
  bool has_tasks() {
    const std::vector<pid_t> running = processes_->running();
    return std::ranges::any_of(running, [this](pid_t pid) {
      return pid != daemon_->pid() && read_proc_file(fmt::format("/proc/{}/comm", pid)) != "pvmgs\n";
    });
  }

  /// What tasks have printed that nobody collects, from the daemon's log: "[t80040000] 06/21 12:00:00
  /// [t40002] text".
  void show_output() const {
    std::ifstream log(folder_ / fmt::format("pvml.{}", getuid()));
    for (std::string line; std::getline(log, line);) {
      const std::size_t task = line.find(" [t");
      const bool of_a_task = line.rfind("[t8", 0) == 0 && task != std::string::npos && task < 40;
      if (of_a_task) std::cerr << line.substr(task + 1) << '\n';
    }
  }

 private:
  void make_environment(const fs::path& program, const fs::path& logs) {
    std::string preload = own_library("libmorgana-pvm-capture.so").string();
    if (const char* others = std::getenv("LD_PRELOAD"); others != nullptr && *others != '\0')
      preload = std::string(others) + ":" + preload;
    environment_ = {
        "LD_PRELOAD=" + preload,
        "PVM_ROOT=" + root_folder(),
        fmt::format("PVM_ARCH={}", pvm::architecture),
        "PVM_TMP=" + folder_.string(),
        "PVM_PATH=" + search_path(program),
        "PVM_ALLOW_ROOT=1",
        fmt::format("{}={}", CaptureLogWriter::folder_variable, fs::absolute(logs).string()),
        fmt::format("{}={}", pvm::start_folder_variable, fs::current_path().string()),
        fmt::format("{}={}", CaptureLogWriter::origin_variable, read_clock_ns(CLOCK_MONOTONIC).value_or(0)),
        mark_};
    const std::size_t own = environment_.size();
    for (char** variable = environ; *variable != nullptr; ++variable) {
      const std::string text = *variable;
      const std::string name = text.substr(0, text.find('=') + 1);
      const bool ours = std::any_of(environment_.begin(), environment_.begin() + static_cast<long>(own),
                                    [&name](const std::string& set) { return set.rfind(name, 0) == 0; });
      // Another machine's daemon, and what a task of it would find, are not for this one.
      if (!ours && name != "PVMSOCK=" && name != "PVMEPID=" && name != "PVM_VMID=")
        environment_.push_back(text);
    }
  }

  void start() {
    const std::string program = root_folder() + "/lib/pvmd";
    if (access(program.c_str(), X_OK) != 0)
      throw Error(
          fmt::format("PVM's daemon can't be started: there is no {}; install the package pvm", program));
    int news[2];
    if (pipe2(news, O_CLOEXEC) != 0) throw Error(fmt::format("can't open a pipe: {}", strerror(errno)));
    // On this machine alone, whatever its name means to others.
    daemon_.emplace(std::vector<std::string>{program, "-nlocalhost"}, environment_, news[1]);
    processes_.emplace(daemon_->pid(), mark_);
    close(news[1]);
    const bool ready = tells_its_address(news[0]);
    close(news[0]);
    if (ready) return;
    const std::string why = last_log_line();
    end();
    throw_if_interrupted();
    throw Error(fmt::format("PVM's daemon can't be started{}: try 'pvm' by hand, and 'morgana doctor'",
                            why.empty() ? "" : " (" + why + ")"));
  }

  static bool tells_its_address(int from) {
    const auto limit = Clock::now() + longest_start;
    while (Clock::now() < limit && interrupted() == 0) {
      pollfd news{from, POLLIN, 0};
      if (poll(&news, 1, 100) <= 0) continue;
      char address[256];
      return read(from, address, sizeof address) > 0;
    }
    return false;
  }

  std::string last_log_line() const {
    std::ifstream log(folder_ / fmt::format("pvml.{}", getuid()));
    std::string last;
    for (std::string line; std::getline(log, line);)
      if (!line.empty()) last = line;
    return last;
  }

  /// The daemon ends its tasks when it is asked to end; what is left is killed.
  void end() {
    if (!daemon_) return;
    processes_->running();
    if (!daemon_->status()) kill(daemon_->pid(), SIGTERM);
    const auto start = Clock::now();
    while (true) {
      const bool daemon_gone = daemon_->status().has_value();
      const std::vector<pid_t> left = processes_->running();
      const auto waited = Clock::now() - start;
      if ((daemon_gone && left.empty()) || waited > 2 * grace) break;
      if (daemon_gone || waited > grace)
        for (const pid_t pid : left) kill(pid, SIGKILL);
      std::this_thread::sleep_for(between_looks_at_tasks);
    }
    daemon_.reset();
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  fs::path folder_;
  std::string mark_;
  std::vector<std::string> environment_;
  std::optional<Child> daemon_;
  std::optional<ProcessTree> processes_;
};

int exit_code(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

int run_capturing_pvm(const std::vector<std::string>& command, const fs::path& folder, bool quiet) {
  std::vector<std::string> words = command;
  const fs::path program = find_program(words.at(0));
  check_pvm_command(words);
  words[0] = program.string();
  PrivateMachine machine(program, folder);
  Child first(words, machine.environment(), -1);
  const auto end_first = [&first] {
    if (!first.status()) kill(first.pid(), SIGKILL);
    while (!first.status()) std::this_thread::sleep_for(between_looks_at_tasks);
  };
  try {
    Standstill standstill(folder, "PVM", longest_standstill_of_tasks, Standstill::Clock::now());
    while (!first.status()) {
      throw_if_interrupted();
      if (!quiet) standstill.tell();
      std::this_thread::sleep_for(between_looks_at_tasks);
    }
    const auto limit = Clock::now() + longest_afterwards;
    while (Clock::now() < limit && machine.has_tasks()) {
      throw_if_interrupted();
      std::this_thread::sleep_for(between_looks_at_tasks);
    }
  } catch (...) {
    end_first();
    throw;
  }
  machine.show_output();
  return exit_code(*first.status());
}

}  // namespace morgana
