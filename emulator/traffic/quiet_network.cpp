#include "emulator/traffic/quiet_network.h"

#include <algorithm>

namespace morgana {
namespace {

constexpr std::uint64_t sent_whole = 64;  // packets of a message that is not shortened

/// Whether each of the last half of these times is as much later than the one so many before it; two clocks
/// may round differently.
bool repeats(const std::vector<SimTime>& times, std::size_t packets) {
  const std::size_t last = times.size() - 1;
  const std::int64_t period = (times[last] - times[last - packets]).ps();
  const std::int64_t near = std::max<std::int64_t>(2, period / 1'000'000);
  for (std::size_t n = times.size() / 2; n <= last; ++n)
    if (std::abs((times[n] - times[n - packets]).ps() - period) > near) return false;
  return true;
}

}  // namespace

QuietNetwork::QuietNetwork(Make make, Bytes packet, std::uint64_t most)
    : make_(std::move(make)), packet_(packet), most_(most) {
  make_anew();
}

void QuietNetwork::make_anew() {
  network_.reset();
  events_ = std::make_unique<EventQueue>();
  network_ = make_(*events_);
  network_->report_to(*this);
  injected_ = 0;
  rest_ = SimTime();
}

bool QuietNetwork::send_once(std::uint32_t from, std::uint32_t to, Bytes size, std::uint32_t entropy) {
  resting_ = rest_ > SimTime();
  if (resting_) events_->schedule(events_->now() + rest_, *this);
  while (resting_) events_->handle_next();
  start_ = events_->now();
  lost_ = false;
  arrivals_.clear();
  std::uint64_t packets = 0;
  for (Bytes handed(0); handed < size; ++packets) {
    const Bytes one = std::min(packet_, size - handed);
    handed += one;
    network_->inject(
        {.id = UnitId{injected_++}, .from = PortId{from}, .to = PortId{to}, .size = one, .entropy = entropy});
  }
  // A network that has something to do by itself goes on for ever.
  constexpr std::uint64_t patience = 1'000'000;
  for (std::uint64_t left = patience * packets; !lost_ && arrivals_.size() < packets; --left) {
    if (left == 0 || events_->empty()) return false;
    events_->handle_next();
  }
  // Credits come back, and news of loads grow old.
  constexpr std::int64_t several = 4;
  rest_ = several * (events_->now() - start_) + SimTime::from_ps(10'000'000);
  return !lost_;
}

bool QuietNetwork::send(std::uint32_t from, std::uint32_t to, Bytes size, std::uint32_t entropy) {
  if (send_once(from, to, size, entropy)) return true;
  make_anew();
  if (send_once(from, to, size, entropy)) return true;
  make_anew();
  return false;
}

/// Buffers' credits, which a long cable uses up, show after a round trip, which is shorter than twice what
/// the first packet takes.
const QuietNetwork::Period& QuietNetwork::period(std::uint32_t from, std::uint32_t to) {
  const auto [found, is_new] = periods_.try_emplace({from, to});
  Period& period = found->second;
  if (!is_new) return period;
  constexpr std::int64_t round_trips = 2;
  for (std::uint64_t packets = sent_whole; packets <= most_; packets *= 4) {
    if (!send(from, to, static_cast<std::int64_t>(packets) * packet_, 0)) break;
    std::size_t length = 1;
    while (length < packets / 4 && !repeats(arrivals_, length)) ++length;
    period = {packets / 2, length, arrivals_.back() - arrivals_[packets - 1 - length]};
    const bool long_enough = arrivals_.back() > 2 * round_trips * arrivals_.front();
    if (long_enough && length < packets / 4) break;
  }
  return period;
}

std::optional<SimTime> QuietNetwork::time(std::uint32_t from, std::uint32_t to, Bytes size,
                                          std::uint32_t entropy) {
  const auto packets = static_cast<std::uint64_t>((size.count() + packet_.count() - 1) / packet_.count());
  SimTime more;
  if (packets > sent_whole) {
    const Period& known = period(from, to);
    if (known.packets > 0 && packets > known.from + 1) {
      const auto periods = static_cast<std::int64_t>((packets - 1 - known.from) / known.packets);
      size -= periods * static_cast<std::int64_t>(known.packets) * packet_;
      more = periods * known.time;
    }
  }
  if (!send(from, to, size, entropy)) return std::nullopt;
  return more + arrivals_.back();
}

}  // namespace morgana
