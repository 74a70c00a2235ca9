#include "pvmshim/mpi/record/recorded_collective.h"

#include "pvmshim/mpi/implementations.h"
#include "pvmshim/mpi/real_mpi.h"

namespace morgana::mpi::captured {

void write_collective(const TimedCall& timed, const Form& form,
                      const std::shared_ptr<const Communicator>& comm, CollectivePart part) {
  part.blocking = form.is_blocking();
  if (form.is_persistent()) {
    const auto own = std::make_shared<const Communicator>(
        comm->in_context(recorder().communicators().next_derived(Derived::collective, *comm)));
    timed.write(context_operation(form.call(), CallPart::whole, *own));
    const auto start = [own, part = std::move(part)](Call call, CallPart place, RequestId id) {
      Operation operation = collective_operation(call, *own, part, id);
      operation.part = place;
      return operation;
    };
    recorder().add_persistent(*form.request(), {start, {no_request, false, comm}});
    return;
  }
  const RequestId id = recorder().next_id();
  Operation operation = collective_operation(form.call(), *comm, std::move(part), id);
  if (form.is_blocking()) {
    timed.write_start(operation);
    Completed completed;
    completed.request = id;
    timed.write_wait(form.call(), {&id, 1}, {&completed, 1});
    return;
  }
  operation.part = CallPart::whole;
  recorder().add(*form.request(), {id, false, comm});
  timed.write(operation);
}

// A freed operator stays MPICH's as long as MPICH's reductions need it.
int Op_free(MPI_Op* op) {
  return real().MPI_Op_free(op);
}

}  // namespace morgana::mpi::captured
