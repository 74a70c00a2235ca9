#include "traces/otf2/trace_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <utility>

#include "emulator/operations/endpoint_tag.h"
#include "traces/otf2/attributes.h"
#include "traces/otf2/call_recorder.h"
#include "traces/otf2/network_metrics.h"
#include "traces/otf2/otf2_error.h"
#include "traces/otf2/pending_folder.h"
#include "traces/otf2/trace_archive.h"
#include "traces/otf2/trace_communicators.h"

namespace morgana {

class TraceWriter::Impl {
 public:
  Impl(const std::filesystem::path& folder, const TraceProperties& properties)
      : folder_(folder),
        archive_(folder_.path(), properties),
        communicators_(properties.host_of.size()),
        recorder_(archive_, communicators_, properties.host_of.size()),
        ranks_(properties.host_of.size()),
        services_(properties.services),
        program_(properties.program) {
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
      write_program_begin(Rank(static_cast<std::int32_t>(rank)), SimTime());
  }

  void operation_ended(Rank rank, const Operation& operation, SimTime begin, SimTime end,
                       std::span<const Completed> completed);
  void add(NetworkMetrics metrics) { archive_.set_metrics(std::move(metrics)); }
  std::string finish(const std::string& broken_off);

 private:
  struct RankState {
    SimTime last;          // of the rank's last record
    bool in_call = false;  // between the first and the last operation of a call
    bool leaves_records = false;
    // Of operations that leave no record, since the last that does: in the call.
    SimTime elapsed, polled;
    /// Since the last record of a call.
    SimTime interrupted;
    RecordedCall call;
  };

  void write_program_begin(Rank rank, SimTime at);
  void begin_rank(Rank rank, std::int32_t host, SimTime at);
  void begin_call(RankState& state, const Operation& operation, SimTime begin);
  void end_call(Rank rank, RankState& state, SimTime end);
  void end_last_call(Rank rank, RankState& state, SimTime last, SimTime end);

  PendingFolder folder_;
  TraceArchive archive_;
  TraceCommunicators communicators_;
  CallRecorder recorder_;
  std::vector<RankState> ranks_;
  std::size_t services_;
  std::string program_;
};

void TraceWriter::Impl::write_program_begin(Rank rank, SimTime at) {
  std::istringstream words(program_);
  std::string word;
  std::vector<OTF2_StringRef> arguments;
  while (words >> word) arguments.push_back(archive_.string(word));
  const OTF2_StringRef name = arguments.empty() ? archive_.string("") : arguments[0];
  const std::size_t count = arguments.empty() ? 0 : arguments.size() - 1;
  check_otf2(
      OTF2_EvtWriter_ProgramBegin(archive_.events(rank), nullptr, static_cast<std::uint64_t>(at.ps()), name,
                                  static_cast<std::uint32_t>(count), count > 0 ? &arguments[1] : nullptr),
      "write the trace");
}

void TraceWriter::Impl::begin_rank(Rank rank, std::int32_t host, SimTime at) {
  if (index(rank) != ranks_.size())
    throw Error(
        fmt::format("rank {} begins after {} others: ranks are numbered in the order in which they begin",
                    index(rank), ranks_.size()));
  archive_.add_rank(modelled_host_name(static_cast<std::size_t>(host)));
  communicators_.add_rank();
  recorder_.add_rank();
  ranks_.emplace_back().last = at;
  write_program_begin(rank, at);
}

void TraceWriter::Impl::operation_ended(Rank rank, const Operation& operation, SimTime begin, SimTime end,
                                        std::span<const Completed> completed) {
  if (rank < Rank{0} || index(rank) >= ranks_.size())
    throw Error(fmt::format("an operation of rank {} in the trace of {} ranks",
                            static_cast<std::int32_t>(rank), ranks_.size()));
  if (operation.kind == OperationKind::spawn) begin_rank(operation.peer, operation.host, end);
  RankState& state = ranks_[index(rank)];
  if (begin < state.last || end < begin)
    throw Error(fmt::format("rank {}: {} goes back in time, to {} ps from {} ps", index(rank),
                            name_of(operation.call), (begin < state.last ? begin : end).ps(),
                            (begin < state.last ? state.last : begin).ps()));
  const SimTime last = std::exchange(state.last, end);
  if (operation.kind == OperationKind::context_created)
    communicators_.announce(rank, operation.context, operation.members);
  // A rank's word that it uses libmorgana-am, which nobody knew before (NamedEndpoints).
  if (operation.kind == OperationKind::read_clock &&
      EndpointTag::is_marked(static_cast<std::int32_t>(operation.tag)))
    archive_.note_endpoints();
  if (operation.kind == OperationKind::exit) {
    if (state.in_call) end_last_call(rank, state, last, begin);
    return recorder_.write_exit(rank, begin, state.polled + operation.polled,
                                state.interrupted + operation.interrupted);
  }
  const bool begins = begins_call(operation.part) || !state.in_call;
  if (begins) {
    if (state.in_call) end_call(rank, state, begin);
    begin_call(state, operation, begin);
  } else {
    state.elapsed += operation.elapsed;
    state.polled += operation.polled;
    state.interrupted += operation.interrupted;
  }
  const bool reads_clock_for_nothing = operation.kind == OperationKind::read_clock && begin == end;
  // A replay announces communicators outside of any call.
  const bool outside_of_calls =
      operation.kind == OperationKind::context_created && operation.call == Call::unknown;
  if (!reads_clock_for_nothing && !outside_of_calls) state.leaves_records = true;
  if (!reads_clock_for_nothing && operation.kind != OperationKind::nothing &&
      operation.kind != OperationKind::context_created) {
    RecordedStep& step = state.call.add();
    step.operation = operation;
    step.begin = begin;
    step.end = end;
    step.elapsed = std::exchange(state.elapsed, SimTime());
    step.polled = std::exchange(state.polled, SimTime());
    step.completed.clear();
    for (const Completed& one : completed)
      step.completed.push_back(
          {one.request, one.source, one.tag, one.bytes, one.cancelled, one.coming, one.outcome});
  }
  if (ends_call(operation.part)) end_call(rank, state, end);
}

void TraceWriter::Impl::begin_call(RankState& state, const Operation& operation, SimTime begin) {
  state.in_call = true;
  state.leaves_records = false;
  state.elapsed = SimTime();
  state.call.clear();
  state.call.call = operation.call;
  state.call.begin = begin;
  state.call.polled = std::exchange(state.polled, SimTime()) + operation.polled;
  state.call.interrupted = std::exchange(state.interrupted, SimTime()) + operation.interrupted;
}

void TraceWriter::Impl::end_call(Rank rank, RankState& state, SimTime end) {
  state.in_call = false;
  if (!state.leaves_records) {
    state.polled += state.call.polled;
    state.interrupted += state.call.interrupted;
    return;
  }
  state.interrupted = SimTime();  // within the call, whose operations say what was computed between them

  if (state.elapsed > SimTime()) {  // computed after the call's last recorded operation
    RecordedStep& step = state.call.add();
    step.operation.kind = OperationKind::nothing;
    step.begin = step.end = end;
    step.elapsed = state.elapsed;
    step.polled = std::exchange(state.polled, SimTime());
    step.completed.clear();
  }
  state.call.end = end;
  recorder_.write(rank, state.call);
}

/// The run ends with the last rank that is no service: a service may still wait for what nobody asks of it,
/// and leaves no record of that. A rank that was ended in a call has waited there.
/// @param last  the end of its last operation
void TraceWriter::Impl::end_last_call(Rank rank, RankState& state, SimTime last, SimTime end) {
  if (index(rank) < services_) return;
  if (end > last) {
    RecordedStep& step = state.call.add();
    step.operation = Operation();
    step.operation.kind = OperationKind::sleep;
    step.operation.duration = end - last;
    step.begin = last;
    step.end = end;
    step.elapsed = std::exchange(state.elapsed, SimTime());
    step.polled = std::exchange(state.polled, SimTime());
    step.completed.clear();
    state.leaves_records = true;
  }
  end_call(rank, state, end);
}

std::string TraceWriter::Impl::finish(const std::string& broken_off) {
  SimTime length;
  for (std::size_t i = 0; i < ranks_.size(); ++i) {
    const Rank rank{static_cast<std::int32_t>(i)};
    RankState& state = ranks_[i];
    if (state.in_call) end_last_call(rank, state, state.last, state.last);
    length = std::max(length, state.last);
  }
  archive_.finish(communicators_, length, broken_off);
  return folder_.keep() ? fmt::format("the older trace in {} has been replaced", folder_.place().string())
                        : "";
}

std::string modelled_host_name(std::size_t host) {
  return fmt::format("host{}", host);
}

TraceWriter::TraceWriter(const std::filesystem::path& folder, const TraceProperties& properties)
    : impl_(std::make_unique<Impl>(folder, properties)) {}

TraceWriter::~TraceWriter() = default;

void TraceWriter::operation_ended(Rank rank, const Operation& operation, SimTime begin, SimTime end,
                                  std::span<const Completed> completed) {
  impl_->operation_ended(rank, operation, begin, end, completed);
}

void TraceWriter::add(NetworkMetrics metrics) {
  impl_->add(std::move(metrics));
}

std::string TraceWriter::finish(const std::string& broken_off) {
  return impl_->finish(broken_off);
}

}  // namespace morgana
