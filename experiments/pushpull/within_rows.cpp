#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "experiments/pushpull/rows.h"

// Within a node (section 3.1, figure 5).
namespace morgana::push_pull_paper {
namespace {

constexpr double bus_mb_per_s = 533, percent = 100;
constexpr int peak_size = 4000;

double peak(const Laboratory& laboratory) {
  return value(laboratory, condition(bandwidth_within, push_pull), peak_size);
}

/// Where Push-All's latency leaves Push-Pull's, which rises steadily: what both have in common (a page more
/// whose address is translated) is no knee.
Measurement knee_of_push_all(const Laboratory& laboratory) {
  std::vector<Sample> over;
  for (const Sample& all : curve(laboratory, trip_within, condition(trip_within, push_all)))
    over.push_back({all.size, all.value - value(laboratory, condition(trip_within, push_pull),
                                                static_cast<int>(all.size))});
  const auto jump = greatest_jump(over, 1);
  if (!jump) return found(false, "nowhere more than Push-Pull's");
  Measurement result = measured(jump->before);
  result.text = fmt::format("{:.1f} us more than Push-Pull's at {:g} B", jump->rise, jump->behind);
  return result;
}

}  // namespace

void add_within(Experiment& experiment) {
  auto& rows = experiment.rows;
  const Condition trip = condition(trip_within, push_pull),
                  bandwidth = condition(bandwidth_within, push_pull);
  rows.push_back({"R-03",
                  "single trip of 10 B within a node",
                  "7.5",
                  "us",
                  RowKind::statistical,
                  within_share(7.5, 0.03),
                  Standing::fitted,
                  {trip},
                  [trip](const Laboratory& laboratory) { return measured(value(laboratory, trip, 10)); }});
  rows.back().note = "the overhead within a host was chosen for it";
  rows.push_back({"R-04",
                  "bandwidth within a node, 4000 B",
                  "350.9",
                  "MB/s",
                  RowKind::statistical,
                  within_share(350.9, 0.05),
                  Standing::fitted,
                  {bandwidth},
                  [bandwidth](const Laboratory& laboratory) {
                    Measurement result = measured(peak(laboratory));
                    const auto all = curve(laboratory, bandwidth_within, bandwidth);
                    const auto best =
                        std::max_element(all.begin(), all.end(),
                                         [](const Sample& a, const Sample& b) { return a.value < b.value; });
                    result.text = fmt::format("the peak is {:.1f} MB/s, for {:g} B", best->value, best->size);
                    return result;
                  }});
  rows.back().note = "the rate of copies within the cache was chosen for it";
  rows.push_back(
      {"R-05",
       "its share of the bus's 533 MB/s",
       "66",
       "%",
       RowKind::deterministic,
       within(percent * 350.9 / bus_mb_per_s, 1),
       Standing::fitted,
       {bandwidth},
       [](const Laboratory& laboratory) { return measured(percent * peak(laboratory) / bus_mb_per_s); }});
  rows.back().note = "it is R-04 over the bus's rate";
  rows.push_back({"R-15",
                  "where Push-All's latency rises abruptly within a node",
                  "3000..4000",
                  "B",
                  RowKind::statistical,
                  between(2500, 4500),
                  Standing::judged,
                  {condition(trip_within, push_all), trip},
                  knee_of_push_all});
}

}  // namespace morgana::push_pull_paper
