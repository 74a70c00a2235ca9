#pragma once

#include <cstdint>

namespace morgana {

/// Shared memory that MPICH and UCX make under a name while they start, and take the name off again at once:
/// a process that is killed in between leaves it behind.
class OrphanedMemory {
 public:
  /// Seconds since 1970, for remove_since.
  static std::int64_t now();
  /// Removes such memory if it is this user's, was made at `begin` or later, and no process holds it: files
  /// of MPICH's and UCX's in /dev/shm that no process has open or mapped, and private System V segments that
  /// no process is attached to and whose maker has ended. No process can find these any more.
  static void remove_since(std::int64_t begin);
};

}  // namespace morgana
