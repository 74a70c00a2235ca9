// The calls that make communicators, over MPICH, recorded.

#include "pvmshim/mpi/implementations.h"
#include "pvmshim/mpi/real_mpi.h"
#include "pvmshim/mpi/record/creation.h"
#include "pvmshim/mpi/record/timed_call.h"

namespace morgana::mpi::captured {
namespace {

template <typename Make>
int create(Call call, MPI_Comm parent, MPI_Comm* made, const Make& make) {
  return record_creation(call, parent, make, [&](const Communicator& comm) {
    const Communicator* added = recorder().communicators().add_made(comm.context(), *made);
    return added == nullptr ? plain_operation(OperationKind::nothing, call, CallPart::last)
                            : context_operation(call, CallPart::last, *added);
  });
}

/// Those who take part have no context of their own yet to say so in: they meet in one of their own.
const Communicator& add_met(MPI_Comm made) {
  CommunicatorTable& communicators = recorder().communicators();
  const std::vector<Rank> members = Communicator(made, Context{}).members();
  return *communicators.add_made(derived_context(Derived::meeting, world_context, members, 0), made);
}

template <typename Make>
int create_among_some(Call call, MPI_Comm* made, const Make& make) {
  TimedCall timed;
  const int result = make();
  timed.ended();
  const bool is_member = result == MPI_SUCCESS && *made != MPI_COMM_NULL;
  timed.write(is_member ? context_operation(call, CallPart::whole, add_met(*made))
                        : plain_operation(OperationKind::nothing, call));
  return result;
}

/// The duplicate's context is known beforehand, so that its agreement is not waited for.
template <typename Make>
int duplicate(Call call, MPI_Comm parent, MPI_Comm* made, MPI_Request* request, const Make& make) {
  TimedCall timed;
  const int result = make();
  timed.ended();
  CommunicatorTable& communicators = recorder().communicators();
  const std::shared_ptr<const Communicator> comm = communicators.find(parent);
  if (result != MPI_SUCCESS || comm == nullptr) {
    timed.write_plain(call);
    return result;
  }
  Operation created = context_operation(call, CallPart::first, *comm);
  created.context = communicators.next_derived(Derived::communicator, *comm);
  timed.write_start(created);
  const RequestId id = recorder().next_id();
  CollectivePart part;
  part.kind = CollectiveKind::create_context;
  part.blocking = false;
  Operation agreement = collective_operation(call, *comm, part, id);
  agreement.part = CallPart::last;
  timed.write(agreement);
  recorder().add(*request, {id, false, comm, no_request, nullptr, [made, context = created.context] {
                              recorder().communicators().add_known(*made, context);
                            }});
  return result;
}

int forget(Call call, decltype(&MPI_Comm_free) real_call, MPI_Comm* comm) {
  const MPI_Comm handle = *comm;
  TimedCall timed;
  const int result = real_call(comm);
  timed.ended();
  if (result == MPI_SUCCESS) recorder().communicators().remove(handle);
  timed.write_plain(call);
  return result;
}

}  // namespace

int Comm_dup(MPI_Comm comm, MPI_Comm* made) {
  return create(Call::MPI_Comm_dup, comm, made, [&] { return real().MPI_Comm_dup(comm, made); });
}

int Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* made) {
  return create(Call::MPI_Comm_dup_with_info, comm, made,
                [&] { return real().MPI_Comm_dup_with_info(comm, info, made); });
}

int Comm_idup(MPI_Comm comm, MPI_Comm* made, MPI_Request* request) {
  return duplicate(Call::MPI_Comm_idup, comm, made, request,
                   [&] { return real().MPI_Comm_idup(comm, made, request); });
}

int Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm* made, MPI_Request* request) {
  return duplicate(Call::MPI_Comm_idup_with_info, comm, made, request,
                   [&] { return real().MPI_Comm_idup_with_info(comm, info, made, request); });
}

int Comm_create_from_group(MPI_Group group, const char* tag, MPI_Info info, MPI_Errhandler handler,
                           MPI_Comm* made) {
  return create_among_some(Call::MPI_Comm_create_from_group, made, [&] {
    return real().MPI_Comm_create_from_group(group, tag, info, handler, made);
  });
}

int Intercomm_create_from_groups(MPI_Group local, int local_leader, MPI_Group remote, int remote_leader,
                                 const char* tag, MPI_Info info, MPI_Errhandler handler, MPI_Comm* made) {
  return create_among_some(Call::MPI_Intercomm_create_from_groups, made, [&] {
    return real().MPI_Intercomm_create_from_groups(local, local_leader, remote, remote_leader, tag, info,
                                                   handler, made);
  });
}

int Comm_split(MPI_Comm comm, int color, int key, MPI_Comm* made) {
  return create(Call::MPI_Comm_split, comm, made,
                [&] { return real().MPI_Comm_split(comm, color, key, made); });
}

int Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm* made) {
  return create(Call::MPI_Comm_split_type, comm, made,
                [&] { return real().MPI_Comm_split_type(comm, split_type, key, info, made); });
}

int Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm* made) {
  return create(Call::MPI_Comm_create, comm, made, [&] { return real().MPI_Comm_create(comm, group, made); });
}

int Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm* made) {
  return create_among_some(Call::MPI_Comm_create_group, made,
                           [&] { return real().MPI_Comm_create_group(comm, group, tag, made); });
}

int Cart_create(MPI_Comm comm, int dimensions, const int* sizes, const int* periods, int reorder,
                MPI_Comm* made) {
  return create(Call::MPI_Cart_create, comm, made,
                [&] { return real().MPI_Cart_create(comm, dimensions, sizes, periods, reorder, made); });
}

int Cart_sub(MPI_Comm comm, const int* remains, MPI_Comm* made) {
  return create(Call::MPI_Cart_sub, comm, made, [&] { return real().MPI_Cart_sub(comm, remains, made); });
}

int Graph_create(MPI_Comm comm, int nodes, const int* index, const int* edges, int reorder, MPI_Comm* made) {
  return create(Call::MPI_Graph_create, comm, made,
                [&] { return real().MPI_Graph_create(comm, nodes, index, edges, reorder, made); });
}

int Dist_graph_create(MPI_Comm comm, int n, const int* sources, const int* degrees, const int* destinations,
                      const int* weights, MPI_Info info, int reorder, MPI_Comm* made) {
  return create(Call::MPI_Dist_graph_create, comm, made, [&] {
    return real().MPI_Dist_graph_create(comm, n, sources, degrees, destinations, weights, info, reorder,
                                        made);
  });
}

int Dist_graph_create_adjacent(MPI_Comm comm, int in_degree, const int* sources, const int* source_weights,
                               int out_degree, const int* destinations, const int* destination_weights,
                               MPI_Info info, int reorder, MPI_Comm* made) {
  return create(Call::MPI_Dist_graph_create_adjacent, comm, made, [&] {
    return real().MPI_Dist_graph_create_adjacent(comm, in_degree, sources, source_weights, out_degree,
                                                 destinations, destination_weights, info, reorder, made);
  });
}

int Intercomm_create(MPI_Comm local, int local_leader, MPI_Comm peers, int remote_leader, int tag,
                     MPI_Comm* made) {
  return create_among_some(Call::MPI_Intercomm_create, made, [&] {
    return real().MPI_Intercomm_create(local, local_leader, peers, remote_leader, tag, made);
  });
}

int Intercomm_merge(MPI_Comm comm, int high, MPI_Comm* made) {
  return create(Call::MPI_Intercomm_merge, comm, made,
                [&] { return real().MPI_Intercomm_merge(comm, high, made); });
}

int Comm_set_name(MPI_Comm comm, const char* name) {
  return real().MPI_Comm_set_name(comm, name);
}

int Comm_free(MPI_Comm* comm) {
  return forget(Call::MPI_Comm_free, real().MPI_Comm_free, comm);
}

int Comm_disconnect(MPI_Comm* comm) {
  return forget(Call::MPI_Comm_disconnect, real().MPI_Comm_disconnect, comm);
}

}  // namespace morgana::mpi::captured
