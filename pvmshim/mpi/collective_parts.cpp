#include "pvmshim/mpi/collective_parts.h"

#include <algorithm>

#include "pvmshim/mpi/packing.h"
#include "pvmshim/mpi/real_mpi.h"

namespace morgana::mpi {
namespace {

std::vector<std::int32_t> members_among(const std::vector<int>& ends) {
  std::vector<std::int32_t> members;
  for (const int end : ends)
    if (end != MPI_PROC_NULL) members.push_back(end);
  return members;
}

std::vector<Bytes> sizes_of_edges(const ItemsByRank& blocks, const std::vector<int>& ends) {
  std::vector<Bytes> sizes;
  for (std::size_t edge = 0; edge < ends.size(); ++edge)
    if (ends[edge] != MPI_PROC_NULL) sizes.push_back(blocks.bytes(static_cast<int>(edge)));
  return sizes;
}

}  // namespace

Bytes ItemsByRank::bytes(int member) const {
  return packed_size(count(member), type_of(member));
}

void* ItemsByRank::at(void* data, int member) const {
  return const_cast<void*>(at(static_cast<const void*>(data), member));
}

const void* ItemsByRank::at(const void* data, int member) const {
  if (types == nullptr) return item_at(data, places[member], type);
  return static_cast<const char*>(data) + places[member];
}

std::vector<Bytes> sizes_of(const ItemsByRank& blocks, const Communicator& comm) {
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

Role role_of(const Communicator& comm, int root) {
  if (!comm.is_inter() || root >= 0)
    return {root >= 0 && root < comm.size(), comm.is_me(root), false, static_cast<int>(comm.place(root))};
  const int own = comm.own_place(), first = own - comm.me();
  if (root == MPI_ROOT) return {true, true, false, own};
  return {root == MPI_PROC_NULL, false, true, own == first ? first + 1 : first};
}

CollectivePart broadcast_part(const Communicator& comm, MPI_Count count, MPI_Datatype type, int root) {
  const Role role = role_of(comm, root);
  return plain_part(CollectiveKind::broadcast, role.stands_by ? Bytes() : packed_size(count, type),
                    role.place);
}

CollectivePart gather_part(const Communicator& comm, const void* sent, MPI_Count send_count,
                           MPI_Datatype send_type, MPI_Count receive_count, MPI_Datatype receive_type,
                           int root) {
  const Role role = role_of(comm, root);
  CollectivePart part = plain_part(CollectiveKind::gather, Bytes(), role.place);
  if (role.stands_by) return part;
  part.in_place = comm.is_me(root) && sent == MPI_IN_PLACE;
  const bool knows_as_receiver = part.in_place || (role.is_root && comm.is_inter());
  part.bytes =
      knows_as_receiver ? packed_size(receive_count, receive_type) : packed_size(send_count, send_type);
  return part;
}

CollectivePart gatherv_part(const Communicator& comm, const void* sent, MPI_Count send_count,
                            MPI_Datatype send_type, const ItemsByRank& received, int root) {
  const Role role = role_of(comm, root);
  CollectivePart part = plain_part(CollectiveKind::gatherv, Bytes(), role.place);
  if (role.stands_by) return part;
  part.in_place = comm.is_me(root) && sent == MPI_IN_PLACE;
  if (role.is_root) part.receive_sizes = sizes_of(received, comm);
  if (role.is_root && comm.is_inter()) return part;
  part.bytes = part.in_place ? received.bytes(root) : packed_size(send_count, send_type);
  return part;
}

CollectivePart scatter_part(const Communicator& comm, MPI_Count send_count, MPI_Datatype send_type,
                            const void* received, MPI_Count receive_count, MPI_Datatype receive_type,
                            int root) {
  const Role role = role_of(comm, root);
  CollectivePart part = plain_part(CollectiveKind::scatter, Bytes(), role.place);
  if (role.stands_by) return part;
  part.in_place = comm.is_me(root) && received == MPI_IN_PLACE;
  part.bytes = role.is_root ? packed_size(send_count, send_type) : packed_size(receive_count, receive_type);
  return part;
}

CollectivePart scatterv_part(const Communicator& comm, const ItemsByRank& sent, const void* received,
                             MPI_Count receive_count, MPI_Datatype receive_type, int root) {
  const Role role = role_of(comm, root);
  CollectivePart part = plain_part(CollectiveKind::scatterv, Bytes(), role.place);
  if (role.stands_by) return part;
  part.in_place = comm.is_me(root) && received == MPI_IN_PLACE;
  if (role.is_root) part.send_sizes = sizes_of(sent, comm);
  if (role.is_root && comm.is_inter()) return part;
  part.bytes = part.in_place ? sent.bytes(root) : packed_size(receive_count, receive_type);
  return part;
}

CollectivePart allgather_part(const Communicator& comm, const void* sent, MPI_Count send_count,
                              MPI_Datatype send_type, MPI_Count receive_count, MPI_Datatype receive_type) {
  const bool in_place = sent == MPI_IN_PLACE;
  CollectivePart part =
      plain_part(CollectiveKind::allgather,
                 in_place ? packed_size(receive_count, receive_type) : packed_size(send_count, send_type));
  part.in_place = in_place;
  if (in_place && send_count > 0) part.send_sizes = {packed_size(send_count, receive_type)};
  if (!comm.is_inter()) return part;
  const Bytes from_each = packed_size(receive_count, receive_type);
  if (from_each != part.bytes) part.receive_sizes = {from_each};
  return part;
}

CollectivePart allgatherv_part(const Communicator& comm, const void* sent, MPI_Count send_count,
                               MPI_Datatype send_type, const ItemsByRank& received) {
  CollectivePart part = plain_part(CollectiveKind::allgatherv, Bytes());
  part.in_place = sent == MPI_IN_PLACE;
  part.receive_sizes = sizes_of(received, comm);
  part.bytes = part.in_place ? received.bytes(comm.me()) : packed_size(send_count, send_type);
  return part;
}

CollectivePart alltoall_part(const Communicator& comm, const void* sent, MPI_Count send_count,
                             MPI_Datatype send_type, MPI_Count receive_count, MPI_Datatype receive_type) {
  CollectivePart part = allgather_part(comm, sent, send_count, send_type, receive_count, receive_type);
  part.kind = CollectiveKind::alltoall;
  part.send_sizes.clear();
  return part;
}

CollectivePart alltoall_blocks_part(CollectiveKind kind, const Communicator& comm, const void* sent,
                                    const ItemsByRank& sent_blocks, const ItemsByRank& received_blocks) {
  CollectivePart part = plain_part(kind, Bytes());
  part.in_place = sent == MPI_IN_PLACE;
  part.receive_sizes = sizes_of(received_blocks, comm);
  part.send_sizes = part.in_place ? part.receive_sizes : sizes_of(sent_blocks, comm);
  return part;
}

CollectivePart reduction_part(CollectiveKind kind, const void* sent, MPI_Count count, MPI_Datatype type,
                              MPI_Op op) {
  CollectivePart part = plain_part(kind, packed_size(count, type));
  part.in_place = sent == MPI_IN_PLACE;
  part.element = std::max(Bytes(1), packed_size(1, type));
  int commutative = 1;
  real().MPI_Op_commutative(op, &commutative);
  part.commutative = commutative != 0;
  return part;
}

CollectivePart reduce_part(const Communicator& comm, const void* sent, MPI_Count count, MPI_Datatype type,
                           MPI_Op op, int root) {
  const Role role = role_of(comm, root);
  CollectivePart part = role.stands_by ? plain_part(CollectiveKind::reduce, Bytes())
                                       : reduction_part(CollectiveKind::reduce, sent, count, type, op);
  part.root = role.place;
  return part;
}

CollectivePart reduce_scatter_part(const Communicator& comm, const void* sent, ListView counts,
                                   MPI_Datatype type, MPI_Op op) {
  CollectivePart part = reduction_part(CollectiveKind::reduce_scatter, sent, 0, type, op);
  for (int member = 0; member < comm.group_size(); ++member)
    part.send_sizes.push_back(packed_size(counts[member], type));
  return part;
}

CollectivePart neighbor_part(CollectiveKind kind, const Neighbours& neighbours, Bytes bytes) {
  CollectivePart part = plain_part(kind, bytes);
  part.sources = members_among(neighbours.sources);
  part.destinations = members_among(neighbours.destinations);
  return part;
}

CollectivePart neighbor_allgatherv_part(const Neighbours& neighbours, Bytes bytes,
                                        const ItemsByRank& received) {
  CollectivePart part = neighbor_part(CollectiveKind::neighbor_allgatherv, neighbours, bytes);
  part.receive_sizes = sizes_of_edges(received, neighbours.sources);
  return part;
}

CollectivePart neighbor_blocks_part(CollectiveKind kind, const Neighbours& neighbours,
                                    const ItemsByRank& sent, const ItemsByRank& received) {
  CollectivePart part = neighbor_part(kind, neighbours, Bytes());
  part.send_sizes = sizes_of_edges(sent, neighbours.destinations);
  part.receive_sizes = sizes_of_edges(received, neighbours.sources);
  return part;
}

}  // namespace morgana::mpi
