#include "pvmshim/mpi/stand_in/handles.h"

#include <array>
#include <atomic>
#include <cstddef>
#include <mutex>
#include <unordered_map>

using morgana::stand_in::Handle;

// The program's handles are the addresses of these. References from here go through the global offset table,
// as the program's do: where a program has taken a copy of an object, both mean the copy.
#define MORGANA_SHOWN __attribute__((visibility("default")))
extern "C" {
#define MORGANA_HANDLE(object, handle, number) \
  extern MORGANA_SHOWN Handle object;          \
  Handle object{static_cast<int>(handle), number};
#include "pvmshim/mpi/stand_in/openmpi/predefined.def"
#undef MORGANA_HANDLE
extern MORGANA_SHOWN Handle ompi_message_null, ompi_message_no_proc, ompi_mpi_file_null;
Handle ompi_message_null{static_cast<int>(MPI_MESSAGE_NULL), 0};
Handle ompi_message_no_proc{static_cast<int>(MPI_MESSAGE_NO_PROC), 1};
Handle ompi_mpi_file_null{0, 0};
}
#undef MORGANA_SHOWN

namespace morgana::stand_in {
namespace {

/// The objects by MPICH's handles. A look-up of a handle that was asked for before is one comparison.
class Objects {
 public:
  Objects() {
#define MORGANA_HANDLE(object, handle, number) objects_.emplace(static_cast<int>(handle), &object);
#include "pvmshim/mpi/stand_in/openmpi/predefined.def"
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

  void replace(Handle* object, std::intptr_t value) {
    const std::lock_guard lock(changing_);
    objects_.erase(object->mpich);
    recent_[place_of(object->mpich)].store(nullptr, std::memory_order_release);
    object->mpich = value;
    objects_[value] = object;
    recent_[place_of(value)].store(nullptr, std::memory_order_release);
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

void replace_mpichs(Handle* handle, std::intptr_t value) {
  objects().replace(handle, value);
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
  if (handle == nullptr) return -1;
  return handle->fortran >= 0 ? handle->fortran : static_cast<int>(handle->mpich);
}

namespace {

/// Predefined handles by their kind and their number in Fortran.
class ByNumber {
 public:
  ByNumber() {
#define MORGANA_HANDLE(object, mpichs, number) note(static_cast<int>(mpichs), number, &object);
#include "pvmshim/mpi/stand_in/openmpi/predefined.def"
#undef MORGANA_HANDLE
  }
  /// Null if there is none.
  Handle* of(int kind, int number) const {
    return number < 0 || number >= numbers ? nullptr
                                           : handles_[place_of(kind)][static_cast<unsigned>(number)];
  }

 private:
  static constexpr int numbers = 80;
  // MPICH's numbers hold the kind in these bits.
  static constexpr unsigned shift = 26, kinds = 16;
  static unsigned place_of(int handle) {
    return (static_cast<unsigned>(handle) >> shift) % kinds;
  }
  void note(int mpichs, int number, Handle* object) {
    if (number >= 0) handles_[place_of(mpichs)][static_cast<unsigned>(number)] = object;
  }

  std::array<std::array<Handle*, numbers>, kinds> handles_{};
};

}  // namespace

Handle* from_fortran(int kind, int number) {
  static const ByNumber predefined;
  Handle* const found = predefined.of(kind, number);
  return found != nullptr ? found : from_mpich(number);
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

}  // namespace morgana::stand_in
