#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "replay/trace_source_impl.h"
#include "traces/call_traits.h"

namespace morgana {

/// The first communicator that holds every rank in order.
void TraceSource::Impl::find_world() {
  for (const TraceCommunicator& communicator : definitions_.communicators.all()) {
    if (communicator.kind != TraceCommunicator::Kind::group || communicator.members.size() != ranks_.size())
      continue;
    bool in_order = true;
    for (std::size_t i = 0; i < communicator.members.size(); ++i)
      in_order = in_order && index(communicator.members[i]) == i;
    if (in_order && (world_ == nullptr || communicator.reference < world_->reference)) world_ = &communicator;
  }
}

Context TraceSource::Impl::context_of(const TraceCommunicator& communicator, Rank rank) const {
  if (&communicator == world_) return world_context;
  if (communicator.open_context && definitions_.ours) return *communicator.open_context;
  const std::uint64_t number = std::uint64_t{communicator.reference} + 1;
  if (communicator.kind != TraceCommunicator::Kind::self) return Context(number);
  // Each rank has an MPI_COMM_SELF of its own.
  return Context(number | (static_cast<std::uint64_t>(index(rank)) + 1) << 32);
}

std::size_t TraceSource::Impl::hosts() const {
  std::set<std::string> names(properties().host_of.begin(), properties().host_of.end());
  std::size_t hosts = names.size();
  // Of a modelled platform the names are numbers, of which some may have no ranks.
  while (hosts < ranks_.size() && names.contains(modelled_host_name(hosts))) ++hosts;
  return hosts;
}

SimTime TraceSource::Impl::scaled(SimTime elapsed) const {
  if (scale_ == 1.0) return elapsed;
  return SimTime::from_ps(std::llround(static_cast<long double>(elapsed.ps()) * scale_));
}

void TraceSource::Impl::next(Rank rank, Operation& operation) {
  RankState& state = ranks_[index(rank)];
  while (state.step == state.plan.steps.size()) {
    const bool planned = plan_call(state);
    // A rank that begins late counts its time from then on.
    if (state.last_end == SimTime() && !runs_at_start(rank)) state.last_end = state.location->begin_time();
    if (!planned) return exit(state, operation);
  }
  if (!state.unannounced.empty()) return announce(state, operation);
  const std::size_t count = state.plan.steps.size();
  const PlannedStep& step = state.plan.steps[state.step];
  operation.wants_answer = false;
  operation.payload = 0;
  operation.call = state.plan.region == nullptr ? Call::unknown : state.plan.region->call;
  operation.part = count == 1               ? CallPart::whole
                   : state.step == 0        ? CallPart::first
                   : state.step + 1 < count ? CallPart::middle
                                            : CallPart::last;
  operation.elapsed = SimTime();
  operation.polled = SimTime();
  operation.duration = SimTime();
  operation.taken = no_request;
  operation.duration = SimTime();
  if (state.step == 0) {
    set_elapsed(state, operation);
    state.last_end = state.plan.end;
  }
  fill(state, step, operation);
  if (++state.step == count) state.location->release(state.place);
}

/// @return false at the rank's end
bool TraceSource::Impl::plan_call(RankState& state) {
  state.location->release(state.place);
  state.step = 0;
  CallPlan& plan = state.plan;
  if (!plan.read(*state.location, definitions_, state.place)) return false;
  const bool had_steps = !plan.steps.empty();
  for (std::size_t i = 0; i < plan.steps.size();) {
    if (!leave_out(state, plan.steps[i])) {
      ++i;
      continue;
    }
    // With a blocking collective goes its wait.
    const bool blocking = plan.steps[i].private_request != 0;
    const auto step = plan.steps.begin() + static_cast<std::ptrdiff_t>(i);
    plan.steps.erase(step, step + (blocking ? 2 : 1));
  }
  for (const PlannedStep& step : plan.steps) need(state, step);
  if (!plan.steps.empty()) return true;
  // A call of ours without records ended there; one that only asks something of the library (MPI_Comm_rank)
  // counts as computing.
  const bool known = plan.region != nullptr && (plan.region->call != Call::unknown || definitions_.ours);
  if (had_steps || known) plan.steps.push_back(PlannedStep{});
  return true;
}

/// Receives of which the trace never says what they received can't be posted; a collective that only frees
/// something moves nothing.
bool TraceSource::Impl::leave_out(RankState& state, const PlannedStep& step) {
  if (step.kind == OperationKind::receive) {
    resolve(state, step.record);
    const TraceRecord& record = *state.location->at(step.record);
    if (definitions_.ours || record.kind == TraceRecord::Kind::receive ||
        (record.resolved && !record.cancelled))
      return false;
    ++receives_left_out_;
    return true;
  }
  if (step.kind == OperationKind::collective && !definitions_.ours) {
    resolve(state, step.record);
    const TraceRecord& record = *state.location->at(step.record);
    if (record.kind == TraceRecord::Kind::icollective_begun && !record.resolved)
      state.location->fail(record.number, "begins a collective that is never completed");
    const bool neighbourhood = state.plan.region != nullptr && state.plan.region->traits.neighbourhood;
    if (collective_kind(record.collective, neighbourhood)) return false;
    if (record.collective <= OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK)
      state.location->fail(record.number, "is a neighbourhood collective that the trace says too little of");
    return true;
  }
  return false;
}

/// Reads ahead until the record says all that it can.
void TraceSource::Impl::resolve(RankState& state, std::size_t place) {
  const TraceRecord* record = state.location->at(place);
  const bool posted_receive = record->kind == TraceRecord::Kind::ireceive_posted;
  if (!posted_receive && record->kind != TraceRecord::Kind::icollective_begun) return;
  if (definitions_.ours && (!posted_receive || (record->peer != any_rank && record->tag != any_tag))) return;
  while (!state.location->at(place)->resolved && state.location->read_on()) {
  }
}

void TraceSource::Impl::need(RankState& state, const PlannedStep& step) {
  const bool probes = step.kind == OperationKind::probe || step.kind == OperationKind::test_probe;
  const std::size_t place = probes ? step.marker : step.record;
  if (place == PlannedStep::no_place || step.kind == OperationKind::nothing) return;
  const TraceRecord& record = *state.location->at(place);
  const TraceCommunicator* communicator = definitions_.communicators.find(record.communicator);
  if (communicator == nullptr) state.location->fail(record.number, "names an unknown communicator");
  if (communicator == world_ || (communicator->open_context && definitions_.ours)) return;
  if (record.communicator >= state.announced.size()) state.announced.resize(record.communicator + 1);
  if (state.announced[record.communicator]) return;
  state.announced[record.communicator] = true;
  state.unannounced.push_back(communicator);
}

void TraceSource::Impl::announce(RankState& state, Operation& operation) {
  const TraceCommunicator& communicator = *state.unannounced.back();
  state.unannounced.pop_back();
  operation.kind = OperationKind::context_created;
  operation.call = Call::unknown;
  operation.part = CallPart::whole;
  operation.wants_answer = false;
  operation.elapsed = SimTime();
  operation.context = context_of(communicator, state.rank);
  operation.members = communicator.members;
  if (communicator.kind == TraceCommunicator::Kind::self) operation.members.assign(1, state.rank);
}

void TraceSource::Impl::exit(RankState& state, Operation& operation) {
  operation.kind = OperationKind::exit;
  operation.call = Call::unknown;
  operation.part = CallPart::whole;
  operation.wants_answer = false;
  state.plan.begin = state.location->last_time();
  set_elapsed(state, operation);
}

/// Polls are no computing: a faster processor does not shorten them. What kernel work took is the platform's
/// affair, on which the replay runs.
void TraceSource::Impl::set_elapsed(RankState& state, Operation& operation) {
  const SimTime passed = state.plan.begin - state.last_end;
  const SimTime computed = passed - std::clamp(state.plan.interrupted, SimTime(), passed);
  operation.polled = std::clamp(state.plan.polled, SimTime(), computed);
  operation.elapsed = scaled(computed - operation.polled) + operation.polled;
}

void TraceSource::Impl::answer(Rank rank, const Answer& answer) {
  for (const Completed& completed : answer.completed)
    ranks_[index(rank)].pending.erase(static_cast<std::uint64_t>(completed.request));
}

std::vector<std::string> TraceSource::Impl::notices() const {
  std::vector<std::string> notices = reader_.notices();
  if (receives_left_out_ > 0)
    notices.push_back(fmt::format("left out {} receives of which the trace never says what they received",
                                  receives_left_out_));
  return notices;
}

TraceSource::TraceSource(const std::filesystem::path& trace, double compute_scale)
    : impl_(std::make_unique<Impl>(trace, compute_scale)) {}
TraceSource::~TraceSource() = default;
std::size_t TraceSource::ranks() const {
  return impl_->ranks();
}
bool TraceSource::runs_at_start(Rank rank) const {
  return impl_->runs_at_start(rank);
}
bool TraceSource::is_service(Rank rank) const {
  return index(rank) < services();
}
std::size_t TraceSource::services() const {
  return impl_->properties().services;
}
std::size_t TraceSource::ranks_at_start() const {
  const std::size_t early = impl_->properties().ranks_at_start;
  return early == 0 ? impl_->ranks() : early;
}
bool TraceSource::places_its_ranks() const {
  return services() > 0 || ranks_at_start() < impl_->ranks();
}
std::size_t TraceSource::hosts() const {
  return impl_->hosts();
}
void TraceSource::place_on(std::size_t hosts) {
  impl_->place_on(hosts);
}
bool TraceSource::next(Rank rank, Operation& operation) {
  impl_->next(rank, operation);
  return true;
}
void TraceSource::answer(Rank rank, const Answer& answer) {
  impl_->answer(rank, answer);
}
std::vector<std::string> TraceSource::notices() const {
  return impl_->notices();
}
double TraceSource::progress() const {
  return impl_->progress();
}

}  // namespace morgana
