#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "experiments/experiment.h"
#include "experiments/itb/task.h"

namespace morgana::itb_paper {

inline constexpr double percent = 100;

/// The tasks that rows ask for, by the names of their workloads.
class Tasks {
 public:
  /// The condition under which the task is carried out: with every seed, if chance plays a part in it.
  Condition enter(const Task& task, bool random = true) {
    tasks_[to_text(task)] = task;
    return {.workload = to_text(task), .random = random};
  }
  Condition saturation(const std::string& network, const std::string& pattern = "uniform",
                       std::int64_t length = 512, bool one_routing_unit = false) {
    return enter({.kind = Task::Kind::saturation,
                  .network = network,
                  .pattern = pattern,
                  .length = length,
                  .one_routing_unit = one_routing_unit});
  }
  Condition counts(const std::string& network, const std::string& pattern = "uniform", bool random = false) {
    return enter({.kind = Task::Kind::counts, .network = network, .pattern = pattern}, random);
  }
  const Task& task(const std::string& name) const { return tasks_.at(name); }

 private:
  std::map<std::string, Task> tasks_;
};

/// A row about one figure of one condition. @param factor  to the row's unit
Row figure_row(const std::string& id, const std::string& title, const std::string& paper,
               const std::string& unit, RowKind kind, Rule rule, const Condition& condition,
               const std::string& figure, double factor = 1);
/// The same, with the least and the greatest of all seeds told.
Row spread_row(const std::string& id, const std::string& title, const std::string& paper,
               const std::string& unit, Rule rule, const Condition& condition, const std::string& figure);
/// The throughput with in-transit routes over that with up*/down* ones: judged by the highest accepted
/// traffic, its spread over the seeds and the quotient of the knees told.
Row factor_row(const std::string& id, const std::string& title, const std::string& paper, Rule rule,
               const Condition& saturation);
/// The same, judged by the highest traffic accepted whole.
Row sustained_factor_row(const std::string& id, const std::string& title, const std::string& paper, Rule rule,
                         const Condition& saturation);
/// Of the quotient of a figure under two conditions.
Row quotient_row(const std::string& id, const std::string& title, const std::string& paper, Rule rule,
                 const Condition& above, const Condition& below, const std::string& figure);

/// Of figure 11: 32 B at this load on in-transit routes of irregular networks of 32 switches.
/// @param of_the_knee  the load is a share of that at which latency has doubled
Condition two_million_packets(Tasks& tasks, double load, bool one_routing_unit, bool of_the_knee = false);

// Rows and figures, in the paper's order.
void add_counts(Experiment& experiment, Tasks& tasks);
void add_irregular(Experiment& experiment, Tasks& tasks);
void add_regular(Experiment& experiment, Tasks& tasks);
void add_hotspots(Experiment& experiment, Tasks& tasks);
void add_buffers(Experiment& experiment, Tasks& tasks);
void add_implementation(Experiment& experiment, Tasks& tasks);
void add_figures(Experiment& experiment, Tasks& tasks);

}  // namespace morgana::itb_paper
