! ranks: 3
! Windows through mpi_f08: fences, locks and atomics.
program f08_window
  use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
  use mpi_f08
  use conformance
  implicit none
  integer :: right, left
  integer, parameter :: bytes_of_int = storage_size(0) / 8
  type(MPI_Win) :: window
  integer, pointer :: memory(:)
  call conformance_begin()
  right = mod(world_rank + 1, world_size)
  left = mod(world_rank + world_size - 1, world_size)
  call make_window()
  call put_between_fences()
  call tickets_by_fetch_and_op()
  call counter_under_an_exclusive_lock()
  call MPI_Win_free(window)
  call conformance_end()
contains
  subroutine make_window()
    type(c_ptr) :: base
    call MPI_Win_allocate(4096_MPI_ADDRESS_KIND, bytes_of_int, MPI_INFO_NULL, &
                          MPI_COMM_WORLD, base, window)
    call c_f_pointer(base, memory, [4])
    memory = 0
  end subroutine make_window

  ! A case that only its end decides.
  subroutine report(name, good)
    character(*), intent(in) :: name
    logical, intent(in) :: good
    call start_case(name)
    call check('the right result', good)
    call end_case()
  end subroutine report

  subroutine put_between_fences()
    integer, asynchronous :: outgoing(2)
    outgoing = [10 * world_rank, 7]
    call MPI_Win_fence(0, window)
    call MPI_Put(outgoing, 2, MPI_INTEGER, right, 1_MPI_ADDRESS_KIND, 2, MPI_INTEGER, window)
    call MPI_Win_fence(0, window)
    call report('put_between_fences', all(memory == [0, 10 * left, 7, 0]))
  end subroutine put_between_fences

  subroutine tickets_by_fetch_and_op()
    integer, asynchronous :: ticket
    integer :: total
    call MPI_Win_lock_all(0, window)
    call MPI_Fetch_and_op(1, ticket, MPI_INTEGER, 0, 0_MPI_ADDRESS_KIND, MPI_SUM, window)
    call MPI_Win_unlock_all(window)
    call MPI_Allreduce(ticket, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call report('tickets_by_fetch_and_op', total == 3)
  end subroutine tickets_by_fetch_and_op

  subroutine counter_under_an_exclusive_lock()
    integer, asynchronous :: value
    integer :: i
    do i = 1, 10
      call MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window)
      call MPI_Get(value, 1, MPI_INTEGER, 1, 3_MPI_ADDRESS_KIND, 1, MPI_INTEGER, window)
      call MPI_Win_flush(1, window)
      value = value + 1
      call MPI_Put(value, 1, MPI_INTEGER, 1, 3_MPI_ADDRESS_KIND, 1, MPI_INTEGER, window)
      call MPI_Win_unlock(1, window)
    end do
    call MPI_Barrier(MPI_COMM_WORLD)
    call MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, window)
    call MPI_Get(value, 1, MPI_INTEGER, 1, 3_MPI_ADDRESS_KIND, 1, MPI_INTEGER, window)
    call MPI_Win_unlock(1, window)
    call report('counter_under_an_exclusive_lock', value == 10 * world_size)
  end subroutine counter_under_an_exclusive_lock
end program f08_window
