#include "cli/machine/network_measurement.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "cli/common/temporary_folder.h"
#include "emulator/core/error.h"
#include "emulator/report/readable.h"
#include "emulator/report/table.h"
#include "pvmshim/launch/mpi/live_program.h"
#include "pvmshim/launch/process/installation.h"

namespace morgana::cli {
namespace {

namespace fs = std::filesystem;

std::string time(double us) {
  return us == 0 ? "0 s" : readable_seconds(us * 1e-6);
}

std::string cost(double us_per_byte) {
  return fmt::format("{:.4g} ns/B", us_per_byte * 1e3);
}

std::string size(double bytes) {
  return fmt::format("{:.0f} B", bytes);
}

/// Of many sizes the powers of two, and where the fit is worst.
bool is_shown(const Residual& one, const Residual& worst) {
  return one.bytes == worst.bytes || std::exp2(std::round(std::log2(one.bytes))) == one.bytes;
}

const Residual& worst_of(const std::vector<Residual>& left) {
  return *std::max_element(left.begin(), left.end(), [](const Residual& a, const Residual& b) {
    return std::abs(a.relative()) < std::abs(b.relative());
  });
}

}  // namespace

MeasuredTimes measure_network() {
  const fs::path program = own_programs() / "network.measure";
  if (!fs::exists(program))
    throw Error(fmt::format("{} is missing: `ninja -C build kernels` makes it", program.string()));
  const TemporaryFolder folder;
  const std::string table = (folder.path() / "table.txt").string();
  LaunchOptions launch;
  launch.command = {program.string(), table};
  launch.ranks = 2;
  if (const int code = run_native(launch); code != 0)
    throw Error(fmt::format("network.measure ended with exit code {}: does `mpiexec.mpich -n 2 {}` run?",
                            code, program.string()));
  MeasuredTimes times;
  add_measured_times(times, table);
  times.origins = {"this machine's MPI (network.measure)"};
  return times;
}

std::string nearness(const std::vector<Residual>& left) {
  double sum = 0;
  for (const Residual& one : left) sum += std::abs(one.relative());
  const Residual& worst = worst_of(left);
  return fmt::format("latencies within {:.1f} % in the mean, {:.1f} % at most (at {:.0f} byte{})",
                     100 * sum / static_cast<double>(left.size()), 100 * std::abs(worst.relative()),
                     worst.bytes, worst.bytes == 1 ? "" : "s");
}

std::string fit_report(const NetworkFit& fit, const MeasuredTimes& times, const std::vector<Residual>& left) {
  std::string text = fmt::format("--- fit | {}\n", fmt::join(times.origins, ", "));
  text +=
      fmt::format("overheads     send {}, receive {}\n", time(fit.send_overhead), time(fit.receive_overhead));
  text +=
      fmt::format("copies        send {}, receive {}\n", cost(fit.send_per_byte), cost(fit.receive_per_byte));
  text += fmt::format("latency       {}", time(fit.latency));
  if (fit.latency_bytes > 0)
    text += fmt::format(", and {} for the first {}", cost(fit.latency_per_byte), size(fit.latency_bytes));
  text += fmt::format("\ngaps          {} a message, {} a byte\n", time(fit.gap), cost(fit.gap_per_byte));
  text += fmt::format("eager limit   {}\n", fit.eager_limit ? size(*fit.eager_limit) : "none found");
  text += fmt::format("residuals     {}\n", nearness(left));
  for (const std::string& sentence : fit.open) text += fmt::format("note          {}\n", sentence);
  Table table({"bytes", "measured us", "fitted us", "residual"});
  const Residual& worst = worst_of(left);
  for (const Residual& one : left)
    if (is_shown(one, worst))
      table.add({fmt::format("{:.0f}", one.bytes), fmt::format("{:.3f}", one.measured_us),
                 fmt::format("{:.3f}", one.fitted_us), readable_difference(one.relative())});
  return text + table.text("  ");
}

}  // namespace morgana::cli
