#pragma once

#include <algorithm>
#include <cstdint>

#include "emulator/core/random.h"
#include "emulator/transport/uet/parameters.h"
#include "tests/transport/drawn_case.h"
#include "tests/transport/scripted_network.h"

namespace morgana::testing {

/// A random network, parameters and messages for Ultra Ethernet; the same for the same seed.
class UetCase : public DrawnCase {
 public:
  UetCase(std::uint64_t seed, UetParameters::Control control) : DrawnCase(seed, "uet case") {
    byte_time = SimTime::from_ps(range(50, 20'000));
    latency_ = range(1'000'000, 20'000'000);
    choose_parameters(control);
    choose_network();
    choose_plan();
  }

  UetParameters parameters;
  Bytes gap{};  ///< of a unit on the link, in addition to its size

  Bytes largest() const {
    return std::max(parameters.header + parameters.payload, parameters.control_packet);
  }
  ScriptedNetwork::Fate fate(const Unit& unit, std::uint64_t ordinal) const {
    RandomStream random = fate_stream(unit, ordinal);
    ScriptedNetwork::Fate fate;
    fate.latency = latency_of(unit, random, [&] {
      return static_cast<std::int64_t>(
          random.below(2 * static_cast<std::uint64_t>(parameters.timeout.ps()) + 1));
    });
    fate.lost = random.below(1000) < (unit.may_be_trimmed ? loss_ : control_loss_) || is_dark(ordinal);
    fate.marked = random.below(1000) < marks_;
    if (random.below(1000) < trims_)
      fate.trimmed = random.below(2) == 0 ? Trimmed::on_the_way : Trimmed::at_last_switch;
    // Or each repetition of a row of packets would end with the timeout of the next one.
    fate.in_port = SimTime::from_ps(static_cast<std::int64_t>(random.below(1'000)));
    return fate;
  }

 private:
  SimTime or_none(std::int64_t most) { return coin() ? SimTime() : SimTime::from_ps(range(1, most)); }

  void choose_parameters(UetParameters::Control control) {
    UetParameters& p = parameters;
    p.control = control;
    p.payload = Bytes(range(1, 200));
    p.header = Bytes(range(1, 80));
    p.control_packet = Bytes(range(1, 80));
    gap = Bytes(coin() ? 0 : range(1, 24));
    const std::int64_t full = (p.header + p.payload + gap).count();
    p.acknowledge_bytes = Bytes(one_of({std::int64_t{1}, range(1, 4 * full), range(1, 20 * full)}));
    const std::int64_t round_trip = 2 * latency_ + (full + p.control_packet.count()) * byte_time.ps();
    p.nscc.base_round_trip =
        SimTime::from_ps(one_of({round_trip, range(round_trip / 4 + 1, 3 * round_trip)}));
    p.timeout = SimTime::from_ps(one_of({range(round_trip / 2, round_trip), range(round_trip, 3 * round_trip),
                                         range(round_trip, 20 * round_trip)}));
    p.tries = one_of({0U, 1U, 3U, 7U, 63U, 63U, 63U});
    p.entropies = static_cast<unsigned>(range(1, 8));
    p.balancing = static_cast<LoadBalancing>(below(4));
    p.nscc.target = one_of({0.75, 0.1, 2.0});
    p.nscc.most_window = one_of({1.5, 0.3, 0.01, 4.0});
    p.nscc.proportional = one_of({4.0, 400.0});
    p.nscc.fair = one_of({5.0, 500.0});
    p.nscc.fast_below = SimTime::from_ps(range(1, round_trip));
    p.nscc.delay_gain = one_of({0.0125, 0.5, 1.0});
    p.nscc.quick_adapt_gate = static_cast<unsigned>(range(0, 4));
    p.nscc.adjust_packets = static_cast<unsigned>(range(0, 9));
    p.data_class = static_cast<unsigned>(below(8));
    p.control_class = static_cast<unsigned>(below(8));
    p.inline_limit = Bytes(coin() ? 0 : range(0, 300));
    p.post_latency = or_none(5'000'000);
    p.fetch_latency = or_none(5'000'000);
    p.fetch_per_byte = ByteCost::from_fs(coin() ? 0 : range(1, 5'000'000));
    p.delivery_latency = or_none(5'000'000);
    p.delivery_per_byte = ByteCost::from_fs(coin() ? 0 : range(1, 5'000'000));
    p.completion_latency = or_none(5'000'000);
    p.message_gap = or_none(3'000'000);
    if (control != UetParameters::Control::rccc && control != UetParameters::Control::both) return;
    p.rccc.pace = one_of({0.99, 0.99, 0.5, 0.05});
    p.rccc.packets = static_cast<unsigned>(range(1, 8));
  }

  void choose_network() {
    choose_latencies();
    control_loss_ = one_of<std::uint64_t>({0, loss_, 300});
    trims_ = one_of<std::uint64_t>({0, 0, 20, 100, 300, 500});
    marks_ = one_of<std::uint64_t>({0, 10, 100, 500});
    choose_darkness(60, 60);
  }

  void choose_plan() {
    const std::int64_t full = parameters.payload.count();
    std::int64_t at = range(0, 1'000'000);
    for (std::int64_t messages = range(1, 24); messages > 0; --messages) {
      TcpPlanned one{at, static_cast<std::uint32_t>(below(hosts)), 0, 0};
      one.to = static_cast<std::uint32_t>((one.from + 1 + below(hosts - 1)) % hosts);
      one.bytes = range(0, full * one_of<std::int64_t>({0, 1, 3, 10, 40, 100}));
      one.channel = below(2);
      one.verb = static_cast<Verb>(below(4));
      one.completes = one.verb != Verb::read && coin();
      plan.push_back(one);
      at += one_of({range(1, 100'000), range(1, 10'000'000), range(1, 100'000'000), range(1, 2'000'000'000)});
    }
  }

  std::uint64_t control_loss_ = 0, trims_ = 0;
};

/// A scripted network whose units have a gap behind them where rates are counted.
class GappedNetwork final : public ScriptedNetwork {
 public:
  GappedNetwork(EventQueue& events, const UetCase& all)
      : ScriptedNetwork(events, all.hosts, all.largest(), all.byte_time,
                        [&all](const Unit& unit, std::uint64_t ordinal) { return all.fate(unit, ordinal); }),
        gap_(all.gap) {}
  Bytes on_link(Bytes unit) const override { return unit + gap_; }

 private:
  Bytes gap_;
};

}  // namespace morgana::testing
