#include "pvmshim/agent/hosted_tasks.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "pvmshim/launch/process/interrupt.h"
#include "pvmshim/launch/process/program_check.h"
#include "pvmshim/launch/process/waiting.h"

namespace morgana {

HostedTasks::HostedTasks(const LaunchOptions& launch, Tell tell, Begins begins, std::function<bool()> is_over)
    : ranks_(launch.ranks),
      tell_(std::move(tell)),
      begins_(std::move(begins)),
      tasks_(channel_settings(launch), launch.payload_room, true, std::move(is_over),
             fmt::format(" on {}", own_machine())) {
  tasks_.processes().look_beside(find_program(launch.command.at(0)));
}

void HostedTasks::take_output_elsewhere(TaskProcesses::Elsewhere pass_on) {
  tasks_.processes().take_output_elsewhere(std::move(pass_on));
}

TaskReply HostedTasks::start(const TaskRequest& request) {
  TaskReply reply;
  if (request.what == TaskRequest::What::start_first) {
    reply.result = tasks_.start_first(request.task.arguments, request.rank, request.task.id);
  } else {
    reply.result = tasks_.start(request.task);
    if (reply.result < 0) {
      const auto reasons = tasks_.unstarted();
      if (const auto why = reasons.find(request.task.file); why != reasons.end()) reply.why = why->second;
    }
  }
  if (reply.result < 0) return reply;
  here_.insert(request.rank);
  begins_(request.rank);
  return reply;
}

TaskReply HostedTasks::signal(const TaskRequest& request) {
  TaskReply reply;
  if (!tasks_.signal(request.rank, request.number)) return reply;
  const SentSignal sent = tasks_.take_sent_signals().back();
  reply.result = sent.process;
  reply.ends_it = sent.ends_it;
  return reply;
}

bool HostedTasks::carry_out(const TaskRequest& request) {
  using What = TaskRequest::What;
  const auto reply = [&](const TaskReply& said) {
    const std::vector<std::byte> content = encode(said);
    tell_(FrameKind::task_reply, request.rank, ContentWriter().rest(content));
  };
  switch (request.what) {
    case What::start_first:
    case What::start: {
      const TaskReply said = start(request);
      reply(said);
      return said.result >= 0;
    }
    case What::signal:
      reply(signal(request));
      return false;
    case What::await_effect:
      tasks_.await_effect({request.rank, request.process, (request.number & TaskRequest::ends_it) != 0},
                          (request.number & TaskRequest::slept) != 0);
      signalled_ = request.rank;
      return false;
    case What::catch_output:
      tasks_.catch_output(request.rank, request.number);
      return false;
    case What::go_on_as:
      tasks_.go_on_as(request.rank, Rank{request.number});
      here_.insert(Rank{request.number});
      return true;
    case What::end:
      tasks_.end(request.rank, request.number != 0);
      return false;
  }
  return false;
}

void HostedTasks::end_ranks() {
  for (const Rank rank : here_) tasks_.end(rank, false);
}

void HostedTasks::rest(std::chrono::nanoseconds longest, std::span<const Rank> heard) {
  throw_if_interrupted();
  tasks_.rest(heard, std::clamp(longest, shortest_sleep, longest_sleep));
  throw_if_interrupted();
}

void HostedTasks::begin_hearing() {
  ended_.clear();
  for (const Rank rank : here_)
    if (tasks_.ended(rank)) ended_.insert(rank);
}

/// What the signal has led to, words or the end, is said before.
void HostedTasks::end_hearing() {
  if (!signalled_) return;
  tell_(FrameKind::task_reply, *signalled_, ContentWriter().rest(encode(TaskReply())));
  signalled_.reset();
}

void HostedTasks::has_heard_all(Rank rank) {
  if (ended_.erase(rank) == 0) return;
  here_.erase(rank);
  const SimTime computed = tasks_.computed(rank).value_or(SimTime());
  tell_(FrameKind::task_ended, rank,
        ContentWriter()
            .number(static_cast<std::uint32_t>(*tasks_.ended(rank)))
            .number(tasks_.was_ended(rank) ? 1 : 0)
            .number(static_cast<std::uint64_t>(computed.ps()))
            .number(tasks_.most_threads()));
}

}  // namespace morgana
