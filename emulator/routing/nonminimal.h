#pragma once

#include <cstdint>

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
/// `wait of the minimal * its weight <= wait of the detour * its weight + threshold`. Source: Singh,
/// "Load-Balanced Routing in Interconnection Networks", Stanford, 2005 (UGAL).
struct DetourRules {
  enum class Weight : std::uint8_t {
    hops,   ///< of each way: its cables between switches (Kim et al., ISCA 2008)
    twice,  ///< 1 for the minimal, 2 for the detour
  };
  Detours detours = Detours::by_output;
  Weight weight = Weight::hops;
  SimTime threshold{};     ///< favours the minimal way
  std::uint64_t seed = 1;  ///< of the intermediate places

  /// A way, by the wait for its output and its cables between switches.
  struct Way {
    SimTime wait;
    unsigned hops = 0;
  };
  bool prefers_detour(const Way& minimal, const Way& detour) const {
    const bool by_hops = weight == Weight::hops;
    return minimal.wait * (by_hops ? minimal.hops : 1) >
           detour.wait * (by_hops ? detour.hops : 2) + threshold;
  }
};

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

}  // namespace morgana
