#include "emulator/pipeline/probe.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace morgana::pipeline {
namespace {

double share_of(RealTime error, RealTime measured) {
  // A picosecond is the clock's step.
  return std::abs(error.value()) / std::max(measured.value(), 1.0);
}

ProbedLine line_through(std::span<const ProbeSample> samples, RealTime ProbeSample::*what) {
  std::vector<Timing> timings;
  for (const ProbeSample& one : samples) timings.push_back({real(one.size), one.*what});
  return probed_line(timings);
}

/// The greatest error of a range's lines for what was measured.
double error(const ProbedRange& range, const ProbeSample& sample) {
  return std::max(
      share_of(sample.latency - range.latency.line.time_for(real(sample.size)), sample.latency),
      share_of(sample.interval - range.interval.line.time_for(real(sample.size)), sample.interval));
}

double quotient(Bytes a, Bytes b) {
  return real(a) / real(b);
}

class Prober {
 public:
  Prober(const BlackBox& box, const ProbeSettings& settings) : box_(box), settings_(settings) {}

  ProbeResult result() {
    const ProbedRange all = range(settings_.least, settings_.most);
    if (fits(all)) return {{all}, {}};
    std::vector<ProbedRange> ranges = longest_straight_ranges();
    // So many straight pieces are no pipeline's: one line says as much.
    if (ranges.size() < 2) return {{all}, {}};
    constexpr int most_rounds = 20;
    for (int round = 0; round < most_rounds && settle(ranges); ++round) {
    }
    ProbeResult result{std::move(ranges), {}};
    for (std::size_t i = 0; i + 1 < result.ranges.size(); ++i)
      result.boundaries.push_back(boundary(result.ranges[i], result.ranges[i + 1]));
    return result;
  }

 private:
  static constexpr std::size_t most_ranges = 6;

  bool fits(const ProbedRange& range) const {
    return range.latency.worst <= settings_.bound && range.interval.worst <= settings_.bound;
  }

  const ProbeSample& measure(Bytes size) {
    const auto known = samples_.find(size);
    if (known != samples_.end()) return known->second;
    const Bytes one[] = {size};
    ProbeSample sample{size, real(box_(one).front()), {}, {}, {}};
    const std::vector<SimTime> exits = box_(std::vector<Bytes>(settings_.burst, size));
    // The pipeline is full by then, and what it holds in reserve (windows, buffers) is used up.
    const std::size_t first = exits.size() / 2;
    sample.shortest = sample.longest = real(exits[first + 1] - exits[first]);
    for (std::size_t i = first + 1; i < exits.size(); ++i) {
      sample.shortest = std::min(sample.shortest, real(exits[i] - exits[i - 1]));
      sample.longest = std::max(sample.longest, real(exits[i] - exits[i - 1]));
    }
    sample.interval = real(exits.back() - exits[first]) / static_cast<double>(exits.size() - 1 - first);
    return samples_[size] = sample;
  }

  /// Sizes between two, both included, at equal quotients.
  std::vector<ProbeSample> samples(Bytes least, Bytes most, std::size_t count) {
    std::vector<ProbeSample> all;
    const double ends = quotient(most, least);
    for (std::size_t i = 0; i < count; ++i) {
      const double share = static_cast<double>(i) / static_cast<double>(count - 1);
      const Bytes size(std::llround(real(least).value() * std::pow(ends, share)));
      if (all.empty() || size > all.back().size) all.push_back(measure(size));
    }
    return all;
  }

  ProbedRange range(Bytes least, Bytes most) {
    constexpr std::size_t sizes = 21;
    ProbedRange range{least, most, samples(least, most, sizes), {}, {}};
    if (range.samples.size() > 1) {
      range.latency = line_through(range.samples, &ProbeSample::latency);
      range.interval = line_through(range.samples, &ProbeSample::interval);
    } else {  // of one size only: all of it is overhead
      range.latency.line.overhead = range.samples[0].latency;
      range.interval.line.overhead = range.samples[0].interval;
    }
    return range;
  }

  /// From the least size on as far as one line goes, from there as far as the next goes, and so on. Nothing
  /// if that makes too many ranges or too short ones.
  std::vector<ProbedRange> longest_straight_ranges() {
    std::vector<ProbedRange> ranges;
    for (Bytes least = settings_.least; least <= settings_.most; least = ranges.back().most + Bytes(1)) {
      ranges.push_back(longest_straight(least));
      constexpr double too_short = 1.25;
      const bool last = ranges.back().most == settings_.most;
      if (ranges.size() > most_ranges || (!last && quotient(ranges.back().most, least) < too_short))
        return {};
    }
    return ranges;
  }

  ProbedRange longest_straight(Bytes least) {
    Bytes straight = least, bent = settings_.most;
    if (ProbedRange all = range(least, bent); fits(all)) return all;
    while (bent - straight > Bytes(1)) {
      Bytes middle(std::llround(std::sqrt(real(straight).value() * real(bent).value())));
      middle = std::clamp(middle, straight + Bytes(1), bent - Bytes(1));
      (fits(range(least, middle)) ? straight : bent) = middle;
    }
    return range(least, straight);
  }

  /// A line goes on a little behind the place at which the parameters change. So each boundary moves to the
  /// least size to which the upper line is closer, with lines through what lies off the boundaries.
  /// @return whether any has moved
  bool settle(std::vector<ProbedRange>& ranges) {
    bool moved = false;
    for (std::size_t i = 0; i + 1 < ranges.size(); ++i) {
      ProbedRange &below = ranges[i], &above = ranges[i + 1];
      const Bytes size = where(inner(below, i > 0, true), inner(above, false, i + 2 < ranges.size()));
      if (size == above.least) continue;
      const ProbedRange lower = range(below.least, size - Bytes(1)), upper = range(size, above.most);
      // Stages that hardly differ from one line may be hidden in a range: it must not lose its fit to them.
      if (!fits(lower) || !fits(upper)) continue;
      moved = true;
      below = lower;
      above = upper;
    }
    return moved;
  }

  /// The range without what is close to its ends.
  ProbedRange inner(const ProbedRange& all, bool low_end, bool high_end) {
    constexpr double share = 0.25;
    const double part = std::pow(quotient(all.most, all.least), share);
    Bytes least = all.least, most = all.most;
    if (low_end) least = Bytes(std::llround(real(least).value() * part));
    if (high_end) most = Bytes(std::llround(real(most).value() / part));
    return most > least ? range(least, most) : all;
  }

  /// The least size to which the upper lines are closer; both ranges keep a size.
  Bytes where(const ProbedRange& below, const ProbedRange& above) {
    Bytes low = below.least, high = above.most;
    while (high - low > Bytes(1)) {
      const Bytes middle((low.count() + high.count()) / 2);
      const ProbeSample& sample = measure(middle);
      (error(above, sample) < error(below, sample) ? high : low) = middle;
    }
    return high;
  }

  Boundary boundary(const ProbedRange& below, const ProbedRange& above) {
    const ProbeSample before = measure(below.most), behind = measure(above.least);
    Boundary result{above.least};
    const double latency = share_of(behind.latency - before.latency, before.latency),
                 interval = share_of(behind.interval - before.interval, before.interval);
    result.jump = std::max(latency, interval);
    const auto goes_on = [&](const ProbeSample& one) {
      return share_of(one.latency - below.latency.line.time_for(real(one.size)), one.latency) <=
             2 * settings_.bound;
    };
    if (result.jump > settings_.bound)
      result.kind = Boundary::Kind::step;
    else if (above.interval.line.cost < below.interval.line.cost ||
             !std::all_of(above.samples.begin(), above.samples.end(), goes_on))
      result.kind = Boundary::Kind::bend;
    return result;
  }

  const BlackBox& box_;
  const ProbeSettings& settings_;
  std::map<Bytes, ProbeSample> samples_;
};

}  // namespace

ProbedLine probed_line(std::span<const Timing> timings) {
  ProbedLine result{fit_relative(timings)};
  for (const Timing& one : timings)
    result.worst = std::max(result.worst, share_of(one.time - result.line.time_for(one.size), one.time));
  return result;
}

RealCost ProbedRange::other_costs() const {
  return std::max(RealCost(), latency.line.cost - interval.line.cost);
}

RealBytes ProbedRange::best_size(RealBytes message) const {
  if (other_costs() <= RealCost()) return RealBytes(std::numeric_limits<double>::infinity());
  const RealTime overhead = std::max(interval.line.overhead, RealTime());
  return RealBytes(std::sqrt(message.value() * (overhead / other_costs()).value()));
}

std::optional<RealTime> ProbeResult::latency_of_equal(RealBytes message, std::size_t count) const {
  const RealBytes size = message / static_cast<double>(count);
  if (size < real(ranges.front().least) || size > real(ranges.back().most)) return std::nullopt;
  std::size_t i = 0;
  while (i + 1 < ranges.size() && size >= real(ranges[i + 1].least)) ++i;
  return ranges[i].latency.line.time_for(size) +
         static_cast<double>(count - 1) * ranges[i].interval.line.time_for(size);
}

std::size_t ProbeResult::best_equal_count(RealBytes message) const {
  std::size_t best = 1;
  std::optional<RealTime> least;
  const auto most = static_cast<std::size_t>(message / real(ranges.front().least));
  for (std::size_t k = 1; k <= std::min(most, most_fragments); ++k) {
    const std::optional<RealTime> time = latency_of_equal(message, k);
    if (!time || (least && *time >= *least)) continue;
    least = time;
    best = k;
  }
  return best;
}

ProbeResult probe(const BlackBox& box, const ProbeSettings& settings) {
  return Prober(box, settings).result();
}

}  // namespace morgana::pipeline
