#pragma once

#include <mpi.h>

#include <memory>
#include <string>

#include "emulator/core/units.h"
#include "pvmshim/mpi/communicators.h"
#include "pvmshim/mpi/uncaught_errors.h"

namespace morgana::mpi::captured {

/// "what came from rank 2 with tag 7 is longer than the room for 4 bytes (communicator "halo")". Of a message
/// that is too long MPICH reports sender and tag, but not its length.
/// @param status  of the receive that failed
std::string describe_truncation(const MPI_Status& status, Bytes room, const Communicator& comm);

/// While it lives, MPICH carries out one blocking receive.
class BlockingReceive : public ErrorDetail {
 public:
  BlockingReceive(const MPI_Status& status, MPI_Count count, MPI_Datatype type, MPI_Comm comm)
      : status_(status), count_(count), type_(type), comm_(comm) {}
  std::string why(bool of_list) const override;

 private:
  const MPI_Status& status_;
  MPI_Count count_;
  MPI_Datatype type_;
  MPI_Comm comm_;
};

}  // namespace morgana::mpi::captured
