! Some of the calls of modes.c from Fortran with use mpi.
      program modes
      use mpi
      implicit none
      integer ierr, rank, r(2), value(4), answer(4), counts(2), comm
      integer message, memory(1024), length
      integer lengths(2), places(2), types(2)
      call MPI_INIT(ierr)
      call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierr)
      value = rank
      counts(1) = 1
      counts(2) = 2
      call MPI_RECV_INIT(answer, 4, MPI_INTEGER, 1 - rank, 3,
     &                   MPI_COMM_WORLD, r(1), ierr)
      call MPI_SEND_INIT(value, 4, MPI_INTEGER, 1 - rank, 3,
     &                   MPI_COMM_WORLD, r(2), ierr)
      call MPI_STARTALL(2, r, ierr)
      call MPI_WAITALL(2, r, MPI_STATUSES_IGNORE, ierr)
      call MPI_REQUEST_FREE(r(1), ierr)
      call MPI_REQUEST_FREE(r(2), ierr)
      call MPI_BUFFER_ATTACH(memory, 4096, ierr)
      call MPI_BSEND(value, 1, MPI_INTEGER, 1 - rank, 4,
     &               MPI_COMM_WORLD, ierr)
      call MPI_RECV(answer, 1, MPI_INTEGER, 1 - rank, 4,
     &              MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      call MPI_BUFFER_DETACH(memory, length, ierr)
      call MPI_SENDRECV_REPLACE(value, 2, MPI_INTEGER, 1 - rank, 5,
     &       1 - rank, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
      call MPI_REDUCE_SCATTER(MPI_IN_PLACE, value, counts, MPI_INTEGER,
     &                        MPI_SUM, MPI_COMM_WORLD, ierr)
      lengths = 1
      places(1) = 0
      places(2) = 4
      types = MPI_INTEGER
      call MPI_ALLTOALLW(value, lengths, places, types, answer, lengths,
     &                   places, types, MPI_COMM_WORLD, ierr)
      call MPI_IALLREDUCE(MPI_IN_PLACE, value, 4, MPI_INTEGER, MPI_SUM,
     &                    MPI_COMM_WORLD, r(1), ierr)
      call MPI_WAIT(r(1), MPI_STATUS_IGNORE, ierr)
      call MPI_ISEND(value, 1, MPI_INTEGER, 1 - rank, 6,
     &               MPI_COMM_WORLD, r(1), ierr)
      call MPI_MPROBE(1 - rank, 6, MPI_COMM_WORLD, message,
     &                MPI_STATUS_IGNORE, ierr)
      call MPI_MRECV(answer, 1, MPI_INTEGER, message,
     &               MPI_STATUS_IGNORE, ierr)
      call MPI_WAIT(r(1), MPI_STATUS_IGNORE, ierr)
      call MPI_COMM_SPLIT_TYPE(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0,
     &                         MPI_INFO_NULL, comm, ierr)
      call MPI_COMM_FREE(comm, ierr)
      call MPI_FINALIZE(ierr)
      end
