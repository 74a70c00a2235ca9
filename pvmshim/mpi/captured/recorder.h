#pragma once

#include <mpi.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>

#include "emulator/operations/operation.h"
#include "pvmshim/channel/capture_log.h"
#include "pvmshim/mpi/communicators.h"

namespace morgana::mpi::captured {

/// This process as a rank of a recorded run: writes down the operations that an emulated run would have
/// posted, with the times that they took over MPICH.
class Recorder {
 public:
  /// In MPI_Init, on all ranks: time 0 is when the last of them is there, so that starting up counts nowhere.
  explicit Recorder(const std::string& folder);

  CommunicatorTable& communicators() { return communicators_; }
  SimTime now() const;
  void write(const Operation& operation, SimTime begin, SimTime end,
             std::span<const Completed> completed = {});
  void close() { log_.close(); }

  RequestId next_id() { return RequestId{++last_id_}; }

  /// A request of MPICH's that is pending. Several may have the same handle: MPICH has one for all sends that
  /// have completed at once.
  struct Pending {
    RequestId id;
    bool is_receive;
    std::shared_ptr<const Communicator> comm;
  };
  void add(MPI_Request handle, Pending pending);
  /// Null for a request that is not recorded (of a file operation, say).
  const Pending* find(MPI_Request handle) const;
  /// The request has completed or been freed.
  std::optional<Pending> take(MPI_Request handle);

 private:
  CommunicatorTable communicators_;
  CaptureLogWriter log_;
  std::int64_t origin_ns_;
  std::uint64_t last_id_ = 0;
  std::unordered_map<MPI_Request, std::deque<Pending>> pending_;
};

Recorder& recorder();
void become(Recorder& recorder);

}  // namespace morgana::mpi::captured
