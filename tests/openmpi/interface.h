// A part of Open MPI's binary interface (libmpi.so.40), declared by ourselves: so that what a program built
// for Open MPI contains can be tested where Open MPI is not installed.
#pragma once

#include <stddef.h>

typedef struct Handle*
    Handle;  // every handle is the address of an object that the program does not look into
typedef long Aint;
typedef struct {
  int source, tag, error, is_cancelled;
  size_t bytes;
} Status;

extern char ompi_mpi_comm_world[], ompi_mpi_comm_null[], ompi_request_null[], ompi_message_null[],
    ompi_mpi_int[], ompi_mpi_double[], ompi_mpi_datatype_null[], ompi_mpi_op_sum[], ompi_mpi_op_null[],
    ompi_mpi_errors_return[], ompi_mpi_errors_are_fatal[], ompi_mpi_info_null[], ompi_mpi_file_null[],
    ompi_mpi_win_null[], ompi_mpi_errhandler_null[];
#define WORLD ((Handle)(void*)ompi_mpi_comm_world)
#define NO_COMM ((Handle)(void*)ompi_mpi_comm_null)
#define NO_REQUEST ((Handle)(void*)ompi_request_null)
#define NO_MESSAGE ((Handle)(void*)ompi_message_null)
#define INT ((Handle)(void*)ompi_mpi_int)
#define DOUBLE ((Handle)(void*)ompi_mpi_double)
#define NO_TYPE ((Handle)(void*)ompi_mpi_datatype_null)
#define SUM ((Handle)(void*)ompi_mpi_op_sum)
#define NO_OP_HANDLE ((Handle)(void*)ompi_mpi_op_null)
#define ERRORS_RETURN ((Handle)(void*)ompi_mpi_errors_return)
#define NO_INFO ((Handle)(void*)ompi_mpi_info_null)
#define NO_FILE ((Handle)(void*)ompi_mpi_file_null)
#define NO_WIN ((Handle)(void*)ompi_mpi_win_null)
#define NO_HANDLER ((Handle)(void*)ompi_mpi_errhandler_null)

enum { ANY_SOURCE = -1, ANY_TAG = -1, PROC_NULL = -2, UNDEFINED = -32766 };
enum { ERR_RANK = 6, ERR_COMM = 5, ERR_TRUNCATE = 15, ERR_IN_STATUS = 18, ERR_NO_SUCH_FILE = 42 };
enum { KEY_TAG_UB = 0, KEY_WIN_SIZE = 8, KEY_WIN_MODEL = 11 };
enum { LOCK_EXCLUSIVE = 1, MODE_NOPRECEDE = 2, MODE_NOSUCCEED = 16, ORDER_FORTRAN = 1 };
enum {
  COMBINER_SUBARRAY = 12,
  TOPOLOGY_CART = 1,
  FILE_CREATE = 1,
  FILE_RDWR = 8,
  FILE_RDONLY = 2,
  FILE_DELETE = 16
};
#define IN_PLACE ((void*)1)
#define UNWEIGHTED ((int*)2)

int MPI_Init(int*, char***);
int MPI_Finalize(void);
int MPI_Initialized(int*);
int MPI_Abort(Handle, int);
int MPI_Comm_rank(Handle, int*);
int MPI_Comm_size(Handle, int*);
int MPI_Comm_dup(Handle, Handle*);
int MPI_Comm_split(Handle, int, int, Handle*);
int MPI_Comm_free(Handle*);
int MPI_Comm_compare(Handle, Handle, int*);
int MPI_Comm_set_errhandler(Handle, Handle);
int MPI_Comm_get_errhandler(Handle, Handle*);
int MPI_Comm_create_errhandler(void (*)(Handle*, int*, ...), Handle*);
int MPI_Comm_call_errhandler(Handle, int);
int MPI_Errhandler_free(Handle*);
int MPI_Error_class(int, int*);
int MPI_Add_error_class(int*);
int MPI_Add_error_code(int, int*);
int MPI_Comm_create_keyval(int (*)(Handle, int, void*, void*, void*, int*),
                           int (*)(Handle, int, void*, void*), int*, void*);
int MPI_Comm_free_keyval(int*);
int MPI_Comm_set_attr(Handle, int, void*);
int MPI_Comm_get_attr(Handle, int, void*, int*);
int MPI_Comm_group(Handle, Handle*);
int MPI_Group_free(Handle*);
int MPI_Group_incl(Handle, int, const int*, Handle*);
int MPI_Group_translate_ranks(Handle, int, const int*, Handle, int*);
int MPI_Send(const void*, int, Handle, int, int, Handle);
int MPI_Recv(void*, int, Handle, int, int, Handle, Status*);
int MPI_Isend(const void*, int, Handle, int, int, Handle, Handle*);
int MPI_Irecv(void*, int, Handle, int, int, Handle, Handle*);
int MPI_Send_init(const void*, int, Handle, int, int, Handle, Handle*);
int MPI_Recv_init(void*, int, Handle, int, int, Handle, Handle*);
int MPI_Startall(int, Handle*);
int MPI_Request_free(Handle*);
int MPI_Wait(Handle*, Status*);
int MPI_Waitall(int, Handle*, Status*);
int MPI_Waitany(int, Handle*, int*, Status*);
int MPI_Waitsome(int, Handle*, int*, int*, Status*);
int MPI_Testall(int, Handle*, int*, Status*);
int MPI_Mprobe(int, int, Handle, Handle*, Status*);
int MPI_Mrecv(void*, int, Handle, Handle*, Status*);
int MPI_Improbe(int, int, Handle, int*, Handle*, Status*);
int MPI_Get_count(const Status*, Handle, int*);
int MPI_Grequest_start(int (*)(void*, Status*), int (*)(void*), int (*)(void*, int), void*, Handle*);
int MPI_Grequest_complete(Handle);
int MPI_Status_set_elements(Status*, Handle, int);
int MPI_Status_set_cancelled(Status*, int);
int MPI_Barrier(Handle);
int MPI_Allreduce(const void*, void*, int, Handle, Handle, Handle);
int MPI_Reduce(const void*, void*, int, Handle, Handle, int, Handle);
int MPI_Alltoallw(const void*, const int*, const int*, const Handle*, void*, const int*, const int*,
                  const Handle*, Handle);
int MPI_Op_create(void (*)(void*, void*, int*, Handle*), int, Handle*);
int MPI_Op_free(Handle*);
int MPI_Cart_create(Handle, int, const int*, const int*, int, Handle*);
int MPI_Cart_shift(Handle, int, int, int*, int*);
int MPI_Topo_test(Handle, int*);
int MPI_Dist_graph_create_adjacent(Handle, int, const int*, const int*, int, const int*, const int*, Handle,
                                   int, Handle*);
int MPI_Dist_graph_neighbors_count(Handle, int*, int*, int*);
int MPI_Type_create_subarray(int, const int*, const int*, const int*, int, Handle, Handle*);
int MPI_Type_create_struct(int, const int*, const Aint*, const Handle*, Handle*);
int MPI_Type_commit(Handle*);
int MPI_Type_free(Handle*);
int MPI_Type_size(Handle, int*);
int MPI_Type_get_envelope(Handle, int*, int*, int*, int*);
int MPI_Type_get_contents(Handle, int, int, int, int*, Aint*, Handle*);
int MPI_Win_create(void*, Aint, int, Handle, Handle, Handle*);
int MPI_Win_free(Handle*);
int MPI_Win_fence(int, Handle);
int MPI_Win_lock(int, int, int, Handle);
int MPI_Win_unlock(int, Handle);
int MPI_Win_get_attr(Handle, int, void*, int*);
int MPI_Put(const void*, int, Handle, int, Aint, int, Handle, Handle);
int MPI_Get(void*, int, Handle, int, Aint, int, Handle, Handle);
int MPI_File_open(Handle, const char*, int, Handle, Handle*);
int MPI_File_close(Handle*);
int MPI_File_write_at_all(Handle, long, const void*, int, Handle, Status*);
int MPI_File_read_at(Handle, long, void*, int, Handle, Status*);
int MPI_Get_library_version(char*, int*);
int MPI_Get_version(int*, int*);
int MPI_T_init_thread(int, int*);
int MPI_Comm_c2f(Handle);
Handle MPI_Comm_f2c(int);
int MPI_Type_c2f(Handle);
Handle MPI_Type_f2c(int);
int MPIX_Query_cuda_support(void);
double MPI_Wtime(void);
int PMPI_Send(const void*, int, Handle, int, int, Handle);
int PMPI_Allreduce(const void*, void*, int, Handle, Handle, Handle);
int OMPI_C_MPI_COMM_DUP_FN(Handle, int, void*, void*, void*, int*);
int OMPI_C_MPI_COMM_NULL_DELETE_FN(Handle, int, void*, void*);
