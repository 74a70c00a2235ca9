#include "pvmshim/am/process.h"

#include <algorithm>
#include <utility>

#include "pvmshim/am/monitor.h"

/// Of Morgana's library before MPI (pvmshim/mpi/active_messages.cpp); null over another one.
extern "C" __attribute__((weak)) void morgana_sends_active_messages();

namespace morgana::am {

Process* process = nullptr;
thread_local Token* Process::handling = nullptr;

Process::Process() {
  int initialised = 0;
  MPI_Initialized(&initialised);
  began_mpi_ = initialised == 0;
  int level = MPI_THREAD_SINGLE;
  if (began_mpi_)
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &level);
  else
    MPI_Query_thread(&level);
  has_threads = level == MPI_THREAD_MULTIPLE;
  // Over Morgana: before the first message of the library's.
  if (morgana_sends_active_messages != nullptr) morgana_sends_active_messages();
  MPI_Comm_dup(MPI_COMM_WORLD, &world_);
  MPI_Comm_rank(world_, &rank_);
  MPI_Comm_size(world_, &ranks_);
}

Process::~Process() {
  std::vector<MPI_Request> requests;
  for (int rank = 0; rank < ranks_; ++rank)
    if (rank != rank_)
      MPI_Isend(nullptr, 0, MPI_BYTE, rank, EndpointTag().packed(), world_, &requests.emplace_back());
  while (ended_ < ranks_ - 1) receive();
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  MPI_Comm_free(&world_);
  if (began_mpi_) MPI_Finalize();
}

bool Process::knows(const am_bundle* bundle) const {
  return std::any_of(bundles.begin(), bundles.end(), [&](const auto& one) { return one.get() == bundle; });
}

bool Process::knows(const am_endpoint* endpoint) const {
  return std::any_of(endpoints.begin(), endpoints.end(),
                     [&](const auto& one) { return one.second.get() == endpoint; });
}

int Process::send(const am_endpoint* from, int to, const Message& message, std::span<const std::byte> data) {
  const std::vector<std::byte> bytes = encode(message, data);
  MPI_Request request = MPI_REQUEST_NULL;
  if (MPI_Isend(bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, to, message.way.packed(), world_,
                &request) != MPI_SUCCESS)
    return AM_ERR_NOT_SENT;
  const bool done = from != nullptr && from->bundle->parallel ? finish_in_thread(request) : finish(request);
  return done ? AM_OK : AM_ERR_NOT_SENT;
}

bool Process::finish(MPI_Request& request) {
  while (true) {
    int done = 0, result = 0;
    {
      const Outside others_may_call;
      result = MPI_Test(&request, &done, MPI_STATUS_IGNORE);
    }
    if (result != MPI_SUCCESS) return false;
    if (done != 0) return true;
    if (!receives_) collect();
  }
}

bool Process::finish_in_thread(MPI_Request& request) {
  const Outside others_may_call;
  return MPI_Wait(&request, MPI_STATUS_IGNORE) == MPI_SUCCESS;
}

void Process::collect(const MPI_Status& status) {
  int size = 0;
  MPI_Get_count(&status, MPI_BYTE, &size);
  std::vector<std::byte> bytes(static_cast<std::size_t>(size));
  MPI_Recv(bytes.data(), size, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, world_, MPI_STATUS_IGNORE);
  if (size == 0) {
    ++ended_;
    return;
  }
  arrivals_.push_back(decode(status.MPI_SOURCE, status.MPI_TAG, std::move(bytes)));
  const auto endpoint = endpoints.find(arrivals_.back().message.way.to);
  if (endpoint != endpoints.end()) endpoint->second->bundle->semaphore.notify_all();
}

void Process::receive() {
  MPI_Status status;
  receives_ = true;
  {
    const Outside others_may_call;
    MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, world_, &status);
  }
  collect(status);
  receives_ = false;
}

bool Process::collect() {
  int there = 0;
  MPI_Status status;
  MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, world_, &there, &status);
  if (there != 0) collect(status);
  return there != 0;
}

std::deque<ActiveArrival>::iterator Process::first_for(const am_bundle* bundle) {
  return std::find_if(arrivals_.begin(), arrivals_.end(), [&](const ActiveArrival& one) {
    const auto endpoint = endpoints.find(one.message.way.to);
    return endpoint == endpoints.end() || endpoint->second->bundle == bundle;
  });
}

bool Process::poll(am_bundle* bundle) {
  auto first = first_for(bundle);
  if (first == arrivals_.end()) {
    if (receives_ || !collect()) return false;
    first = first_for(bundle);
    if (first == arrivals_.end()) return false;
  }
  ActiveArrival arrival = std::move(*first);
  arrivals_.erase(first);
  handle(arrival);
  return true;
}

void Process::wait_for_message(am_bundle* bundle, const std::function<bool()>& has_come) {
  while (first_for(bundle) == arrivals_.end() && !has_come()) {
    if (!receives_) {
      receive();
      continue;
    }
    sleeping_.push_back(bundle);
    sleep_on(bundle->semaphore);
    sleeping_.erase(std::find(sleeping_.begin(), sleeping_.end(), bundle));
  }
  if (!receives_ && !sleeping_.empty()) sleeping_.front()->semaphore.notify_one();
}

}  // namespace morgana::am
