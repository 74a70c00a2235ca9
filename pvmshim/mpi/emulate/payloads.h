#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <string>

#include "emulator/operations/operation.h"
#include "pvmshim/mpi/communicators.h"

namespace morgana::mpi::emulated {

/// A rank does not run ahead of payloads of this size: they would fill the shared memory.
inline bool is_large(Bytes bytes) {
  return bytes >= Bytes(1 << 20);
}

/// Copies data into a payload that `readers` ranks will read. 0 if there is nothing to copy.
std::uint64_t deposit(const void* data, MPI_Count count, MPI_Datatype type, Bytes bytes,
                      std::uint32_t readers);

/// A payload that this rank reads and gives back when done.
class Payload {
 public:
  /// @param handle  0 for none: no data
  explicit Payload(std::uint64_t handle);
  ~Payload();
  Payload(const Payload&) = delete;
  Payload& operator=(const Payload&) = delete;
  std::span<const std::byte> data() const { return data_; }

 private:
  std::uint64_t handle_;
  std::span<const std::byte> data_;
};

/// Takes a received message into the program's buffer, and says in `status` what came.
/// @return MPI_SUCCESS, MPI_ERR_TRUNCATE or error_of_outcome(); an error has not been reported yet
int take(const Completed& received, void* buffer, MPI_Count count, MPI_Datatype type,
         const Communicator& comm, MPI_Status& status);

/// Why a receive failed by MPI_ERR_TRUNCATE: "16 bytes came from rank 0 with tag 5, there is room for 4".
/// @param status  of the receive; ranks are those of MPI_COMM_WORLD
std::string describe_truncation(const MPI_Status& status, MPI_Count count, MPI_Datatype type,
                                const Communicator& comm);

}  // namespace morgana::mpi::emulated
