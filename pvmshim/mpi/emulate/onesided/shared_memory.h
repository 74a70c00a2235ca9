#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <vector>

namespace morgana::mpi::emulated {

/// Memory that the members of a communicator share, a part for each. It has no name, and is gone with the
/// last process that maps it.
class SharedMemory {
 public:
  /// Collective, through MPICH.
  /// @param size  of this rank's part
  /// @param apart  each part begins on a page; else one where the other ends
  /// @throws Error if there is not enough memory
  SharedMemory(MPI_Comm comm, MPI_Aint size, bool apart);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  /// A member's; null where it is empty.
  std::byte* part(std::size_t member) const;

 private:
  void* map(MPI_Comm comm, int rank) const;

  std::vector<MPI_Aint> sizes_, offsets_;
  std::size_t bytes_ = 0;
  void* start_ = nullptr;
};

}  // namespace morgana::mpi::emulated
