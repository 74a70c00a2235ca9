#pragma once

#include <mpi.h>

#include "pvmshim/mpi/collective_form.h"
#include "pvmshim/mpi/list_view.h"

#define MORGANA_LIST(...) __VA_ARGS__

/// Carried out by MPICH alone.
namespace morgana::mpi::by_mpich {
#define MORGANA_COLLECTIVE(name, nonblocking, parameters, arguments) \
  int name(const Form& form, MORGANA_LIST parameters);
#include "pvmshim/mpi/collectives.def"
#undef MORGANA_COLLECTIVE
}  // namespace morgana::mpi::by_mpich

// The program's three calls of each collective are one function with a form.
#define MORGANA_COLLECTIVE(name, nonblocking, parameters, arguments)                     \
  int name(const Form& form, MORGANA_LIST parameters);                                   \
  inline int name parameters {                                                           \
    return name(Form(Call::MPI_##name), MORGANA_LIST arguments);                         \
  }                                                                                      \
  inline int nonblocking(MORGANA_LIST parameters, MPI_Request* request) {                \
    return name(Form(Call::MPI_##nonblocking, request), MORGANA_LIST arguments);         \
  }                                                                                      \
  inline int name##_init(MORGANA_LIST parameters, MPI_Info info, MPI_Request* request) { \
    return name(Form(Call::MPI_##name##_init, info, request), MORGANA_LIST arguments);   \
  }

/// Carried out by the emulator, through the channel.
namespace morgana::mpi::emulated {
#include "pvmshim/mpi/implementations.def"
}  // namespace morgana::mpi::emulated

/// Carried out by MPICH, and recorded.
namespace morgana::mpi::captured {
#include "pvmshim/mpi/implementations.def"
}  // namespace morgana::mpi::captured

#undef MORGANA_COLLECTIVE
#undef MORGANA_LIST
