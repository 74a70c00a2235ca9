#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "emulator/transport/gobackn/go_back_n.h"
#include "tests/transport/harness.h"

namespace morgana::testing {

/// The rules of GoBackN's header over LossyNetwork's ports, written down plainly: every unit of a connection
/// is kept for ever, every timer is looked at after every step. It does not say what comes first of two
/// things that happen in the same picosecond; it says that there were such.
class ReferenceGoBackN {
 public:
  using Lost = std::function<bool(std::uint32_t port, std::uint64_t ordinal)>;
  using Latency = std::function<std::int64_t(std::uint32_t from, std::uint32_t to)>;

  ReferenceGoBackN(const GoBackNParameters& parameters, std::size_t hosts, std::int64_t largest_unit,
                   std::int64_t byte_time, Latency latency, Lost lost)
      : parameters_(parameters),
        room_(largest_unit - parameters.header.count()),
        byte_time_(byte_time),
        latency_(std::move(latency)),
        lost_(std::move(lost)),
        hosts_(hosts) {}

  std::vector<Fate> run(const std::vector<Planned>& plan) {
    fates_.assign(plan.size(), {});
    for (std::size_t message = 0; message < plan.size(); ++message)
      agenda_.push_back({plan[message].at.ps(), [this, &plan, message] { cut(plan[message], message); }});
    while (step()) {
    }
    return fates_;
  }

  bool had_ties() const { return had_ties_; }

 private:
  using Pair = std::pair<std::uint32_t, std::uint32_t>;
  struct DataUnit {
    std::int64_t bytes;
    std::size_t message;
    bool last;
    bool sent_before = false;
  };
  struct Sender {
    std::vector<DataUnit> units;
    std::size_t acknowledged = 0, next = 0;
    bool at_port = false, in_line = false;
    std::int64_t patience = 1;
    std::optional<std::int64_t> time_out;
  };
  struct Receiver {
    std::size_t expected = 0;
    std::size_t owed = 0;
    bool due = false;
    std::optional<std::int64_t> due_at;
  };
  struct Host {
    bool port_taken = false;
    std::deque<Pair> line;
    std::uint64_t injected = 0;
  };
  struct Entry {
    std::int64_t at;
    std::function<void()> what;
  };

  bool step() {
    std::vector<std::int64_t> times;
    for (const Entry& entry : agenda_) times.push_back(entry.at);
    for (const auto& [pair, sender] : senders_)
      if (sender.time_out) times.push_back(*sender.time_out);
    for (const auto& [pair, receiver] : receivers_)
      if (receiver.due_at) times.push_back(*receiver.due_at);
    if (times.empty()) return false;
    now_ = *std::min_element(times.begin(), times.end());
    if (std::count(times.begin(), times.end(), now_) > 1) had_ties_ = true;
    for (auto& [pair, sender] : senders_)
      if (sender.time_out == now_) {
        sender.time_out.reset();
        sender.patience = std::min<std::int64_t>(2 * sender.patience, 64);
        sender.next = sender.acknowledged;
        look_after(pair);
        return true;
      }
    for (auto& [pair, receiver] : receivers_)
      if (receiver.due_at == now_) {
        receiver.due_at.reset();
        receiver.due = true;
        join_line({pair.second, pair.first});
        return true;
      }
    const auto entry =
        std::find_if(agenda_.begin(), agenda_.end(), [this](const Entry& e) { return e.at == now_; });
    const auto what = std::move(entry->what);
    agenda_.erase(entry);
    what();
    return true;
  }

  void cut(const Planned& planned, std::size_t message) {
    Sender& sender = senders_[{planned.from, planned.to}];
    std::int64_t left = planned.bytes;
    do {
      const std::int64_t bytes = std::min(left, room_);
      left -= bytes;
      sender.units.push_back({bytes, message, left == 0});
    } while (left > 0);
    look_after({planned.from, planned.to});
  }

  bool may_send(const Sender& sender) const {
    return sender.next < sender.units.size() && sender.next - sender.acknowledged < parameters_.window;
  }

  void look_after(Pair pair) {
    Sender& sender = senders_[pair];
    sender.time_out.reset();
    if (sender.at_port) return;
    if (may_send(sender))
      join_line(pair);
    else if (sender.acknowledged < sender.next)
      sender.time_out = now_ + sender.patience * parameters_.retransmit_after.ps();
  }

  void join_line(Pair pair) {
    if (senders_[pair].in_line) return;
    senders_[pair].in_line = true;
    hosts_[pair.first].line.push_back(pair);
    next_turn(pair.first);
  }

  void next_turn(std::uint32_t number) {
    Host& host = hosts_[number];
    while (!host.port_taken && !host.line.empty()) {
      const Pair pair = host.line.front();
      host.line.pop_front();
      Sender& sender = senders_[pair];
      Receiver& opposite = receivers_[{pair.second, pair.first}];
      sender.in_line = false;
      const bool data = may_send(sender);
      if (!data && !opposite.due) continue;
      opposite.owed = 0;
      opposite.due = false;
      opposite.due_at.reset();
      const std::size_t ordinal = sender.next;
      if (data) {
        sender.at_port = true;
        ++sender.next;
      }
      transmit(pair, data ? std::optional(ordinal) : std::nullopt, opposite.expected);
    }
  }

  void transmit(Pair pair, std::optional<std::size_t> ordinal, std::size_t acknowledges) {
    Host& host = hosts_[pair.first];
    host.port_taken = true;
    const bool lost = lost_(pair.first, host.injected++);
    const std::int64_t bytes =
        parameters_.header.count() + (ordinal ? senders_[pair].units[*ordinal].bytes : 0);
    const std::int64_t leaves = now_ + bytes * byte_time_;
    agenda_.push_back({leaves, [this, pair, ordinal] { leave(pair, ordinal); }});
    if (lost) return;
    agenda_.push_back({leaves + latency_(pair.first, pair.second),
                       [this, pair, ordinal, acknowledges] { arrive(pair, ordinal, acknowledges); }});
  }

  void leave(Pair pair, std::optional<std::size_t> ordinal) {
    hosts_[pair.first].port_taken = false;
    if (ordinal) {
      Sender& sender = senders_[pair];
      DataUnit& unit = sender.units[*ordinal];
      if (unit.last && !unit.sent_before) fates_[unit.message].departed = SimTime::from_ps(now_);
      unit.sent_before = true;
      sender.at_port = false;
      look_after(pair);
    }
    next_turn(pair.first);
  }

  void arrive(Pair pair, std::optional<std::size_t> ordinal, std::size_t acknowledges) {
    Receiver& receiver = receivers_[pair];
    const DataUnit* unit = ordinal ? &senders_[pair].units[*ordinal] : nullptr;
    if (unit != nullptr && *ordinal <= receiver.expected) ++receiver.owed;
    if (unit != nullptr && *ordinal == receiver.expected) {
      ++receiver.expected;
      if (unit->last) fates_[unit->message].delivered = SimTime::from_ps(now_);
    }
    const Pair back{pair.second, pair.first};
    Sender& sender = senders_[back];
    if (acknowledges > sender.acknowledged) {
      sender.acknowledged = acknowledges;
      sender.next = std::max(sender.next, acknowledges);
      sender.patience = 1;
      look_after(back);
    }
    if (unit == nullptr) return;
    if (receiver.owed >= parameters_.acknowledge_every) {
      receiver.due = true;
      join_line(back);
    } else if (receiver.owed > 0 && !receiver.due && !receiver.due_at) {
      receiver.due_at = now_ + parameters_.acknowledge_delay.ps();
    }
  }

  GoBackNParameters parameters_;
  std::int64_t room_, byte_time_;
  Latency latency_;
  Lost lost_;
  std::vector<Host> hosts_;
  std::map<Pair, Sender> senders_;
  std::map<Pair, Receiver> receivers_;
  std::vector<Entry> agenda_;
  std::vector<Fate> fates_;
  std::int64_t now_ = 0;
  bool had_ties_ = false;
};

}  // namespace morgana::testing
