#include "pvmshim/mpi/emulate/collective.h"

namespace morgana::mpi::emulated {

std::shared_ptr<const Communicator> meeting_place(const Form& form,
                                                  const std::shared_ptr<const Communicator>& comm) {
  if (!form.is_persistent()) return comm;
  const Context own = me().communicators.next_derived(Derived::collective, *comm);
  return std::make_shared<const Communicator>(comm->in_context(own));
}

void add_request(const Form& form, const std::shared_ptr<const Communicator>& comm,
                 const Communicator& met_in, std::shared_ptr<PendingCollective> collective) {
  Request& request = me().requests.add(*form.request());
  request.comm = comm;
  request.completion_handler = collective;
  if (form.is_persistent()) {
    request.startable = std::make_unique<StartableCollective>(std::move(collective));
    request.inactive = true;
    Operation announced = context_operation(form.call(), CallPart::whole, met_in);
    me().live.post(announced);
    return;
  }
  collective->start(form.call(), CallPart::whole, request);
}

int stand_by(const Form& form, const std::shared_ptr<const Communicator>& comm, CollectiveKind kind,
             const Role& role) {
  const LiveRank::Visit visit(me().live);
  return carry_out(form, comm, plain_part(kind, Bytes(), role.place), ArgumentCopies(form),
                   CollectiveSteps{false, &no_step, &no_step});
}

}  // namespace morgana::mpi::emulated
