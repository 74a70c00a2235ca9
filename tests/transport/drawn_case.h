#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/core/random.h"
#include "tests/transport/scripted_network.h"

// How a transport and the plain model of its rules are compared: random cases, which both carry out over a
// network of the same script, and what each did.

namespace morgana::testing {

/// A random network and messages for a transport, to which the transport's own test draws the rest; the same
/// for the same seed.
class DrawnCase {
 public:
  std::size_t hosts;
  SimTime byte_time;
  std::vector<TcpPlanned> plan;

 protected:
  DrawnCase(std::uint64_t seed, std::string_view name) : random_(seed, name), seed_(seed) {
    hosts = 2 + below(3);
  }

  std::uint64_t below(std::uint64_t bound) { return random_.below(bound); }
  bool coin() { return below(2) == 0; }
  template <class T>
  T one_of(std::initializer_list<T> all) {
    return *(all.begin() + below(all.size()));
  }
  std::int64_t range(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(most - least + 1)));
  }

  /// What becomes of a unit is drawn from its number between its ports alone.
  RandomStream fate_stream(const Unit& unit, std::uint64_t ordinal) const {
    return {(seed_ * 16 + pair_of(unit)) * 1'000'000 + ordinal, "fate"};
  }
  /// Drawn first. @param slower  draws by how much more a slow unit is
  template <class Slower>
  SimTime latency_of(const Unit& unit, RandomStream& random, Slower slower) const {
    SimTime latency = SimTime::from_ps(
        latency_ + static_cast<std::int64_t>(pair_of(unit) * 77'773 + random.below(spread_)));
    if (random.below(100) < slow_) latency += SimTime::from_ps(slower());
    return latency;
  }
  bool is_dark(std::uint64_t ordinal) const { return ordinal >= dark_from_ && ordinal < dark_to_; }

  void choose_latencies() {
    spread_ = static_cast<std::uint64_t>(
        one_of<std::int64_t>({5'000, 5'000, range(1'000, 200'000), latency_ / 2, latency_ * 2}));
    slow_ = below(3) == 0 ? below(20) : 0;
    loss_ = one_of<std::uint64_t>({0, 0, 5, 20, 50, 200, 400});
  }
  /// In a quarter of the cases all units of some numbers are lost.
  void choose_darkness(std::uint64_t before, std::uint64_t units) {
    if (below(4) != 0) return;
    dark_from_ = below(before);
    dark_to_ = dark_from_ + below(units);
  }

  std::int64_t latency_ = 0;            // ps
  std::uint64_t loss_ = 0, marks_ = 0;  // of a thousand units

 private:
  static std::uint64_t pair_of(const Unit& unit) {
    return static_cast<std::uint64_t>(unit.from) * 4 + static_cast<std::uint64_t>(unit.to);
  }

  RandomStream random_;
  std::uint64_t seed_;
  std::uint64_t spread_ = 1, slow_ = 0, dark_from_ = 0, dark_to_ = 0;
};

/// What a model did of a case.
struct DrawnRun {
  std::vector<ScriptedNetwork::Injected> units;
  std::vector<std::vector<TcpDispatch::Told>> told;
};

/// Constructing it carries the case out. @tparam Network  made of an event queue and the case
template <class Model, class Network, class Case>
struct ModelRun : DrawnRun {
  explicit ModelRun(const Case& all)
      : network(events, all), model(events, network, all.hosts, all.parameters) {
    TcpDispatch dispatch(events, model);
    dispatch.run(all.plan);
    units = std::move(network.injected);
    told = std::move(dispatch.told);
  }
  EventQueue events;
  Network network;
  Model model;
};

/// Units up to the first one that differs. @param compare_more  of two units, and says which
template <class Compare>
void compare_units(const DrawnRun& shipped, const DrawnRun& reference, Compare compare_more) {
  for (std::size_t n = 0; n < std::min(shipped.units.size(), reference.units.size()); ++n) {
    const auto& [at, unit] = shipped.units[n];
    const auto& [expected_at, expected] = reference.units[n];
    ASSERT_EQ(at, expected_at) << "unit " << n;
    ASSERT_EQ(unit.from, expected.from) << "unit " << n;
    ASSERT_EQ(unit.to, expected.to) << "unit " << n;
    ASSERT_EQ(unit.size, expected.size) << "unit " << n;
    ASSERT_EQ(unit.traffic_class, expected.traffic_class) << "unit " << n;
    ASSERT_TRUE(compare_more(unit, expected)) << "unit " << n;
  }
  EXPECT_EQ(shipped.units.size(), reference.units.size());
}

/// What became of messages in the cases that were compared.
struct Outcomes {
  std::uint64_t ties = 0, delivered = 0, completed = 0, returned = 0;

  void compare(const DrawnRun& shipped, const DrawnRun& reference) {
    ASSERT_EQ(shipped.told.size(), reference.told.size());
    for (std::size_t message = 0; message < reference.told.size(); ++message) {
      EXPECT_EQ(shipped.told[message], reference.told[message]) << "message " << message;
      for (const TcpDispatch::Told& one : reference.told[message]) {
        delivered += one.what == TcpDispatch::What::delivered ? 1 : 0;
        completed += one.what == TcpDispatch::What::completed ? 1 : 0;
        returned += one.what == TcpDispatch::What::returned ? 1 : 0;
      }
    }
  }
};

}  // namespace morgana::testing
