#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "emulator/core/event_queue.h"
#include "tests/support/plan.h"
#include "tests/transport/assured/lossy_cells.h"
#include "tests/transport/handed_frame.h"
#include "tests/transport/harness.h"

namespace morgana::testing {

/// A random network and load for a transport over cells; the same for the same seed. Times have all digits
/// down to the picosecond, so that two things seldom happen at once.
class TimedCase {
 public:
  explicit TimedCase(std::uint32_t seed) : seed_(seed), random_(seed) {
    hosts = 2 + static_cast<std::uint32_t>(below(2));
  }

  std::int64_t below(std::int64_t limit) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(limit));
  }
  std::uint32_t any() { return static_cast<std::uint32_t>(random_()); }
  void choose_network() {
    byte_time = 100 + below(3000);
    latency = 1 + below(30'000'000);
    loss_ = static_cast<std::uint64_t>(below(61));
  }
  /// @param bytes  draws a message's
  template <class Draw>
  void choose_plan(Draw bytes) {
    plan.resize(static_cast<std::size_t>(1 + below(8)));
    for (Planned& planned : plan) {
      planned.from = static_cast<std::uint32_t>(below(hosts));
      planned.to = (planned.from + 1 + static_cast<std::uint32_t>(below(hosts - 1))) % hosts;
      planned.bytes = bytes();
      planned.at = SimTime::from_ps(below(2'000'000'000));
    }
    sort_by_time(plan);
  }
  bool lost(std::uint32_t port, std::uint64_t ordinal) const {
    return std::mt19937_64(seed_ * 1'000'003ULL + port * 100'003ULL + ordinal)() % 100 < loss_;
  }

  std::uint32_t hosts;
  std::int64_t byte_time = 0, latency = 0;  ///< ps
  std::vector<Planned> plan;

 private:
  std::uint32_t seed_;
  std::mt19937_64 random_;
  std::uint64_t loss_ = 0;
};

/// Carries a case out with the shipped transport and with its reference, which must hand over the same frames
/// at the same times and tell the same of messages.
/// @return the reference, to count what has happened; nothing if two things happened at once there
template <class Shipped, class Reference, class Parameters>
std::optional<Reference> expect_same_frames(const TimedCase& one, const Parameters& parameters) {
  EventQueue events;
  std::vector<HandedFrame> handed;
  LossyCells network(events, one.hosts, [&](const Unit& unit, std::uint64_t ordinal) {
    const auto from = static_cast<std::uint32_t>(unit.from);
    handed.push_back({events.now().ps(), from, static_cast<std::uint32_t>(unit.to), unit.size.count()});
    return one.lost(from, ordinal);
  });
  network.units.byte_time = SimTime::from_ps(one.byte_time);
  network.units.latency = [&one](PortId, PortId) { return SimTime::from_ps(one.latency); };
  Shipped transport(events, network, one.hosts, parameters);
  Dispatch dispatch(events, transport);
  dispatch.expected_outcome = std::nullopt;  // given up or unstable
  const auto fates = dispatch.run(one.plan);
  const std::int64_t end = events.now().ps() + 1'000'000'000;
  while (!events.empty() && events.now().ps() <= end) events.handle_next();
  std::erase_if(handed, [&](const HandedFrame& frame) { return frame.at > end; });

  std::optional<Reference> reference(
      std::in_place, parameters, one.hosts, one.byte_time, one.latency,
      [&one](std::uint32_t port, std::uint64_t ordinal) { return one.lost(port, ordinal); });
  reference->run(one.plan, end);
  if (reference->had_ties) return std::nullopt;
  EXPECT_EQ(handed, reference->handed);
  EXPECT_EQ(fates, reference->fates);
  return reference;
}

template <class Fates>
std::uint32_t returned_of(const Fates& fates) {
  std::uint32_t returned = 0;
  for (const auto& fate : fates) returned += fate.returned ? 1 : 0;
  return returned;
}

}  // namespace morgana::testing
