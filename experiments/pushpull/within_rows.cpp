#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <utility>
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

double trip_us(const Laboratory& laboratory, const Mechanism& mechanism, int bytes) {
  return value(laboratory, condition(trip_within, mechanism), bytes);
}

/// Of the sizes for which `counts`, those at which `holds` is not so.
std::pair<std::size_t, std::string> failing_sizes(const std::function<bool(int)>& counts,
                                                  const std::function<bool(int)>& holds) {
  std::size_t counted = 0;
  std::string failing;
  for (const int size : trip_within.sizes) {
    if (!counts(size)) continue;
    ++counted;
    if (!holds(size)) failing += fmt::format("{}{} B", failing.empty() ? "" : ", ", size);
  }
  return {counted, failing};
}

Measurement for_sizes(const std::function<bool(int)>& counts, const std::function<bool(int)>& holds) {
  const auto [counted, failing] = failing_sizes(counts, holds);
  return found(counted > 0 && failing.empty(), failing.empty() ? "as worded" : "not for " + failing);
}

/// "when the size of the message was below 16 bytes, Push-Pull and Push-All Messaging performed equally well
/// and both outperformed Push-Zero"
Measurement short_messages(const Laboratory& laboratory) {
  constexpr double equal = 0.01;
  return for_sizes([](int size) { return size > 0 && size < 16; },
                   [&](int size) {
                     const double pull = trip_us(laboratory, push_pull, size),
                                  all = trip_us(laboratory, push_all, size);
                     return std::abs(pull - all) <= equal * all &&
                            std::max(pull, all) < trip_us(laboratory, push_zero, size);
                   });
}

/// "Therefore both messaging mechanisms outperformed Push-All", of messages of more than 16 and up to 3000 B
Measurement middle_messages(const Laboratory& laboratory) {
  return for_sizes([](int size) { return size > 16 && size <= 3000; },
                   [&](int size) {
                     return std::max(trip_us(laboratory, push_pull, size),
                                     trip_us(laboratory, push_zero, size)) <
                            trip_us(laboratory, push_all, size);
                   });
}

/// "Push-All performed poorer than Push-Pull and Push-Zero for most of the message sizes"
Measurement most_messages(const Laboratory& laboratory) {
  std::size_t poorer = 0, all = 0;
  for (const int size : trip_within.sizes) {
    if (size == 0) continue;
    ++all;
    if (std::max(trip_us(laboratory, push_pull, size), trip_us(laboratory, push_zero, size)) <
        trip_us(laboratory, push_all, size))
      ++poorer;
  }
  return found(2 * poorer > all, fmt::format("for {} of {} sizes", poorer, all));
}

Row order_row(const char* id, const char* title, const char* words,
              Measurement (*measure)(const Laboratory&)) {
  Row row{id, title, "as worded", "", RowKind::shape, as_worded(words)};
  for (const Mechanism& one : {push_pull, push_zero, push_all})
    row.needs.push_back(condition(trip_within, one));
  row.measure = measure;
  row.standing = Standing::fitted;
  row.note = changed_for_it;
  return row;
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
  rows.push_back(order_row("R-17.short",
                           "within a node, below 16 B: Push-Pull and Push-All alike, Push-Zero slower",
                           "at every size, alike within 1 %", short_messages));
  rows.push_back(order_row("R-17.middle", "within a node, 17 to 3000 B: Push-All is slowest", "at every size",
                           middle_messages));
  rows.push_back(order_row("R-17.most", "within a node: Push-All is slowest",
                           "at more than half of the sizes", most_messages));
}

}  // namespace morgana::push_pull_paper
