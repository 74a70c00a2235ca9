#include "emulator/transport/infiniband/flow.h"

#include <algorithm>
#include <utility>

#include "emulator/transport/congestion/cct.h"
#include "emulator/transport/congestion/dcqcn.h"
#include "emulator/transport/congestion/dctcp_flow.h"
#include "emulator/transport/congestion/hpcc.h"
#include "emulator/transport/congestion/swift.h"
#include "emulator/transport/congestion/timely.h"
#include "emulator/transport/infiniband/queue_pair.h"

namespace morgana::rc {
namespace {

Bytes carried(BitRate rate, SimTime in) {
  constexpr double bit_picoseconds = 8e12;
  return Bytes(static_cast<std::int64_t>(static_cast<double>(rate.bits_per_second()) *
                                         static_cast<double>(in.ps()) / bit_picoseconds));
}

/// Null: none.
std::unique_ptr<CongestionControl> control_of(const Shared& shared, HostId host) {
  if (shared.marking == nullptr) return nullptr;
  const Rules& rules = shared.rules;
  const BitRate rate = shared.marking->port_rate(static_cast<PortId>(host));
  switch (rules->control) {
    case RcParameters::Control::none:
      break;
    case RcParameters::Control::dcqcn:
      return std::make_unique<Dcqcn>(rules->dcqcn, rate);
    case RcParameters::Control::hpcc:
      return std::make_unique<Hpcc>(rules->hpcc, rate);
    case RcParameters::Control::swift:
      return std::make_unique<Swift>(rules->swift, rate, rules.full_packet());
    case RcParameters::Control::timely:
      return std::make_unique<Timely>(rules->timely, rate);
    case RcParameters::Control::cct:
      return std::make_unique<Cct>(rules->cct, rate);
    case RcParameters::Control::dctcp:
      return std::make_unique<DctcpFlow>(rules->dctcp, rate, rules.full_packet(),
                                         carried(rate, rules->dctcp_round_trip));
  }
  return nullptr;
}

}  // namespace

Flow::Flow(QueuePair& pair)
    : pair_(pair),
      shared_(pair.shared),
      control_(control_of(shared_, pair.host)),
      window_(shared_.rules.has_windows() ? std::make_unique<Window>() : nullptr) {}

bool Flow::keeps_pace() {
  if (control_ == nullptr) return true;
  if (window_ != nullptr && window_holds()) return false;
  const SimTime may_send = control_->may_send();
  if (may_send <= shared_.now()) return true;
  if (awaited_ < may_send) {
    awaited_ = may_send;
    shared_.events.schedule(may_send, shared_.handler, TimerEvent{0, pair_.id, ready}.packed());
  }
  return false;
}

bool Flow::is_window_closed() const {
  if (window_ == nullptr) return false;
  const std::int64_t under_way = window_->sent - window_->returned;
  return under_way > 0 && under_way + shared_.rules.full_packet().count() > control_->window().count();
}

/// Whether it has to wait for a report.
bool Flow::window_holds() {
  if (!is_window_closed()) return false;
  if (!std::exchange(window_->is_held, true)) ++shared_.counters.held;
  pair_.requester.await_report();
  return true;
}

void Flow::sent(PacketKind kind, Bytes unit) {
  requested_last_ = kind == PacketKind::request;
  control_->sent(shared_.now(), shared_.marking->on_link(unit));
}

std::uint32_t Flow::take_echo(Bytes unit) {
  const Bytes size = shared_.marking->on_link(unit);
  window_->sent += size.count();
  const std::uint32_t slot = shared_.echoes.take();
  Echo& echo = shared_.echoes[slot];
  echo.place = window_->sent;
  echo.size = size;
  echo.sent_at = shared_.now();
  return slot + 1;
}

void Flow::take_report(const Header& report) {
  const Echo& echo = shared_.echoes[report.echo - 1];
  shared_.echoes.give_back(report.echo - 1);  // nothing is taken from the pool below
  if (pair_.has_failed() || echo.place <= window_->reported) return;
  const Bytes returned(echo.place - window_->reported);
  window_->reported = echo.place;
  window_->returned = std::max(window_->returned, echo.place);
  window_->is_held = false;
  const Bytes marked(echo.marked - std::exchange(window_->marked, echo.marked));
  pair_.requester.report_came();
  const SimTime now = shared_.now(), round_trip = now - echo.sent_at;
  control_->acknowledged({.now = now,
                          .place = echo.place,
                          .sent = window_->sent,
                          .returned = returned,
                          .round_trip = round_trip,
                          .delay = round_trip - echo.held,
                          .hops = echo.hops,
                          .ports = echo.ports,
                          .marked = marked > Bytes(),
                          .marked_bytes = marked,
                          .under_way = Bytes(window_->sent - window_->returned)});
  RcCounters& counters = shared_.counters;
  ++counters.reports;
  if (shared_.rules->control == RcParameters::Control::hpcc && echo.ports.size() < echo.hops)
    ++counters.no_space;
  counters.least_window = std::min(counters.least_window, control_->window());
  if (shared_.rules->control == RcParameters::Control::timely) {
    const BitRate rate = control_->rate(now);
    counters.least_rate = std::min(counters.least_rate.value_or(rate), rate);
  }
  if (requested_last_) pair_.responder.proceed();  // whose turn it is, of one window
}

void Flow::repeats(CongestionControl::Repetition why) {
  if (control_ != nullptr) control_->repeats(shared_.now(), why);
}

void Flow::repeats_responses() {
  if (window_ == nullptr) return;
  forget_under_way();
  repeats(CongestionControl::Repetition::by_receiver);
}

void Flow::forget_under_way() {
  if (window_ != nullptr) window_->returned = window_->sent;
}

}  // namespace morgana::rc
