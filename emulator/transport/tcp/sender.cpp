#include "emulator/transport/tcp/sender.h"

#include <algorithm>
#include <cassert>

namespace morgana::tcp {
namespace {

constexpr SimTime after_lost_syn = SimTime::from_ps(3'000'000'000'000);  // RFC 6298, 5.7

std::unique_ptr<WindowControl> control_of(const TcpParameters& parameters) {
  switch (parameters.control) {
    case TcpParameters::Control::new_reno:
      return std::make_unique<NewReno>(parameters.window);
    case TcpParameters::Control::dctcp:
      return std::make_unique<Dctcp>(parameters.window, parameters.dctcp);
    default:
      return std::make_unique<Cubic>(parameters.window, parameters.cubic);
  }
}

/// Of what is missing, as much as a segment carries.
Range first_of(Range hole, Bytes segment) {
  return {hole.begin, std::min(hole.begin + segment.count(), hole.end)};
}

}  // namespace

TcpSenderCounters& TcpSenderCounters::operator+=(const TcpSenderCounters& more) {
  segments += more.segments;
  repeated += more.repeated;
  fast_recoveries += more.fast_recoveries;
  timeouts += more.timeouts;
  reductions += more.reductions;
  probes += more.probes;
  return *this;
}

Sender::Sender(const TcpParameters& parameters)
    : parameters_(parameters),
      segment_(parameters.window.segment),
      control_(control_of(parameters)),
      round_trip_(parameters.first_timeout, parameters.least_timeout, parameters.most_timeout) {}

void Sender::write(SimTime now, Bytes bytes) {
  if (parameters_.restart_after_idle && oldest_ == written_ && sent_ > 0 && now - last_sent_ > timeout())
    control_->rested();
  written_ += bytes.count();
}

Place Sender::buffered() const {
  return std::min(written_, oldest_ + parameters_.send_buffer.count());
}

std::optional<Sender::Outgoing> Sender::next() const {
  if (has_rack()) return next_with_rack();
  if (oldest_goes_)
    return Outgoing{first_of(selective_.first_missing({oldest_, sent_}), segment_), Outgoing::Kind::oldest,
                    true};
  return parameters_.sack ? next_with_sack() : next_without_sack();
}

/// Silly window avoidance and Nagle's rule: RFC 9293, 3.8.6.2.1.
std::optional<Sender::Outgoing> Sender::from_stream() const {
  const Place end =
      std::min({buffered(), oldest_ + parameters_.receive_buffer.count(), next_ + segment_.count()});
  if (end <= next_) return std::nullopt;
  const bool repeated = next_ < sent_;
  if (end - next_ < segment_.count()) {
    if (end < written_) return std::nullopt;
    if (parameters_.nagle && in_flight() && !repeated) return std::nullopt;
  }
  return Outgoing{{next_, end}, Outgoing::Kind::stream, repeated, tells_reduction_ && !repeated};
}

/// In recovery with SACK.
Bytes Sender::may_go() const {
  const bool is_prr = parameters_.recovery == TcpParameters::Recovery::prr;
  return is_prr ? reduction_.may_go : control_->window() - pipe();
}

std::optional<Sender::Outgoing> Sender::next_with_sack() const {
  if (repair_ == Repair::recovery) return may_go() < segment_ ? std::nullopt : next_seg();
  std::optional<Outgoing> next;
  if (repair_ == Repair::after_timeout) {
    const Range hole = selective_.first_missing({std::max(oldest_, repeated_up_to_), recovery_point_});
    if (!hole.empty()) next = Outgoing{first_of(hole, segment_), Outgoing::Kind::hole, true};
  }
  if (!next) next = from_stream();
  if (next && !fits(*next)) next.reset();
  return next;
}

std::optional<Sender::Outgoing> Sender::next_with_rack() const {
  const std::optional<Range> lost = rack_.first_lost();
  if (lost && oldest_goes_) return Outgoing{*lost, Outgoing::Kind::oldest, true};
  if (probe_.goes) return next_probe();
  std::optional<Outgoing> next = lost ? Outgoing{*lost, Outgoing::Kind::hole, true} : from_stream();
  if (next && !(repair_ == Repair::recovery ? may_go() >= segment_ : fits(*next))) next.reset();
  return next;
}

Sender::Outgoing Sender::next_probe() const {
  const Place end =
      std::min({buffered(), oldest_ + parameters_.receive_buffer.count(), sent_ + segment_.count()});
  if (end > sent_ && (end == written_ || end - sent_ == segment_.count()))
    return {{sent_, end}, Outgoing::Kind::probe, false, tells_reduction_};
  return {rack_.last(), Outgoing::Kind::probe, true};
}

/// RFC 6675, section 4: NextSeg().
std::optional<Sender::Outgoing> Sender::next_seg() const {
  Range hole;
  if (!selective_.empty()) {
    const Place from = std::max(oldest_, repeated_up_to_);
    if (from < selective_.highest()) hole = selective_.first_missing({from, selective_.highest()});
  }
  if (!hole.empty() && hole.begin < selective_.lost_before(segment_))
    return Outgoing{first_of(hole, segment_), Outgoing::Kind::hole, true};
  if (const std::optional<Outgoing> fresh = from_stream()) return fresh;
  if (!hole.empty()) return Outgoing{first_of(hole, segment_), Outgoing::Kind::hole, true};
  if (oldest_ <= rescued_up_to_) return std::nullopt;
  const Range last = selective_.last_missing({oldest_, sent_});
  if (last.empty()) return std::nullopt;
  return Outgoing{
      {std::max(last.end - segment_.count(), last.begin), last.end}, Outgoing::Kind::rescue, true};
}

/// What is thought to be under way. RFC 6675: SetPipe().
Bytes Sender::pipe() const {
  if (has_rack()) return flight() - selective_.total() - rack_.lost();
  switch (repair_) {
    case Repair::none:
      return flight() - selective_.total();
    case Repair::recovery: {
      const Place not_lost = std::max(oldest_, selective_.lost_before(segment_));
      return selective_.missing({not_lost, sent_}) +
             selective_.missing({oldest_, std::max(oldest_, repeated_up_to_)});
    }
    default:
      return selective_.missing({oldest_, std::max(oldest_, repeated_up_to_)}) +
             selective_.missing(
                 {std::max({oldest_, recovery_point_, selective_.lost_before(segment_)}), sent_});
  }
}

std::optional<Sender::Outgoing> Sender::next_without_sack() const {
  std::optional<Outgoing> next = from_stream();
  if (next && !fits(*next)) next.reset();
  return next;
}

/// Into the window. With SACK: outside of recovery.
bool Sender::fits(const Outgoing& next) const {
  Bytes window = control_->window();
  if (parameters_.sack) return pipe() + next.data.size() <= window;
  if (repair_ == Repair::recovery) window = std::max(window + inflation_, segment_);
  if (repair_ == Repair::none) window += std::min(duplicates_, 2) * segment_;
  return Bytes(next.data.end - oldest_) <= window;
}

/// After a segment of the stream.
void Sender::note_use() {
  const std::optional<Outgoing> further = from_stream();
  const bool held = further && !fits(*further);
  if (!held && oldest_ < noted_at_ && (held_back_ || flight() <= most_in_flight_)) return;
  held_back_ = held;
  most_in_flight_ = flight();
  noted_at_ = sent_;
}

void Sender::send(SimTime now, const Outgoing& outgoing) {
  const Range& data = outgoing.data;
  switch (outgoing.kind) {
    case Outgoing::Kind::stream:
      next_ = data.end;
      break;
    case Outgoing::Kind::oldest:
      oldest_goes_ = false;
      repeated_up_to_ = rescued_up_to_ = data.end;
      break;
    case Outgoing::Kind::hole:
      repeated_up_to_ = data.end;
      break;
    case Outgoing::Kind::rescue:
      rescued_up_to_ = recovery_point_;
      break;
    case Outgoing::Kind::probe:
      next_ = std::max(next_, data.end);
      ++counters_.probes;
      probe_ = {.end = next_, .repeats = outgoing.repeated};
  }
  if (has_rack()) outgoing.repeated ? rack_.repeated(data.begin, now) : rack_.sent(data, now);
  if (data.end > sent_) {
    const Bytes added = Bytes(data.end - sent_);
    sent_ = data.end;
    if (repair_ == Repair::none && outgoing.kind == Outgoing::Kind::stream)
      limited_ += std::clamp(flight() - control_->window(), Bytes(), added);
  }
  if (outgoing.reduced) tells_reduction_ = false;
  if (outgoing.repeated) {
    timed_ = -1;
    ++counters_.repeated;
  } else {
    if (timed_ < 0) timed_ = data.end, timed_from_ = now;
    ++counters_.segments;
  }
  reduction_.out += data.size();
  reduction_.may_go -= data.size();
  last_sent_ = now;
  if (outgoing.kind == Outgoing::Kind::stream && repair_ != Repair::recovery) note_use();
}

bool Sender::acknowledged(SimTime now, const Segment& by, bool carries_data) {
  if (by.expected < oldest_) return false;
  assert(by.expected <= sent_);
  const auto delivered = [this] { return Bytes(oldest_) + selective_.total(); };
  const Bytes in_flight_before = flight(), delivered_before = delivered();
  const bool has_new = by.expected > oldest_;
  const bool told_more = take_blocks(by) > Bytes();
  const bool repeats = !has_new && in_flight() && !carries_data;
  if (has_new) take_new(now, by);
  if (has_rack()) {
    if (has_new || told_more) probe_.goes = false;
    const bool has_echo = parameters_.timestamps && has_new;
    rack_.acknowledged(now, by, has_echo ? std::optional(by.echo) : std::nullopt);
    resolve_probe(now, in_flight_before, !has_new && !carries_data && by.blocks.count == 0);
    look_for_losses(now);
  } else if (parameters_.sack ? told_more : repeats) {
    duplicate(now);
  }
  if (repair_ == Repair::recovery && parameters_.recovery == TcpParameters::Recovery::prr)
    reduce_in_proportion(delivered() - delivered_before);
  if (by.echoes_mark && hears_marks() && repair_ == Repair::none && oldest_ > reduced_at_) {
    control_->congested(now, in_flight_before, WindowControl::Congestion::mark);
    ++counters_.reductions;
    reduced();
  }
  return has_new;
}

/// @return the bytes that it is news of
Bytes Sender::take_blocks(const Segment& by) {
  Bytes added;
  for (std::size_t i = 0; i < by.blocks.count; ++i) {
    const Range range{std::max(by.blocks.ranges[i].begin, by.expected), by.blocks.ranges[i].end};
    if (range.begin < range.end) added += selective_.add(range);
  }
  return added;
}

void Sender::take_new(SimTime now, const Segment& by) {
  const Bytes acknowledged(by.expected - oldest_);
  const bool marked = by.echoes_mark && hears_marks();
  const bool in_use = held_back_ || (control_->in_slow_start() && control_->window() < 2 * most_in_flight_);
  const bool grows = repair_ != Repair::recovery && !marked && in_use;
  oldest_ = by.expected;
  next_ = std::max(next_, oldest_);
  selective_.forget_before(oldest_);
  futile_ = 0;
  duplicates_ = 0;
  limited_ = Bytes();
  measure(now, by);
  control_->acknowledged({now, acknowledged, oldest_, sent_, marked, grows, round_trip_.smoothed()});
  repair_after(acknowledged);
}

void Sender::measure(SimTime now, const Segment& by) {
  if (parameters_.timestamps) return measured(now - by.echo);
  if (timed_ < 0 || oldest_ < timed_) return;
  measured(now - timed_from_);
  timed_ = -1;
}

void Sender::measured(SimTime round_trip) {
  round_trip_.sample(round_trip);
  rack_.measured(round_trip);
  probe_.measured = true;
}

void Sender::repair_after(Bytes acknowledged) {
  restarts_timer_ = true;
  if (repair_ == Repair::none) return;
  const bool done = oldest_ >= recovery_point_;
  if (repair_ == Repair::recovery && !parameters_.sack) {
    if (done) {
      control_->recovered(flight());
    } else {
      oldest_goes_ = true;
      inflation_ -= acknowledged;
      if (acknowledged >= segment_) inflation_ += segment_;
      restarts_timer_ = !partial_;
      partial_ = true;
    }
  }
  if (!done) return;
  repair_ = Repair::none;
  oldest_goes_ = false;
}

void Sender::duplicate(SimTime now) {
  if (repair_ == Repair::recovery && !parameters_.sack) inflation_ += segment_;
  if (repair_ != Repair::none) return;
  ++duplicates_;
  if (parameters_.sack) {
    if (duplicates_ >= Scoreboard::threshold || selective_.lost_before(segment_) > oldest_)
      begin_recovery(now);
  } else if (duplicates_ == Scoreboard::threshold && (recovery_point_ == 0 || oldest_ > recovery_point_)) {
    begin_recovery(now);
  }
}

void Sender::look_for_losses(SimTime now) {
  const Rack::Found found = rack_.detect(now, repair_ != Repair::none, round_trip_.smoothed());
  if (found.any) probe_.goes = false;
  const bool begins =
      repair_ == Repair::none ? rack_.lost() > Bytes() : repair_ == Repair::recovery && found.since_cut;
  if (begins) begin_recovery(now);
}

std::optional<SimTime> Sender::reordering_ends() const {
  const std::optional<SimTime> ends = rack_.reordering_ends();
  return ends ? std::optional(*ends + parameters_.timer_margin) : std::nullopt;
}

std::optional<SimTime> Sender::probe_after() const {
  if (!has_rack() || !in_flight() || repair_ != Repair::none || rack_.any_selective()) return std::nullopt;
  if (probe_.end || !probe_.measured) return std::nullopt;
  const SimTime longest_delay = rack_.under_way() == 1 ? parameters_.acknowledge_delay : SimTime();
  return 2 * round_trip_.smoothed() + longest_delay + parameters_.timer_margin;
}

/// RFC 8985, 7.4.2. @param of_the_same  an acknowledgement of nothing new, without ranges and data
void Sender::resolve_probe(SimTime now, Bytes in_flight_before, bool of_the_same) {
  if (!probe_.end || oldest_ < *probe_.end) return;
  const bool repaired = probe_.repeats && oldest_ > *probe_.end;
  if (probe_.repeats && !repaired && !of_the_same) return;
  probe_.end.reset();
  if (!repaired || repair_ != Repair::none) return;
  control_->congested(now, in_flight_before, WindowControl::Congestion::loss);
  reduced();
}

void Sender::begin_recovery(SimTime now) {
  ++counters_.fast_recoveries;
  Bytes in_flight = flight() - limited_;
  if (repair_ == Repair::recovery) in_flight = std::min(in_flight, control_->window());
  control_->congested(now, in_flight, WindowControl::Congestion::loss);
  repair_ = Repair::recovery;
  recovery_point_ = sent_;
  probe_.end.reset();  // RFC 8985, 7.1
  oldest_goes_ = true;
  duplicates_ = 0;
  repeated_up_to_ = rescued_up_to_ = oldest_;
  inflation_ = Scoreboard::threshold * segment_;
  partial_ = false;
  reduction_ = {.delivered = Bytes(), .out = Bytes(), .in_flight = flight(), .may_go = Bytes()};
  reduced();
}

/// RFC 6937, 3.1.
void Sender::reduce_in_proportion(Bytes newly_delivered) {
  ProportionalReduction& r = reduction_;
  r.delivered += newly_delivered;
  const Bytes window = control_->window(), under_way = pipe();
  if (under_way > window) {
    const std::int64_t share = r.delivered.count() * window.count() + r.in_flight.count() - 1;
    r.may_go = Bytes(share / r.in_flight.count()) - r.out;
  } else {
    r.may_go = std::min(window - under_way, std::max(r.delivered - r.out, newly_delivered) + segment_);
  }
}

void Sender::ran_out(SimTime now, Wait what) {
  switch (what) {
    case Wait::timeout:
      return timed_out(now);
    case Wait::probe:
      probe_.goes = true;
      return;
    case Wait::reordering:
      look_for_losses(now);
  }
}

void Sender::timed_out(SimTime now) {
  ++counters_.timeouts;
  control_->timed_out(now, flight() - limited_, futile_ > 0);
  ++futile_;
  repair_ = Repair::after_timeout;
  recovery_point_ = sent_;
  oldest_goes_ = has_rack();
  duplicates_ = 0;
  repeated_up_to_ = oldest_;
  rack_.timed_out(now);
  probe_.end.reset();
  probe_.goes = false;
  if (!parameters_.sack) next_ = oldest_;
  round_trip_.back_off();
  reduced();
}

/// The window has been cut.
void Sender::reduced() {
  rack_.cut();
  reduced_at_ = sent_;
  tells_reduction_ = hears_marks();
}

void Sender::opened(SimTime took, bool repeated) {
  if (took > SimTime()) measured(took);
  if (!repeated) return;
  control_->begin_with(segment_);
  round_trip_.at_least(after_lost_syn);
}

}  // namespace morgana::tcp
