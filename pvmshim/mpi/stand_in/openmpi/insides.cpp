// What Open MPI's libraries for Fortran and C++ (libmpi_mpifh.so.40, libmpi_usempif08.so.40,
// libmpi_cxx.so.40) use of libmpi.so.40 beyond MPI's functions, as its sources of 4.1 declare it. Where these
// libraries reach into objects, definitions of ours come before theirs (fortran.h, cxx.cpp), so that what
// only those would use is never called.

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "pvmshim/mpi/stand_in/openmpi/fortran.h"

using namespace morgana::stand_in;

namespace {

constexpr int out_of_resource = -2;  // OMPI_ERR_OUT_OF_RESOURCE

[[noreturn]] void end_at(const char* name) {
  end_with(
      "the stand-in for Open MPI's library does not carry out what its libraries for Fortran and C++ "
      "call by ",
      name);
}

}  // namespace

#define MORGANA_INSIDE __attribute__((visibility("default")))

extern "C" {

// Fortran's constants that are told by their addresses. A program has them in common blocks, which come
// before these.
extern MORGANA_INSIDE int mpi_fortran_bottom_, mpi_fortran_in_place_, mpi_fortran_unweighted_,
    mpi_fortran_weights_empty_, mpi_fortran_errcodes_ignore_;
extern MORGANA_INSIDE char mpi_fortran_argv_null_, mpi_fortran_argvs_null_;
extern MORGANA_INSIDE int mpi_fortran_status_ignore_[fortran::integers_of_status];
extern MORGANA_INSIDE int mpi_fortran_statuses_ignore_[fortran::integers_of_status];
int mpi_fortran_bottom_, mpi_fortran_in_place_, mpi_fortran_unweighted_, mpi_fortran_weights_empty_,
    mpi_fortran_errcodes_ignore_;
char mpi_fortran_argv_null_, mpi_fortran_argvs_null_;
int mpi_fortran_status_ignore_[fortran::integers_of_status];
int mpi_fortran_statuses_ignore_[fortran::integers_of_status];
MORGANA_INSIDE void mpi_conversion_fn_null_(char*, int*, int*, char*, MPI_Offset*, MPI_Aint*, int* error) {
  *error = MPI_SUCCESS;
}

// What C programs name of them.
extern MORGANA_INSIDE int *openmpi_status_ignore __asm__("MPI_F_STATUS_IGNORE"),
    *openmpi_statuses_ignore __asm__("MPI_F_STATUSES_IGNORE");
int* openmpi_status_ignore = mpi_fortran_status_ignore_;
int* openmpi_statuses_ignore = mpi_fortran_statuses_ignore_;

extern MORGANA_INSIDE Status ompi_status_empty;
Status ompi_status_empty{any_source, MPI_ANY_TAG, MPI_SUCCESS, 0, 0};
/// The libraries check no parameters themselves.
extern MORGANA_INSIDE bool ompi_mpi_param_check;
bool ompi_mpi_param_check = false;

// Data of the size that it has there, which only what is never called uses.
extern MORGANA_INSIDE int ompi_errcode_intern_lastused, ompi_mpi_state, ompi_instance_count;
int ompi_errcode_intern_lastused, ompi_mpi_state, ompi_instance_count;
extern MORGANA_INSIDE char ompi_errcodes_intern[0x78], ompi_registered_datareps[0x40];
char ompi_errcodes_intern[0x78], ompi_registered_datareps[0x40];

#define MORGANA_NEVER_CALLED(name) \
  MORGANA_INSIDE void name() {     \
    end_at(#name);                 \
  }
MORGANA_NEVER_CALLED(ompi_attr_create_keyval)
MORGANA_NEVER_CALLED(ompi_attr_create_keyval_aint)
MORGANA_NEVER_CALLED(ompi_attr_create_keyval_fint)
MORGANA_NEVER_CALLED(ompi_attr_get_aint)
MORGANA_NEVER_CALLED(ompi_attr_get_fint)
MORGANA_NEVER_CALLED(ompi_attr_set_aint)
MORGANA_NEVER_CALLED(ompi_attr_set_fint)
MORGANA_NEVER_CALLED(ompi_datatype_match_size)
MORGANA_NEVER_CALLED(ompi_errhandler_create)
MORGANA_NEVER_CALLED(ompi_errhandler_invoke)
MORGANA_NEVER_CALLED(ompi_mpi_errors_are_fatal_comm_handler)
MORGANA_NEVER_CALLED(ompi_info_get)
MORGANA_NEVER_CALLED(ompi_info_get_nthkey)
MORGANA_NEVER_CALLED(ompi_info_get_valuelen)
// Of MPI_Comm_spawn, which ends the run by name.
MORGANA_NEVER_CALLED(ompi_fortran_argv_blank_f2c)
MORGANA_NEVER_CALLED(ompi_fortran_argv_count_f2c)
MORGANA_NEVER_CALLED(ompi_fortran_multiple_argvs_f2c)

/// Without the blanks before and behind; the caller frees it.
MORGANA_INSIDE int ompi_fortran_string_f2c(const char* text, int length, char** made) {
  std::string_view rest(text, static_cast<std::size_t>(length > 0 ? length : 0));
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  rest.remove_suffix(rest.size() - (rest.find_last_not_of(' ') + 1));
  *made = static_cast<char*>(std::malloc(rest.size() + 1));
  if (*made == nullptr) return out_of_resource;
  std::memcpy(*made, rest.data(), rest.size());
  (*made)[rest.size()] = '\0';
  return MPI_SUCCESS;
}

/// Cut off or filled up with blanks.
MORGANA_INSIDE int ompi_fortran_string_c2f(const char* text, char* field, int length) {
  const auto size = static_cast<std::size_t>(length > 0 ? length : 0);
  const std::size_t taken = std::min(std::strlen(text), size);
  std::fill_n(std::copy_n(text, taken, field), size - taken, ' ');
  return MPI_SUCCESS;
}

// A status of the module mpi_f08 has the same words as one of mpif.h. To mpi.h its type is MPICH's.
#define MORGANA_SAME_WORDS(name)                                                      \
  MORGANA_INSIDE int copied_by_##name(const Status* from, Status* to) __asm__(#name); \
  MORGANA_INSIDE int copied_by_##name(const Status* from, Status* to) {               \
    std::memcpy(to, from, sizeof *to);                                                \
    return MPI_SUCCESS;                                                               \
  }
MORGANA_SAME_WORDS(MPI_Status_f082f)
MORGANA_SAME_WORDS(PMPI_Status_f082f)
MORGANA_SAME_WORDS(MPI_Status_f2f08)
MORGANA_SAME_WORDS(PMPI_Status_f2f08)

}  // extern "C"

bool morgana::stand_in::fortran::is_ignored(const Integer* status) {
  return status == mpi_fortran_status_ignore_ || status == mpi_fortran_statuses_ignore_;
}
