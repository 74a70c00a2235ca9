#include "pvmshim/mpi/refusal.h"

#include <cstdio>
#include <functional>
#include <set>
#include <string>

#include "pvmshim/mpi/mode.h"
#include "pvmshim/mpi/real_mpi.h"

namespace morgana::mpi {

void refuse(std::string_view call, std::string_view how) {
  std::string what(call);
  if (!how.empty()) what.append(" ").append(how);
  fail(what + " is not supported in an emulated run");
}

void refuse_or_note(std::string_view call) {
  if (mode() == Mode::emulate) refuse(call, "");
  if (!running()) return;
  static std::set<std::string, std::less<>> noted;
  int rank = -1;
  real().MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (rank != 0 || !noted.emplace(call).second) return;
  std::fprintf(stderr, "morgana: %s is not recorded: what it sends is missing from the trace\n",
               std::string(call).c_str());
}

}  // namespace morgana::mpi
