#pragma once

#include <cstdint>
#include <vector>

#include "replay/translation/trace_form.h"
#include "traces/otf2/location_reader.h"
#include "traces/otf2/trace_definitions.h"

namespace morgana {

/// One operation that a recorded call becomes. Places are those of LocationReader.
struct PlannedStep {
  static constexpr std::size_t no_place = ~std::size_t{0};

  OperationKind kind = OperationKind::nothing;
  std::size_t record = no_place;  ///< what started it: a send, a receive, a collective
  std::size_t marker = no_place;  ///< our own record that begins an operation
  /// Of a wait or test: where the records of its requests lie.
  std::size_t from = 0, to = 0;
  /// Blocking sends, receives and collectives have no request in a trace: they get the call's private ones.
  /// Of a start: its private request, counted from 1; 0 if the record has one.
  std::uint32_t private_request = 0;
  /// Of a wait: the private requests that it waits for.
  std::uint32_t first_private = 0, last_private = 0;
  /// Nothing ever waits for it (a nonblocking send recorded as a blocking one).
  bool never_awaited = false;
};

/// A call of a rank's program, between entering the outermost region of the message-passing library and
/// leaving it, as operations: receives before sends, then one wait for what is blocking and what has
/// completed in the call, then its collectives; a call in which requests were only found incomplete is a
/// test. Where our own records say which operations there were, exactly these.
struct CallPlan {
  const TraceRegion* region = nullptr;  ///< none for records outside of any call
  SimTime begin, end;
  SimTime polled;       ///< part of the computing before the call that went into polls
  SimTime interrupted;  ///< part of the time before the call that its host's kernel had taken
  std::vector<PlannedStep> steps;

  /// Plans the call whose records begin at `place` and moves `place` behind it.
  /// @return false at the location's end
  bool read(LocationReader& location, const TraceDefinitions& definitions, const TraceForm& form,
            std::size_t& place);

  /// Whether the call is a collective among neighbours.
  bool among_neighbours() const { return region != nullptr && region->traits.neighbourhood; }

 private:
  void plan(LocationReader& location, std::size_t from, std::size_t to, const TraceForm& form);
  void plan_marked(LocationReader& location, std::size_t from, std::size_t to);
};

}  // namespace morgana
