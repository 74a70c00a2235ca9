#pragma once

#include <cstdint>
#include <utility>

#include "emulator/core/time.h"

namespace morgana {

/// How a routing chooses between the minimal way and one through an intermediate place chosen by chance.
enum class Detours : std::uint8_t {
  never,       ///< minimal
  always,      ///< Valiant and Brebner, "Universal Schemes for Parallel Communication", STOC 1981
  by_output,   ///< UGAL-L: the waits for the two outputs of the switch where the packet enters decide
  by_channel,  ///< UGAL-G: the waits for the two ways' long channels, at whichever switch they begin
  on_the_way,  ///< PAR: as UGAL-L, and a packet on its minimal way may still turn aside in its own group
};

/// What a minimal and a detouring way are weighed by: the minimal is taken if
/// `wait of the minimal * its weight <= wait of the detour * its weight + threshold`. Of several detours the
/// one counts that weighs least. Sources: Singh, "Load-Balanced Routing in Interconnection Networks",
/// Stanford, 2005 (UGAL, one detour); Besta and Hoefler, "Slim Fly: A Cost Effective Low-Diameter Network
/// Topology", SC 2014, section IV (the best of four); De Sensi, Di Girolamo, McMahon, Roweth and Hoefler, "An
/// In-Depth Analysis of the Slingshot Interconnect", SC 2020, section II (the best of up to four minimal and
/// non-minimal ways).
struct DetourRules {
  enum class Weight : std::uint8_t {
    hops,   ///< of each way: its cables between switches (Kim et al., ISCA 2008)
    twice,  ///< 1 for the minimal, 2 for the detour
  };
  Detours detours = Detours::by_output;
  Weight weight = Weight::hops;
  SimTime threshold{};     ///< favours the minimal way
  std::uint64_t seed = 1;  ///< of the intermediate places
  /// Intermediate places that are drawn for a packet, each of all, from 1 on. Valiant's ways take the first.
  unsigned candidates = 1;
  /// Minimal ways that are drawn for a packet, likewise, where several begin at different outputs. On
  /// dragonflies.
  unsigned minimal_candidates = 1;
  /// Which places may be drawn as intermediate ones.
  enum class Places : std::uint8_t {
    others,  ///< all but the packet's own two
    all,     ///< those, too: then the packet takes its minimal way (Valiant and Brebner, STOC 1981)
  };
  Places places = Places::others;

  /// A way, by the wait for its output and its cables between switches.
  struct Way {
    SimTime wait;
    unsigned hops = 0;
  };
  SimTime weight_of_minimal(const Way& way) const {
    return way.wait * (weight == Weight::hops ? way.hops : 1);
  }
  SimTime weight_of_detour(const Way& way) const {
    return way.wait * (weight == Weight::hops ? way.hops : 2);
  }
  bool prefers_detour(const Way& minimal, const Way& detour) const {
    return weight_of_minimal(minimal) > weight_of_detour(detour) + threshold;
  }
};

/// The detour that weighs least, the first of equal ones; it is not weighed where one is drawn.
/// @param drawn  gives a candidate's detour by its number, or nothing, as a std::optional
/// @param weight  of a detour
template <typename Draw, typename Weigh>
auto lightest_detour(const DetourRules& rules, const Draw& drawn, const Weigh& weight) {
  const unsigned candidates = rules.detours == Detours::always ? 1 : rules.candidates;
  auto best = drawn(0U);
  if (candidates <= 1) return best;
  SimTime least = best ? weight(*best) : SimTime();
  for (unsigned candidate = 1; candidate < candidates; ++candidate) {
    auto other = drawn(candidate);
    if (!other) continue;
    const SimTime one = weight(*other);
    if (best && one >= least) continue;
    least = one;
    best = std::move(other);
  }
  return best;
}

/// SplitMix64's output function: every bit of the result depends on every bit of the number (Steele, Lea and
/// Flood, "Fast Splittable Pseudorandom Number Generators", 2014).
constexpr std::uint64_t mixed_bits(std::uint64_t number) {
  number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9;
  number = (number ^ number >> 27) * 0x94d049bb133111eb;
  return number ^ number >> 31;
}

/// A number for each packet and each of its draws.
constexpr std::uint64_t drawn(std::uint64_t seed, std::uint64_t packet, std::uint64_t draw) {
  return mixed_bits(mixed_bits(seed * 0x9e3779b97f4a7c15 + packet) + (draw + 1) * 0x9e3779b97f4a7c15);
}

/// Of a candidate's place: the first candidate's draw is `first`, those of others are no other draw's.
constexpr std::uint64_t draw_of_candidate(std::uint64_t first, unsigned candidate) {
  return (std::uint64_t{candidate} << 48) + first;
}

}  // namespace morgana
