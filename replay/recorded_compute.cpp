#include "replay/recorded_compute.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "replay/trace_source.h"

namespace morgana {
namespace {

/// Whether the program asks, and may ask any number of times until it gets what it wants.
bool polls(Call call) {
  switch (call) {
    case Call::MPI_Improbe:
    case Call::MPI_Iprobe:
    case Call::MPI_Parrived:
    case Call::MPI_Request_get_status:
    case Call::MPI_Test:
    case Call::MPI_Testall:
    case Call::MPI_Testany:
    case Call::MPI_Testsome:
    case Call::MPI_Win_sync:
    case Call::MPI_Win_test:
    case Call::pvm_nrecv:
    case Call::pvm_probe:
      return true;
    default:
      return false;
  }
}

/// Begins a call that must be alike in both runs, or ends the rank.
bool is_compared(const Operation& operation) {
  if (operation.kind == OperationKind::exit) return true;
  return begins_call(operation.part) && operation.kind != OperationKind::read_clock &&
         !polls(operation.call) && operation.call != Call::unknown;
}

bool moves_nothing(const Operation& operation) {
  return operation.kind == OperationKind::nothing && operation.part == CallPart::whole;
}

bool same(const Operation& a, const Operation& b) {
  const bool a_ends = a.kind == OperationKind::exit, b_ends = b.kind == OperationKind::exit;
  return a_ends || b_ends ? a_ends == b_ends : a.call == b.call;
}

std::string name_of(const Operation& operation) {
  return operation.kind == OperationKind::exit ? "ends" : fmt::format("calls {}", name_of(operation.call));
}

SimTime computed_outside_calls(const Operation& operation) {
  return operation.elapsed - operation.polled;
}

}  // namespace

/// The recorded run, each rank read as far as the program has come.
class RecordedCompute::Recorded {
 public:
  Recorded(const std::filesystem::path& trace, double compute_scale)
      : name_(trace.string()), source_(trace, compute_scale), ranks_(source_.ranks()) {}

  void check(const OperationSource& program) const;
  void set_elapsed(Rank rank, Operation& operation);

 private:
  struct RankState {
    bool has_next = false;
    Operation next;  // of the trace, to be compared
    SimTime due;     // computed in the trace since the last call that was alike, up to `next`
    SimTime passed;  // computed by the program since then
    std::uint64_t calls = 0;
  };
  void read_on(Rank rank, RankState& state);

  std::string name_;
  TraceSource source_;
  std::vector<RankState> ranks_;
};

/// PVM's programs say only in the end how many tasks they have.
void RecordedCompute::Recorded::check(const OperationSource& program) const {
  const bool tasks_come_later = !program.runs_at_start(Rank(static_cast<std::int32_t>(program.ranks() - 1)));
  const std::size_t services = source_.services();
  const bool daemon = program.is_service(Rank{0});
  if (daemon != (services > 0))
    throw Error(
        fmt::format("{} was recorded of a program of {}, which this one is not: compute times can be "
                    "taken from a trace of the same program only",
                    name_, services > 0 ? "PVM" : "MPI"));
  if (!tasks_come_later && program.ranks() != ranks_.size())
    throw Error(
        fmt::format("{} was recorded with {} ranks, and {} are to run: start as many with -n, or record "
                    "the program anew",
                    name_, ranks_.size(), program.ranks()));
}

void RecordedCompute::Recorded::read_on(Rank rank, RankState& state) {
  do {
    source_.next(rank, state.next);
    state.due += computed_outside_calls(state.next);
  } while (!is_compared(state.next));
  state.has_next = true;
}

void RecordedCompute::Recorded::set_elapsed(Rank rank, Operation& operation) {
  if (index(rank) >= ranks_.size())
    throw OtherPath(
        fmt::format("the program starts rank {}, but {} was recorded with ranks 0 to {} only: compute "
                    "times can be taken only from a run that went the same way; record it anew",
                    index(rank), name_, ranks_.size() - 1));
  RankState& state = ranks_[index(rank)];
  if (!is_compared(operation)) {
    state.passed += computed_outside_calls(operation);
    return;
  }
  ++state.calls;
  if (!state.has_next) read_on(rank, state);
  while (!same(state.next, operation) && moves_nothing(state.next)) read_on(rank, state);
  if (!same(state.next, operation)) {
    if (moves_nothing(operation)) {
      state.passed += computed_outside_calls(operation);
      return;
    }
    throw OtherPath(fmt::format(
        "rank {}: the program {} as its call {} where the one recorded in {} {}: compute times can be "
        "taken only from a run that went the same way; record it anew",
        index(rank), name_of(operation), state.calls, name_, name_of(state.next)));
  }
  operation.elapsed = std::max(operation.elapsed, state.due - state.passed + operation.polled);
  state.due = state.passed = SimTime();
  state.has_next = false;
}

RecordedCompute::RecordedCompute(OperationSource& program, const std::filesystem::path& trace,
                                 double compute_scale)
    : program_(program), recorded_(std::make_unique<Recorded>(trace, compute_scale)) {
  recorded_->check(program);
}

RecordedCompute::~RecordedCompute() = default;

bool RecordedCompute::next(Rank rank, Operation& operation) {
  if (!program_.next(rank, operation)) return false;
  if (!program_.is_service(rank)) recorded_->set_elapsed(rank, operation);
  return true;
}

}  // namespace morgana
