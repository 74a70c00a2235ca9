// The calls that the standard's interface has and Open MPI's 4 and 5 lack: queries of the ABI, handles as
// integers, parts of statuses.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <string>
#include <vector>

#include "pvmshim/mpi/stand_in/by_hand.h"

namespace morgana::stand_in::by_hand {
namespace {

/// What a program has said of its Fortran compiler, once.
struct OfFortran {
  std::mutex changing;
  MPI_Info info = MPI_INFO_NULL;
  int logical_size = 0;
  std::array<unsigned char, 16> truth{}, falsehood{};  // LOGICAL(16) is the longest
};

OfFortran& of_fortran() {
  static OfFortran& all = *new OfFortran;  // calls may come until the process has ended
  return all;
}

/// Files that the program has asked for as integers, which to MPICH are pointers. A file that is opened in
/// the place of a closed one has its number.
struct FileNumbers {
  std::mutex changing;
  std::vector<MPI_File> files;
};

FileNumbers& file_numbers() {
  static FileNumbers& all = *new FileNumbers;
  return all;
}

/// Gives the program a copy of its own.
int duplicate_info(MPI_Info info, Handle** made) {
  MPI_Info copy = MPI_INFO_NULL;
  const int result = targets().MPI_Info_dup(info, &copy);
  if (result == MPI_SUCCESS) *made = from_mpich(copy);
  return error_from_mpich(result);
}

}  // namespace

int MPI_Abi_get_version(int* version, int* subversion) {
  *version = abi_version;
  *subversion = abi_subversion;
  return MPI_SUCCESS;
}

int MPI_Abi_get_info(InfoOut info) {
  MPI_Info made = MPI_INFO_NULL;
  int result = targets().MPI_Info_create(&made);
  const auto add = [&](const char* key, std::size_t bytes) {
    if (result == MPI_SUCCESS) result = targets().MPI_Info_set(made, key, std::to_string(bytes).c_str());
  };
  add("mpi_aint_size", sizeof(MPI_Aint));
  add("mpi_count_size", sizeof(MPI_Count));
  add("mpi_offset_size", sizeof(MPI_Offset));
  if (result == MPI_SUCCESS) *info.given = from_mpich(made);
  return error_from_mpich(result);
}

int MPI_Abi_get_fortran_info(InfoOut info) {
  OfFortran& known = of_fortran();
  const std::lock_guard lock(known.changing);
  if (known.info != MPI_INFO_NULL) return duplicate_info(known.info, info.given);
  *info.given = from_mpich(MPI_INFO_NULL);
  return MPI_SUCCESS;
}

int MPI_Abi_set_fortran_info(Info info) {
  OfFortran& known = of_fortran();
  const std::lock_guard lock(known.changing);
  if (known.info != MPI_INFO_NULL) return error_of_abi;
  return error_from_mpich(targets().MPI_Info_dup(to_mpich<MPI_Info>(info.given), &known.info));
}

int MPI_Abi_get_fortran_booleans(int size, void* truth, void* falsehood, int* is_set) {
  OfFortran& known = of_fortran();
  const std::lock_guard lock(known.changing);
  *is_set = static_cast<int>(known.logical_size != 0 && known.logical_size == size);
  if (*is_set == 0) return MPI_SUCCESS;
  std::memcpy(truth, known.truth.data(), static_cast<std::size_t>(size));
  std::memcpy(falsehood, known.falsehood.data(), static_cast<std::size_t>(size));
  return MPI_SUCCESS;
}

int MPI_Abi_set_fortran_booleans(int size, void* truth, void* falsehood) {
  constexpr std::array sizes{1, 2, 4, 8, 16};
  OfFortran& known = of_fortran();
  const std::lock_guard lock(known.changing);
  if (known.logical_size != 0) return error_of_abi;
  if (std::find(sizes.begin(), sizes.end(), size) == sizes.end()) return error_from_mpich(MPI_ERR_ARG);
  known.logical_size = size;
  std::memcpy(known.truth.data(), truth, static_cast<std::size_t>(size));
  std::memcpy(known.falsehood.data(), falsehood, static_cast<std::size_t>(size));
  return MPI_SUCCESS;
}

// The standard's numbers of predefined handles are below those of MPICH's, which are integers but for files.
#define MORGANA_INTEGER(kind, parameter)                                             \
  int MPI_##kind##_toint(parameter handle) {                                         \
    return static_cast<int>(reinterpret_cast<std::uintptr_t>(handle.given));         \
  }                                                                                  \
  Handle* MPI_##kind##_fromint(int number) {                                         \
    return reinterpret_cast<Handle*>(std::uintptr_t{static_cast<unsigned>(number)}); \
  }
MORGANA_INTEGER(Comm, Comm)
MORGANA_INTEGER(Type, Type)
MORGANA_INTEGER(Group, Group)
MORGANA_INTEGER(Op, Op)
MORGANA_INTEGER(Request, Request)
MORGANA_INTEGER(Errhandler, Handler)
MORGANA_INTEGER(Info, Info)
MORGANA_INTEGER(Win, Win)
MORGANA_INTEGER(Session, Session)
MORGANA_INTEGER(Message, Message)
#undef MORGANA_INTEGER

int MPI_File_toint(File file) {
  const auto ours = to_mpich<MPI_File>(file.given);
  if (ours == MPI_FILE_NULL) return null_file_number;
  FileNumbers& known = file_numbers();
  const std::lock_guard lock(known.changing);
  const auto found = std::find(known.files.begin(), known.files.end(), ours);
  const auto place = static_cast<int>(found - known.files.begin());
  if (found == known.files.end()) known.files.push_back(ours);
  return first_file_number + place;
}
Handle* MPI_File_fromint(int number) {
  FileNumbers& known = file_numbers();
  const std::lock_guard lock(known.changing);
  const auto place = static_cast<std::size_t>(number - first_file_number);
  return file_from_mpich(place < known.files.size() ? known.files[place] : MPI_FILE_NULL);
}

int MPI_Status_get_source(const Status* status, int* source) {
  *source = status->source;
  return MPI_SUCCESS;
}
int MPI_Status_get_tag(const Status* status, int* tag) {
  *tag = status->tag;
  return MPI_SUCCESS;
}
int MPI_Status_get_error(const Status* status, int* error) {
  *error = status->error;
  return MPI_SUCCESS;
}
int MPI_Status_set_source(Status* status, int source) {
  status->source = source;
  return MPI_SUCCESS;
}
int MPI_Status_set_tag(Status* status, int tag) {
  status->tag = tag;
  return MPI_SUCCESS;
}
int MPI_Status_set_error(Status* status, int error) {
  status->error = error;
  return MPI_SUCCESS;
}

int MPI_Type_get_value_index(Type value, Type index, TypeOut pair) {
  struct Known {
    MPI_Datatype value, pair;
  };
  constexpr std::array<Known, 6> with_int{{{MPI_FLOAT, MPI_FLOAT_INT},
                                           {MPI_DOUBLE, MPI_DOUBLE_INT},
                                           {MPI_LONG, MPI_LONG_INT},
                                           {MPI_INT, MPI_2INT},
                                           {MPI_SHORT, MPI_SHORT_INT},
                                           {MPI_LONG_DOUBLE, MPI_LONG_DOUBLE_INT}}};
  const auto of = to_mpich<MPI_Datatype>(value.given);
  MPI_Datatype found = MPI_DATATYPE_NULL;
  if (to_mpich<MPI_Datatype>(index.given) == MPI_INT)
    for (const Known& one : with_int)
      if (one.value == of) found = one.pair;
  *pair.given = from_mpich(found);
  return MPI_SUCCESS;
}

}  // namespace morgana::stand_in::by_hand
