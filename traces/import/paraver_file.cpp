#include "traces/import/paraver_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include "emulator/core/error.h"

namespace morgana::paraver {
namespace {

constexpr std::int64_t most_prv_tasks = 1'000'000;
constexpr std::int64_t longest_ps = 4'000'000'000'000'000'000;
constexpr std::int64_t most_prv_bytes = any_room.count();

// Events within a collective.
constexpr std::int64_t given_event = 50100001, received_event = 50100002, root_event = 50100003,
                       communicator_event = 50100004;
// States of a thread that mean no computing.
constexpr std::int64_t not_created_state = 2, tracing_disabled_state = 14;

class PrvReader {
 public:
  explicit PrvReader(const std::filesystem::path& file) : text_(file) {
    trace_.file = file;
    trace_.begin = SimTime::from_ps(longest_ps);
  }
  PrvTrace read();

 private:
  struct Open {
    std::optional<MpiCall> call;
    MpiCall early;  ///< events of a collective that begins at the same time, but behind them
    std::uint64_t early_events = 0;
    SimTime last;  ///< time of the thread's last event
  };

  void read_header(std::string_view line);
  void define(const FieldLine& line);
  void read_record(const FieldLine& line);
  void read_state(const FieldLine& line);
  void read_events(const FieldLine& line);
  void read_message(const FieldLine& line);
  /// The rank whose record it is; nothing if it is one of another application or thread.
  std::optional<std::size_t> rank_of(const FieldLine& line, std::size_t application);
  SimTime time(const FieldLine& line, std::size_t place, const char* what) const;
  void event(std::size_t rank, SimTime at, std::int64_t type, std::int64_t value, const FieldLine& line);
  void drop_early(Open& open);

  MappedText text_;
  PrvTrace trace_;
  std::vector<Open> open_;  ///< by rank
  std::int64_t ps_per_unit_ = 1000;
};

/// #Paraver (date):length[_ns]:nodes(CPUs,...):applications:tasks(threads:node,...)[,communicators],...
void PrvReader::read_header(std::string_view line) {
  constexpr std::string_view begin = "#Paraver (";
  if (!line.starts_with(begin))
    text_.refuse(
        "not a Paraver trace: the first line must begin with \"#Paraver (\"; check the file's name and "
        "format");
  const std::size_t date_end = line.find("):", begin.size());
  if (date_end == std::string_view::npos) text_.refuse("the date in brackets does not end");
  std::string_view rest = line.substr(date_end + 2);
  const auto next = [&](const char* what) {
    // A colon within brackets belongs to a list of nodes.
    std::size_t depth = 0, end = 0;
    while (end < rest.size() && (rest[end] != ':' || depth > 0)) {
      if (rest[end] == '(') ++depth;
      if (rest[end] == ')' && depth > 0) --depth;
      ++end;
    }
    if (end == 0) text_.refuse(fmt::format("lacks {}", what));
    const std::string_view field = rest.substr(0, end);
    rest = end == rest.size() ? std::string_view() : rest.substr(end + 1);
    return field;
  };
  const std::string_view length = next("the trace's length");
  if (!length.ends_with("_ns")) ps_per_unit_ = 1'000'000;  // microseconds
  next("the nodes");
  next("the number of applications");
  const std::string_view tasks = next("the first application's tasks");
  const std::size_t bracket = tasks.find('(');
  const auto count = parsed_number<std::int64_t>(tasks.substr(0, std::min(bracket, tasks.size())));
  if (!count || *count < 1 || *count > most_prv_tasks)
    text_.refuse(
        fmt::format("\"{}\" is not a number of tasks", tasks.substr(0, std::min<std::size_t>(bracket, 30))));
  // Each task stands in the brackets: a number of tasks that can't be costs no memory.
  const std::size_t bracket_end = tasks.find(')', std::min(bracket, tasks.size()));
  if (bracket_end == std::string_view::npos ||
      std::ranges::count(tasks.substr(bracket, bracket_end - bracket), ':') != *count)
    text_.refuse(fmt::format(
        "its first application has {} tasks, but the brackets behind that do not list so many", *count));
  trace_.calls.resize(static_cast<std::size_t>(*count));
  trace_.pauses.resize(trace_.calls.size());
  trace_.ends.resize(trace_.calls.size());
  open_.resize(trace_.calls.size());
}

/// c:application:number:members:task:task:...
void PrvReader::define(const FieldLine& line) {
  if (line.whole(1, "the application") != 1) return;
  const std::int64_t number = line.whole(2, "the communicator's number", 1);
  const std::int64_t count = line.whole(3, "how many members it has", 0);
  if (count != static_cast<std::int64_t>(line.size()) - 4)
    line.refuse(fmt::format("it announces {} members, but names {}", count, line.size() - 4));
  std::vector<std::int64_t> members;
  for (std::size_t i = 4; i < line.size(); ++i)
    members.push_back(line.whole(i, "a member", 1, most_prv_tasks) - 1);
  const std::string wrong = trace_.communicators.define(number, members, trace_.ranks());
  if (!wrong.empty()) line.refuse(wrong);
}

std::optional<std::size_t> PrvReader::rank_of(const FieldLine& line, std::size_t application) {
  if (line.whole(application, "the application", 0) != 1) {
    ++trace_.counts.of_applications;
    return std::nullopt;
  }
  const std::int64_t task =
      line.whole(application + 1, "the task", 1, static_cast<std::int64_t>(trace_.ranks()));
  if (line.whole(application + 2, "the thread", 1) != 1) {
    ++trace_.counts.of_threads;
    return std::nullopt;
  }
  return static_cast<std::size_t>(task - 1);
}

SimTime PrvReader::time(const FieldLine& line, std::size_t place, const char* what) const {
  return SimTime::from_ps(line.whole(place, what, 0, longest_ps / ps_per_unit_) * ps_per_unit_);
}

/// 1:CPU:application:task:thread:begin:end:state
void PrvReader::read_state(const FieldLine& line) {
  const auto rank = rank_of(line, 2);
  if (!rank) return;
  const SimTime begin = time(line, 5, "when the state begins"), end = time(line, 6, "when it ends");
  if (end < begin) line.refuse("the state ends before it begins");
  trace_.begin = std::min(trace_.begin, begin);
  trace_.ends[*rank] = std::max(trace_.ends[*rank], end);
  const std::int64_t state = line.whole(7, "the state");
  if (state == tracing_disabled_state) ++trace_.counts.disabled;
  if (state != tracing_disabled_state && state != not_created_state) return;
  std::vector<Pause>& pauses = trace_.pauses[*rank];
  if (!pauses.empty() && begin < pauses.back().end)
    line.refuse("the state begins before the one before it ends; a trace is sorted by time");
  pauses.push_back({begin, end});
}

/// 2:CPU:application:task:thread:time:type:value:type:value:...
void PrvReader::read_events(const FieldLine& line) {
  const auto rank = rank_of(line, 2);
  if (!rank) return;
  const SimTime at = time(line, 5, "the time");
  if (at < open_[*rank].last)
    line.refuse("this event of the task is earlier than the one before it; a trace is sorted by time");
  if (at > open_[*rank].last) drop_early(open_[*rank]);
  open_[*rank].last = at;
  trace_.begin = std::min(trace_.begin, at);
  trace_.ends[*rank] = std::max(trace_.ends[*rank], at);
  constexpr std::size_t first = 6;
  if (line.size() % 2 != 0) line.refuse("an event's type has no value");
  for (std::size_t i = first; i < line.size(); i += 2)
    event(*rank, at, line.whole(i, "an event's type"), line.whole(i + 1, "an event's value"), line);
}

void PrvReader::event(std::size_t rank, SimTime at, std::int64_t type, std::int64_t value,
                      const FieldLine& line) {
  Open& of_rank = open_[rank];
  std::optional<MpiCall>& open = of_rank.call;
  if (is_mpi_type(type)) {
    if (open) {
      open->end = at;
      trace_.calls[rank].push_back(*open);
      open.reset();
    }
    if (value < 0 || value > std::numeric_limits<std::int32_t>::max())
      line.refuse(fmt::format("{} is not a call", value));
    if (value == 0) return;
    open = of_rank.early;
    of_rank.early = {};
    of_rank.early_events = 0;
    open->begin = at;
    open->value = static_cast<std::int32_t>(value);
    open->line = line.number_of_line();
    return;
  }
  if (type < given_event || type > communicator_event) return;
  if (value < 0 || value > most_prv_bytes)
    line.refuse(fmt::format("a collective's event has value {}", value));
  // Where a trace was cut, all events get an end, whose value is 0: it says nothing of a call that has begun.
  if (open && at > open->begin && value == 0) return;
  MpiCall& call = open ? *open : of_rank.early;
  if (!open && value != 0) ++of_rank.early_events;
  if (type == given_event) call.sums.given = value;
  if (type == received_event) call.sums.received = value;
  if (type == given_event || type == received_event) call.has_size = true;
  if (type == root_event) call.is_root = value != 0;
  if (type == communicator_event) call.communicator = value;
}

void PrvReader::drop_early(Open& open) {
  trace_.counts.stray += std::exchange(open.early_events, 0);
  open.early = {};
}

/// 3: CPU:application:task:thread:logical:physical of the send, the same of the receive, size:tag
void PrvReader::read_message(const FieldLine& line) {
  const auto from = rank_of(line, 2), to = rank_of(line, 8);
  if (!from || !to) return;
  PrvMessage message;
  message.from = static_cast<std::int32_t>(*from);
  message.to = static_cast<std::int32_t>(*to);
  message.sent = time(line, 5, "when it is sent");
  message.posted = time(line, 11, "when its receive is posted");
  message.received = time(line, 12, "when it is received");
  message.bytes = line.whole(13, "the size", 0, most_prv_bytes);
  // Sender and receiver have the tag from the same record, so that any will do.
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  const std::int64_t tag = line.whole(14, "the tag");
  if (tag < 0 || tag > most) ++trace_.counts.odd_tags;
  message.tag = static_cast<std::int32_t>(tag < 0 || tag > most ? most : tag);
  message.line = line.number_of_line();
  trace_.messages.push_back(message);
}

void PrvReader::read_record(const FieldLine& line) {
  if (line[0] == "1")
    read_state(line);
  else if (line[0] == "2")
    read_events(line);
  else if (line[0] == "3")
    read_message(line);
  else if (line[0] == "c")
    define(line);
  else
    line.refuse(fmt::format("\"{}\" is not a kind of record", line[0].substr(0, 30)));
}

PrvTrace PrvReader::read() {
  const auto header = text_.next_line();
  if (!header) text_.refuse("is empty");
  read_header(*header);
  FieldLine line(text_);
  while (const auto content = text_.next_line()) {
    if (content->empty() || content->starts_with('#')) continue;
    line.read(*content, text_.line());
    read_record(line);
  }
  for (std::size_t rank = 0; rank < open_.size(); ++rank) {
    drop_early(open_[rank]);
    if (!open_[rank].call) continue;
    ++trace_.counts.unended;
    open_[rank].call->end = open_[rank].last;
    trace_.calls[rank].push_back(*open_[rank].call);
  }
  return std::move(trace_);
}

}  // namespace

PrvTrace read_prv(const std::filesystem::path& file) {
  return PrvReader(file).read();
}

void PrvTrace::refuse(std::size_t line, const std::string& what) const {
  throw Error(fmt::format("{}:{}: {}", file.string(), line, what));
}

}  // namespace morgana::paraver
