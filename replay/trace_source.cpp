#include "replay/trace_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "replay/call_plan.h"
#include "traces/call_traits.h"
#include "traces/collective_sizes.h"
#include "traces/number_list.h"
#include "traces/request_table.h"
#include "traces/trace_reader.h"

namespace morgana {
namespace {

/// Requests that the trace does not number: above all that it may number.
constexpr std::uint64_t private_requests = std::uint64_t{1} << 63;
constexpr std::uint64_t never_awaited_requests = std::uint64_t{3} << 62;

RequestId taken(const TraceExtras& extras) {
  return extras.has(Attribute::taken) ? RequestId(static_cast<std::uint64_t>(extras[Attribute::taken]))
                                      : no_request;
}

}  // namespace

class TraceSource::Impl {
 public:
  Impl(const std::filesystem::path& trace, double compute_scale)
      : reader_(trace),
        definitions_(reader_.definitions()),
        scale_(compute_scale / definitions_.properties.compute_scale),
        ranks_(reader_.ranks()) {
    find_world();
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      ranks_[i].rank = Rank(static_cast<std::int32_t>(i));
      ranks_[i].location = &reader_.location(ranks_[i].rank);
    }
  }

  std::size_t ranks() const { return ranks_.size(); }
  void next(Rank rank, Operation& operation);
  void answer(Rank rank, const Answer& answer);
  std::vector<std::string> notices() const;
  double progress() const { return reader_.progress(); }

 private:
  struct RankState {
    Rank rank{};
    LocationReader* location = nullptr;
    std::size_t place = 0;  // of the first record after the current call
    CallPlan plan;
    std::size_t step = 0;                               // of the current call
    SimTime last_end;                                   // of the last call
    std::vector<const TraceCommunicator*> unannounced;  // what the current call needs first
    std::vector<bool> announced;                        // by the communicator's reference
    RequestTable<char> pending;                         // the trace's requests that the engine knows
    std::uint64_t never_awaited = 0;
    std::vector<std::uint64_t> sent_to, received_from;  // messages by peer
  };

  void find_world();
  bool plan_call(RankState& state);
  bool leave_out(RankState& state, const PlannedStep& step);
  void resolve(RankState& state, std::size_t place);
  void need(RankState& state, const PlannedStep& step);
  void announce(RankState& state, Operation& operation);
  void set_elapsed(RankState& state, Operation& operation);
  void exit(RankState& state, Operation& operation);
  void fill(RankState& state, const PlannedStep& step, Operation& operation);
  void fill_message(RankState& state, const PlannedStep& step, Operation& operation);
  void fill_collective(RankState& state, const PlannedStep& step, Operation& operation);
  void fill_part(const RankState& state, const TraceRecord& record, const TraceExtras& extras,
                 CollectivePart& part) const;
  void fill_requests(RankState& state, const PlannedStep& step, Operation& operation);
  void fill_marked(RankState& state, const PlannedStep& step, Operation& operation);
  template <typename Element>
  void read_list(const RankState& state, const TraceRecord& record, const TraceExtras& extras,
                 Attribute attribute, std::vector<Element>& list) const;
  SimTime scaled(SimTime elapsed) const;
  Context context_of(const TraceCommunicator& communicator, Rank rank) const;
  RequestId request_of(RankState& state, const PlannedStep& step, const TraceRecord& record) const;
  static void count(std::vector<std::uint64_t>& by_peer, Rank peer, std::size_t ranks);

  TraceReader reader_;
  const TraceDefinitions& definitions_;
  double scale_;
  std::vector<RankState> ranks_;
  const TraceCommunicator* world_ = nullptr;
  std::uint64_t receives_left_out_ = 0;
  mutable std::unordered_map<std::int64_t, std::vector<std::int64_t>> lists_;  // looked up only
};

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
  const std::uint64_t number = std::uint64_t{communicator.reference} + 1;
  if (communicator.kind != TraceCommunicator::Kind::self) return Context(number);
  // Each rank has an MPI_COMM_SELF of its own.
  return Context(number | (static_cast<std::uint64_t>(index(rank)) + 1) << 32);
}

SimTime TraceSource::Impl::scaled(SimTime elapsed) const {
  if (scale_ == 1.0) return elapsed;
  return SimTime::from_ps(std::llround(static_cast<long double>(elapsed.ps()) * scale_));
}

void TraceSource::Impl::next(Rank rank, Operation& operation) {
  RankState& state = ranks_[index(rank)];
  while (state.step == state.plan.steps.size())
    if (!plan_call(state)) return exit(state, operation);
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
  operation.taken = no_request;
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
  if (communicator == world_) return;
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

/// Polls are no computing: a faster processor does not shorten them.
void TraceSource::Impl::set_elapsed(RankState& state, Operation& operation) {
  const SimTime computed = state.plan.begin - state.last_end;
  operation.polled = std::clamp(state.plan.polled, SimTime(), computed);
  operation.elapsed = scaled(computed - operation.polled) + operation.polled;
}

void TraceSource::Impl::fill(RankState& state, const PlannedStep& step, Operation& operation) {
  operation.kind = step.kind;
  if (step.marker != PlannedStep::no_place) fill_marked(state, step, operation);
  switch (step.kind) {
    case OperationKind::send:
    case OperationKind::receive:
      return fill_message(state, step, operation);
    case OperationKind::collective:
      return fill_collective(state, step, operation);
    case OperationKind::wait:
    case OperationKind::test:
      return fill_requests(state, step, operation);
    default:
      return;
  }
}

RequestId TraceSource::Impl::request_of(RankState& state, const PlannedStep& step,
                                        const TraceRecord& record) const {
  if (step.never_awaited) return RequestId(never_awaited_requests + ++state.never_awaited);
  if (step.private_request != 0) return RequestId(private_requests + step.private_request);
  if (!state.pending.insert(record.request, 0))
    state.location->fail(record.number, fmt::format("starts request {} while it is pending", record.request));
  return RequestId(record.request);
}

void TraceSource::Impl::fill_message(RankState& state, const PlannedStep& step, Operation& operation) {
  const TraceRecord& record = *state.location->at(step.record);
  operation.request = request_of(state, step, record);
  operation.context = context_of(*definitions_.communicators.find(record.communicator), state.rank);
  operation.peer = record.peer;
  operation.tag = record.tag;
  if (step.kind == OperationKind::receive) {
    operation.bytes = record.room;
    if (record.extras != 0) operation.taken = taken(state.location->extras(record));
    if (record.kind == TraceRecord::Kind::receive) count(state.received_from, record.peer, ranks_.size());
    return;
  }
  operation.bytes = record.bytes;
  operation.mode = state.plan.region == nullptr ? SendMode::standard : state.plan.region->traits.mode;
  if (record.extras != 0) {
    const TraceExtras& extras = state.location->extras(record);
    if (extras.has(Attribute::mode)) {
      if (extras[Attribute::mode] > static_cast<std::int64_t>(SendMode::ready))
        state.location->fail(record.number, "has an unknown send mode");
      operation.mode = static_cast<SendMode>(extras[Attribute::mode]);
    }
  }
  count(state.sent_to, record.peer, ranks_.size());
}

void TraceSource::Impl::count(std::vector<std::uint64_t>& by_peer, Rank peer, std::size_t ranks) {
  if (by_peer.empty()) by_peer.resize(ranks);
  ++by_peer[index(peer)];
}

void TraceSource::Impl::fill_collective(RankState& state, const PlannedStep& step, Operation& operation) {
  static const TraceExtras none;
  const TraceRecord& record = *state.location->at(step.record);
  const TraceExtras& extras = record.extras != 0 ? state.location->extras(record) : none;
  const TraceCommunicator& communicator = *definitions_.communicators.find(record.communicator);
  if (communicator.kind == TraceCommunicator::Kind::between_groups)
    state.location->fail(record.number, "is a collective between two groups, which can't be replayed");
  operation.request = request_of(state, step, record);
  operation.context = context_of(communicator, state.rank);
  CollectivePart& part = operation.collective;
  const bool begun = record.kind == TraceRecord::Kind::icollective_begun;
  part.blocking = !begun;
  const bool neighbourhood = state.plan.region != nullptr && state.plan.region->traits.neighbourhood;
  auto kind = begun && definitions_.ours ? std::optional<CollectiveKind>()
                                         : collective_kind(record.collective, neighbourhood);
  if (extras.has(Attribute::kind) &&
      extras[Attribute::kind] <= static_cast<std::int64_t>(CollectiveKind::create_context))
    kind = static_cast<CollectiveKind>(extras[Attribute::kind]);
  if (!kind) state.location->fail(record.number, "is a collective of unknown kind");
  part.root = 0;
  if (has_root(*kind)) {
    if (extras.has(Attribute::root))
      part.root = static_cast<std::int32_t>(extras[Attribute::root]);
    else if (!begun || !definitions_.ours)
      part.root = static_cast<std::int32_t>(record.root);
    if (part.root < 0 || static_cast<std::uint32_t>(part.root) >= communicator.size())
      state.location->fail(record.number, fmt::format("is a collective with root {}", part.root));
  }
  CollectiveTotals totals;
  if (!begun || !definitions_.ours)
    totals = {static_cast<std::uint64_t>(record.bytes.count()),
              static_cast<std::uint64_t>(record.room.count())};
  derive_part(*kind, communicator.size(), static_cast<std::uint32_t>(communicator.place_of(state.rank)),
              totals, part);
  if (record.extras != 0) fill_part(state, record, extras, part);
}

void TraceSource::Impl::fill_part(const RankState& state, const TraceRecord& record,
                                  const TraceExtras& extras, CollectivePart& part) const {
  if (extras.has(Attribute::bytes)) part.bytes = Bytes(extras[Attribute::bytes]);
  if (extras.has(Attribute::first_group))
    part.first_group = static_cast<std::int32_t>(extras[Attribute::first_group]);
  if (extras.has(Attribute::element)) part.element = Bytes(extras[Attribute::element]);
  if (part.bytes < Bytes(0) || part.element < Bytes(1))
    state.location->fail(record.number, "is a collective of a negative size");
  if (extras.has(Attribute::flags)) {
    part.commutative = (extras[Attribute::flags] & 1) != 0;
    part.in_place = (extras[Attribute::flags] & 2) != 0;
    part.blocking = (extras[Attribute::flags] & 4) != 0;
  }
  read_list(state, record, extras, Attribute::send_sizes, part.send_sizes);
  read_list(state, record, extras, Attribute::receive_sizes, part.receive_sizes);
  read_list(state, record, extras, Attribute::sources, part.sources);
  read_list(state, record, extras, Attribute::destinations, part.destinations);
}

template <typename Element>
void TraceSource::Impl::read_list(const RankState& state, const TraceRecord& record,
                                  const TraceExtras& extras, Attribute attribute,
                                  std::vector<Element>& list) const {
  if (!extras.has(attribute)) return;
  const auto [entry, fresh] = lists_.try_emplace(extras[attribute]);
  std::vector<std::int64_t>& numbers = entry->second;
  if (fresh) {
    const std::string& text = definitions_.text(static_cast<OTF2_StringRef>(extras[attribute]));
    auto parsed = parse_number_list(text, 4 * ranks_.size() + 64);
    if (!parsed) state.location->fail(record.number, fmt::format("has the malformed list \"{:.60}\"", text));
    numbers = std::move(*parsed);
  }
  list.clear();
  for (const std::int64_t number : numbers) {
    if (number < 0 || (std::is_same_v<Element, std::int32_t> &&
                       index(Rank(static_cast<std::int32_t>(number))) >= ranks_.size()))
      state.location->fail(record.number, fmt::format("names {} in a list", number));
    list.push_back(Element(
        static_cast<std::conditional_t<std::is_same_v<Element, Bytes>, std::int64_t, std::int32_t>>(number)));
  }
}

void TraceSource::Impl::fill_requests(RankState& state, const PlannedStep& step, Operation& operation) {
  using Kind = TraceRecord::Kind;
  operation.requests.clear();
  operation.completion = Completion::all;
  for (std::uint32_t i = step.first_private; i <= step.last_private && i != 0; ++i)
    operation.requests.push_back(RequestId(private_requests + i));
  const bool tests = step.kind == OperationKind::test;
  if (tests && state.plan.region != nullptr) operation.completion = state.plan.region->traits.completion;
  for (std::size_t i = step.from; i < step.to; ++i) {
    const TraceRecord& record = *state.location->at(i);
    if (tests && record.kind == Kind::request_test) {
      if (state.pending.find(record.request) != nullptr)
        operation.requests.push_back(RequestId(record.request));
      if (record.extras == 0) continue;
      const TraceExtras& extras = state.location->extras(record);
      if (extras.has(Attribute::completion) &&
          extras[Attribute::completion] <= static_cast<std::int64_t>(Completion::some))
        operation.completion = static_cast<Completion>(extras[Attribute::completion]);
    } else if (!tests && (record.kind == Kind::isend_complete || record.kind == Kind::ireceive ||
                          record.kind == Kind::icollective || record.kind == Kind::request_cancelled ||
                          record.kind == Kind::request_completed)) {
      if (record.kind == Kind::ireceive) count(state.received_from, record.peer, ranks_.size());
      // Not pending: a receive that was left out, or a request that a test found complete already.
      if (state.pending.erase(record.request)) operation.requests.push_back(RequestId(record.request));
    }
  }
  // On a faster platform it may find what it did not find when it was recorded.
  operation.wants_answer = tests;
}

void TraceSource::Impl::fill_marked(RankState& state, const PlannedStep& step, Operation& operation) {
  const TraceRecord& record = *state.location->at(step.marker);
  if (step.kind == OperationKind::probe || step.kind == OperationKind::test_probe) {
    operation.context = context_of(*definitions_.communicators.find(record.communicator), state.rank);
    operation.peer = record.peer;
    operation.tag = record.tag;
  }
  if (step.kind == OperationKind::cancel) {
    operation.request = RequestId(record.request);
    if (state.pending.find(record.request) == nullptr) operation.kind = OperationKind::nothing;
  }
  operation.duration = SimTime();
  static const TraceExtras none;
  const TraceExtras& extras = record.extras != 0 ? state.location->extras(record) : none;
  operation.taken = taken(extras);
  if (step.kind == OperationKind::access || step.kind == OperationKind::lock ||
      step.kind == OperationKind::unlock) {
    operation.request = request_of(state, step, record);
    operation.peer = record.peer;
    operation.context = Context(static_cast<std::uint64_t>(extras[Attribute::window]));
    operation.bytes = Bytes(extras[Attribute::bytes]);
    operation.reply = Bytes(extras[Attribute::reply]);
    operation.exclusive = extras[Attribute::exclusive] != 0;
    if (record.peer < Rank{0} || operation.bytes < Bytes(0) || operation.reply < Bytes(0))
      state.location->fail(record.number, "accesses memory without saying whose, or of a negative size");
  }
  const SimTime polled = SimTime::from_ps(extras[Attribute::polled]);
  const SimTime elapsed = SimTime::from_ps(extras[Attribute::elapsed]);
  operation.duration = SimTime::from_ps(extras[Attribute::duration]);
  constexpr SimTime longest = SimTime::from_ps(std::int64_t{1} << 62);
  if (elapsed < SimTime() || elapsed > longest || operation.duration < SimTime() ||
      operation.duration > longest)
    state.location->fail(record.number, "lasts longer than 50 days");
  const SimTime in_polls = std::clamp(polled, SimTime(), elapsed);
  operation.elapsed += scaled(elapsed - in_polls) + in_polls;
  operation.polled += in_polls;
}

void TraceSource::Impl::answer(Rank rank, const Answer& answer) {
  for (const Completed& completed : answer.completed)
    ranks_[index(rank)].pending.erase(static_cast<std::uint64_t>(completed.request));
}

std::vector<std::string> TraceSource::Impl::notices() const {
  std::vector<std::string> notices = reader_.notices();
  std::uint64_t unmatched = 0;
  const auto of = [](const std::vector<std::uint64_t>& by_peer, std::size_t peer) {
    return by_peer.empty() ? 0 : by_peer[peer];
  };
  for (std::size_t from = 0; from < ranks_.size(); ++from)
    for (std::size_t to = 0; to < ranks_.size() && !ranks_[from].sent_to.empty(); ++to) {
      const std::uint64_t sent = of(ranks_[from].sent_to, to);
      const std::uint64_t received = of(ranks_[to].received_from, from);
      if (sent > received) unmatched += sent - received;
    }
  if (unmatched > 0) notices.push_back(fmt::format("{} recorded messages were never received", unmatched));
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
