#include "replay/jobs/job_source.h"

#include <algorithm>
#include <utility>

namespace morgana {
namespace {

/// Whether the operation has one: the decoder leaves the others' as they were.
bool has_peer(OperationKind kind) {
  switch (kind) {
    case OperationKind::send:
    case OperationKind::receive:
    case OperationKind::probe:
    case OperationKind::test_probe:
    case OperationKind::access:
    case OperationKind::lock:
    case OperationKind::unlock:
    case OperationKind::spawn:
    case OperationKind::kill:
      return true;
    default:
      return false;
  }
}
bool has_context(OperationKind kind) {
  return kind == OperationKind::collective || kind == OperationKind::context_created ||
         (has_peer(kind) && kind != OperationKind::spawn && kind != OperationKind::kill);
}

/// Programs number their communicators from 0, below this.
constexpr std::uint64_t first_context = std::uint64_t{1} << 60;
constexpr std::uint64_t all_planes = planes::collective | planes::partitioned | planes::open;

}  // namespace

JobSource::JobSource(OperationSource& first, std::vector<JobBeside> beside)
    : first_(first), beside_(std::move(beside)), first_rank_{0, first.ranks()}, runs_(beside_.size()) {
  for (std::size_t job = 1; job <= beside_.size(); ++job)
    first_rank_.push_back(first_rank_.back() + run_of(job, 0).source->ranks());
  states_.resize(first_rank_.back() - first_rank_[1]);
}

std::size_t JobSource::job_of(Rank rank) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(first_rank_, index(rank)) - first_rank_.begin()) -
         1;
}

JobSource::Run& JobSource::run_of(std::size_t job, std::uint32_t run) {
  std::vector<Run>& runs = runs_[job - 1];
  while (runs.size() <= run) runs.push_back({beside_[job - 1].open(), {}});
  return runs[run];
}

bool JobSource::runs_at_start(Rank rank) const {
  return index(rank) >= first_rank_[1] || first_.runs_at_start(rank);
}

SimTime JobSource::starts_at(Rank rank) const {
  const std::size_t job = job_of(rank);
  return job == 0 ? first_.starts_at(rank) : beside_[job - 1].start;
}

bool JobSource::is_service(Rank rank) const {
  return index(rank) < first_rank_[1] && first_.is_service(rank);
}

Context JobSource::context_in(Run& run, Context context) {
  const auto number = static_cast<std::uint64_t>(context);
  const auto [place, added] = run.contexts.try_emplace(number & ~all_planes, first_context + contexts_);
  if (added) ++contexts_;
  return Context{place->second | (number & all_planes)};
}

void JobSource::announce_world(std::size_t job, RankState& state, SimTime elapsed, Operation& operation) {
  operation = Operation();
  operation.kind = OperationKind::context_created;
  operation.context = context_in(run_of(job, state.run), world_context);
  operation.elapsed = elapsed;
  for (std::size_t rank = first_rank_[job]; rank < first_rank_[job + 1]; ++rank)
    operation.members.push_back(Rank{static_cast<std::int32_t>(rank)});
  job_of_world_.try_emplace(static_cast<std::uint64_t>(operation.context), job);
  state.has_world = true;
}

bool JobSource::next(Rank rank, Operation& operation) {
  const std::size_t job = job_of(rank);
  if (job == 0) return first_.next(rank, operation);
  RankState& state = states_[index(rank) - first_rank_[1]];
  if (!state.has_world) {
    announce_world(job, state, SimTime(), operation);
    return true;
  }
  const auto first = static_cast<std::int32_t>(first_rank_[job]);
  Run& run = run_of(job, state.run);
  if (!run.source->next(Rank{static_cast<std::int32_t>(rank) - first}, operation)) return false;
  if (operation.kind == OperationKind::exit && state.run + 1 < beside_[job - 1].times) {
    const SimTime elapsed = operation.elapsed;
    ++state.run;
    announce_world(job, state, elapsed, operation);
    return true;
  }
  if (has_context(operation.kind)) operation.context = context_in(run, operation.context);
  if (has_peer(operation.kind) && operation.peer != any_rank)
    operation.peer = Rank{static_cast<std::int32_t>(operation.peer) + first};
  // Else those of an earlier operation, which every copy of this one would have.
  if (operation.kind != OperationKind::context_created)
    operation.members.clear();
  else
    for (Rank& member : operation.members) member = Rank{static_cast<std::int32_t>(member) + first};
  return true;
}

void JobSource::answer(Rank rank, const Answer& answer) {
  const std::size_t job = job_of(rank);
  if (job == 0) return first_.answer(rank, answer);
  const RankState& state = states_[index(rank) - first_rank_[1]];
  run_of(job, state.run)
      .source->answer(Rank{static_cast<std::int32_t>(index(rank) - first_rank_[job])}, answer);
}

void JobSource::returned(Rank rank, const Operation& operation, Outcome outcome) {
  if (job_of(rank) == 0) first_.returned(rank, operation, outcome);
}

std::string JobSource::given_name(Context context) const {
  const auto world = job_of_world_.find(static_cast<std::uint64_t>(context));
  return world == job_of_world_.end() ? first_.given_name(context)
                                      : "MPI_COMM_WORLD of " + beside_[world->second - 1].name;
}

}  // namespace morgana
