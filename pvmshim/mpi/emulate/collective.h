#pragma once

#include <mpi.h>

#include <memory>
#include <utility>

#include "pvmshim/mpi/collective_form.h"
#include "pvmshim/mpi/emulate/argument_copies.h"
#include "pvmshim/mpi/emulate/arguments.h"
#include "pvmshim/mpi/emulate/emulated_rank.h"
#include "pvmshim/mpi/emulate/exchange.h"
#include "pvmshim/mpi/emulate/requests.h"
#include "pvmshim/mpi/translate.h"

namespace morgana::mpi::emulated {

/// A collective that the program has a request for.
class PendingCollective : public CompletionHandler {
 public:
  /// Within a visit: posts this rank's part. Again and again, each time after it has completed.
  virtual void start(Call call, CallPart part, Request& request) = 0;
};

/// What distinguishes one collective from another.
/// @tparam Contribute  void(Exchange&): makes its deposit
/// @tparam Collect  void(Exchange&): takes what it needs out of the others' deposits
template <typename Contribute, typename Collect>
struct CollectiveSteps {
  bool brings_data;  ///< whether this rank must wait in real time, too
  Contribute contribute;
  Collect collect;  ///< only called where it brings data
};
// Clang 14, whose tools read this, does not find it by itself.
template <typename Contribute, typename Collect>
CollectiveSteps(bool, Contribute, Collect) -> CollectiveSteps<Contribute, Collect>;

template <typename Contribute, typename Collect>
class PendingExchange final : public PendingCollective {
 public:
  using Steps = CollectiveSteps<Contribute, Collect>;
  PendingExchange(Exchange exchange, ArgumentCopies kept, Steps steps)
      : exchange_(std::move(exchange)), kept_(std::move(kept)), steps_(std::move(steps)) {}

  void start(Call call, CallPart part, Request& request) override {
    exchange_.restart();
    steps_.contribute(exchange_);
    request.is_send = !steps_.brings_data;
    request.is_awaited = exchange_.must_await();
    request.error = exchange_.error();
    exchange_.post(call, part, request.id);
  }

  void complete(Request& request, const Completed& completed) override {
    exchange_.receive(completed);
    if (steps_.brings_data) steps_.collect(exchange_);
    request.outcome = completed.outcome;
    request.error = exchange_.error();
  }

 private:
  Exchange exchange_;
  ArgumentCopies kept_;
  Steps steps_;
};

class StartableCollective final : public Startable {
 public:
  explicit StartableCollective(std::shared_ptr<PendingCollective> collective)
      : collective_(std::move(collective)) {}
  void start(Call call, CallPart part, Request& request) override { collective_->start(call, part, request); }

 private:
  std::shared_ptr<PendingCollective> collective_;
};

/// Gives the program a request for it; starts it unless it is persistent.
/// @param met_in  the communicator in whose context its members meet
void add_request(const Form& form, const std::shared_ptr<const Communicator>& comm,
                 const Communicator& met_in, std::shared_ptr<PendingCollective> collective);

/// Where the members of a collective meet. Persistent ones match in the order of initialisation, whatever the
/// order of starting (MPI 4.0, 6.13): each has a context of its own.
std::shared_ptr<const Communicator> meeting_place(const Form& form,
                                                  const std::shared_ptr<const Communicator>& comm);

/// Within a visit: carries out a collective, or as much of it as its form says.
template <typename Contribute, typename Collect>
int carry_out(const Form& form, const std::shared_ptr<const Communicator>& comm, CollectivePart part,
              ArgumentCopies kept, CollectiveSteps<Contribute, Collect> steps) {
  part.blocking = form.is_blocking();
  const auto met_in = meeting_place(form, comm);
  Exchange exchange(form.call(), met_in, std::move(part));
  if (!form.is_blocking()) {
    add_request(form, comm, *met_in,
                std::make_shared<PendingExchange<Contribute, Collect>>(std::move(exchange), std::move(kept),
                                                                       std::move(steps)));
    return MPI_SUCCESS;
  }
  steps.contribute(exchange);
  if (steps.brings_data) {
    exchange.await();
    steps.collect(exchange);
  } else {
    exchange.finish();
  }
  return exchange.error() == MPI_SUCCESS ? MPI_SUCCESS
                                         : raise(*comm, exchange.error(), form.call(), exchange.why());
}

inline void no_step(Exchange&) {}

/// Takes part for one of the root's group in an intercommunicator: it gives and gets nothing.
int stand_by(const Form& form, const std::shared_ptr<const Communicator>& comm, CollectiveKind kind,
             const Role& role);

}  // namespace morgana::mpi::emulated
