! ranks: 3
! Windows through mpi_f08: fences, locks, groups, requests and atomics.
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
  call column_by_request()
  call posted_to_the_left()
  call compared_and_swapped()
  call MPI_Win_free(window)
  call conformance_end()
contains
  subroutine make_window()
    type(c_ptr) :: base
    call MPI_Win_allocate(4096_MPI_ADDRESS_KIND, bytes_of_int, MPI_INFO_NULL, &
                          MPI_COMM_WORLD, base, window)
    call c_f_pointer(base, memory, [64])
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
    call report('put_between_fences', all(memory(1:4) == [0, 10 * left, 7, 0]))
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

  subroutine column_by_request()
    integer, asynchronous :: table(4, 3), back(3)
    type(MPI_Datatype) :: row
    type(MPI_Request) :: request
    integer :: i
    table = reshape([(100 * world_rank + i, i = 1, 12)], [4, 3])
    call MPI_Type_vector(3, 1, 4, MPI_INTEGER, row)
    call MPI_Type_commit(row)
    call MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, window)
    call MPI_Rput(table(2, 1), 1, row, right, 8_MPI_ADDRESS_KIND, 3, MPI_INTEGER, window, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call MPI_Win_flush(right, window)
    call MPI_Rget(back, 3, MPI_INTEGER, right, 8_MPI_ADDRESS_KIND, 3, MPI_INTEGER, window, request)
    call MPI_Wait(request, MPI_STATUS_IGNORE)
    call MPI_Win_unlock(right, window)
    call MPI_Type_free(row)
    call MPI_Barrier(MPI_COMM_WORLD)
    call report('column_by_request', all(back == table(2, :)) .and. &
                all(memory(9:11) == 100 * left + [2, 6, 10]))
  end subroutine column_by_request

  subroutine posted_to_the_left()
    integer, asynchronous :: outgoing
    type(MPI_Group) :: all_members, origins, targets
    logical :: done
    outgoing = 70 + world_rank
    call MPI_Win_get_group(window, all_members)
    call MPI_Group_incl(all_members, 1, [right], origins)
    call MPI_Group_incl(all_members, 1, [left], targets)
    call MPI_Win_post(origins, 0, window)
    call MPI_Win_start(targets, 0, window)
    call MPI_Put(outgoing, 1, MPI_INTEGER, left, 20_MPI_ADDRESS_KIND, 1, MPI_INTEGER, window)
    call MPI_Win_complete(window)
    done = .false.
    do while (.not. done)
      call MPI_Win_test(window, done)
    end do
    call MPI_Group_free(targets)
    call MPI_Group_free(origins)
    call MPI_Group_free(all_members)
    call report('posted_to_the_left', memory(21) == 70 + right)
  end subroutine posted_to_the_left

  subroutine compared_and_swapped()
    integer, asynchronous :: before, mine, nobody
    integer :: winners
    memory(31) = -1
    mine = world_rank
    nobody = -1
    call MPI_Barrier(MPI_COMM_WORLD)
    call MPI_Win_lock(MPI_LOCK_SHARED, 2, 0, window)
    call MPI_Compare_and_swap(mine, nobody, before, MPI_INTEGER, 2, 30_MPI_ADDRESS_KIND, window)
    call MPI_Win_unlock(2, window)
    winners = merge(1, 0, before == -1)
    call MPI_Allreduce(MPI_IN_PLACE, winners, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call report('compared_and_swapped', winners == 1)
  end subroutine compared_and_swapped
end program f08_window
