#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "emulator/transport/infiniband/parameters.h"
#include "emulator/transport/transport.h"
#include "tests/transport/infiniband/rc_plan.h"
#include "tests/transport/infiniband/reference_pcie.h"
#include "tests/transport/infiniband/reference_rc_state.h"

namespace morgana::testing {

/// The rules of ReliableConnections' header over LossyNetwork's ports, written down plainly: PSNs never wrap,
/// every work request is kept for ever, and all that may have changed is looked at after every step. It does
/// not say what comes first of two things that happen in the same picosecond; it says that there were such.
class ReferenceRc {
 public:
  using Lost = std::function<bool(std::uint32_t port, std::uint64_t ordinal)>;
  using Latency = std::function<std::int64_t(std::uint32_t from, std::uint32_t to)>;

  ReferenceRc(const RcParameters& parameters, std::size_t hosts, std::int64_t byte_time, Latency latency,
              Lost lost, const PcieParameters& pcie = {})
      : parameters_(parameters),
        byte_time_(byte_time),
        latency_(std::move(latency)),
        lost_(std::move(lost)),
        hosts_(hosts),
        buses_(hosts, ReferencePcie(pcie)) {}

  std::vector<RcFate> run(const std::vector<RcPlanned>& plan) {
    fates_.assign(plan.size(), {});
    for (std::size_t message = 0; message < plan.size(); ++message)
      agenda_.push_back({plan[message].at, [this, &plan, message] { post(plan[message], message); }});
    while (step()) {
    }
    return fates_;
  }

  bool had_ties() const { return had_ties_; }

 private:
  using Direction = rc_reference::Direction;
  using Wr = rc_reference::Wr;
  using Requester = rc_reference::Requester;
  using Responder = rc_reference::Responder;
  using Host = rc_reference::Host;
  using Packet = rc_reference::Packet;

  std::int64_t mtu() const { return parameters_.path_mtu.count(); }

  bool step() {
    std::vector<std::int64_t> times;
    for (const auto& entry : agenda_) times.push_back(entry.at);
    for (const auto& [direction, requester] : requesters_) {
      if (requester.timeout_at) times.push_back(*requester.timeout_at);
      if (requester.wait_ends) times.push_back(*requester.wait_ends);
    }
    if (times.empty()) return false;
    now_ = *std::min_element(times.begin(), times.end());
    if (std::count(times.begin(), times.end(), now_) > 1) had_ties_ = true;
    for (auto& [direction, requester] : requesters_) {
      if (requester.timeout_at == now_) {
        requester.timeout_at.reset();
        repeat(direction);
        settle(direction);
        return true;
      }
      if (requester.wait_ends == now_) {
        requester.wait_ends.reset();
        requester.waiting = false;
        settle(direction);
        return true;
      }
    }
    const auto entry =
        std::find_if(agenda_.begin(), agenda_.end(), [this](const auto& e) { return e.at == now_; });
    const auto what = std::move(entry->what);
    agenda_.erase(entry);
    what();
    return true;
  }

  void later(std::int64_t at, std::function<void()> what) { agenda_.push_back({at, std::move(what)}); }

  // ---- work requests

  void post(const RcPlanned& planned, std::size_t message) {
    const Direction direction{planned.from, planned.to, planned.channel};
    Requester& requester = requesters_[direction];
    requesters_[{planned.to, planned.from, planned.channel}];
    if (requester.failed) {
      fates_[message].returned = now_;
      return;
    }
    Host& host = hosts_[planned.from];
    const bool short_one = planned.bytes <= parameters_.inline_limit.count();
    const bool reads = planned.verb == Verb::read;
    const std::int64_t written =
        (planned.verb == Verb::send ? 16 : 32) + (short_one && !reads ? 4 + planned.bytes : 16);
    const std::int64_t longer = buses_[planned.from].post(now_, written);
    const std::int64_t taken = std::max(now_ + parameters_.post_latency.ps() + longer, host.takes_next);
    host.takes_next = taken + parameters_.message_gap.ps();
    std::int64_t ready = taken + (reads || short_one ? 0 : fetching(planned.bytes));
    const std::int64_t before = requester.queue.empty() ? 0 : requester.queue.back().ready;
    ready = std::max(ready, before);
    const std::int64_t packets = planned.bytes == 0 ? 1 : (planned.bytes - 1) / mtu() + 1;
    requester.queue.push_back({message, planned.verb, planned.bytes, requester.total,
                               requester.total + packets, ready, planned.completes});
    requester.total += packets;
    if (ready <= now_)
      settle(direction);
    else if (ready != before)  // else what comes at that time looks at both
      later(ready, [this, direction] { settle(direction); });
  }

  std::int64_t fetching(std::int64_t bytes) const {
    return parameters_.fetch_latency.ps() +
           parameters_.fetch_per_byte.time_for(Bytes(std::min(bytes, mtu()))).ps();
  }
  std::int64_t into_memory(std::uint32_t host, std::int64_t bytes, bool completes = false,
                           bool whole = false) {
    const std::int64_t waits = buses_[host].write(now_, bytes, completes, whole);
    return now_ + parameters_.delivery_latency.ps() +
           parameters_.delivery_per_byte.time_for(Bytes(bytes)).ps() + waits;
  }

  static std::size_t wr_of(const Requester& requester, std::int64_t psn) {
    std::size_t place = 0;
    while (requester.queue[place].end <= psn) ++place;
    return place;
  }

  bool may_send(const Requester& requester) const {
    if (requester.failed || requester.waiting || requester.next == requester.total) return false;
    const std::size_t own = wr_of(requester, requester.next);
    const Wr& wr = requester.queue[own];
    std::int64_t messages = 0, reads = 0;
    for (std::size_t place = 0; place < own; ++place)
      if (requester.queue[place].end > requester.unacked) {
        ++messages;
        reads += requester.queue[place].verb == Verb::read ? 1 : 0;
      }
    return wr.ready <= now_ && requester.next - requester.unacked < parameters_.outstanding_packets &&
           messages < parameters_.outstanding_messages &&
           (wr.verb != Verb::read || reads < parameters_.outstanding_reads);
  }

  /// Lines up if it may send, starts or stops the timeout.
  void settle(const Direction& direction) {
    Requester& requester = requesters_[direction];
    const bool idle = may_send(requester) || requester.at_port || requester.waiting || requester.failed ||
                      requester.next == requester.unacked;
    if (idle)
      requester.timeout_at.reset();
    else if (parameters_.timeout > 0 && !requester.timeout_at)
      requester.timeout_at = now_ + (std::int64_t{4'096'000} << parameters_.timeout);
    if (may_send(requester) && !requester.at_port && !requester.in_line) {
      requester.in_line = true;
      hosts_[std::get<0>(direction)].line.emplace_back(direction, false);
      next_turn(std::get<0>(direction));
    }
  }

  void settle_responder(const Direction& direction) {
    Responder& responder = responders_[direction];
    if (!may_answer(responder) || responder.at_port || responder.in_line) return;
    responder.in_line = true;
    hosts_[std::get<1>(direction)].line.emplace_back(direction, true);
    next_turn(std::get<1>(direction));
  }

  bool may_answer(const Responder& responder) const {
    return !responder.owed.empty() && responder.owed.front().ready <= now_;
  }

  // ---- the port

  void next_turn(std::uint32_t number) {
    Host& host = hosts_[number];
    while (!host.sends && !host.line.empty()) {
      const auto [direction, answers] = host.line.front();
      if (fetches(direction, answers)) {
        const std::int64_t waits = buses_[number].until_read(now_);
        if (waits > 0) {
          if (host.wakes <= now_) later(host.wakes = now_ + waits, [this, number] { next_turn(number); });
          return;
        }
      }
      host.line.pop_front();
      if (answers) {
        responders_[direction].in_line = false;
        if (may_answer(responders_[direction])) answer(direction);
      } else {
        requesters_[direction].in_line = false;
        if (may_send(requesters_[direction])) request(direction);
      }
    }
  }

  /// Of the packet whose turn it is.
  bool fetches(const Direction& direction, bool answers) {
    if (answers) {
      const Responder& responder = responders_[direction];
      return may_answer(responder) && responder.owed.front().kind == 'd' && responder.owed.front().bytes > 0;
    }
    const Requester& requester = requesters_[direction];
    if (!may_send(requester)) return false;
    const Wr& wr = requester.queue[wr_of(requester, requester.next)];
    return wr.verb != Verb::read && wr.bytes > parameters_.inline_limit.count();
  }

  void transmit(std::uint32_t from, std::uint32_t to, std::int64_t extension, std::int64_t payload,
                std::function<void()> leaves, std::function<void()> arrives) {
    Host& host = hosts_[from];
    host.sends = true;
    const bool lost = lost_(from, host.injected++);
    const std::int64_t pad = (4 - payload % 4) % 4;
    const std::int64_t size = 12 + 4 + parameters_.global_header.count() + extension + payload + pad;
    const std::int64_t at = now_ + size * byte_time_;
    later(at, [this, from, what = std::move(leaves)] {
      hosts_[from].sends = false;
      what();
      next_turn(from);
    });
    if (!lost) later(at + latency_(from, to), std::move(arrives));
  }

  void request(const Direction& direction) {
    const auto [from, to, channel] = direction;
    Requester& requester = requesters_[direction];
    const std::int64_t psn = requester.next;
    const std::size_t place = wr_of(requester, psn);
    const Wr& wr = requester.queue[place];
    Packet packet{place, psn};
    packet.first = psn == wr.first;
    packet.first_time = psn >= requester.high;
    std::int64_t extension = 0, payload = 0;
    if (wr.verb == Verb::read) {
      requester.next = wr.end;
      packet.last = true;
      extension = 16;
    } else {
      requester.next = psn + 1;
      packet.last = psn + 1 == wr.end;
      const std::int64_t number = psn - wr.first + 1, every = parameters_.acknowledge_every;
      payload = std::min(mtu(), wr.bytes - (number - 1) * mtu());
      packet.asks = packet.last || (every > 0 && number % every == 0) ||
                    requester.next - requester.unacked == parameters_.outstanding_packets;
      if (wr.verb != Verb::send && packet.first) extension += 16;
      if (wr.verb == Verb::write_immediate && packet.last) extension += 4;
    }
    requester.high = std::max(requester.high, requester.next);
    requester.at_port = true;
    requester.timeout_at.reset();
    if (wr.bytes > parameters_.inline_limit.count()) buses_[from].read(now_, payload);
    const std::size_t message = wr.message;
    transmit(
        from, to, extension, payload,
        [this, direction, packet, message] {
          if (packet.first_time && packet.last) fates_[message].departed = now_;
          requesters_[direction].at_port = false;
          settle(direction);
        },
        [this, direction, packet] { request_comes(direction, packet); });
  }

  void answer(const Direction& direction) {
    const auto [from, to, channel] = direction;
    Responder& responder = responders_[direction];
    rc_reference::Owed& owed = responder.owed.front();
    const char kind = owed.kind;
    const std::int64_t psn = owed.psn;
    std::int64_t extension = 4, payload = 0;
    bool over = true;
    if (kind == 'd') {
      payload = std::min(mtu(), owed.bytes);
      owed.bytes -= payload;
      ++owed.psn;
      over = owed.psn == owed.end;
      if (owed.begun && !over) extension = 0;
      owed.begun = true;
    }
    if (over) responder.owed.pop_front();
    responder.at_port = true;
    buses_[to].read(now_, payload);
    transmit(
        to, from, extension, payload,
        [this, direction] {
          responders_[direction].at_port = false;
          settle_responder(direction);
        },
        [this, direction, kind, psn, payload] { answer_comes(direction, kind, psn, payload); });
  }

  // ---- the responder

  void request_comes(const Direction& direction, const Packet& packet) {
    const auto [from, to, channel] = direction;
    if (requesters_[direction].failed || requesters_[{to, from, channel}].failed) return;
    Responder& responder = responders_[direction];
    const Wr& wr = requesters_[direction].queue[packet.wr];
    const bool reads = wr.verb == Verb::read;
    if (packet.psn > responder.expected) {
      if (!responder.quiet) responder.owed.push_back({'n', responder.expected, 0, 0, now_});
      responder.quiet = true;
    } else if (packet.psn == responder.expected && rc_reference::needs_receive(wr, packet) &&
               !take_receive(responder)) {
      responder.owed.push_back({'r', packet.psn, 0, 0, now_});
      responder.quiet = true;
    } else {
      if (packet.psn == responder.expected) {
        responder.quiet = false;
        responder.expected = reads ? wr.end : packet.psn + 1;
        if (!reads) {
          const std::int64_t bytes = std::min(mtu(), wr.bytes - (packet.psn - wr.first) * mtu());
          if (rc_reference::needs_receive(wr, packet)) buses_[to].read_receive(now_);
          const bool completes = packet.last && wr.verb != Verb::write;
          responder.memory =
              std::max(responder.memory, into_memory(to, bytes, completes, packet.first && packet.last));
          if (packet.last) deliver(responder, wr);
        }
      }
      if (reads) {
        const std::int64_t bytes = wr.bytes - (packet.psn - wr.first) * mtu();
        const std::int64_t at = now_ + fetching(bytes);
        responder.owed.push_back({'d', packet.psn, wr.end, bytes, at});
        if (at > now_) later(at, [this, direction] { settle_responder(direction); });
      } else if (packet.asks) {
        if (!responder.owed.empty() && responder.owed.back().kind == 'a') responder.owed.pop_back();
        responder.owed.push_back({'a', responder.expected - 1, 0, 0, now_});
      }
    }
    settle_responder(direction);
  }

  bool take_receive(Responder& responder) const {
    if (parameters_.receives == 0) return true;
    const auto back = std::count_if(responder.posted_again.begin(), responder.posted_again.end(),
                                    [this](std::int64_t at) { return at <= now_; });
    if (responder.taken - back >= parameters_.receives) return false;
    ++responder.taken;
    return true;
  }

  void deliver(Responder& responder, const Wr& wr) {
    std::int64_t at = responder.memory;
    if (wr.verb != Verb::write) {
      at += parameters_.completion_latency.ps();
      responder.posted_again.push_back(at + parameters_.repost.ps());
    }
    fates_[wr.message].delivered = at;
  }

  // ---- the requester

  void answer_comes(const Direction& direction, char kind, std::int64_t psn, std::int64_t payload) {
    Requester& requester = requesters_[direction];
    if (requester.failed || psn < requester.unacked) return;
    // All before `covered` would be acknowledged, if no response were missing.
    const std::int64_t covered = kind == 'n' || kind == 'r' ? psn : psn + 1;
    std::int64_t missing = covered;
    for (const Wr& wr : requester.queue)
      if (wr.verb == Verb::read && wr.end > requester.unacked && wr.first < covered) {
        missing = std::max(wr.first, requester.unacked);
        break;
      }
    if (kind == 'd' && missing == covered) return;  // of a read that is complete
    if (kind == 'd' && missing == psn) {
      requester.memory = std::max(requester.memory, into_memory(std::get<0>(direction), payload));
      acknowledge(direction, covered);
    } else if (missing < covered) {
      acknowledge(direction, missing);
      if (requester.acted_on != missing) {
        requester.acted_on = missing;
        repeat(direction);
      }
    } else {
      acknowledge(direction, covered);
      if (kind == 'n') repeat(direction);
      if (kind == 'r' && !requester.waiting) wait(direction);
    }
    settle(direction);
  }

  void acknowledge(const Direction& direction, std::int64_t up_to) {
    Requester& requester = requesters_[direction];
    if (up_to <= requester.unacked) return;
    for (const Wr& wr : requester.queue) {
      if (wr.end <= requester.unacked || wr.end > up_to) continue;
      if (wr.verb == Verb::read)
        fates_[wr.message].delivered = requester.memory + parameters_.completion_latency.ps();
      else if (wr.completes)
        fates_[wr.message].completed =
            std::max(now_ + parameters_.completion_latency.ps(), fates_[wr.message].delivered.value());
    }
    requester.unacked = up_to;
    requester.next = std::max(requester.next, up_to);
    requester.retries = requester.rnr_retries = 0;
    requester.timeout_at.reset();
  }

  void repeat(const Direction& direction) {
    Requester& requester = requesters_[direction];
    if (++requester.retries > parameters_.retry_count) return fail(direction);
    requester.next = requester.unacked;
  }

  void wait(const Direction& direction) {
    Requester& requester = requesters_[direction];
    if (parameters_.rnr_retry != 7 && ++requester.rnr_retries > parameters_.rnr_retry) return fail(direction);
    requester.next = requester.unacked;
    requester.waiting = true;
    requester.wait_ends = now_ + parameters_.rnr_timer.ps();
  }

  void fail(const Direction& direction) {
    const auto [from, to, channel] = direction;
    Requester& requester = requesters_[direction];
    requester.failed = true;
    for (const Wr& wr : requester.queue) {
      if (wr.end <= requester.unacked) continue;
      const bool accepted = wr.verb != Verb::read && responders_[direction].expected >= wr.end;
      if (!accepted || wr.completes)
        fates_[wr.message].returned = std::max(now_, fates_[wr.message].delivered.value_or(now_));
    }
    responders_[{to, from, channel}].owed.clear();
  }

  RcParameters parameters_;
  std::int64_t byte_time_;
  Latency latency_;
  Lost lost_;
  std::vector<Host> hosts_;
  std::vector<ReferencePcie> buses_;  // by host; none without limits
  std::map<Direction, Requester> requesters_;
  std::map<Direction, Responder> responders_;
  std::vector<rc_reference::Entry> agenda_;
  std::vector<RcFate> fates_;
  std::int64_t now_ = 0;
  bool had_ties_ = false;
};

}  // namespace morgana::testing
