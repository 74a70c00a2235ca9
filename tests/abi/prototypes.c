// What the stand-in's table of calls is in C: run through the preprocessor alone, this is the part of mpi.h
// that declares functions. The kinds of parameters become the types that the standard gives them.
#define MORGANA_STANDARD_ABI 1
#define MORGANA_WITHOUT_PROFILING(result, name, ...) result name(__VA_ARGS__);
#define MORGANA_PROTOTYPE(result, name, ...)                         \
  MORGANA_WITHOUT_PROFILING(result, name, MORGANA_LIST(__VA_ARGS__)) \
  MORGANA_WITHOUT_PROFILING(result, P##name, MORGANA_LIST(__VA_ARGS__))
#define MORGANA_LIST(...) MORGANA_VOID_IF_EMPTY##__VA_OPT__(_NOT)(__VA_ARGS__)
#define MORGANA_VOID_IF_EMPTY(...) void
#define MORGANA_VOID_IF_EMPTY_NOT(...) __VA_ARGS__
#define MORGANA_CALL(name, ...) MORGANA_PROTOTYPE(int, name, __VA_ARGS__)
#define MORGANA_CALL_GIVING(result, name, ...) MORGANA_PROTOTYPE(result, name, __VA_ARGS__)
#define MORGANA_CALL_AS(name, other, ...) MORGANA_PROTOTYPE(int, name, __VA_ARGS__)
#define MORGANA_BY_HAND(name, result, ...) MORGANA_PROTOTYPE(result, name, __VA_ARGS__)
#define MORGANA_ALONE(name, result, ...) MORGANA_PROTOTYPE(result, name, __VA_ARGS__)

#define Comm MPI_Comm
#define CommOut MPI_Comm*
#define CommInOut MPI_Comm*
#define CommPlace MPI_Comm*
#define CommGiven MPI_Comm
#define Type MPI_Datatype
#define TypeOut MPI_Datatype*
#define TypeInOut MPI_Datatype*
#define TypeList const MPI_Datatype*
#define TypePlaces MPI_Datatype*
#define TypeGiven MPI_Datatype
#define Group MPI_Group
#define GroupOut MPI_Group*
#define GroupInOut MPI_Group*
#define GroupGiven MPI_Group
#define Op MPI_Op
#define OpInOut MPI_Op*
#define OpPlace MPI_Op*
#define OpGiven MPI_Op
#define Request MPI_Request
#define RequestOut MPI_Request*
#define RequestInOut MPI_Request*
#define RequestPlace MPI_Request*
#define RequestList MPI_Request*
#define RequestGiven MPI_Request
#define Handler MPI_Errhandler
#define HandlerOut MPI_Errhandler*
#define HandlerInOut MPI_Errhandler*
#define HandlerPlace MPI_Errhandler*
#define HandlerGiven MPI_Errhandler
#define Info MPI_Info
#define InfoOut MPI_Info*
#define InfoInOut MPI_Info*
#define InfoList const MPI_Info*
#define InfoGiven MPI_Info
#define Win MPI_Win
#define WinOut MPI_Win*
#define WinInOut MPI_Win*
#define WinGiven MPI_Win
#define Session MPI_Session
#define SessionOut MPI_Session*
#define SessionInOut MPI_Session*
#define SessionGiven MPI_Session
#define Message MPI_Message
#define MessageOut MPI_Message*
#define MessageInOut MPI_Message*
#define MessagePlace MPI_Message*
#define MessageGiven MPI_Message
#define File MPI_File
#define FileOut MPI_File*
#define FileInOut MPI_File*
#define FileGiven MPI_File
#define Status MPI_Status
#define StatusIn const MPI_Status*
#define StatusOut MPI_Status*
#define StatusInOut MPI_Status*
#define Buffer const void*
#define BsendBuffer void*
#define Weights const int*
#define Triple MPI_Range_of_ranks
#define Rank int
#define RankOut int*
#define Tag int
#define Code int
#define CodeOut int*
#define Keyval int
#define KeyvalInOut int*
#define Assertions int
#define Lock int
#define SplitType int
#define TypeClass int
#define Order int
#define TopologyOut int*
#define CombinerOut int*
#define ComparisonOut int*
#define ThreadLevel int
#define ThreadLevelOut int*
#define FileMode int
#define FileModeOut int*
#define Whence int
#define Displacement MPI_Offset
#define ItemsOfPartition MPI_Count
#define UserFunction MPI_User_function
#define LargeUserFunction MPI_User_function_c
#define CommCopyAttribute MPI_Comm_copy_attr_function
#define CommDeleteAttribute MPI_Comm_delete_attr_function
#define TypeCopyAttribute MPI_Type_copy_attr_function
#define TypeDeleteAttribute MPI_Type_delete_attr_function
#define WinCopyAttribute MPI_Win_copy_attr_function
#define WinDeleteAttribute MPI_Win_delete_attr_function
#define CommHandleError MPI_Comm_errhandler_function
#define WinHandleError MPI_Win_errhandler_function
#define FileHandleError MPI_File_errhandler_function
#define SessionHandleError MPI_Session_errhandler_function
#define GrequestQuery MPI_Grequest_query_function
#define GrequestFree MPI_Grequest_free_function
#define GrequestCancel MPI_Grequest_cancel_function
#define ConvertData MPI_Datarep_conversion_function
#define LargeConvertData MPI_Datarep_conversion_function_c
#define ExtentOfData MPI_Datarep_extent_function
#include "pvmshim/mpi/stand_in/calls.def"
