#pragma once

#include <otf2/otf2.h>

#include <memory>
#include <string>

#include "traces/attributes.h"
#include "traces/collective_sizes.h"
#include "traces/communicator_table.h"
#include "traces/recorded_call.h"
#include "traces/request_table.h"
#include "traces/trace_archive.h"

namespace morgana {

/// Writes calls as OTF2 records, in one of three forms:
///
/// - A blocking call (receives, then sends, then a wait for exactly these; or a collective and its wait) is
///   MpiSend at the send's begin and MpiRecv at the wait's end, or MpiCollectiveBegin and -End.
/// - A call of one operation that OTF2 has records for: MpiIsend, MpiIrecvRequest,
///   NonBlockingCollectiveRequest at its begin; the completions of a wait or successful test, or an
///   MpiRequestTest for each request of a failed one, at its end.
/// - Any other call: before each operation's records a record of the parameter "morgana.operation".
///
/// Waits and tests are written as what completed in them; a probe with what it found.
class CallRecorder {
 public:
  CallRecorder(TraceArchive& archive, CommunicatorTable& communicators, std::size_t ranks);

  /// The next rank has begun.
  void add_rank() { pending_.emplace_back(); }
  void write(Rank rank, RecordedCall& call);
  /// The rank's last record. @param polled  part of the computing before that went into polls
  void write_exit(Rank rank, SimTime at, SimTime polled);

 private:
  enum class Form { plain, blocking_messages, blocking_collective, marked };
  struct Pending {
    OperationKind kind = OperationKind::send;
    std::uint32_t communicator = 0;
    CollectiveKind collective = CollectiveKind::barrier;
    std::uint32_t root = OTF2_COLLECTIVE_ROOT_NONE;
    CollectiveTotals totals;
  };
  struct DeleteList {
    void operator()(OTF2_AttributeList* list) const { OTF2_AttributeList_Delete(list); }
  };

  Form form_of(const RecordedCall& call) const;
  static bool is_blocking_exchange(const RecordedCall& call);
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
  void add_part_differences(const CollectivePart& part, const CollectivePart& derived);
  void add_list(Attribute attribute, const std::vector<Bytes>& list);
  void add_list(Attribute attribute, const std::vector<std::int32_t>& list);
  void add_parts(const std::vector<MessagePart>& parts);
  void add(Attribute attribute, OTF2_AttributeValue value);
  void add_unsigned(Attribute attribute, std::uint64_t value);
  void add_time(Attribute attribute, SimTime time);
  void add_signed(Attribute attribute, std::int32_t value);

  TraceArchive& archive_;
  CommunicatorTable& communicators_;
  std::vector<RequestTable<Pending>> pending_;  // by rank
  std::unique_ptr<OTF2_AttributeList, DeleteList> list_;

  // Of the call being written.
  Rank rank_{};
  OTF2_EvtWriter* events_ = nullptr;
  Call call_ = Call::unknown;
  CollectivePart derived_;             // scratch
  std::vector<std::int64_t> numbers_;  // scratch
  std::string text_;                   // scratch
};

}  // namespace morgana
