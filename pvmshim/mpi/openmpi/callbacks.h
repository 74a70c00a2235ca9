#pragma once

#include <mpi.h>

#include "pvmshim/mpi/openmpi/handles.h"
#include "pvmshim/mpi/openmpi/status.h"

namespace morgana::openmpi {

// The functions of the program that MPI calls, as a program built for Open MPI defines them.
using UserFunction = void(void* in, void* in_and_out, int* length, Handle** type);
using CopyAttribute = int(Handle* object, int keyval, void* extra, void* value, void* copy, int* flag);
using DeleteAttribute = int(Handle* object, int keyval, void* value, void* extra);
using HandleError = void(Handle** object, int* code, ...);
using GrequestQuery = int(void* extra, Status* status);
using GrequestFree = int(void* extra);
using GrequestCancel = int(void* extra, int completed);
using ConvertData = int(void* user, Handle* type, int count, void* file, MPI_Offset position, void* extra);
using ExtentOfData = int(Handle* type, MPI_Aint* extent, void* extra);

// The same in Fortran, whose handles are integers.
using FortranFunction = void(void* in, void* in_and_out, int* length, int* type);
using HandleFortranError = void(int* object, int* code);

// For calls that give MPICH no word along with the function: a function of ours that calls this one of the
// program's. There are so many for each kind as a program may use different functions; one more ends the
// process by name.
MPI_User_function* operator_for(UserFunction* function);
MPI_Comm_errhandler_function* communicator_handler_for(HandleError* function);
MPI_Win_errhandler_function* window_handler_for(HandleError* function);
MPI_File_errhandler_function* file_handler_for(HandleError* function);

MPI_User_function* fortran_operator_for(FortranFunction* function);
MPI_Comm_errhandler_function* fortran_communicator_handler_for(HandleFortranError* function);
MPI_Win_errhandler_function* fortran_window_handler_for(HandleFortranError* function);
MPI_File_errhandler_function* fortran_file_handler_for(HandleFortranError* function);

/// Functions in C++ are known to libmpi_cxx.so.40, which calls them with C++'s objects.
MPI_User_function* cxx_operator_for(void* function);
MPI_Comm_errhandler_function* cxx_communicator_handler_for(void* function);
MPI_Win_errhandler_function* cxx_window_handler_for(void* function);
MPI_File_errhandler_function* cxx_file_handler_for(void* function);

}  // namespace morgana::openmpi
