#pragma once

#include <cstddef>

namespace morgana::stand_in {

/// MPI_Status as programs built for Open MPI have it.
struct Status {
  int source;
  int tag;
  int error;
  int is_cancelled;
  std::size_t bytes;
};
static_assert(sizeof(Status) == 24);

}  // namespace morgana::stand_in
