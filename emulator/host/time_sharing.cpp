#include "emulator/host/time_sharing.h"

#include <algorithm>
#include <utility>

#include "emulator/core/end_of_time.h"

namespace morgana {

void TimeSharing::add(std::uint32_t task, HostId host, std::size_t processor) {
  const std::uint64_t where = static_cast<std::uint64_t>(host) * processors_of_host_ + processor;
  const auto [known, fresh] = numbers_.try_emplace(where, processors_.size());
  if (fresh) processors_.emplace_back();
  if (task >= tasks_.size()) tasks_.resize(task + std::size_t{1});
  tasks_[task] = {known->second, State::elsewhere, SimTime()};
  ++processors_[known->second].tasks;
}

void TimeSharing::remove(std::uint32_t task) {
  leave(task);
  --processors_[tasks_[task].processor].tasks;
}

void TimeSharing::want(std::uint32_t number) {
  Task& task = tasks_[number];
  if (task.state != State::elsewhere) return;
  task.state = State::in_line;
  task.since = events_.now();
  Processor& processor = processors_[task.processor];
  processor.line.push_back(number);
  if (processor.running == nobody) return run_next(task.processor);
  if (!processor.timer_runs) start_timer(task.processor);
}

void TimeSharing::leave(std::uint32_t number) {
  Task& task = tasks_[number];
  Processor& processor = processors_[task.processor];
  const State was = std::exchange(task.state, State::elsewhere);
  if (was == State::in_line) std::erase(processor.line, number);
  if (was != State::running) return;
  processor.running = nobody;
  processor.timer_runs = false;
  if (!processor.line.empty()) run_next(task.processor);
}

/// The first in line runs. Nothing may be done after it: the client may change everything.
void TimeSharing::run_next(std::size_t number) {
  Processor& processor = processors_[number];
  processor.running = processor.line.front();
  processor.line.pop_front();
  processor.began = events_.now();
  processor.timer_runs = false;
  if (!processor.line.empty()) start_timer(number);
  Task& task = tasks_[processor.running];
  task.state = State::running;
  client_.got_processor(processor.running, task.since);
}

/// At the end of the quantum that the running task is in; it has begun others while nobody was ready.
void TimeSharing::start_timer(std::size_t number) {
  Processor& processor = processors_[number];
  const std::int64_t over = (events_.now() - processor.began).ps() / quantum_.ps();
  processor.began += SimTime::from_ps(over * quantum_.ps());
  processor.timer_runs = true;
  ++processor.timer;
  events_.schedule(time_before_end(processor.began + quantum_), *this,
                   std::uint64_t{processor.timer} << processor_bits | number);
}

void TimeSharing::handle(std::uint64_t what) {
  if ((what & reminder) != 0) return client_.reminded(static_cast<std::uint32_t>(what & ~reminder));
  const std::size_t number = what & ((std::uint64_t{1} << processor_bits) - 1);
  Processor& processor = processors_[number];
  if (!processor.timer_runs || processor.timer != what >> processor_bits) return;
  processor.timer_runs = false;
  if (processor.line.empty()) return;  // who was ready has left: the running task goes on
  Task& task = tasks_[processor.running];
  task.state = State::in_line;
  task.since = events_.now();
  processor.line.push_back(processor.running);
  run_next(number);
}

}  // namespace morgana
