#pragma once

#include <mpi.h>

#include "emulator/core/units.h"

namespace morgana::mpi::emulated {

/// The buffer that the program has attached for its buffered sends. What they carry lies elsewhere, so all
/// that counts is that a message is not larger than the buffer; messages under way take no room in it, and
/// detaching it waits for nothing.
class SendBuffer {
 public:
  void attach(MPI_Count bytes) { bytes_ = bytes; }
  void detach() { bytes_ = 0; }
  bool fits(Bytes message) const { return bytes_ > 0 && message.count() + MPI_BSEND_OVERHEAD <= bytes_; }

 private:
  MPI_Count bytes_ = 0;
};

}  // namespace morgana::mpi::emulated
