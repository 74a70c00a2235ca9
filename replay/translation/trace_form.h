#pragma once

#include "traces/otf2/call_traits.h"
#include "traces/otf2/location_reader.h"
#include "traces/otf2/trace_definitions.h"

namespace morgana {

/// Who wrote a trace decides what its records say and what must be found out from later ones. Our own say
/// everything where a call begins; those of other tools follow OTF2's conventions for MPI: a nonblocking
/// receive has its sender when it is complete, a nonblocking collective has everything then.
///
/// Source: OTF2 3.0 documentation, "OTF2 records" (MpiIrecvRequest, MpiIrecv, NonBlockingCollectiveRequest,
/// NonBlockingCollectiveComplete).
class TraceForm {
 public:
  virtual ~TraceForm() = default;
  /// Whether a call without records was an operation of its own; else it counts as computing.
  virtual bool is_operation(const TraceRegion& region) const = 0;
  /// Whether nothing ever waits for a message recorded as sent at once in such a call.
  virtual bool is_never_awaited(const TraceRegion& region) const = 0;
  /// Whether the record of what a call has begun is complete only after later records.
  virtual bool needs_completion(const TraceRecord& begun) const = 0;
  /// Whether this receive can't be posted, as the trace never says what it received.
  virtual bool leaves_out_receive(const TraceRecord& resolved) const = 0;
  /// Whether this collective only frees something and moves nothing.
  /// @throws Error if it can't be replayed
  virtual bool leaves_out_collective(const TraceRecord& resolved, bool neighbourhood,
                                     const LocationReader& location) const = 0;
};

/// The form of traces that TraceWriter has written, and that of other tools' traces. Both live as long as the
/// program.
const TraceForm& own_form();
const TraceForm& foreign_form();
inline const TraceForm& form_of(const TraceDefinitions& definitions) {
  return definitions.ours ? own_form() : foreign_form();
}

}  // namespace morgana
