#include "pvmshim/mpi/record/recorder.h"

#include <time.h>

#include <algorithm>
#include <cassert>

#include "pvmshim/mpi/real_mpi.h"

namespace morgana::mpi::captured {
namespace {

Recorder* this_recorder = nullptr;

std::int64_t monotonic_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return now.tv_sec * std::int64_t{1'000'000'000} + now.tv_nsec;
}

std::int64_t latest_start() {
  const std::int64_t mine = monotonic_ns();
  std::int64_t latest = mine;
  real().MPI_Allreduce(&mine, &latest, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  return latest;
}

}  // namespace

Recorder::Recorder(const std::string& folder)
    : log_(folder, Rank{communicators_.world().me()}), origin_ns_(latest_start()) {}

SimTime Recorder::now() const {
  return SimTime::from_ps((monotonic_ns() - origin_ns_) * 1000);
}

void Recorder::write(const Operation& operation, SimTime begin, SimTime end,
                     std::span<const Completed> completed) {
  const bool is_poll = operation.kind == OperationKind::test || operation.kind == OperationKind::test_probe;
  if (!is_poll || !completed.empty()) {
    write_polls();
    log_.write(operation, begin, end, completed);
  } else if (joins_polls(operation, begin)) {
    polls_->end = end;
  } else {
    write_polls();
    polls_ = {operation, begin, end};
  }
}

bool Recorder::joins_polls(const Operation& operation, SimTime begin) const {
  constexpr SimTime close_by = SimTime::from_ps(2'000'000);  // more is computing that a replay must repeat
  return polls_ && polls_->operation == operation && begin - polls_->end <= close_by;
}

void Recorder::write_polls() {
  if (polls_) log_.write(polls_->operation, polls_->begin, polls_->end, {});
  polls_.reset();
}

void Recorder::close() {
  write_polls();
  log_.close();
}

void Recorder::add(MPI_Request handle, Pending pending) {
  pending_[handle].push_back(std::move(pending));
}

const Recorder::Pending* Recorder::find(MPI_Request handle) const {
  const auto found = pending_.find(handle);
  return found == pending_.end() || found->second.empty() ? nullptr : &found->second.front();
}

std::optional<Recorder::Pending> Recorder::take(MPI_Request handle) {
  const auto found = pending_.find(handle);
  if (found == pending_.end() || found->second.empty()) return std::nullopt;
  Pending taken = std::move(found->second.front());
  found->second.pop_front();
  if (taken.finished) taken.finished();
  return taken;
}

bool Recorder::is_pending(MPI_Request handle, RequestId id) const {
  const auto found = pending_.find(handle);
  return found != pending_.end() && std::ranges::find(found->second, id, &Pending::id) != found->second.end();
}

void Recorder::drop(MPI_Request handle, RequestId id) {
  std::erase_if(pending_[handle], [id](const Pending& pending) { return pending.id == id; });
}

void Recorder::add_persistent(MPI_Request handle, Persistent persistent) {
  persistent_[handle] = std::move(persistent);
}

Recorder::Persistent* Recorder::find_persistent(MPI_Request handle) {
  const auto found = persistent_.find(handle);
  return found == persistent_.end() ? nullptr : &found->second;
}

std::optional<Recorder::Matched> Recorder::take_matched(MPI_Message handle) {
  const auto found = matched_.find(handle);
  if (found == matched_.end()) return std::nullopt;
  Matched matched = std::move(found->second);
  matched_.erase(found);
  return matched;
}

Recorder& recorder() {
  assert(this_recorder != nullptr);
  return *this_recorder;
}

void become(Recorder& recorder) {
  this_recorder = &recorder;
}

}  // namespace morgana::mpi::captured
