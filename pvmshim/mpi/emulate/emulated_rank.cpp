#include "pvmshim/mpi/emulate/emulated_rank.h"

#include <cassert>

#include "pvmshim/mpi/emulate/arguments.h"
#include "pvmshim/mpi/real_mpi.h"

namespace morgana::mpi::emulated {
namespace {

EmulatedRank* this_rank = nullptr;

int tag_limit() {
  int* limit = nullptr;
  int given = 0;
  real().MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &limit, &given);
  return given != 0 ? *limit : 32767;
}

}  // namespace

EmulatedRank::EmulatedRank(const std::string& channel, Rank rank)
    : live(channel, rank),
      foreseen(live.channel()),
      remote_memory(channel),
      highest_tag(tag_limit()),
      scratch(make_scratch_communicator()) {}

EmulatedRank& me() {
  assert(this_rank != nullptr);
  return *this_rank;
}

void become(EmulatedRank& rank) {
  this_rank = &rank;
}

}  // namespace morgana::mpi::emulated
