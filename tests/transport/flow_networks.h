#pragma once

#include <cstdint>
#include <vector>

#include "emulator/core/time.h"
#include "emulator/topology/switch_graph.h"
#include "tests/transport/flows.h"

namespace morgana::testing {

/// 64 senders and host 0 at one switch.
inline SwitchGraph star() {
  SwitchGraph graph;
  const SwitchId only = graph.add_switch(65);
  for (int host = 0; host < 65; ++host) graph.add_host(only);
  return graph;
}

/// Three tiers of 100 Gb/s: 8 pods of 4 edge switches with 4 hosts each and 4 above them, 16 cores.
inline SwitchGraph three_tiers() {
  constexpr unsigned pods = 8, half = 4;
  SwitchGraph graph;
  const auto switches = [&graph](unsigned count) {
    std::vector<SwitchId> all;
    for (unsigned n = 0; n < count; ++n) all.push_back(graph.add_switch(2 * half));
    return all;
  };
  const auto edges = switches(pods * half), above = switches(pods * half), cores = switches(half * half);
  for (const SwitchId edge : edges)
    for (unsigned host = 0; host < half; ++host) graph.add_host(edge);
  for (unsigned pod = 0; pod < pods; ++pod)
    for (unsigned one = 0; one < half; ++one)
      for (unsigned other = 0; other < half; ++other) {
        graph.connect(edges[pod * half + one], above[pod * half + other]);
        graph.connect(above[pod * half + one], cores[one * half + other]);
      }
  return graph;
}

/// To host 0 of the three tiers, drawn once for the simulators.
inline std::vector<Flow> incast_of_16() {
  std::vector<Flow> flows;
  for (const std::uint32_t from :
       {35U, 92U, 17U, 63U, 78U, 68U, 4U, 107U, 52U, 87U, 44U, 1U, 67U, 66U, 88U, 102U})
    flows.push_back({from, 0});
  return flows;
}

/// Likewise.
inline std::vector<Flow> incast_of_64() {
  std::vector<Flow> flows;
  for (const std::uint32_t from :
       {35U,  92U, 17U, 63U, 78U,  68U,  4U,   107U, 52U,  87U,  44U,  1U,   67U,  66U,  88U, 102U,
        76U,  86U, 46U, 2U,  77U,  43U,  30U,  80U,  113U, 36U,  15U,  26U,  49U,  110U, 53U, 23U,
        98U,  21U, 58U, 3U,  127U, 114U, 121U, 57U,  11U,  119U, 33U,  123U, 112U, 39U,  85U, 91U,
        117U, 22U, 32U, 34U, 62U,  37U,  90U,  61U,  50U,  45U,  120U, 93U,  83U,  125U, 79U, 59U})
    flows.push_back({from, 0});
  return flows;
}

/// Every host sends to one and receives from one, likewise.
inline std::vector<Flow> permutation() {
  constexpr std::uint8_t to[128] = {
      89,  86,  97, 42,  110, 0,  10,  17,  53,  21, 88,  118, 70,  58, 102, 22,  92,  108, 78, 117, 112, 4,
      5,   6,   76, 41,  7,   55, 103, 54,  45,  96, 127, 39,  27,  25, 59,  68,  81,  65,  26, 49,  31,  44,
      109, 107, 35, 119, 73,  91, 111, 105, 85,  90, 29,  125, 32,  46, 20,  56,  30,  9,   93, 24,  104, 12,
      100, 120, 51, 72,  48,  18, 122, 62,  113, 64, 37,  60,  123, 66, 114, 11,  101, 63,  77, 106, 2,   67,
      28,  79,  34, 52,  116, 3,  71,  16,  74,  75, 43,  84,  36,  40, 82,  1,   8,   57,  80, 95,  61,  47,
      124, 87,  83, 15,  115, 19, 99,  14,  94,  98, 13,  50,  33,  38, 23,  121, 69,  126};
  std::vector<Flow> flows;
  for (std::uint32_t from = 0; from < 128; ++from) flows.push_back({from, to[from]});
  return flows;
}

inline std::vector<Flow> to_host_0(std::uint32_t senders) {
  std::vector<Flow> flows;
  for (std::uint32_t from = 1; from <= senders; ++from) flows.push_back({from, 0});
  return flows;
}

struct Completions {
  double least, mean, most;  ///< us
  double p99 = 0;            ///< no more than 1 in 100 take longer

  /// @param sorted  all of them
  static Completions of(const std::vector<double>& sorted) {
    double sum = 0;
    for (const double one : sorted) sum += one;
    return {sorted.front(), sum / static_cast<double>(sorted.size()), sorted.back(),
            sorted[(99 * sorted.size() + 99) / 100 - 1]};
  }
  /// A part of a mean of several.
  void add(const Completions& other, double share) {
    least += share * other.least;
    mean += share * other.mean;
    most += share * other.most;
    p99 += share * other.p99;
  }
};

/// Of `value` as a share of what is expected.
inline double off(double value, double expected) {
  return value / expected - 1;
}

constexpr SimTime micro(std::int64_t us) {
  return SimTime::from_ps(us * 1'000'000);
}

}  // namespace morgana::testing
