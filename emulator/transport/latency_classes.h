#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "emulator/core/counter_table.h"
#include "emulator/core/time.h"
#include "emulator/host/host_id.h"

namespace morgana {

/// How long the messages of a connection took, from being handed to the transport until they had come whole
/// and in order, or its cells, from being handed to the network: a histogram. Classes begin at 1, 2 and 5
/// times each power of ten from 1 us to 10 s; the first has all that is shorter, the last all that is longer.
class LatencyClasses {
 public:
  void add(SimTime latency);
  std::uint64_t messages() const { return messages_; }

  static constexpr std::size_t classes = 23;
  /// Where a class ends; of the last: SimTime::max().
  static SimTime end(std::size_t number);
  std::uint64_t in(std::size_t number) const { return counts_[number]; }
  SimTime longest() const { return longest_; }
  double mean_seconds() const { return messages_ == 0 ? 0 : seconds_ / static_cast<double>(messages_); }

 private:
  std::array<std::uint64_t, classes> counts_ = {};
  std::uint64_t messages_ = 0;
  double seconds_ = 0;
  SimTime longest_;
};

/// One connection's.
struct ConnectionLatency {
  HostId from, to;
  const LatencyClasses* latency;
};

/// A row for each connection that has delivered messages; columns from the shortest class to the longest that
/// any of them has.
/// @param what  was counted
CounterTable latency_table(const std::string& title, const std::vector<ConnectionLatency>& connections,
                           const std::string& what = "messages");

}  // namespace morgana
