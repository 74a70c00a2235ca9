#include "pvmshim/mpi/emulate/send_buffer.h"

#include "pvmshim/mpi/emulate/emulated_rank.h"
#include "pvmshim/mpi/implementations.h"
#include "pvmshim/mpi/real_mpi.h"

namespace morgana::mpi::emulated {
namespace {

template <typename RealDetach, typename Size>
int detach(RealDetach real_call, void* buffer, Size* size) {
  const int result = real_call(buffer, size);
  if (result == MPI_SUCCESS) me().send_buffer.detach();
  return result;
}

}  // namespace

int Buffer_attach(void* buffer, MPI_Count size) {
  const int result = real().MPI_Buffer_attach_c(buffer, size);
  if (result == MPI_SUCCESS) me().send_buffer.attach(size);
  return result;
}

int Buffer_detach(void* buffer, int* size) {
  return detach(real().MPI_Buffer_detach, buffer, size);
}

int Buffer_detach(void* buffer, MPI_Count* size) {
  return detach(real().MPI_Buffer_detach_c, buffer, size);
}

}  // namespace morgana::mpi::emulated
