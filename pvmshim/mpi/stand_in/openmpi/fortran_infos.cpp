// Fortran's calls that read an MPI_Info. Open MPI 5 has them read the object. A text's length is the last
// argument, where the compiler puts it; texts end with blanks.

#include <algorithm>
#include <string>

#include "pvmshim/mpi/stand_in/openmpi/fortran.h"

namespace morgana::stand_in::fortran {
namespace {

MPI_Info info_of(Integer number) {
  return to_mpich<MPI_Info>(by_hand::MPI_Info_f2c(number));
}

std::string text_of(const char* field, int length) {
  const std::string text(field, static_cast<std::size_t>(std::max(length, 0)));
  const std::size_t first = std::min(text.find_first_not_of(' '), text.size());
  return text.substr(first, text.find_last_not_of(' ') + 1 - first);
}

void give_text(const std::string& text, char* field, int length) {
  const auto size = static_cast<std::size_t>(std::max(length, 0));
  const std::size_t taken = std::min(text.size(), size);
  std::fill_n(std::copy_n(text.data(), taken, field), size - taken, ' ');
}

}  // namespace

/// A longer value is cut off; to MPICH it would be an error.
MORGANA_ENTRY_POINT(info_get, Integer* info, const char* key, Integer* most, char* value, Logical* flag,
                    Integer* error, int key_length, int value_length) {
  const std::string name = text_of(key, key_length);
  int whole = 0;
  int result = targets().MPI_Info_get_valuelen(info_of(*info), name.c_str(), &whole, flag);
  if (result == MPI_SUCCESS && *flag != 0) {
    std::string found(static_cast<std::size_t>(whole) + 1, '\0');
    result = targets().MPI_Info_get(info_of(*info), name.c_str(), whole, found.data(), flag);
    found.resize(static_cast<std::size_t>(std::max(0, std::min(whole, *most))));
    if (result == MPI_SUCCESS) give_text(found, value, value_length);
  }
  *error = error_from_mpich(result);
}

/// The length that is asked for and given back counts no zero at the end, as C's does.
MORGANA_ENTRY_POINT(info_get_string, Integer* info, const char* key, Integer* size, char* value,
                    Logical* flag, Integer* error, int key_length, int value_length) {
  const int taken = std::max(0, std::min(*size, value_length));
  std::string found(static_cast<std::size_t>(taken) + 1, '\0');
  int whole = *size == 0 ? 0 : taken + 1;
  const int result = targets().MPI_Info_get_string(info_of(*info), text_of(key, key_length).c_str(), &whole,
                                                   found.data(), flag);
  if (result == MPI_SUCCESS && *flag != 0) {
    if (*size != 0) give_text(found.c_str(), value, value_length);
    *size = whole - 1;
  }
  *error = error_from_mpich(result);
}

MORGANA_ENTRY_POINT(info_get_valuelen, Integer* info, const char* key, Integer* size, Logical* flag,
                    Integer* error, int key_length) {
  *error = error_from_mpich(
      targets().MPI_Info_get_valuelen(info_of(*info), text_of(key, key_length).c_str(), size, flag));
}

MORGANA_ENTRY_POINT(info_get_nthkey, Integer* info, Integer* number, char* key, Integer* error,
                    int key_length) {
  std::string found(MPI_MAX_INFO_KEY + 1, '\0');
  const int result = targets().MPI_Info_get_nthkey(info_of(*info), *number, found.data());
  if (result == MPI_SUCCESS) give_text(found.c_str(), key, key_length);
  *error = error_from_mpich(result);
}

}  // namespace morgana::stand_in::fortran
