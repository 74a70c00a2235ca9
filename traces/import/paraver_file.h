#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "emulator/core/time.h"
#include "traces/import/field_line.h"
#include "traces/import/named_communicators.h"
#include "traces/import/paraver_calls.h"

namespace morgana::paraver {

/// A call of MPI, from its two events.
struct MpiCall {
  SimTime begin, end;
  std::int32_t value = 0;         ///< CallTable's number
  bool is_root = false;           ///< of a collective: the event of its root
  std::int64_t communicator = 0;  ///< of a collective, by its number; 0: not recorded
  CollectiveSums::Sums sums;      ///< of a collective
  bool has_size = false;          ///< whether an event says any of the sums
  std::size_t line = 0;           ///< of the event that begins it
};

/// A message, from its record; times are when its calls began (a send) and ended (a receive).
struct PrvMessage {
  std::int32_t from = 0, to = 0;  ///< ranks
  std::int32_t tag = 0;
  std::int64_t bytes = 0;
  SimTime sent, posted, received;  ///< logical send, logical receive, physical receive
  std::size_t line = 0;
};

/// Time in which a rank did not compute, though it was in no call.
struct Pause {
  SimTime begin, end;
};

struct PrvCounts {
  std::uint64_t of_threads = 0;       ///< records of further threads of the ranks
  std::uint64_t of_applications = 0;  ///< records of further applications
  std::uint64_t unended = 0;          ///< calls that have no end
  std::uint64_t disabled = 0;         ///< times in which tracing was switched off
  std::uint64_t stray = 0;            ///< events of a collective outside of calls
  std::uint64_t odd_tags = 0;         ///< messages with a tag that no message has
};

/// What a Paraver trace says of its first application, whose tasks are the ranks.
struct PrvTrace {
  std::filesystem::path file;
  NamedCommunicators communicators;
  std::vector<std::vector<MpiCall>> calls;  ///< by rank, in time
  std::vector<std::vector<Pause>> pauses;   ///< by rank, in time
  std::vector<PrvMessage> messages;
  std::vector<SimTime> ends;  ///< by rank: of its last record
  SimTime begin;              ///< of the first record of any rank
  PrvCounts counts;

  std::size_t ranks() const { return calls.size(); }
  /// @throws Error: file, line and what is wrong there
  [[noreturn]] void refuse(std::size_t line, const std::string& what) const;
};

/// @throws Error naming file and line of what can't be read
PrvTrace read_prv(const std::filesystem::path& file);

}  // namespace morgana::paraver
