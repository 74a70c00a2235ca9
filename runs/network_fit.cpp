#include "runs/network_fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "emulator/core/error.h"
#include "runs/network_curve.h"
#include "runs/ping_pong.h"

namespace morgana {
namespace {

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
  const bool calls = !times.send.empty() && !times.receive.empty();
  const bool by_streams = !calls && !times.stream.empty();
  const NetworkCurve curve = by_streams ? curve_of_latencies_and_streams(times) : curve_of_latencies(times);
  NetworkFit fit;
  fit.latency_per_byte = curve.head_per_byte;
  fit.latency_bytes = curve.head_per_byte > 0 ? curve.head : 0;
  fit.gap_per_byte = curve.per_byte;
  if (curve.eager > 0) fit.eager_limit = curve.eager;
  constexpr double least_cost = 1e-9;  // 1 fs a byte: less is what rounding leaves
  const double copies = curve.copies < least_cost ? 0 : curve.copies;
  const double longest_eager = fit.eager_limit.value_or(std::numeric_limits<double>::infinity());
  const auto sending = line_through(times.send, longest_eager);
  const auto receiving = line_through(times.receive, longest_eager);
  const auto in_streams = cost_in_streams(times.stream);
  const bool streams_are_faster =
      !by_streams && !fit.eager_limit && in_streams && *in_streams < curve.per_byte;
  if (streams_are_faster) fit.gap_per_byte = *in_streams;
  const double fixed = curve.fixed + fit.gap_per_byte;  // the first byte of a message leaves without a gap

  // Overheads and latency.
  const double head_of_control = curve.head_per_byte * std::min(fit.control, fit.latency_bytes);
  const double by_step = curve.step / 2 - (fit.control - 1) * curve.per_byte - head_of_control;
  if (by_streams) {
    const bool by_gap = curve.gap > 0 && !fit.eager_limit;
    fit.send_overhead = fit.receive_overhead = by_gap ? std::min(curve.gap, fixed / 2) : curve.overhead;
    fit.latency = std::max(0.0, fixed - fit.send_overhead - fit.receive_overhead);
    fit.gap = curve.gap;
    fit.open.push_back(
        fit.gap > 0
            ? "messages that follow each other are kept apart by a gap of the network; overheads can't "
              "be told from it by these tables"
            : "overheads are what messages take that follow each other, each side the same");
  } else if (sending && receiving) {
    const double shrink = std::min(1.0, fixed / std::max(1e-12, sending->at_zero + receiving->at_zero));
    fit.send_overhead = sending->at_zero * shrink;
    fit.receive_overhead = receiving->at_zero * shrink;
    fit.latency = fixed - fit.send_overhead - fit.receive_overhead;
  } else if (fit.eager_limit && by_step > 0) {
    fit.latency = std::min(by_step, fixed);
    fit.send_overhead = fit.receive_overhead = (fixed - fit.latency) / 2;
    fit.open.push_back("overheads are halved evenly; the latency is what the step at the eager limit says");
  } else {
    fit.latency = fixed;
    fit.open.push_back(
        "overheads and latency can't be told from each other by these tables: all is latency; "
        "network.measure tells them");
  }
  // What a rendezvous takes beyond its two messages. One that takes less stays.
  if (fit.eager_limit) {
    const double missing = by_step - fit.latency;
    constexpr double noise = 0.03;
    if (missing > noise * curve.step) fit.rendezvous_overhead = missing;
  }

  // Costs per byte.
  if (fit.eager_limit || by_streams) {
    const double both = sending && receiving ? sending->slope + receiving->slope : 0;
    const double share = both > 0 ? sending->slope / both : 0.5;
    fit.send_per_byte = copies * share;
    fit.receive_per_byte = copies * (1 - share);
  } else if (streams_are_faster) {
    fit.send_per_byte = fit.receive_per_byte = (curve.per_byte - *in_streams) / 2;
  } else if (!in_streams) {
    fit.open.push_back(
        "copies and the network's gap per byte can't be told from each other by these tables: all is gap");
  }

  // The gap between short messages, where it is more than the processors take.
  if (!by_streams && !times.stream.empty()) {
    const double shortest = times.stream.front().us;
    if (shortest > 1.02 * std::max(fit.send_overhead, fit.receive_overhead)) fit.gap = shortest;
  }
  if (times.stream.empty())
    fit.open.push_back("no table says how fast messages follow each other: the gap is 0");
  if (!fit.eager_limit)
    fit.open.push_back("no step of an eager limit was found: messages of all sizes are sent eagerly");
  return fit;
}

std::vector<Residual> residuals(const Platform& platform, const MeasuredTimes& times) {
  constexpr std::size_t rounds = 2;
  std::vector<Residual> all;
  for (const MeasuredTime& one : times.latency) {
    const SimTime trip =
        ping_pong(platform, PingPongPlaces::two_hosts, Bytes(std::llround(one.bytes)), rounds, 1);
    all.push_back({one.bytes, one.us, trip.seconds() * 1e6, Residual::Kind::latency});
  }
  for (const MeasuredTime& one : times.stream) {
    const SimTime apart = message_stream(platform, Bytes(std::llround(one.bytes)),
                                         static_cast<std::size_t>(times.stream_window), 1);
    all.push_back({one.bytes, one.us, apart.seconds() * 1e6, Residual::Kind::stream});
  }
  return all;
}

}  // namespace morgana
