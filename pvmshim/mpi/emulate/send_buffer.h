#pragma once

#include <mpi.h>

#include "emulator/core/units.h"

namespace morgana::mpi::emulated {

/// The buffer that the program has attached for its buffered sends (MPI_Buffer_attach). The shim stores
/// messages elsewhere, so only the buffer's size is used: a message that is larger is an error. Messages in
/// the network take no space in the buffer, and MPI_Buffer_detach waits for none of them.
class SendBuffer {
 public:
  /// @param bytes  its size
  void attach(MPI_Count bytes) { bytes_ = bytes; }
  void detach() { bytes_ = 0; }
  /// Whether a packed message of that size fits with MPI_BSEND_OVERHEAD; false without a buffer.
  bool fits(Bytes message) const { return bytes_ > 0 && message.count() + MPI_BSEND_OVERHEAD <= bytes_; }

 private:
  MPI_Count bytes_ = 0;  // 0: none is attached
};

}  // namespace morgana::mpi::emulated
