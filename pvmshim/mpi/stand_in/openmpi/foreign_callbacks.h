#pragma once

#include <mpi.h>

namespace morgana::stand_in {

// Functions of programs in Fortran, whose handles are integers.
using FortranFunction = void(void* in, void* in_and_out, int* length, int* type);
using HandleFortranError = void(int* object, int* code);

// As in callbacks.h: a function of ours that calls this one of the program's.
MPI_User_function* fortran_operator_for(FortranFunction* function);
MPI_Comm_errhandler_function* fortran_communicator_handler_for(HandleFortranError* function);
MPI_Win_errhandler_function* fortran_window_handler_for(HandleFortranError* function);
MPI_File_errhandler_function* fortran_file_handler_for(HandleFortranError* function);

/// Functions in C++ are known to libmpi_cxx.so.40, which calls them with C++'s objects.
MPI_User_function* cxx_operator_for(void* function);
MPI_Comm_errhandler_function* cxx_communicator_handler_for(void* function);
MPI_Win_errhandler_function* cxx_window_handler_for(void* function);
MPI_File_errhandler_function* cxx_file_handler_for(void* function);

}  // namespace morgana::stand_in
