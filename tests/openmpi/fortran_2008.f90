module fns
contains
  subroutine my_op(in, inout, len, type)
    use mpi_f08
    use, intrinsic :: iso_c_binding
    type(c_ptr), value :: in, inout
    integer :: len
    type(MPI_Datatype) :: type
    integer, pointer :: a(:), b(:)
    call c_f_pointer(in, a, [len])
    call c_f_pointer(inout, b, [len])
    if (type /= MPI_INTEGER) print *, 'wrong type'
    b = max(a, b) + 1
  end subroutine
end module
program f08
  use mpi_f08
  use fns
  implicit none
  type(MPI_Comm) :: half
  type(MPI_Request) :: req(2)
  type(MPI_Status) :: st(2), one
  type(MPI_Op) :: op
  type(MPI_Group) :: g
  integer :: rank, n, a, b, c, idx
  logical :: flag
  integer(MPI_ADDRESS_KIND) :: val
  character(len=MPI_MAX_ERROR_STRING) :: text
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  call MPI_Comm_size(MPI_COMM_WORLD, n)
  a = rank
  call MPI_Irecv(b, 1, MPI_INTEGER, mod(rank + n - 1, n), 3, MPI_COMM_WORLD, req(1))
  call MPI_Isend(a, 1, MPI_INTEGER, mod(rank + 1, n), 3, MPI_COMM_WORLD, req(2))
  call MPI_Waitall(2, req, st)
  print *, rank, 'waitall', b, st(1)%MPI_SOURCE, st(1)%MPI_TAG, req(1) == MPI_REQUEST_NULL
  call MPI_Irecv(b, 1, MPI_INTEGER, mod(rank + n - 1, n), 3, MPI_COMM_WORLD, req(1))
  call MPI_Send(a, 1, MPI_INTEGER, mod(rank + 1, n), 3, MPI_COMM_WORLD)
  call MPI_Wait(req(1), MPI_STATUS_IGNORE)
  print *, rank, 'wait', b
  call MPI_Op_create(my_op, .false., op)
  call MPI_Reduce(a, c, 1, MPI_INTEGER, op, 0, MPI_COMM_WORLD)
  if (rank == 0) print *, 'op', c
  call MPI_Op_free(op)
  call MPI_Comm_split(MPI_COMM_WORLD, mod(rank, 2), rank, half)
  call MPI_Comm_group(half, g)
  call MPI_Group_size(g, c)
  print *, rank, 'half', c
  call MPI_Comm_set_errhandler(half, MPI_ERRORS_RETURN)
  call MPI_Send(a, 1, MPI_INTEGER, 99, 3, half, idx)
  print *, rank, 'error', idx == MPI_ERR_RANK
  call MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, val, flag)
  print *, rank, 'tag ub', val >= 32767, flag
  call MPI_Finalize()
end program
