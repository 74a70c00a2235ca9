#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "traces/import/dimemas_roots.h"
#include "traces/import/field_line.h"
#include "traces/import/imported_program.h"
#include "traces/import/named_communicators.h"
#include "traces/import/operation_queue.h"

namespace morgana {
namespace {

constexpr std::string_view dimemas_begin = "#DIMEMAS";
constexpr std::int64_t most_tasks = 1'000'000, most_of_message = any_room.count();
constexpr double longest_burst = 4e6;  // seconds, below the end of simulated time

/// The last field of a collective's record; older traces lack it, and have blocking ones only.
enum class Waiting : std::uint8_t { starts, blocks, is_wait, root_blocks };

// What a record begins with.
constexpr std::string_view noop_record = "0", burst_record = "1", send_record = "2", receive_record = "3",
                           collective_record = "10", gpu_burst_record = "11", event_record = "20",
                           definition_record = "d", offset_record = "s";

/// Numbers of collectives in the trace; those from 14 on mean different ones in different versions.
constexpr std::array dimemas_collectives{
    CollectiveKind::barrier,        CollectiveKind::broadcast,  CollectiveKind::gather,
    CollectiveKind::gatherv,        CollectiveKind::scatter,    CollectiveKind::scatterv,
    CollectiveKind::allgather,      CollectiveKind::allgatherv, CollectiveKind::alltoall,
    CollectiveKind::alltoallv,      CollectiveKind::reduce,     CollectiveKind::allreduce,
    CollectiveKind::reduce_scatter, CollectiveKind::scan};

struct DimemasCounts {
  std::uint64_t of_threads = 0;  ///< bursts of further threads
  std::uint64_t on_gpus = 0;     ///< bursts of GPUs
  std::uint64_t within = 0;      ///< messages and barriers of the threads of one task, a GPU's among them
  std::uint64_t unmatched = 0;   ///< waits for receives and collectives that are not pending
  std::uint64_t unawaited = 0;   ///< collectives that nothing waits for
  std::uint64_t rootless = 0;    ///< collectives without a root
  std::uint64_t split = 0;       ///< collectives whose sizes by member are not known
};

/// A message's record: type:task:thread:partner[:its thread]:size:tag:communicator:how.
struct DimemasMessage {
  std::int64_t partner, bytes, tag, communicator, how;
};

/// Whether a record is of the threads of one task: a message to another thread of it, or a collective on a
/// communicator of a number below 0, as prv2dim writes what a GPU's streams and their host do.
bool is_within_task(const FieldLine& line) {
  if (line[0] == collective_record) return line.whole(4, "the communicator") < 0;
  if (line[0] != send_record && line[0] != receive_record) return false;
  constexpr std::size_t with_thread = 9;
  if (line.size() < with_thread || line.whole(3, "the partner") != line.whole(1, "the task")) return false;
  const std::int64_t thread = line.whole(2, "the thread"), other = line.whole(4, "the partner's thread");
  return thread != std::max<std::int64_t>(other, 0);
}

Waiting waiting_of(const FieldLine& line) {
  constexpr std::size_t place = 9;
  if (line.size() <= place) return Waiting::blocks;
  return static_cast<Waiting>(line.whole(place, "how the collective waits", 0, 3));
}

DimemasMessage message_of(const FieldLine& line, std::int64_t tasks) {
  constexpr std::size_t with_thread = 9;
  const std::size_t more = line.size() >= with_thread ? 1 : 0;
  return {line.whole(3, "the partner", -1, tasks - 1), line.whole(4 + more, "the size", 0, most_of_message),
          line.whole(5 + more, "the tag", -1, std::numeric_limits<std::int32_t>::max()),
          line.whole(6 + more, "the communicator"), line.whole(7 + more, "the kind", 0, 3)};
}

class DimemasProgram final : public ImportedProgram {
 public:
  explicit DimemasProgram(const std::filesystem::path& file);
  std::size_t ranks() const override { return tasks_.size(); }
  void next(Rank rank, Operation& operation) override;
  std::vector<std::string> notices() const override;

 private:
  struct PendingCollective {
    CollectiveKind kind;
    std::int64_t communicator;
    RequestId request;
  };
  struct PendingReceive {
    std::int64_t partner, tag, communicator;
    RequestId request;
  };
  struct Task {
    std::vector<LineBlock> blocks;
    std::optional<BlockReader> reader;
    OperationQueue queue;
    UsedCommunicators used;
    std::deque<PendingReceive> receives;
    std::deque<PendingCollective> started;
    std::vector<RequestId> sends;                               ///< that nothing in the trace waits for
    std::unordered_map<std::int64_t, std::size_t> collectives;  ///< by communicator: CollectiveSums::fill()
    std::unordered_map<std::int64_t, std::size_t> rooted;       ///< by communicator: DimemasRoots::find()
    double computed = 0;                                        ///< seconds in all
    bool ended = false;
  };
  using Defined = NamedCommunicators::Defined;

  void read_header(const FieldLine& line);
  void define(const FieldLine& line);
  void note_collective(const FieldLine& line, std::int32_t task);
  CollectiveKind kind_of(const FieldLine& line) const;
  const Defined& communicator(const FieldLine& line, std::int64_t number, Rank rank) const;
  void act(const FieldLine& line, Rank rank);
  void send(const FieldLine& line, Rank rank);
  void receive(const FieldLine& line, Rank rank);
  void collective(const FieldLine& line, Rank rank);
  void wait_for_collective(const FieldLine& line, Task& task);
  Operation message(const FieldLine& line, Rank rank, const DimemasMessage& record, OperationKind kind);

  MappedText text_;
  FieldLine line_{text_};
  NamedCommunicators communicators_;
  CollectiveSums sums_;
  DimemasRoots roots_;
  std::vector<Task> tasks_;
  DimemasCounts counts_;
};

/// #DIMEMAS:"name":whether offsets follow[,where]:tasks(threads of each),communicators
void DimemasProgram::read_header(const FieldLine& line) {
  if (line[0] != dimemas_begin)
    line.refuse(
        "not a Dimemas trace: the first line must begin with \"#DIMEMAS:\"; check the file's name and "
        "format");
  const std::string_view tasks = line[line.size() - 1];
  const std::size_t bracket = tasks.find('(');
  const auto count = parsed_number<std::int64_t>(tasks.substr(0, std::min(bracket, tasks.find(','))));
  if (line.size() < 4 || !count || *count < 1 || *count > most_tasks)
    line.refuse("the first line is #DIMEMAS:\"name\":offsets:tasks(threads),communicators");
  // Each task has its number of threads in the brackets: a number of tasks that can't be costs no memory.
  const std::int64_t listed =
      bracket == std::string_view::npos
          ? 0
          : std::ranges::count(tasks.substr(bracket, tasks.find(')', bracket) - bracket), ',') + 1;
  if (listed != *count)
    line.refuse(fmt::format("the header announces {} task{} but lists {} thread count{}", *count,
                            *count == 1 ? "" : "s", listed, listed == 1 ? "" : "s"));
  tasks_.resize(static_cast<std::size_t>(*count));
}

DimemasProgram::DimemasProgram(const std::filesystem::path& file) : text_(file) {
  const auto first = text_.next_line();
  if (!first) text_.refuse("is empty");
  line_.read(*first, 1);
  read_header(line_);
  const auto last = static_cast<std::int64_t>(tasks_.size()) - 1;
  while (const auto content = text_.next_line()) {
    if (content->empty()) continue;
    line_.read(*content, text_.line());
    if (line_[0] == definition_record) {
      define(line_);
      continue;
    }
    if (line_[0] == offset_record) continue;  // where a task's records begin, which reading finds itself
    const std::int64_t task = line_.whole(1, "the task", 0, last);
    const auto begin = static_cast<std::size_t>(content->data() - text_.text().data());
    add_line(tasks_[static_cast<std::size_t>(task)].blocks, begin, begin + content->size(), text_.line());
    if (line_[0] == collective_record && line_.whole(2, "the thread") == 0 && !is_within_task(line_))
      note_collective(line_, static_cast<std::int32_t>(task));
  }
  for (Task& task : tasks_) task.reader.emplace(text_, task.blocks);
}

/// d:1:number:members:member:... ; of the other kinds of definitions, files and windows, nothing is needed.
void DimemasProgram::define(const FieldLine& line) {
  constexpr std::int64_t communicators = 1;
  if (line.whole(1, "the kind of definition") != communicators) return;
  const std::int64_t number = line.whole(2, "the communicator's number");
  if (number < 0) return;  // of the threads of one task
  const std::int64_t count = line.whole(3, "how many members it has", 0);
  if (count != static_cast<std::int64_t>(line.size()) - 4)
    line.refuse(fmt::format("it announces {} members, but names {}", count, line.size() - 4));
  std::vector<std::int64_t> members;
  for (std::size_t i = 4; i < line.size(); ++i) members.push_back(line.whole(i, "a member"));
  const std::string wrong = communicators_.define(number, members, tasks_.size());
  if (!wrong.empty()) line.refuse(wrong);
}

const NamedCommunicators::Defined& DimemasProgram::communicator(const FieldLine& line, std::int64_t number,
                                                                Rank rank) const {
  const Defined* found = communicators_.find(number);
  if (found == nullptr)
    line.refuse(fmt::format("communicator {} is not defined (d:1:{}:members:...)", number, number));
  if (!found->place_of(rank))
    line.refuse(fmt::format("task {} is not a member of communicator {}", static_cast<int>(rank), number));
  return *found;
}

// 10:task:thread:collective:communicator:root:its thread:given:received
CollectiveKind DimemasProgram::kind_of(const FieldLine& line) const {
  const std::int64_t kind = line.whole(3, "the collective", 0);
  if (kind >= static_cast<std::int64_t>(dimemas_collectives.size()))
    line.refuse(
        fmt::format("{} is not a collective that all versions of Dimemas mean by that: those are 0 to {}",
                    kind, dimemas_collectives.size() - 1));
  return dimemas_collectives[static_cast<std::size_t>(kind)];
}

void DimemasProgram::note_collective(const FieldLine& line, std::int32_t task) {
  if (waiting_of(line) == Waiting::is_wait) return;
  const std::int64_t number = line.whole(4, "the communicator");
  const Defined& among = communicator(line, number, Rank{task});
  const std::int32_t place = *among.place_of(Rank{task});
  const CollectiveKind kind = kind_of(line);
  if (has_a_root(kind))
    roots_.add(number, static_cast<std::size_t>(place), among.members.size(),
               line.whole(5, "the root", 0, static_cast<std::int64_t>(tasks_.size()) - 1));
  if (CollectiveSums::needs_all(kind))
    sums_.add(number, place, among.members.size(),
              {line.whole(7, "what it gives", 0, most_of_message),
               line.whole(8, "what it receives", 0, most_of_message)});
}

void DimemasProgram::next(Rank rank, Operation& operation) {
  Task& task = tasks_[index(rank)];
  while (task.queue.empty()) {
    if (task.ended || !task.reader->next(line_)) {
      if (!task.ended) {
        // Dimemas has no record of waiting for a send.
        std::vector<RequestId> open = std::move(task.sends);
        for (const PendingCollective& one : task.started) open.push_back(one.request);
        counts_.unawaited += task.started.size();
        task.queue.wait(Call::MPI_Waitall, CallPart::whole, open);
      }
      task.ended = true;
      task.queue.exit();
      break;
    }
    if (line_.size() > 1 && line_[0] != offset_record) act(line_, rank);
  }
  operation = task.queue.take();
}

void DimemasProgram::act(const FieldLine& line, Rank rank) {
  const bool main_thread = line.whole(2, "the thread", 0) == 0;
  if (line[0] == burst_record) {
    if (!main_thread) {
      ++counts_.of_threads;
      return;
    }
    Task& task = tasks_[index(rank)];
    const double seconds = line.number(3, "how long it computes");
    if (seconds < 0) line.refuse("the burst has a negative duration; it must be at least 0 s");
    task.computed += seconds;
    if (task.computed > longest_burst)
      line.refuse("the task's bursts are longer than simulated time lasts, 53 days");
    task.queue.compute(SimTime::from_seconds(seconds));
  } else if (line[0] == gpu_burst_record) {
    ++counts_.on_gpus;
  } else if (line[0] == noop_record || line[0] == event_record) {
    return;
  } else if (line[0] != send_record && line[0] != receive_record && line[0] != collective_record) {
    line.refuse(fmt::format("\"{}\" is not a kind of record", line[0].substr(0, 30)));
  } else if (is_within_task(line)) {
    ++counts_.within;
  } else if (!main_thread) {
    line.refuse(
        "a thread other than 0 communicates with another task, which can't be imported; record the program "
        "with `morgana capture`");
  } else if (line[0] == send_record) {
    send(line, rank);
  } else if (line[0] == receive_record) {
    receive(line, rank);
  } else {
    collective(line, rank);
  }
}

Operation DimemasProgram::message(const FieldLine& line, Rank rank, const DimemasMessage& record,
                                  OperationKind kind) {
  const Defined& among = communicator(line, record.communicator, rank);
  const Rank partner{static_cast<std::int32_t>(record.partner)};
  const bool sends = kind == OperationKind::send;
  if ((partner != any_rank && !among.place_of(partner)) || (sends && partner == any_rank))
    line.refuse(
        fmt::format("task {} is not a member of communicator {}", record.partner, record.communicator));
  if (sends && record.tag < 0) line.refuse(fmt::format("{} is not a tag", record.tag));
  tasks_[index(rank)].used.use(among, tasks_[index(rank)].queue);
  Operation operation;
  operation.kind = kind;
  operation.context = among.context;
  operation.peer = partner;
  operation.tag = Tag{static_cast<std::int32_t>(record.tag)};
  operation.bytes = Bytes(record.bytes);
  return operation;
}

/// 1 is by rendezvous, as a synchronous send; 2 does not wait.
void DimemasProgram::send(const FieldLine& line, Rank rank) {
  Task& task = tasks_[index(rank)];
  const DimemasMessage record = message_of(line, static_cast<std::int64_t>(tasks_.size()));
  const bool synchronous = (record.how & 1) != 0, immediate = (record.how & 2) != 0;
  Operation operation = message(line, rank, record, OperationKind::send);
  if (synchronous) operation.mode = SendMode::synchronous;
  operation.call = immediate ? (synchronous ? Call::MPI_Issend : Call::MPI_Isend)
                             : (synchronous ? Call::MPI_Ssend : Call::MPI_Send);
  operation.part = immediate ? CallPart::whole : CallPart::first;
  const Call call = operation.call;
  const RequestId request = task.queue.start(std::move(operation));
  if (immediate)
    task.sends.push_back(request);
  else
    task.queue.wait(call, CallPart::last, {&request, 1});
}

void DimemasProgram::receive(const FieldLine& line, Rank rank) {
  constexpr std::int64_t blocks = 0, starts = 1;
  Task& task = tasks_[index(rank)];
  const DimemasMessage record = message_of(line, static_cast<std::int64_t>(tasks_.size()));
  if (record.how != blocks && record.how != starts) {
    const auto pending = std::ranges::find_if(task.receives, [&](const PendingReceive& one) {
      return one.partner == record.partner && one.tag == record.tag &&
             one.communicator == record.communicator;
    });
    if (pending == task.receives.end()) {
      ++counts_.unmatched;
      return;
    }
    task.queue.wait(Call::MPI_Wait, CallPart::whole, {&pending->request, 1});
    task.receives.erase(pending);
    return;
  }
  Operation operation = message(line, rank, record, OperationKind::receive);
  operation.call = record.how == blocks ? Call::MPI_Recv : Call::MPI_Irecv;
  operation.part = record.how == blocks ? CallPart::first : CallPart::whole;
  const RequestId request = task.queue.start(std::move(operation));
  if (record.how == blocks)
    task.queue.wait(Call::MPI_Recv, CallPart::last, {&request, 1});
  else
    task.receives.push_back({record.partner, record.tag, record.communicator, request});
}

void DimemasProgram::collective(const FieldLine& line, Rank rank) {
  Task& task = tasks_[index(rank)];
  const Waiting waiting = waiting_of(line);
  if (waiting == Waiting::is_wait) return wait_for_collective(line, task);
  const CollectiveKind kind = kind_of(line);
  const std::int64_t number = line.whole(4, "the communicator");
  const Defined& among = communicator(line, number, rank);
  const bool blocks = waiting != Waiting::starts;
  Operation operation;
  operation.kind = OperationKind::collective;
  operation.call = blocks ? blocking_call(kind) : nonblocking_call(kind);
  operation.part = blocks ? CallPart::first : CallPart::whole;
  operation.context = among.context;
  CollectivePart& part = operation.collective;
  part.kind = kind;
  part.blocking = blocks;
  if (has_a_root(kind)) {
    const DimemasRoots::Root root = roots_.find(number, task.rooted[number]++, among);
    if (!root.wrong.empty()) line.refuse(root.wrong);
    if (!root.known) ++counts_.rootless;
    part.root = root.place;
  }
  const CollectiveSums::Sums own{line.whole(7, "what it gives", 0, most_of_message),
                                 line.whole(8, "what it receives", 0, most_of_message)};
  std::size_t& so_far = task.collectives[number];
  if (sums_.fill(part, number, *among.place_of(rank), among.members.size(), own, so_far)) ++counts_.split;
  if (CollectiveSums::needs_all(kind)) ++so_far;
  task.used.use(among, task.queue);
  const Call call = operation.call;
  const RequestId request = task.queue.start(std::move(operation));
  if (blocks)
    task.queue.wait(call, CallPart::last, {&request, 1});
  else
    task.started.push_back({kind, number, request});
}

/// A wait repeats the record of what it waits for.
void DimemasProgram::wait_for_collective(const FieldLine& line, Task& task) {
  const CollectiveKind kind = kind_of(line);
  const std::int64_t number = line.whole(4, "the communicator");
  const auto found = std::ranges::find_if(task.started, [&](const PendingCollective& one) {
    return one.kind == kind && one.communicator == number;
  });
  if (found == task.started.end()) {
    ++counts_.unmatched;
    return;
  }
  task.queue.wait(Call::MPI_Wait, CallPart::whole, {&found->request, 1});
  task.started.erase(found);
}

std::vector<std::string> DimemasProgram::notices() const {
  std::vector<std::string> all;
  const auto say = [&](std::uint64_t count, const char* one, const char* several, const char* what) {
    if (count > 0) all.push_back(fmt::format("{} {} {}", count, count == 1 ? one : several, what));
  };
  say(counts_.of_threads, "burst is", "bursts are", "of threads other than a task's first: left out");
  say(counts_.on_gpus, "burst is", "bursts are", "of GPUs: left out");
  say(counts_.within, "message or barrier is", "messages and barriers are",
      "between threads of one task, such as those of a GPU: left out");
  say(counts_.unmatched, "wait is", "waits are", "for a receive or collective that is not pending: left out");
  say(counts_.unawaited, "nonblocking collective is", "nonblocking collectives are",
      "without a wait in the trace: awaited at the task's end");
  say(counts_.rootless, "part in a collective has", "parts in collectives have",
      "no root: the communicator's first task is taken for it");
  say(counts_.split, "part in a collective is", "parts in collectives are",
      "of one whose sizes by member are not in the trace, which has sums only: each member gets an equal "
      "part");
  return all;
}

}  // namespace

std::unique_ptr<ImportedProgram> read_dimemas(const std::filesystem::path& file) {
  return std::make_unique<DimemasProgram>(file);
}

}  // namespace morgana
