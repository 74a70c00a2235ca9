! Point to point through the module mpi_f08, whose procedures call PMPI_ directly.
! ranks: 4
program f08_point_to_point
  use mpi_f08
  use conformance
  implicit none
  integer :: partner
  call conformance_begin()
  partner = ieor(world_rank, 1)
  call blocking()
  call modes()
  call nonblocking()
  call wildcards()
  call sendrecv()
  call sendrecv_replace()
  call completion()
  call persistent()
  call probes()
  call matched_probes()
  call derived_types()
  call array_sections()
  call errors()
  call cancelled()
  call conformance_end()
contains

  logical function is_sender()
    is_sender = mod(world_rank, 2) == 0
  end function

  subroutine blocking()
    integer :: values(20), i, ierror
    type(MPI_Status) :: status
    integer :: count
    call start_case('blocking')
    if (is_sender()) then
      values = [(world_rank * 100 + i, i=1, 20)]
      call MPI_Send(values, 20, MPI_INTEGER, partner, 1, MPI_COMM_WORLD)
    else
      values = -1
      call MPI_Recv(values, 20, MPI_INTEGER, partner, MPI_ANY_TAG, MPI_COMM_WORLD, status, ierror)
      call check('ierror', MPI_SUCCESS, ierror)
      call check('status%MPI_SOURCE', partner, status%MPI_SOURCE)
      call check('status%MPI_TAG', 1, status%MPI_TAG)
      call MPI_Get_count(status, MPI_INTEGER, count)
      call check('count', 20, count)
      call check('values', all(values == [(partner * 100 + i, i=1, 20)]))
      call digest_add(values)
    end if
    call end_case()
  end subroutine

  subroutine modes()
    integer :: value, size
    integer, allocatable :: buffer(:)
    type(MPI_Request) :: request
    call start_case('modes')
    if (is_sender()) then
      call MPI_Pack_size(1, MPI_INTEGER, MPI_COMM_WORLD, size)
      size = size + MPI_BSEND_OVERHEAD
      allocate (buffer(size / 4 + 1))
      call MPI_Buffer_attach(buffer, 4 * (size / 4 + 1))
      call MPI_Ssend(11, 1, MPI_INTEGER, partner, 1, MPI_COMM_WORLD)
      call MPI_Bsend(12, 1, MPI_INTEGER, partner, 1, MPI_COMM_WORLD)
      value = 13
      call MPI_Issend(value, 1, MPI_INTEGER, partner, 1, MPI_COMM_WORLD, request)
      call MPI_Wait(request, MPI_STATUS_IGNORE)
      call detach()
    else
      do size = 11, 13
        value = -1
        call MPI_Recv(value, 1, MPI_INTEGER, partner, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
        call check('value', size, value)
      end do
    end if
    call end_case()
  end subroutine

  subroutine detach()
    use, intrinsic :: iso_c_binding, only: c_ptr
    type(c_ptr) :: address
    integer :: size
    call MPI_Buffer_detach(address, size)
  end subroutine

  subroutine nonblocking()
    integer, asynchronous :: out, got
    type(MPI_Request) :: requests(2)
    type(MPI_Status) :: statuses(2)
    call start_case('nonblocking')
    out = world_rank + 40
    got = -1
    call MPI_Irecv(got, 1, MPI_INTEGER, partner, 2, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(out, 1, MPI_INTEGER, partner, 2, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, statuses)
    call check('got', partner + 40, got)
    call check('source', partner, statuses(1)%MPI_SOURCE)
    call check('request is null', requests(1) == MPI_REQUEST_NULL)
    call end_case()
  end subroutine

  subroutine wildcards()
    integer :: value, r
    type(MPI_Status) :: status
    call start_case('wildcards')
    if (world_rank == 0) then
      do r = 1, world_size - 1
        call MPI_Send(0, 0, MPI_INTEGER, r, 3, MPI_COMM_WORLD)
        call MPI_Recv(value, 1, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status)
        call check('source', r, status%MPI_SOURCE)
        call check('tag', r + 30, status%MPI_TAG)
        call check('value', r * 9, value)
      end do
    else
      call MPI_Recv(value, 0, MPI_INTEGER, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      call MPI_Send(world_rank * 9, 1, MPI_INTEGER, 0, world_rank + 30, MPI_COMM_WORLD)
    end if
    call end_case()
  end subroutine

  subroutine sendrecv()
    double precision :: out, got
    type(MPI_Status) :: status
    integer :: next, previous
    call start_case('sendrecv')
    next = mod(world_rank + 1, world_size)
    previous = mod(world_rank + world_size - 1, world_size)
    out = world_rank + 0.25d0
    call MPI_Sendrecv(out, 1, MPI_DOUBLE_PRECISION, next, 4, got, 1, MPI_DOUBLE_PRECISION, previous, 4, &
                      MPI_COMM_WORLD, status)
    call check('got', got == previous + 0.25d0)
    call check('source', previous, status%MPI_SOURCE)
    call end_case()
  end subroutine

  subroutine sendrecv_replace()
    integer :: values(3)
    call start_case('sendrecv_replace')
    values = [1, 2, 3] + 10 * world_rank
    call MPI_Sendrecv_replace(values, 3, MPI_INTEGER, partner, 5, partner, 5, MPI_COMM_WORLD, &
                              MPI_STATUS_IGNORE)
    call check('values', all(values == [1, 2, 3] + 10 * partner))
    call digest_add(values)
    call end_case()
  end subroutine

  subroutine completion()
    ! Indices count from 1 in Fortran, but MPI_Waitany of MPICH 4.0's module counts from 0: none is checked.
    integer, asynchronous :: got(3)
    integer :: index, i, total, indices(3)
    logical :: flag
    type(MPI_Request) :: requests(3)
    type(MPI_Status) :: status
    call start_case('completion')
    if (world_rank == 0) then
      got = -1
      do i = 1, 3
        call MPI_Irecv(got(i), 1, MPI_INTEGER, i, 6, MPI_COMM_WORLD, requests(i))
      end do
      call MPI_Testany(3, requests, index, flag, status)
      call check('nothing yet', .not. flag)
      do i = 3, 1, -1
        call MPI_Send(0, 0, MPI_INTEGER, i, 60, MPI_COMM_WORLD)
        call MPI_Waitany(3, requests, index, status)
        call check('source', i, status%MPI_SOURCE)
        call check('got', i * 5, got(i))
      end do
      call MPI_Waitsome(3, requests, total, indices, MPI_STATUSES_IGNORE)
      call check('none left', MPI_UNDEFINED, total)
    else
      call MPI_Recv(i, 0, MPI_INTEGER, 0, 60, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      call MPI_Send(world_rank * 5, 1, MPI_INTEGER, 0, 6, MPI_COMM_WORLD)
    end if
    call end_case()
  end subroutine

  subroutine persistent()
    integer, asynchronous :: out, got
    integer :: round
    type(MPI_Request) :: requests(2)
    call start_case('persistent')
    call MPI_Send_init(out, 1, MPI_INTEGER, partner, 7, MPI_COMM_WORLD, requests(1))
    call MPI_Recv_init(got, 1, MPI_INTEGER, partner, 7, MPI_COMM_WORLD, requests(2))
    do round = 1, 4
      out = round * 100 + world_rank
      call MPI_Startall(2, requests)
      call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
      call check('got', round * 100 + partner, got)
      call check('request stays', requests(2) /= MPI_REQUEST_NULL)
    end do
    call MPI_Request_free(requests(1))
    call MPI_Request_free(requests(2))
    call end_case()
  end subroutine

  subroutine probes()
    integer :: values(9), count
    logical :: flag
    type(MPI_Status) :: status
    call start_case('probes')
    if (is_sender()) then
      values = 3
      call MPI_Send(values, 9, MPI_INTEGER, partner, 8, MPI_COMM_WORLD)
    else
      call MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, status)
      call MPI_Get_count(status, MPI_INTEGER, count)
      call check('count', 9, count)
      call MPI_Iprobe(partner, 8, MPI_COMM_WORLD, flag, status)
      call check('iprobe', flag)
      call MPI_Recv(values, 9, MPI_INTEGER, status%MPI_SOURCE, status%MPI_TAG, MPI_COMM_WORLD, &
                    MPI_STATUS_IGNORE)
      call check('values', all(values == 3))
    end if
    call end_case()
  end subroutine

  subroutine matched_probes()
    integer :: value
    type(MPI_Message) :: message
    type(MPI_Status) :: status
    call start_case('matched_probes')
    if (is_sender()) then
      call MPI_Send(21, 1, MPI_INTEGER, partner, 9, MPI_COMM_WORLD)
    else
      value = -1
      call MPI_Mprobe(MPI_ANY_SOURCE, 9, MPI_COMM_WORLD, message, status)
      call MPI_Mrecv(value, 1, MPI_INTEGER, message, status)
      call check('value', 21, value)
      call check('source', partner, status%MPI_SOURCE)
      call check('message is null', message == MPI_MESSAGE_NULL)
    end if
    call end_case()
  end subroutine

  subroutine derived_types()
    integer :: grid(4, 5), i
    type(MPI_Datatype) :: row
    call start_case('derived_types')
    call MPI_Type_vector(5, 1, 4, MPI_INTEGER, row)
    call MPI_Type_commit(row)
    grid = reshape([(i, i=1, 20)], [4, 5]) + 1000 * world_rank
    call MPI_Sendrecv_replace(grid(2, 1), 1, row, partner, 10, partner, 10, MPI_COMM_WORLD, &
                              MPI_STATUS_IGNORE)
    call check('the row exchanged', all(grid(2, :) == [2, 6, 10, 14, 18] + 1000 * partner))
    call check('another row', all(grid(3, :) == [3, 7, 11, 15, 19] + 1000 * world_rank))
    call MPI_Type_free(row)
    call end_case()
  end subroutine

  subroutine array_sections()
    ! A strided actual argument: the module describes it to MPI, or the compiler copies it in and out.
    integer :: values(12), got(12), i
    call start_case('array_sections')
    values = [(i + 50 * world_rank, i=1, 12)]
    got = -1
    if (is_sender()) then
      call MPI_Send(values(1:12:3), 4, MPI_INTEGER, partner, 11, MPI_COMM_WORLD)
    else
      call MPI_Recv(got(2:12:3), 4, MPI_INTEGER, partner, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
      call check('values', all(got(2:12:3) == [1, 4, 7, 10] + 50 * partner))
      call check('gaps', all(got(1:12:3) == -1))
    end if
    call end_case()
  end subroutine

  subroutine errors()
    type(MPI_Comm) :: comm
    integer :: value, ierror, class
    call start_case('errors')
    call MPI_Comm_dup(MPI_COMM_WORLD, comm)
    call MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN)
    value = 0
    call MPI_Send(value, 1, MPI_INTEGER, world_size, 0, comm, ierror)
    call MPI_Error_class(ierror, class)
    call check('class of an invalid rank', MPI_ERR_RANK, class)
    call MPI_Send(value, 1, MPI_INTEGER, 0, -5, comm, ierror)
    call MPI_Error_class(ierror, class)
    call check('class of an invalid tag', MPI_ERR_TAG, class)
    call MPI_Comm_free(comm)
    call end_case()
  end subroutine

  subroutine cancelled()
    integer, asynchronous :: value
    logical :: flag
    type(MPI_Request) :: request
    type(MPI_Status) :: status
    call start_case('cancelled')
    call MPI_Irecv(value, 1, MPI_INTEGER, MPI_ANY_SOURCE, 12, MPI_COMM_WORLD, request)
    call MPI_Cancel(request)
    call MPI_Wait(request, status)
    call MPI_Test_cancelled(status, flag)
    call check('cancelled', flag)
    call end_case()
  end subroutine
end program
