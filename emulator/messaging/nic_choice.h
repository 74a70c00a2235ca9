#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "emulator/messaging/machine.h"

namespace morgana {

/// By which NIC each message of a rank leaves its host, where hosts have several and the program does not say
/// it. Sources: MVAPICH2 2.3.7 User Guide, "Run MPI Applications on Multi-Rail Configurations"
/// (MV2_RAIL_SHARING_POLICY: binding to a rail, round robin); UCX, which gives a process the NIC next to it.
class NicsOfRanks {
 public:
  /// @param machine  must outlive this object; its ranks may be placed later
  explicit NicsOfRanks(const Machine& machine) : machine_(machine) {}

  /// Always the same for a rank.
  std::uint8_t of(Rank rank);
  /// For the next message of a rank.
  std::uint8_t next(Rank rank);

 private:
  const Machine& machine_;
  std::vector<std::uint8_t> of_;    // by rank, once all are placed
  std::vector<std::uint8_t> next_;  // by rank: round robin
};

/// Messages of two ranks that go by different NICs may overtake each other. They are numbered, and one that
/// comes too early waits for those before it (MPI 4.0, section 3.5: messages do not overtake).
class PairOrder {
 public:
  struct Pair {
    Rank from, to;
    auto operator<=>(const Pair&) const = default;
  };
  /// The number of the next message, from 1 on.
  std::uint64_t number(Pair pair) { return ++lines_[pair].sent; }
  /// A message has come. @return whether it is the next one; else it waits
  bool comes(Pair pair, std::uint64_t number, std::uint32_t message);
  /// One that has waited and is the next one now; nothing if there is none.
  std::optional<std::uint32_t> next(Pair pair);

 private:
  struct Line {
    std::uint64_t sent = 0, taken = 0;
    std::map<std::uint64_t, std::uint32_t> early;  // messages by their number
  };
  std::map<Pair, Line> lines_;
};

}  // namespace morgana
