      program f77
      include 'mpif.h'
      integer ierr, rank, size, req(2), stat(MPI_STATUS_SIZE,2), i
      integer st(MPI_STATUS_SIZE), idx, keyval, val, got, world, grp, g2
      integer op, a, b, outc, ind(2), ty, eh
      logical flag
      external mysum, handler, copyfn, delfn
      integer calls
      common /counts/ calls
      character*(MPI_MAX_LIBRARY_VERSION_STRING) version
      integer n
      integer ranks(1)
      integer(kind=MPI_ADDRESS_KIND) aval, extra
      call MPI_INIT(ierr)
      call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierr)
      call MPI_COMM_SIZE(MPI_COMM_WORLD, size, ierr)
      a = rank + 1
      call MPI_IRECV(b, 1, MPI_INTEGER, mod(rank+size-1,size), 5,
     &     MPI_COMM_WORLD, req(1), ierr)
      call MPI_ISEND(a, 1, MPI_INTEGER, mod(rank+1,size), 5,
     &     MPI_COMM_WORLD, req(2), ierr)
      call MPI_WAITALL(2, req, stat, ierr)
      print *, rank, 'waitall', b, stat(MPI_SOURCE,1), stat(MPI_TAG,1),
     &     req(1).eq.MPI_REQUEST_NULL, req(2).eq.MPI_REQUEST_NULL
      call MPI_IRECV(b, 1, MPI_INTEGER, MPI_ANY_SOURCE, MPI_ANY_TAG,
     &     MPI_COMM_WORLD, req(1), ierr)
      req(2) = MPI_REQUEST_NULL
      call MPI_SEND(a, 1, MPI_INTEGER, mod(rank+1,size), 6,
     &     MPI_COMM_WORLD, ierr)
      call MPI_WAITANY(2, req, idx, st, ierr)
      print *, rank, 'waitany', b, idx, st(MPI_SOURCE), st(MPI_TAG)
      call MPI_GET_COUNT(st, MPI_INTEGER, n, ierr)
      print *, rank, 'count', n
      call MPI_OP_CREATE(mysum, .true., op, ierr)
      calls = 0
      call MPI_ALLREDUCE(a, b, 1, MPI_INTEGER, op, MPI_COMM_WORLD, ierr)
      print *, rank, 'op', b
      b = a
      call MPI_ALLREDUCE(MPI_IN_PLACE, b, 1, MPI_INTEGER, MPI_SUM,
     &     MPI_COMM_WORLD, ierr)
      print *, rank, 'in place', b
      call MPI_OP_FREE(op, ierr)
      print *, rank, 'op null', op.eq.MPI_OP_NULL
      call MPI_KEYVAL_CREATE(copyfn, delfn, keyval, 17, ierr)
      call MPI_ATTR_PUT(MPI_COMM_WORLD, keyval, 40, ierr)
      call MPI_COMM_DUP(MPI_COMM_WORLD, world, ierr)
      call MPI_ATTR_GET(world, keyval, got, flag, ierr)
      print *, rank, 'attr', got, flag
      call MPI_COMM_FREE(world, ierr)
      call MPI_ATTR_GET(MPI_COMM_WORLD, MPI_TAG_UB, got, flag, ierr)
      print *, rank, 'tag ub', got .ge. 32767, flag
      extra = 3
      call MPI_COMM_CREATE_KEYVAL(MPI_COMM_DUP_FN,
     &   MPI_COMM_NULL_DELETE_FN, keyval, extra, ierr)
      aval = 2
      aval = aval ** 40
      call MPI_COMM_SET_ATTR(MPI_COMM_WORLD, keyval, aval, ierr)
      call MPI_COMM_DUP(MPI_COMM_WORLD, world, ierr)
      aval = 0
      call MPI_COMM_GET_ATTR(world, keyval, aval, flag, ierr)
      print *, rank, 'address', aval, flag
      call MPI_COMM_GROUP(MPI_COMM_WORLD, grp, ierr)
      ranks(1) = 0
      call MPI_GROUP_EXCL(grp, 1, ranks, g2, ierr)
      call MPI_GROUP_SIZE(g2, n, ierr)
      print *, rank, 'group', n
      call MPI_GROUP_DIFFERENCE(grp, grp, g2, ierr)
      print *, rank, 'empty', g2.eq.MPI_GROUP_EMPTY
      call MPI_TYPE_MATCH_SIZE(MPI_TYPECLASS_REAL, 8, ty, ierr)
      call MPI_TYPE_SIZE(ty, n, ierr)
      print *, rank, 'match', n, ierr
      call MPI_COMM_CREATE_ERRHANDLER(handler, eh, ierr)
      call MPI_COMM_SET_ERRHANDLER(world, eh, ierr)
      call MPI_SEND(a, 1, MPI_INTEGER, size+7, 6, world, ierr)
      print *, rank, 'error', ierr.eq.MPI_ERR_RANK
      call MPI_IRECV(b, 1, MPI_INTEGER, mod(rank+size-1,size), 9,
     &     MPI_COMM_WORLD, req(1), ierr)
      call MPI_SEND(a, 1, MPI_INTEGER, mod(rank+1,size), 9,
     &     MPI_COMM_WORLD, ierr)
 10   call MPI_TEST(req(1), flag, MPI_STATUS_IGNORE, ierr)
      if (.not. flag) goto 10
      print *, rank, 'test', b, req(1).eq.MPI_REQUEST_NULL
      call MPI_TESTSOME(1, req, outc, ind, MPI_STATUSES_IGNORE, ierr)
      print *, rank, 'testsome', outc.eq.MPI_UNDEFINED
      call MPI_FINALIZE(ierr)
      end
      subroutine mysum(in, inout, len, type)
      include 'mpif.h'
      integer len, type, in(len), inout(len), i
      if (type .ne. MPI_INTEGER) print *, 'wrong type', type
      do i = 1, len
        inout(i) = in(i) + inout(i)
      end do
      end
      subroutine handler(comm, code)
      integer comm, code, r, ierr
      include 'mpif.h'
      call MPI_COMM_RANK(comm, r, ierr)
      print *, r, 'handler', code.eq.MPI_ERR_RANK
      end
      subroutine copyfn(comm, keyval, extra, in, out, flag, ierr)
      integer comm, keyval, extra, in, out, ierr
      logical flag
      out = in + extra
      flag = .true.
      ierr = 0
      end
      subroutine delfn(comm, keyval, val, extra, ierr)
      integer comm, keyval, val, extra, ierr
      print *, 'delete', val, extra
      ierr = 0
      end
