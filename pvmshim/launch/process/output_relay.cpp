#include "pvmshim/launch/process/output_relay.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "pvmshim/launch/process/blocked_signals.h"
#include "pvmshim/launch/process/open_files.h"

namespace morgana {
namespace {

using namespace std::chrono_literals;

/// One of the ranks' two streams, in the relay.
struct Stream {
  int from;  ///< -1 once it has ended
  int to;
};

/// @return 0, or why it can't be written
int write_all(int to, const char* text, std::size_t size) {
  while (size > 0) {
    const ssize_t written = write(to, text, size);
    if (written >= 0) {
      text += written;
      size -= static_cast<std::size_t>(written);
    } else if (errno == EAGAIN) {  // whoever has opened it wants no write to wait
      pollfd room{to, POLLOUT, 0};
      poll(&room, 1, -1);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

/// Passes on some of what has come.
/// @return whether there was any
bool pass_on(Stream& stream, int news) {
  static char buffer[65536];
  const ssize_t size = read(stream.from, buffer, sizeof buffer);
  if (size < 0) return errno == EINTR;
  const int why = size == 0 ? 0 : write_all(stream.to, buffer, static_cast<std::size_t>(size));
  // Whoever writes on is told so by a broken pipe; but first the cause.
  if (why != 0 && stream.to == STDOUT_FILENO) (void)!write(news, &why, sizeof why);
  if (size == 0 || why != 0) close(std::exchange(stream.from, -1));
  return size > 0;
}

[[noreturn]] void relay(int output, int errors, int lifeline, int news) {
  setsid();  // the terminal's signals are not for it
  prctl(PR_SET_NAME, "morgana-output");
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE}) ::signal(signal, SIG_IGN);
  BlockedSignals::let_in();
  close_all_but({STDOUT_FILENO, STDERR_FILENO, output, errors, lifeline, news});
  std::array<Stream, 2> streams{{{output, STDOUT_FILENO}, {errors, STDERR_FILENO}}};
  while (streams[0].from >= 0 || streams[1].from >= 0) {
    std::array<pollfd, 3> ready{
        {{streams[0].from, POLLIN, 0}, {streams[1].from, POLLIN, 0}, {lifeline, POLLIN, 0}}};
    if (poll(ready.data(), ready.size(), -1) < 0) continue;
    for (std::size_t i = 0; i < streams.size(); ++i)
      if (ready[i].revents != 0) pass_on(streams[i], news);
    if (ready[2].revents == 0) continue;
    // Nobody of the job is left: whoever else holds a pipe open is not waited for.
    for (Stream& stream : streams) {
      fcntl(stream.from, F_SETFL, O_NONBLOCK);
      while (stream.from >= 0 && pass_on(stream, news)) {
      }
    }
    break;
  }
  _exit(0);
}

/// Both ends of a pipe; closed unless they were taken.
class PipeEnds {
 public:
  PipeEnds() {
    if (pipe2(ends_, O_CLOEXEC) != 0) throw Error(fmt::format("can't open a pipe: {}", strerror(errno)));
  }
  ~PipeEnds() {
    for (const int end : ends_)
      if (end >= 0) close(end);
  }
  PipeEnds(const PipeEnds&) = delete;
  PipeEnds& operator=(const PipeEnds&) = delete;
  int reading() const { return ends_[0]; }
  int writing() const { return ends_[1]; }
  int take_reading() { return std::exchange(ends_[0], -1); }
  int take_writing() { return std::exchange(ends_[1], -1); }

 private:
  int ends_[2] = {-1, -1};
};

/// Whether standard output and error take more at this moment.
bool is_taken() {
  std::array<pollfd, 2> room{{{STDOUT_FILENO, POLLOUT, 0}, {STDERR_FILENO, POLLOUT, 0}}};
  poll(room.data(), room.size(), 0);
  return room[0].revents != 0 && room[1].revents != 0;
}

}  // namespace

OutputRelay::OutputRelay() {
  PipeEnds output, errors, lifeline, news;
  {
    const BlockedSignals blocked;
    process_ = fork();
    if (process_ == 0) relay(output.reading(), errors.reading(), lifeline.reading(), news.writing());
  }
  if (process_ < 0)
    throw Error(fmt::format("can't start a process for the ranks' output: {}", strerror(errno)));
  output_ = output.take_writing();
  errors_ = errors.take_writing();
  lifeline_ = lifeline.take_writing();
  news_ = news.take_reading();
  fcntl(news_, F_SETFL, O_NONBLOCK);
  helper_.emplace(process_, lifeline_, HelperProcess::Patience::short_then_killed);
}

OutputRelay::~OutputRelay() {
  helper_.reset();
  close_pipes();
  if (lifeline_ >= 0) close(lifeline_);
  kill(process_, SIGKILL);
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
  }
  close(news_);
}

void OutputRelay::close_pipes() {
  for (int* end : {&output_, &errors_})
    if (*end >= 0) close(std::exchange(*end, -1));
}

void OutputRelay::read_news() {
  const std::lock_guard lock(mutex_);
  int why = 0;
  ssize_t size = 0;
  while ((size = read(news_, &why, sizeof why)) == sizeof why) trouble_ = why;
  ended_ = ended_ || size == 0;
}

std::optional<std::string> OutputRelay::trouble() {
  read_news();
  const std::lock_guard lock(mutex_);
  if (!trouble_) return std::nullopt;
  switch (*trouble_) {
    case EPIPE:
    case EBADF:
    case EIO:  // a terminal that was hung up
      return "standard output was closed";
    case ENOSPC:
      return "standard output is full";
    default:
      return fmt::format("standard output can't be written ({})", strerror(*trouble_));
  }
}

bool OutputRelay::ended_within(std::chrono::milliseconds limit) {
  read_news();
  if (ended_) return true;
  pollfd ready{news_, POLLIN, 0};
  if (poll(&ready, 1, static_cast<int>(limit.count())) > 0) read_news();
  return ended_;
}

void OutputRelay::drain() {
  if (lifeline_ >= 0) close(std::exchange(lifeline_, -1));
  if (!ended_within(0ms)) kill(process_, SIGCONT);  // should it be stopped
  constexpr int looks_before_lost = 10;
  int looks = 0;
  while (!ended_within(100ms)) {
    if (interrupted() == 0 || is_taken())
      looks = 0;
    else if (++looks > looks_before_lost)
      return;
  }
}

}  // namespace morgana
