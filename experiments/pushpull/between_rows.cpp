#include <fmt/format.h>

#include <algorithm>

#include "experiments/pushpull/rows.h"

// Between nodes: latency, bandwidth, and the optimisations of figure 6 (section 3.2.1 and the conclusion).
namespace morgana::push_pull_paper {
namespace {

constexpr int shortest = 4;

Row row(const char* id, const char* title, const char* paper, const char* unit, RowKind kind, Rule rule,
        std::vector<Condition> needs, std::function<Measurement(const Laboratory&)> measure) {
  Row one{id, title, paper, unit, kind, std::move(rule)};
  one.needs = std::move(needs);
  one.measure = std::move(measure);
  return one;
}

std::vector<Condition> variants() {
  std::vector<Condition> all;
  for (const Optimisation& one : optimisations)
    all.push_back(condition(trip_between, push_pull, one.overrides));
  return all;
}

/// How far the variants are apart, by size.
std::vector<Sample> spread(const Laboratory& laboratory) {
  std::vector<Sample> samples;
  for (const int size : trip_between.sizes) {
    if (size > longest_of_curves) break;
    double least = 0, most = 0;
    for (const Condition& variant : variants()) {
      const double us = value(laboratory, variant, size);
      least = least == 0 ? us : std::min(least, us);
      most = std::max(most, us);
    }
    samples.push_back({static_cast<double>(size), most - least});
  }
  return samples;
}

Measurement knee(const Laboratory& laboratory) {
  const std::vector<Sample> apart = spread(laboratory);
  const auto jump = greatest_jump(apart, 1);
  if (!jump) return found(false, "no size from which on the variants diverge");
  Measurement result = measured(jump->before);
  double below = 0;
  for (const Sample& one : apart)
    if (one.size <= jump->before) below = std::max(below, one.value);
  result.text = fmt::format("up to there at most {:.1f} us apart, from {:g} B on {:.1f} us more", below,
                            jump->behind, jump->rise);
  return result;
}

/// "Before 760 bytes, all four messaging mechanisms behaved the same"
Measurement apart_below_knee(const Laboratory& laboratory) {
  double most = 0;
  for (const Sample& one : spread(laboratory))
    if (one.size <= first_push + second_push) most = std::max(most, one.value);
  return measured(most);
}

Measurement saved_by_masking(const Laboratory& laboratory) {
  const auto saved = [&](int size) {
    return value(laboratory, condition(trip_between, push_pull, optimisations[1].overrides), size) -
           value(laboratory, condition(trip_between, push_pull), size);
  };
  // The paper does not say which messages are long, and the saving grows with the pages.
  Measurement result = measured(saved(12288));
  result.text = fmt::format("of 12 KiB; {:.1f} us of 1000 B, {:.1f} us of 4000 B, {:.1f} us of 8 KiB",
                            saved(1000), saved(4000), saved(8192));
  return result;
}

/// "Before 760 bytes ... the same. After 760 bytes ... both techniques showed significant improvement ...
/// Push-and-Acknowledge Overlapping showed larger improvement ... the full optimization showed the most
/// promising solution"
Measurement order_of_optimisations(const Laboratory& laboratory) {
  std::string failing;
  for (const int size : trip_between.sizes) {
    if (size <= first_push + second_push || size > longest_of_curves) continue;
    const auto us = [&](std::size_t optimisation) {
      return value(laboratory, condition(trip_between, push_pull, optimisations[optimisation].overrides),
                   size);
    };
    const double full = us(0), overlapping = us(1), masking = us(2), none = us(3);
    if (full < overlapping && overlapping < masking && masking < none) continue;
    failing += fmt::format("{}{} B", failing.empty() ? "" : ", ", size);
  }
  return failing.empty() ? found(true, "as worded") : found(false, "not for " + failing);
}

}  // namespace

void add_between(Experiment& experiment) {
  auto& rows = experiment.rows;
  rows.push_back(row("R-01", "single trip of the shortest message between nodes", "34.9", "us",
                     RowKind::statistical, within_share(34.9, 0.03), {condition(trip_between, push_pull)},
                     [](const Laboratory& laboratory) {
                       return measured(value(laboratory, condition(trip_between, push_pull), shortest));
                     }));
  rows.back().standing = Standing::fitted;
  rows.back().note = "the costs of interrupt, handler and launch were chosen for it";
  rows.push_back(row("R-02", "bandwidth of long messages between nodes (1 MiB)", "12.1", "MB/s",
                     RowKind::deterministic, between(11.9, 12.2), {condition(bandwidth_between, push_pull)},
                     [](const Laboratory& laboratory) {
                       return measured(value(laboratory, condition(bandwidth_between, push_pull), 1048576));
                     }));
  rows.push_back(row("R-08", "the largest message for which all optimisations take the same", "760", "B",
                     RowKind::deterministic, within(760, 0), variants(), knee));
  rows.push_back(row("R-08.same", "how far they are apart up to 760 B", "the same", "us",
                     RowKind::deterministic, at_most(0.1), variants(), apart_below_knee));
  rows.back().standing = Standing::fitted;
  rows.back().note = changed_for_it;
  rows.push_back(row(
      "R-09", "what masking the translation of addresses saves, long messages", "12..13", "us",
      RowKind::statistical, between(10, 15),
      {condition(trip_between, push_pull), condition(trip_between, push_pull, optimisations[1].overrides)},
      saved_by_masking));
  rows.back().standing = Standing::fitted;
  rows.back().note = "the cost of a translation was chosen for it, taking three pages as a long message";
  rows.push_back(row("R-18", "beyond 760 B: both optimisations < overlapping < masking < none", "as worded",
                     "", RowKind::shape, as_worded("at every size"), variants(), order_of_optimisations));
}

}  // namespace morgana::push_pull_paper
