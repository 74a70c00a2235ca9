#include "pvmshim/mpi/communicator_names.h"

#include "pvmshim/mpi/real_mpi.h"

namespace morgana::mpi {

std::string given_name(MPI_Comm comm) {
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = 0;
  static const auto get_name =
      reinterpret_cast<decltype(&PMPI_Comm_get_name)>(mpichs_function("PMPI_Comm_get_name"));
  if (get_name == nullptr || get_name(comm, name, &length) != MPI_SUCCESS || length <= 0) return {};
  return {name, static_cast<std::size_t>(length)};
}

std::string in_its_own_name(MPI_Comm comm) {
  const std::string name = given_name(comm);
  if (name.empty() || name == "MPI_COMM_WORLD" || name == "MPI_COMM_SELF") return {};
  return " (communicator \"" + name + "\")";
}

}  // namespace morgana::mpi
