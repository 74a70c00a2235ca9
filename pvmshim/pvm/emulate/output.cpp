// pvm_catchout: the launcher writes the children's lines, ready to be printed, into a pipe of this process; a
// thread copies them to where the program wants them. A thread, because the writer must not wait for this
// task to call PVM again.

#include "pvmshim/pvm/emulate/output.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <thread>

#include "pvmshim/pvm/emulate/daemon_request.h"
#include "pvmshim/pvm/emulate/task_call.h"

namespace morgana::pvm {
namespace {

class CaughtOutput {
 public:
  CaughtOutput() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) throw Error("pvm_catchout can't make a pipe: too many open files");
    read_end_ = ends[0];
    write_end_ = ends[1];
    fcntl(read_end_, F_SETFL, O_NONBLOCK);
    std::thread(&CaughtOutput::copy, this).detach();
  }

  int write_end() const { return write_end_; }
  void print_to(FILE* file) { file_.store(file); }

  /// Until all tasks whose output has begun have written their last line, at most so long.
  void finish(std::chrono::seconds patience) {
    drain();
    std::unique_lock lock(reading_);
    all_ended_.wait_for(lock, patience, [this] { return open_.empty(); });
  }

  /// Prints what is in the pipe now.
  void drain() {
    const std::lock_guard lock(reading_);
    std::array<char, 4096> bytes;
    while (true) {
      const ssize_t count = read(read_end_, bytes.data(), bytes.size());
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) break;
      rest_.append(bytes.data(), static_cast<std::size_t>(count));
    }
    FILE* file = file_.load();
    std::size_t printed = 0;
    for (std::size_t end = 0; (end = rest_.find('\n', printed)) != std::string::npos; printed = end + 1)
      take_line(std::string_view(rest_).substr(printed, end + 1 - printed), file);
    if (file != nullptr && printed > 0) fflush(file);
    rest_.erase(0, printed);
    if (open_.empty()) all_ended_.notify_all();
  }

 private:
  /// Lines are marked "[t40003] ", and each task's first and last one say BEGIN and EOF. The program may not
  /// want to see that (PvmShowTids).
  void take_line(std::string_view line, FILE* file) {
    const std::size_t mark = line.starts_with("[t") ? line.find("] ") : std::string_view::npos;
    const std::string_view task = mark == std::string_view::npos ? "" : line.substr(0, mark);
    const std::string_view text = mark == std::string_view::npos ? line : line.substr(mark + 2);
    const bool begins = text == "BEGIN\n", ends = text == "EOF\n";
    if (begins) open_.emplace(task);
    if (ends) open_.erase(std::string(task));
    if (file == nullptr || (pvmshowtaskid == 0 && (begins || ends))) return;
    const std::string_view shown = pvmshowtaskid == 0 ? text : line;
    fwrite(shown.data(), 1, shown.size(), file);
  }

  void copy() {
    while (true) {
      pollfd wanted{read_end_, POLLIN, 0};
      poll(&wanted, 1, -1);
      drain();
    }
  }

  int read_end_ = -1, write_end_ = -1;
  std::atomic<FILE*> file_{nullptr};
  std::mutex reading_;
  std::condition_variable all_ended_;
  std::set<std::string> open_;  ///< marks of the tasks whose output has begun and not ended
  std::string rest_;            ///< the beginning of a line
};

CaughtOutput* caught = nullptr;
bool catches = false, finishes = false;

/// No signal of the program's is handled in the thread that copies.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

int catch_output(OpenCall& call, FILE* to) {
  if (to != nullptr && caught == nullptr) {
    const SignalsBlocked blocked;
    caught = new CaughtOutput;
  }
  if (to != nullptr) caught->print_to(to);
  catches = to != nullptr;
  return ask_daemon(call, {Ask::catch_output, 0, {catches ? caught->write_end() : -1}, {}, {}}).status;
}

void finish_output(OpenCall& call) {
  if (!catches) return;
  ask_daemon(call, {Ask::wait_children_output, 0, {}, {}, {}});
  // They have left the machine; what they print until their processes end comes a moment later. Those that go
  // on may need this task's clock to move, which stands still here.
  constexpr std::chrono::seconds moment{1};
  caught->finish(moment);
  finishes = true;
}

void wait_for_output() {
  constexpr std::chrono::seconds patience{5};
  if (finishes) caught->finish(patience);
}

void flush_output() {
  if (caught != nullptr) caught->drain();
}

}  // namespace morgana::pvm

int pvm_catchout(FILE* to) {
  using namespace morgana::pvm;
  const int result = task_call(morgana::Call::pvm_catchout, [&](OpenCall& call) -> int {
    const int status = catch_output(call, to);
    if (status < 0) return status;
    // As the real library's, which collects messages.
    constexpr int task_context = 0x7ffff, output_tag = static_cast<int>(0x80030005);
    pvmctrc.outtid = to == nullptr ? 0 : pvmmytid;
    pvmctrc.outctx = to == nullptr ? 0 : task_context;
    pvmctrc.outtag = to == nullptr ? 0 : output_tag;
    return PvmOk;
  });
  return result < 0 ? lpvmerr("pvm_catchout", result) : PvmOk;
}
