#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "emulator/transport/pcaal/parameters.h"
#include "tests/support/plan.h"
#include "tests/transport/assured/reference_pcaal.h"
#include "tests/transport/handed_frame.h"

namespace morgana::testing::pcaal_reference {

/// Connections over LossyCells with their timers, by docs/atm-protocols.md: an agenda is searched for what
/// comes next, every timer is looked at after every step. It does not say what comes first of two things that
/// happen in the same picosecond; it says that there were such.
class Transport {
 public:
  using Lost = std::function<bool(std::uint32_t port, std::uint64_t ordinal)>;

  Transport(const PcAalParameters& parameters, std::size_t hosts, std::int64_t byte_time,
            std::int64_t latency, Lost lost)
      : parameters_(parameters),
        byte_time_(byte_time),
        latency_(latency),
        lost_(std::move(lost)),
        ports_(hosts) {}

  /// Up to before `end`.
  void run(const std::vector<Planned>& plan, std::int64_t end) {
    fates.assign(plan.size(), {});
    for (std::size_t message = 0; message < plan.size(); ++message)
      agenda_.push_back({plan[message].at.ps(), [this, &plan, message] { cut(plan[message], message); }});
    while (step(end)) {
    }
  }

  std::vector<Fate> fates;
  std::vector<HandedFrame> handed;
  bool had_ties = false;
  std::uint32_t long_stats = 0;

 private:
  using Pair = std::pair<std::uint32_t, std::uint32_t>;
  using Deadline = std::optional<std::int64_t>;
  struct State {
    explicit State(const PcAalParameters& parameters)
        : sender(parameters.first, parameters.window), receiver(parameters.first, parameters.window) {}
    Sender sender;
    Receiver receiver;
    std::vector<std::pair<std::size_t, bool>> cells;  ///< of which message, and whether it ends that
    std::deque<std::size_t> undelivered;
    Deadline poll, no_response;
  };
  struct Line {
    State state;
    int in_interface = 0;
    int releases = 0;
  };
  struct Port {
    std::int64_t free = 0;
    std::uint64_t injected = 0;
  };
  struct Entry {
    std::int64_t at;
    std::function<void()> what;
  };

  bool step(std::int64_t end) {
    std::vector<Entry> due;
    for (auto& [pair, line] : lines_) {
      const Pair p = pair;
      if (line.state.poll) due.push_back({*line.state.poll, [this, p] { poll_ran_out(p); }});
      if (line.state.no_response) due.push_back({*line.state.no_response, [this, p] { release(p); }});
    }
    const std::size_t timers = due.size();
    due.insert(due.end(), agenda_.begin(), agenda_.end());
    if (due.empty()) return false;
    const auto first =
        std::min_element(due.begin(), due.end(), [](const Entry& a, const Entry& b) { return a.at < b.at; });
    if (first->at > end) return false;
    now_ = first->at;
    if (std::count_if(due.begin(), due.end(), [this](const Entry& e) { return e.at == now_; }) > 1)
      had_ties = true;
    const auto place = static_cast<std::size_t>(first - due.begin());
    if (place >= timers) agenda_.erase(agenda_.begin() + static_cast<std::ptrdiff_t>(place - timers));
    first->what();
    return true;
  }

  State& state(Pair pair) { return lines_.at(pair).state; }

  /// A cell holds whole elements: as many as go into its 37 or 35 octets, or one.
  std::int64_t room() const {
    const std::int64_t element = parameters_.element.count();
    return parameters_.packing == pcaal::Packing::single ? element : 35 / element * element;
  }

  void cut(const Planned& planned, std::size_t message) {
    const Pair pair{planned.from, planned.to};
    State& s = lines_.try_emplace(pair, Line{State(parameters_)}).first->second.state;
    s.undelivered.push_back(message);
    for (std::int64_t rest = planned.bytes;; rest -= room()) {
      s.cells.emplace_back(message, rest <= room());
      s.sender.append();
      if (rest <= room()) break;
    }
    send_what_may_go(pair);
  }

  void send_what_may_go(Pair pair) {
    Line& line = lines_.at(pair);
    State& s = line.state;
    while (line.in_interface < 2) {
      const auto data = s.sender.next();
      if (!data) return;
      if (parameters_.tries > 0 && data->repetitions > parameters_.tries) return release(pair);
      const auto [message, ends] = s.cells.at(static_cast<std::size_t>(data->ns - Count{parameters_.first}));
      ++line.in_interface;
      const bool tells = data->first_time && ends;
      const std::int64_t leaves = hand(
          pair, [this, pair, ns = data->ns] { data_came(pair, on_the_wire(ns)); }, false);
      agenda_.push_back({leaves, [this, pair, release_of = line.releases, tells, message = message] {
                           --lines_.at(pair).in_interface;
                           if (tells && release_of == lines_.at(pair).releases)
                             fates[message].departed = SimTime::from_ps(now_);
                           send_what_may_go(pair);
                         }});
      if (!s.poll) s.poll = now_ + parameters_.poll.ps();
      if (!s.no_response) s.no_response = now_ + parameters_.no_response.ps();
    }
  }

  /// @return when the cell has left the interface
  std::int64_t hand(Pair connection, std::function<void()> arrives, bool back) {
    const std::uint32_t from = back ? connection.second : connection.first;
    const std::uint32_t to = back ? connection.first : connection.second;
    handed.push_back({now_, from, to, 53});
    Port& port = ports_[from];
    const bool lost = lost_(from, port.injected++);
    port.free = std::max(port.free, now_) + 53 * byte_time_;
    if (!lost)
      agenda_.push_back({port.free + latency_, [this, connection, arrives = std::move(arrives),
                                                release_of = lines_.at(connection).releases] {
                           if (release_of == lines_.at(connection).releases) arrives();
                         }});
    return port.free;
  }

  void poll_ran_out(Pair pair) {
    State& s = state(pair);
    s.poll.reset();
    if (!s.sender.active()) return s.no_response.reset();
    const pcaal::Poll poll = s.sender.poll();
    hand(
        pair, [this, pair, poll] { poll_came(pair, poll); }, false);
    s.poll = now_ + parameters_.poll.ps();
  }

  void poll_came(Pair pair, const pcaal::Poll& poll) {
    const auto cells = state(pair).receiver.take(poll);
    long_stats += cells.size() > 1 ? 1 : 0;
    for (const pcaal::Stat& stat : cells)
      hand(
          pair,
          [this, pair, stat] {
            State& s = state(pair);
            if (s.sender.take(stat) && s.no_response) s.no_response = now_ + parameters_.no_response.ps();
            send_what_may_go(pair);
          },
          true);
  }

  void data_came(Pair pair, pcaal::Number ns) {
    State& s = state(pair);
    std::vector<Count> in_order;
    if (const auto ustat = s.receiver.take(ns, in_order))
      hand(
          pair,
          [this, pair, told = *ustat] {
            state(pair).sender.take(told);
            send_what_may_go(pair);
          },
          true);
    for (const Count count : in_order) {
      const auto [message, ends] = s.cells.at(static_cast<std::size_t>(count - Count{parameters_.first}));
      if (!ends) continue;
      s.undelivered.pop_front();
      fates[message].delivered = SimTime::from_ps(now_);
    }
  }

  void release(Pair pair) {
    Line& line = lines_.at(pair);
    for (const std::size_t message : line.state.undelivered) fates[message].returned = SimTime::from_ps(now_);
    line.state = State(parameters_);
    ++line.releases;
  }

  PcAalParameters parameters_;
  std::int64_t byte_time_, latency_;
  Lost lost_;
  std::vector<Port> ports_;
  std::map<Pair, Line> lines_;
  std::vector<Entry> agenda_;
  std::int64_t now_ = 0;
};

}  // namespace morgana::testing::pcaal_reference
