#include "pvmshim/mpi/stand_in/handles.h"

#include "pvmshim/mpi/stand_in/abi/values.h"

namespace morgana::stand_in {
namespace {

/// Numbers of the standard and MPICH's handles for them.
struct Predefined {
  unsigned number;
  int mpich;
};
constexpr std::array predefined{
#define MORGANA_HANDLE(number, name, mpich) Predefined{number, static_cast<int>(mpich)},
#include "pvmshim/mpi/stand_in/abi/predefined.def"
#undef MORGANA_HANDLE
};

constexpr std::array<std::intptr_t, predefined_handles> numbered() {
  std::array<std::intptr_t, predefined_handles> all{};
  for (const Predefined& one : predefined) all[one.number] = one.mpich;
  return all;
}

/// The standard's numbers by MPICH's handles: a table with open addressing, half of which is empty.
constexpr std::size_t places = 256;
static_assert(2 * predefined.size() <= places);

/// MPICH has a handle's kind in the upper bits, a datatype's size in the middle and a count in the lower
/// ones.
constexpr std::size_t place_of(int mpich) {
  const auto bits = static_cast<unsigned>(mpich);
  return (bits ^ (bits >> 23)) % places;
}

constexpr std::array<Predefined, places> by_mpich() {
  std::array<Predefined, places> all{};
  for (const Predefined& one : predefined) {
    std::size_t place = place_of(one.mpich);
    while (all[place].number != 0 && all[place].mpich != one.mpich) place = (place + 1) % places;
    if (all[place].number == 0) all[place] = one;
  }
  return all;
}
constexpr std::array<Predefined, places> numbers = by_mpich();

constexpr std::uintptr_t null_message = 0x128, no_process_message = 0x129;

Handle* handle(std::uintptr_t number) {
  return reinterpret_cast<Handle*>(number);
}

}  // namespace

constexpr std::array<std::intptr_t, predefined_handles> mpichs_predefined = numbered();

Handle* from_mpich(std::intptr_t value) {
  const int mpich = static_cast<int>(value);
  for (std::size_t place = place_of(mpich); numbers[place].number != 0; place = (place + 1) % places)
    if (numbers[place].mpich == mpich) return handle(numbers[place].number);
  return handle(static_cast<std::uint32_t>(mpich));
}

Handle* message_from_mpich(MPI_Message message) {
  if (message == MPI_MESSAGE_NULL) return handle(null_message);
  if (message == MPI_MESSAGE_NO_PROC) return handle(no_process_message);
  return handle(static_cast<std::uint32_t>(message));
}

void forget_message(Handle*) {}

Handle* file_from_mpich(MPI_File file) {
  return file == MPI_FILE_NULL ? handle(null_file_number) : std::bit_cast<Handle*>(file);
}

}  // namespace morgana::stand_in
