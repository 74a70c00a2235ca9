! What the Fortran programs of the conformance suite share: cases, checks, and the same lines of output as
! those of conformance.h. A program calls conformance_begin, then for each case start_case, the checks and
! end_case, and at last conformance_end.
module conformance
  use mpi_f08
  use, intrinsic :: iso_fortran_env, only: int64
  implicit none
  integer :: world_rank, world_size
  integer, private, parameter :: text = 240
  character(len=64), private :: running
  character(len=text), private :: failure
  integer, private :: cases = 0, failures = 0
  integer(int64), private :: digest = 5381
  type(MPI_Comm), private :: own_comm

  interface check
    module procedure check_logical, check_integer
  end interface
contains

  subroutine conformance_begin()
    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, world_rank)
    call MPI_Comm_size(MPI_COMM_WORLD, world_size)
    call MPI_Comm_dup(MPI_COMM_WORLD, own_comm)
  end subroutine

  subroutine start_case(name)
    character(len=*), intent(in) :: name
    running = name
    failure = ' '
  end subroutine

  subroutine check_logical(what, holds)
    character(len=*), intent(in) :: what
    logical, intent(in) :: holds
    if (.not. holds .and. failure == ' ') failure = what
  end subroutine

  subroutine check_integer(what, expected, got)
    character(len=*), intent(in) :: what
    integer, intent(in) :: expected, got
    if (expected /= got .and. failure == ' ') then
      write (failure, '(a,a,i0,a,i0)') what, ': expected ', expected, ', got ', got
    end if
  end subroutine

  ! Adds received values to this rank's digest.
  subroutine digest_add(values)
    integer, intent(in) :: values(:)
    integer :: i
    do i = 1, size(values)
      digest = mod(digest * 33_int64 + int(values(i), int64), 1000000007_int64)
    end do
  end subroutine

  subroutine end_case()
    character(len=text) :: all(64)
    integer :: r
    logical :: failed, left
    call MPI_Barrier(own_comm)
    call MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, left, MPI_STATUS_IGNORE)
    call check('no message left in MPI_COMM_WORLD', .not. left)
    call MPI_Gather(failure, text, MPI_CHARACTER, all, text, MPI_CHARACTER, 0, own_comm)
    cases = cases + 1
    if (world_rank == 0) then
      failed = .false.
      do r = 1, world_size
        if (all(r) == ' ' .or. failed) cycle
        failed = .true.
        failures = failures + 1
        write (*, '(3a,i0,3a)') 'case ', trim(running), ': FAIL (rank ', r - 1, ': ', trim(all(r)), ')'
      end do
      if (.not. failed) write (*, '(3a)') 'case ', trim(running), ': PASS'
      flush (6)
    end if
    call MPI_Barrier(own_comm)
  end subroutine

  subroutine conformance_end()
    integer(int64) :: digests(64)
    integer :: r
    call MPI_Gather(digest, 1, MPI_INTEGER8, digests, 1, MPI_INTEGER8, 0, own_comm)
    if (world_rank == 0) then
      do r = 1, world_size
        write (*, '(a,i0,a,i0)') 'rank ', r - 1, ' received ', digests(r)
      end do
      write (*, '(i0,a,i0,a)') cases, ' cases, ', failures, ' failed'
      flush (6)
    end if
    call MPI_Bcast(failures, 1, MPI_INTEGER, 0, own_comm)
    call MPI_Comm_free(own_comm)
    call MPI_Finalize()
    if (failures > 0) stop 1
  end subroutine
end module
