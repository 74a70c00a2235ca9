#include "pvmshim/mpi/record/truncation.h"

#include "pvmshim/mpi/communicator_names.h"
#include "pvmshim/mpi/packing.h"
#include "pvmshim/mpi/record/recorder.h"
#include "pvmshim/mpi/statuses.h"

namespace morgana::mpi::captured {

std::string describe_truncation(const MPI_Status& status, Bytes room, const Communicator& comm) {
  const Completed came = completed_of(status, comm, no_request);
  return "what came from rank " + std::to_string(index(came.source)) + " with tag " +
         std::to_string(static_cast<int>(came.tag)) + " is longer than the room for " +
         std::to_string(room.count()) + " bytes" + in_its_own_name(comm.handle());
}

std::string BlockingReceive::why(bool /*of_list*/) const {
  const auto comm = recorder().communicators().find(comm_);
  return comm == nullptr ? std::string() : describe_truncation(status_, packed_size(count_, type_), *comm);
}

}  // namespace morgana::mpi::captured
