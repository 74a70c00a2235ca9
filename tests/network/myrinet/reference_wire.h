#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <limits>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tests/network/myrinet/worm_case.h"

namespace morgana::testing {

/// What all parts of the reference share: the instants at which anything can happen, and what is told.
struct FlitWorld {
  static constexpr std::int64_t long_ago = std::numeric_limits<std::int64_t>::min() / 2;

  const WormCase& given;
  const WormParameters& p;
  std::int64_t now = 0;
  std::set<std::int64_t> instants;
  WormResults results;
  std::vector<bool> corrupted;  // packets

  void look_at(std::int64_t instant) { instants.insert(instant); }
  /// The wire is clear of a flit that started then.
  bool clear_of(std::int64_t start) const { return start + p.flit.ps() <= now; }
  void lose(std::uint32_t worm, WormLoss why) {
    WormFate& fate = results.fates[worm];
    if (fate.times.lost || fate.times.delivered) throw std::logic_error("a packet has two fates");
    fate.times.lost = SimTime::from_ps(now);
    fate.why = why;
  }
};

struct Flit {
  enum class Kind { route, mark, type, payload, crc, bad_tail };
  std::uint32_t worm;
  Kind kind;
  std::uint32_t byte;                     // of the route
  std::int64_t behind;                    // flits of its packet that follow it
  WormLoss why = WormLoss::dead_channel;  // of a bad tail
  bool last() const { return behind == 0; }
};

inline std::deque<Flit> flits_of(const WormCase& given, std::uint32_t worm) {
  const PlannedWorm& planned = given.plan[worm];
  std::deque<Flit> flits;
  for (std::size_t leg = 0; leg < planned.legs.size(); ++leg) {
    if (leg > 0) flits.push_back({worm, Flit::Kind::mark, 0, 0});
    for (const std::uint32_t byte : planned.legs[leg]) flits.push_back({worm, Flit::Kind::route, byte, 0});
  }
  flits.insert(flits.end(), given.parameters.type_bytes, {worm, Flit::Kind::type, 0, 0});
  flits.insert(flits.end(), planned.bytes, {worm, Flit::Kind::payload, 0, 0});
  flits.push_back({worm, Flit::Kind::crc, 0, 0});
  auto behind = static_cast<std::int64_t>(flits.size());
  for (Flit& flit : flits) flit.behind = --behind;
  return flits;
}

/// One direction of a cable, with the sender's side of flow control. A dead one swallows what is started.
class Wire {
 public:
  Wire(FlitWorld& world, std::uint32_t number) : world_(world), number_(number) {}

  // What has become true.
  void die() {
    if (dead_) return;
    dead_ = true;
    go();
    if (!crossing_) return;
    crossing_ = false;
    cut_ = true;
    const std::int64_t sent = std::max(world_.now, last_start_ + world_.p.flit.ps());
    fly({crossing_worm_, Flit::Kind::bad_tail, 0, 0}, sent);
  }
  /// The switch breaks the connection. @return whether some of the packet has crossed, which a bad tail ends
  bool cut() {
    if (!crossing_) return false;
    crossing_ = false;
    last_start_ = world_.now;
    world_.look_at(world_.now + world_.p.flit.ps());
    ++counts_.flits;
    fly({crossing_worm_, Flit::Kind::bad_tail, 0, 0, WormLoss::deadlock}, world_.now);
    return true;
  }
  void clear() {
    if (!vanished_ || !is_clear()) return;
    vanished_ = false;
    world_.lose(vanished_worm_, WormLoss::dead_channel);
  }
  void hear_controls() {
    for (; !controls_.empty() && controls_.front().first <= world_.now; controls_.pop_front()) {
      go();
      stopped_ = controls_.front().second && !dead_;
      stopped_since_ = world_.now;
    }
  }
  bool has_arrival() const { return !flying_.empty() && flying_.front().first <= world_.now; }
  Flit take_arrival() {
    const Flit flit = flying_.front().second;
    flying_.pop_front();
    return flit;
  }

  bool is_clear() const { return world_.clear_of(last_start_); }
  bool is_stopped() const { return stopped_; }
  /// Since when it has been stopped and clear, if it is stopped.
  std::int64_t still_since() const { return std::max(stopped_since_, last_start_ + world_.p.flit.ps()); }
  bool may_start() const { return !stopped_ && is_clear(); }
  void start(const Flit& flit) {
    last_start_ = world_.now;
    world_.look_at(world_.now + world_.p.flit.ps());
    if (dead_) return vanish(flit);
    ++counts_.flits;
    crossing_ = !flit.last();
    crossing_worm_ = flit.worm;
    fly(flit, world_.now);
    if (!flit.last()) return;
    for (const Corruption& corruption : world_.given.corruptions)
      if (corruption.worm == flit.worm && corruption.channel == number_) world_.corrupted[flit.worm] = true;
  }

  /// The receiving end tells the sender to stop or to go on.
  void control(bool stop) {
    controls_.emplace_back(world_.now + world_.p.control.ps(), stop);
    world_.look_at(world_.now + world_.p.control.ps());
  }
  const ChannelCounts& counts() const { return counts_; }

 private:
  void fly(const Flit& flit, std::int64_t start) {
    flying_.emplace_back(start + world_.p.cable.ps(), flit);
    world_.look_at(start + world_.p.cable.ps());
  }
  void go() {
    if (stopped_) counts_.stopped += SimTime::from_ps(world_.now - stopped_since_);
    stopped_ = false;
  }
  void vanish(const Flit& flit) {
    if (!flit.last()) return;
    vanished_ = !cut_;
    vanished_worm_ = flit.worm;
    cut_ = false;
  }

  FlitWorld& world_;
  std::uint32_t number_;
  std::int64_t last_start_ = FlitWorld::long_ago;
  std::deque<std::pair<std::int64_t, Flit>> flying_;    // with the instant of arrival
  std::deque<std::pair<std::int64_t, bool>> controls_;  // arrival, stop or go
  bool stopped_ = false, dead_ = false;
  std::int64_t stopped_since_ = 0;
  bool crossing_ = false;  // a packet's first flit has started and its last has not
  std::uint32_t crossing_worm_ = 0;
  bool cut_ = false;       // what vanishes now is the rest of a packet whose front has crossed
  bool vanished_ = false;  // the last flit of a packet of which nothing has crossed
  std::uint32_t vanished_worm_ = 0;
  ChannelCounts counts_;
};

}  // namespace morgana::testing
