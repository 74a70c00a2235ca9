#include "emulator/messaging/background_messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "emulator/core/error.h"
#include "emulator/core/quantity.h"

namespace morgana {
namespace {

constexpr std::size_t least_calls_between_looks = 64;
constexpr std::int64_t intervals_until_settled = 8;
/// s: shorter ones would be rounded to whole picoseconds of another load; longer ones never pass.
constexpr double shortest_interval = 1e-9, longest_interval = 1e8;
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
      numbers_(ends_.size()),
      outstanding_(ends_.size()) {
  use_.load = parameters_.load;
  for (std::uint32_t place = 0; place < ends_.size(); ++place) {
    const double bytes_per_second = static_cast<double>(ends_[place].rate.bits_per_second()) / 8;
    const double interval =
        static_cast<double>(parameters_.message.count()) / (parameters_.load * bytes_per_second);
    if (interval < shortest_interval)
      throw Error(fmt::format(
          "background.message: each host would send a message of {} every {:.2g} ns; make it longer or "
          "background.load lower: a nanosecond is the least",
          to_text(parameters_.message), interval * 1e9));
    intervals_.push_back(SimTime::from_seconds(std::min(interval, longest_interval)));
    if (!destinations_.sends(place)) continue;
    ++use_.hosts;
    // So that what is measured from then on can take its time, too.
    const SimTime longest = SimTime::from_ps(EventQueue::latest.ps() / (2 * intervals_until_settled));
    const SimTime settled = intervals_until_settled * std::min(intervals_[place], longest);
    settles_after_ = std::max(settles_after_, settled);
    const bool constant = parameters_.arrivals == BackgroundParameters::Arrivals::constant;
    const auto whole = static_cast<std::uint64_t>(intervals_[place].ps());
    const SimTime first =
        constant ? SimTime::from_ps(static_cast<std::int64_t>(times_.below(whole + 1))) : distance(place);
    if (first <= EventQueue::latest) events_.schedule_upkeep(events_.now() + first, *this, place);
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
  // Drawn all the same, so that what comes later does not depend on what is held back.
  const HostNumber to = destinations_.draw(from, places_, numbers_[from]++);
  if (outstanding_[from] < parameters_.outstanding)
    send(from, to);
  else
    ++use_.held_back;
  const SimTime next = events_.now() + distance(from);
  if (next <= EventQueue::latest) events_.schedule_upkeep(next, *this, from);
}

void BackgroundMessages::send(std::uint32_t from, HostNumber to) {
  use_.offered.add(parameters_.message);
  ++outstanding_[from];
  Shipment shipment{
      {under_way_.take({events_.now(), from}), this}, ends_[from].host, ends_[to].host, parameters_.message};
  // Behind the program's own messages only in the port: what waits here must not hold up those.
  if (transport_.connects_processes() || transport_.asks()) shipment.channel = background_channel;
  if (transport_.remote_memory()) shipment.verb = Verb::write;
  shipment.traffic_class = parameters_.traffic_class;
  transport_.send(shipment);
}

void BackgroundMessages::shipment_delivered(MessageId id) {
  const SimTime offered = end_of(id);
  if (stopped_) return;
  use_.delivered.add(parameters_.message);
  latencies_ += (events_.now() - offered).ps();
}

void BackgroundMessages::shipment_lost(MessageId id) {
  end_of(id);
  if (!stopped_) ++use_.lost;
}

SimTime BackgroundMessages::end_of(MessageId id) {
  const auto slot = static_cast<Pool<UnderWay>::Slot>(id.number);
  const UnderWay was = under_way_[slot];
  --outstanding_[was.from];
  under_way_.give_back(slot);
  return was.offered;
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
