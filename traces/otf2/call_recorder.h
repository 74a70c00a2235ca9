#pragma once

#include <otf2/otf2.h>

#include <vector>

#include "traces/otf2/collective_sizes.h"
#include "traces/otf2/record_attributes.h"
#include "traces/otf2/recorded_call.h"
#include "traces/otf2/trace_archive.h"
#include "traces/otf2/trace_communicators.h"
#include "traces/otf2/trace_requests.h"

namespace morgana {

/// Writes calls as OTF2 records, each in its form (record_form.h). Waits and tests are written as what
/// completed in them; a probe with what it found.
class CallRecorder {
 public:
  CallRecorder(TraceArchive& archive, TraceCommunicators& communicators, std::size_t ranks);

  /// The next rank has begun.
  void add_rank() { pending_.emplace_back(); }
  void write(Rank rank, RecordedCall& call);
  /// The rank's last record. @param polled  part of the computing before that went into polls
  /// @param interrupted  part of the time before that the host's kernel took from the rank
  void write_exit(Rank rank, SimTime at, SimTime polled, SimTime interrupted);

 private:
  void add_time_before(SimTime polled, SimTime interrupted);
  struct Pending {
    OperationKind kind = OperationKind::send;
    std::uint32_t communicator = 0;
    CollectiveKind collective = CollectiveKind::barrier;
    std::uint32_t root = OTF2_COLLECTIVE_ROOT_NONE;
    CollectiveTotals totals;
  };

  static void note_heads(RecordedCall& call);

  void write_plain(const RecordedStep& step);
  void write_marked(const RecordedStep& step);
  void write_blocking_messages(const RecordedCall& call);
  void write_blocking_collective(const RecordedStep& start, const RecordedStep& wait);
  void write_send(const RecordedStep& step, bool blocking);
  void write_receive(const RecordedStep& step);
  void write_collective(const RecordedStep& step);
  void write_access(const RecordedStep& step);
  void write_wait_part(const RecordedStep& step);
  void write_completions(const RecordedStep& step);
  void write_completion(const RecordedStep::Completion& completed, SimTime at);
  void write_failed_test(const RecordedStep& step);

  void add_envelope(const Operation& operation, Rank source, Tag tag);

  TraceArchive& archive_;
  TraceCommunicators& communicators_;
  std::vector<TraceRequests<Pending>> pending_;  // by rank
  RecordAttributes attributes_;

  // Of the call being written.
  Rank rank_{};
  OTF2_EvtWriter* events_ = nullptr;
  Call call_ = Call::unknown;
  CollectivePart derived_;  // scratch
};

}  // namespace morgana
