#pragma once

#include <deque>
#include <functional>
#include <map>
#include <utility>

#include "emulator/transport/sscop/sscop.h"
#include "tests/support/plan.h"
#include "tests/transport/assured/reference_sscop.h"
#include "tests/transport/handed_frame.h"

namespace morgana::testing {

/// Connections over LossyCells with their phases and timers, by docs/atm-protocols.md: an agenda is searched
/// for what comes next, every timer is looked at after every step. It does not say what comes first of two
/// things that happen in the same picosecond; it says that there were such.
class ReferenceSscop {
 public:
  using Lost = std::function<bool(std::uint32_t port, std::uint64_t ordinal)>;

  ReferenceSscop(const SscopParameters& parameters, std::size_t hosts, std::int64_t byte_time,
                 std::int64_t latency, Lost lost)
      : parameters_(parameters),
        byte_time_(byte_time),
        latency_(latency),
        lost_(std::move(lost)),
        ports_(hosts) {}

  /// Up to before `end`: polls would go on for ever.
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
  std::uint32_t idle_polls = 0;

 private:
  using Pair = std::pair<std::uint32_t, std::uint32_t>;
  using Deadline = std::optional<std::int64_t>;
  struct UserPiece {
    std::size_t message;
    std::int64_t bytes;
    bool ends;
  };
  struct State {
    explicit State(const SscopParameters& parameters)
        : sender(parameters.first, parameters.window),
          receiver(parameters.first, parameters.window, parameters.longest_list) {}
    ReferenceSscopSender sender;
    ReferenceSscopReceiver receiver;
    std::vector<UserPiece> pieces;
    std::deque<std::size_t> undelivered;
    Deadline poll, keep_alive, no_response, idle;
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
    std::vector<std::pair<std::int64_t, std::function<void()>>> due;
    for (auto& [pair, line] : lines_) {
      const Pair p = pair;
      State& s = line.state;
      if (s.poll) due.emplace_back(*s.poll, [this, p] { poll_ran_out(p); });
      if (s.keep_alive) due.emplace_back(*s.keep_alive, [this, p] { keep_alive_ran_out(p); });
      if (s.no_response) due.emplace_back(*s.no_response, [this, p] { release(p); });
      if (s.idle) due.emplace_back(*s.idle, [this, p] { idle_ran_out(p); });
    }
    const std::size_t timers = due.size();
    for (const Entry& entry : agenda_) due.emplace_back(entry.at, entry.what);
    if (due.empty()) return false;
    const auto first = std::min_element(due.begin(), due.end(),
                                        [](const auto& a, const auto& b) { return a.first < b.first; });
    if (first->first > end) return false;
    now_ = first->first;
    if (std::count_if(due.begin(), due.end(), [this](const auto& d) { return d.first == now_; }) > 1)
      had_ties = true;
    const auto place = static_cast<std::size_t>(first - due.begin());
    if (place >= timers) agenda_.erase(agenda_.begin() + static_cast<std::ptrdiff_t>(place - timers));
    first->second();
    return true;
  }

  State& state(Pair pair) { return lines_.at(pair).state; }

  void cut(const Planned& planned, std::size_t message) {
    const Pair pair{planned.from, planned.to};
    State& s = lines_.try_emplace(pair, Line{State(parameters_)}).first->second.state;
    s.undelivered.push_back(message);
    const std::int64_t room = parameters_.frame.count();
    for (std::int64_t rest = planned.bytes;; rest -= room) {
      s.pieces.push_back({message, std::min(rest, room), rest <= room});
      s.sender.append();
      if (rest <= room) break;
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
      const UserPiece piece = s.pieces.at(static_cast<std::size_t>(data->ns - Count{parameters_.first}));
      ++line.in_interface;
      const int release_of = line.releases;
      const bool tells = data->first_time && piece.ends;
      const std::int64_t leaves = hand(
          pair, (piece.bytes + 3) / 4 * 4 + 4,
          [this, pair, ns = data->ns] { data_came(pair, on_the_wire(ns)); }, false);
      agenda_.push_back({leaves, [this, pair, release_of, tells, piece] {
                           --lines_.at(pair).in_interface;
                           if (tells && release_of == lines_.at(pair).releases)
                             fates[piece.message].departed = SimTime::from_ps(now_);
                           send_what_may_go(pair);
                         }});
      s.keep_alive.reset();
      s.idle.reset();
      if (!s.no_response) s.no_response = now_ + parameters_.no_response.ps();
      const bool full = parameters_.poll_every > 0 && s.sender.vt_pd >= Count{parameters_.poll_every};
      if (full) send_poll(pair);
      if (full || !s.poll) s.poll = now_ + parameters_.poll.ps();
    }
  }

  /// @return when the frame, of so many octets before AAL5's 8 more, has left the interface
  std::int64_t hand(Pair connection, std::int64_t octets, std::function<void()> arrives, bool back) {
    const std::uint32_t from = back ? connection.second : connection.first;
    const std::uint32_t to = back ? connection.first : connection.second;
    const std::int64_t bytes = (octets + 8 + 47) / 48 * 53;
    handed.push_back({now_, from, to, bytes});
    Port& port = ports_[from];
    const bool lost = lost_(from, port.injected++);
    port.free = std::max(port.free, now_) + bytes * byte_time_;
    if (!lost)
      agenda_.push_back({port.free + latency_, [this, connection, arrives = std::move(arrives),
                                                release_of = lines_.at(connection).releases] {
                           if (release_of == lines_.at(connection).releases) arrives();
                         }});
    return port.free;
  }

  void send_poll(Pair pair) {
    const sscop::Poll poll = state(pair).sender.poll();
    hand(
        pair, 8,
        [this, pair, poll] {
          for (const sscop::Stat& stat : state(pair).receiver.take(poll))
            hand(
                pair, 12 + 4 * static_cast<std::int64_t>(stat.list.size()),
                [this, pair, stat] {
                  if (state(pair).sender.take(stat)) answered(pair);
                  send_what_may_go(pair);
                },
                true);
        },
        false);
  }

  void data_came(Pair pair, sscop::Number ns) {
    State& s = state(pair);
    std::vector<Count> in_order;
    if (const auto ustat = s.receiver.take(ns, in_order))
      hand(
          pair, 16,
          [this, pair, told = *ustat] {
            state(pair).sender.take(told);
            send_what_may_go(pair);
          },
          true);
    for (const Count count : in_order) {
      const UserPiece& piece = s.pieces.at(static_cast<std::size_t>(count - Count{parameters_.first}));
      if (!piece.ends) continue;
      s.undelivered.pop_front();
      fates[piece.message].delivered = SimTime::from_ps(now_);
    }
  }

  void poll_ran_out(Pair pair) {
    State& s = state(pair);
    s.poll.reset();
    send_poll(pair);
    if (s.sender.active())
      s.poll = now_ + parameters_.poll.ps();
    else
      s.keep_alive = now_ + parameters_.keep_alive.ps();
  }
  void keep_alive_ran_out(Pair pair) {
    send_poll(pair);
    state(pair).keep_alive = now_ + parameters_.keep_alive.ps();
  }
  void idle_ran_out(Pair pair) {
    State& s = state(pair);
    ++idle_polls;
    s.idle.reset();
    s.no_response = now_ + parameters_.no_response.ps();
    keep_alive_ran_out(pair);
  }
  void answered(Pair pair) {
    State& s = state(pair);
    if (s.poll) {
      s.no_response = now_ + parameters_.no_response.ps();
    } else if (s.keep_alive) {
      s.keep_alive.reset();
      s.no_response.reset();
      s.idle = now_ + parameters_.idle.ps();
    }
  }
  void release(Pair pair) {
    Line& line = lines_.at(pair);
    for (const std::size_t message : line.state.undelivered) fates[message].returned = SimTime::from_ps(now_);
    line.state = State(parameters_);
    ++line.releases;
  }

  SscopParameters parameters_;
  std::int64_t byte_time_, latency_;
  Lost lost_;
  std::vector<Port> ports_;
  std::map<Pair, Line> lines_;
  std::vector<Entry> agenda_;
  std::int64_t now_ = 0;
};

}  // namespace morgana::testing
