! Compiled with -DWITH_MPI_F08 or without.
subroutine plugin
#ifdef WITH_MPI_F08
  use mpi_f08
  type(MPI_Request) :: requests(2)
#else
  use mpi
  integer :: requests(2)
#endif
  integer :: n, done, ierr, numbers(3)
  call MPI_Comm_size(MPI_COMM_WORLD, n, ierr)
  numbers = 1
  call MPI_Allreduce(MPI_IN_PLACE, numbers, 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  requests = MPI_REQUEST_NULL
  call MPI_Irecv(numbers, 3, MPI_INTEGER, MPI_PROC_NULL, 7, MPI_COMM_WORLD, requests(2), ierr)
  call MPI_Waitany(2, requests, done, MPI_STATUS_IGNORE, ierr)
  if (done /= 2 .and. done /= 1) stop 3 ! MPICH's mpi_f08 counts from 0
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
end subroutine
