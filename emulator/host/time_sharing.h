#pragma once

#include <tsl/robin_map.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/host/host_id.h"

namespace morgana {

/// The user of TimeSharing, which runs programs on processors that they share.
class TimeSharingClient {
 public:
  /// The task has its processor from now on. @param since  when it began to wait for it; <= now
  virtual void got_processor(std::uint32_t task, SimTime since) = 0;
  /// As asked for by TimeSharing::remind.
  virtual void reminded(std::uint32_t task) = 0;

 protected:
  ~TimeSharingClient() = default;
};

/// Processors whose tasks take turns: round robin, as in A. S. Tanenbaum, "Modern Operating Systems",
/// section 2.4.3. A task stays on the processor that it was given. It runs for a quantum; then, if others
/// are ready, it goes to the end of their line, and the first of them runs. If none is ready it begins
/// another quantum. A task that leaves the processor gives up the rest of its quantum; one that becomes ready
/// goes to the end of the line. Changing from one task to another takes no time.
///
/// All of it follows from simulated time: whether a task needs its processor for longer than its quantum need
/// not be known before the quantum is over. A task that waits for its turn can't do anything.
class TimeSharing final : private EventHandler {
 public:
  /// @param quantum  > 0 @param processors  of each host, >= 1
  TimeSharing(EventQueue& events, SimTime quantum, std::size_t processors, TimeSharingClient& client)
      : events_(events), quantum_(quantum), processors_of_host_(processors), client_(client) {}

  /// A task begins on that processor; it is not ready yet.
  void add(std::uint32_t task, HostId host, std::size_t processor);
  /// The task ends; the next one gets its processor.
  void remove(std::uint32_t task);
  /// The task is ready from now on. Nothing changes if it was.
  void want(std::uint32_t task);
  /// The task needs no processor from now on; the next one gets it.
  void leave(std::uint32_t task);

  bool has_processor(std::uint32_t task) const { return find(task).state == State::running; }
  /// Nothing if the task is not in line.
  std::optional<SimTime> in_line_since(std::uint32_t task) const {
    return find(task).state == State::in_line ? std::optional(find(task).since) : std::nullopt;
  }
  /// Whether no other task is on its processor, ready or not.
  bool is_alone(std::uint32_t task) const { return processors_[find(task).processor].tasks == 1; }
  /// Calls reminded() at `at`, after everything else that happens then.
  void remind(std::uint32_t task, SimTime at) { events_.schedule_late(at, *this, reminder | task); }

 private:
  enum class State : std::uint8_t { elsewhere, in_line, running };
  struct Task {
    std::size_t processor = 0;
    State state = State::elsewhere;
    SimTime since;  ///< in line: since when
  };
  struct Processor {
    std::uint32_t running = nobody;
    std::uint32_t tasks = 0;
    std::uint32_t timer = 0;  ///< the one that counts
    bool timer_runs = false;
    SimTime began;  ///< a quantum of the running task's
    std::deque<std::uint32_t> line;
  };
  static constexpr std::uint32_t nobody = ~std::uint32_t{0};
  // What an event is about: the processor below, and its timer's number above; or a task.
  static constexpr std::uint64_t reminder = std::uint64_t{1} << 63;
  static constexpr unsigned processor_bits = 31;

  const Task& find(std::uint32_t task) const { return tasks_[task]; }
  void handle(std::uint64_t what) override;
  bool serves_program() const override { return true; }
  void start_timer(std::size_t processor);
  void run_next(std::size_t processor);

  EventQueue& events_;
  SimTime quantum_;
  std::size_t processors_of_host_;
  TimeSharingClient& client_;
  std::vector<Task> tasks_;
  std::vector<Processor> processors_;                   // that have had tasks
  tsl::robin_map<std::uint64_t, std::size_t> numbers_;  // of processors, by host and number there
};

}  // namespace morgana
