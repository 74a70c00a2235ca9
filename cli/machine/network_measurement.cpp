#include "cli/machine/network_measurement.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "cli/common/recording.h"
#include "cli/common/temporary_folder.h"
#include "emulator/core/error.h"
#include "emulator/report/readable.h"
#include "emulator/report/table.h"
#include "pvmshim/launch/mpi/live_program.h"
#include "pvmshim/launch/process/installation.h"
#include "runs/runner.h"

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

const Residual* worst_of(const std::vector<Residual>& left, Residual::Kind kind) {
  const Residual* worst = nullptr;
  for (const Residual& one : left)
    if (one.kind == kind && (!worst || std::abs(one.relative()) > std::abs(worst->relative()))) worst = &one;
  return worst;
}

/// "latencies within 1.2 % in the mean, 5.3 % at most (at 256 bytes)"; empty: there are none
std::string nearness_of(const std::vector<Residual>& left, Residual::Kind kind, const char* name) {
  const Residual* worst = worst_of(left, kind);
  if (!worst) return {};
  double sum = 0, count = 0;
  for (const Residual& one : left) {
    if (one.kind != kind) continue;
    sum += std::abs(one.relative());
    ++count;
  }
  return fmt::format("{} within {:.1f} % in the mean, {:.1f} % at most (at {:.0f} byte{})", name,
                     100 * sum / count, 100 * std::abs(worst->relative()), worst->bytes,
                     worst->bytes == 1 ? "" : "s");
}

bool far_off(const Residual& one) {
  constexpr double far = 0.2;
  return std::abs(one.relative()) > far;
}

/// Of many sizes the powers of two, and where the fit is worst.
std::string table_of(const std::vector<Residual>& left, Residual::Kind kind) {
  const Residual* worst = worst_of(left, kind);
  if (!worst) return {};
  const bool rates = kind == Residual::Kind::stream;
  TextTable table(rates ? std::vector<std::string>{"bytes", "measured MB/s", "fitted MB/s", "residual"}
                        : std::vector<std::string>{"bytes", "measured us", "fitted us", "residual"});
  for (const Residual& one : left) {
    if (one.kind != kind) continue;
    if (&one != worst && std::exp2(std::round(std::log2(one.bytes))) != one.bytes) continue;
    const double measured = rates ? one.bytes / one.measured_us : one.measured_us,
                 fitted = rates ? one.bytes / one.fitted_us : one.fitted_us;
    table.add({fmt::format("{:.0f}", one.bytes), fmt::format("{:.3f}", measured),
               fmt::format("{:.3f}", fitted), readable_difference(fitted / measured - 1)});
  }
  return table.text("  ");
}

/// Of several looks the one that sees fewest: programs that run for an instant do not count.
std::size_t others_computing() {
  constexpr int looks = 5;
  std::size_t fewest = other_programs_running();
  for (int look = 1; look < looks && fewest > 0; ++look) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    fewest = std::min(fewest, other_programs_running());
  }
  return fewest;
}

}  // namespace

MeasuredTimes measure_network(bool although_busy) {
  // The system counts the programs of all processors, also of those that this process may not use.
  const auto online = static_cast<std::size_t>(std::max(sysconf(_SC_NPROCESSORS_ONLN), 1L));
  if (const std::string busy = busy_text(others_computing(), std::max(processors_here(), online));
      !busy.empty() && !although_busy)
    throw Error(fmt::format(
        "this machine's messages can't be measured now, as {} and times would be theirs: wait until "
        "they have ended, give a table that was measured before, or add --although-busy",
        busy));
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
  std::string text = nearness_of(left, Residual::Kind::latency, "latencies");
  const std::string streams = nearness_of(left, Residual::Kind::stream, "bandwidths");
  if (!streams.empty()) text += "; " + streams;
  return text;
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
  if (fit.eager_limit)
    text += fmt::format("rendezvous    {} each side, control messages of {}\n", time(fit.rendezvous_overhead),
                        size(fit.control));
  text += fmt::format("residuals     {}\n", nearness(left));
  for (const std::string& sentence : fit.open) text += fmt::format("note          {}\n", sentence);
  if (std::any_of(left.begin(), left.end(), [](const Residual& one) { return far_off(one); }))
    text +=
        "note          residuals beyond 20 %: this network does what a model of few parameters lacks; expect "
        "such errors of messages of these sizes\n";
  text += table_of(left, Residual::Kind::latency);
  return text + table_of(left, Residual::Kind::stream);
}

}  // namespace morgana::cli
