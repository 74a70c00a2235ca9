#include "runs/fit/network_fit.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "emulator/core/error.h"
#include "runs/fit/network_curve.h"
#include "runs/message_terms.h"
#include "runs/ping_pong.h"

namespace morgana {
namespace {

constexpr double least_copy = 1e-9;  // us a byte: 1 fs; less is what rounding leaves

void take_breaks(NetworkFit& fit, const FitBreaks& breaks, double head_per_byte) {
  fit.latency_per_byte = head_per_byte;
  fit.latency_bytes = head_per_byte > 0 ? breaks.head : 0;
  if (breaks.eager > 0) fit.eager_limit = breaks.eager;
}

/// What a rendezvous takes beyond its two messages: a small part of the step is noise.
void take_rendezvous(NetworkFit& fit, double beyond, double step) {
  constexpr double noise = 0.03;
  if (fit.eager_limit && beyond > noise * step) fit.rendezvous_overhead = beyond;
}

/// Of latencies and what messages take that follow each other, or calls.
NetworkFit fit_of_terms(const MeasuredTimes& times) {
  const FittedTerms found = fit_message_terms(times);
  const auto value = [&found](Term::Index term) { return found.values[term]; };
  const auto copy = [&value](Term::Index term) { return value(term) < least_copy ? 0 : value(term); };
  NetworkFit fit;
  take_breaks(fit, found.breaks, value(Term::head));
  fit.send_overhead = value(Term::send_overhead);
  fit.receive_overhead = value(Term::receive_overhead);
  fit.send_per_byte = copy(Term::send_copy);
  fit.receive_per_byte = copy(Term::receive_copy);
  fit.latency = value(Term::latency);
  fit.gap = value(Term::gap);
  fit.gap_per_byte = value(Term::per_byte);
  const double messages = fit.latency + (fit.control - 1) * fit.gap_per_byte +
                          fit.latency_per_byte * std::min(fit.control, fit.latency_bytes);
  take_rendezvous(fit, value(Term::rendezvous), 2 * (messages + value(Term::rendezvous)));
  if (times.has_calls()) return fit;
  if (found.shortest == ShortMessages::processors || fit.gap == 0)
    fit.open.push_back("overheads are what messages take that follow each other, each side the same");
  else if (found.shortest == ShortMessages::both)
    fit.open.push_back(
        "overheads are what the shortest messages take that follow each other, each side the same; a gap of "
        "the "
        "network keeps longer ones apart");
  else if (fit.eager_limit)
    fit.open.push_back(
        "messages that follow each other are kept apart by a gap of the network; the latency is half the "
        "step at "
        "the eager limit, the rest of a short message's time are overheads, each side the same");
  else
    fit.open.push_back(
        "messages that follow each other are kept apart by a gap of the network; overheads and latency can't "
        "be "
        "told from each other by these tables: all is latency; network.measure has overheads");
  return fit;
}

NetworkFit fit_of_latencies(const MeasuredTimes& times) {
  const NetworkCurve curve = curve_of_latencies(times);
  NetworkFit fit;
  take_breaks(fit, {curve.eager, curve.head}, curve.head_per_byte);
  fit.gap_per_byte = curve.per_byte;
  const double fixed = curve.fixed + fit.gap_per_byte;  // the first byte of a message leaves without a gap
  const double head_of_control = curve.head_per_byte * std::min(fit.control, fit.latency_bytes),
               by_step = curve.step / 2 - (fit.control - 1) * curve.per_byte - head_of_control;
  if (fit.eager_limit && by_step > 0) {
    fit.latency = std::min(by_step, fixed);
    fit.send_overhead = fit.receive_overhead = (fixed - fit.latency) / 2;
    take_rendezvous(fit, by_step - fit.latency, curve.step);
    fit.open.push_back(
        "the latency is half the step at the eager limit, and overheads are halved evenly; where a "
        "rendezvous "
        "costs more than its two messages the latency is too long and the overheads are too short: give "
        "osu_bw, "
        "too");
  } else {
    fit.latency = fixed;
    fit.open.push_back(
        "overheads and latency can't be told from each other by these tables: all is latency; "
        "network.measure has overheads");
  }
  if (fit.eager_limit)
    fit.send_per_byte = fit.receive_per_byte = curve.copies < least_copy ? 0 : curve.copies / 2;
  else
    fit.open.push_back(
        "copies and the network's gap per byte can't be told from each other by these tables: all is gap");
  return fit;
}

}  // namespace

NetworkFit fit_network(const MeasuredTimes& times) {
  constexpr std::size_t fewest = 6;
  if (times.latency.size() < fewest)
    throw Error(
        fmt::format("there are latencies of {} messages, too few for a fit: it takes at least {}, such as "
                    "NetPIPE's or osu_latency's whole output",
                    times.latency.size(), fewest));
  NetworkFit fit = times.has_calls() || !times.stream.empty() ? fit_of_terms(times) : fit_of_latencies(times);
  if (times.stream.empty())
    fit.open.push_back("no table says how fast messages follow each other: the gap is 0");
  if (!fit.eager_limit)
    fit.open.push_back("no step of an eager limit was found: messages of all sizes are sent eagerly");
  fit.open.insert(fit.open.end(), times.notes.begin(), times.notes.end());
  return fit;
}

double factor_between(const std::vector<Residual>& left, Residual::Kind kind) {
  double sum = 0, count = 0;
  for (const Residual& one : left) {
    if (one.kind != kind) continue;
    sum += std::abs(std::log(one.fitted_us / one.measured_us));
    ++count;
  }
  return count > 0 ? std::exp(sum / count) : 1;
}

void refuse_contradiction(const std::vector<Residual>& left, const MeasuredTimes& times) {
  constexpr double most = 2;
  const double of_latencies = factor_between(left, Residual::Kind::latency),
               of_streams = factor_between(left, Residual::Kind::stream);
  if (std::max(of_latencies, of_streams) <= most) return;
  throw Error(
      fmt::format("the tables contradict each other: the best fit misses latencies by a factor of {:.3g} and "
                  "bandwidths by "
                  "{:.3g}, in the mean ({}). Latencies are taken as us and bandwidths as MB/s of the same "
                  "two hosts: check "
                  "the units and where each table is from, or fit one of them alone",
                  of_latencies, of_streams, fmt::join(times.origins, ", ")));
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
    const SimTime apart =
        message_stream(platform, Bytes(std::llround(one.bytes)), static_cast<std::size_t>(one.window), 1);
    all.push_back({one.bytes, one.us, apart.seconds() * 1e6, Residual::Kind::stream});
  }
  return all;
}

}  // namespace morgana
