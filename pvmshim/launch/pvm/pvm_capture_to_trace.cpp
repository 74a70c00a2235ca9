#include "pvmshim/launch/pvm/pvm_capture_to_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <queue>
#include <utility>

#include "pvmshim/channel/capture_log.h"
#include "pvmshim/launch/process/captured_machine.h"
#include "pvmshim/pvmd/spawn_shortfall.h"

namespace morgana {
namespace {

/// In the logs ranks are the tasks' ids.
using TaskName = Rank;
constexpr Rank machine_rank{0};

struct Spawn {
  SimTime time;
  TaskName task;
};

/// The tasks' logs, looked through once before they are read.
struct Survey {
  std::map<TaskName, SimTime> begins;  ///< of those that have a log
  std::vector<Spawn> spawns;           ///< in the order in which tasks were started
};

std::vector<TaskName> tasks_in(const std::filesystem::path& folder) {
  std::vector<TaskName> tasks;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    int number = 0;
    if (std::sscanf(name.c_str(), "rank-%d.log", &number) == 1 && number > 0) tasks.push_back(Rank{number});
  }
  std::ranges::sort(tasks);
  return tasks;
}

/// The logs' word for it: nothing, with a peer.
bool is_spawn(const Operation& operation) {
  return operation.kind == OperationKind::nothing && operation.peer != any_rank;
}

}  // namespace

class PvmCapture::Impl {
 public:
  explicit Impl(std::filesystem::path folder) : folder_(std::move(folder)) {
    look_through();
    number_tasks();
    find_events();
  }

  std::vector<std::string> read(std::span<OperationObserver* const> observers);
  std::vector<std::string> shortfalls() const {
    std::vector<std::string> all;
    for (const pvm::SpawnShortfall& one : pvm::noted_shortfalls(folder_)) all.push_back(pvm::text_of(one));
    return all;
  }

 private:
  struct Moment {
    Rank rank{};
    CapturedOperation captured;
  };
  /// One rank's operations, in order.
  struct Stream {
    Rank rank{};
    TaskName task{};
    std::unique_ptr<CaptureLogReader> reader;
    std::deque<CapturedOperation> ready;
    SimTime last;
    bool begun = false, has_left = false;
  };

  void look_through();
  void number_tasks();
  void find_events();
  void events_of(TaskName task);
  Rank rank_of(TaskName task) const;
  void translate(CapturedOperation& captured) const;
  bool refill(Stream& stream);
  void leave(Stream& stream);

  std::filesystem::path folder_;
  std::vector<TaskName> tasks_;
  Survey survey_;
  std::map<TaskName, Rank> ranks_;
  std::vector<SimTime> started_;         ///< by rank
  std::map<TaskName, SimTime> cut_off_;  ///< tasks without a last word: the end of their logs
  SimTime origin_;
  CapturedMachine machine_;
  std::vector<std::string> notices_;
};

void PvmCapture::Impl::look_through() {
  tasks_ = tasks_in(folder_);
  if (tasks_.empty())
    throw Error("the program has recorded nothing: does it call pvm_mytid, or anything else of PVM's?");
  CapturedOperation captured;
  for (const TaskName task : tasks_) {
    CaptureLogReader log(folder_, task);
    SimTime end;
    while (log.read(captured)) {
      survey_.begins.try_emplace(task, captured.begin);
      end = captured.end;
      if (is_spawn(captured.operation)) survey_.spawns.push_back({captured.begin, captured.operation.peer});
    }
    if (!log.complete()) cut_off_[task] = end;
  }
}

void PvmCapture::Impl::number_tasks() {
  const auto spawned = [this](TaskName task) {
    return std::ranges::any_of(survey_.spawns, [task](const Spawn& spawn) { return spawn.task == task; });
  };
  for (const auto& [task, begin] : survey_.begins)
    if (!spawned(task)) survey_.spawns.push_back({begin, task});
  std::ranges::stable_sort(survey_.spawns, {}, &Spawn::time);
  if (survey_.spawns.empty()) throw Error("the program has recorded nothing: it ended before it had begun");
  origin_ = survey_.spawns.front().time;
  started_.push_back(SimTime());  // of the machine
  for (const Spawn& spawn : survey_.spawns)
    if (ranks_.emplace(spawn.task, Rank{static_cast<std::int32_t>(ranks_.size() + 1)}).second)
      started_.push_back(spawn.time - origin_);
}

/// Whom no log knows is the machine's: its daemons, its group server.
Rank PvmCapture::Impl::rank_of(TaskName task) const {
  const auto found = ranks_.find(task);
  return found == ranks_.end() ? machine_rank : found->second;
}

void PvmCapture::Impl::translate(CapturedOperation& captured) const {
  captured.begin -= origin_;
  captured.end -= origin_;
  Operation& operation = captured.operation;
  if (operation.peer != any_rank) operation.peer = rank_of(operation.peer);
  for (Completed& one : captured.completed)
    if (one.source != any_rank) one.source = rank_of(one.source);
}

void PvmCapture::Impl::events_of(TaskName task) {
  const Rank rank = rank_of(task);
  CaptureLogReader log(folder_, task);
  CapturedOperation captured;
  std::map<RequestId, Operation> receives;
  while (log.read(captured)) {
    translate(captured);
    const Operation& operation = captured.operation;
    if (operation.kind == OperationKind::send && operation.peer == machine_rank)
      machine_.got(captured.begin, rank, operation);
    if (operation.kind == OperationKind::receive) receives[operation.request] = operation;
    for (const Completed& one : captured.completed) {
      const auto receive = receives.find(one.request);
      if (one.source != machine_rank || receive == receives.end()) continue;
      Operation answer = receive->second;
      answer.tag = one.tag;
      answer.bytes = one.bytes;
      machine_.answered(captured.end, rank, answer);
    }
    if (operation.kind == OperationKind::wait) receives.clear();
  }
}

void PvmCapture::Impl::find_events() {
  for (std::size_t rank = ranks_at_start; rank < started_.size(); ++rank)
    machine_.started(started_[rank], Rank{static_cast<std::int32_t>(rank)});
  for (const TaskName task : tasks_) events_of(task);
  machine_.sort();
}

/// A task whose log has no last word: it leaves where the log ends.
void PvmCapture::Impl::leave(Stream& stream) {
  Operation exit;
  exit.kind = OperationKind::exit;
  stream.ready.push_back({exit, stream.last, stream.last, {}});
  stream.has_left = true;
}

bool PvmCapture::Impl::refill(Stream& stream) {
  if (!stream.ready.empty()) return true;
  if (stream.has_left) return false;
  CapturedOperation captured;
  while (stream.reader != nullptr && stream.reader->read(captured)) {
    translate(captured);
    if (is_spawn(captured.operation)) continue;  // it is the machine that starts tasks
    // Until it has enrolled a task does nothing that counts.
    if (!stream.begun) captured.begin = std::min(captured.begin, stream.last);
    stream.begun = true;
    if (captured.begin < stream.last)
      throw Error(fmt::format("the capture log of task t{:x} goes back in time: capture the program again",
                              static_cast<int>(stream.task)));
    stream.last = captured.end;
    stream.has_left = captured.operation.kind == OperationKind::exit;
    stream.ready.push_back(std::move(captured));
    return true;
  }
  leave(stream);
  return true;
}

std::vector<std::string> PvmCapture::Impl::read(std::span<OperationObserver* const> observers) {
  std::deque<Stream> streams(started_.size());
  for (const auto& [task, rank] : ranks_) {
    Stream& stream = streams[index(rank)];
    stream.rank = rank;
    stream.task = task;
    stream.last = started_[index(rank)];
    if (survey_.begins.contains(task)) stream.reader = std::make_unique<CaptureLogReader>(folder_, task);
  }
  const auto refill_machine = [&](Stream& stream) {
    if (stream.ready.empty() && !machine_.next(stream.ready) && !stream.has_left) {
      stream.last = machine_.last();
      leave(stream);
    }
    return !stream.ready.empty();
  };
  // By their ends: who waits for a message may have begun before its sender was started.
  const auto later = [](const Stream* a, const Stream* b) {
    const SimTime end_a = a->ready.front().end, end_b = b->ready.front().end;
    return end_a != end_b ? end_a > end_b : a->rank > b->rank;
  };
  std::priority_queue<Stream*, std::vector<Stream*>, decltype(later)> by_end(later);
  const auto queue = [&](Stream& stream) {
    const bool more = stream.rank == machine_rank ? refill_machine(stream) : refill(stream);
    if (more) by_end.push(&stream);
  };
  queue(streams[0]);
  queue(streams[index(Rank{1})]);
  while (!by_end.empty()) {
    Stream& stream = *by_end.top();
    by_end.pop();
    const CapturedOperation captured = std::move(stream.ready.front());
    stream.ready.pop_front();
    for (OperationObserver* observer : observers)
      observer->operation_ended(stream.rank, captured.operation, captured.begin, captured.end,
                                captured.completed);
    if (captured.operation.kind == OperationKind::spawn) queue(streams[index(captured.operation.peer)]);
    queue(stream);
  }
  for (const auto& [task, end] : cut_off_)
    notices_.push_back(
        fmt::format("the recording of task t{:x} ends early: its process was ended", static_cast<int>(task)));
  return notices_;
}

PvmCapture::PvmCapture(const std::filesystem::path& folder) : impl_(std::make_unique<Impl>(folder)) {}
PvmCapture::~PvmCapture() = default;
std::vector<std::string> PvmCapture::read(std::span<OperationObserver* const> observers) {
  return impl_->read(observers);
}
std::vector<std::string> PvmCapture::shortfalls() const {
  return impl_->shortfalls();
}

}  // namespace morgana
