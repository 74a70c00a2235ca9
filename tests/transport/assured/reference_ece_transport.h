#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "emulator/network/cells.h"
#include "emulator/transport/ece/parameters.h"
#include "tests/support/plan.h"
#include "tests/transport/assured/reference_ece.h"
#include "tests/transport/assured/reference_ece_clock.h"

namespace morgana::testing::ece_reference {

struct HandedCell {
  std::int64_t at;  ///< ps
  std::uint32_t from, to;
  ServiceCategory category;
  auto operator<=>(const HandedCell&) const = default;
};

inline std::ostream& operator<<(std::ostream& out, const HandedCell& cell) {
  return out << cell.at << " ps: " << cell.from << " to " << cell.to << ", category "
             << static_cast<int>(cell.category);
}

/// What CategoryCells is told, and the transport's parameters.
struct Surroundings {
  EceParameters parameters;
  std::size_t hosts = 2;
  std::int64_t cell_time = 0, abr_cell_time = 0, abr_pitch = 0, arrival_pitch = 0;  ///< ps
  std::int64_t least_latency =
      0;  ///< of a cell through the empty network, which a told time is thought to take
  std::function<std::int64_t(ServiceCategory, std::int64_t leaves)> latency;
  /// @param ordinal  of the cells of this pair and category, from 0
  std::function<bool(std::uint32_t from, std::uint32_t to, ServiceCategory, std::uint64_t ordinal)> lost;
};

/// Connections of ECE over CategoryCells, by docs/atm-protocols.md: an agenda is searched for what comes
/// next, every timer is looked at after every step. Senders go by their own clocks, receivers by what they
/// take for these. It does not say what comes first of two things of a pair that happen in the same
/// picosecond; it says that there were such.
class Transport {
 public:
  explicit Transport(Surroundings surroundings)
      : s_(std::move(surroundings)), p_(s_.parameters), port_free_(s_.hosts) {}

  /// Up to `end`.
  void run(const std::vector<Planned>& plan, std::int64_t end) {
    fates.assign(plan.size(), {});
    for (std::size_t message = 0; message < plan.size(); ++message)
      at(plan[message].at.ps(), [this, &plan, message] { cut(plan[message], message); });
    while (step(end)) {
    }
  }

  std::vector<Fate> fates;
  std::vector<HandedCell> handed;
  bool had_ties = false;
  std::uint64_t changes = 0, missing = 0, retransmit3 = 0, long_lstats = 0, told_by_stat = 0, releases = 0,
                times_told = 0;

 private:
  using Pair = std::pair<std::uint32_t, std::uint32_t>;
  using Category = ServiceCategory;
  using What = Receiver::What;
  struct State {
    State(Kind kind, const EceParameters& p)
        : sender(kind, p.first, p.window),
          receiver(kind, p.first, p.window, p.upper.ps() / 1'000'000, p.lower.ps() / 1'000'000) {}
    Sender sender;
    Receiver receiver;
    std::vector<std::pair<std::size_t, bool>> cells;  ///< of which message, and whether it ends that
    std::deque<std::size_t> undelivered;
    std::optional<std::int64_t> no_response;
  };
  struct Line {
    State state;
    Clock sender;
    ToldClock receiver;
    std::int64_t begin;             ///< on the sender's clock: the first monitoring cell
    std::int64_t next_telling;      ///< of the time
    std::int64_t sent = 0;          ///< monitoring cells
    std::int64_t not_come = 0;      ///< the first of these that has neither come nor been missed, from 0
    std::uint32_t monitorings = 0;  ///< since the last release
    std::map<Category, int> in_interface = {};  ///< SDs that count
    int releases = 0;
  };
  struct Channel {
    std::int64_t left = 0, came = 0;
    std::uint64_t cells = 0;
  };
  struct Entry {
    std::int64_t at;
    std::function<void()> what;
  };

  Kind kind() const {
    return p_.engine == ece::LatencyEngine::switching ? Kind::switching : Kind::duplicating;
  }
  void at(std::int64_t when, std::function<void()> what) { agenda_.push_back({when, std::move(what)}); }
  State& state(Pair pair) { return lines_.at(pair).state; }
  /// What the sender stamps, and what the receiver holds against that.
  std::int64_t senders_stamp(Pair pair) { return lines_.at(pair).sender.shows(now_) / 1'000'000; }
  std::int64_t receivers_stamp(Pair pair) { return lines_.at(pair).receiver.shows(now_) / 1'000'000; }
  std::int64_t monitoring_sent(const Line& line, std::int64_t number) const {
    return line.begin + number * p_.monitoring.ps();
  }
  bool clocks_are_told() const { return p_.resynchronisation > SimTime(); }

  bool step(std::int64_t end) {
    std::vector<Entry> due;
    for (auto& [pair, line] : lines_) {
      const Pair p = pair;
      due.push_back({line.sender.first_showing(monitoring_sent(line, line.sent)), [this, p] { monitor(p); }});
      const std::int64_t missed =
          line.receiver.first_showing(monitoring_sent(line, line.not_come) + p_.missing.ps());
      due.push_back({std::max(missed, now_), [this, p] { miss(p); }});
      if (clocks_are_told()) due.push_back({line.next_telling, [this, p] { tell_time(p); }});
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
    const auto what = first->what;
    if (place >= timers) agenda_.erase(agenda_.begin() + static_cast<std::ptrdiff_t>(place - timers));
    what();
    return true;
  }

  void cut(const Planned& planned, std::size_t message) {
    const Pair pair{planned.from, planned.to};
    State& state = line_between(pair).state;
    state.undelivered.push_back(message);
    // A cell holds whole elements, of 32 octets at most.
    const std::int64_t room = 32 / p_.element.count() * p_.element.count();
    for (std::int64_t rest = planned.bytes;; rest -= room) {
      state.cells.emplace_back(message, rest <= room);
      state.sender.append();
      if (rest <= room) break;
    }
    send_what_may_go(pair);
  }

  Line& line_between(Pair pair) {
    const Clock sender(pair.first, s_.hosts, p_.drift.ps()), receiver(pair.second, s_.hosts, p_.drift.ps());
    return lines_
        .try_emplace(pair, Line{State(kind(), p_), sender, ToldClock(receiver, sender, now_),
                                sender.shows(now_) + p_.monitoring.ps(), now_ + p_.resynchronisation.ps()})
        .first->second;
  }

  std::pair<std::size_t, bool> piece(Pair pair, Count ns) {
    return state(pair).cells.at(static_cast<std::size_t>(ns - Count{p_.first}));
  }

  void send_what_may_go(Pair pair) {
    Line& line = lines_.at(pair);
    State& state = line.state;
    for (;;) {
      const Ways ways = state.sender.ways_of_data();
      const Category counts = ways.ordinary ? Category::ubr : Category::abr;
      if (line.in_interface[counts] >= 2) return;
      const auto data = state.sender.next();
      if (!data) return;
      if (p_.tries > 0 && data->repetitions > p_.tries) return release(pair);
      state.sender.note_sent(data->ns, senders_stamp(pair));
      for (const Category category : {Category::ubr, Category::abr})
        if (category == Category::ubr ? ways.ordinary : ways.backup)
          send_data(pair, *data, category, category == counts);
      if (!state.no_response) state.no_response = now_ + p_.no_response.ps();
    }
  }

  void send_data(Pair pair, const Sender::Handed& data, Category category, bool counts) {
    const auto [message, ends] = piece(pair, data.ns);
    Line& line = lines_.at(pair);
    if (counts) ++line.in_interface[category];
    const std::int64_t leaves = hand_data(pair, data.ns, category);
    at(leaves, [this, pair, category, counts, ends = ends, message = message, release_of = line.releases] {
      if (ends && release_of == lines_.at(pair).releases) tell_departure(message);
      if (!counts) return;
      --lines_.at(pair).in_interface[category];
      send_what_may_go(pair);
    });
  }

  /// The first copy or repetition that leaves tells.
  void tell_departure(std::size_t message) {
    if (!fates[message].departed && !fates[message].returned)
      fates[message].departed = SimTime::from_ps(now_);
  }
  /// @return when it has left
  std::int64_t hand_data(Pair pair, Count ns, Category category) {
    return hand(pair, category, [this, pair, category, number = on_the_wire(ns), sent = senders_stamp(pair)] {
      data_came(pair, number, category, sent);
    });
  }

  std::int64_t hand(Pair pair, Category category, std::function<void()> arrives) {
    const bool back = category == Category::vbr;
    const std::uint32_t from = back ? pair.second : pair.first, to = back ? pair.first : pair.second;
    Channel& channel = channels_[{from, to, category}];
    handed.push_back({now_, from, to, category});
    const bool lost = s_.lost(from, to, category, channel.cells++);
    if (category == Category::abr) {
      channel.left = std::max(now_ + s_.abr_cell_time, channel.left + s_.abr_pitch);
    } else {
      channel.left = std::max(port_free_[from], now_) + s_.cell_time;
      port_free_[from] = channel.left;
    }
    channel.came =
        std::max(channel.came + s_.arrival_pitch, channel.left + s_.latency(category, channel.left));
    if (!lost)
      at(channel.came, [this, pair, arrives = std::move(arrives), release_of = lines_.at(pair).releases] {
        if (release_of == lines_.at(pair).releases) arrives();
      });
    return channel.left;
  }

  /// Each T_LME.
  void monitor(Pair pair) {
    Line& line = lines_.at(pair);
    const std::int64_t sent = senders_stamp(pair), number = line.sent++;
    const bool polls = ++line.monitorings % p_.polls == 0;
    const Ways ways = line.state.sender.ways_of_poll();
    if (polls) {
      const Category category = ways.ordinary ? Category::ubr : Category::abr;
      hand(pair, category, [this, pair, category, sent, number, poll = line.state.sender.poll()] {
        poll_came(pair, poll, category, sent, number);
      });
    }
    if (!polls || !ways.ordinary)
      hand(pair, Category::ubr, [this, pair, sent, number] {
        monitoring_came(pair, number);
        send_status(pair, state(pair).receiver.monitor(What::monitoring, sent, receivers_stamp(pair)));
      });
  }
  void monitoring_came(Pair pair, std::int64_t number) {
    std::int64_t& not_come = lines_.at(pair).not_come;
    not_come = std::max(not_come, number + 1);
  }
  /// T_L after it was to be sent.
  void miss(Pair pair) {
    Line& line = lines_.at(pair);
    const auto lstat = line.state.receiver.missing(monitoring_sent(line, line.not_come++) / 1'000'000);
    missing += lstat.empty() ? 0 : 1;
    send_status(pair, lstat);
  }
  /// Over CBR, whose cells are taken to go as through an empty network.
  void tell_time(Pair pair) {
    Line& line = lines_.at(pair);
    line.next_telling += p_.resynchronisation.ps();
    hand(pair, Category::cbr, [this, pair, sent = senders_stamp(pair)] {
      ++times_told;
      lines_.at(pair).receiver.is_told(now_, sent * 1'000'000 + s_.least_latency);
    });
  }

  void poll_came(Pair pair, const pcaal::Poll& poll, Category category, std::int64_t sent,
                 std::int64_t number) {
    Receiver& receiver = state(pair).receiver;
    std::vector<Status> answer = receiver.take_poll(poll);
    if (category == Category::ubr) {
      monitoring_came(pair, number);
      const auto lstat = receiver.monitor(What::poll, sent, receivers_stamp(pair));
      if (!lstat.empty()) answer = lstat;
    }
    send_status(pair, answer);
  }

  void data_came(Pair pair, pcaal::Number ns, Category category, std::int64_t sent) {
    Receiver& receiver = state(pair).receiver;
    std::vector<Count> in_order;
    if (const auto ustat = receiver.take_data(ns, in_order))
      hand(pair, Category::vbr, [this, pair, told = *ustat] {
        state(pair).sender.take(told);
        send_what_may_go(pair);
      });
    for (const Count count : in_order) {
      const auto [message, ends] = piece(pair, count);
      if (!ends) continue;
      state(pair).undelivered.pop_front();
      tell_departure(message);
      fates[message].delivered = SimTime::from_ps(now_);
    }
    if (category == Category::ubr)
      send_status(pair, receiver.monitor(What::data, sent, receivers_stamp(pair)));
  }

  void send_status(Pair pair, const std::vector<Status>& cells) {
    long_lstats += cells.size() > 1 && cells[0].t_o ? 1 : 0;
    for (const Status& cell : cells)
      hand(pair, Category::vbr, [this, pair, cell] { status_came(pair, cell); });
  }
  void status_came(Pair pair, const Status& status) {
    State& state = lines_.at(pair).state;
    if (status.high != state.sender.high) {
      ++changes;
      told_by_stat += status.t_o ? 0 : 1;
    }
    for (const Count ns : state.sender.take(status)) {
      ++retransmit3;
      const auto [message, ends] = piece(pair, ns);
      at(hand_data(pair, ns, Category::abr),
         [this, pair, ends = ends, message = message, release_of = lines_.at(pair).releases] {
           if (ends && release_of == lines_.at(pair).releases) tell_departure(message);
         });
    }
    if (state.sender.taken && state.no_response) state.no_response = now_ + p_.no_response.ps();
    if (state.sender.taken && !state.sender.active()) state.no_response.reset();
    send_what_may_go(pair);
  }

  void release(Pair pair) {
    Line& line = lines_.at(pair);
    for (const std::size_t message : line.state.undelivered) fates[message].returned = SimTime::from_ps(now_);
    line.state = State(kind(), p_);
    line.monitorings = 0;
    line.not_come = line.sent;
    ++line.releases;
    ++releases;
  }

  Surroundings s_;
  EceParameters p_;
  std::vector<std::int64_t> port_free_;
  std::map<std::tuple<std::uint32_t, std::uint32_t, Category>, Channel> channels_;
  std::map<Pair, Line> lines_;
  std::vector<Entry> agenda_;
  std::int64_t now_ = 0;
};

}  // namespace morgana::testing::ece_reference
