#include "pvmshim/mpi/collective_parts.h"

#include <algorithm>

#include "pvmshim/mpi/packing.h"
#include "pvmshim/mpi/real_mpi.h"

namespace morgana::mpi {

Bytes Blocks::bytes(int member) const {
  return packed_size(count(member), type_of(member));
}

void* Blocks::at(void* data, int member) const {
  return const_cast<void*>(at(static_cast<const void*>(data), member));
}

const void* Blocks::at(const void* data, int member) const {
  if (types == nullptr) return item_at(data, places[member], type);
  return static_cast<const char*>(data) + places[member];
}

std::vector<Bytes> sizes_of(const Blocks& blocks, const Communicator& comm) {
  std::vector<Bytes> sizes;
  sizes.reserve(static_cast<std::size_t>(comm.size()));
  for (int member = 0; member < comm.size(); ++member) sizes.push_back(blocks.bytes(member));
  return sizes;
}

CollectivePart plain_part(CollectiveKind kind, Bytes bytes, int root) {
  CollectivePart part;
  part.kind = kind;
  part.bytes = bytes;
  part.root = root;
  return part;
}

CollectivePart gather_part(const Communicator& comm, const void* sent, MPI_Count send_count,
                           MPI_Datatype send_type, MPI_Count receive_count, MPI_Datatype receive_type,
                           int root) {
  const bool in_place = comm.me() == root && sent == MPI_IN_PLACE;
  CollectivePart part = plain_part(
      CollectiveKind::gather,
      in_place ? packed_size(receive_count, receive_type) : packed_size(send_count, send_type), root);
  part.in_place = in_place;
  return part;
}

CollectivePart gatherv_part(const Communicator& comm, const void* sent, MPI_Count send_count,
                            MPI_Datatype send_type, const Blocks& received, int root) {
  CollectivePart part = plain_part(CollectiveKind::gatherv, Bytes(), root);
  part.in_place = comm.me() == root && sent == MPI_IN_PLACE;
  if (comm.me() == root) part.receive_sizes = sizes_of(received, comm);
  part.bytes = part.in_place ? received.bytes(root) : packed_size(send_count, send_type);
  return part;
}

CollectivePart scatter_part(const Communicator& comm, MPI_Count send_count, MPI_Datatype send_type,
                            const void* received, MPI_Count receive_count, MPI_Datatype receive_type,
                            int root) {
  const bool at_root = comm.me() == root;
  CollectivePart part = plain_part(
      CollectiveKind::scatter,
      at_root ? packed_size(send_count, send_type) : packed_size(receive_count, receive_type), root);
  part.in_place = at_root && received == MPI_IN_PLACE;
  return part;
}

CollectivePart scatterv_part(const Communicator& comm, const Blocks& sent, const void* received,
                             MPI_Count receive_count, MPI_Datatype receive_type, int root) {
  CollectivePart part = plain_part(CollectiveKind::scatterv, Bytes(), root);
  part.in_place = comm.me() == root && received == MPI_IN_PLACE;
  if (comm.me() == root) part.send_sizes = sizes_of(sent, comm);
  part.bytes = part.in_place ? sent.bytes(root) : packed_size(receive_count, receive_type);
  return part;
}

CollectivePart allgather_part(const void* sent, MPI_Count send_count, MPI_Datatype send_type,
                              MPI_Count receive_count, MPI_Datatype receive_type) {
  const bool in_place = sent == MPI_IN_PLACE;
  CollectivePart part =
      plain_part(CollectiveKind::allgather,
                 in_place ? packed_size(receive_count, receive_type) : packed_size(send_count, send_type));
  part.in_place = in_place;
  return part;
}

CollectivePart allgatherv_part(const Communicator& comm, const void* sent, MPI_Count send_count,
                               MPI_Datatype send_type, const Blocks& received) {
  CollectivePart part = plain_part(CollectiveKind::allgatherv, Bytes());
  part.in_place = sent == MPI_IN_PLACE;
  part.receive_sizes = sizes_of(received, comm);
  part.bytes = part.in_place ? received.bytes(comm.me()) : packed_size(send_count, send_type);
  return part;
}

CollectivePart alltoall_part(const void* sent, MPI_Count send_count, MPI_Datatype send_type,
                             MPI_Count receive_count, MPI_Datatype receive_type) {
  CollectivePart part = allgather_part(sent, send_count, send_type, receive_count, receive_type);
  part.kind = CollectiveKind::alltoall;
  return part;
}

CollectivePart alltoall_blocks_part(CollectiveKind kind, const Communicator& comm, const void* sent,
                                    const Blocks& sent_blocks, const Blocks& received_blocks) {
  CollectivePart part = plain_part(kind, Bytes());
  part.in_place = sent == MPI_IN_PLACE;
  part.receive_sizes = sizes_of(received_blocks, comm);
  part.send_sizes = part.in_place ? part.receive_sizes : sizes_of(sent_blocks, comm);
  return part;
}

CollectivePart reduction_part(CollectiveKind kind, const void* sent, MPI_Count count, MPI_Datatype type,
                              MPI_Op op, int root) {
  CollectivePart part = plain_part(kind, packed_size(count, type), root);
  part.in_place = sent == MPI_IN_PLACE;
  part.element = std::max(Bytes(1), packed_size(1, type));
  int commutative = 1;
  real().MPI_Op_commutative(op, &commutative);
  part.commutative = commutative != 0;
  return part;
}

CollectivePart reduce_scatter_part(const Communicator& comm, const void* sent, ListView counts,
                                   MPI_Datatype type, MPI_Op op) {
  CollectivePart part = reduction_part(CollectiveKind::reduce_scatter, sent, 0, type, op);
  part.send_sizes = sizes_of({counts, counts, type}, comm);
  return part;
}

}  // namespace morgana::mpi
