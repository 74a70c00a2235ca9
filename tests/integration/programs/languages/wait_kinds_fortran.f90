! One wait of a Fortran program for each first argument: as wait_kinds.c.
program wait_kinds_fortran
  use, intrinsic :: iso_c_binding
  use, intrinsic :: iso_fortran_env, only: int64
  use mpi
  implicit none
  interface
    integer(c_int) function usleep(microseconds) bind(c)
      import c_int
      integer(c_int), value :: microseconds
    end function
    integer(c_int) function poll(files, count, milliseconds) bind(c)
      import c_int, c_long, c_ptr
      type(c_ptr), value :: files
      integer(c_long), value :: count
      integer(c_int), value :: milliseconds
    end function
    integer(c_int) function alarm_of(seconds) bind(c, name="alarm")
      import c_int
      integer(c_int), value :: seconds
    end function
    integer(c_int) function pause_of() bind(c, name="pause")
      import c_int
    end function
    type(c_funptr) function signal_of(number, handler) bind(c, name="signal")
      import c_int, c_funptr
      integer(c_int), value :: number
      type(c_funptr), value :: handler
    end function
  end interface
  character(len=32) :: kind, how
  integer :: error
  integer(c_int) :: result
  integer(int64) :: count_begin, count_end, rate
  double precision :: begin, took(2), least
  type(c_funptr) :: before
  logical :: passed

  call MPI_Init(error)
  call get_command_argument(1, kind)
  call get_command_argument(2, how)
  least = 0.2d0
  result = -2
  call system_clock(count_begin, rate)
  begin = MPI_Wtime()
  select case (kind)
  case ("sleep")
    call sleep(1)
    least = 1
    result = 0
  case ("usleep")
    result = usleep(200000_c_int)
  case ("poll")
    result = poll(c_null_ptr, 0_c_long, 200_c_int)
  case ("clock") ! a loop that looks at the clock
    do while (MPI_Wtime() - begin < least)
    end do
    result = 0
  case ("alarm")
    before = signal_of(14_c_int, c_funloc(on_alarm))
    result = alarm_of(1_c_int)
    result = pause_of() + 1
    least = 1
  case ("")
    print "(a)", "sleep", "usleep", "poll", "clock", "alarm"
    call MPI_Finalize(error)
    stop
  end select
  took(1) = MPI_Wtime() - begin
  call system_clock(count_end)
  took(2) = dble(count_end - count_begin) / dble(rate)
  passed = result == 0 .and. all(took >= least - 1d-5)
  if (how == "simulated") passed = passed .and. all(took <= least + 5d-3)
  print "(a, a, i0)", trim(kind), ": ", result
  if (.not. passed) print "(a, 2f13.9, a, f6.3)", "FAIL: took", took, " not", least
  if (passed) print "(a)", "PASS wait"
  call MPI_Finalize(error)
  if (.not. passed) stop 1
contains
  subroutine on_alarm(number) bind(c)
    integer(c_int), value :: number
    if (number /= 14) stop 2
  end subroutine
end program
