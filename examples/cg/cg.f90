! Linear systems with a dense symmetric matrix by conjugate gradients, the matrix distributed over a 2-D grid of ranks.
!
! Pattern: reductions along the rows of the grid and an exchange with the transpose partner. A rank owns one block of the
! matrix and the part of each vector that belongs to the block's columns; all ranks of a grid column own the same part. A
! product with the matrix leaves sums to be added along the row; the result belongs to the block's rows, and the partner
! on the other side of the diagonal has the part that belongs to our columns. Right-hand sides come from the
! first row of the grid, by a broadcast down the columns.
!
!   mpiexec -n 2 ./cg [SIZE [SOLVES]]        default 1024 320; the grid is q x q or q x 2q, for 1, 2, 4, 8, 9, 16... ranks,
!                                            and 2q divides SIZE
!
! Checks the solutions: the matrix a(i, j) = 0.5**|i - j| has a known inverse.
program cg
  use mpi
  implicit none
  integer, parameter :: dp = kind(1d0), iterations = 30
  integer :: size, solves, solve, ranks, rank, q, wide, ierr
  integer :: row, column, row_comm, column_comm, partner
  integer :: height, width, first     ! rows and columns of our block; columns before it
  real(dp), allocatable :: a(:, :)    ! columns of the block are columns here
  real(dp), allocatable :: b(:), x(:), r(:), p(:), ap(:), row_part(:), row_sum(:)
  real(dp) :: error, largest

  call MPI_Init(ierr)
  size = argument(1, 1024)
  solves = argument(2, 320)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  q = int(sqrt(ranks + 0.5))
  wide = ranks / q**2                 ! grid columns for each grid row: 1 or 2
  if (wide == 1 .and. q * q /= ranks) q = int(sqrt(ranks / 2 + 0.5))
  wide = ranks / q**2
  if (wide > 2 .or. q * q * wide /= ranks .or. size < wide * q .or. mod(size, wide * q) /= 0 .or. solves < 1) then
    if (rank == 0) print '(a)', 'usage: cg [SIZE [SOLVES]], with q*q or q*2q ranks, and SIZE a multiple of 2q'
    call MPI_Finalize(ierr)
    if (rank == 0) stop 2
    stop
  end if
  row = rank / (wide * q)
  column = mod(rank, wide * q)
  call MPI_Comm_split(MPI_COMM_WORLD, row, column, row_comm, ierr)
  call MPI_Comm_split(MPI_COMM_WORLD, column, row, column_comm, ierr)
  partner = column / wide * (wide * q) + wide * row + mod(column, wide)

  height = size / q
  width = size / (wide * q)
  first = column * width
  allocate (a(height, width), b(width), x(width), r(width), p(width), ap(width), row_part(height), row_sum(height))
  call fill_matrix

  error = 0
  do solve = 1, solves
    call right_hand_side
    call conjugate_gradients
    error = max(error, worst())
  end do

  call MPI_Reduce(error, largest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, 0, MPI_COMM_WORLD, ierr)
  call MPI_Comm_free(row_comm, ierr)
  call MPI_Comm_free(column_comm, ierr)
  call MPI_Finalize(ierr)
  if (rank == 0) then
    print '(a, i0, a, i0, a, es9.2)', 'cg: ', size, ' unknowns, ', solves, ' solves, error ', largest
    if (.not. largest < 1d-6) stop 1
  end if

contains

  integer function argument(position, default)
    integer, intent(in) :: position, default
    character(len=32) :: text
    integer :: failed
    argument = default
    if (command_argument_count() < position) return
    call get_command_argument(position, text)
    read (text, *, iostat=failed) argument
    if (failed /= 0) argument = 0
  end function

  ! Far from the diagonal the elements are 0: so small ones change no sum, and would be subnormal numbers, which some
  ! processors take a hundred times as long for.
  subroutine fill_matrix
    integer :: i, j, away
    do j = 1, width
      do i = 1, height
        away = abs(row * height + i - (first + j))
        a(i, j) = 0
        if (away <= 500) a(i, j) = 0.5d0**away
      end do
    end do
  end subroutine

  ! Element i of this solve's right-hand side, 0 outside the vector.
  pure real(dp) function element(i)
    integer, intent(in) :: i
    element = 0
    if (i >= 1 .and. i <= size) element = sin(1d0 * i * solve)
  end function

  subroutine right_hand_side
    integer :: i
    if (row == 0) b = [(element(first + i), i = 1, width)]
    call MPI_Bcast(b, width, MPI_DOUBLE_PRECISION, 0, column_comm, ierr)
  end subroutine

  subroutine conjugate_gradients
    integer :: iteration
    real(dp) :: rho, previous, alpha
    x = 0
    r = b
    p = r
    rho = dot(r, r)
    do iteration = 1, iterations
      call multiply
      alpha = rho / dot(p, ap)
      x = x + alpha * p
      r = r - alpha * ap
      previous = rho
      rho = dot(r, r)
      p = r + rho / previous * p
    end do
  end subroutine

  ! ap = A p
  subroutine multiply
    integer :: j, status(MPI_STATUS_SIZE), half
    row_part = 0
    do j = 1, width
      row_part = row_part + a(:, j) * p(j)
    end do
    call MPI_Allreduce(row_part(1), row_sum(1), height, MPI_DOUBLE_PRECISION, MPI_SUM, row_comm, ierr)
    half = mod(column, wide) * width  ! in a wide grid, we and the partner need the same half of each other's rows
    call MPI_Sendrecv(row_sum(half + 1), width, MPI_DOUBLE_PRECISION, partner, 1, ap, width, MPI_DOUBLE_PRECISION, &
                      partner, 1, MPI_COMM_WORLD, status, ierr)
  end subroutine

  ! All ranks of a grid row together own a vector once.
  real(dp) function dot(left, right)
    real(dp), intent(in) :: left(:), right(:)
    real(dp) :: part
    part = dot_product(left, right)
    call MPI_Allreduce(part, dot, 1, MPI_DOUBLE_PRECISION, MPI_SUM, row_comm, ierr)
  end function

  ! Largest difference between our part of x and the known solution: the inverse of the matrix has three diagonals.
  real(dp) function worst()
    integer :: i, j
    real(dp) :: diagonal
    worst = 0
    do i = 1, width
      j = first + i
      diagonal = merge(1d0, 1.25d0, j == 1 .or. j == size)
      worst = max(worst, abs(x(i) - (diagonal * element(j) - 0.5d0 * (element(j - 1) + element(j + 1))) / 0.75d0))
    end do
  end function
end program
