#include "emulator/messaging/background_messages.h"

#include <algorithm>
#include <utility>

#include "emulator/core/end_of_time.h"

namespace morgana {
namespace {

constexpr std::size_t least_calls_between_looks = 64;
/// Shipment::channel of all of them: no two ranks have it.
constexpr std::uint64_t background_channel = ~std::uint64_t{0};

}  // namespace

BackgroundMessages::BackgroundMessages(EventQueue& events, Transport& transport,
                                       std::vector<BackgroundEnd> ends,
                                       const BackgroundParameters& parameters)
    : events_(events),
      transport_(transport),
      ends_(std::move(ends)),
      parameters_(parameters),
      destinations_(parameters.pattern, ends_.size(), parameters.seed),
      times_(parameters.seed, "background times"),
      places_(parameters.seed, "background destinations"),
      numbers_(ends_.size()) {
  use_.load = parameters_.load;
  for (std::uint32_t place = 0; place < ends_.size(); ++place) {
    const double bytes_per_second = static_cast<double>(ends_[place].rate.bits_per_second()) / 8;
    intervals_.push_back(SimTime::from_seconds(static_cast<double>(parameters_.message.count()) /
                                               (parameters_.load * bytes_per_second)));
    if (!destinations_.sends(place)) continue;
    ++use_.hosts;
    const bool constant = parameters_.arrivals == BackgroundParameters::Arrivals::constant;
    const auto whole = static_cast<std::uint64_t>(intervals_[place].ps());
    const SimTime first =
        constant ? SimTime::from_ps(static_cast<std::int64_t>(times_.below(whole + 1))) : distance(place);
    events_.schedule_upkeep(time_before_end(events_.now() + first), *this, place);
  }
}

SimTime BackgroundMessages::distance(std::uint32_t end) {
  const bool constant = parameters_.arrivals == BackgroundParameters::Arrivals::constant;
  return constant ? intervals_[end] : times_.exponential(intervals_[end]);
}

void BackgroundMessages::handle(std::uint64_t what) {
  events_.upkeep_handled();
  if (stopped_) return;
  const auto from = static_cast<std::uint32_t>(what);
  const HostNumber to = destinations_.draw(from, places_, numbers_[from]++);
  use_.offered.add(parameters_.message);
  Shipment shipment{
      {offered_at_.take(events_.now()), this}, ends_[from].host, ends_[to].host, parameters_.message};
  // Behind the program's own messages only in the port: what waits here without bound must not hold up those.
  if (transport_.connects_processes() || transport_.asks()) shipment.channel = background_channel;
  if (transport_.remote_memory()) shipment.verb = Verb::write;
  shipment.traffic_class = parameters_.traffic_class;
  transport_.send(shipment);
  const SimTime next = events_.now() + distance(from);
  if (next <= EventQueue::latest) events_.schedule_upkeep(next, *this, from);
}

void BackgroundMessages::shipment_delivered(MessageId id) {
  const auto slot = static_cast<Pool<SimTime>::Slot>(id.number);
  if (!stopped_) {
    use_.delivered.add(parameters_.message);
    latencies_ += (events_.now() - offered_at_[slot]).ps();
  }
  offered_at_.give_back(slot);
}

void BackgroundMessages::gone(MessageId id) {
  if (!stopped_) ++use_.lost;
  offered_at_.give_back(static_cast<Pool<SimTime>::Slot>(id.number));
}

BackgroundUse BackgroundMessages::use() const {
  BackgroundUse use = use_;
  if (use.delivered.messages > 0)
    use.mean_latency =
        SimTime::from_ps(static_cast<std::int64_t>(latencies_ / static_cast<Sum>(use.delivered.messages)));
  return use;
}

bool BackgroundMessages::look_is_due() {
  if (calls_until_look_-- > 0) return false;
  calls_until_look_ = std::max(events_.size(), least_calls_between_looks);
  return true;
}

}  // namespace morgana
