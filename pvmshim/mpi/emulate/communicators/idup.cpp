// Nonblocking duplication of communicators. MPICH begins it at once and completes it when the request is
// waited for; which context the duplicate has follows from how many its parent has had, so that nobody needs
// to be asked.

#include "pvmshim/mpi/emulate/arguments.h"
#include "pvmshim/mpi/emulate/emulated_rank.h"
#include "pvmshim/mpi/emulate/mpich_traffic.h"
#include "pvmshim/mpi/emulate/together.h"
#include "pvmshim/mpi/implementations.h"
#include "pvmshim/mpi/real_mpi.h"
#include "pvmshim/mpi/translate.h"

namespace morgana::mpi::emulated {
namespace {

int duplicate(Call call, MPI_Comm parent, MPI_Comm* made, MPI_Request* request,
              const std::function<int()>& by_mpich) {
  const auto comm = communicator(parent, name_of(call));
  if (comm == nullptr) return error_of_mpich(by_mpich);
  const LiveRank::Visit visit(me().live);
  const MpichTraffic of_duplicate;
  const int result = by_mpich();
  if (result != MPI_SUCCESS) return result;
  const Context context = me().communicators.next_derived(Derived::communicator, *comm);
  Operation created = context_operation(call, CallPart::first, *comm);
  created.context = context;
  me().live.post(created);
  add_pending(
      call, CallPart::last, comm,
      std::make_shared<PendingInMpich>(comm->context(), *request,
                                       [made, context] { me().communicators.add_known(*made, context); }),
      request);
  return result;
}

}  // namespace

int Comm_idup(MPI_Comm comm, MPI_Comm* made, MPI_Request* request) {
  return duplicate(Call::MPI_Comm_idup, comm, made, request,
                   [&] { return real().MPI_Comm_idup(comm, made, request); });
}

int Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* made, MPI_Request* request) {
  return duplicate(Call::MPI_Comm_idup_with_info, comm, made, request,
                   [&] { return real().MPI_Comm_idup_with_info(comm, info, made, request); });
}

}  // namespace morgana::mpi::emulated
