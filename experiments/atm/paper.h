#pragma once

#include <array>
#include <string_view>

/// What J. Vila i Sallent, A Network Architecture for Supporting Parallel Computing over ATM, 1997, printed.
namespace morgana::atm_paper {

/// Tables A.1 and A.2.
struct PublishedTraffic {
  double messages, mean_bytes, median_bytes;
  double messages_per_second, megabits_per_second;
};
/// Table 2.2, seconds; 0: not given.
struct Times {
  double total, communication;
};

struct PublishedKernel {
  std::string_view name;
  PublishedTraffic traffic;
  Times ethernet, ethernet_loaded, sgi, sp2, atm;
  /// Outside of communication on the ideal ATM network: what our programs' computing is scaled to.
  double computing() const { return atm.total - atm.communication; }
};

inline constexpr std::array<PublishedKernel, 8> kernels{{
    {"pde1",
     {5608, 8180.360, 8192, 228.9, 14.96},
     {427, 158},
     {509, 196},
     {47.2, 7.0},
     {34.4, 8.61},
     {24.5, 12.0}},
    {"pde2",
     {8068, 116.827, 40, 246.0, 0.23},
     {407, 162},
     {671, 321},
     {31.7, 3.1},
     {47.0, 6.66},
     {32.8, 8.25}},
    {"solver",
     {4792, 7107.595, 6144, 363.0, 20.64},
     {341, 8.6},
     {454, 283},
     {28.7, 0.6},
     {30.1, 2.83},
     {13.2, 1.4}},
    {"ep", {0, 0, 0, 0, 0}, {53.6, 0}, {68.2, 0}, {9.3, 0}, {42.7, 0}, {38.5, 0}},
    {"cg",
     {7116, 1963.389, 8, 1218.5, 19.14},
     {32.5, 16.6},
     {39.7, 18.9},
     {1.7, 0.8},
     {1.66, 0.29},
     {5.84, 2.8}},
    {"ft",
     {189, 233200.75, 262144, 11.5, 21.50},
     {46.5, 35.7},
     {52.4, 40.7},
     {3.0, 1.7},
     {8.37, 0.59},
     {16.4, 11.3}},
    {"is",
     {599, 71364.320, 130016, 166.4, 95.00},
     {46.8, 33.6},
     {54.4, 39.1},
     {1.6, 0.3},
     {1.98, 0.41},
     {3.6, 0.9}},
    {"mg",
     {848, 30226.525, 2592, 50.5, 12.21},
     {65.9, 27.8},
     {107, 48.7},
     {7.0, 1.0},
     {8.14, 1.32},
     {16.8, 3.8}},
}};

/// @param name  one of the eight
constexpr const PublishedKernel& kernel(std::string_view name) {
  for (const PublishedKernel& one : kernels)
    if (one.name == name) return one;
  return kernels.front();
}

/// How fast a processor is, by platform: Table 2.1, GFLOPS of five.
struct Processor {
  std::string_view platform;
  double gflops;
};
inline constexpr std::array<Processor, 5> processors{{
    {"ethernet-10", 0.22},
    // By day others use the workstations too: EP, which sends nothing, takes 68.2 s instead of 53.6 s.
    {"ethernet-10-loaded", 0.22 * 53.6 / 68.2},
    {"sgi-powerchallenge", 3.88},
    {"ibm-sp2", 1.33},
    {"atm-ideal", 1.35},
}};

}  // namespace morgana::atm_paper
