#include "pvmshim/mpi/openmpi/handles.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <unordered_map>

using morgana::openmpi::Handle;

// The program's handles are the addresses of these. References from here go through the global offset table,
// as the program's do: where a program has taken a copy of an object, both mean the copy.
#define MORGANA_SHOWN __attribute__((visibility("default")))
extern "C" {
#define MORGANA_HANDLE(object, handle, number) \
  extern MORGANA_SHOWN Handle object;          \
  Handle object{static_cast<int>(handle)};
#include "pvmshim/mpi/openmpi/predefined.def"
#undef MORGANA_HANDLE
extern MORGANA_SHOWN Handle ompi_message_null, ompi_message_no_proc, ompi_mpi_file_null;
Handle ompi_message_null{static_cast<int>(MPI_MESSAGE_NULL)};
Handle ompi_message_no_proc{static_cast<int>(MPI_MESSAGE_NO_PROC)};
Handle ompi_mpi_file_null{0};
}
#undef MORGANA_SHOWN

namespace morgana::openmpi {
namespace {

/// The objects by MPICH's handles. A look-up of a handle that was asked for before is one comparison.
class Objects {
 public:
  Objects() {
#define MORGANA_HANDLE(object, handle, number) objects_.emplace(static_cast<int>(handle), &object);
#include "pvmshim/mpi/openmpi/predefined.def"
#undef MORGANA_HANDLE
  }

  Handle* of(std::intptr_t value) {
    std::atomic<Handle*>& recent = recent_[place_of(value)];
    if (Handle* const found = recent.load(std::memory_order_acquire);
        found != nullptr && found->mpich == value)
      return found;
    const std::lock_guard lock(changing_);
    Handle*& object = objects_[value];
    if (object == nullptr) object = new Handle{value};
    recent.store(object, std::memory_order_release);
    return object;
  }

 private:
  static constexpr std::size_t places = 4096;
  /// MPICH tells kinds apart by the highest bits, and its numbers are dense; files are addresses.
  static std::size_t place_of(std::intptr_t value) {
    const auto bits = static_cast<std::uintptr_t>(value);
    return (bits ^ (bits >> 22)) % places;
  }

  std::array<std::atomic<Handle*>, places> recent_{};
  std::mutex changing_;
  std::unordered_map<std::intptr_t, Handle*> objects_;
};

Objects& objects() {
  static Objects& all = *new Objects;  // calls may come until the process has ended
  return all;
}

}  // namespace

Handle* from_mpich(std::intptr_t value) {
  return objects().of(value);
}

Handle* message_from_mpich(MPI_Message message) {
  if (message == MPI_MESSAGE_NULL) return &ompi_message_null;
  if (message == MPI_MESSAGE_NO_PROC) return &ompi_message_no_proc;
  return new Handle{value_of(message)};
}

void forget_message(Handle* message) {
  if (message != &ompi_message_null && message != &ompi_message_no_proc) delete message;
}

Handle* file_from_mpich(MPI_File file) {
  return file == MPI_FILE_NULL ? &ompi_mpi_file_null : from_mpich(value_of(file));
}

int fortran_number(const Handle* handle) {
#define MORGANA_HANDLE(object, mpichs, number) \
  if (handle == &object && (number) >= 0) return number;
#include "pvmshim/mpi/openmpi/predefined.def"
#undef MORGANA_HANDLE
  return handle == nullptr ? -1 : static_cast<int>(handle->mpich);
}

Handle* from_fortran(int kind, int number) {
  // MPICH's numbers hold the kind in these bits.
  constexpr unsigned shift = 26, mask = 0xf;
  const auto kind_of = [](int handle) { return (static_cast<unsigned>(handle) >> shift) & mask; };
#define MORGANA_HANDLE(object, mpichs, fortrans) \
  if (number == (fortrans) && kind_of(kind) == kind_of(static_cast<int>(mpichs))) return &object;
#include "pvmshim/mpi/openmpi/predefined.def"
#undef MORGANA_HANDLE
  return from_mpich(number);
}

Handle* null_message() {
  return &ompi_message_null;
}
Handle* no_process_message() {
  return &ompi_message_no_proc;
}
Handle* null_file() {
  return &ompi_mpi_file_null;
}

}  // namespace morgana::openmpi
