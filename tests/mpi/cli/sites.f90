! Calls whose lines are known: what stands in capitals behind a call names it.
program sites
  use mpi
  implicit none
  integer :: ierr, cell
  cell = 1
  call MPI_Init(ierr)
  call MPI_Bcast(cell, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, ierr) ! SPREAD
  call meet()
  call MPI_Finalize(ierr)
contains
  subroutine meet()
    call MPI_Barrier(MPI_COMM_WORLD, ierr) ! MEET
    cell = cell + ierr
  end subroutine
end program
