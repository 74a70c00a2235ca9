// Collectives as MPICH carries them out, in the form in which the program called them.

#include "pvmshim/mpi/implementations.h"
#include "pvmshim/mpi/real_mpi.h"

namespace morgana::mpi::by_mpich {

#define MORGANA_FORMS(name, nonblocking) real().MPI_##name, real().MPI_##nonblocking, real().MPI_##name##_init
#define MORGANA_LARGE_FORMS(name, nonblocking) \
  real().MPI_##name##_c, real().MPI_##nonblocking##_c, real().MPI_##name##_init_c

int Barrier(const Form& form, MPI_Comm comm) {
  return form.apply(MORGANA_FORMS(Barrier, Ibarrier), comm);
}

int Bcast(const Form& form, void* buffer, MPI_Count count, MPI_Datatype type, int root, MPI_Comm comm) {
  return form.apply(MORGANA_LARGE_FORMS(Bcast, Ibcast), buffer, count, type, root, comm);
}

int Gather(const Form& form, const void* sent, MPI_Count send_count, MPI_Datatype send_type, void* received,
           MPI_Count receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm) {
  return form.apply(MORGANA_LARGE_FORMS(Gather, Igather), sent, send_count, send_type, received,
                    receive_count, receive_type, root, comm);
}

int Gatherv(const Form& form, const void* sent, MPI_Count send_count, MPI_Datatype send_type, void* received,
            ListView counts, ListView places, MPI_Datatype receive_type, int root, MPI_Comm comm) {
  if (counts.is_wide())
    return form.apply(MORGANA_LARGE_FORMS(Gatherv, Igatherv), sent, send_count, send_type, received,
                      counts.wide(), places.wide(), receive_type, root, comm);
  return form.apply(MORGANA_FORMS(Gatherv, Igatherv), sent, static_cast<int>(send_count), send_type, received,
                    counts.narrow(), places.narrow(), receive_type, root, comm);
}

int Scatter(const Form& form, const void* sent, MPI_Count send_count, MPI_Datatype send_type, void* received,
            MPI_Count receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm) {
  return form.apply(MORGANA_LARGE_FORMS(Scatter, Iscatter), sent, send_count, send_type, received,
                    receive_count, receive_type, root, comm);
}

int Scatterv(const Form& form, const void* sent, ListView counts, ListView places, MPI_Datatype send_type,
             void* received, MPI_Count receive_count, MPI_Datatype receive_type, int root, MPI_Comm comm) {
  if (counts.is_wide())
    return form.apply(MORGANA_LARGE_FORMS(Scatterv, Iscatterv), sent, counts.wide(), places.wide(), send_type,
                      received, receive_count, receive_type, root, comm);
  return form.apply(MORGANA_FORMS(Scatterv, Iscatterv), sent, counts.narrow(), places.narrow(), send_type,
                    received, static_cast<int>(receive_count), receive_type, root, comm);
}

int Allgather(const Form& form, const void* sent, MPI_Count send_count, MPI_Datatype send_type,
              void* received, MPI_Count receive_count, MPI_Datatype receive_type, MPI_Comm comm) {
  return form.apply(MORGANA_LARGE_FORMS(Allgather, Iallgather), sent, send_count, send_type, received,
                    receive_count, receive_type, comm);
}

int Allgatherv(const Form& form, const void* sent, MPI_Count send_count, MPI_Datatype send_type,
               void* received, ListView counts, ListView places, MPI_Datatype receive_type, MPI_Comm comm) {
  if (counts.is_wide())
    return form.apply(MORGANA_LARGE_FORMS(Allgatherv, Iallgatherv), sent, send_count, send_type, received,
                      counts.wide(), places.wide(), receive_type, comm);
  return form.apply(MORGANA_FORMS(Allgatherv, Iallgatherv), sent, static_cast<int>(send_count), send_type,
                    received, counts.narrow(), places.narrow(), receive_type, comm);
}

int Alltoall(const Form& form, const void* sent, MPI_Count send_count, MPI_Datatype send_type, void* received,
             MPI_Count receive_count, MPI_Datatype receive_type, MPI_Comm comm) {
  return form.apply(MORGANA_LARGE_FORMS(Alltoall, Ialltoall), sent, send_count, send_type, received,
                    receive_count, receive_type, comm);
}

int Alltoallv(const Form& form, const void* sent, ListView send_counts, ListView send_places,
              MPI_Datatype send_type, void* received, ListView receive_counts, ListView receive_places,
              MPI_Datatype receive_type, MPI_Comm comm) {
  if (receive_counts.is_wide())
    return form.apply(MORGANA_LARGE_FORMS(Alltoallv, Ialltoallv), sent, send_counts.wide(),
                      send_places.wide(), send_type, received, receive_counts.wide(), receive_places.wide(),
                      receive_type, comm);
  return form.apply(MORGANA_FORMS(Alltoallv, Ialltoallv), sent, send_counts.narrow(), send_places.narrow(),
                    send_type, received, receive_counts.narrow(), receive_places.narrow(), receive_type,
                    comm);
}

int Alltoallw(const Form& form, const void* sent, ListView send_counts, ListView send_places,
              const MPI_Datatype* send_types, void* received, ListView receive_counts,
              ListView receive_places, const MPI_Datatype* receive_types, MPI_Comm comm) {
  if (receive_counts.is_wide())
    return form.apply(MORGANA_LARGE_FORMS(Alltoallw, Ialltoallw), sent, send_counts.wide(),
                      send_places.wide(), send_types, received, receive_counts.wide(), receive_places.wide(),
                      receive_types, comm);
  return form.apply(MORGANA_FORMS(Alltoallw, Ialltoallw), sent, send_counts.narrow(), send_places.narrow(),
                    send_types, received, receive_counts.narrow(), receive_places.narrow(), receive_types,
                    comm);
}

int Reduce(const Form& form, const void* sent, void* received, MPI_Count count, MPI_Datatype type, MPI_Op op,
           int root, MPI_Comm comm) {
  return form.apply(MORGANA_LARGE_FORMS(Reduce, Ireduce), sent, received, count, type, op, root, comm);
}

int Allreduce(const Form& form, const void* sent, void* received, MPI_Count count, MPI_Datatype type,
              MPI_Op op, MPI_Comm comm) {
  return form.apply(MORGANA_LARGE_FORMS(Allreduce, Iallreduce), sent, received, count, type, op, comm);
}

int Reduce_scatter(const Form& form, const void* sent, void* received, ListView counts, MPI_Datatype type,
                   MPI_Op op, MPI_Comm comm) {
  if (counts.is_wide())
    return form.apply(MORGANA_LARGE_FORMS(Reduce_scatter, Ireduce_scatter), sent, received, counts.wide(),
                      type, op, comm);
  return form.apply(MORGANA_FORMS(Reduce_scatter, Ireduce_scatter), sent, received, counts.narrow(), type, op,
                    comm);
}

int Reduce_scatter_block(const Form& form, const void* sent, void* received, MPI_Count count,
                         MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  return form.apply(MORGANA_LARGE_FORMS(Reduce_scatter_block, Ireduce_scatter_block), sent, received, count,
                    type, op, comm);
}

int Scan(const Form& form, const void* sent, void* received, MPI_Count count, MPI_Datatype type, MPI_Op op,
         MPI_Comm comm) {
  return form.apply(MORGANA_LARGE_FORMS(Scan, Iscan), sent, received, count, type, op, comm);
}

int Exscan(const Form& form, const void* sent, void* received, MPI_Count count, MPI_Datatype type, MPI_Op op,
           MPI_Comm comm) {
  return form.apply(MORGANA_LARGE_FORMS(Exscan, Iexscan), sent, received, count, type, op, comm);
}

int Neighbor_allgather(const Form& form, const void* sent, MPI_Count send_count, MPI_Datatype send_type,
                       void* received, MPI_Count receive_count, MPI_Datatype receive_type, MPI_Comm comm) {
  return form.apply(MORGANA_LARGE_FORMS(Neighbor_allgather, Ineighbor_allgather), sent, send_count, send_type,
                    received, receive_count, receive_type, comm);
}

int Neighbor_allgatherv(const Form& form, const void* sent, MPI_Count send_count, MPI_Datatype send_type,
                        void* received, ListView counts, ListView places, MPI_Datatype receive_type,
                        MPI_Comm comm) {
  if (counts.is_wide())
    return form.apply(MORGANA_LARGE_FORMS(Neighbor_allgatherv, Ineighbor_allgatherv), sent, send_count,
                      send_type, received, counts.wide(), places.wide(), receive_type, comm);
  return form.apply(MORGANA_FORMS(Neighbor_allgatherv, Ineighbor_allgatherv), sent,
                    static_cast<int>(send_count), send_type, received, counts.narrow(), places.narrow(),
                    receive_type, comm);
}

int Neighbor_alltoall(const Form& form, const void* sent, MPI_Count send_count, MPI_Datatype send_type,
                      void* received, MPI_Count receive_count, MPI_Datatype receive_type, MPI_Comm comm) {
  return form.apply(MORGANA_LARGE_FORMS(Neighbor_alltoall, Ineighbor_alltoall), sent, send_count, send_type,
                    received, receive_count, receive_type, comm);
}

int Neighbor_alltoallv(const Form& form, const void* sent, ListView send_counts, ListView send_places,
                       MPI_Datatype send_type, void* received, ListView receive_counts,
                       ListView receive_places, MPI_Datatype receive_type, MPI_Comm comm) {
  if (receive_counts.is_wide())
    return form.apply(MORGANA_LARGE_FORMS(Neighbor_alltoallv, Ineighbor_alltoallv), sent, send_counts.wide(),
                      send_places.wide(), send_type, received, receive_counts.wide(), receive_places.wide(),
                      receive_type, comm);
  return form.apply(MORGANA_FORMS(Neighbor_alltoallv, Ineighbor_alltoallv), sent, send_counts.narrow(),
                    send_places.narrow(), send_type, received, receive_counts.narrow(),
                    receive_places.narrow(), receive_type, comm);
}

int Neighbor_alltoallw(const Form& form, const void* sent, ListView send_counts, ListView send_places,
                       const MPI_Datatype* send_types, void* received, ListView receive_counts,
                       ListView receive_places, const MPI_Datatype* receive_types, MPI_Comm comm) {
  if (receive_counts.is_wide())
    return form.apply(MORGANA_LARGE_FORMS(Neighbor_alltoallw, Ineighbor_alltoallw), sent, send_counts.wide(),
                      send_places.wide(), send_types, received, receive_counts.wide(), receive_places.wide(),
                      receive_types, comm);
  return form.apply(MORGANA_FORMS(Neighbor_alltoallw, Ineighbor_alltoallw), sent, send_counts.narrow(),
                    send_places.wide(), send_types, received, receive_counts.narrow(), receive_places.wide(),
                    receive_types, comm);
}

}  // namespace morgana::mpi::by_mpich
