#include "pvmshim/launch/pvm/task_processes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>

#include "pvmshim/launch/process/process_tree.h"
#include "pvmshim/launch/process/program_check.h"
#include "pvmshim/launch/pvm/output_taker.h"
#include "pvmshim/launch/pvm/task_command.h"
#include "pvmshim/pvmd/codes.h"
#include "pvmshim/pvmd/request.h"

namespace morgana {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t stop_key = ~std::uint64_t{0};
constexpr std::uint64_t output_key = std::uint64_t{1} << 32;  // + rank; without it: the rank's process

int checked(int descriptor) {
  if (descriptor < 0) throw Error(fmt::format("can't watch the tasks' processes: {}", strerror(errno)));
  return descriptor;
}

void close_if_open(int& descriptor) {
  if (descriptor >= 0) close(descriptor);
  descriptor = -1;
}

void write_to_user(std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = write(STDERR_FILENO, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) {  // whoever has opened it, or a task, wants no write to wait
      pollfd room{STDERR_FILENO, POLLOUT, 0};
      poll(&room, 1, -1);
      continue;
    }
    if (count <= 0) return;  // nobody reads it any more
    text.remove_prefix(static_cast<std::size_t>(count));
  }
}

}  // namespace

struct TaskProcesses::Process {
  Rank rank{};
  pvm::TaskId id = 0;
  pid_t pid = 0;
  int descriptor = -1;  ///< pidfd
  // Used by start(), then by the watching thread alone:
  int output = -1;                     ///< what it prints
  std::shared_ptr<OutputTaker> taker;  ///< of its output: of its parent's
  std::optional<Rank> taker_elsewhere;
  std::string line;  ///< begun
  // Guarded by the mutex:
  bool was_ended = false;
  std::optional<int> status;
};

TaskProcesses::TaskProcesses(std::vector<std::string> environment, std::function<void()> news)
    : environment_(std::move(environment)),
      mark_(fmt::format("{}={}.pvm", mark_variable, getpid())),
      guard_(mark_),
      news_(std::move(news)),
      events_(checked(epoll_create1(EPOLL_CLOEXEC))),
      stop_(checked(eventfd(0, EFD_CLOEXEC))) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);  // what tasks have forked must not get away
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = stop_key;
  checked(epoll_ctl(events_, EPOLL_CTL_ADD, stop_, &event));
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // signals are for the thread that waits for the emulator
  thread_ = std::thread([this] { watch(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TaskProcesses::~TaskProcesses() {
  eventfd_write(stop_, 1);
  thread_.join();
  for (auto& [rank, process] : processes_) {
    if (!process->status) {
      kill(process->pid, SIGKILL);
      waitpid(process->pid, nullptr, 0);
    }
    close_if_open(process->descriptor);
    process->taker.reset();  // whoever it was
    if (process->output >= 0) read_output(*process);
    close_if_open(process->output);
  }
  // What they have forked and left.
  ProcessTree rest(-1, mark_);
  constexpr int looks = 500;
  for (int look = 0; look < looks; ++look) {
    const std::vector<pid_t> left = rest.running();
    if (left.empty()) break;
    for (const pid_t pid : left) kill(pid, SIGKILL);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  close(stop_);
  close(events_);
}

pid_t TaskProcesses::start_first(const std::vector<std::string>& command, Rank rank, pvm::TaskId id) {
  const fs::path program = find_program(command.at(0));
  look_beside(program);
  TaskCommand start{program.string(), command, environment_, "", -1};
  start.environment.push_back(mark_);
  start.environment.push_back(fmt::format("{}={}", pvm::task_variable, id));
  start.environment.push_back(fmt::format("{}={}", pvm::parent_variable, pvm::no_parent));
  int failure = 0;
  auto process = std::make_unique<Process>();
  process->rank = rank;
  process->id = id;
  process->pid = start_process(start, failure);
  if (process->pid < 0) throw Error(fmt::format("can't start {}: {}", program.string(), strerror(failure)));
  const pid_t pid = process->pid;
  const std::lock_guard lock(mutex_);
  process->descriptor = checked(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = index(rank);
  processes_[rank] = std::move(process);
  checked(epoll_ctl(events_, EPOLL_CTL_ADD, processes_[rank]->descriptor, &event));
  return pid;
}

void TaskProcesses::look_beside(const fs::path& program) {
  folders_ = task_folders(program);
}

std::int32_t TaskProcesses::start(const pvm::TaskStart& task) {
  TaskCommand start;
  start.program = find_task_program(task.file, folders_);
  if (start.program.empty()) {
    unstarted_.try_emplace(task.file,
                           fmt::format("it is in none of the folders {}; give its path, or name its "
                                       "folder in PVM_PATH",
                                       fmt::join(folders_, ", ")));
    return pvm::no_file;
  }
  start.arguments = {task.file};
  start.arguments.insert(start.arguments.end(), task.arguments.begin(), task.arguments.end());
  start.environment = environment_;
  start.environment.push_back(mark_);
  start.environment.insert(start.environment.end(), task.variables.begin(), task.variables.end());
  start.environment.push_back(fmt::format("{}={}", pvm::task_variable, task.id));
  start.environment.push_back(fmt::format("{}={}", pvm::parent_variable, task.parent));
  start.folder = task.folder;
  int output[2];
  if (pipe2(output, O_CLOEXEC) != 0) return pvm::out_of_resources;
  start.output = output[1];
  int failure = 0;
  auto process = std::make_unique<Process>();
  process->rank = task.rank;
  process->id = task.id;
  process->output = output[0];
  process->pid = start_process(start, failure);
  close(output[1]);
  if (process->pid < 0) {
    close(output[0]);
    unstarted_.try_emplace(task.file, strerror(failure));
    return failure == ENOMEM || failure == EAGAIN ? pvm::no_memory : pvm::no_file;
  }
  const pid_t pid = process->pid;
  process->descriptor = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  fcntl(process->output, F_SETFL, O_NONBLOCK);
  std::unique_lock lock(mutex_);
  if (task.output) {
    if (const auto taker = catching_.find(*task.output); taker != catching_.end())
      process->taker = taker->second;
    else if (elsewhere_ && find(*task.output) == nullptr)
      process->taker_elsewhere = task.output;
  }
  Process& kept = *(processes_[task.rank] = std::move(process));
  lock.unlock();
  if (kept.taker || kept.taker_elsewhere) write_line(kept, "BEGIN");
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = index(task.rank);
  checked(epoll_ctl(events_, EPOLL_CTL_ADD, kept.descriptor, &event));
  event.data.u64 = output_key + index(task.rank);
  checked(epoll_ctl(events_, EPOLL_CTL_ADD, kept.output, &event));
  return pid;
}

TaskProcesses::Process* TaskProcesses::find(Rank rank) const {
  const auto first = first_task_.find(rank);
  const auto found = processes_.find(first == first_task_.end() ? rank : first->second);
  return found == processes_.end() ? nullptr : found->second.get();
}

void TaskProcesses::go_on_as(Rank from, Rank to) {
  const std::lock_guard lock(mutex_);
  if (const Process* process = find(from)) first_task_[to] = process->rank;
}

void TaskProcesses::end(Rank rank, bool politely) {
  const std::lock_guard lock(mutex_);
  Process* process = find(rank);
  if (process == nullptr || process->status) return;
  process->was_ended = true;
  const int signal = politely && ends_process(SIGTERM, process->pid) ? SIGTERM : SIGKILL;
  syscall(SYS_pidfd_send_signal, process->descriptor, signal, nullptr, 0);
}

bool TaskProcesses::signal(Rank rank, int signal) {
  const std::lock_guard lock(mutex_);
  const Process* process = find(rank);
  if (process == nullptr || process->status) return false;
  const SentSignal sent{rank, process->pid, ends_process(signal, process->pid)};
  if (syscall(SYS_pidfd_send_signal, process->descriptor, signal, nullptr, 0) != 0) return false;
  sent_signals_.push_back(sent);
  return true;
}

std::vector<SentSignal> TaskProcesses::take_sent_signals() {
  return std::exchange(sent_signals_, {});
}

void TaskProcesses::catch_output(Rank parent, int descriptor) {
  const std::lock_guard lock(mutex_);
  catching_.erase(parent);
  const Process* process = find(parent);
  if (descriptor < 0 || process == nullptr) return;
  const std::string path = fmt::format("/proc/{}/fd/{}", process->pid, descriptor);
  if (const int opened = open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK); opened >= 0)
    catching_[parent] = std::make_shared<OutputTaker>(opened);
  if (const auto taker = catching_.find(parent); elsewhere_ && taker != catching_.end())
    caught_.try_emplace(parent, taker->second);
}

std::optional<pid_t> TaskProcesses::process_of(Rank rank) const {
  const std::lock_guard lock(mutex_);
  const Process* process = find(rank);
  return process == nullptr ? std::nullopt : std::optional(process->pid);
}

std::optional<int> TaskProcesses::ended(Rank rank) const {
  const std::lock_guard lock(mutex_);
  const Process* process = find(rank);
  return process == nullptr ? std::nullopt : process->status;
}

bool TaskProcesses::was_ended(Rank rank) const {
  const std::lock_guard lock(mutex_);
  const Process* process = find(rank);
  return process != nullptr && process->was_ended;
}

bool TaskProcesses::any_runs() const {
  const std::lock_guard lock(mutex_);
  return std::any_of(processes_.begin(), processes_.end(),
                     [](const auto& one) { return !one.second->status; });
}

void TaskProcesses::watch() {
  while (true) {
    epoll_event event{};
    if (epoll_wait(events_, &event, 1, -1) != 1) continue;
    if (event.data.u64 == stop_key) return;
    const bool is_output = event.data.u64 >= output_key;
    const Rank rank{static_cast<std::int32_t>(is_output ? event.data.u64 - output_key : event.data.u64)};
    std::unique_lock lock(mutex_);
    Process& process = *processes_.at(rank);
    if (!is_output) reap(process);
    lock.unlock();
    if (is_output)
      read_output(process);
    else
      news_();
  }
}

/// Passes on what has come, in whole lines; after the last, what is left of one. It may wait for who reads
/// them: without the mutex.
void TaskProcesses::read_output(Process& process) {
  std::array<char, 4096> buffer{};
  while (true) {
    const ssize_t count = read(process.output, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0 && errno == EAGAIN) return;
    if (count <= 0) break;
    process.line.append(buffer.data(), static_cast<std::size_t>(count));
    for (std::size_t end = process.line.find('\n'); end != std::string::npos; end = process.line.find('\n')) {
      write_line(process, process.line.substr(0, end));
      process.line.erase(0, end + 1);
    }
  }
  if (!process.line.empty()) write_line(process, process.line);
  process.line.clear();
  if (process.taker || process.taker_elsewhere) write_line(process, "EOF");
  epoll_ctl(events_, EPOLL_CTL_DEL, process.output, nullptr);
  close_if_open(process.output);
  process.taker.reset();
}

void TaskProcesses::write_line(const Process& process, const std::string& text) const {
  const std::string line = fmt::format("[t{:x}] {}\n", process.id, text);
  if (process.taker_elsewhere)
    elsewhere_(*process.taker_elsewhere, line);
  else if (process.taker)
    process.taker->write(line);
  else
    write_to_user(line);
}

void TaskProcesses::caught(Rank taker, const std::string& lines) {
  std::shared_ptr<OutputTaker> to;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = caught_.find(taker); found != caught_.end()) to = found->second;
  }
  if (to)
    to->write(lines);
  else
    write_to_user(lines);
}

void TaskProcesses::reap(Process& process) {
  epoll_ctl(events_, EPOLL_CTL_DEL, process.descriptor, nullptr);
  int status = 0;
  while (waitpid(process.pid, &status, 0) < 0 && errno == EINTR) {
  }
  process.status = status;
}

}  // namespace morgana
