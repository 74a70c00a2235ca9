#include <fcntl.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdlib>

#include "emulator/core/error.h"
#include "pvmshim/agent/agent.h"
#include "pvmshim/agent/quiet_thread.h"
#include "pvmshim/agent/work_order.h"
#include "pvmshim/launch/process/interrupt.h"
#include "runs/run_process.h"
#include "runs/shared_runs.h"

namespace morgana {

RunWorker::RunWorker(int socket) : stream_(socket), news_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (news_ < 0) throw Error("can't make an eventfd: raise this user's limit on open files");
  stream_.accept_up_to(largest_frame);
  inbox_.on_change([this] { ::eventfd_write(news_, 1); });
  living_ = quiet_thread([this] {
    std::unique_lock lock(mutex_);
    while (!ends_.wait_for(lock, between_signs_of_life, [this] { return is_over_.load(); }))
      stream_.send(FrameKind::alive);
  });
  thread_ = quiet_thread([this] {
    Frame frame;
    try {
      while (stream_.receive(frame) && frame.kind != FrameKind::quit) inbox_.put(std::move(frame));
    } catch (const Error&) {
    }
    if (is_over_) return;
    // Nobody wants anything of this process any more; its runs end with it.
    ::_exit(frame.kind == FrameKind::quit ? EXIT_SUCCESS : EXIT_FAILURE);
  });
}

RunWorker::~RunWorker() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  ends_.notify_all();
  stream_.shut();
  thread_.join();
  living_.join();
  ::close(news_);
}

void RunWorker::run(std::span<const Job> jobs, std::optional<std::size_t> side_by_side, const RunEnded& ended,
                    const RunIdle& idle) {
  ++at_;
  stream_.send(FrameKind::ready, -1,
               encode(RunList{at_, jobs.size(), hash_of(jobs), side_by_side.value_or(0)}));
  std::vector<RunProcess> making;
  while (true) {
    throw_if_interrupted();
    eventfd_t ignored = 0;
    ::eventfd_read(news_, &ignored);
    for (const Frame& frame : inbox_.take()) {
      ContentReader content(frame.content);
      if (frame.kind == FrameKind::make) {
        const std::uint64_t index = content.number();
        if (index >= jobs.size()) throw MalformedFrame("a run that is not one of the list");
        making.emplace_back(static_cast<std::size_t>(index), jobs[index]);
      } else if (frame.kind == FrameKind::outcomes) {
        if (content.count() != jobs.size()) throw MalformedFrame("outcomes of another list");
        for (std::size_t index = 0; index < jobs.size(); ++index)
          ended(index, outcome_of(content.text(), jobs[index]));
        return;
      }
    }
    if (idle && !making.empty()) idle(making.front().index());
    for (RunProcess& run : ended_among(making, news_)) {
      throw_if_interrupted();  // then the run was, too, and what it tells is that
      stream_.send(FrameKind::made, -1,
                   ContentWriter().number(at_).number(run.index()).text(run.told()).bytes());
    }
  }
}

std::uint64_t hash_of(std::span<const Job> jobs) {
  std::uint64_t hash = 14695981039346656037U;  // Fowler, Noll, Vo: FNV-1a
  const auto add = [&hash](unsigned char byte) { hash = (hash ^ byte) * 1099511628211U; };
  for (const Job& job : jobs) {
    for (const std::string* text : {&job.name, &job.about}) {
      for (const char letter : *text) add(static_cast<unsigned char>(letter));
      add(0);
    }
  }
  return hash;
}

bool is_worker() {
  return std::getenv(worker_variable) != nullptr;
}

std::optional<int> worker_socket() {
  const char* const text = std::getenv(worker_variable);
  if (text == nullptr) return std::nullopt;
  const int socket = std::atoi(text);
  ::unsetenv(worker_variable);  // not for what it starts, as the descriptor
  ::fcntl(socket, F_SETFD, FD_CLOEXEC);
  return socket;
}

}  // namespace morgana
