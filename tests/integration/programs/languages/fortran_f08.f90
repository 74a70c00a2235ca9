! Messages, collectives, a communicator and Fortran's clocks through one of MPI's three Fortran interfaces.
program fortran_f08
  use mpi_f08
  implicit none
  type(MPI_Status) :: status
  type(MPI_Request) :: request
  type(MPI_Comm) :: comm
  integer :: rank, ranks, left, right, error, failures, total, got, i
  integer(kind=8) :: before, after, rate
  real :: processor_before, processor_after
  double precision :: numbers(100), began, took
  integer :: sums(3), all_ranks(64)

  failures = 0
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  left = modulo(rank - 1, ranks)
  right = modulo(rank + 1, ranks)

  call system_clock(before, rate)
  call cpu_time(processor_before)
  began = MPI_Wtime()

  numbers = [(dble(rank * 1000 + i), i = 1, 100)]
  call MPI_Isend(numbers, 100, MPI_DOUBLE_PRECISION, right, 5, MPI_COMM_WORLD, request, error)
  call check_received()
  call MPI_Wait(request, MPI_STATUS_IGNORE, error)

  if (rank < 2) then
    do i = 1, 10
      if (rank == 0) call MPI_Send(i, 1, MPI_INTEGER, 1, i, MPI_COMM_WORLD, error)
      call MPI_Recv(got, 1, MPI_INTEGER, 1 - rank, i, MPI_COMM_WORLD, status, error)
      if (got /= i .or. status%MPI_TAG /= i) failures = failures + 1
      if (rank == 1) call MPI_Send(got, 1, MPI_INTEGER, 0, i, MPI_COMM_WORLD, error)
    end do
  end if

  sums = [rank, 2 * rank, 1]
  call MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  if (any(sums /= [ranks * (ranks - 1) / 2, ranks * (ranks - 1), ranks])) failures = failures + 1
  call MPI_Comm_split(MPI_COMM_WORLD, modulo(rank, 2), rank, comm, error)
  call MPI_Allgather(rank, 1, MPI_INTEGER, all_ranks, 1, MPI_INTEGER, comm, error)
  call MPI_Comm_size(comm, total, error)
  do i = 1, total
    if (all_ranks(i) /= 2 * (i - 1) + modulo(rank, 2)) failures = failures + 1
  end do
  call MPI_Comm_free(comm, error)
  call MPI_Bcast(numbers, 100, MPI_DOUBLE_PRECISION, 0, MPI_COMM_WORLD, error)
  if (numbers(100) /= 100d0) failures = failures + 1
  call MPI_Barrier(MPI_COMM_WORLD, error)

  took = MPI_Wtime() - began
  call system_clock(after)
  call cpu_time(processor_after)
  if (abs(dble(after - before) / dble(rate) - took) > 0.05d0) failures = failures + 1
  if (took < 0 .or. processor_after < processor_before) failures = failures + 1

  call MPI_Allreduce(failures, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
  if (rank == 0 .and. total == 0) print '(a)', 'PASS fortran_f08'
  if (rank == 0 .and. total /= 0) print '(a)', 'FAIL fortran_f08'
  call MPI_Finalize(error)
  if (total /= 0) stop 1

contains

  subroutine check_received()
    double precision :: received(100)
    call MPI_Recv(received, 100, MPI_DOUBLE_PRECISION, MPI_ANY_SOURCE, 5, MPI_COMM_WORLD, status, error)
    if (status%MPI_SOURCE /= left) failures = failures + 1
    if (any(received /= [(dble(left * 1000 + i), i = 1, 100)])) failures = failures + 1
  end subroutine check_received

end program fortran_f08
