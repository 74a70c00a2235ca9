! ranks: 5
! Collectives and a communicator through mpi_f08, which calls the library under other names than C does.
module reported
  use mpi_f08
  use conformance
  implicit none
contains
  ! A case that only its end decides.
  subroutine report(name, good)
    character(*), intent(in) :: name
    logical, intent(in) :: good
    call start_case(name)
    call check('the right result', good)
    call end_case()
  end subroutine report

  subroutine larger_magnitude(in, inout, length, type)
    use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
    type(c_ptr), value :: in, inout
    integer :: length
    type(MPI_Datatype) :: type
    integer, pointer :: a(:), b(:)
    if (type /= MPI_INTEGER) return
    call c_f_pointer(in, a, [length])
    call c_f_pointer(inout, b, [length])
    where (abs(a) > abs(b)) b = a
  end subroutine larger_magnitude
end module reported

program f08_collectives
  use mpi_f08
  use conformance
  use reported
  implicit none
  call conformance_begin()
  call broadcast_a_strided_column()
  call gather_and_scatter()
  call reduce_in_place_and_by_our_own_operator()
  call scan_of_doubles()
  call everyone_to_everyone()
  call nonblocking_together()
  call split_backwards()
  call conformance_end()
contains
  subroutine broadcast_a_strided_column()
    integer :: matrix(4, 6), j
    type(MPI_Datatype) :: row
    logical :: good
    matrix = -1
    if (world_rank == 3) matrix(2, :) = [(10 * j, j = 1, 6)]
    call MPI_Type_vector(6, 1, 4, MPI_INTEGER, row)
    call MPI_Type_commit(row)
    call MPI_Bcast(matrix(2, 1), 1, row, 3, MPI_COMM_WORLD)
    call MPI_Type_free(row)
    good = all(matrix(2, :) == [(10 * j, j = 1, 6)]) .and. all(matrix(1, :) == -1)
    call report('broadcast_a_strided_column', good .and. all(matrix(3:4, :) == -1))
  end subroutine broadcast_a_strided_column

  subroutine gather_and_scatter()
    integer :: all_values(10), mine(2), r
    logical :: good
    mine = [world_rank, 100 + world_rank]
    all_values = 0
    call MPI_Gather(mine, 2, MPI_INTEGER, all_values, 2, MPI_INTEGER, 1, MPI_COMM_WORLD)
    good = .true.
    if (world_rank == 1) then
      good = all(all_values(1:9:2) == [(r, r = 0, 4)]) .and. all(all_values(2:10:2) == [(100 + r, r = 0, 4)])
      all_values = all_values + 1000
    end if
    call MPI_Scatter(all_values, 2, MPI_INTEGER, mine, 2, MPI_INTEGER, 1, MPI_COMM_WORLD)
    call report('gather_and_scatter', good .and. all(mine == [1000 + world_rank, 1100 + world_rank]))
  end subroutine gather_and_scatter

  subroutine reduce_in_place_and_by_our_own_operator()
    integer :: values(3), got(2)
    type(MPI_Op) :: op
    logical :: good
    values = [world_rank, 1, -world_rank]
    call MPI_Allreduce(MPI_IN_PLACE, values, 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    good = all(values == [10, 5, -10])
    call MPI_Op_create(larger_magnitude, .true., op)
    call MPI_Allreduce([merge(-50, world_rank, world_rank == 2), world_rank], got, 2, MPI_INTEGER, op, &
                       MPI_COMM_WORLD)
    call MPI_Op_free(op)
    call report('reduce_in_place_and_by_our_own_operator', good .and. all(got == [-50, 4]))
  end subroutine reduce_in_place_and_by_our_own_operator

  subroutine scan_of_doubles()
    double precision :: mine, upto
    mine = 0.5d0 * (world_rank + 1)
    call MPI_Scan(mine, upto, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD)
    call report('scan_of_doubles', upto == 0.25d0 * (world_rank + 1) * (world_rank + 2))
  end subroutine scan_of_doubles

  subroutine everyone_to_everyone()
    integer :: outgoing(5), incoming(5), r
    outgoing = [(10 * world_rank + r, r = 0, 4)]
    call MPI_Alltoall(outgoing, 1, MPI_INTEGER, incoming, 1, MPI_INTEGER, MPI_COMM_WORLD)
    call report('everyone_to_everyone', all(incoming == [(10 * r + world_rank, r = 0, 4)]))
  end subroutine everyone_to_everyone

  subroutine nonblocking_together()
    integer, asynchronous :: value, total, mine
    type(MPI_Request) :: requests(3)
    value = merge(77, 0, world_rank == 4)
    mine = world_rank
    total = -1
    call MPI_Ibcast(value, 1, MPI_INTEGER, 4, MPI_COMM_WORLD, requests(1))
    call MPI_Iallreduce(mine, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, requests(2))
    call MPI_Ibarrier(MPI_COMM_WORLD, requests(3))
    call MPI_Waitall(3, requests, MPI_STATUSES_IGNORE)
    call report('nonblocking_together', value == 77 .and. total == 10)
  end subroutine nonblocking_together

  subroutine split_backwards()
    type(MPI_Comm) :: part
    integer :: rank, total
    call MPI_Comm_split(MPI_COMM_WORLD, mod(world_rank, 2), -world_rank, part)
    call MPI_Comm_rank(part, rank)
    call MPI_Allreduce(world_rank, total, 1, MPI_INTEGER, MPI_SUM, part)
    call MPI_Comm_free(part)
    call report('split_backwards', total == merge(6, 4, mod(world_rank, 2) == 0) .and. &
                                   rank == (4 - world_rank) / 2)
  end subroutine split_backwards
end program f08_collectives
