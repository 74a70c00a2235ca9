#include "replay/trace_source.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "emulator/core/error.h"
#include "replay/compute_variation.h"
#include "replay/translation/operation_codec.h"
#include "replay/translation/trace_translation.h"

namespace morgana {

class TraceSource::Impl {
 public:
  Impl(std::shared_ptr<const TraceTranslation> trace, double compute_scale, ComputeTimes* times)
      : trace_(std::move(trace)),
        scale_(compute_scale / properties().compute_scale),
        times_(times),
        ranks_(trace_->ranks()) {
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      const std::span<const std::uint8_t> operations = trace_->operations(Rank(static_cast<std::int32_t>(i)));
      ranks_[i].at = operations.data();
      ranks_[i].end = operations.data() + operations.size();
      ranks_[i].codec.rank = static_cast<std::int32_t>(i);
      bytes_ += operations.size();
    }
  }

  std::size_t ranks() const { return ranks_.size(); }
  std::size_t hosts() const;
  void place_on(std::size_t hosts) { hosts_ = hosts; }
  const TraceProperties& properties() const { return trace_->definitions().properties; }
  bool runs_at_start(Rank rank) const {
    const std::size_t early = properties().ranks_at_start;
    return early == 0 || index(rank) < early;
  }
  void next(Rank rank, Operation& operation);
  void answer(Rank rank, const Answer& answer);
  const std::vector<std::string>& notices() const { return trace_->notices(); }
  double progress() const {
    return bytes_ == 0 ? 1.0 : static_cast<double>(bytes_replayed_) / static_cast<double>(bytes_);
  }

 private:
  struct RankState {
    const std::uint8_t* at = nullptr;
    const std::uint8_t* end = nullptr;
    CodecState codec;
    std::uint64_t operations = 0;  ///< read so far
    /// Requests that a test of this replay has found complete before the recorded program did.
    std::vector<RequestId> found;
  };

  SimTime scaled(SimTime elapsed) const;
  static void leave_out_found(RankState& state, Operation& operation);

  std::shared_ptr<const TraceTranslation> trace_;
  double scale_;
  ComputeTimes* times_;  // may be null
  std::vector<RankState> ranks_;
  RecordedPart recorded_;
  std::size_t hosts_ = std::size_t{1} << 31;  // that ranks may begin on
  std::uint64_t bytes_ = 0, bytes_replayed_ = 0;
};

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
  if (state.at == state.end) {
    const std::string* error = trace_->error(rank);
    throw Error(error != nullptr ? *error : "the translated trace is damaged: replay it again");
  }
  const std::uint8_t* const before = state.at;
  decode(state.at, state.end, state.codec, operation, recorded_);
  bytes_replayed_ += static_cast<std::uint64_t>(state.at - before);
  SimTime computed = scaled(recorded_.computed) + scaled(recorded_.computed_within);
  if (times_ != nullptr) computed = times_->of(rank, state.operations++, computed);
  operation.elapsed = operation.polled + computed;
  switch (operation.kind) {
    case OperationKind::context_created: {
      const TraceCommunicator& communicator =
          *trace_->definitions().communicators.find(recorded_.communicator);
      operation.members = communicator.members;
      if (communicator.kind == TraceCommunicator::Kind::self) operation.members.assign(1, rank);
      return;
    }
    case OperationKind::sleep:
      // A wait for switches is a call; what else passes in a call is a look of threads that wait on.
      operation.completion = properties().waits_for_switches ? Completion::all : Completion::some;
      return;
    case OperationKind::spawn:
    case OperationKind::kill:
      operation.host = static_cast<std::int32_t>(recorded_.host % static_cast<std::int64_t>(hosts_));
      return;
    default:
      if (!state.found.empty()) leave_out_found(state, operation);
  }
}

/// Nobody waits a second time for what a test has found complete already.
void TraceSource::Impl::leave_out_found(RankState& state, Operation& operation) {
  const auto is_found = [&state](RequestId request) { return std::ranges::count(state.found, request) > 0; };
  switch (operation.kind) {
    case OperationKind::wait:
    case OperationKind::test: {
      std::size_t kept = 0;
      for (const RequestId request : operation.requests) {
        if (!is_found(request))
          operation.requests[kept++] = request;
        else if (operation.kind == OperationKind::wait)
          std::erase(state.found, request);
      }
      operation.requests.resize(kept);
      return;
    }
    case OperationKind::cancel:
      if (is_found(operation.request)) operation.kind = OperationKind::nothing;
      return;
    default:
      return;
  }
}

void TraceSource::Impl::answer(Rank rank, const Answer& answer) {
  for (const Completed& completed : answer.completed) ranks_[index(rank)].found.push_back(completed.request);
}

TraceSource::TraceSource(const std::filesystem::path& trace, double compute_scale)
    : TraceSource(std::make_shared<TraceTranslation>(trace), compute_scale) {}
TraceSource::TraceSource(std::shared_ptr<const TraceTranslation> trace, double compute_scale,
                         ComputeTimes* times)
    : impl_(std::make_unique<Impl>(std::move(trace), compute_scale, times)) {}
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
bool TraceSource::tags_name_endpoints() const {
  return impl_->properties().tags_name_endpoints;
}

bool TraceSource::built_for_openmpi() const {
  return impl_->properties().built_for_openmpi;
}

const std::string& TraceSource::platform() const {
  return impl_->properties().platform;
}

bool TraceSource::waits_for_switches() const {
  return impl_->properties().waits_for_switches;
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
