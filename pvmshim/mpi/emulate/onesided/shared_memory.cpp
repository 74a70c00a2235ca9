#include "pvmshim/mpi/emulate/onesided/shared_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "emulator/core/error.h"
#include "pvmshim/mpi/real_mpi.h"

namespace morgana::mpi::emulated {
namespace {

constexpr MPI_Aint page = 4096;

/// Where a member finds the memory that the first one has made.
struct Place {
  int process = 0;
  int descriptor = -1;
};

Place make_memory(std::size_t bytes) {
  const int descriptor = memfd_create("morgana-window", MFD_CLOEXEC);
  if (descriptor >= 0 && ftruncate(descriptor, static_cast<off_t>(bytes)) == 0) return {getpid(), descriptor};
  throw Error("can't make " + std::to_string(bytes) +
              " bytes of shared memory for MPI_Win_allocate_shared: " + strerror(errno));
}

void* map_memory(const Place& place, std::size_t bytes) {
  const std::string path =
      "/proc/" + std::to_string(place.process) + "/fd/" + std::to_string(place.descriptor);
  const int descriptor = open(path.c_str(), O_RDWR | O_CLOEXEC);
  void* start =
      descriptor < 0 ? MAP_FAILED : mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  const int why = errno;
  if (descriptor >= 0) close(descriptor);
  if (start == MAP_FAILED)
    throw Error("can't map the shared memory of MPI_Win_allocate_shared: " + std::string(strerror(why)));
  return start;
}

}  // namespace

SharedMemory::SharedMemory(MPI_Comm comm, MPI_Aint size, bool apart) {
  int rank = 0, members = 0;
  real().MPI_Comm_rank(comm, &rank);
  real().MPI_Comm_size(comm, &members);
  sizes_.resize(static_cast<std::size_t>(members));
  real().MPI_Allgather(&size, 1, MPI_AINT, sizes_.data(), 1, MPI_AINT, comm);
  MPI_Aint end = 0;
  for (const MPI_Aint part : sizes_) {
    offsets_.push_back(end);
    end += apart ? (part + page - 1) / page * page : part;
  }
  bytes_ = static_cast<std::size_t>(end);
  if (bytes_ > 0) start_ = map(comm, rank);
}

void* SharedMemory::map(MPI_Comm comm, int rank) const {
  Place place = rank == 0 ? make_memory(bytes_) : Place{};
  real().MPI_Bcast(&place, sizeof place, MPI_BYTE, 0, comm);
  void* start = map_memory(place, bytes_);
  real().MPI_Barrier(comm);
  if (rank == 0) close(place.descriptor);
  return start;
}

SharedMemory::~SharedMemory() {
  if (start_ != nullptr) munmap(start_, bytes_);
}

std::byte* SharedMemory::part(std::size_t member) const {
  return sizes_[member] == 0 ? nullptr : static_cast<std::byte*>(start_) + offsets_[member];
}

}  // namespace morgana::mpi::emulated
