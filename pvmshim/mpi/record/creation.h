#pragma once

#include <memory>

#include "pvmshim/mpi/record/timed_call.h"

namespace morgana::mpi::captured {

/// Records a call in which all members of a communicator make something that has a context: they agree on it,
/// and each then knows it.
/// @param make    int(), the real call
/// @param result  Operation(const Communicator& parent): what was made, or nothing for this member
template <typename Make, typename Result>
int record_creation(Call call, MPI_Comm parent, const Make& make, const Result& result) {
  TimedCall timed;
  const int code = make();
  timed.ended();
  const std::shared_ptr<const Communicator> comm = recorder().communicators().find(parent);
  if (code != MPI_SUCCESS || comm == nullptr) {
    timed.write_plain(call);
    return code;
  }
  const RequestId request = recorder().next_id();
  CollectivePart part;
  part.kind = CollectiveKind::create_context;
  timed.write_start(collective_operation(call, *comm, part, request));
  Completed completed;
  completed.request = request;
  timed.write(
      completion_operation(OperationKind::wait, call, CallPart::middle, Completion::all, {&request, 1}),
      {&completed, 1});
  const SimTime end = timed.end();  // that the recording agrees on a context is no time of the program's
  recorder().write(result(*comm), end, end);
  return code;
}

}  // namespace morgana::mpi::captured
