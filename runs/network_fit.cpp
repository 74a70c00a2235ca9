#include "runs/network_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "emulator/core/error.h"
#include "runs/ping_pong.h"

namespace morgana {
namespace {

/// A, G, D, c, J in this order.
constexpr std::size_t term_count = 5;
using Coefficients = std::array<double, term_count>;
constexpr double least_noise = 0.002;  ///< relative: nothing is explained better than so

/// One choice of E and K; 0: none.
struct Breaks {
  double eager = 0, head = 0;
};

struct FittedCurve {
  Breaks breaks;
  Coefficients values{};
  double criterion = std::numeric_limits<double>::infinity();
};

Coefficients terms_for(double bytes, const Breaks& breaks) {
  const bool rendezvous = breaks.eager > 0 && bytes > breaks.eager;
  const bool divided = breaks.eager > 0;
  return {1, bytes, std::min(bytes, breaks.head), divided && !rendezvous ? bytes : 0, rendezvous ? 1.0 : 0.0};
}

/// Gauss with the largest pivot; a term without any weight is 0.
Coefficients solve(std::array<Coefficients, term_count> matrix, Coefficients right) {
  std::array<std::size_t, term_count> order{0, 1, 2, 3, 4};
  for (std::size_t i = 0; i < term_count; ++i) {
    std::size_t pivot = i;
    for (std::size_t j = i + 1; j < term_count; ++j)
      if (std::abs(matrix[j][j]) > std::abs(matrix[pivot][pivot])) pivot = j;
    std::swap(matrix[i], matrix[pivot]);
    std::swap(right[i], right[pivot]);
    std::swap(order[i], order[pivot]);
    for (Coefficients& row : matrix) std::swap(row[i], row[pivot]);
    if (std::abs(matrix[i][i]) < 1e-12) {
      matrix[i] = {};
      matrix[i][i] = 1;
      right[i] = 0;
    }
    for (std::size_t j = 0; j < term_count; ++j) {
      if (j == i) continue;
      const double factor = matrix[j][i] / matrix[i][i];
      for (std::size_t k = 0; k < term_count; ++k) matrix[j][k] -= factor * matrix[i][k];
      right[j] -= factor * right[i];
    }
  }
  Coefficients result{};
  for (std::size_t i = 0; i < term_count; ++i) result[order[i]] = right[i] / matrix[i][i];
  return result;
}

/// Least squares of relative errors, no term below 0: whichever is most below is left out.
FittedCurve curve_for(std::span<const MeasuredTime> times, const Breaks& breaks) {
  std::array<bool, term_count> out{};
  FittedCurve curve{breaks, {}, 0};
  Coefficients scale{};
  for (const MeasuredTime& one : times) {
    const Coefficients row = terms_for(one.bytes, breaks);
    for (std::size_t i = 0; i < term_count; ++i) scale[i] = std::max(scale[i], row[i] / one.us);
  }
  for (std::size_t round = 0; round < term_count; ++round) {
    std::array<Coefficients, term_count> matrix{};
    Coefficients right{};
    for (const MeasuredTime& one : times) {
      Coefficients row = terms_for(one.bytes, breaks);
      for (std::size_t i = 0; i < term_count; ++i)
        row[i] = out[i] || scale[i] == 0 ? 0 : row[i] / one.us / scale[i];
      for (std::size_t i = 0; i < term_count; ++i) {
        for (std::size_t j = 0; j < term_count; ++j) matrix[i][j] += row[i] * row[j];
        right[i] += row[i];
      }
    }
    curve.values = solve(matrix, right);
    const auto least = std::min_element(curve.values.begin(), curve.values.end());
    if (*least >= 0) break;
    out[static_cast<std::size_t>(least - curve.values.begin())] = true;
    curve.values = {};
  }
  for (std::size_t i = 0; i < term_count; ++i)
    if (scale[i] > 0) curve.values[i] /= scale[i];
  double squares = 0;
  for (const MeasuredTime& one : times) {
    const Coefficients row = terms_for(one.bytes, breaks);
    double fitted = 0;
    for (std::size_t i = 0; i < term_count; ++i) fitted += row[i] * curve.values[i];
    squares += (fitted / one.us - 1) * (fitted / one.us - 1);
  }
  const auto count = static_cast<double>(times.size());
  const double parameters = 2 + (breaks.eager > 0 ? 3 : 0) + (breaks.head > 0 ? 2 : 0);
  curve.criterion =
      count * std::log(squares / count + least_noise * least_noise) + parameters * std::log(count);
  return curve;
}

/// Every break leaves at least three sizes on both sides.
FittedCurve best_curve(std::span<const MeasuredTime> times) {
  constexpr std::size_t least_sizes = 3;
  constexpr double longest_head = 16384;
  std::vector<double> breaks{0};
  for (std::size_t i = least_sizes; i + least_sizes < times.size(); ++i)
    if (times[i].bytes > breaks.back() && times[i].bytes < times[i + 1].bytes)
      breaks.push_back(times[i].bytes);
  FittedCurve best;
  for (const double eager : breaks) {
    for (const double head : breaks) {
      if (head > longest_head || (eager > 0 && head >= eager)) continue;
      const FittedCurve curve = curve_for(times, {eager, head});
      if (curve.criterion < best.criterion) best = curve;
    }
  }
  return best;
}

/// g + s G, of those up to `longest`.
struct StraightLine {
  double at_zero, slope;
};
std::optional<StraightLine> line_through(const std::vector<MeasuredTime>& times, double longest) {
  double count = 0, bytes = 0, us = 0, squares = 0, products = 0;
  for (const MeasuredTime& one : times) {
    if (one.bytes > longest) continue;
    const double weight = 1 / (one.us * one.us);
    count += weight;
    bytes += weight * one.bytes;
    us += weight * one.us;
    squares += weight * one.bytes * one.bytes;
    products += weight * one.bytes * one.us;
  }
  const double spread = count * squares - bytes * bytes;
  if (!(spread > 0)) return std::nullopt;
  const double slope = std::max(0.0, (count * products - bytes * us) / spread);
  return StraightLine{std::max(0.0, (us - slope * bytes) / count), slope};
}

/// What a byte adds where messages follow each other, of long ones; nothing if there are none.
std::optional<double> cost_in_streams(const std::vector<MeasuredTime>& stream) {
  constexpr double long_ones = 65536;
  std::vector<double> costs;
  for (const MeasuredTime& one : stream)
    if (one.bytes >= long_ones) costs.push_back(one.us / one.bytes);
  if (costs.empty()) return std::nullopt;
  std::nth_element(costs.begin(), costs.begin() + static_cast<std::ptrdiff_t>(costs.size() / 2), costs.end());
  return costs[costs.size() / 2];
}

}  // namespace

NetworkFit fit_network(const MeasuredTimes& times) {
  constexpr std::size_t fewest = 6;
  if (times.latency.size() < fewest)
    throw Error(
        fmt::format("there are latencies of {} messages, too few for a fit: it takes at least {}, such as "
                    "NetPIPE's or osu_latency's whole output",
                    times.latency.size(), fewest));
  const FittedCurve curve = best_curve(times.latency);
  const auto [at_zero, per_byte, head_per_byte, copy, jump] = curve.values;
  NetworkFit fit;
  fit.latency_per_byte = head_per_byte;
  fit.latency_bytes = head_per_byte > 0 ? curve.breaks.head : 0;
  fit.gap_per_byte = per_byte;
  if (curve.breaks.eager > 0) fit.eager_limit = curve.breaks.eager;
  constexpr double least_cost = 1e-9;  // 1 fs a byte: less is what rounding leaves
  const double whole_copy = copy < least_cost ? 0 : copy;
  const double longest_eager = fit.eager_limit.value_or(std::numeric_limits<double>::infinity());
  const auto sending = line_through(times.send, longest_eager);
  const auto receiving = line_through(times.receive, longest_eager);
  const auto in_streams = cost_in_streams(times.stream);
  const bool streams_are_faster = !fit.eager_limit && in_streams && *in_streams < per_byte;
  if (streams_are_faster) fit.gap_per_byte = *in_streams;
  const double fixed = at_zero + fit.gap_per_byte;  // the first byte of a message leaves without a gap

  // Overheads and latency.
  const double head_of_control = head_per_byte * std::min(fit.control, fit.latency_bytes);
  const double by_jump = jump / 2 - (fit.control - 1) * per_byte - head_of_control;
  if (sending && receiving) {
    const double shrink = std::min(1.0, fixed / std::max(1e-12, sending->at_zero + receiving->at_zero));
    fit.send_overhead = sending->at_zero * shrink;
    fit.receive_overhead = receiving->at_zero * shrink;
    fit.latency = fixed - fit.send_overhead - fit.receive_overhead;
  } else if (fit.eager_limit && by_jump > 0) {
    fit.latency = std::min(by_jump, fixed);
    fit.send_overhead = fit.receive_overhead = (fixed - fit.latency) / 2;
    fit.open.push_back("overheads are halved evenly; the latency is what the step at the eager limit says");
  } else {
    const double each = times.stream.empty() ? 0 : std::min(times.stream.front().us, fixed / 2);
    fit.send_overhead = fit.receive_overhead = each;
    fit.latency = fixed - 2 * each;
    fit.open.push_back(
        times.stream.empty()
            ? "overheads and latency can't be told from each other by these tables: all is latency; "
              "network.measure tells them"
            : "overheads are what messages take that follow each other");
  }
  // A rendezvous that takes longer than its two messages: as if these were longer. One that takes less stays.
  if (fit.eager_limit && per_byte > 0) {
    const double missing = jump / 2 - fit.latency - head_of_control;
    constexpr double longest_control = 1 << 20;
    fit.control = std::clamp(missing / per_byte + 1, 1.0, longest_control);
    if (std::abs(missing - 63 * per_byte) < 0.03 * jump) fit.control = 64;
  }

  // Costs per byte.
  if (fit.eager_limit) {
    const double both = sending && receiving ? sending->slope + receiving->slope : 0;
    const double share = both > 0 ? sending->slope / both : 0.5;
    fit.send_per_byte = whole_copy * share;
    fit.receive_per_byte = whole_copy * (1 - share);
  } else if (streams_are_faster) {
    fit.send_per_byte = fit.receive_per_byte = (per_byte - *in_streams) / 2;
  } else if (!in_streams) {
    fit.open.push_back(
        "copies and the network's gap per byte can't be told from each other by these tables: all is gap");
  }

  // The gap between short messages, where it is more than the processors take.
  if (!times.stream.empty()) {
    const double shortest = times.stream.front().us;
    if (shortest > 1.02 * std::max(fit.send_overhead, fit.receive_overhead)) fit.gap = shortest;
  } else {
    fit.open.push_back("no table says how fast messages follow each other: the gap is 0");
  }
  if (!fit.eager_limit)
    fit.open.push_back("no step of an eager limit was found: it is beyond the longest message");
  return fit;
}

std::vector<Residual> residuals(const Platform& platform, const MeasuredTimes& times) {
  constexpr std::size_t rounds = 2;
  std::vector<Residual> all;
  for (const MeasuredTime& one : times.latency) {
    const SimTime trip =
        ping_pong(platform, PingPongPlaces::two_hosts, Bytes(std::llround(one.bytes)), rounds, 1);
    all.push_back({one.bytes, one.us, trip.seconds() * 1e6});
  }
  return all;
}

}  // namespace morgana
