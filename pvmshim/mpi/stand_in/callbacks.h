#pragma once

#include <mpi.h>

#include "pvmshim/mpi/stand_in/handles.h"
#include "pvmshim/mpi/stand_in/status.h"

namespace morgana::stand_in {

// The functions of the program that MPI calls, as the program defines them.
using UserFunction = void(void* in, void* in_and_out, int* length, Handle** type);
using LargeUserFunction = void(void* in, void* in_and_out, MPI_Count* length, Handle** type);
using CopyAttribute = int(Handle* object, int keyval, void* extra, void* value, void* copy, int* flag);
using DeleteAttribute = int(Handle* object, int keyval, void* value, void* extra);
using HandleError = void(Handle** object, int* code, ...);
using GrequestQuery = int(void* extra, Status* status);
using GrequestFree = int(void* extra);
using GrequestCancel = int(void* extra, int completed);
using ConvertData = int(void* user, Handle* type, int count, void* file, MPI_Offset position, void* extra);
using LargeConvertData = int(void* user, Handle* type, MPI_Count count, void* file, MPI_Offset position,
                             void* extra);
using ExtentOfData = int(Handle* type, MPI_Aint* extent, void* extra);

// The table's names for them say more than their types.
using CommCopyAttribute = CopyAttribute;
using CommDeleteAttribute = DeleteAttribute;
using TypeCopyAttribute = CopyAttribute;
using TypeDeleteAttribute = DeleteAttribute;
using WinCopyAttribute = CopyAttribute;
using WinDeleteAttribute = DeleteAttribute;
using CommHandleError = HandleError;
using WinHandleError = HandleError;
using FileHandleError = HandleError;
using SessionHandleError = HandleError;

// For calls that give MPICH no word along with the function: a function of ours that calls this one of the
// program's. There are so many for each kind as a program may use different functions; one more ends the
// process by name.
MPI_User_function* operator_for(UserFunction* function);
MPI_User_function_c* large_operator_for(LargeUserFunction* function);
MPI_Comm_errhandler_function* communicator_handler_for(HandleError* function);
MPI_Win_errhandler_function* window_handler_for(HandleError* function);
MPI_File_errhandler_function* file_handler_for(HandleError* function);
MPI_Session_errhandler_function* session_handler_for(HandleError* function);

}  // namespace morgana::stand_in
