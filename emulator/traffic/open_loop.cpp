#include "emulator/traffic/open_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "emulator/core/error.h"

namespace morgana {
namespace {

class OpenLoop : private EventHandler, private UnitListener {
 public:
  OpenLoop(EventQueue& events, Network& network, const Destinations& destinations,
           const TrafficSettings& settings)
      : events_(events),
        network_(network),
        destinations_(destinations),
        settings_(settings),
        interval_(SimTime::from_seconds(static_cast<double>(settings.length.count()) / settings.load * 1e-9)),
        times_(settings.seed, "traffic times"),
        places_(settings.seed, "traffic destinations"),
        numbers_(destinations.hosts()),
        window_size_(settings.messages),
        batch_size_(settings.messages / settings.batches) {
    result_.offered = settings.load;
    network.report_to(*this);
    for (HostNumber host = 0; host < destinations.hosts(); ++host)
      if (destinations.sends(host)) {
        events.schedule(events.now() + first_distance(), *this, host);
        ++senders_;
      }
    batch_start_ = events.now();
  }

  TrafficResult run(const std::function<void()>& measuring) {
    const SimTime start = events_.now();
    while (warming_up() && goes_on()) events_.handle_next();
    measuring_ = true;
    arrived_before_ = batch_count_;
    measure_window(start, measuring);
    if (settings_.at_most > 0)
      settle(start, measuring);
    else
      result_.settled = !result_.overloaded() || std::abs(result_.change) < settling_accepted;
    result_.settled = result_.settled && !result_.stalled;
    return std::move(result_);
  }

 private:
  static double change(double before, double after) { return before > 0 ? after / before - 1 : 0; }
  bool may_double() const { return 2 * (arrived_before_ + result_.delivered) <= settings_.at_most; }

  /// Windows, each as long as all before, until two in a row agree with the one before them.
  void settle(SimTime start, const std::function<void()>& measuring) {
    const double first_latency = latency_of_all();
    for (unsigned agreed = 0; !result_.stalled && may_double();) {
      const TrafficResult before = std::move(result_);
      result_ = {};
      result_.offered = settings_.load;
      arrived_before_ += before.delivered;
      window_size_ = arrived_before_;
      measure_window(start, measuring);
      result_.change = change(before.accepted.mean, result_.accepted.mean);
      const bool overflowing = result_.overloaded();
      const double slower = change(before.latency.mean, result_.latency.mean);
      const bool steady = std::abs(result_.change) < settling_accepted &&
                          (overflowing ? overflows_evenly(before) && slower > overflowing_latency
                                       : std::abs(slower) < settling_latency);
      agreed = steady ? agreed + 1 : 0;
      result_.settled =
          agreed >= settling_windows &&
          nanoseconds(result_.window) >=
              settling_latencies * (overflowing ? first_latency : latency_of_all()) &&
          (!overflowing || arrived_before_ + result_.delivered >= least_overloaded_a_sender * senders_);
      if (result_.settled) break;
    }
  }

  /// What is under way grows at the same rate as in the window before: nothing fills up any more.
  bool overflows_evenly(const TrafficResult& before) const {
    const double then = growth(before), now = growth(result_);
    return then > 0 && now > 0 && std::abs(now - then) < settling_growth * std::max(now, then);
  }
  /// Of what is under way, in messages a nanosecond.
  static double growth(const TrafficResult& result) {
    return (static_cast<double>(result.generated) - static_cast<double>(result.delivered + result.lost)) /
           nanoseconds(result.window);
  }
  static double nanoseconds(SimTime time) { return static_cast<double>(time.ps()) / ps_per_ns; }

  /// In ns: the mean of what has arrived in the window and what is under way, at its age.
  double latency_of_all() const {
    RunningStatistics ages;
    for (const SimTime at : generated_at_)
      if (at != nowhere) ages.add(nanoseconds(events_.now() - at));
    const auto arrived = static_cast<double>(result_.delivered), waiting = static_cast<double>(ages.count());
    if (arrived + waiting <= 0) return 0;
    const double of_arrived = result_.delivered > 0 ? result_.latency.mean : 0;
    const double of_waiting = ages.count() > 0 ? ages.mean() : 0;
    return (arrived * of_arrived + waiting * of_waiting) / (arrived + waiting);
  }

  /// A window of its own, whatever was measured before it.
  void measure_window(SimTime start, const std::function<void()>& measuring) {
    measuring();
    result_.generated = result_.delivered = result_.lost = 0;
    result_.latencies = {};
    accepted_ = means_ = first_half_ = second_half_ = batch_latency_ = {};
    batches_ = batch_count_ = 0;
    batch_size_ = window_size_ / settings_.batches;
    const SimTime begin = batch_start_ = events_.now();
    result_.warm_up = begin - start;
    while (batches_ < settings_.batches && goes_on()) events_.handle_next();
    result_.window = events_.now() - begin;
    // The last batch of a network that stalls is as long as it lasted.
    if (result_.stalled && events_.now() > batch_start_) end_batch();
    result_.accepted = confidence_interval(accepted_);
    result_.latency = confidence_interval(means_);
    result_.change = change(first_half_.mean(), second_half_.mean());
  }

  SimTime first_distance() {
    if (settings_.process == TrafficSettings::Process::exponential) return times_.exponential(interval_);
    return SimTime::from_ps(
        static_cast<std::int64_t>(times_.below(static_cast<std::uint64_t>(interval_.ps()) + 1)));
  }

  void handle(std::uint64_t what) override {
    const auto from = static_cast<HostNumber>(what);
    std::uint64_t slot = generated_at_.size();
    if (free_.empty()) {
      generated_at_.push_back(events_.now());
    } else {
      slot = free_.back();
      free_.pop_back();
      generated_at_[slot] = events_.now();
    }
    ++result_.generated;
    ++in_all_;
    network_.inject({UnitId{slot}, PortId{from}, PortId{destinations_.draw(from, places_, numbers_[from]++)},
                     settings_.length});
    const bool constant = settings_.process == TrafficSettings::Process::constant;
    events_.schedule(events_.now() + (constant ? interval_ : times_.exponential(interval_)), *this, from);
  }

  void unit_departed(UnitId, PortId) override {}
  void unit_lost(UnitId id) override {
    ++result_.lost;
    in_all_when_something_moved_ = in_all_;
    gone(static_cast<std::uint64_t>(id));
  }
  void unit_delivered(UnitId id, PortId) override {
    const auto slot = static_cast<std::uint64_t>(id);
    const double ns = nanoseconds(events_.now() - generated_at_[slot]);
    gone(slot);
    ++result_.delivered;
    ++batch_count_;
    in_all_when_something_moved_ = in_all_;
    if (!measuring_) return;
    result_.latencies.add(ns);
    batch_latency_.add(ns);
    if (batch_count_ >= batch_size_ && events_.now() > batch_start_) end_batch();
  }

  void gone(std::uint64_t slot) {
    generated_at_[slot] = nowhere;
    free_.push_back(slot);
  }

  void end_batch() {
    const double ns = static_cast<double>((events_.now() - batch_start_).ps()) / ps_per_ns;
    const double rate = static_cast<double>(batch_count_) * static_cast<double>(settings_.length.count()) /
                        ns / static_cast<double>(destinations_.hosts());
    accepted_.add(rate);
    (2 * batches_ < settings_.batches ? first_half_ : second_half_).add(rate);
    if (batch_count_ > 0) means_.add(batch_latency_.mean());
    batch_latency_ = {};
    batch_start_ = events_.now();
    batch_count_ = 0;
    ++batches_;
  }

  bool warming_up() const { return batch_count_ < settings_.warm_up; }
  /// With fifty times the messages generated that should have arrived by the end, no more are waited for.
  bool goes_on() {
    constexpr std::uint64_t patience = 50, ten = 10;
    const std::uint64_t awaited =
        measuring_ ? arrived_before_ + window_size_ : settings_.warm_up + window_size_;
    // The first windows are short: much of what is generated in them is on its way.
    constexpr std::uint64_t least = 25'000;
    const std::uint64_t expected = settings_.at_most > 0 ? std::max(awaited, least) : awaited;
    if (in_all_ > patience * expected) result_.stalled = true;
    result_.standing_still = result_.stalled && in_all_ - in_all_when_something_moved_ > in_all_ / ten;
    return !result_.stalled;
  }

  static constexpr SimTime nowhere = SimTime::from_ps(-1);  // generated_at_ of a number that is free

  EventQueue& events_;
  Network& network_;
  const Destinations& destinations_;
  const TrafficSettings& settings_;
  SimTime interval_;
  RandomStream times_, places_;
  std::vector<std::uint64_t> numbers_;  // of messages generated, by host
  std::uint64_t window_size_, batch_size_;
  std::uint64_t senders_ = 0;
  std::uint64_t arrived_before_ = 0;  // the window that is measured

  TrafficResult result_;
  bool measuring_ = false;
  std::uint64_t in_all_ = 0, in_all_when_something_moved_ = 0;
  std::vector<SimTime> generated_at_;  // by the unit's number, which is taken again when the unit is gone
  std::vector<std::uint64_t> free_;
  SimTime batch_start_;
  std::uint64_t batch_count_ = 0, batches_ = 0;
  RunningStatistics batch_latency_, accepted_, means_, first_half_, second_half_;
};

}  // namespace

void check_length(Bytes length, const Network& network) {
  if (length <= network.largest_unit()) return;
  throw Error(fmt::format(
      "messages of {} bytes are too long: the network carries {} in one piece; --sizes FILE cuts them into "
      "packets, with a line \"{} 100\" in the file",
      length.count(), network.largest_unit().count(), length.count()));
}

void measure_until_settled(TrafficSettings& settings, std::size_t senders) {
  constexpr std::uint64_t first = least_messages_a_sender, least_first = 500, last = 320,
                          least_last = 400'000;
  if (settings.warm_up == 0) settings.warm_up = std::max(first * senders, least_first);
  settings.messages = std::max({first * senders, least_first, settings.batches});
  settings.at_most = std::max(last * senders, least_last);
}

TrafficResult measure_traffic(EventQueue& events, Network& network, const Destinations& destinations,
                              const TrafficSettings& settings, const std::function<void()>& measuring) {
  check_length(settings.length, network);
  OpenLoop loop(events, network, destinations, settings);
  return loop.run(measuring);
}

}  // namespace morgana
