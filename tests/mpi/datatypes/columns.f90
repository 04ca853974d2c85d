! Rows of a Fortran array, parts of it, records and an operation of the program's own.
program columns
  implicit none
  include 'mpif.h'
  integer, parameter :: n = 12
  integer :: ierr, rank, ranks, left, right, i, row, part, mixed, wide, own, pieces
  integer :: status(MPI_STATUS_SIZE)
  integer :: sizes(2), subsizes(2), starts(2), lengths(2), kinds(2), places(3)
  integer(kind=MPI_ADDRESS_KIND) :: offsets(2), lower, extent
  double precision :: grid(n, n), total(4), part_sum(4)
  external :: largest

  call MPI_INIT(ierr)
  call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierr)
  call MPI_COMM_SIZE(MPI_COMM_WORLD, ranks, ierr)
  left = mod(rank + ranks - 1, ranks)
  right = mod(rank + 1, ranks)
  grid = rank

  call MPI_TYPE_VECTOR(n, 1, n, MPI_DOUBLE_PRECISION, row, ierr)
  call MPI_TYPE_COMMIT(row, ierr)
  lower = 0
  extent = 8
  call MPI_TYPE_CREATE_RESIZED(row, lower, extent, wide, ierr)
  call MPI_TYPE_COMMIT(wide, ierr)
  call MPI_TYPE_FREE(row, ierr)
  sizes = n
  subsizes = (/ 3, n - 2 /)
  starts = (/ 4, 1 /)
  call MPI_TYPE_CREATE_SUBARRAY(2, sizes, subsizes, starts, MPI_ORDER_FORTRAN, MPI_DOUBLE_PRECISION, part, ierr)
  call MPI_TYPE_COMMIT(part, ierr)
  lengths = (/ 2, 3 /)
  offsets = (/ 0, 64 /)
  kinds = (/ MPI_DOUBLE_PRECISION, MPI_INTEGER /)
  call MPI_OP_CREATE(largest, .true., own, ierr)

  do i = 1, 15
    call MPI_SENDRECV(grid(1, 1), 2, wide, right, 1, grid(n - 1, 1), 2, wide, left, 1, MPI_COMM_WORLD, status, ierr)
    call MPI_SENDRECV(grid, 1, part, left, 2, grid, 1, part, right, 2, MPI_COMM_WORLD, status, ierr)
    call MPI_TYPE_CREATE_STRUCT(2, lengths, offsets, kinds, mixed, ierr)
    call MPI_TYPE_COMMIT(mixed, ierr)
    call MPI_BCAST(grid, 1, mixed, 0, MPI_COMM_WORLD, ierr)
    call MPI_TYPE_FREE(mixed, ierr)
    total = i
    call MPI_ALLREDUCE(total, part_sum, 4, MPI_DOUBLE_PRECISION, own, MPI_COMM_WORLD, ierr)
  end do
  places = (/ 0, 20, 50 /)
  call MPI_TYPE_CREATE_INDEXED_BLOCK(3, 4, places, MPI_COMPLEX, pieces, ierr)
  call MPI_TYPE_COMMIT(pieces, ierr)
  call MPI_BCAST(grid, 1, pieces, ranks - 1, MPI_COMM_WORLD, ierr)
  call MPI_TYPE_FREE(pieces, ierr)

  call MPI_OP_FREE(own, ierr)
  call MPI_TYPE_FREE(part, ierr)
  call MPI_TYPE_FREE(wide, ierr)
  call MPI_FINALIZE(ierr)
end program

subroutine largest(in, inout, n, kind)
  implicit none
  integer :: n, kind
  double precision :: in(n), inout(n)
  inout = max(in, inout)
end subroutine
