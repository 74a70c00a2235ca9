#include "pvmshim/mpi/translate.h"

namespace morgana::mpi {
namespace {

Rank world_peer(const Communicator& comm, int source) {
  return source == MPI_ANY_SOURCE ? any_rank : comm.world_rank(source);
}

Tag tag_of(int tag) {
  return tag == MPI_ANY_TAG ? any_tag : Tag{tag};
}

}  // namespace

Operation plain_operation(OperationKind kind, Call call, CallPart part) {
  Operation operation;
  operation.kind = kind;
  operation.call = call;
  operation.part = part;
  return operation;
}

Operation send_operation(Call call, CallPart part, SendMode mode, const Communicator& comm, int dest, int tag,
                         const Content& content, RequestId request) {
  Operation operation = plain_operation(OperationKind::send, call, part);
  operation.mode = mode;
  operation.context = comm.context();
  operation.peer = comm.world_rank(dest);
  operation.tag = Tag{tag};
  operation.bytes = content.bytes;
  operation.parts = content.parts;
  operation.request = request;
  return operation;
}

Operation receive_operation(Call call, CallPart part, const Communicator& comm, int source, int tag,
                            Bytes room, RequestId request) {
  Operation operation = plain_operation(OperationKind::receive, call, part);
  operation.context = comm.context();
  operation.peer = world_peer(comm, source);
  operation.tag = tag_of(tag);
  operation.bytes = room;
  operation.request = request;
  return operation;
}

Operation probe_operation(OperationKind kind, Call call, const Communicator& comm, int source, int tag) {
  Operation operation = plain_operation(kind, call);
  operation.context = comm.context();
  operation.peer = world_peer(comm, source);
  operation.tag = tag_of(tag);
  return operation;
}

Operation completion_operation(OperationKind kind, Call call, CallPart part, Completion completion,
                               std::span<const RequestId> requests) {
  Operation operation = plain_operation(kind, call, part);
  operation.completion = completion;
  operation.requests.assign(requests.begin(), requests.end());
  return operation;
}

Operation collective_operation(Call call, const Communicator& comm, CollectivePart part, RequestId request) {
  Operation operation = plain_operation(OperationKind::collective, call, CallPart::first);
  operation.context = comm.context();
  operation.collective = std::move(part);
  operation.collective.first_group = comm.first_group();
  operation.request = request;
  return operation;
}

Operation context_operation(Call call, CallPart part, const Communicator& comm) {
  Operation operation = plain_operation(OperationKind::context_created, call, part);
  operation.context = comm.context();
  operation.members = comm.members();
  return operation;
}

}  // namespace morgana::mpi
