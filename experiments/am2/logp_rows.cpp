#include <fmt/format.h>

#include <cmath>

#include "experiments/am2/rows.h"

// Figure 5 and section 5.1: LogP's parameters, measured as in the literature: the gap is what a request with
// its reply takes while as many are under way as may be.
namespace morgana::am2_paper {
namespace {

double trip(const Laboratory& laboratory, const Condition& condition) {
  return laboratory.mean(condition, "us");
}

const Condition& there_and_back() {
  static const Condition one = on_am2(ping());
  return one;
}

const Condition& gam_there_and_back() {
  static const Condition one = on_gam_by_words(ping());
  return one;
}

const Condition& saturated() {
  static const Condition one = on_am2(requests(1, unlimited));
  return one;
}

const Condition& gam_saturated() {
  static const Condition one = on_gam_by_words(requests(1, unlimited));
  return one;
}

double measured_gap(const Laboratory& laboratory) {
  constexpr double us_per_s = 1e6;
  return us_per_s / laboratory.mean(saturated(), "rate");
}

double measured_latency(const Laboratory& laboratory) {
  return trip(laboratory, there_and_back()) / 2 - sending - receiving;
}

int power_of_two_from(double least) {
  int power = 1;
  while (power < least) power *= 2;
  return power;
}

}  // namespace

void add_logp(Experiment& experiment) {
  auto& rows = experiment.rows;
  const auto D = RowKind::deterministic;
  const char* const cycles = "the cycles of the firmware's handlers were chosen for it";
  rows.push_back(
      fitted(row("V-01", "round trip of 4 words", "41.94", "us", D, within_share(round_trip, 0.01),
                 {there_and_back()},
                 [](const Laboratory& laboratory) { return measured(trip(laboratory, there_and_back())); }),
             cycles));
  rows.push_back(fitted(
      row("V-02", "gap: a request and its reply in a long burst", "15.98", "us", D, within_share(gap, 0.01),
          {saturated()}, [](const Laboratory& laboratory) { return measured(measured_gap(laboratory)); }),
      cycles));
  rows.push_back(
      fitted(row("V-03", "L: half a round trip less the hosts' overheads", "12.60", "us", D,
                 within_share(latency, 0.01), {there_and_back()},
                 [](const Laboratory& laboratory) { return measured(measured_latency(laboratory)); }),
             cycles));
  rows.push_back(contradicted(
      row("V-05", "GAM: round trip of 4 words", "21.00", "us", D, between(20.5, 23), {gam_there_and_back()},
          [](const Laboratory& laboratory) { return measured(trip(laboratory, gam_there_and_back())); }),
      "the paper's o_s, o_r and L of GAM make 22.80 us"));
  rows.push_back(
      fitted(row("V-06", "messages of 4 words in a long burst", "62578", "1/s", D, within_share(peak, 0.005),
                 {saturated()},
                 [](const Laboratory& laboratory) { return measured(laboratory.mean(saturated(), "rate")); }),
             "the inverse of V-02"));
  rows.push_back(row("V-07", "round trip over GAM's", "2", "", D, between(1.8, 2.1),
                     {there_and_back(), gam_there_and_back()}, [](const Laboratory& laboratory) {
                       return measured(trip(laboratory, there_and_back()) /
                                       trip(laboratory, gam_there_and_back()));
                     }));
  rows.back().note =
      "GAM's round trip is that of V-05: o_s and o_r as published, the interfaces' events as the paper on "
      "pipelines has them for bulk data; nothing was chosen for four words";
  rows.push_back(row("V-08", "the firmware limits the rate: gap above o_s + o_r", "15.98 > 8.37", "", D,
                     as_worded("gap > o_s + o_r"), {saturated()}, [](const Laboratory& laboratory) {
                       const double found_gap = measured_gap(laboratory);
                       return found(found_gap > sending + receiving,
                                    fmt::format("{:.2f} > {:.2f}", found_gap, sending + receiving));
                     }));
  rows.back().standing = Standing::fitted;
  rows.back().note = "both sides were chosen";
  rows.push_back(row(
      "V-08.gam", "the hosts limit GAM's rate: its gap is o_s + o_r", "5.80 ~ 5.90", "us", D,
      within_share(gam_sending + gam_receiving, 0.05), {gam_saturated()},
      [](const Laboratory& laboratory) { return measured(1e6 / laboratory.mean(gam_saturated(), "rate")); }));
  rows.back().note = "measured as V-02: a request and its reply in a long burst";
  rows.push_back(row("V-27", "requests under way that fill the gap, rounded up to a power of two", "4", "", D,
                     within(credits, 0), {there_and_back(), saturated()}, [](const Laboratory& laboratory) {
                       const double ratio = trip(laboratory, there_and_back()) / measured_gap(laboratory);
                       Measurement result = measured(power_of_two_from(std::ceil(ratio)));
                       result.text = fmt::format("round trip / gap is {:.2f}", ratio);
                       return result;
                     }));
  rows.back().standing = Standing::fitted;
  rows.back().note = "it follows from V-01 and V-02";
}

}  // namespace morgana::am2_paper
