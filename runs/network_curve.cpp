#include "runs/network_curve.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "runs/least_squares.h"

namespace morgana {
namespace {

constexpr double least_noise = 0.002;  ///< relative: nothing is explained better than so

/// One choice of E and K; 0: none.
struct Breaks {
  double eager = 0, head = 0;
  bool rendezvous(double bytes) const { return eager > 0 && bytes > eager; }
};

double schwarz(double squares, std::size_t rows, const Breaks& breaks, double others) {
  const auto count = static_cast<double>(rows);
  const double parameters = others + (breaks.eager > 0 ? 3 : 0) + (breaks.head > 0 ? 2 : 0);
  return count * std::log(squares / count + least_noise * least_noise) + parameters * std::log(count);
}

/// Sizes at which something may change: every break leaves at least three sizes on both sides. 0: none.
std::vector<double> possible_breaks(std::span<const MeasuredTime> times) {
  constexpr std::size_t least_sizes = 3;
  std::vector<double> breaks{0};
  for (std::size_t i = least_sizes; i + least_sizes < times.size(); ++i)
    if (times[i].bytes > breaks.back() && times[i].bytes < times[i + 1].bytes)
      breaks.push_back(times[i].bytes);
  return breaks;
}

template <std::size_t Terms>
double row_product(const Coefficients<Terms>& row, const Coefficients<Terms>& values) {
  double total = 0;
  for (std::size_t i = 0; i < Terms; ++i) total += row[i] * values[i];
  return total;
}

template <std::size_t Terms>
Coefficients<Terms> row_over(Coefficients<Terms> row, double by) {
  for (double& one : row) one /= by;
  return row;
}

/// A, G, D, c, J in this order.
using OfLatencies = Coefficients<5>;

OfLatencies latency_terms(double bytes, const Breaks& breaks) {
  const bool rendezvous = breaks.rendezvous(bytes);
  return {1, bytes, std::min(bytes, breaks.head), breaks.eager > 0 && !rendezvous ? bytes : 0,
          rendezvous ? 1.0 : 0.0};
}

NetworkCurve curve_for(std::span<const MeasuredTime> times, const Breaks& breaks) {
  std::vector<OfLatencies> rows;
  for (const MeasuredTime& one : times) rows.push_back(row_over(latency_terms(one.bytes, breaks), one.us));
  const OfLatencies values = least_relative_squares<5>(rows, std::vector<double>(rows.size(), 1.0));
  double squares = 0;
  for (const OfLatencies& row : rows) squares += std::pow(row_product(row, values) - 1, 2);
  NetworkCurve curve;
  curve.eager = breaks.eager;
  curve.head = breaks.head;
  curve.fixed = values[0];
  curve.per_byte = values[1];
  curve.head_per_byte = values[2];
  curve.copies = values[3];
  curve.step = values[4];
  curve.criterion = schwarz(squares, times.size(), breaks, 2);
  return curve;
}

/// o, L, G, D, c (of one side), R and g.
struct Term {
  enum Index : std::size_t { overhead, latency, per_byte, head, copy, rendezvous, gap, count };
};
using Terms = Coefficients<Term::count>;

Terms sum_of_terms(Terms a, const Terms& b, double factor = 1) {
  for (std::size_t i = 0; i < Term::count; ++i) a[i] += factor * b[i];
  return a;
}

/// What limits short messages that follow each other. Tables of times can't tell both at once.
enum class Shortest { processors, gap };

/// Half round trips and streams, as sums of the terms.
class StreamModel {
 public:
  StreamModel(const Breaks& breaks, double window, Shortest shortest)
      : breaks_(breaks), window_(window), shortest_(shortest) {}

  Terms latency(double bytes) const {
    Terms terms{};
    terms[Term::overhead] = 2;
    terms[Term::latency] = 1;
    terms[Term::per_byte] = bytes - 1;
    terms[Term::head] = std::min(bytes, breaks_.head);
    if (breaks_.rendezvous(bytes)) {
      terms[Term::latency] += 2;
      terms[Term::per_byte] += 2 * (fitted_control - 1);
      terms[Term::head] += 2 * std::min(fitted_control, breaks_.head);
      terms[Term::rendezvous] = 2;
    } else {
      terms[Term::copy] = 2 * bytes;
    }
    return allowed(terms);
  }
  /// @param by_network  the network is the slowest, not a processor
  Terms stream(double bytes, bool by_network) const {
    const bool rendezvous = breaks_.rendezvous(bytes);
    Terms slowest{};
    if (by_network) {
      slowest[Term::gap] = rendezvous ? 2 : 1;
      slowest[Term::per_byte] = bytes - 1 + (rendezvous ? fitted_control - 1 : 0);
    } else {
      slowest[Term::overhead] = 1;
      (rendezvous ? slowest[Term::rendezvous] : slowest[Term::copy]) = rendezvous ? 1 : bytes;
    }
    slowest = allowed(slowest);
    if (window_ == 0) return slowest;
    const Terms rest = sum_of_terms(sum_of_terms(latency(bytes), slowest, -1), latency(receipt));
    return sum_of_terms(slowest, rest, 1 / window_);
  }

 private:
  static constexpr double receipt = 4;  // bytes, as osu_bw

  Terms allowed(Terms terms) const {
    if (shortest_ == Shortest::processors) {
      terms[Term::gap] = 0;
    } else {
      terms[Term::rendezvous] = 0;
      if (breaks_.eager == 0) terms[Term::overhead] = 0;  // no step tells it from L
    }
    return terms;
  }

  Breaks breaks_;
  double window_;
  Shortest shortest_;
};

/// Relative, of a stream: beyond it an error counts by its amount, not its square (Huber, 1964), as tables of
/// bandwidths have single sizes that something disturbed.
constexpr double usual_error = 0.1;

/// Which stage is the slowest follows from the terms, and the terms from that: alternately.
NetworkCurve curve_for(const MeasuredTimes& times, const Breaks& breaks, Shortest shortest) {
  const StreamModel model(breaks, times.stream_window, shortest);
  std::vector<Terms> rows;
  for (const MeasuredTime& one : times.latency) rows.push_back(row_over(model.latency(one.bytes), one.us));
  const std::size_t latencies = rows.size();
  double least_cost = std::numeric_limits<double>::infinity();
  for (const MeasuredTime& one : times.stream) least_cost = std::min(least_cost, one.us / one.bytes);
  std::vector<bool> by_network;
  for (const MeasuredTime& one : times.stream)
    by_network.push_back(shortest == Shortest::gap || one.us < 1.5 * one.bytes * least_cost);
  NetworkCurve best;
  std::vector<double> weights(latencies + times.stream.size(), 1.0);
  constexpr int most_rounds = 25;
  for (int round = 0; round < most_rounds; ++round) {
    rows.resize(latencies);
    for (std::size_t i = 0; i < times.stream.size(); ++i)
      rows.push_back(row_over(model.stream(times.stream[i].bytes, by_network[i]), times.stream[i].us));
    const Terms values = least_relative_squares<Term::count>(rows, weights);
    double loss = 0;
    for (std::size_t i = 0; i < latencies; ++i) loss += std::pow(row_product(rows[i], values) - 1, 2);
    for (std::size_t i = 0; i < times.stream.size(); ++i) {
      const MeasuredTime& one = times.stream[i];
      const double network = row_product(model.stream(one.bytes, true), values),
                   processor = row_product(model.stream(one.bytes, false), values),
                   error = std::abs(std::max(network, processor) / one.us - 1);
      by_network[i] = network >= processor;
      weights[latencies + i] = std::min(1.0, usual_error / error);
      loss += error > usual_error ? usual_error * (2 * error - usual_error) : error * error;
    }
    const double criterion = schwarz(loss, rows.size(), breaks, 4);
    if (!(criterion < best.criterion)) continue;
    best.eager = breaks.eager;
    best.head = breaks.head;
    best.overhead = values[Term::overhead];
    best.fixed = 2 * values[Term::overhead] + values[Term::latency] - values[Term::per_byte];
    best.per_byte = values[Term::per_byte];
    best.head_per_byte = values[Term::head];
    best.copies = 2 * values[Term::copy];
    best.step = 2 * (values[Term::latency] + values[Term::rendezvous] +
                     (fitted_control - 1) * values[Term::per_byte] +
                     values[Term::head] * std::min(fitted_control, breaks.head));
    best.gap = values[Term::gap];
    best.criterion = criterion;
  }
  return best;
}

}  // namespace

NetworkCurve curve_of_latencies(const MeasuredTimes& times) {
  constexpr double longest_head = 16384;
  const std::vector<double> breaks = possible_breaks(times.latency);
  NetworkCurve best;
  for (const double eager : breaks) {
    for (const double head : breaks) {
      if (head > longest_head || (eager > 0 && head >= eager)) continue;
      const NetworkCurve curve = curve_for(times.latency, {eager, head});
      if (curve.criterion < best.criterion) best = curve;
    }
  }
  return best;
}

NetworkCurve curve_of_latencies_and_streams(const MeasuredTimes& times) {
  constexpr double longest_head = 65536;
  constexpr double doubt = 2;  // a gap must explain that much more than overheads do
  const std::vector<double> breaks = possible_breaks(times.latency);
  NetworkCurve best;
  double least = std::numeric_limits<double>::infinity();
  for (const double eager : breaks) {
    for (const double head : breaks) {
      if (head > longest_head) continue;
      for (const Shortest shortest : {Shortest::processors, Shortest::gap}) {
        const NetworkCurve curve = curve_for(times, {eager, head}, shortest);
        const double judged = curve.criterion + (shortest == Shortest::gap ? doubt : 0);
        if (judged >= least) continue;
        least = judged;
        best = curve;
      }
    }
  }
  return best;
}

}  // namespace morgana
