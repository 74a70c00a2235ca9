#include "cli/machine/nccl_fit_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "emulator/core/quantity.h"
#include "emulator/report/readable.h"
#include "emulator/report/table.h"

namespace morgana::cli {
namespace {

std::string log_size(double bytes) {
  return to_text(Bytes(static_cast<std::int64_t>(bytes)));
}

std::string regime_text(const NcclFit::Regime& regime) {
  const std::string line =
      fmt::format("{:.4g} us + size / {:.4g} GB/s", regime.us, 1 / regime.us_per_byte / 1e3);
  return regime.to == 0 ? line + ", the shortest for no size of the log"
                        : fmt::format("{}, {} to {}", line, log_size(regime.from), log_size(regime.to));
}

}  // namespace

std::string fit_report(const NcclFit& fit, const NcclLog& log, const std::string& extended,
                       const std::vector<NcclResidual>& left) {
  std::string text = fmt::format("--- fit | {} (nccl-tests, all-reduce of {} GPUs) | extends {}\n",
                                 log.origin, log.ranks, extended);
  for (const NcclFit::Regime& regime : fit.regimes)
    text += fmt::format("{:<14}{}\n", nccl::name_of(regime.protocol), regime_text(regime));
  double sum = 0;
  for (const NcclResidual& one : left) sum += std::abs(one.relative());
  const auto worst =
      std::ranges::max_element(left, {}, [](const NcclResidual& one) { return std::abs(one.relative()); });
  text += fmt::format("residuals     within {:.1f} % in the mean, {:.1f} % at most (at {})\n",
                      100 * sum / static_cast<double>(left.size()), 100 * std::abs(worst->relative()),
                      log_size(worst->bytes));
  text += fmt::format("keys          fitted to the log (of trees the hops, as the rings'):\n\n{}\n",
                      fitted_keys(fit));
  TextTable table({"size (B)", "measured us", "fitted us", "residual", "carried out by"});
  for (const NcclResidual& one : left)
    table.add({fmt::format("{:.0f}", one.bytes), fmt::format("{:.2f}", one.measured_us),
               fmt::format("{:.2f}", one.fitted_us), readable_difference(one.relative()),
               one.carried_out_by});
  return text + table.text("  ");
}

}  // namespace morgana::cli
