#include "pvmshim/mpi/stand_in/constants.h"

#include "pvmshim/mpi/stand_in/abi/kinds.h"
#include "pvmshim/mpi/stand_in/abi/tables.h"

namespace morgana::stand_in {

int tag_to_mpich(int tag) {
  if (tag == any_tag) return MPI_ANY_TAG;
  return tag < 0 ? no_constant : tag;
}
int tag_from_mpich(int tag) {
  return tag == MPI_ANY_TAG ? any_tag : tag;
}

int thread_level_to_mpich(int level) {
  return from_first(thread_levels, level, no_constant);
}
int thread_level_from_mpich(int level) {
  return from_second(thread_levels, level, level);
}

int comparison_from_mpich(int comparison) {
  return from_second(comparisons, comparison, comparison);
}

int file_mode_to_mpich(int mode) {
  return bits_from_first(file_modes, mode);
}
int file_mode_from_mpich(int mode) {
  int found = 0;
  for (const auto& [theirs, ours] : file_modes)
    if ((mode & ours) != 0) found |= theirs;
  return found;
}

int whence_to_mpich(int whence) {
  return from_first(seeks, whence, no_constant);
}

}  // namespace morgana::stand_in
