#include "pvmshim/mpi/emulated/collective.h"

namespace morgana::mpi::emulated {

void add_request(const Form& form, const std::shared_ptr<const Communicator>& comm,
                 std::shared_ptr<PendingCollective> collective) {
  Request& request = me().requests.add(*form.request());
  request.comm = comm;
  request.undertaking = collective;
  if (form.is_persistent()) {
    request.startable = std::make_unique<StartableCollective>(std::move(collective));
    request.inactive = true;
    Operation nothing = plain_operation(OperationKind::nothing, form.call());
    me().live.post(nothing);
    return;
  }
  collective->start(form.call(), CallPart::whole, request);
}

int stand_by(const Form& form, const std::shared_ptr<const Communicator>& comm, CollectiveKind kind,
             const Role& role) {
  const LiveRank::Visit visit(me().live);
  return carry_out(form, comm, plain_part(kind, Bytes(), role.place), Kept(form),
                   CollectiveSteps{false, &no_step, &no_step});
}

}  // namespace morgana::mpi::emulated
