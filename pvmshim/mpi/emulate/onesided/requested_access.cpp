#include "pvmshim/mpi/emulate/onesided/requested_access.h"

#include <utility>

#include "pvmshim/mpi/emulate/emulated_rank.h"

namespace morgana::mpi::emulated {
namespace {

class RequestedAccess final : public CompletionHandler {
 public:
  explicit RequestedAccess(SharedWindow window) : window_(std::move(window)) {}

  // Accesses to the same target move their data in their order, whichever the program asks for first.
  void complete(Request& request, const Completed& completed) override {
    Window& window = window_->window;
    note_outcome(window, completed);
    request.outcome = completed.outcome;
    const PendingAccess* const own = window.find_pending(completed.request);
    if (own == nullptr) return;  // another thread has flushed it meanwhile
    const int target = own->target;
    for (PendingAccess& access : window.pending()) {
      if (access.target == target)
        if (const auto move = std::exchange(access.move, nullptr); move != nullptr)
          if (const int error = move(); error != MPI_SUCCESS) request.error = error;
      if (access.id == completed.request) break;
    }
    window.forget_pending(completed.request);
  }

  bool abandon(const Request& request) override {
    if (PendingAccess* access = window_->window.find_pending(request.id)) access->request = MPI_REQUEST_NULL;
    return true;
  }

 private:
  SharedWindow window_;
};

}  // namespace

Request& add_access_request(const SharedWindow& window, MPI_Request* handle) {
  Request& request = me().requests.add(*handle);
  request.comm = me().communicators.find(MPI_COMM_WORLD);
  request.completion_handler = std::make_shared<RequestedAccess>(window);
  return request;
}

}  // namespace morgana::mpi::emulated
