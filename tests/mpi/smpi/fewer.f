! Calls from Fortran that SimGrid's SMPI has, among them those whose entries do not call C there.
      program fewer
      implicit none
      include 'mpif.h'
      integer ierr, me, n, left, right, a(8), b(8), key, request(2)
      integer status(MPI_STATUS_SIZE), statuses(MPI_STATUS_SIZE, 2)
      integer ring, half, column, index, there
      logical flag
      double precision t
      call MPI_INIT(ierr)
      call MPI_COMM_RANK(MPI_COMM_WORLD, me, ierr)
      call MPI_COMM_SIZE(MPI_COMM_WORLD, n, ierr)
      right = mod(me + 1, n)
      left = mod(me + n - 1, n)
      a = me
      t = MPI_WTIME()
      call MPI_COMM_DUP(MPI_COMM_WORLD, ring, ierr)
      call MPI_COMM_SPLIT(ring, mod(me, 2), me, half, ierr)
      call MPI_COMM_FREE(half, ierr)
      call MPI_COMM_CREATE_KEYVAL(MPI_COMM_NULL_COPY_FN,
     & MPI_COMM_NULL_DELETE_FN, key, 0_8, ierr)
      call MPI_IRECV(b, 4, MPI_INTEGER, left, 7, ring, request(1), ierr)
      call MPI_ISEND(a, 4, MPI_INTEGER, right, 7, ring, request(2),
     & ierr)
      call MPI_WAITALL(2, request, statuses, ierr)
      call MPI_SENDRECV(a, 2, MPI_INTEGER, right, 8, b, 2, MPI_INTEGER,
     & left, 8, ring, status, ierr)
      call MPI_GET_COUNT(status, MPI_INTEGER, there, ierr)
      call MPI_TYPE_VECTOR(2, 1, 4, MPI_INTEGER, column, ierr)
      call MPI_TYPE_COMMIT(column, ierr)
      call MPI_IRECV(b, 1, column, left, 9, ring, request(1), ierr)
      call MPI_SEND(a, 1, column, right, 9, ring, ierr)
      call MPI_WAIT(request(1), status, ierr)
      call MPI_TYPE_FREE(column, ierr)
      call MPI_REDUCE(a, b, 4, MPI_INTEGER, MPI_MAX, 0, ring, ierr)
      call MPI_ALLREDUCE(MPI_IN_PLACE, b, 4, MPI_INTEGER, MPI_SUM,
     & ring, ierr)
      call MPI_BCAST(b, 8, MPI_INTEGER, n - 1, ring, ierr)
      call MPI_BARRIER(ring, ierr)
      call MPI_COMM_FREE(ring, ierr)
      call MPI_FINALIZE(ierr)
      end program
