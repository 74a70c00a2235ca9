#include "pvmshim/agent/output_sender.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace morgana {

OutputSender::OutputSender(Stream& emulator)
    : emulator_(emulator), output_(way(STDOUT_FILENO)), errors_(way(STDERR_FILENO)) {}

OutputSender::Way OutputSender::way(int standard) {
  int ends[2];
  const int before = fcntl(standard, F_DUPFD_CLOEXEC, 3);
  if (before < 0 || pipe2(ends, O_CLOEXEC) != 0 || dup2(ends[1], standard) < 0)
    throw Error(fmt::format("can't take the ranks' output: {}", std::strerror(errno)));
  close(ends[1]);
  sigset_t all, blocked;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &blocked);
  std::thread thread([this, standard, reading = ends[0]] {
    std::array<std::byte, 65536> bytes{};
    while (true) {
      const ssize_t size = read(reading, bytes.data(), bytes.size());
      if (size < 0 && errno == EINTR) continue;
      if (size <= 0) return;
      emulator_.send(FrameKind::output, standard, std::span(bytes).first(static_cast<std::size_t>(size)));
    }
  });
  pthread_sigmask(SIG_SETMASK, &blocked, nullptr);
  return {standard, before, ends[0], std::move(thread)};
}

OutputSender::~OutputSender() {
  std::fflush(nullptr);
  for (Way* way : {&output_, &errors_}) {
    dup2(way->before, way->standard);
    close(way->before);
    way->thread.join();
    close(way->reading);
  }
}

}  // namespace morgana
