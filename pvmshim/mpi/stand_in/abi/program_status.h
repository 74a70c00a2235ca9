#pragma once

#include <cstddef>

namespace morgana::stand_in {

/// MPI_Status of the standard ABI: eight integers, of which the last five are the library's. A program's may
/// lie wherever an int may.
struct [[gnu::packed, gnu::aligned(alignof(int))]] Status {
  int source;
  int tag;
  int error;
  int is_cancelled;
  std::size_t bytes;
  int unused[2];
};
static_assert(sizeof(Status) == 32 && alignof(Status) == alignof(int));

}  // namespace morgana::stand_in
