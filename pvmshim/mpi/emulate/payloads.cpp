#include "pvmshim/mpi/emulate/payloads.h"

#include "pvmshim/mpi/emulate/emulated_rank.h"
#include "pvmshim/mpi/emulate/returned.h"
#include "pvmshim/mpi/packing.h"
#include "pvmshim/mpi/statuses.h"

namespace morgana::mpi::emulated {

std::uint64_t deposit(const void* data, MPI_Count count, MPI_Datatype type, Bytes bytes,
                      std::uint32_t readers) {
  if (bytes.count() == 0 || readers == 0) return 0;
  RankChannel& channel = me().live.channel();
  const std::uint64_t handle = channel.allocate(bytes, readers);
  pack(data, count, type, channel.data(handle));
  return handle;
}

Payload::Payload(std::uint64_t handle) : handle_(handle) {
  if (handle_ != 0) data_ = me().live.channel().data(handle_);
}

Payload::~Payload() {
  if (handle_ != 0) me().live.channel().release(handle_);
}

int take(const Completed& received, void* buffer, MPI_Count count, MPI_Datatype type,
         const Communicator& comm, MPI_Status& status) {
  if (received.outcome != Outcome::delivered) {
    set_empty(status);
    return error_of_outcome(received);
  }
  set_received(status, received, comm);
  if (received.cancelled) return MPI_SUCCESS;
  const Payload payload(received.payload);
  return unpack(payload.data(), buffer, count, type) ? MPI_SUCCESS : MPI_ERR_TRUNCATE;
}

std::string describe_truncation(const MPI_Status& status, MPI_Count count, MPI_Datatype type,
                                const Communicator& comm) {
  const Completed came = completed_of(status, comm, no_request);
  return std::to_string(came.bytes.count()) + " bytes came from rank " + std::to_string(index(came.source)) +
         " with tag " + std::to_string(static_cast<int>(came.tag)) + ", there is room for " +
         std::to_string(packed_size(count, type).count());
}

}  // namespace morgana::mpi::emulated
