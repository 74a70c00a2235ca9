#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "experiments/pushpull/rows.h"

// The late receiver (section 3.2.2, figure 8).
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

/// Push-All is best up to where its buffer overflows, and worst at 3072 B. Of longer messages the paper gives
/// no value: their last packet may find the receive posted, and then nothing overflows.
Measurement ordering(const Laboratory& laboratory) {
  constexpr double tolerance = 1.01;
  const auto others = [&laboratory](int size) {
    const double pull = us(laboratory, push_pull, size), zero = us(laboratory, push_zero, size);
    return std::pair{std::min(pull, zero), std::max(pull, zero)};
  };
  std::string worse;
  for (const int size : late.sizes) {
    const double all = us(laboratory, push_all, size);
    if (size < long_message && all < timed_out_us && all > tolerance * others(size).first)
      worse += fmt::format("{}{} B", worse.empty() ? "" : ", ", size);
  }
  if (!worse.empty()) return found(false, "Push-All is not best at " + worse);
  if (us(laboratory, push_all, long_message) < others(long_message).second)
    return found(false, "Push-All is not worst at 3072 B");
  std::string escaped;
  for (const int size : late.sizes)
    if (size > long_message && us(laboratory, push_all, size) < timed_out_us)
      escaped += fmt::format("{}{} B", escaped.empty() ? "" : ", ", size);
  return found(true, escaped.empty() ? "as worded" : "as worded; it does not overflow with " + escaped);
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
      between(40, 130), {push_pull, push_zero}, [](const Laboratory& laboratory) {
        return measured(us(laboratory, push_zero, long_message) - us(laboratory, push_pull, long_message));
      }));
  rows.push_back(late_row("R-11", "the same: Push-All, whose pushed buffer overflows", "about 150,000", "us",
                          RowKind::statistical, between(100'000, 200'000), {push_all}, taken(push_all)));
  rows.back().standing = Standing::fitted;
  rows.back().note = "the timeout of go-back-n was chosen for it";
  rows.push_back(late_row("R-12", "late receiver: the first message for which Push-All's buffer overflows",
                          "around 3000", "B", RowKind::deterministic, between(2900, 3100), {push_all},
                          cliff));
  rows.push_back(late_row("R-13", "late receiver: Push-All is best below 3072 B, then worst", "as worded", "",
                          RowKind::shape, as_worded("ordering"), {push_pull, push_zero, push_all}, ordering));
  rows.push_back(late_row("R-14", "late receiver: from where on Push-Pull waits for the network",
                          "around 800", "B", RowKind::deterministic, between(700, 900), {push_pull, push_all},
                          extra_latency));
}

}  // namespace morgana::push_pull_paper
