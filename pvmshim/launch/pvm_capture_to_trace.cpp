#include "pvmshim/launch/pvm_capture_to_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <queue>
#include <utility>

#include "pvmshim/channel/capture_log.h"

namespace morgana {
namespace {

/// In the logs ranks are the tasks' ids.
using TaskName = Rank;
constexpr Rank machine_rank{0};

/// Something that the virtual machine did.
struct Event {
  enum class Kind { got, spawned, sent } kind = Kind::got;
  SimTime time;
  Rank peer{};  ///< a task's rank
  Context context = world_context;
  Tag tag{};
  Bytes bytes;
};

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

Operation machine_operation(OperationKind kind, CallPart part) {
  Operation operation;
  operation.kind = kind;
  operation.call = Call::pvmd;
  operation.part = part;
  return operation;
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
  void add_event(Event::Kind kind, SimTime time, Rank peer, const Operation& operation, Bytes bytes);
  Rank rank_of(TaskName task) const;
  void translate(CapturedOperation& captured) const;
  bool refill(Stream& stream);
  void leave(Stream& stream);
  void machine_part(const Event& event, std::deque<CapturedOperation>& operations);

  std::filesystem::path folder_;
  std::vector<TaskName> tasks_;
  Survey survey_;
  std::map<TaskName, Rank> ranks_;
  std::vector<SimTime> started_;         ///< by rank
  std::map<TaskName, SimTime> cut_off_;  ///< tasks without a last word: the end of their logs
  SimTime origin_;
  std::vector<Event> events_;
  std::uint64_t requests_ = 0;
  SimTime machine_last_;
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

void PvmCapture::Impl::add_event(Event::Kind kind, SimTime time, Rank peer, const Operation& operation,
                                 Bytes bytes) {
  Event event;
  event.kind = kind;
  event.time = time;
  event.peer = peer;
  event.context = operation.context;
  event.tag = operation.tag;
  event.bytes = bytes;
  events_.push_back(event);
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
      add_event(Event::Kind::got, captured.begin, rank, operation, operation.bytes);
    if (operation.kind == OperationKind::receive) receives[operation.request] = operation;
    for (const Completed& one : captured.completed) {
      const auto receive = receives.find(one.request);
      if (one.source != machine_rank || receive == receives.end()) continue;
      Operation answer = receive->second;
      answer.tag = one.tag;
      add_event(Event::Kind::sent, captured.end, rank, answer, one.bytes);
    }
    if (operation.kind == OperationKind::wait) receives.clear();
  }
}

void PvmCapture::Impl::find_events() {
  for (std::size_t rank = ranks_at_start; rank < started_.size(); ++rank) {
    Event event;
    event.kind = Event::Kind::spawned;
    event.time = started_[rank];
    event.peer = Rank{static_cast<std::int32_t>(rank)};
    events_.push_back(event);
  }
  for (const TaskName task : tasks_) events_of(task);
  // A request, what it starts, its answer.
  std::ranges::stable_sort(events_, [](const Event& a, const Event& b) {
    return a.time != b.time ? a.time < b.time : a.kind < b.kind;
  });
}

/// Until the event the machine waits: it computes nothing.
void PvmCapture::Impl::machine_part(const Event& event, std::deque<CapturedOperation>& operations) {
  const SimTime begin = std::exchange(machine_last_, event.time);
  const auto add = [&](Operation operation, SimTime from, SimTime to, std::vector<Completed> completed = {}) {
    operations.push_back({std::move(operation), from, to, std::move(completed)});
  };
  Completed done;
  done.request = RequestId{++requests_};
  Operation wait = machine_operation(OperationKind::wait, CallPart::last);
  wait.requests.push_back(done.request);
  Operation message = machine_operation(OperationKind::send, CallPart::middle);
  message.request = done.request;
  message.peer = event.peer;
  message.context = event.context;
  message.tag = event.tag;
  message.bytes = event.bytes;
  switch (event.kind) {
    case Event::Kind::got:
      message.kind = OperationKind::receive;
      message.part = CallPart::first;
      done.source = event.peer;
      done.tag = event.tag;
      done.bytes = event.bytes;
      add(message, begin, begin);
      return add(wait, begin, event.time, {done});
    case Event::Kind::spawned: {
      Operation spawn = machine_operation(OperationKind::spawn, CallPart::last);
      spawn.peer = event.peer;
      // One host each, as if there were enough; a replay has as many as its platform.
      spawn.host = static_cast<std::int32_t>(event.peer) - 1;
      add(machine_operation(OperationKind::nothing, CallPart::first), begin, event.time);
      return add(spawn, event.time, event.time);
    }
    case Event::Kind::sent:
      message.mode = SendMode::buffered;
      add(machine_operation(OperationKind::nothing, CallPart::first), begin, event.time);
      add(message, event.time, event.time);
      return add(wait, event.time, event.time, {done});
  }
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
  std::size_t next_event = 0;
  for (const auto& [task, rank] : ranks_) {
    Stream& stream = streams[index(rank)];
    stream.rank = rank;
    stream.task = task;
    stream.last = started_[index(rank)];
    if (survey_.begins.contains(task)) stream.reader = std::make_unique<CaptureLogReader>(folder_, task);
  }
  const auto refill_machine = [&](Stream& stream) {
    while (stream.ready.empty() && next_event < events_.size())
      machine_part(events_[next_event++], stream.ready);
    if (stream.ready.empty() && !stream.has_left) {
      stream.last = machine_last_;
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

}  // namespace morgana
