#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "emulator/transport/uet/parameters.h"
#include "runs/runner.h"

namespace morgana::ultra_ethernet_results {

/// The matrices of connections: flows of 2,000,000 B that begin at once, unless the name says otherwise.
enum class Matrix : std::uint8_t {
  one,
  both_ways,         ///< two hosts, to each other
  incast_15,         ///< of 16 hosts
  incast_127,        ///< of 128 hosts
  incast_1023,       ///< of 1,024 hosts, 100,000 B
  overlapped,        ///< three to one; two of them 250,000 B, 40 us later
  outcast,           ///< three hosts to host 0, two of which have nine other flows each
  permutation_16,    ///< of 16 hosts, all between pods
  permutation_1024,  ///< of 1,024 hosts: here another one than there
  message_of_10,     ///< two hosts, one message of 10 full packets
  ten_of_1,          ///< likewise, 10 messages of a packet
  message_of_100,
  ten_of_10,
};

/// How a result differs from the simulator's defaults.
struct Differs {
  std::int64_t queue_packets = 0;  ///< of a port; 0: a bandwidth-delay product
  bool each_acknowledged = false;  ///< each packet; otherwise 16 KiB
  /// From core switches down to the first one below: a quarter of the rate, of the queue and of the lengths
  /// from which it marks.
  unsigned slow_links = 0;
  unsigned oversubscribed = 0;  ///< two tiers, n hosts for a cable up; 0: three tiers, full bisection
  bool reused = false;          ///< a connection that carries messages one after the other: here all do
};

/// A result that the simulator comes with, and how it was run there.
struct Published {
  const char* id;
  UetParameters::Control control;
  Matrix matrix;
  LoadBalancing balancing;
  unsigned entropies;
  double first, last;  ///< completions, us; first 0: the simulator reports the last alone
  Differs differs{};
};

/// "NSCC, 15 to 1".
std::string title_of(const Published& result);

/// All but two, which a slower pace of credit decides that is not modelled.
const std::vector<Published>& published();

/// The same here: completions ("first", "last", us) and counts of packets.
RunOutcome run_here(const Published& result, std::uint64_t seed);

}  // namespace morgana::ultra_ethernet_results
