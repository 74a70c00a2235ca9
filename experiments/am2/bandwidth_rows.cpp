#include "experiments/am2/rows.h"

// Section 5.2: two hosts, the bandwidth of medium messages.
namespace morgana::am2_paper {
namespace {

double rate(const Laboratory& laboratory, const Condition& condition) {
  return laboratory.mean(condition, "mb_per_s");
}

/// The paper's 23 MB/s for 8 KB are 356 us each; less the wire's and the firmware's, 37 us/KB are left.
const Condition& consistent() {
  static const Condition one = on_am2(stream(8192), {"interface.bus.rate=27.676 MB/s"});
  return one;
}

const Condition& streaming() {
  static const Condition one = on_am2(stream(4096));
  return one;
}

const Condition& gam_stream() {
  static const Condition one = on_gam(stream(4096));
  return one;
}

}  // namespace

void add_bandwidth(Experiment& experiment) {
  auto& rows = experiment.rows;
  const auto D = RowKind::deterministic;
  rows.push_back(row("V-09", "bandwidth, 4 KB, streaming DMA", "31", "MB/s", D, within_share(31, 0.03),
                     {streaming()},
                     [](const Laboratory& laboratory) { return measured(rate(laboratory, streaming())); }));
  rows.back().note = "the bus has myrinet-gam's rates, from another paper";
  rows.push_back(fitted(
      row("V-10", "bandwidth, 8 KB, consistent DMA", "23", "MB/s", RowKind::statistical,
          within_share(23, 0.05), {consistent()},
          [](const Laboratory& laboratory) { return measured(rate(laboratory, consistent())); }),
      "the paper gives no rate of consistent DMA; interface.bus.rate = 27.676 MB/s was chosen for it"));
  rows.push_back(row("V-11", "GAM: peak bandwidth, 4 KB", "38", "MB/s", D, within_share(38, 0.02),
                     {gam_stream()},
                     [](const Laboratory& laboratory) { return measured(rate(laboratory, gam_stream())); }));
  rows.push_back(contradicted(
      row("V-12", "bandwidth over GAM's", "77", "%", D, between(75, 85), {streaming(), gam_stream()},
          [](const Laboratory& laboratory) {
            constexpr double percent = 100;
            return measured(percent * rate(laboratory, streaming()) / rate(laboratory, gam_stream()));
          }),
      "31 of 38 MB/s are 81.6 %"));
}

}  // namespace morgana::am2_paper
