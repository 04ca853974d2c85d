! A datatype of more blocks than a small stack could hold.
program blocks
  use mpi
  integer, parameter :: n = 300000
  integer, allocatable :: lengths(:), types(:)
  integer(kind=MPI_ADDRESS_KIND), allocatable :: places(:)
  integer :: ierr, made, i, none(1)
  call MPI_Init(ierr)
  allocate(lengths(n), types(n), places(n))
  lengths = 1
  types = MPI_INTEGER
  types(n) = MPI_REAL
  do i = 1, n
    places(i) = 16_MPI_ADDRESS_KIND * i
  end do
  call MPI_Type_create_struct(n, lengths, places, types, made, ierr)
  call MPI_Type_free(made, ierr)
  call MPI_Type_create_struct(2, lengths, places, types, made, ierr)
  call MPI_Type_free(made, ierr)
  none = 0
  call MPI_Alltoallw(lengths, none, none, types(1:1), lengths, none, none, types(n:n), MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)
end program
