! The same few calls from Fortran with mpif.h: special addresses and no call counted twice.
      program calls
      implicit none
      include 'mpif.h'
      integer ierr, rank, request(2), value(4), answer(4)
      call MPI_INIT(ierr)
      call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierr)
      value = rank
      call MPI_ALLREDUCE(MPI_IN_PLACE, value, 4, MPI_INTEGER, MPI_SUM,
     &                   MPI_COMM_WORLD, ierr)
      call MPI_IRECV(answer, 4, MPI_INTEGER, 1 - rank, 3,
     &               MPI_COMM_WORLD, request(1), ierr)
      call MPI_ISEND(value, 4, MPI_INTEGER, 1 - rank, 3,
     &               MPI_COMM_WORLD, request(2), ierr)
      call MPI_WAITALL(2, request, MPI_STATUSES_IGNORE, ierr)
      call MPI_SENDRECV(value, 1, MPI_DOUBLE_PRECISION, MPI_PROC_NULL,
     &                  0, answer, 1, MPI_DOUBLE_PRECISION,
     &                  MPI_PROC_NULL, 0, MPI_COMM_WORLD,
     &                  MPI_STATUS_IGNORE, ierr)
      call MPI_BCAST(MPI_BOTTOM, 0, MPI_INTEGER, 0, MPI_COMM_WORLD,
     &               ierr)
      call MPI_FINALIZE(ierr)
      end
