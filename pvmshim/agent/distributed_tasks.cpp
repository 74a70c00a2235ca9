#include "pvmshim/agent/distributed_tasks.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "pvmshim/agent/payload_sender.h"
#include "pvmshim/channel/marked_payload.h"

namespace morgana {
namespace {

using namespace std::chrono_literals;

/// For what an agent does at once; should it be gone, that ends the wait before.
constexpr std::chrono::hours patience_with_requests{24};

LaunchOptions launch_options(const PvmLaunchOptions& options) {
  LaunchOptions launch;
  launch.command = options.command;
  launch.ranks = options.task_limit + 1;
  launch.compute = options.compute;
  launch.compute_scale = options.compute_scale;
  launch.cores_per_rank = options.cores_per_rank;
  launch.least_distance = options.least_distance;
  launch.epoch_s = options.epoch_s;
  launch.processors_are_shared = options.processors_are_shared;
  launch.payload_room = options.payload_room;
  return launch;
}

}  // namespace

DistributedTasks::DistributedTasks(const PvmLaunchOptions& options, const Machines& machines)
    : channel_(channel_settings(options), options.payload_room),
      mirror_(channel_.path()),
      program_(launch_options(options), machines,
               [this](std::size_t agent, Frame& frame) { return take_from(agent, frame); }) {
  machine_of_host_ = distribute_hosts(machines.distribution, options.hosts.size(), program_.agents());
}

/// On the threads of the agents' streams.
bool DistributedTasks::take_from(std::size_t agent, Frame& frame) {
  ContentReader content(frame.content);
  const auto is_of_it = [&](Rank rank) {
    return rank > pvm::daemon_rank && index(rank) < program_.ranks() && program_.agent_of(rank) == agent;
  };
  switch (frame.kind) {
    case FrameKind::block: {
      const std::uint64_t marked = content.number(), mark = content.number();
      const auto readers = static_cast<std::uint32_t>(content.number());
      const std::uint64_t size = content.number(), begin = content.number();
      if (!is_of_it(mirror_.owner(marked))) throw MalformedFrame("it sends what is none of its tasks'");
      mirror_.put_part(marked, mark, readers, size, begin, content.rest());
      return true;
    }
    case FrameKind::released: {
      const std::uint64_t marked = content.number(), readers = content.number();
      if (mirror_.owner(marked) != pvm::daemon_rank || readers > mirror_.readers(marked))
        throw MalformedFrame("it has read what PVM's daemon has not sent");
      mirror_.release(marked, static_cast<std::uint32_t>(readers));
      return true;
    }
    case FrameKind::caught: {  // before a reply by which the taker may know of the task
      const Rank taker{frame.rank};
      if (taker <= pvm::daemon_rank || index(taker) >= program_.ranks() ||
          program_.agent_of(taker) >= program_.agents())
        throw MalformedFrame(fmt::format("it has lines for rank {}", frame.rank));
      program_.stream(program_.agent_of(taker)).send(FrameKind::caught, frame.rank, frame.content);
      return true;
    }
    case FrameKind::task_reply:
      reply_.take(agent, decode_task_reply(frame.content));
      break;
    case FrameKind::task_ended: {
      if (!is_of_it(Rank{frame.rank})) throw MalformedFrame(fmt::format("it speaks for rank {}", frame.rank));
      Ended ended;
      ended.status = static_cast<int>(content.number());
      ended.by_us = content.number() != 0;
      ended.computed = SimTime::from_ps(static_cast<std::int64_t>(content.number()));
      const auto threads = static_cast<std::uint32_t>(content.number());
      const std::lock_guard lock(mutex_);
      most_threads_ = std::max(most_threads_, threads);
      ended_[Rank{frame.rank}] = ended;
      break;
    }
    default:
      return false;
  }
  program_.wake();
  return true;
}

void DistributedTasks::assign(Rank rank, std::uint32_t host) {
  program_.assign(rank, machine_of_host_.at(host));
}

/// Behind all that was said to the agent before.
void DistributedTasks::ask(const TaskRequest& request) {
  program_.stream(program_.agent_of(request.rank)).send(FrameKind::task, -1, encode(request));
}

TaskReply DistributedTasks::await_reply(const TaskRequest& request) {
  reply_.ask(program_.agent_of(request.rank));
  ask(request);
  std::optional<TaskReply> reply;
  while (!program_.wait_until(patience_with_requests, [&] {
    reply = reply_.reply();
    return reply.has_value();
  })) {
  }
  return *reply;
}

pid_t DistributedTasks::start_first(const std::vector<std::string>& command, Rank rank, pvm::TaskId id) {
  assign(rank, pvm::host_of(id));
  TaskRequest request{TaskRequest::What::start_first, rank};
  request.task.arguments = command;
  request.task.id = id;
  const std::int32_t process = await_reply(request).result;
  program_.announce(rank);
  return process;
}

std::int32_t DistributedTasks::start(const pvm::TaskStart& task) {
  assign(task.rank, task.host);
  const TaskReply reply = await_reply({TaskRequest::What::start, task.rank, 0, 0, task});
  if (!reply.why.empty()) unstarted_.try_emplace(task.file, reply.why);
  // Of one that could not be started nobody hears: the next task has its rank, perhaps on another machine.
  if (reply.result >= 0) program_.announce(task.rank);
  return reply.result;
}

bool DistributedTasks::signal(Rank rank, int signal) {
  if (ended(rank)) return false;
  const TaskReply reply = await_reply({TaskRequest::What::signal, rank, signal, 0, {}});
  if (reply.result <= 0) return false;
  sent_signals_.push_back({rank, reply.result, reply.ends_it});
  return true;
}

void DistributedTasks::catch_output(Rank parent, int descriptor) {
  ask({TaskRequest::What::catch_output, parent, descriptor, 0, {}});
}

void DistributedTasks::go_on_as(Rank from, Rank to) {
  program_.assign(to, program_.agent_of(from));
  program_.announce(to);
  ask({TaskRequest::What::go_on_as, from, static_cast<std::int32_t>(to), 0, {}});
}

void DistributedTasks::end(Rank rank, bool politely) {
  ask({TaskRequest::What::end, rank, politely ? 1 : 0, 0, {}});
}

std::optional<int> DistributedTasks::ended(Rank rank) const {
  const std::lock_guard lock(mutex_);
  const auto found = ended_.find(rank);
  return found == ended_.end() ? std::nullopt : std::optional(found->second.status);
}

bool DistributedTasks::was_ended(Rank rank) const {
  const std::lock_guard lock(mutex_);
  const auto found = ended_.find(rank);
  return found != ended_.end() && found->second.by_us;
}

std::uint32_t DistributedTasks::most_threads() const {
  const std::lock_guard lock(mutex_);
  return most_threads_;
}

std::vector<SentSignal> DistributedTasks::take_sent_signals() {
  return std::exchange(sent_signals_, {});
}

void DistributedTasks::await_effect(const SentSignal& sent, bool slept) {
  await_reply({TaskRequest::What::await_effect,
               sent.to,
               (sent.ends_it ? TaskRequest::ends_it : 0) | (slept ? TaskRequest::slept : 0),
               sent.process,
               {}});
}

void DistributedTasks::answer(Rank rank, const Answer& answer) {
  if (!ended(rank)) program_.answer(rank, answer);
}

void DistributedTasks::dropped(std::uint64_t payload) {
  if (mirror_.owner(payload) == pvm::daemon_rank)
    mirror_.release(payload, 1);
  else
    program_.dropped(payload);
}

std::optional<SimTime> DistributedTasks::computed(Rank rank) {
  const std::optional<SimTime> computed = program_.computed(rank);
  if (!computed) return std::nullopt;
  const std::lock_guard lock(mutex_);
  const auto found = ended_.find(rank);
  return found == ended_.end() ? computed : std::max(*computed, found->second.computed);
}

void DistributedTasks::wait(std::span<const OperationSource::AwaitedRank> awaited) {
  report_released();
  program_.wait(awaited);
}

void DistributedTasks::pause(std::chrono::nanoseconds longest) {
  report_released();
  for (std::size_t agent = 0; agent < program_.agents(); ++agent) program_.stream(agent).flush();
  program_.wait_until(longest, [] { return false; });
}

/// What the daemon has read.
void DistributedTasks::report_released() {
  for (const PayloadMirror::Released& released : mirror_.collect())
    program_.stream(program_.agent_of(mirror_.owner(released.marked)))
        .add(FrameKind::released, -1,
             ContentWriter().number(released.marked).number(released.readers).bytes());
}

std::uint64_t DistributedTasks::leaving(std::uint64_t payload, Rank to) {
  if (to == pvm::daemon_rank) return unmarked(payload);
  const std::uint64_t marked = mirror_.mark(payload);
  send_block(mirror_, marked, program_.stream(program_.agent_of(to)));
  return marked;
}

std::uint64_t DistributedTasks::coming(std::uint64_t payload) {
  return without_mark(payload);
}

}  // namespace morgana
