#include "runs/message_terms.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "runs/fit/network_curve.h"

namespace morgana {
namespace {

MessageTerms sum_of_terms(MessageTerms a, const MessageTerms& b, double factor = 1) {
  for (std::size_t i = 0; i < Term::count; ++i) a[i] += factor * b[i];
  return a;
}

/// The slowest one of a stream.
enum class Stage : std::uint8_t {
  sender,
  receiver,
  network,
  order,  ///< a request behind the data of the message before
};
constexpr Stage all_stages[] = {Stage::sender, Stage::receiver, Stage::network, Stage::order};

/// Measured times as sums of the terms.
class MessageModel {
 public:
  /// @param dear_rendezvous  a rendezvous costs more than its messages
  MessageModel(const FitBreaks& breaks, ShortMessages shortest, bool dear_rendezvous, bool calls)
      : breaks_(breaks), shortest_(shortest), dear_rendezvous_(dear_rendezvous), calls_(calls) {}

  MessageTerms latency(double bytes) const {
    MessageTerms terms{};
    terms[Term::send_overhead] = terms[Term::receive_overhead] = terms[Term::latency] = 1;
    terms[Term::per_byte] = bytes - 1;
    terms[Term::head] = head(bytes);
    if (!breaks_.rendezvous(bytes))
      terms[Term::send_copy] = terms[Term::receive_copy] = bytes;
    else
      terms = sum_of_terms(terms, handshake());
    return allowed(terms);
  }

  MessageTerms stream(const MeasuredTime& one, Stage stage) const {
    const MessageTerms slowest = allowed(stage_terms(one, stage));
    if (one.window == 0) return slowest;
    const MessageTerms rest = sum_of_terms(sum_of_terms(latency(one.bytes), slowest, -1), latency(receipt));
    return sum_of_terms(slowest, rest, 1 / one.window);
  }

  MessageTerms call(double bytes, Stage side) const {
    MessageTerms terms{};
    terms[side == Stage::sender ? Term::send_overhead : Term::receive_overhead] = 1;
    terms[side == Stage::sender ? Term::send_copy : Term::receive_copy] = bytes;
    return terms;
  }

  /// Both sides' values where one stands for both.
  MessageTerms both_sides(MessageTerms values) const {
    if (calls_) return values;
    values[Term::receive_overhead] = values[Term::send_overhead];
    values[Term::receive_copy] = values[Term::send_copy];
    return values;
  }

 private:
  static constexpr double receipt = 4;  // bytes, as osu_bw

  double head(double bytes) const { return std::min(bytes, breaks_.head); }

  /// A request and a clearance, and what they cost both sides: J.
  MessageTerms handshake() const {
    MessageTerms terms{};
    terms[Term::latency] = terms[Term::rendezvous] = 2;
    terms[Term::per_byte] = 2 * (fitted_control - 1);
    terms[Term::head] = 2 * head(fitted_control);
    return terms;
  }

  MessageTerms stage_terms(const MeasuredTime& one, Stage stage) const {
    const bool rendezvous = breaks_.rendezvous(one.bytes);
    MessageTerms terms{};
    if (rendezvous && one.window == 0 && stage == Stage::network) {
      terms = handshake();
      terms[Term::send_overhead] = 1;
      terms[Term::per_byte] += one.bytes - 1;
    } else if (rendezvous && one.window == 0 && stage == Stage::order) {
      terms[Term::receive_overhead] = terms[Term::rendezvous] = 1;
      terms[Term::latency] = 2;
      terms[Term::per_byte] = one.bytes - 1 + fitted_control - 1;
      terms[Term::head] = head(one.bytes) + head(fitted_control);
    } else if (stage == Stage::network || stage == Stage::order) {
      terms[Term::gap] = rendezvous ? 2 : 1;
      terms[Term::per_byte] = one.bytes - 1 + (rendezvous ? fitted_control - 1 : 0);
    } else {
      terms = call(rendezvous ? 0 : one.bytes, stage);
      terms[Term::rendezvous] = rendezvous ? 1 : 0;
    }
    return terms;
  }

  MessageTerms allowed(MessageTerms terms) const {
    if (!dear_rendezvous_) terms[Term::rendezvous] = 0;
    if (calls_) return terms;
    terms[Term::send_overhead] += std::exchange(terms[Term::receive_overhead], 0.0);
    terms[Term::send_copy] += std::exchange(terms[Term::receive_copy], 0.0);
    if (shortest_ == ShortMessages::processors) {
      terms[Term::gap] = 0;
    } else if (shortest_ == ShortMessages::gap && breaks_.eager == 0) {
      terms[Term::send_overhead] = 0;  // no step tells it from L
    }
    return terms;
  }

  FitBreaks breaks_;
  ShortMessages shortest_;
  bool dear_rendezvous_, calls_;
};

/// How well a choice explains what was measured.
struct Explanation {
  FittedTerms terms;
  double latency_squares = 0;
  double criterion = std::numeric_limits<double>::infinity();  ///< Schwarz's: the lower the better
};

/// Relative, of a stream: beyond it an error counts by its amount, not its square (Huber, 1964), as tables of
/// bandwidths have single sizes that something disturbed.
constexpr double usual_error = 0.1;

/// Rows of latencies and calls, then those of streams by their stages.
class Rows {
 public:
  Rows(const MeasuredTimes& times, const MessageModel& model, const FitBreaks& breaks, bool calls)
      : times_(times), model_(model) {
    for (const MeasuredTime& one : times.latency) add(model.latency(one.bytes), one.us);
    if (calls) {
      for (const MeasuredTime& one : times.send)
        if (!breaks.rendezvous(one.bytes)) add(model.call(one.bytes, Stage::sender), one.us);
      for (const MeasuredTime& one : times.receive)
        if (!breaks.rendezvous(one.bytes)) add(model.call(one.bytes, Stage::receiver), one.us);
    }
    first_stream_ = rows_.size();
    weights_.assign(first_stream_ + times.stream.size(), 1.0);
  }

  MessageTerms solve(const std::vector<Stage>& stages) {
    rows_.resize(first_stream_);
    for (std::size_t i = 0; i < times_.stream.size(); ++i)
      add(model_.stream(times_.stream[i], stages[i]), times_.stream[i].us);
    return least_relative_squares<Term::count>(rows_, weights_);
  }
  double squares_of_latencies(const MessageTerms& values) const {
    return squares(values, 0, times_.latency.size());
  }
  double squares_of_calls(const MessageTerms& values) const {
    return squares(values, times_.latency.size(), first_stream_);
  }
  void weigh_stream(std::size_t i, double weight) { weights_[first_stream_ + i] = weight; }

 private:
  double squares(const MessageTerms& values, std::size_t begin, std::size_t end) const {
    double sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += std::pow(row_product(rows_[i], values) - 1, 2);
    return sum;
  }
  void add(const MessageTerms& terms, double us) { rows_.push_back(row_over(terms, us)); }

  const MeasuredTimes& times_;
  const MessageModel& model_;
  std::vector<MessageTerms> rows_;
  std::vector<double> weights_;
  std::size_t first_stream_ = 0;
};

/// What is taken for limits, beside E and K.
struct Choice {
  ShortMessages shortest;
  bool dear_rendezvous;
  double doubt;                  ///< it must explain that much more than the first choice does
  Stage slower = Stage::sender;  ///< of the two processors, to begin with
};

/// Which stage is the slowest follows from the terms, and the terms from that: alternately.
Explanation explanation_by(const MeasuredTimes& times, const FitBreaks& breaks, const Choice& choice) {
  const ShortMessages shortest = choice.shortest;
  const bool calls = times.has_calls();
  const MessageModel model(breaks, shortest, choice.dear_rendezvous, calls);
  Rows rows(times, model, breaks, calls);
  double least_cost = std::numeric_limits<double>::infinity();
  for (const MeasuredTime& one : times.stream) least_cost = std::min(least_cost, one.us / one.bytes);
  std::vector<Stage> stages;
  for (const MeasuredTime& one : times.stream)
    stages.push_back(shortest == ShortMessages::gap || one.us < 1.5 * one.bytes * least_cost ? Stage::network
                                                                                             : choice.slower);
  Explanation best;
  constexpr int most_rounds = 25;
  double before = std::numeric_limits<double>::infinity();
  for (int round = 0; round < most_rounds; ++round) {
    const MessageTerms values = rows.solve(stages);
    const double squares = rows.squares_of_latencies(values);
    double loss = squares + rows.squares_of_calls(values);
    bool same = true;
    for (std::size_t i = 0; i < times.stream.size(); ++i) {
      const MeasuredTime& one = times.stream[i];
      Stage slowest = stages[i];
      double most = row_product(model.stream(one, slowest), values);
      for (const Stage stage : all_stages)
        if (const double takes = row_product(model.stream(one, stage), values); takes > most) {
          most = takes;
          slowest = stage;
        }
      const double error = std::abs(most / one.us - 1);
      same = same && slowest == stages[i];
      stages[i] = slowest;
      rows.weigh_stream(i, std::min(1.0, usual_error / error));
      loss += error > usual_error ? usual_error * (2 * error - usual_error) : error * error;
    }
    const double criterion = schwarz(loss, times.latency.size() + times.stream.size(), breaks, 4);
    if (criterion < best.criterion) best = {{breaks, shortest, model.both_sides(values)}, squares, criterion};
    constexpr double settled = 1e-9;
    if (same && std::abs(loss - before) <= settled * loss) break;
    before = loss;
  }
  return best;
}

/// What a term more must explain: as much as by Schwarz's criterion of some 60 times.
constexpr double of_a_term = 4;

/// @param dear_rendezvous  whether a rendezvous may cost more than its messages
std::vector<Choice> choices_of(bool calls, bool dear_rendezvous) {
  std::vector<Choice> all;
  if (calls) {
    for (const Stage slower : {Stage::sender, Stage::receiver}) {
      all.push_back({ShortMessages::both, false, 0, slower});
      if (dear_rendezvous) all.push_back({ShortMessages::both, true, of_a_term, slower});
    }
    return all;
  }
  all = {{ShortMessages::processors, false, 0},
         {ShortMessages::gap, false, of_a_term / 2},
         {ShortMessages::both, false, of_a_term}};
  if (!dear_rendezvous) return all;
  all.push_back({ShortMessages::processors, true, of_a_term});
  all.push_back({ShortMessages::both, true, 2 * of_a_term});
  return all;
}

/// The best K and limit of short messages for an eager limit.
Explanation explanation_with(const MeasuredTimes& times, double eager, const std::vector<double>& breaks,
                             bool dear_rendezvous = true) {
  constexpr double longest_head = 65536;
  const std::vector<Choice> choices = choices_of(times.has_calls(), eager > 0 && dear_rendezvous);
  Explanation best;
  for (const double head : breaks) {
    if (head > longest_head || (eager > 0 && head >= eager)) continue;
    for (const Choice& choice : choices) {
      Explanation one = explanation_by(times, {eager, head}, choice);
      one.criterion += choice.doubt;
      if (one.criterion < best.criterion) best = one;
    }
  }
  return best;
}

/// What a rendezvous costs beyond its messages is less than what such a fit leaves of a latency anyway.
bool has_negligible_rendezvous(const FittedTerms& terms) {
  constexpr double negligible = 0.03;
  if (terms.values[Term::rendezvous] == 0) return false;
  const MessageTerms latency =
      MessageModel(terms.breaks, ShortMessages::both, true, true).latency(terms.breaks.eager + 1);
  return 2 * terms.values[Term::rendezvous] < negligible * row_product(latency, terms.values);
}

}  // namespace

FittedTerms fit_message_terms(const MeasuredTimes& times) {
  const std::vector<double> breaks = possible_breaks(times.latency);
  const double by_latencies = curve_of_latencies(times).eager;
  const Explanation usual = explanation_with(times, by_latencies, breaks);
  Explanation best = usual;
  for (const double eager : breaks) {
    if (eager == by_latencies) continue;
    const Explanation other = explanation_with(times, eager, breaks);
    if (other.criterion < best.criterion && other.latency_squares <= usual.latency_squares) best = other;
  }
  if (has_negligible_rendezvous(best.terms))
    best = explanation_with(times, best.terms.breaks.eager, breaks, false);
  return best.terms;
}

}  // namespace morgana
