#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/core/error.h"
#include "traces/imported_program.h"
#include "traces/mapped_text.h"

namespace morgana {
namespace {

/// Of a calculation, and of all between two messages: below the end of simulated time.
constexpr std::int64_t most_ns = 4'000'000'000'000'000;

/// A line of a rank's schedule.
struct Task {
  enum class Kind : std::uint8_t { calculation, send, receive } kind = Kind::calculation;
  std::size_t line = 0;     ///< of the file
  std::int64_t amount = 0;  ///< ns or bytes
  int peer = 0, tag = 0;
  std::vector<std::uint32_t> ends, starts;  ///< tasks whose end, or start, it requires
  bool started = false;
  bool ended = false;  ///< known to have ended: a calculation, or a message that has been waited for
};

struct Schedule {
  std::vector<Task> tasks;
  std::size_t first_open = 0;  ///< all before it have started
  std::size_t started = 0;
  SimTime computed;
  std::vector<Operation> ready;  ///< from the last one on
};

class GoalProgram final : public ImportedProgram {
 public:
  explicit GoalProgram(const std::filesystem::path& file) : text_(file) { read(); }
  std::size_t ranks() const override { return ranks_.size(); }
  void next(Rank rank, Operation& operation) override;
  std::vector<std::string> notices() const override;

 private:
  using Words = std::vector<std::string_view>;
  void read();
  void read_rank(Schedule& schedule);
  void read_task(Schedule& schedule, const Words& words, std::size_t at);
  std::int64_t number(std::string_view word, std::string_view ending, std::int64_t most,
                      const char* what) const;
  Words words();
  void start(Schedule& schedule, std::uint32_t number) const;
  static void wait(Schedule& schedule, const std::vector<std::uint32_t>& messages);
  void go_on(Schedule& schedule) const;

  MappedText text_;
  std::vector<Schedule> ranks_;
  std::map<std::string, std::uint32_t, std::less<>> labels_;  ///< of the rank that is read
  std::set<std::string, std::less<>> ignored_;
};

/// A line's words, without comments; braces and colons are words of their own.
GoalProgram::Words GoalProgram::words() {
  while (const auto line = text_.next_line()) {
    Words found = words_of(line->substr(0, std::min(line->find("//"), line->find('#'))));
    if (!found.empty()) return found;
  }
  return {};
}

std::int64_t GoalProgram::number(std::string_view word, std::string_view ending, std::int64_t most,
                                 const char* what) const {
  std::string_view digits = word;
  if (digits.ends_with(ending)) digits.remove_suffix(ending.size());
  const auto value = parsed_number<std::int64_t>(digits);
  if (!value || *value < 0 || *value > most)
    text_.refuse(
        fmt::format("\"{}\" is no {}: a whole number from 0 to {} is meant", word.substr(0, 30), what, most));
  return *value;
}

void GoalProgram::read() {
  const Words head = words();
  constexpr std::int64_t most_ranks = 1'000'000;
  if (head.size() != 2 || head[0] != "num_ranks")
    throw Error(fmt::format("{}: no schedule in GOAL's text form, which begins with \"num_ranks N\"",
                            text_.file().string()));
  ranks_.resize(static_cast<std::size_t>(number(head[1], "", most_ranks, "number of ranks")));
  if (ranks_.empty()) text_.refuse("a schedule of no ranks");
  std::vector<bool> seen(ranks_.size());
  for (Words line = words(); !line.empty(); line = words()) {
    if (line[0] != "rank" || line.size() < 2)
      text_.refuse(fmt::format("\"rank N {{\" is meant, not \"{}\"", line[0].substr(0, 30)));
    std::string_view name = line[1];
    bool opened = line.back() == "{";
    if (name.ends_with('{')) {
      name.remove_suffix(1);
      opened = true;
    }
    const auto rank =
        static_cast<std::size_t>(number(name, "", std::ssize(ranks_) - 1, "rank of this schedule"));
    if (seen[rank]) text_.refuse(fmt::format("rank {} has a schedule already", rank));
    seen[rank] = true;
    if (!opened) {
      const Words next = words();
      if (next.size() != 1 || next[0] != "{")
        text_.refuse(fmt::format("rank {}'s schedule begins with {{", rank));
    }
    read_rank(ranks_[rank]);
  }
}

void GoalProgram::read_rank(Schedule& schedule) {
  labels_.clear();
  for (Words line = words();; line = words()) {
    if (line.empty()) text_.refuse("the file ends within a rank's schedule, which } closes");
    if (line[0] == "}") return;
    std::string_view label;
    std::size_t at = 0;
    if (line[0].ends_with(':')) {
      label = line[0].substr(0, line[0].size() - 1);
      at = 1;
    } else if (line.size() > 1 && line[1] == ":") {
      label = line[0];
      at = 2;
    }
    if (line.size() == 3 && (line[1] == "requires" || line[1] == "irequires")) {
      std::uint32_t numbers[2];
      for (const std::size_t i : {0U, 1U}) {
        const auto found = labels_.find(line[2 * i]);
        if (found == labels_.end())
          text_.refuse(fmt::format("there is no line {} in this rank's schedule above", line[2 * i]));
        numbers[i] = found->second;
      }
      Task& task = schedule.tasks[numbers[0]];
      (line[1] == "requires" ? task.ends : task.starts).push_back(numbers[1]);
      continue;
    }
    read_task(schedule, line, at);
    if (!label.empty() &&
        !labels_.try_emplace(std::string(label), static_cast<std::uint32_t>(schedule.tasks.size() - 1))
             .second)
      text_.refuse(fmt::format("{} is the name of an earlier line", label));
  }
}

void GoalProgram::read_task(Schedule& schedule, const Words& words, std::size_t at) {
  constexpr std::int64_t most_bytes = std::int64_t{1} << 50;
  Task task;
  task.line = text_.line();
  const std::string_view kind = at < words.size() ? words[at] : "";
  if (kind != "calc" && kind != "send" && kind != "recv")
    text_.refuse(fmt::format("\"{}\" is neither calc, send, recv nor a requirement", kind.substr(0, 30)));
  if (at + 1 >= words.size()) text_.refuse(fmt::format("{} lacks its amount", kind));
  const bool calculates = kind == "calc";
  task.kind = calculates ? Task::Kind::calculation : kind == "send" ? Task::Kind::send : Task::Kind::receive;
  task.amount = calculates ? number(words[at + 1], "", most_ns, "time in ns")
                           : number(words[at + 1], "b", most_bytes, "size (\"10b\")");
  bool has_peer = calculates;
  for (at += 2; at + 1 < words.size(); at += 2) {
    const std::string_view key = words[at], value = words[at + 1];
    if (!calculates && key == (task.kind == Task::Kind::send ? "to" : "from")) {
      task.peer = static_cast<int>(number(value, "", std::ssize(ranks_) - 1, "rank of this schedule"));
      has_peer = true;
    } else if (!calculates && key == "tag") {
      task.tag = static_cast<int>(number(value, "", std::numeric_limits<int>::max(), "tag"));
    } else if (key == "cpu" || key == "nic") {
      if (number(value, "", 1 << 20, "number of a processor or interface") != 0)
        ignored_.insert(std::string(key));
    } else {
      text_.refuse(fmt::format("{} has no \"{}\"", kind, key.substr(0, 30)));
    }
  }
  if (at != words.size()) text_.refuse(fmt::format("\"{}\" lacks its value", words[at].substr(0, 30)));
  if (!has_peer)
    text_.refuse(
        fmt::format("{} lacks its peer ({} N)", kind, task.kind == Task::Kind::send ? "to" : "from"));
  schedule.tasks.push_back(std::move(task));
}

void GoalProgram::start(Schedule& schedule, std::uint32_t number) const {
  Task& task = schedule.tasks[number];
  task.started = true;
  ++schedule.started;
  if (task.kind == Task::Kind::calculation) {
    if (task.amount > most_ns - schedule.computed.ps() / 1000)
      throw Error(fmt::format("{}:{}: computes for longer than simulated time lasts, 53 days",
                              text_.file().string(), task.line));
    schedule.computed += SimTime::from_ps(task.amount * 1000);
    task.ended = true;
    return;
  }
  Operation operation;
  const bool sends = task.kind == Task::Kind::send;
  operation.kind = sends ? OperationKind::send : OperationKind::receive;
  operation.call = sends ? Call::MPI_Isend : Call::MPI_Irecv;
  operation.peer = Rank{task.peer};
  operation.tag = Tag{task.tag};
  operation.bytes = Bytes(task.amount);
  operation.request = RequestId{std::uint64_t{number} + 1};
  operation.elapsed = std::exchange(schedule.computed, SimTime());
  schedule.ready.push_back(std::move(operation));
}

void GoalProgram::wait(Schedule& schedule, const std::vector<std::uint32_t>& messages) {
  Operation operation;
  operation.kind = OperationKind::wait;
  operation.call = messages.size() == 1 ? Call::MPI_Wait : Call::MPI_Waitall;
  for (const std::uint32_t number : messages) {
    operation.requests.push_back(RequestId{std::uint64_t{number} + 1});
    schedule.tasks[number].ended = true;
  }
  operation.elapsed = std::exchange(schedule.computed, SimTime());
  schedule.ready.push_back(std::move(operation));
}

/// Starts all messages that need no waiting, or else a calculation, or else waits for what the first line
/// that can't go on requires.
void GoalProgram::go_on(Schedule& schedule) const {
  std::vector<Task>& tasks = schedule.tasks;
  while (schedule.ready.empty() && schedule.started < tasks.size()) {
    while (schedule.first_open < tasks.size() && tasks[schedule.first_open].started) ++schedule.first_open;
    std::optional<std::uint32_t> calculation, waiting;
    bool any = false;
    // What can go on hardly ever stands long after a line that waits.
    constexpr std::size_t looks_ahead = 4096;
    for (std::size_t i = schedule.first_open; i < tasks.size(); ++i) {
      if (i > schedule.first_open + looks_ahead && (any || calculation || waiting)) break;
      const auto number = static_cast<std::uint32_t>(i);
      if (tasks[i].started) continue;
      const auto has_started = [&](std::uint32_t one) { return tasks[one].started; };
      if (!std::ranges::all_of(tasks[i].ends, has_started) ||
          !std::ranges::all_of(tasks[i].starts, has_started))
        continue;
      const bool must_wait =
          std::ranges::any_of(tasks[i].ends, [&](std::uint32_t one) { return !tasks[one].ended; });
      if (must_wait) {
        if (!waiting) waiting = number;
      } else if (tasks[i].kind == Task::Kind::calculation) {
        if (!calculation) calculation = number;
      } else {
        start(schedule, number);
        any = true;
      }
    }
    if (any) continue;
    if (calculation) {
      start(schedule, *calculation);
      continue;
    }
    if (!waiting)
      throw Error(fmt::format("{}:{}: this line requires, perhaps by others, itself", text_.file().string(),
                              tasks[schedule.first_open].line));
    std::vector<std::uint32_t> open;
    for (const std::uint32_t one : tasks[*waiting].ends)
      if (!tasks[one].ended && std::ranges::find(open, one) == open.end()) open.push_back(one);
    wait(schedule, open);
  }
}

void GoalProgram::next(Rank rank, Operation& operation) {
  Schedule& schedule = ranks_[index(rank)];
  if (schedule.ready.empty()) {
    go_on(schedule);
    if (schedule.ready.empty()) {
      std::vector<std::uint32_t> open;
      for (std::size_t i = 0; i < schedule.tasks.size(); ++i)
        if (!schedule.tasks[i].ended) open.push_back(static_cast<std::uint32_t>(i));
      if (!open.empty()) wait(schedule, open);
    }
    if (schedule.ready.empty()) {
      Operation exit;
      exit.kind = OperationKind::exit;
      exit.elapsed = std::exchange(schedule.computed, SimTime());
      schedule.ready.push_back(std::move(exit));
    }
    std::ranges::reverse(schedule.ready);
  }
  operation = std::move(schedule.ready.back());
  schedule.ready.pop_back();
}

std::vector<std::string> GoalProgram::notices() const {
  std::vector<std::string> all;
  for (const std::string& key : ignored_)
    all.push_back(fmt::format(
        "lines that name another {} than 0 are taken for {} 0: a rank of a trace does one thing at a time",
        key, key));
  return all;
}

}  // namespace

std::unique_ptr<ImportedProgram> read_goal(const std::filesystem::path& file) {
  return std::make_unique<GoalProgram>(file);
}

bool is_goal(const std::filesystem::path& file) {
  MappedText text(file);
  while (const auto line = text.next_line()) {
    const auto words = words_of(*line);
    if (!words.empty() && !words[0].starts_with("//") && !words[0].starts_with('#'))
      return words[0] == "num_ranks";
  }
  return false;
}

}  // namespace morgana
