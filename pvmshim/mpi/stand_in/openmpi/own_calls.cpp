// The calls that Open MPI's interface has and the standard's lacks.

#include <cstddef>
#include <cstring>

#include "pvmshim/mpi/stand_in/by_hand.h"

namespace morgana::stand_in::by_hand {
namespace {

// MPICH's Fortran numbers are its handles.
template <typename Kind>
Handle* from_number(Kind null, int number) {
  return from_fortran(static_cast<int>(null), number);
}

// The order of Fortran's status: source, tag, error, whether cancelled, and the bytes in two halves.
constexpr std::size_t words_of_status = 6;

}  // namespace

int MPIX_Alltoallw_init(Buffer sent, const int* sent_counts, const int* sent_places,
                        Handle* const* sent_types, Buffer received, const int* received_counts,
                        const int* received_places, Handle* const* received_types, Comm comm, Info info,
                        Handle** request) {
  return by_hand::MPI_Alltoallw_init(sent, sent_counts, sent_places, sent_types, received, received_counts,
                                     received_places, received_types, comm, info, request);
}

int MPIX_Neighbor_alltoallw_init(Buffer sent, const int* sent_counts, const MPI_Aint* sent_places,
                                 Handle* const* sent_types, Buffer received, const int* received_counts,
                                 const MPI_Aint* received_places, Handle* const* received_types, Comm comm,
                                 Info info, Handle** request) {
  return by_hand::MPI_Neighbor_alltoallw_init(sent, sent_counts, sent_places, sent_types, received,
                                              received_counts, received_places, received_types, comm, info,
                                              request);
}

int MPI_Type_struct(int count, int* lengths, MPI_Aint* places, Handle** types, Handle** made) {
  return by_hand::MPI_Type_create_struct(count, lengths, places, types, made);
}

int MPI_Errhandler_create(HandleError* function, Handle** made) {
  return by_hand::MPI_Comm_create_errhandler(function, made);
}

int MPIX_Query_cuda_support() {
  return 0;
}
int MPIX_Query_rocm_support() {
  return 0;
}

int MPI_Status_c2f(const Status* status, int* words) {
  static_assert(sizeof(Status) == words_of_status * sizeof(int));
  std::memcpy(words, status, sizeof *status);
  return MPI_SUCCESS;
}
int MPI_Status_f2c(const int* words, Status* status) {
  std::memcpy(status, words, sizeof *status);
  return MPI_SUCCESS;
}

#define MORGANA_FORTRAN(kind, null)      \
  int MPI_##kind##_c2f(Handle* handle) { \
    return fortran_number(handle);       \
  }                                      \
  Handle* MPI_##kind##_f2c(int number) { \
    return from_number(null, number);    \
  }
MORGANA_FORTRAN(Comm, MPI_COMM_NULL)
MORGANA_FORTRAN(Type, MPI_DATATYPE_NULL)
MORGANA_FORTRAN(Group, MPI_GROUP_NULL)
MORGANA_FORTRAN(Op, MPI_OP_NULL)
MORGANA_FORTRAN(Request, MPI_REQUEST_NULL)
MORGANA_FORTRAN(Errhandler, MPI_ERRHANDLER_NULL)
MORGANA_FORTRAN(Info, MPI_INFO_NULL)
MORGANA_FORTRAN(Win, MPI_WIN_NULL)
#undef MORGANA_FORTRAN

int MPI_Message_c2f(Handle* message) {
  if (message == null_message()) return 0;
  if (message == no_process_message()) return 1;
  return static_cast<int>(message->mpich);
}
Handle* MPI_Message_f2c(int number) {
  if (number == 0) return null_message();
  if (number == 1) return no_process_message();
  return message_from_mpich(static_cast<MPI_Message>(number));
}

int MPI_File_c2f(Handle* file) {
  return targets().MPI_File_c2f(to_mpich<MPI_File>(file));
}
Handle* MPI_File_f2c(int number) {
  return file_from_mpich(targets().MPI_File_f2c(number));
}

}  // namespace morgana::stand_in::by_hand
