#pragma once

#include <cstdint>

#include "traces/otf2/recorded_call.h"

namespace morgana {

/// How a call is written as OTF2 records.
enum class RecordForm : std::uint8_t {
  /// One operation that OTF2 has records for: MpiIsend, MpiIrecvRequest, NonBlockingCollectiveRequest at its
  /// begin; the completions of a wait or successful test, or an MpiRequestTest for each request of a failed
  /// one, at its end.
  plain,
  /// Receives and sends, then a wait for exactly these: MpiSend at a send's begin, MpiRecv at the wait's end.
  blocking_messages,
  /// A collective and its wait: MpiCollectiveBegin and -End.
  blocking_collective,
  /// Any other: before each operation's records a record of the parameter "morgana.operation".
  marked
};

RecordForm form_of(const RecordedCall& call);

}  // namespace morgana
