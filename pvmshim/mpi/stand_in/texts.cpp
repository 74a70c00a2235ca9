// Calls with texts of bounded length, and of the environment.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <string>
#include <string_view>

#include "pvmshim/mpi/stand_in/by_hand.h"

namespace morgana::stand_in::by_hand {
namespace {

/// Room for the longest text of MPICH's.
using Text = std::array<char, 8192>;

/// Gives the program as much of a text as it has room for.
/// @param room  the zero at the end counted
void give_text(std::string_view text, std::size_t room, char* to, int* length) {
  const std::size_t given = std::min(text.size(), room - 1);
  std::memcpy(to, text.data(), given);
  to[given] = '\0';
  if (length != nullptr) *length = static_cast<int>(given);
}

/// @param get  given a Text's characters and where the length goes
template <typename Get>
int get_text(Get get, std::size_t room, char* to, int* length) {
  Text text{};
  int whole = 0;
  const int result = get(text.data(), &whole);
  if (result == MPI_SUCCESS) give_text(text.data(), room, to, length);
  return error_from_mpich(result);
}

}  // namespace

int MPI_Comm_get_name(Comm comm, char* name, int* length) {
  return get_text(
      [&](char* text, int* size) {
        return targets().MPI_Comm_get_name(to_mpich<MPI_Comm>(comm.given), text, size);
      },
      longest_object_name, name, length);
}
int MPI_Type_get_name(Type type, char* name, int* length) {
  return get_text(
      [&](char* text, int* size) {
        return targets().MPI_Type_get_name(to_mpich<MPI_Datatype>(type.given), text, size);
      },
      longest_object_name, name, length);
}
int MPI_Win_get_name(Win win, char* name, int* length) {
  return get_text(
      [&](char* text, int* size) {
        return targets().MPI_Win_get_name(to_mpich<MPI_Win>(win.given), text, size);
      },
      longest_object_name, name, length);
}
int MPI_Error_string(Code code, char* text, int* length) {
  return get_text(
      [&](char* whole, int* size) {
        return targets().MPI_Error_string(error_to_mpich(code.given), whole, size);
      },
      longest_error_text, text, length);
}
int MPI_Info_get_nthkey(Info info, int number, char* key) {
  return get_text(
      [&](char* whole, int*) {
        return targets().MPI_Info_get_nthkey(to_mpich<MPI_Info>(info.given), number, whole);
      },
      longest_info_key, key, nullptr);
}

int MPI_Get_version(int* version, int* subversion) {
  *version = mpi_version;
  *subversion = mpi_subversion;
  return MPI_SUCCESS;
}

int MPI_Get_library_version(char* text, int* length) {
  Text whole{};
  int size = 0;
  std::string version = library_version;
  if (targets().MPI_Get_library_version(whole.data(), &size) == MPI_SUCCESS) {
    constexpr std::string_view label = "MPICH Version:";
    const std::string_view mpichs(whole.data());
    if (mpichs.starts_with(label)) {
      std::string_view number = mpichs.substr(label.size());
      number.remove_prefix(std::min(number.find_first_not_of(" \t"), number.size()));
      version.append(" ").append(number.substr(0, number.find_first_of(" \t\n")));
    }
  }
  give_text(version, longest_library_version, text, length);
  return MPI_SUCCESS;
}

int MPI_Pcontrol(int) {
  return MPI_SUCCESS;
}

int MPI_Group_translate_ranks(Group group, int count, const int* ranks, Group other, int* found) {
  // MPI_PROC_NULL is one in either group, and MPI_UNDEFINED the same to both interfaces.
  std::string room(static_cast<std::size_t>(std::max(count, 0)) * sizeof(int), '\0');
  auto* const ours = reinterpret_cast<int*>(room.data());
  std::transform(ranks, ranks + std::max(count, 0), ours, rank_to_mpich);
  const int result = targets().MPI_Group_translate_ranks(to_mpich<MPI_Group>(group.given), count, ours,
                                                         to_mpich<MPI_Group>(other.given), found);
  if (result == MPI_SUCCESS) std::transform(found, found + count, found, rank_from_mpich);
  return error_from_mpich(result);
}

}  // namespace morgana::stand_in::by_hand
