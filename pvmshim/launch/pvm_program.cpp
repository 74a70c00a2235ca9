#include "pvmshim/launch/pvm_program.h"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <deque>

#include "pvmshim/channel/emulator_channel.h"
#include "pvmshim/channel/rank_channel.h"
#include "pvmshim/launch/interrupt.h"
#include "pvmshim/launch/program_check.h"
#include "pvmshim/launch/rank_watch.h"
#include "pvmshim/launch/task_processes.h"
#include "pvmshim/launch/waiting.h"
#include "pvmshim/pvmd/message.h"

namespace morgana {
namespace {

using namespace std::chrono_literals;
using std::chrono::nanoseconds;

constexpr Rank first_rank{1};
/// How often to look for tasks that will never go on.
constexpr std::chrono::milliseconds between_careful_looks{100};

ChannelSettings settings_for(const PvmLaunchOptions& options) {
  ChannelSettings settings;
  settings.ranks = options.task_limit + 1;
  settings.compute = options.compute;
  settings.compute_scale = options.compute_scale;
  settings.least_distance_ps = options.least_distance.ps();
  return settings;
}

std::vector<std::string> environment_for(const std::string& channel) {
  std::string preload = own_library("libmorgana-pvm.so").string();
  if (const char* others = std::getenv("LD_PRELOAD"); others != nullptr && *others != '\0')
    preload = std::string(others) + ":" + preload;
  return {fmt::format("LD_PRELOAD={}", preload), fmt::format("{}={}", RankChannel::path_variable, channel)};
}

Operation daemon_operation(OperationKind kind, CallPart part) {
  Operation operation;
  operation.kind = kind;
  operation.call = Call::pvmd;
  operation.part = part;
  operation.context = pvm::service_context;
  return operation;
}

}  // namespace

class PvmProgram::Impl {
 public:
  explicit Impl(const PvmLaunchOptions& options)
      : command_(options.command),
        hosts_(options.hosts),
        settings_(settings_for(options)),
        tasks_(settings_.ranks),
        channel_(settings_, options.payload_room),
        own_end_(channel_.path(), pvm::daemon_rank),
        processes_(environment_for(channel_.path()), [this] { channel_.wake(); }),
        daemon_(hosts_, options.task_limit, processes_) {
    const auto program = find_program(command_.at(0));
    check_pvm_program(program);
    channel_.running(1);
    const pid_t pid = processes_.start_first(command_, first_rank, pvm::task_id(0, first_rank));
    daemon_.first_task(first_rank, pid, program.filename().string());
    tasks_[index(first_rank)].begun = true;
    listen();
  }

  std::size_t ranks() const { return tasks_.size(); }

  bool next(Rank rank, Operation& operation) {
    if (rank == pvm::daemon_rank) return next_of(daemon_operations_, operation);
    Task& task = tasks_[index(rank)];
    if (next_of(task.last_words, operation)) return true;
    if (channel_.take(rank, operation)) {
      task.asks = operation.wants_answer;
      task.answered.reset();
      return true;
    }
    // Seen first, then looked again: what it wrote before its end has been read.
    if (!is_dead(rank) || channel_.take(rank, operation)) return false;
    speak_for(rank);
    return next_of(task.last_words, operation);
  }

  void answer(Rank rank, const Answer& answer) {
    if (rank == pvm::daemon_rank) return serve(answer);
    tasks_[index(rank)].asks = false;
    tasks_[index(rank)].answered = answer.clock;
    if (!is_dead(rank)) channel_.answer(rank, answer);
  }

  std::optional<SimTime> computed(Rank rank) {
    Task& task = tasks_[index(rank)];
    const auto used = channel_.computed(rank);
    if (!used) return std::nullopt;
    task.computed = simulated(*used, settings_);
    if (task.answered) task.computed = std::max(task.computed, channel_.reached(rank) - *task.answered);
    if (is_dead(rank)) return std::nullopt;
    return task.computed;
  }

  void wait(std::span<const Laggard> laggards) {
    throw_if_interrupted();
    throw_if_one_died_waiting();
    awaited_.clear();
    nanoseconds timeout = longest_sleep;
    for (const Laggard& laggard : laggards) {
      if (laggard.rank == pvm::daemon_rank) continue;
      if (is_dead(laggard.rank)) return;
      awaited_.push_back(laggard.rank);
      timeout =
          std::min(timeout, processor_time_missing(laggard, tasks_[index(laggard.rank)].computed, settings_));
    }
    channel_.wait(awaited_, std::max(timeout, shortest_sleep));
    throw_if_interrupted();
    throw_if_one_died_waiting();
    throw_if_out_of_room(laggards);
  }

  bool first_task_ended() const { return processes_.ended(first_rank).has_value(); }

  int finish() {
    while (!first_task_ended()) {
      throw_if_interrupted();
      channel_.wait({}, longest_sleep);
    }
    const int status = *processes_.ended(first_rank);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  std::vector<std::string> notices() const { return notices_; }

 private:
  struct Task {
    bool begun = false;
    bool asks = false;                 ///< waits for an answer
    SimTime computed;                  ///< since its last operation, as the engine was told last
    std::optional<SimTime> answered;   ///< its last answer's clock, until it says more
    std::deque<Operation> last_words;  ///< of a task whose process has ended without them
    bool spoken_for = false;
  };

  static bool next_of(std::deque<Operation>& queue, Operation& operation) {
    if (queue.empty()) return false;
    operation = std::move(queue.front());
    queue.pop_front();
    return true;
  }

  bool is_dead(Rank rank) const { return processes_.ended(rank).has_value(); }
  std::string name_of_task(Rank rank) const {
    return fmt::format("task t{:x}", pvm::task_id(tasks_host_[index(rank)], rank));
  }

  // The daemon, as a rank: it waits for a request, does what is asked, and waits again.

  void listen() {
    Operation receive = daemon_operation(OperationKind::receive, CallPart::whole);
    receive.request = RequestId{++requests_};
    receive.bytes = Bytes(longest_request);
    Operation wait = daemon_operation(OperationKind::wait, CallPart::whole);
    wait.requests = sends_;
    wait.requests.push_back(receive.request);
    wait.wants_answer = true;
    sends_.clear();
    daemon_operations_.push_back(std::move(receive));
    daemon_operations_.push_back(std::move(wait));
  }

  void serve(const Answer& answer) {
    for (const Completed& completed : answer.completed) {
      if (completed.source == any_rank) continue;  // a send of its own
      const std::span<const std::byte> block = own_end_.data(completed.payload);
      const std::vector<std::byte> request(block.begin(), block.end());
      own_end_.release(completed.payload);
      for (const pvm::Action& action : daemon_.handle(completed.source, request, answer.clock))
        std::visit([this](const auto& one) { carry_out(one); }, action);
    }
    listen();
  }

  void carry_out(const pvm::SendMessage& message) {
    Operation send = daemon_operation(OperationKind::send, CallPart::whole);
    send.mode = SendMode::buffered;
    send.context = message.context;
    send.peer = message.to;
    send.tag = Tag{message.tag};
    send.bytes = Bytes(message.bytes);
    send.request = RequestId{++requests_};
    send.payload = put_block(message.block);
    sends_.push_back(send.request);
    daemon_operations_.push_back(std::move(send));
  }

  void carry_out(const pvm::StartRank& start) {
    Task& task = tasks_.at(index(start.rank));
    task.begun = true;
    tasks_host_[index(start.rank)] = start.host;
    channel_.running_changes(1);
    Operation spawn = daemon_operation(OperationKind::spawn, CallPart::whole);
    spawn.peer = start.rank;
    spawn.host = static_cast<std::int32_t>(start.host);
    daemon_operations_.push_back(std::move(spawn));
  }

  void carry_out(const pvm::EndRank& end) {
    Operation kill = daemon_operation(OperationKind::kill, CallPart::whole);
    kill.peer = end.rank;
    daemon_operations_.push_back(std::move(kill));
    tasks_.at(index(end.rank)).spoken_for = true;
  }

  std::uint64_t put_block(const std::vector<std::byte>& block) {
    const std::uint64_t handle = own_end_.allocate(Bytes(static_cast<std::int64_t>(block.size())), 1);
    std::ranges::copy(block, own_end_.data(handle).begin());
    return handle;
  }

  /// A task whose process is gone: says for it that it has left, and ends its rank. The last that is known of
  /// its clock is when.
  void speak_for(Rank rank) {
    Task& task = tasks_[index(rank)];
    if (task.spoken_for) return;
    task.spoken_for = true;
    const int status = *processes_.ended(rank);
    if (WIFSIGNALED(status) && !processes_.was_ended(rank))
      notices_.push_back(fmt::format("{} {}", name_of_task(rank), describe_status(status)));
    pvm::Request leave;
    leave.ask = pvm::Ask::leave;
    const std::vector<std::byte> bytes = pvm::encode(leave);
    Operation send = daemon_operation(OperationKind::send, CallPart::whole);
    send.call = Call::unknown;
    send.mode = SendMode::buffered;
    send.peer = pvm::daemon_rank;
    send.tag = Tag{0};
    send.bytes = Bytes(static_cast<std::int64_t>(bytes.size()));
    send.request = RequestId{~std::uint64_t{0} >> 1};  // no task's own; the greatest that a trace can hold
    send.payload = put_block(bytes);
    send.elapsed = task.computed;
    Operation exit;
    exit.kind = OperationKind::exit;
    task.last_words.push_back(std::move(send));
    task.last_words.push_back(std::move(exit));
  }

  void throw_if_one_died_waiting() {
    for (std::size_t i = 1; i < tasks_.size() && tasks_[i].begun; ++i) {
      const Rank rank{static_cast<std::int32_t>(i)};
      if (!tasks_[i].asks || tasks_[i].spoken_for || !is_dead(rank)) continue;
      throw Error(
          fmt::format("{} {} while it waited", name_of_task(rank), describe_status(*processes_.ended(rank))));
    }
  }

  /// As LiveProgram's.
  void throw_if_out_of_room(std::span<const Laggard> laggards) {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_look_) return;
    next_look_ = now + between_careful_looks;
    const bool all_rest = every_task_rests();
    const auto full = std::find_if(laggards.begin(), laggards.end(), [this](const Laggard& laggard) {
      return laggard.rank != pvm::daemon_rank &&
             channel_.rest(laggard.rank) == EmulatorChannel::Rest::for_room;
    });
    if (all_rest && full != laggards.end())
      throw Error(
          fmt::format("{} has sent more than its shared memory holds, and nobody receives it: let "
                      "tasks receive before they send more",
                      name_of_task(full->rank)));
  }

  /// Asks each, so that the answer of none depends on another's.
  bool every_task_rests() {
    bool all = true;
    for (std::size_t i = 1; i < tasks_.size() && tasks_[i].begun; ++i) {
      const Rank rank{static_cast<std::int32_t>(i)};
      const bool rests = channel_.rest(rank) != EmulatorChannel::Rest::none;
      all = all && (rests || is_dead(rank) || channel_.ended(rank));
    }
    return all;
  }

  static constexpr std::int64_t longest_request = std::int64_t{1} << 40;

  std::vector<std::string> command_;
  std::vector<pvm::Host> hosts_;
  ChannelSettings settings_;
  std::vector<Task> tasks_;  ///< by rank; they begin one after the other
  std::vector<std::uint32_t> tasks_host_ = std::vector<std::uint32_t>(tasks_.size());
  std::vector<std::string> notices_;
  std::vector<Rank> awaited_;
  std::chrono::steady_clock::time_point next_look_;
  std::deque<Operation> daemon_operations_;
  std::uint64_t requests_ = 0;
  decltype(Operation::requests) sends_;  ///< of the daemon, since it last waited
  EmulatorChannel channel_;
  RankChannel own_end_;  ///< the daemon's, for the payloads alone
  TaskProcesses processes_;
  pvm::Daemon daemon_;
};

PvmProgram::PvmProgram(const PvmLaunchOptions& options) : impl_(std::make_unique<Impl>(options)) {}
PvmProgram::~PvmProgram() = default;
std::size_t PvmProgram::ranks() const {
  return impl_->ranks();
}
bool PvmProgram::runs_at_start(Rank rank) const {
  return rank <= first_rank;
}
bool PvmProgram::next(Rank rank, Operation& operation) {
  return impl_->next(rank, operation);
}
void PvmProgram::answer(Rank rank, const Answer& answer) {
  impl_->answer(rank, answer);
}
std::optional<SimTime> PvmProgram::computed(Rank rank) {
  return impl_->computed(rank);
}
void PvmProgram::wait(std::span<const Laggard> laggards) {
  impl_->wait(laggards);
}
bool PvmProgram::first_task_ended() const {
  return impl_->first_task_ended();
}
int PvmProgram::finish() {
  return impl_->finish();
}
std::vector<std::string> PvmProgram::notices() const {
  return impl_->notices();
}

}  // namespace morgana
