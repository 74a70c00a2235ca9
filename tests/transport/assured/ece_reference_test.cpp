#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "emulator/transport/ece/ece.h"
#include "tests/transport/assured/category_cells.h"
#include "tests/transport/assured/reference_ece_transport.h"
#include "tests/transport/harness.h"

namespace morgana::testing {
namespace {
namespace ece_side_by_side {
namespace ref = ece_reference;

/// A case of its own for each seed: engine, hosts, elements, windows, timers, thresholds, latencies that rise
/// for periods, losses, messages and, where they are asked for, clocks that drift and are told the time.
/// Times have all digits down to the picosecond, so that two things seldom happen at once.
struct RandomCase {
  ref::Surroundings s;
  std::vector<Planned> plan;

  RandomCase(std::uint32_t seed, bool clocks_drift) : random_(seed) {
    EceParameters& p = s.parameters;
    s.hosts = 2 + static_cast<std::size_t>(below(2));
    p.engine = below(2) ? ece::LatencyEngine::switching : ece::LatencyEngine::duplicating;
    p.element = Bytes(1 + below(32));
    p.window = 1 + static_cast<std::uint32_t>(below(below(2) ? 5 : 100));
    p.monitoring = SimTime::from_ps(10'000'000 + below(150'000'000));
    p.polls = 1 + static_cast<std::uint32_t>(below(below(2) ? 1 : 4));
    p.missing = SimTime::from_ps(1'000'000 + below(100'000'000));
    p.upper = SimTime::from_ps((2 + below(40)) * 1'000'000);
    p.lower = SimTime::from_ps((1 + below(p.upper.ps() / 1'000'000 - 1)) * 1'000'000);
    p.no_response = p.poll() + SimTime::from_ps(below(3'000'000'000));
    p.tries = static_cast<std::uint32_t>(below(4) ? 0 : 3 + below(10));
    p.first = static_cast<std::uint32_t>(below(2) ? 0xffffffff - below(40) : below(1LL << 32));
    s.cell_time = 5'300 + below(400'000);
    s.abr_cell_time = 5'300 + below(400'000);
    s.abr_pitch = s.abr_cell_time + below(below(2) ? 3'000'000 : 30'000'000);
    s.arrival_pitch = 101 + below(100'000);
    choose_latencies(seed);
    choose_losses(seed);
    choose_messages();
    if (clocks_drift) choose_clocks();
  }

 private:
  std::int64_t below(std::int64_t limit) {
    return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(limit));
  }
  static std::uint64_t drawn(std::uint64_t seed, std::uint64_t a, std::uint64_t b) {
    return std::mt19937_64(seed * 1'000'003ULL + a * 100'003ULL + b)();
  }
  void choose_latencies(std::uint64_t seed) {
    // Of UBR, period by period, half of the times low, half up to four times T_M; the others' stay.
    const std::int64_t period = 1 + below(300'000'000), least = below(5'000'000), of_abr = below(30'000'000),
                       of_vbr = below(10'000'000), of_cbr = of_vbr / 2;
    const auto most = static_cast<std::uint64_t>(4 * s.parameters.upper.ps());
    s.latency = [=](ServiceCategory category, std::int64_t leaves) {
      const auto jitter =
          static_cast<std::int64_t>(drawn(seed, 7, static_cast<std::uint64_t>(leaves)) % 9'973);
      if (category == ServiceCategory::abr) return of_abr + jitter;
      if (category == ServiceCategory::vbr) return of_vbr + jitter;
      if (category == ServiceCategory::cbr) return of_cbr + jitter;
      const std::uint64_t draw = drawn(seed, 8, static_cast<std::uint64_t>(leaves / period));
      const auto more = draw % 2 == 0 ? 0 : static_cast<std::int64_t>(draw / 2 % most);
      return least + more + jitter;
    };
  }
  void choose_losses(std::uint64_t seed) {
    // VBR loses cells in one case of two only: in the others no LSTAT is missing.
    const std::uint64_t of_ubr = static_cast<std::uint64_t>(below(50)),
                        of_abr = static_cast<std::uint64_t>(below(2) ? 0 : below(30)),
                        of_vbr = static_cast<std::uint64_t>(below(2) ? 0 : below(30));
    s.lost = [=](std::uint32_t from, std::uint32_t to, ServiceCategory category, std::uint64_t ordinal) {
      const std::uint64_t percent = category == ServiceCategory::ubr   ? of_ubr
                                    : category == ServiceCategory::abr ? of_abr
                                    : category == ServiceCategory::vbr ? of_vbr
                                                                       : of_abr;
      return drawn(seed, 100 * from + 10 * to + static_cast<std::uint64_t>(category), ordinal) % 100 <
             percent;
    };
  }
  void choose_messages() {
    plan.resize(static_cast<std::size_t>(1 + below(8)));
    for (Planned& planned : plan) {
      planned.from = static_cast<std::uint32_t>(below(static_cast<std::int64_t>(s.hosts)));
      planned.to =
          (planned.from + 1 + static_cast<std::uint32_t>(below(static_cast<std::int64_t>(s.hosts) - 1))) %
          static_cast<std::uint32_t>(s.hosts);
      planned.bytes = below(below(2) ? 100 : 2000);
      planned.at = SimTime::from_ps(below(2'000'000'000));
    }
    sort_by_time(plan);
  }

  // In the two milliseconds of a case the fastest ones gain two microseconds, and as many more as it goes on.
  // Half of them are told the time, over CBR, which loses as many cells as ABR.
  void choose_clocks() {
    s.parameters.drift = SimTime::from_ps(1 + below(below(2) ? 1'000'000'000 : 50'000'000));
    if (below(2)) s.parameters.resynchronisation = SimTime::from_ps(10'000'000 + below(500'000'000));
  }

  std::mt19937_64 random_;
};

struct Shown {
  std::vector<ref::HandedCell> handed;
  std::vector<Fate> fates;
  std::int64_t end = 0;
};

Shown emulated(const RandomCase& c) {
  EventQueue events;
  CategoryCells network(events, c.s.hosts);
  network.cell_time = SimTime::from_ps(c.s.cell_time);
  network.abr_cell_time = SimTime::from_ps(c.s.abr_cell_time);
  network.abr_pitch = SimTime::from_ps(c.s.abr_pitch);
  network.arrival_pitch = SimTime::from_ps(c.s.arrival_pitch);
  network.latency = [&](ServiceCategory category, SimTime leaves) {
    return SimTime::from_ps(c.s.latency(category, leaves.ps()));
  };
  Shown shown;
  std::map<std::tuple<PortId, PortId, ServiceCategory>, std::uint64_t> ordinals;
  network.watch = [&](const CategoryCells::Handed& cell) {
    const auto from = static_cast<std::uint32_t>(cell.from), to = static_cast<std::uint32_t>(cell.to);
    shown.handed.push_back({cell.at.ps(), from, to, cell.category});
    return c.s.lost(from, to, cell.category, ordinals[{cell.from, cell.to, cell.category}]++);
  };
  Ece transport(events, network, c.s.hosts, c.s.parameters);
  Dispatch dispatch(events, transport);
  dispatch.expected_outcome = std::nullopt;  // given up or unstable
  // Where cells take longer than T_LME, a monitoring cell is always under way.
  dispatch.latest = SimTime::from_ps(20'000'000'000);
  const std::vector<Fate>& fates = dispatch.run(c.plan);
  shown.end = events.now().ps() + 1'000'000'000;
  while (!events.empty() && events.next_time().ps() <= shown.end) events.handle_next();
  shown.fates = fates;
  std::erase_if(shown.handed, [&](const ref::HandedCell& cell) { return cell.at > shown.end; });
  return shown;
}

struct Events {
  std::uint64_t returned = 0, changes = 0, missing = 0, retransmit3 = 0, long_lstats = 0, told_by_stat = 0,
                times_told = 0;
};

/// Cells that are handed over in the same picosecond are compared as a set.
void compare(bool clocks_drift, Events& events) {
  std::uint64_t compared = 0;
  for (std::uint32_t seed = 0; compared < 1000; ++seed) {
    ASSERT_LT(seed, 3000U) << "too many cases are undecided";
    RandomCase c(seed, clocks_drift);
    Shown shown = emulated(c);
    c.s.least_latency = c.s.cell_time + CategoryCells::usual_latency.ps();
    ref::Transport reference(c.s);
    reference.run(c.plan, shown.end);
    if (reference.had_ties) continue;
    ++compared;
    std::sort(shown.handed.begin(), shown.handed.end());
    std::sort(reference.handed.begin(), reference.handed.end());
    const auto differ = std::mismatch(shown.handed.begin(), shown.handed.end(), reference.handed.begin(),
                                      reference.handed.end());
    const bool ends = differ.first == shown.handed.end(),
               reference_ends = differ.second == reference.handed.end();
    ASSERT_TRUE(ends && reference_ends)
        << "seed " << seed << ": " << (ends ? ref::HandedCell{} : *differ.first) << " against "
        << (reference_ends ? ref::HandedCell{} : *differ.second);
    ASSERT_EQ(shown.fates, reference.fates) << "seed " << seed;
    for (const Fate& fate : shown.fates) events.returned += fate.returned ? 1 : 0;
    events.changes += reference.changes;
    events.missing += reference.missing;
    events.retransmit3 += reference.retransmit3;
    events.long_lstats += reference.long_lstats;
    events.told_by_stat += reference.told_by_stat;
    events.times_told += reference.times_told;
  }
}

/// Each kind of event took place often enough to have been compared.
void expect_all_kinds(const Events& events) {
  EXPECT_GT(events.returned, 50U);
  EXPECT_GT(events.changes, 5000U);
  EXPECT_GT(events.missing, 1000U);
  EXPECT_GT(events.retransmit3, 1000U);
  EXPECT_GT(events.long_lstats, 50U);
  EXPECT_GT(events.told_by_stat, 50U);
}

TEST(EceReference, HandsOverTheSameCellsAtTheSameTimes) {
  Events events;
  compare(false, events);
  expect_all_kinds(events);
}

// A receiver takes a latency by a clock that is not its sender's.
TEST(EceReference, HandsOverTheSameCellsWhereClocksDrift) {
  Events events;
  compare(true, events);
  expect_all_kinds(events);
  EXPECT_GT(events.times_told, 1000U);
}

}  // namespace ece_side_by_side
}  // namespace
}  // namespace morgana::testing
