#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/transport/uet/parameters.h"
#include "tests/transport/reference_rccc.h"
#include "tests/transport/ultra_ethernet/reference_uet_parts.h"
#include "tests/transport/ultra_ethernet/reference_uet_state.h"

namespace morgana::testing::uet_reference {

/// RCCC between connections and hosts, from the table of rules in docs/ultra-ethernet.md alone ("RCCC, rule
/// by rule"); the numbers are those of the table.
class ReferenceCredits {
 public:
  struct Hooks {
    std::function<std::int64_t()> now;
    std::function<void(std::int64_t, std::function<void()>)> at;
    std::function<void(std::size_t)> happens;  ///< something at a host
    std::function<void(const Packet&)> inject;
  };

  /// @param full  a packet on its link
  ReferenceCredits(const UetParameters& parameters, Bytes full, std::deque<Connection>& connections,
                   std::vector<Port>& ports, Hooks hooks)
      : p_(parameters), full_(full), connections_(connections), ports_(ports), hooks_(std::move(hooks)) {}

  std::uint64_t requests = 0, credits = 0;  ///< packets

  void add_host(BitRate rate) {
    hosts_.push_back({ReferenceCreditGiver(p_.rccc, rate, p_.payload, most(rate))});
  }
  /// The next one.
  void add_connection(BitRate rate) { flows_.push_back({ReferenceCreditedFlow(most(rate))}); }

  // ---- the sender

  bool may_send(std::size_t id) const { return flows_[id].credit.credit() > 0; }
  /// Rules 1 to 3. @return the packet's target
  std::int64_t sends(std::size_t id, std::int64_t bytes) {
    Flow& flow = flows_[id];
    flow.credit.sent(Bytes(bytes));
    return flow.said = target(id);
  }
  /// Rule 8c: data has left, or is acknowledged for the first time.
  void stirs(std::size_t id) { flows_[id].stirred_at = hooks_.now(); }
  /// Rule 6.
  void hears(std::size_t id) { flows_[id].credit.heard(); }
  void granted(std::size_t id, std::int64_t in_all) {
    hears(id);
    flows_[id].credit.grant(in_all);
    if (may_send(id)) flows_[id].waiting_request = 0;  // rule 8d
  }
  /// Rules 8a, 8c and 8d, after whatever has happened to the connection.
  void look(std::size_t id) {
    Flow& flow = flows_[id];
    if (connections_[id].is_done(hooks_.now())) flow.silences = 0;
    if (!is_without_credit(id)) flow.waiting_request = 0;
    if (!is_starved(id)) return;
    if (target(id) > flow.said) return request(id);
    look_at_silence(id);
  }
  /// Rule 8b.
  void timed_out(std::size_t id) {
    if (!may_send(id)) request(id);
  }

  // ---- the receiver

  /// Rules 4 and 5. @param reminds  a header alone, or a request
  void asks(std::size_t id, std::int64_t target, bool reminds) {
    Host& host = hosts_[connections_[id].to];
    const auto flow = static_cast<CreditGiver::Flow>(id);
    host.giver.ask(flow, target);
    if (reminds) host.giver.remind(flow);
    if (host.waits) return;
    host.waits = true;
    hooks_.at(hooks_.now(), [this, number = connections_[id].to] { give(number); });
  }
  void forget(std::size_t id) {
    hosts_[connections_[id].to].giver.forget(static_cast<CreditGiver::Flow>(id));
  }

 private:
  struct Flow {
    ReferenceCreditedFlow credit;
    std::int64_t said = 0;
    std::optional<std::int64_t> requested_at = std::nullopt;
    std::uint64_t waiting_request = 0;  ///< which one; 0: none
    std::int64_t stirred_at = 0;
    unsigned silences = 0;
  };
  struct Host {
    ReferenceCreditGiver giver;
    bool waits = false;  ///< for the next credit's time
  };

  /// Rule 9.
  Bytes most(BitRate rate) const {
    const double bytes = static_cast<double>(rate.bits_per_second()) / 8 * p_.nscc.base_round_trip.seconds();
    return std::max(Bytes(static_cast<std::int64_t>(p_.nscc.most_window * bytes)), full_);
  }
  std::int64_t target(std::size_t id) const {
    const Connection& connection = connections_[id];
    std::int64_t left = connection.outbound.left();
    if (connection.nscc) left = std::min(left, connection.window() + full_.count());
    const auto in_line = static_cast<std::int64_t>(ports_[connection.from].line.size());
    return flows_[id].credit.target(Bytes(left), full_, connection.in_line ? in_line : in_line + 1);
  }
  bool is_without_credit(std::size_t id) const {
    return !connections_[id].failed && connections_[id].has_to_send(hooks_.now()) && !may_send(id);
  }
  bool is_starved(std::size_t id) const {
    return is_without_credit(id) && !connections_[id].in_port &&
           !connections_[id].outbound.any(Outgoing::State::under_way);
  }
  void inject(Kind kind, std::size_t id, std::int64_t credit) {
    Packet packet{kind, id};
    packet.credit = credit;
    hooks_.inject(packet);
  }

  /// Rule 8d.
  void request(std::size_t id) {
    Flow& flow = flows_[id];
    if (flow.waiting_request != 0) return;
    const std::int64_t earliest =
        flow.requested_at ? *flow.requested_at + p_.nscc.base_round_trip.ps() : hooks_.now();
    if (hooks_.now() >= earliest) return send_request(id);
    flow.waiting_request = ++requests_that_waited_;
    hooks_.at(earliest, [this, id, which = flow.waiting_request] {
      if (flows_[id].waiting_request != which) return;
      flows_[id].waiting_request = 0;
      if (!is_without_credit(id)) return;
      hooks_.happens(connections_[id].from);
      send_request(id);
    });
  }
  void send_request(std::size_t id) {
    Flow& flow = flows_[id];
    flow.requested_at = hooks_.now();
    flow.said = target(id);
    ++requests;
    inject(Kind::request, id, flow.said);
    look_at_silence(id);
  }

  /// Rule 8c.
  std::int64_t silent_until(const Flow& flow) const {
    constexpr std::int64_t most_times = 65;
    const std::int64_t times = std::min(std::int64_t{1} << std::min(flow.silences, 7U), most_times);
    return std::max(flow.stirred_at, flow.requested_at.value_or(0)) + times * p_.timeout.ps();
  }
  void look_at_silence(std::size_t id) {
    if (!is_starved(id) || flows_[id].waiting_request != 0) return;
    if (hooks_.now() >= silent_until(flows_[id])) {
      ++flows_[id].silences;
      return request(id);
    }
    hooks_.at(silent_until(flows_[id]), [this, id] {
      if (!is_starved(id) || hooks_.now() < silent_until(flows_[id])) return;
      hooks_.happens(connections_[id].from);
      look_at_silence(id);
    });
  }

  void give(std::size_t number) {
    Host& host = hosts_[number];
    const std::optional<CreditGiver::Credit> credit = host.giver.next();
    host.waits = credit.has_value();
    if (!credit) return;
    ++credits;
    inject(Kind::credit, credit->flow, credit->granted);
    hooks_.at(hooks_.now() + credit->until_next.ps(), [this, number] {
      hooks_.happens(number);
      give(number);
    });
  }

  UetParameters p_;
  Bytes full_;
  std::deque<Connection>& connections_;
  std::vector<Port>& ports_;
  Hooks hooks_;
  std::deque<Flow> flows_;
  std::deque<Host> hosts_;
  std::uint64_t requests_that_waited_ = 0;
};

}  // namespace morgana::testing::uet_reference
