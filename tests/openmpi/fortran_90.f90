program f90
  use mpi
  implicit none
  integer :: ierr, rank, n, win, req, fh, st(MPI_STATUS_SIZE), message, i
  integer(kind=MPI_ADDRESS_KIND) :: size_of, at
  integer(kind=MPI_OFFSET_KIND) :: offset
  double precision :: x(4), y(4), mem(4)
  logical :: flag
  integer :: rt, row
  character(len=MPI_MAX_PROCESSOR_NAME) :: name
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, n, ierr)
  x = rank
  call MPI_Allreduce(x, y, 4, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  print *, rank, 'sum', y(4)
  mem = 0
  size_of = 32
  call MPI_Win_create(mem, size_of, 8, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
  call MPI_Win_fence(0, win, ierr)
  at = 2
  call MPI_Put(x, 1, MPI_DOUBLE_PRECISION, mod(rank+1,n), at, 1, MPI_DOUBLE_PRECISION, win, ierr)
  call MPI_Win_fence(0, win, ierr)
  print *, rank, 'put', mem
  call MPI_Win_get_attr(win, MPI_WIN_SIZE, at, flag, ierr)
  print *, rank, 'win size', at, flag
  call MPI_Win_free(win, ierr)
  call MPI_Type_vector(2, 1, 2, MPI_DOUBLE_PRECISION, row, ierr)
  call MPI_Type_commit(row, ierr)
  call MPI_Type_set_name(row, 'a row ', ierr)
  call MPI_Type_get_name(row, name, i, ierr)
  print *, rank, trim(name), i
  if (rank == 0) then
    do i = 1, n - 1
      call MPI_Mprobe(i, MPI_ANY_TAG, MPI_COMM_WORLD, message, st, ierr)
      call MPI_Mrecv(y, 1, row, message, st, ierr)
      print *, 'mrecv', st(MPI_SOURCE), y(1), y(3), message == MPI_MESSAGE_NULL
    end do
  else
    call MPI_Send(x, 1, row, 0, rank, MPI_COMM_WORLD, ierr)
  end if
  call MPI_File_open(MPI_COMM_WORLD, 'f90.data ', ior(MPI_MODE_RDWR, MPI_MODE_CREATE), MPI_INFO_NULL, fh, ierr)
  offset = rank * 8
  call MPI_File_write_at_all(fh, offset, x, 1, MPI_DOUBLE_PRECISION, st, ierr)
  call MPI_File_sync(fh, ierr)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  offset = 8 * mod(rank + 1, n)
  call MPI_File_read_at(fh, offset, y, 1, MPI_DOUBLE_PRECISION, st, ierr)
  print *, rank, 'file', y(1)
  call MPI_File_close(fh, ierr)
  call MPI_Type_free(row, ierr)
  call MPI_Sizeof(x(1), i, ierr)
  print *, rank, 'sizeof', i
  call MPI_Info_create(i, ierr)
  call MPI_Info_set(i, ' colour ', ' deep blue ', ierr)
  call MPI_Info_get_valuelen(i, 'colour', n, flag, ierr)
  print *, rank, 'value length', n, flag
  name = ''
  call MPI_Info_get(i, 'colour ', len(name), name, flag, ierr)
  print *, rank, trim(name), flag
  call MPI_Info_get(i, 'taste', len(name), name, flag, ierr)
  print *, rank, 'taste', flag
  call MPI_Info_get_nthkey(i, 0, name, ierr)
  print *, rank, trim(name)
  call MPI_Info_free(i, ierr)
  call MPI_Recv_init(y, 1, MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_WORLD, req, ierr)
  call MPI_Request_free(req, ierr)
  print *, rank, 'freed', req == MPI_REQUEST_NULL
  call MPI_Finalize(ierr)
end program
