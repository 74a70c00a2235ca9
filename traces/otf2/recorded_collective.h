#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "emulator/operations/collective_payload.h"
#include "traces/otf2/location_reader.h"

namespace morgana {

/// What records say of a rank's parts of collectives. Our own traces say all of it; of other tools' traces it
/// is derived from the totals that they record (derive_part).
class RecordedCollectives {
 public:
  /// @param record  of a collective; one in the background, of another tool: where it completes, or where it
  /// begins once that is resolved
  /// @param neighbourhood  whether its call is one among neighbours
  /// @param part  of the record's rank; keeps its storage
  /// @throws Error naming location and record
  void read(const LocationReader& location, const TraceRecord& record, bool neighbourhood,
            CollectivePart& part);

  /// The rank's payload. Where the totals of another tool's trace are too few to derive it (neighbours,
  /// intercommunicators), these totals; nothing for a record of no kind that moves data.
  /// @throws Error naming location and record
  CollectivePayload payload(const LocationReader& location, const TraceRecord& record, bool neighbourhood);

 private:
  void take_attributes(const LocationReader& location, const TraceRecord& record, const TraceExtras& extras,
                       CollectivePart& part);
  template <typename Element>
  void read_list(const LocationReader& location, const TraceRecord& record, const TraceExtras& extras,
                 Attribute attribute, std::vector<Element>& list);

  std::unordered_map<std::int64_t, std::vector<std::int64_t>> lists_;  ///< by the reference of their text
  CollectivePart part_;                                                ///< scratch
};

}  // namespace morgana
