#include "pvmshim/mpi/captured/recorder.h"

#include <time.h>

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
  log_.write(operation, begin, end, completed);
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
  return taken;
}

Recorder& recorder() {
  assert(this_recorder != nullptr);
  return *this_recorder;
}

void become(Recorder& recorder) {
  this_recorder = &recorder;
}

}  // namespace morgana::mpi::captured
