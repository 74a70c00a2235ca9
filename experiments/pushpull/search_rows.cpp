#include <fmt/format.h>

#include <functional>

#include "experiments/pushpull/rows.h"

// The two searches for how many bytes to push (section 3.2).
namespace morgana::push_pull_paper {
namespace {

using Search = std::function<Condition(int bytes)>;

/// Single trips over the bytes pushed; of one message, or with 0 the mean over all.
std::vector<Sample> searched(const Laboratory& laboratory, const std::vector<int>& pushes,
                             const Search& condition, int message) {
  std::vector<Sample> samples;
  for (const int bytes : pushes) {
    double sum = 0;
    for (const int size : search.sizes)
      if (message == 0 || size == message) sum += value(laboratory, condition(bytes), size);
    samples.push_back({static_cast<double>(bytes), sum});
  }
  return samples;
}

Row search_row(const char* id, const char* title, const char* paper, Rule rule,
               const std::vector<int>& pushes, const Search& condition) {
  Row row{id, title, paper, "B", RowKind::statistical, std::move(rule)};
  for (const int bytes : pushes) row.needs.push_back(condition(bytes));
  row.measure = [pushes, condition](const Laboratory& laboratory) {
    const std::vector<Sample> curve = searched(laboratory, pushes, condition, 0);
    Measurement result = measured(lowest(curve));
    result.text = fmt::format("from {:g} B on within 1 % of the best; mean of", nearly_lowest(curve, 0.01));
    for (const int size : search.sizes)
      result.text += fmt::format("{} {} B ({:g})", size == search.sizes.front() ? "" : ",", size,
                                 lowest(searched(laboratory, pushes, condition, size)));
    return result;
  };
  return row;
}

}  // namespace

void add_searches(Experiment& experiment) {
  experiment.rows.push_back(search_row("R-06", "best second push, none first", "680", between(500, 860),
                                       second_pushes(), search_for_second));
  experiment.rows.push_back(search_row("R-07", "best first push, 680 B second", "80", between(40, 160),
                                       first_pushes(), search_for_first));
}

}  // namespace morgana::push_pull_paper
