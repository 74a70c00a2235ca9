#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

#include "experiments/pushpull/rows.h"

// Early and late receivers (section 3.2.2, figure 8).
namespace morgana::push_pull_paper {
namespace {

constexpr int long_message = 3072;
/// Far more than any message takes without a timeout.
constexpr double timed_out_us = 10'000;

double us(const Laboratory& laboratory, const Mechanism& mechanism, int bytes) {
  return value(laboratory, condition(late, mechanism), bytes);
}

Measurement cliff(const Laboratory& laboratory) {
  for (const int size : late.sizes)
    if (const double taken = us(laboratory, push_all, size); taken > timed_out_us) {
      Measurement result = measured(size);
      result.text = fmt::format("the first message with more than 10 ms: {:.1f} ms", taken / 1000);
      return result;
    }
  return found(false, "there is none up to 4000 B");
}

/// Of a claim about messages of a test: whether it holds for all that are not empty, and for which it does
/// not.
Measurement for_all_sizes(const Test& test, const std::function<bool(int)>& holds) {
  std::string failing;
  for (const int size : test.sizes)
    if (size > 0 && !holds(size)) failing += fmt::format("{}{} B", failing.empty() ? "" : ", ", size);
  return failing.empty() ? found(true, "as worded") : found(false, "not for " + failing);
}

/// Within 1 %, Push-All is best below 3072 B where its buffer does not overflow.
Measurement best_below(const Laboratory& laboratory) {
  constexpr double tolerance = 1.01;
  return for_all_sizes(late, [&](int size) {
    const double all = us(laboratory, push_all, size);
    return size >= long_message || all >= timed_out_us ||
           all <= tolerance * std::min(us(laboratory, push_pull, size), us(laboratory, push_zero, size));
  });
}

/// "it still could not outperform others"
Measurement worst_beyond(const Laboratory& laboratory) {
  return for_all_sizes(late, [&](int size) {
    return size < long_message || us(laboratory, push_all, size) >= std::max(us(laboratory, push_pull, size),
                                                                             us(laboratory, push_zero, size));
  });
}

/// "Push-Pull always outperformed Push-Zero"
Measurement pulls_less(const Laboratory& laboratory) {
  return for_all_sizes(
      late, [&](int size) { return us(laboratory, push_pull, size) < us(laboratory, push_zero, size); });
}

double early_us(const Laboratory& laboratory, const Mechanism& mechanism, int bytes) {
  return value(laboratory, condition(early, mechanism), bytes);
}

/// "Push-Pull and Push-All always outperformed Push-Zero"
Measurement zero_is_slowest(const Laboratory& laboratory) {
  return for_all_sizes(early, [&](int size) {
    return std::max(early_us(laboratory, push_pull, size), early_us(laboratory, push_all, size)) <
           early_us(laboratory, push_zero, size);
  });
}

/// "Push-Pull outperformed Push-All in most cases"
Measurement pull_is_mostly_faster(const Laboratory& laboratory) {
  std::size_t faster = 0, all = 0;
  double most = 0;
  for (const int size : early.sizes) {
    if (size == 0) continue;
    ++all;
    const double ahead = early_us(laboratory, push_all, size) - early_us(laboratory, push_pull, size);
    if (ahead > 0) ++faster;
    most = std::max(most, ahead);
  }
  return found(2 * faster > all, fmt::format("for {} of {} sizes, by at most {:.1f} us", faster, all, most));
}

/// By how much Push-Pull takes longer than Push-All, which pulls nothing.
Measurement extra_latency(const Laboratory& laboratory) {
  std::vector<Sample> extra;
  for (const int size : late.sizes) {
    const double all = us(laboratory, push_all, size);
    if (all < timed_out_us)
      extra.push_back({static_cast<double>(size), us(laboratory, push_pull, size) - all});
  }
  const auto jump = greatest_jump(extra, 1);
  if (!jump) return found(false, "no size from which on there is one");
  Measurement result = measured(jump->before);
  result.text = fmt::format("{:.1f} us more at {:g} B", jump->rise, jump->behind);
  return result;
}

Row late_row(const char* id, const char* title, const char* paper, const char* unit, RowKind kind, Rule rule,
             const std::vector<Mechanism>& mechanisms,
             std::function<Measurement(const Laboratory&)> measure) {
  Row row{id, title, paper, unit, kind, std::move(rule)};
  for (const Mechanism& one : mechanisms) row.needs.push_back(condition(late, one));
  row.measure = std::move(measure);
  return row;
}

Row early_row(const char* id, const char* title, const char* words,
              std::function<Measurement(const Laboratory&)> measure) {
  Row row{id, title, "as worded", "", RowKind::shape, as_worded(words)};
  for (const Mechanism& one : {push_pull, push_zero, push_all}) row.needs.push_back(condition(early, one));
  row.measure = std::move(measure);
  return row;
}

}  // namespace

void add_receivers(Experiment& experiment) {
  auto& rows = experiment.rows;
  const auto taken = [](const Mechanism& mechanism) {
    return [&mechanism](const Laboratory& laboratory) {
      return measured(us(laboratory, mechanism, long_message));
    };
  };
  rows.push_back(late_row("R-10.push-pull", "late receiver, 3072 B: Push-Pull", "1227.42", "us",
                          RowKind::statistical, within_share(1227.42, 0.05), {push_pull}, taken(push_pull)));
  rows.push_back(late_row("R-10.push-zero", "the same: Push-Zero", "1303.58", "us", RowKind::statistical,
                          within_share(1303.58, 0.05), {push_zero}, taken(push_zero)));
  rows.push_back(late_row(
      "R-10.difference", "by how much Push-Zero takes longer", "76.16", "us", RowKind::statistical,
      within_share(76.16, 0.15), {push_pull, push_zero}, [](const Laboratory& laboratory) {
        return measured(us(laboratory, push_zero, long_message) - us(laboratory, push_pull, long_message));
      }));
  rows.push_back(late_row("R-11", "the same: Push-All, whose pushed buffer overflows", "about 150,000", "us",
                          RowKind::statistical, between(100'000, 200'000), {push_all}, taken(push_all)));
  rows.back().standing = Standing::fitted;
  rows.back().note = "the timeout of go-back-n was chosen for it";
  rows.push_back(late_row("R-12", "late receiver: the first message for which Push-All's buffer overflows",
                          "around 3000", "B", RowKind::deterministic, between(2900, 3100), {push_all},
                          cliff));
  rows.push_back(late_row("R-13.below", "late receiver: Push-All is best below 3072 B, up to its overflow",
                          "as worded", "", RowKind::shape, as_worded("at every size, within 1 %"),
                          {push_pull, push_zero, push_all}, best_below));
  rows.push_back(late_row("R-13.beyond", "late receiver: Push-All is worst from 3072 B on", "as worded", "",
                          RowKind::shape, as_worded("at every size"), {push_pull, push_zero, push_all},
                          worst_beyond));
  rows.push_back(late_row("R-13.pull", "late receiver: Push-Pull is faster than Push-Zero", "always", "",
                          RowKind::shape, as_worded("at every size"), {push_pull, push_zero}, pulls_less));
  rows.push_back(late_row("R-14", "late receiver: from where on Push-Pull waits for the network",
                          "around 800", "B", RowKind::deterministic, between(700, 900), {push_pull, push_all},
                          extra_latency));
  rows.push_back(early_row("R-16.zero", "early receiver: Push-Pull and Push-All are faster than Push-Zero",
                           "at every size", zero_is_slowest));
  rows.push_back(early_row("R-16.pull", "early receiver: Push-Pull is faster than Push-All",
                           "at more than half of the sizes", pull_is_mostly_faster));
  rows.back().standing = Standing::fitted;
  rows.back().note = changed_for_it;
}

}  // namespace morgana::push_pull_paper
