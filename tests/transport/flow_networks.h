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
};

/// Of `value` as a share of what is expected.
inline double off(double value, double expected) {
  return value / expected - 1;
}

constexpr SimTime micro(std::int64_t us) {
  return SimTime::from_ps(us * 1'000'000);
}

}  // namespace morgana::testing
