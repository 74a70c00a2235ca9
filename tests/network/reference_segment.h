#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "emulator/core/random.h"
#include "emulator/network/ethernet/segment.h"
#include "tests/network/harness.h"

namespace morgana::testing {

/// CSMA/CD as the processes of IEEE 802.3, clause 4.2.8, write it, one step after the other: the oracle for
/// EthernetSegment. Every station hears every carrier come and go, runs its own Deference process (with
/// interFrameSpacingPart1 = 0) and its own backoff. Its sizes are its own too, not those of frame.h.
class ReferenceSegment {
 public:
  ReferenceSegment(const SegmentParameters& parameters, std::size_t ports, std::uint64_t seed)
      : parameters_(parameters), delay_(parameters.propagation.ps()) {
    for (std::size_t port = 0; port < ports; ++port)
      stations_.emplace_back(RandomStream(seed, "ethernet port " + std::to_string(port) + " backoff"));
    if (parameters.background.load == 0) return;
    for (std::size_t number = 0; number < parameters.background.stations; ++number) {
      const std::string name = "ethernet background " + std::to_string(number);
      stations_.emplace_back(RandomStream(seed, name + " backoff"));
      sources_.emplace_back(RandomStream(seed, name + " source"), background_interval(),
                            parameters.background);
    }
  }

  std::vector<Fate> run(const std::vector<Planned>& plan) {
    plan_ = plan;
    fates_.assign(plan.size(), {});
    undecided_ = plan.size();
    for (std::size_t unit = 0; unit < plan.size(); ++unit)
      later(plan[unit].at.ps(), readiness, [this, unit] { offer(plan_[unit].from, unit); });
    for (std::size_t number = 0; number < sources_.size(); ++number) offer_background(number);
    while (undecided_ > 0) {
      const auto next = agenda_.begin();
      now_ = next->first.first;
      const auto step = std::move(next->second);
      agenda_.erase(next);
      step();
    }
    return fates_;
  }

 private:
  static constexpr std::size_t background_frame = ~std::size_t{0};
  // What happens at the same time happens in this order.
  enum Order { carrier_on, carrier_off, gap_over, readiness };

  struct Station {
    explicit Station(RandomStream stream) : random(stream) {}
    RandomStream random;
    std::deque<std::size_t> frames;
    int carriers = 0;
    bool frame_waiting = false, deferring = false, in_gap = false, transmitting = false, collided = false;
    int attempts = 0;
    std::int64_t started = 0, transmission = 0;
  };

  // The n-th frame comes when the source has been on for phase + n intervals.
  struct Source {
    Source(RandomStream stream, std::int64_t interval_, const BackgroundLoad& load)
        : random(stream), interval(interval_), mean_on(load.mean_on), always_on(load.on_share >= 1) {
      mean_off = SimTime::from_seconds(mean_on.seconds() * (1 - load.on_share) / load.on_share);
      const bool on = always_on || random.chance(load.on_share);
      wanted = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(interval)));
      period_starts = on ? 0 : random.exponential(mean_off).ps();
      if (!always_on) length = random.exponential(mean_on).ps();
    }
    std::int64_t next() {
      while (!always_on && wanted >= on_before + length) {
        on_before += length;
        period_starts += length + random.exponential(mean_off).ps();
        length = random.exponential(mean_on).ps();
      }
      const std::int64_t at = period_starts + (wanted - on_before);
      wanted += interval;
      return at;
    }
    RandomStream random;
    std::int64_t interval;
    SimTime mean_on, mean_off;
    bool always_on;
    std::int64_t wanted = 0, on_before = 0, period_starts = 0, length = 0;
  };

  std::int64_t bits(std::int64_t count) const { return parameters_.rate.time_for_bits(count).ps(); }
  static std::int64_t frame_bits(std::int64_t payload) {
    return 8 * (7 + 1 + 6 + 6 + 2 + std::max<std::int64_t>(payload, 46) + 4);
  }
  std::int64_t background_interval() const {
    const BackgroundLoad& load = parameters_.background;
    const double frame = static_cast<double>(bits(frame_bits(load.frame.count()) + 96)) * 1e-12;
    return SimTime::from_seconds(frame * load.stations * load.on_share / load.load).ps();
  }

  void later(std::int64_t at, Order order, std::function<void()> step) {
    agenda_.emplace(std::pair(at, order), std::move(step));
  }

  void offer_background(std::size_t number) {
    later(sources_[number].next(), readiness, [this, number] {
      offer(stations_.size() - sources_.size() + number, background_frame);
      offer_background(number);
    });
  }

  void offer(std::size_t station, std::size_t unit) {
    stations_[station].frames.push_back(unit);
    if (stations_[station].frames.size() == 1) ready(station);
  }

  void ready(std::size_t number) {
    stations_[number].frame_waiting = true;
    if (!stations_[number].deferring) start(number);
  }

  // process Deference
  void sense(Station& station, std::size_t number) {
    const bool carrier = station.carriers > 0 || station.transmitting;
    if (carrier && !station.deferring) station.deferring = true;
    if (carrier || !station.deferring || station.in_gap) return;
    station.in_gap = true;
    later(now_ + bits(96), gap_over, [this, &station, number] {
      station.in_gap = station.deferring = false;
      if (station.frame_waiting) start(number);
      sense(station, number);
    });
  }

  void start(std::size_t number) {
    Station& station = stations_[number];
    station.frame_waiting = false;
    station.transmitting = true;
    station.collided = false;
    station.started = now_;
    const std::int64_t transmission = ++station.transmission;
    const std::size_t unit = station.frames.front();
    const std::int64_t payload =
        unit == background_frame ? parameters_.background.frame.count() : plan_[unit].bytes;
    later(now_ + bits(frame_bits(payload)), carrier_off, [this, number, &station, transmission] {
      if (station.transmission == transmission && !station.collided) succeed(number);
    });
    later(now_ + delay_, carrier_on, [this, number] {
      for (std::size_t other = 0; other < stations_.size(); ++other) {
        if (other == number) continue;
        ++stations_[other].carriers;
        sense(stations_[other], other);
        if (stations_[other].transmitting) detect_collision(other);
      }
    });
    sense(station, number);
    if (station.carriers > 0) detect_collision(number);
  }

  void detect_collision(std::size_t number) {
    Station& station = stations_[number];
    if (station.collided) return;
    station.collided = true;
    const std::int64_t jam_from = std::max(now_, station.started + bits(64));
    later(jam_from + bits(32), carrier_off, [this, number] { back_off(number); });
  }

  void fall_silent(std::size_t number) {
    stations_[number].transmitting = false;
    sense(stations_[number], number);
    later(now_ + delay_, carrier_off, [this, number] {
      for (std::size_t other = 0; other < stations_.size(); ++other) {
        if (other == number) continue;
        --stations_[other].carriers;
        sense(stations_[other], other);
      }
    });
  }

  void succeed(std::size_t number) {
    fall_silent(number);
    const std::size_t unit = stations_[number].frames.front();
    if (unit != background_frame) {
      fates_[unit].departed = SimTime::from_ps(now_);
      fates_[unit].delivered = SimTime::from_ps(now_ + delay_);
      --undecided_;
    }
    next_frame(stations_[number]);
  }

  void back_off(std::size_t number) {
    fall_silent(number);
    Station& station = stations_[number];
    if (++station.attempts < 16) {
      const auto slots =
          static_cast<std::int64_t>(station.random.below(std::uint64_t{1} << std::min(station.attempts, 10)));
      later(now_ + slots * bits(512), readiness, [this, number] { ready(number); });
      return;
    }
    const std::size_t unit = station.frames.front();
    if (unit != background_frame) {
      fates_[unit].departed = fates_[unit].lost = SimTime::from_ps(now_);
      --undecided_;
    }
    next_frame(station);
  }

  static void next_frame(Station& station) {
    station.attempts = 0;
    station.frames.pop_front();
    station.frame_waiting = !station.frames.empty();
  }

  SegmentParameters parameters_;
  std::int64_t delay_;
  std::vector<Station> stations_;
  std::vector<Source> sources_;
  std::vector<Planned> plan_;
  std::vector<Fate> fates_;
  std::size_t undecided_ = 0;
  std::multimap<std::pair<std::int64_t, Order>, std::function<void()>> agenda_;
  std::int64_t now_ = 0;
};

}  // namespace morgana::testing
