#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "experiments/experiment.h"
#include "experiments/itb/task.h"

namespace morgana::itb_paper {

inline constexpr double percent = 100;

/// The tasks whose results the rows of the in-transit buffer paper need, by the name of their workload. A row
/// asks for a Condition; the workload that it names is to_text(task).
class PaperTasks {
 public:
  /// Adds a task. @param random  its result depends on the seed: it is run with every seed
  /// @return the condition that runs it
  Condition enter(const PaperTask& task, bool random = true) {
    tasks_[to_text(task)] = task;
    return {.workload = to_text(task), .random = random};
  }
  /// Adds a search for the saturation of a network. @param length  of messages, in bytes
  Condition saturation(const std::string& network, const std::string& pattern = "uniform",
                       std::int64_t length = 512, bool one_routing_unit = false) {
    return enter({.kind = PaperTask::Kind::saturation,
                  .network = network,
                  .pattern = pattern,
                  .length = length,
                  .one_routing_unit = one_routing_unit});
  }
  /// Adds counts of a network's graph and routes, without traffic.
  Condition counts(const std::string& network, const std::string& pattern = "uniform", bool random = false) {
    return enter({.kind = PaperTask::Kind::counts, .network = network, .pattern = pattern}, random);
  }
  /// @param name  a workload that was added
  const PaperTask& task(const std::string& name) const { return tasks_.at(name); }

 private:
  std::map<std::string, PaperTask> tasks_;
};

// `id`, `title`, `paper` (the published value), `unit`, `kind` and `rule` of the following functions go into
// the Row as they are. `figure` is a name from task.h's list.

/// A row that measures one figure of one condition, with its confidence interval.
/// @param factor  by which the figure is multiplied to be in the row's unit
Row figure_row(const std::string& id, const std::string& title, const std::string& paper,
               const std::string& unit, RowKind kind, Rule rule, const Condition& condition,
               const std::string& figure, double factor = 1);
/// The same, without a factor. Its text gives the least and the greatest value of all seeds.
Row spread_row(const std::string& id, const std::string& title, const std::string& paper,
               const std::string& unit, Rule rule, const Condition& condition, const std::string& figure);
/// The throughput with in-transit routes divided by that with up*/down* routes. The verdict is by the highest
/// accepted traffic. The text gives its least and greatest value of all seeds, and the quotient of the knees
/// (the loads at which latency has doubled).
Row factor_row(const std::string& id, const std::string& title, const std::string& paper, Rule rule,
               const Condition& saturation);
/// The same with a verdict by the highest sustained traffic: the highest accepted traffic of the
/// loads of which at least 95 % is accepted.
Row sustained_factor_row(const std::string& id, const std::string& title, const std::string& paper, Rule rule,
                         const Condition& saturation);
/// A row that measures the quotient of a figure under two conditions. @param above  the numerator's
Row quotient_row(const std::string& id, const std::string& title, const std::string& paper, Rule rule,
                 const Condition& above, const Condition& below, const std::string& figure);

/// The task of the paper's figure 11: two million messages of 32 B on in-transit routes, on irregular
/// networks of 32 switches.
/// @param load  in flits/ns/switch, or by `of_the_knee` a share of the load at which latency has doubled
/// @param one_routing_unit  a switch routes one header at a time
Condition two_million_packets(PaperTasks& tasks, double load, bool one_routing_unit,
                              bool of_the_knee = false);

// Each adds the rows of a part of the paper to `experiment` and their tasks to `tasks`, in the paper's order;
// add_figures() adds the paper's figures.
void add_counts(Experiment& experiment, PaperTasks& tasks);
void add_irregular(Experiment& experiment, PaperTasks& tasks);
void add_regular(Experiment& experiment, PaperTasks& tasks);
void add_hotspots(Experiment& experiment, PaperTasks& tasks);
void add_buffers(Experiment& experiment, PaperTasks& tasks);
void add_implementation(Experiment& experiment, PaperTasks& tasks);
void add_figures(Experiment& experiment, PaperTasks& tasks);

}  // namespace morgana::itb_paper
