#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "emulator/core/error.h"
#include "emulator/core/statistics.h"
#include "emulator/core/units.h"
#include "emulator/operations/collective_payload.h"
#include "emulator/operations/operation.h"

namespace morgana {

/// What a trace says of its program's communication. Messages are point to point; what collectives are made
/// of is no message of the program's.
struct TraceStatistics {
  struct PerRank {
    std::uint64_t messages_sent = 0, messages_received = 0;
    Bytes bytes_sent, bytes_received;
    std::uint64_t collectives = 0;
    SimTime begin, end;  ///< its first and last record, since the trace's begin; 0 if it did not begin late
    /// Inside calls of the message-passing library, computing ones (MPI_Comm_rank) too, and in polls that the
    /// rank answered itself (OwnPolls).
    SimTime communication;
    double communication_share() const {
      return end > begin ? communication.seconds() / (end - begin).seconds() : 0.0;
    }
  };
  struct Pair {
    Rank from, to;
    std::uint64_t messages = 0;
    Bytes bytes;
  };
  struct Collective {
    std::uint64_t calls = 0;    ///< of all ranks together
    CollectivePayload payload;  ///< of all ranks together
  };

  struct Call {
    std::uint64_t count = 0;
    SimTime time;  ///< inside of it; polls that the rank answered itself count, as in `count`
    Bytes bytes;   ///< as RunStatistics has it of the run itself (CallUse::bytes)
  };
  using Calls = std::map<std::string, Call>;  ///< by the call's name

  std::string program, platform;
  SimTime duration;      ///< to the last record of any rank
  Distribution lengths;  ///< of the messages sent, in bytes: count, mean, median
  Bytes bytes;           ///< of the messages sent
  std::vector<PerRank> ranks;
  std::vector<Calls> calls;  ///< by rank: their times add up to its communication
  /// Ranks 0 to services - 1 only serve the others (PVM's daemon): neither they nor messages from or to them
  /// are counted.
  std::size_t services = 0;
  std::span<const PerRank> program_ranks() const { return std::span(ranks).subspan(services); }
  std::vector<Pair> pairs;                        ///< that exchanged messages, by sender, then receiver
  std::map<std::string, Collective> collectives;  ///< by the name of the call: "MPI_Allreduce"
  std::uint64_t unmatched_sends = 0;              ///< messages that were never received
  std::uint64_t unmatched_receives = 0;           ///< messages received that no record sends
  std::vector<std::string> notices;               ///< sentences for the user

  std::uint64_t messages() const { return lengths.summary().count(); }
  /// Messages per second of the whole run.
  double density() const { return per_second(static_cast<double>(messages())); }
  /// Bits of messages per second of the whole run.
  double throughput() const { return per_second(8.0 * static_cast<double>(bytes.count())); }
  /// Of all ranks' time together, 0 to 1.
  double communication_share() const;
  /// Of the program's ranks together.
  Calls all_calls() const;

 private:
  double per_second(double amount) const { return duration > SimTime() ? amount / duration.seconds() : 0.0; }
};

/// Reads a whole trace, one rank after the other.
/// @param trace  the folder, or its .otf2 anchor file
/// @param progress  called now and then with the share read, 0 to 1; may be empty
/// @throws Error naming location and record
TraceStatistics read_trace_statistics(const std::filesystem::path& trace,
                                      const std::function<void(double)>& progress = {});

}  // namespace morgana
