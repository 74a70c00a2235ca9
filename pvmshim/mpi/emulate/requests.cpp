#include "pvmshim/mpi/emulate/requests.h"

#include <cassert>

#include "emulator/core/error.h"
#include "pvmshim/mpi/real_mpi.h"

namespace morgana::mpi::emulated {
namespace {

constexpr std::uint64_t first_handle = 0x10000000;
constexpr std::uint64_t slot_mask = 0xFFFFFF;

}  // namespace

bool is_predefined(MPI_Datatype type) {
  int integers = 0, addresses = 0, types = 0, combiner = MPI_COMBINER_NAMED;
  real().MPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner);
  return combiner == MPI_COMBINER_NAMED;
}

void Request::keep_type(MPI_Datatype of_program) {
  type = of_program;
  if (of_program == MPI_DATATYPE_NULL) return;  // of no items
  owns_type = !is_predefined(of_program);
  if (owns_type) real().MPI_Type_dup(of_program, &type);
}

Request& RequestHandles::add(MPI_Request& handle) {
  if (unused_.empty()) {
    if (slots_.size() == slot_mask) throw Error("more than 16,777,215 requests are pending at once");
    slots_.emplace_back();
    unused_.push_back(slots_.size());  // numbers start at 1: 0 belongs to blocking calls
  }
  const std::uint64_t number = unused_.back();
  unused_.pop_back();
  Request& request = slot(number);
  request.id = RequestId{static_cast<std::uint64_t>(next_id()) | number};
  request.in_use = true;
  handle = static_cast<MPI_Request>(first_handle | number);
  return request;
}

Request& RequestHandles::slot(std::uint64_t number) {
  if (number == 0 || number > slots_.size()) throw Error("a request that was never started is used");
  return slots_[number - 1];
}

Request& RequestHandles::slot_of(MPI_Request handle) {
  return slot(static_cast<std::uint64_t>(handle) & slot_mask);
}

bool RequestHandles::knows(MPI_Request handle) const {
  if (!is_ours(handle)) return true;
  const std::uint64_t number = static_cast<std::uint64_t>(handle) & slot_mask;
  if (number == 0 || number > slots_.size()) return false;
  const Request& request = slots_[number - 1];
  return request.in_use && !request.freed;
}

Request& RequestHandles::at(MPI_Request handle) {
  Request& request = slot_of(handle);
  if (!request.in_use || request.freed) throw Error("a request is used that has completed or been freed");
  return request;
}

Request& RequestHandles::with_id(RequestId id) {
  Request& request = slot(static_cast<std::uint64_t>(id) & slot_mask);
  assert(request.id == id || request.companion == id);
  return request;
}

RequestId RequestHandles::add_companion(Request& request) {
  const auto number = static_cast<std::uint64_t>(request.id) & slot_mask;
  return request.companion = RequestId{static_cast<std::uint64_t>(next_id()) | number};
}

MPI_Request RequestHandles::retire(MPI_Request handle) {
  Request& request = at(handle);
  if (request.startable == nullptr) {
    remove(handle);
    return MPI_REQUEST_NULL;
  }
  request.inactive = true;
  request.done = false;
  return handle;
}

void RequestHandles::activate(MPI_Request handle) {
  Request& request = at(handle);
  const auto number = static_cast<std::uint64_t>(handle) & slot_mask;
  request.id = RequestId{static_cast<std::uint64_t>(next_id()) | number};
  request.inactive = request.done = request.has_come = request.is_cancelled = false;
  request.error = MPI_SUCCESS;
  request.outcome = Outcome::delivered;
}

void RequestHandles::free(MPI_Request handle) {
  Request& request = at(handle);
  const bool is_over = request.is_send || request.done || request.inactive || request.has_come;
  if (is_over || (request.completion_handler != nullptr && request.completion_handler->abandon(request))) {
    remove(handle);
    return;
  }
  request.companion = no_request;
  request.freed = true;
  freed_.push_back(handle);
}

bool RequestHandles::remove_if_done(MPI_Request handle) {
  if (!slot_of(handle).done) return false;
  remove(handle);
  return true;
}

void RequestHandles::remove(MPI_Request handle) {
  const std::uint64_t number = static_cast<std::uint64_t>(handle) & slot_mask;
  Request& request = slot(number);
  if (request.owns_type) real().MPI_Type_free(&request.type);
  request = Request{};
  unused_.push_back(number);
}

}  // namespace morgana::mpi::emulated
