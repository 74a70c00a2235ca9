#include "runs/fit/nccl_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <span>

#include "emulator/core/error.h"
#include "emulator/core/quantity.h"
#include "runs/collective_time.h"
#include "runs/nccl_group.h"

namespace morgana {
namespace {

constexpr std::size_t least_of_a_regime = 3;
/// Of two protocols, by how much starts and slopes differ at least: less is noise of the measurement.
constexpr double distinct = 1.1;

struct TimeLine {
  double us = 0, us_per_byte = 0;
  double at(double bytes) const { return us + us_per_byte * bytes; }
};

/// Least squares of relative errors. Nothing for a line that falls, or begins below 0.
std::optional<TimeLine> line_through(std::span<const MeasuredTime> times) {
  double w = 0, wx = 0, wxx = 0, wt = 0, wxt = 0;
  for (const MeasuredTime& one : times) {
    const double weight = 1 / one.us, x = one.bytes * weight;
    w += weight * weight;
    wx += weight * x;
    wxx += x * x;
    wt += weight;
    wxt += x;
  }
  const double determinant = w * wxx - wx * wx;
  if (!(determinant > 0)) return std::nullopt;
  const TimeLine line{(wxx * wt - wx * wxt) / determinant, (w * wxt - wx * wt) / determinant};
  if (!(line.us > 0) || !(line.us_per_byte > 0)) return std::nullopt;
  return line;
}

bool are_two_protocols(const TimeLine& one, const TimeLine& next) {
  return next.us > distinct * one.us && one.us_per_byte > distinct * next.us_per_byte;
}

using ThreeLines = std::array<TimeLine, nccl::protocols>;

double lowest_at(const ThreeLines& lines, double bytes) {
  return std::min({lines[0].at(bytes), lines[1].at(bytes), lines[2].at(bytes)});
}

double sum_of_squares(const ThreeLines& lines, std::span<const MeasuredTime> times) {
  double sum = 0;
  for (const MeasuredTime& one : times) {
    const double error = lowest_at(lines, one.bytes) / one.us - 1;
    sum += error * error;
  }
  return sum;
}

struct Division {
  ThreeLines lines;
  double error = 0;
};

std::optional<Division> best_division(std::span<const MeasuredTime> times) {
  std::optional<Division> best;
  const std::size_t n = times.size();
  for (std::size_t i = least_of_a_regime; i + 2 * least_of_a_regime <= n; ++i) {
    const auto first = line_through(times.first(i));
    if (!first) continue;
    for (std::size_t j = i + least_of_a_regime; j + least_of_a_regime <= n; ++j) {
      const auto second = line_through(times.subspan(i, j - i)), third = line_through(times.subspan(j));
      if (!second || !third || !are_two_protocols(*first, *second) || !are_two_protocols(*second, *third))
        continue;
      const ThreeLines lines{*first, *second, *third};
      const double error = sum_of_squares(lines, times);
      if (!best || error < best->error) best = Division{lines, error};
    }
  }
  return best;
}

double wire_of(nccl::Protocol protocol) {
  constexpr std::int64_t many = 15 << 20;
  return static_cast<double>(nccl::on_wire(protocol, Bytes(many)).count()) / many;
}

std::string time_key(double us) {
  return to_text(SimTime::from_ps(std::llround(us * 1e6)));
}

std::string cost_key(double us_per_byte) {
  return to_text(ByteCost::from_fs(std::llround(us_per_byte * 1e9)));
}

/// In a TOML string between quotes.
std::string quoted_text(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  }
  return result + '"';
}

}  // namespace

NcclFit fit_nccl(const NcclLog& log, const Platform& platform) {
  const NcclGroup group(platform, log.ranks, Placement(), 1);
  if (group.layout().nodes() > 1)
    throw Error(
        fmt::format("{}: {} GPUs are more than a node of {} has ({}): extend a platform with such "
                    "nodes (--platform)",
                    log.origin, log.ranks, platform.name(), group.layout().per_node));
  const nccl::Parameters& own = group.parameters();
  if (!why_not(nccl::Algorithm::nvls, MeasuredCollective::all_reduce, group.layout(), own))
    throw Error(
        fmt::format("{}: on {} NCCL adds up in the NVLink switches (nccl.nvls), and what that takes is no "
                    "line of a ring's: measure with NCCL_NVLS_ENABLE=0, and extend a platform of your own "
                    "with extends = \"{}\" and nvls = \"no\" under [nccl] (--platform FILE)",
                    log.origin, platform.name(), platform.name()));
  const std::optional<Division> best = best_division(log.times);
  if (!best)
    throw Error(
        fmt::format("{}: its times lie on no three lines over size, each steeper and with a shorter "
                    "start than the next one's (LL, LL128, Simple): measure from 8 B to 8 GiB, and let "
                    "NCCL choose the protocol",
                    log.origin));
  NcclFit fit;
  const auto n = static_cast<double>(log.ranks);
  const double steps = 2 * (n - 1), share = steps / n, latency = group.rates().scale_up_latency * 1e6;
  fit.bytes_per_us = share / best->lines.back().us_per_byte;
  const nccl::Parameters defaults;
  for (std::size_t i = 0; i < fit.regimes.size(); ++i) {
    NcclFit::Regime& regime = fit.regimes[i];
    regime.protocol = static_cast<nccl::Protocol>(i);
    regime.us = best->lines[i].us;
    regime.us_per_byte = best->lines[i].us_per_byte;
    regime.start_us = defaults.costs_of(nccl::Algorithm::ring, regime.protocol).start.seconds() * 1e6;
    regime.hop_us = (regime.us - regime.start_us) / steps - latency;
    if (regime.hop_us < 0) {  // even without work at hops the start is shorter than NCCL's
      regime.hop_us = 0;
      regime.start_us = std::max(0.0, regime.us - steps * latency);
    }
    regime.per_byte_us =
        std::max(0.0, regime.us_per_byte / share - wire_of(regime.protocol) / fit.bytes_per_us);
    for (const MeasuredTime& one : log.times) {
      if (best->lines[i].at(one.bytes) > lowest_at(best->lines, one.bytes)) continue;
      if (regime.to == 0) regime.from = one.bytes;
      regime.to = one.bytes;
    }
  }
  return fit;
}

/// A Tb/s a thousand times: more than any network has.
constexpr double most_megabits = 1e9;

std::string fitted_keys(const NcclFit& fit) {
  std::string text = "[nccl]\nlaunch = \"0 s\"\nreduce-per-byte = \"0 ns/B\"\nslices = \"1 slice\"\n";
  for (const NcclFit::Regime& regime : fit.regimes) {
    const std::string name(nccl::name_of(regime.protocol));
    text += fmt::format("ring-{}-start = \"{}\"\n", name, time_key(regime.start_us));
    text += fmt::format("ring-{}-hop = \"{}\"\n", name, time_key(regime.hop_us));
    text += fmt::format("ring-{}-per-byte = \"{}\"\n", name, cost_key(regime.per_byte_us));
    text += fmt::format("tree-{}-hop = \"{}\"\n", name, time_key(regime.hop_us));
  }
  text +=
      fmt::format("\n[network]\nrate = \"{}\"\n",
                  to_text(BitRate(std::llround(std::min(fit.bytes_per_us * 8, most_megabits)) * 1'000'000)));
  return text;
}

std::string platform_text(const NcclFit& fit, const NcclLog& log, const std::string& extended,
                          const std::string& description) {
  const std::string origin = fmt::format("fitted to {} (nccl-tests)", log.origin);
  std::string text = fmt::format("# Made by `morgana fit`.\nextends = {}\ndescription = {}\n\n{}\n[source]\n",
                                 quoted_text(extended), quoted_text(description), fitted_keys(fit));
  for (const NcclFit::Regime& regime : fit.regimes) {
    const std::string name(nccl::name_of(regime.protocol));
    text += fmt::format(
        "\"nccl.ring-{}-start\" = \"NCCL 2.30.7, src/graph/tuning.cc; less where the log is "
        "faster\"\n",
        name);
    for (const char* key : {"hop", "per-byte"})
      text += fmt::format("\"nccl.ring-{}-{}\" = {}\n", name, key, quoted_text(origin));
    text += fmt::format("\"nccl.tree-{}-hop\" = \"as the ring's\"\n", name);
  }
  text += "\"nccl.launch\" = \"chosen: in the hops\"\n\"nccl.reduce-per-byte\" = \"chosen: in per-byte\"\n";
  text += "\"nccl.slices\" = \"chosen: lines over size show none that overlap\"\n";
  return text + fmt::format("\"network.rate\" = {}\n", quoted_text(origin));
}

void refuse_misfit(const NcclFit& fit, const NcclLog& log, const std::string& extended,
                   std::span<const NcclResidual> left) {
  constexpr double most_besides = 0.1;
  double of_lines = 0, of_platform = 0;
  const NcclResidual* worst = nullptr;
  const auto error_of = [](const NcclResidual& one) { return std::abs(one.fitted_us / one.measured_us - 1); };
  for (const NcclResidual& one : left) {
    double line = fit.regimes[0].us + fit.regimes[0].us_per_byte * one.bytes;
    for (const NcclFit::Regime& regime : fit.regimes)
      line = std::min(line, regime.us + regime.us_per_byte * one.bytes);
    of_lines += std::abs(line / one.measured_us - 1) / static_cast<double>(left.size());
    of_platform += error_of(one) / static_cast<double>(left.size());
    if (worst == nullptr || error_of(one) > error_of(*worst)) worst = &one;
  }
  if (of_platform <= of_lines + most_besides) return;
  throw Error(fmt::format(
      "{}: the times lie on the three lines within {:.1f} % in the mean, but {} with these keys "
      "takes {:.3g} % more or less (most of all for {:.0f} B, by {}): is it a platform of such "
      "nodes, and the log one of all-reduces on one of them? --platform extends another one",
      log.origin, of_lines * 100, extended, of_platform * 100, worst->bytes, worst->carried_out_by));
}

std::vector<NcclResidual> residuals(const Platform& platform, const NcclLog& log) {
  const CollectiveTimer timer(platform, CollectiveLibrary::nccl, {MeasuredCollective::all_reduce, log.ranks});
  std::vector<NcclResidual> all;
  for (const MeasuredTime& one : log.times) {
    const Bytes bytes(std::max(std::llround(one.bytes) / measured_element.count(), 1LL) *
                      measured_element.count());
    const CollectiveTime took = timer.time(bytes, {});
    all.push_back({{one.bytes, one.us, took.time.seconds() * 1e6}, took.carried_out_by});
  }
  return all;
}

}  // namespace morgana
