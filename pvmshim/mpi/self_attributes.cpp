#include "pvmshim/mpi/self_attributes.h"

#include <algorithm>
#include <vector>

#include "pvmshim/mpi/real_mpi.h"

namespace morgana::mpi {
namespace {

/// In the order in which they were set first.
std::vector<int>& keyvals() {
  static std::vector<int> of_self;
  return of_self;
}

}  // namespace

int set_attribute(MPI_Comm comm, int keyval, void* value) {
  const int result = real().MPI_Comm_set_attr(comm, keyval, value);
  if (result != MPI_SUCCESS || comm != MPI_COMM_SELF) return result;
  if (std::ranges::find(keyvals(), keyval) == keyvals().end()) keyvals().push_back(keyval);
  return result;
}

int delete_attribute(MPI_Comm comm, int keyval) {
  const int result = real().MPI_Comm_delete_attr(comm, keyval);
  if (result == MPI_SUCCESS && comm == MPI_COMM_SELF) std::erase(keyvals(), keyval);
  return result;
}

void delete_self_attributes() {
  while (!keyvals().empty()) {
    const int keyval = keyvals().back();
    keyvals().pop_back();
    real().MPI_Comm_delete_attr(MPI_COMM_SELF, keyval);
  }
}

}  // namespace morgana::mpi
