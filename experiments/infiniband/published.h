#pragma once

#include <cstdint>
#include <vector>

namespace morgana::infiniband_tables {

/// A program of the OSU micro-benchmarks.
enum class Benchmark : std::uint8_t {
  latency,        ///< half of a message there and one back
  bandwidth,      ///< 64 messages at a time, then an answer of 4 B
  bidirectional,  ///< the same both ways at once, without an answer
  rate,           ///< as bandwidth, of several pairs at once
  allreduce,
  allgather,
  alltoall,
};

struct PublishedPoint {
  std::int64_t bytes;
  double value;
};

/// Published values of one benchmark on two hosts, half of the ranks on each, by size of the message (of
/// collectives: of each rank's contribution, or of each block).
struct PublishedTable {
  const char* id;  ///< of its rows
  const char* title;
  const char* unit;
  Benchmark benchmark;
  int ranks;
  std::vector<PublishedPoint> points;
  /// What the same page has of another run of the same benchmark; empty: there is none.
  std::vector<PublishedPoint> again = {};
};

const std::vector<PublishedTable>& published_tables();

}  // namespace morgana::infiniband_tables
