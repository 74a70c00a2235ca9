#include "pvmshim/agent/distributed_program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "pvmshim/agent/distributed_agent.h"
#include "pvmshim/channel/codec.h"
#include "pvmshim/launch/process/interrupt.h"
#include "pvmshim/launch/process/program_check.h"
#include "pvmshim/launch/process/rank_failure.h"

namespace morgana {
namespace {

using namespace std::chrono_literals;

constexpr auto between_looks = 100ms;
constexpr auto patience_with_names = 2s;
/// A rank that computes for so long while others wait, and takes no simulated time for it, may never end.
constexpr auto long_computing = 1s;
/// What `morgana` returns when nobody takes what the ranks print (RankDeaths).
constexpr int lost_output = 2;

}  // namespace

DistributedProgram::DistributedProgram(const LaunchOptions& options, const Machines& machines)
    : tell_starting_(options.starting),
      measures_(options.compute == ComputeMode::measured),
      messages_are_certain_(are_messages_certain(options)),
      ranks_(options.ranks) {
  for (const RankProgram& program : programs_of(options)) check_command(program.command, options.mpi);
  start_agents(options, machines);
}

DistributedProgram::DistributedProgram(const LaunchOptions& options, const Machines& machines, Other other)
    : other_(std::move(other)),
      measures_(options.compute == ComputeMode::measured),
      messages_are_certain_(false),
      ranks_(options.ranks) {
  start_agents(options, machines);
}

DistributedProgram::~DistributedProgram() {
  end_agents();
}

void DistributedProgram::fail(Failure failure) {
  if (!failure_) failure_ = std::move(failure);
  has_news_ = true;
  news_.notify_all();
}

/// On the thread of the agent's stream.
void DistributedProgram::receive(Agent& agent) {
  Frame frame;
  std::string why = "its connection has closed";
  try {
    while (agent.stream.receive(frame, [&] { hand_over(agent); })) {
      if (frame.kind == FrameKind::operation) {
        gather(agent, frame);
      } else {
        hand_over(agent);
        {
          const std::lock_guard lock(mutex_);
          agent.silence.heard();
        }
        take(agent, frame);
      }
    }
  } catch (const Error& error) {
    why = fmt::format("what it said makes no sense: {}", error.what());
  }
  agent.stream.shut();
  const std::lock_guard lock(mutex_);
  agent.has_left = true;
  if (!is_over_)
    fail({0, fmt::format("the agent on {} ({}), which runs {}, is gone: {}", agent.hello.machine,
                         agent.hello.number, ranks_text(agent), why)});
  has_news_ = true;
  news_.notify_all();
}

void DistributedProgram::gather(Agent& agent, const Frame& frame) {
  if (frame.content.size() % sizeof(Word) != 0) throw MalformedFrame("a record is cut off");
  agent.words.resize(frame.content.size() / sizeof(Word));
  std::memcpy(agent.words.data(), frame.content.data(), frame.content.size());
  decode(agent.words, agent.said.emplace_back(frame.rank, Operation()).second);
}

/// What ranks have said since the last time reaches the engine at once.
void DistributedProgram::hand_over(Agent& agent) {
  if (agent.said.empty()) return;
  std::unique_lock lock(mutex_);
  agent.silence.heard();
  for (auto& [number, operation] : agent.said) {
    RankState& rank = rank_of(agent, number);
    if (rank.said.size() >= most_untaken) throw MalformedFrame("a rank of it says more than it may");
    if (operation.wants_answer) ++asking_;
    rank.said.push_back(std::move(operation));
  }
  moves_ += agent.said.size();
  agent.said.clear();
  still_from_ = std::chrono::steady_clock::now();
  // What ranks say, only wait() waits for: it is woken once, and finds the mutex free.
  const bool is_known = std::exchange(has_news_, true);
  lock.unlock();
  if (!is_known) news_.notify_all();
}

/// With the lock. @throws MalformedFrame if the rank is not one of the agent's
DistributedProgram::RankState& DistributedProgram::rank_of(const Agent& agent, std::int32_t number) {
  const auto place = static_cast<std::size_t>(number);
  if (number < 0 || place >= ranks_.size() || ranks_[place].machine != agent.hello.number)
    throw MalformedFrame(fmt::format("it speaks for rank {}", number));
  return ranks_[place];
}

void DistributedProgram::take(Agent& agent, Frame& frame) {
  ContentReader content(frame.content);
  if (frame.kind == FrameKind::output) return write_output(frame.rank, frame.content);
  if (other_ && other_(agent.hello.number, frame)) return;
  std::unique_lock lock(mutex_);
  switch (frame.kind) {
    case FrameKind::alive:
      return agent.silence.heard_sign(std::chrono::milliseconds(
          std::min<std::uint64_t>(content.number(), Silence::most_patience.count())));
    case FrameKind::progress: {
      RankState& rank = rank_of(agent, frame.rank);
      const SimTime computed = SimTime::from_ps(static_cast<std::int64_t>(content.number()));
      if (rank.said.empty()) rank.computed = std::max(rank.computed, computed);
      break;
    }
    case FrameKind::sent:
      if (frame.rank < 0 || static_cast<std::size_t>(frame.rank) >= agents_.size())
        throw MalformedFrame(fmt::format("it has sent something to agent {}", frame.rank));
      agent.sent[static_cast<std::size_t>(frame.rank)] = content.number();
      return;
    case FrameKind::room:
      room_.take(agent.hello.number, decode_room_reply(frame.content));
      break;
    case FrameKind::begun:
      agent.begun = static_cast<std::size_t>(content.number());
      break;
    case FrameKind::name:
      content.number();
      agent.told_name = content.text();
      break;
    case FrameKind::ended:
      agent.exit_code = static_cast<int>(content.number());
      agent.threads = static_cast<std::uint32_t>(content.number());
      break;
    case FrameKind::failed: {
      const auto code = static_cast<int>(content.number());
      const std::string why = content.text();
      if (!is_over_) fail({code, fmt::format("{} (on {})", why, agent.hello.machine)});
      break;
    }
    default:
      throw MalformedFrame("it says what is not an agent's to say");
  }
  const bool is_known = std::exchange(has_news_, true);
  lock.unlock();
  if (!is_known || frame.kind != FrameKind::progress) news_.notify_all();
}

void DistributedProgram::write_output(int descriptor, std::span<const std::byte> bytes) {
  const int to = descriptor == STDERR_FILENO ? STDERR_FILENO : STDOUT_FILENO;
  while (!bytes.empty()) {
    const ssize_t written = write(to, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      if (to == STDERR_FILENO) return;  // nobody wants to hear
      const std::lock_guard lock(mutex_);
      return fail({lost_output, fmt::format("can't write to standard output: {}, and the run ended with it",
                                            std::strerror(errno))});
    }
  }
}

void DistributedProgram::throw_if_failed(std::unique_lock<std::mutex>& lock) {
  if (!failure_) return;
  const Failure failure = *failure_;
  lock.unlock();
  throw RankFailed(failure.why, failure.code == 0 ? EXIT_FAILURE : failure.code);
}

bool DistributedProgram::next(Rank rank, Operation& operation) {
  std::unique_lock lock(mutex_);
  RankState& state = ranks_[index(rank)];
  if (state.said.empty()) {
    throw_if_failed(lock);
    return false;
  }
  operation = std::move(state.said.front());
  state.said.pop_front();
  state.computed = state.asked = SimTime();
  state.is_awaited = false;
  if (++state.taken % between_taken == 0)
    agents_[state.machine]->stream.add(FrameKind::taken, static_cast<std::int32_t>(rank),
                                       ContentWriter().number(state.taken).bytes());
  return true;
}

void DistributedProgram::answer(Rank rank, const Answer& answer) {
  Agent& agent = *agents_[ranks_[index(rank)].machine];
  {
    const std::lock_guard lock(mutex_);
    if (asking_ > 0) --asking_;
    ++moves_;
    // All messages that the answer may be about must be announced to the rank before.
    for (std::size_t other = 0; other < agents_.size(); ++other) {
      const std::uint64_t sent = agents_[other]->sent[agent.hello.number];
      if (sent == agent.told[other]) continue;
      agent.told[other] = sent;
      agent.stream.add(FrameKind::expect, static_cast<std::int32_t>(other),
                       ContentWriter().number(sent).bytes());
    }
  }
  words_.clear();
  encode(answer, words_);
  agent.stream.add(FrameKind::answer, static_cast<std::int32_t>(rank), std::as_bytes(std::span(words_)));
}

void DistributedProgram::dropped(std::uint64_t payload) {
  // Whose it is, an agent knows.
  for (const auto& agent : agents_)
    agent->stream.add(FrameKind::dropped, -1, ContentWriter().number(payload).bytes());
}

void DistributedProgram::returned(Rank rank, const Operation& operation, Outcome why) {
  throw_returned_too_late(rank, operation, why);
}

std::string DistributedProgram::given_name(Context context) const {
  const ContentWriter question = ContentWriter().number(static_cast<std::uint64_t>(context));
  std::unique_lock lock(mutex_);
  for (const auto& agent : agents_) {
    agent->told_name.reset();
    lock.unlock();
    agent->stream.send(FrameKind::tell_name, -1, question.bytes());
    lock.lock();
    news_.wait_for(lock, patience_with_names,
                   [&] { return agent->told_name.has_value() || agent->has_left; });
    if (agent->told_name && !agent->told_name->empty()) return *agent->told_name;
  }
  return {};
}

std::optional<SimTime> DistributedProgram::computed(Rank rank) {
  const std::lock_guard lock(mutex_);
  const RankState& state = ranks_[index(rank)];
  if (!state.said.empty()) return std::nullopt;
  return state.computed;
}

bool DistributedProgram::is_held_up() {
  if (measures_ || !messages_are_certain_) return false;
  const std::lock_guard lock(mutex_);
  return std::chrono::steady_clock::now() - still_from_ > long_computing;
}

/// Asks for the rank's next words, and to be told how far it has come. With the lock.
void DistributedProgram::await(const AwaitedRank& awaited) {
  RankState& state = ranks_[index(awaited.rank)];
  const SimTime until = measures_ ? awaited.until - awaited.since : SimTime();
  if (!state.said.empty() || (state.is_awaited && state.asked >= until)) return;
  state.asked = until;
  state.is_awaited = true;
  agents_[state.machine]->stream.add(FrameKind::await, static_cast<std::int32_t>(awaited.rank),
                                     ContentWriter().number(static_cast<std::uint64_t>(until.ps())).bytes());
}

void DistributedProgram::wait(std::span<const AwaitedRank> awaited) {
  throw_if_interrupted();
  {
    const std::lock_guard lock(mutex_);
    // What nobody waits for may come together.
    if (!messages_are_certain_ || asking_ > 0)
      for (const AwaitedRank& one : awaited) await(one);
  }
  for (const auto& agent : agents_) agent->stream.flush();
  std::unique_lock lock(mutex_);
  news_.wait_for(lock, between_looks, [this] { return has_news_; });
  has_news_ = false;
  throw_if_failed(lock);
  look_for_full_memory(lock);
  lock.unlock();
  tell_starting();
  throw_if_interrupted();
}

/// Ranks that wait for room say nothing.
void DistributedProgram::look_for_full_memory(std::unique_lock<std::mutex>& lock) {
  if (auto why = room_.why_stuck(agents_.size(), moves_)) fail({0, *why});
  throw_if_failed(lock);
  if (const auto question = room_.question_due(RoomSurvey::Clock::now(), moves_, agents_.size()))
    for (const auto& agent : agents_)
      agent->stream.add(FrameKind::tell_room, -1, ContentWriter().number(*question).bytes());
}

void DistributedProgram::assign(Rank rank, std::uint32_t agent) {
  const std::lock_guard lock(mutex_);
  ranks_[index(rank)].machine = agent;
  for (const auto& one : agents_) std::erase(one->ranks, rank);  // where it could not be started
  agents_[agent]->ranks.push_back(rank);
}

void DistributedProgram::announce(Rank rank) {
  const std::uint32_t agent = agent_of(rank);
  for (const auto& one : agents_)
    one->stream.add(FrameKind::place, static_cast<std::int32_t>(rank), ContentWriter().number(agent).bytes());
}

std::uint32_t DistributedProgram::agent_of(Rank rank) const {
  const std::lock_guard lock(mutex_);
  return ranks_[index(rank)].machine;
}

std::string DistributedProgram::machine_of(Rank rank) const {
  return agents_[agent_of(rank)]->hello.machine;
}

Stream& DistributedProgram::stream(std::size_t agent) {
  return agents_[agent]->stream;
}

bool DistributedProgram::wait_until(std::chrono::nanoseconds longest, const std::function<bool()>& is_there) {
  const auto until = std::chrono::steady_clock::now() + longest;
  while (!is_there()) {
    std::unique_lock lock(mutex_);
    throw_if_failed(lock);
    const auto left = until - std::chrono::steady_clock::now();
    if (left <= 0ns) return false;
    news_.wait_for(lock, std::min<std::chrono::nanoseconds>(left, between_looks),
                   [this] { return has_news_; });
    has_news_ = false;
    lock.unlock();
    throw_if_interrupted();
  }
  return true;
}

void DistributedProgram::wake() {
  {
    const std::lock_guard lock(mutex_);
    has_news_ = true;
    ++moves_;
  }
  news_.notify_all();
}

void DistributedProgram::tell_starting() {
  if (!tell_starting_) return;
  std::size_t done = 0;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& agent : agents_) done += agent->begun;
  }
  tell_starting_(static_cast<double>(done) / static_cast<double>(2 * ranks()));
  if (done == 2 * ranks()) tell_starting_ = nullptr;
}

int DistributedProgram::finish() {
  for (const auto& agent : agents_) agent->stream.flush();
  std::unique_lock lock(mutex_);
  while (!std::ranges::all_of(agents_, [](const auto& agent) { return agent->exit_code.has_value(); })) {
    throw_if_failed(lock);
    lock.unlock();
    throw_if_interrupted();
    lock.lock();
    news_.wait_for(lock, between_looks);
  }
  throw_if_failed(lock);
  int code = 0;
  for (const auto& agent : agents_) code = std::max(code, *agent->exit_code);
  return code;
}

std::uint32_t DistributedProgram::most_threads() const {
  const std::lock_guard lock(mutex_);
  std::uint32_t most = 1;
  for (const auto& agent : agents_) most = std::max(most, agent->threads);
  return most;
}

}  // namespace morgana
