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
      if (destinations.sends(host)) events.schedule(events.now() + first_distance(), *this, host);
    batch_start_ = events.now();
  }

  TrafficResult run(const std::function<void()>& measuring) {
    const SimTime start = events_.now();
    while (warming_up() && goes_on()) events_.handle_next();
    measuring_ = true;
    arrived_before_ = batch_count_;
    measure_window(start, measuring);
    while (!result_.stalled && may_double()) {
      const ConfidenceInterval accepted = result_.accepted, latency = result_.latency;
      arrived_before_ += result_.delivered;
      window_size_ = arrived_before_;
      measure_window(start, measuring);
      result_.change = change(accepted.mean, result_.accepted.mean);
      if (std::abs(result_.change) < settling_accepted &&
          (result_.overloaded() || std::abs(change(latency.mean, result_.latency.mean)) < settling_latency))
        break;
    }
    return std::move(result_);
  }

 private:
  static double change(double before, double after) { return before > 0 ? after / before - 1 : 0; }
  bool may_double() const { return 2 * (arrived_before_ + result_.delivered) <= settings_.at_most; }

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
    free_.push_back(static_cast<std::uint64_t>(id));
  }
  void unit_delivered(UnitId id, PortId) override {
    const auto slot = static_cast<std::uint64_t>(id);
    free_.push_back(slot);
    ++result_.delivered;
    ++batch_count_;
    in_all_when_something_moved_ = in_all_;
    if (!measuring_) return;
    const double ns = static_cast<double>((events_.now() - generated_at_[slot]).ps()) / ps_per_ns;
    result_.latencies.add(ns);
    batch_latency_.add(ns);
    if (batch_count_ >= batch_size_ && events_.now() > batch_start_) end_batch();
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

  EventQueue& events_;
  Network& network_;
  const Destinations& destinations_;
  const TrafficSettings& settings_;
  SimTime interval_;
  RandomStream times_, places_;
  std::vector<std::uint64_t> numbers_;  // of messages generated, by host
  std::uint64_t window_size_, batch_size_;
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
  throw Error(fmt::format("messages of {} bytes are too long: the network carries {} in one piece",
                          length.count(), network.largest_unit().count()));
}

void measure_until_settled(TrafficSettings& settings, std::size_t senders) {
  constexpr std::uint64_t first = 5, least_first = 500, last = 320, least_last = 400'000;
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
