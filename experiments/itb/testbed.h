#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "emulator/interface/gm/parameters.h"
#include "emulator/network/myrinet/parameters.h"

namespace morgana::itb_paper {

/// The testbed of section 6.1: two switches of eight ports and a cable between them; host 1 and the host in
/// transit at the first, host 2 at the second, of which a cable joins two ports. Host 1's packets cross three
/// switches on both paths (round the loop, or through the host in transit), host 2's cross two: five there
/// and back, 2.5 on average.
struct Testbed {
  MyrinetParameters network;
  gm::Parameters program;
  SimTime host_send;     ///< from the call until the send token is written
  SimTime host_receive;  ///< from the packet's arrival in memory until the program has it
  bool through_host = false;
  bool one_switch = false;  ///< instead: two hosts at one switch
};
/// As the hosts and interfaces of the paper: docs/experiments.md says where each value comes from.
Testbed paper_testbed();
/// What Myricom published of GM for its PCI64B and PCI64C, whose processors are the same but for the clock.
/// @param clock  of its processor, in Hz
Testbed published_testbed(double clock);

/// Half of the mean of a hundred round trips between hosts 1 and 2, in ns.
double half_round_trip(const Testbed& testbed, std::int64_t bytes);

/// The testbed with one thing changed.
struct Variant {
  const char* name;
  void (*change)(Testbed& testbed);
};
std::span<const Variant> variants();

/// Names of the figures, times in ns:
/// - original.N, changed.N, through_host.N: half round trips of N bytes, 1 to 4096: of the original program,
///   of the one with in-transit support, and of that through the host in transit; short is original.1
/// - overhead (of the changed program, mean over the lengths), overhead_most, overhead_1, overhead_4096 (%)
/// - in_transit (twice what the host in transit adds, mean over the lengths), in_transit_least, _most
/// - VARIANT.overhead, VARIANT.in_transit, VARIANT.short (of the original program, one byte)
/// - published.133, published.200: of one byte, on what Myricom measured
std::map<std::string, double> testbed_figures();

}  // namespace morgana::itb_paper
