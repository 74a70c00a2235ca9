#pragma once

#include <mpi.h>

#include <cstdint>
#include <deque>
#include <functional>
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
  void close();

  RequestId next_id() { return RequestId{++last_id_}; }

  /// A request of MPICH's that is pending. Several may have the same handle: MPICH has one for all sends that
  /// have completed at once.
  struct Pending {
    RequestId id;
    bool is_receive;
    std::shared_ptr<const Communicator> comm;
    RequestId companion = no_request;  ///< of a request for two messages: the send
    /// What it receives, where MPICH's status does not have it.
    std::shared_ptr<const Completed> known = nullptr;
    /// Called when it has completed, if given.
    std::function<void()> finished = nullptr;
    Bytes room{};  ///< of a receive, for the report of a message that is longer
  };
  void add(MPI_Request handle, Pending pending);
  /// Null for a request that is not recorded (such as that of a file operation).
  const Pending* find(MPI_Request handle) const;
  /// The request has completed or been freed.
  std::optional<Pending> take(MPI_Request handle);

  /// Whether it is pending under this id; it has completed by another call than one that names it.
  bool is_pending(MPI_Request handle, RequestId id) const;
  void drop(MPI_Request handle, RequestId id);

  /// A persistent request. Its start is an operation; that of a partitioned send is one later, when all of
  /// its partitions are ready.
  struct Persistent {
    std::function<Operation(Call, CallPart, RequestId)> operation;
    Pending pending;     ///< of each start, but for the id
    int partitions = 0;  ///< of a partitioned send
    int missing = 0;     ///< those not ready yet
  };
  void add_persistent(MPI_Request handle, Persistent persistent);
  /// Null for a request that is not persistent, or moves nothing.
  Persistent* find_persistent(MPI_Request handle);
  void forget_persistent(MPI_Request handle) { persistent_.erase(handle); }

  /// A message that a probe has set aside.
  struct Matched {
    RequestId taken;
    std::shared_ptr<const Communicator> comm;
    int source, tag;
  };
  void add_matched(MPI_Message handle, Matched matched) { matched_[handle] = std::move(matched); }
  std::optional<Matched> take_matched(MPI_Message handle);

 private:
  /// A program that polls would fill the disk: polls that find nothing, are alike and follow each other
  /// closely are one operation, as long as all of them.
  struct FailingPolls {
    Operation operation;
    SimTime begin, end;
  };
  bool joins_polls(const Operation& operation, SimTime begin) const;
  void write_polls();

  CommunicatorTable communicators_;
  CaptureLogWriter log_;
  std::optional<FailingPolls> polls_;
  std::int64_t origin_ns_;
  std::uint64_t last_id_ = 0;
  std::unordered_map<MPI_Request, std::deque<Pending>> pending_;
  std::unordered_map<MPI_Request, Persistent> persistent_;
  std::unordered_map<MPI_Message, Matched> matched_;
};

Recorder& recorder();
void become(Recorder& recorder);

}  // namespace morgana::mpi::captured
