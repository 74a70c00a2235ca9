#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "replay/translation/call_plan.h"
#include "replay/translation/operation_codec.h"
#include "replay/translation/trace_form.h"
#include "traces/otf2/location_reader.h"
#include "traces/otf2/recorded_collective.h"
#include "traces/otf2/trace_requests.h"

namespace morgana {

/// What the translations of all ranks have in common, and what they count together.
struct TranslatedTrace {
  const TraceCommunicator* world = nullptr;  ///< the first communicator that holds every rank in order
  std::uint64_t receives_left_out = 0;
  RecordedCollectives collectives;
  std::unordered_map<std::int64_t, std::vector<MessagePart>>
      parts;  ///< by their text's reference; looked up only
};

/// Translates the records of one rank into operations, as far as that does not depend on the platform and on
/// what the replay answers (see RecordedOperation).
class RankTranslator {
 public:
  /// Keeps references: the arguments must outlive this translator.
  RankTranslator(LocationReader& location, const TraceDefinitions& definitions, Rank rank,
                 TranslatedTrace& trace)
      : location_(location),
        definitions_(definitions),
        form_(form_of(definitions)),
        rank_(rank),
        trace_(trace) {}

  /// The next operation; not to be called again after the exit.
  /// @throws Error naming location and record
  void next(RecordedOperation& recorded);

 private:
  bool runs_at_start() const {
    const std::size_t early = definitions_.properties.ranks_at_start;
    return early == 0 || index(rank_) < early;
  }
  bool plan_call();
  bool leave_out(const PlannedStep& step);
  void resolve(std::size_t place);
  void need(const PlannedStep& step);
  void announce(RecordedOperation& recorded);
  void set_elapsed(RecordedOperation& recorded);
  void exit(RecordedOperation& recorded);
  void fill(const PlannedStep& step, RecordedOperation& recorded);
  void fill_message(const PlannedStep& step, Operation& operation);
  void fill_parts(const TraceRecord& record, std::int64_t text, std::vector<MessagePart>& parts) const;
  void fill_collective(const PlannedStep& step, Operation& operation);
  void fill_requests(const PlannedStep& step, Operation& operation);
  void fill_marked(const PlannedStep& step, RecordedOperation& recorded);
  Context context_of(const TraceCommunicator& communicator) const;
  RequestId request_of(const PlannedStep& step, const TraceRecord& record);

  LocationReader& location_;
  const TraceDefinitions& definitions_;
  const TraceForm& form_;
  Rank rank_;
  TranslatedTrace& trace_;
  std::size_t place_ = 0;  // of the first record after the current call
  CallPlan plan_;
  std::size_t step_ = 0;                               // of the current call
  SimTime last_end_;                                   // of the last call
  std::vector<const TraceCommunicator*> unannounced_;  // what the current call needs first
  std::vector<bool> announced_;                        // by the communicator's reference
  TraceRequests<char> pending_;                        // the trace's requests that were started
  std::uint64_t never_awaited_ = 0;
};

}  // namespace morgana
