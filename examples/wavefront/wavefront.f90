! Symmetric Gauss-Seidel relaxation of a diffusion problem in a cube, exactly as one process would do it.
!
! Pattern: a pipelined two-dimensional sweep. Columns of points are distributed over a grid of ranks; the planes are swept
! one after the other. A plane needs new values of its western and northern neighbours before it starts and hands its own
! to the east and south, so that a wavefront of planes runs over the grid of ranks; backward sweeps run the other way.
!
!   mpiexec -n 2 ./wavefront [SIZE [STEPS]]        SIZE**3 points, default 96 440; any number of ranks
!
! Checks the error against the known solution: each sweep makes the largest error at least 6/8 times smaller.
program wavefront
  use mpi
  implicit none
  integer, parameter :: dp = kind(1d0)
  integer :: size, steps, step, ranks, rank, grid, ierr
  integer :: west, east, north, south, dims(2), coords(2)
  integer :: nx, ny, first_x, first_y   ! points of this rank in x and y; all SIZE planes in z
  real(dp), allocatable :: u(:, :, :)   ! with a border: values of the neighbours, or of the walls
  real(dp), allocatable :: column(:)    ! the points of a plane that face west or east
  real(dp) :: error, largest

  call MPI_Init(ierr)
  size = argument(1, 96)
  steps = argument(2, 440)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  dims = 0
  call MPI_Dims_create(ranks, 2, dims, ierr)
  call MPI_Cart_create(MPI_COMM_WORLD, 2, dims, [.false., .false.], .true., grid, ierr)
  call MPI_Comm_rank(grid, rank, ierr)
  call MPI_Cart_coords(grid, rank, 2, coords, ierr)
  call MPI_Cart_shift(grid, 0, 1, west, east, ierr)
  call MPI_Cart_shift(grid, 1, 1, north, south, ierr)
  if (size < maxval(dims) .or. steps < 1) then
    if (rank == 0) print '(a)', 'usage: wavefront [SIZE [STEPS]], at least one column of points per rank'
    call MPI_Finalize(ierr)
    if (rank == 0) stop 2
    stop
  end if
  first_x = coords(1) * size / dims(1)
  first_y = coords(2) * size / dims(2)
  nx = (coords(1) + 1) * size / dims(1) - first_x
  ny = (coords(2) + 1) * size / dims(2) - first_y
  allocate (u(0:nx + 1, 0:ny + 1, 0:size + 1), column(ny))
  call start

  do step = 1, steps
    call sweep_forward
    call sweep_backward
  end do

  error = worst()
  call MPI_Reduce(error, largest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, 0, grid, ierr)
  call MPI_Comm_free(grid, ierr)
  call MPI_Finalize(ierr)
  if (rank == 0) then
    print '(a, i0, a, i0, a, es9.2)', 'wavefront: ', size, '**3 points, ', steps, ' steps, error ', largest
    if (.not. largest <= (6d0 / 8d0)**(2 * steps) + 1d-12) stop 1
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

  ! The solution at a point of this rank, between 0 and 1. It is linear, so that 8 u - (sum of six neighbours) = 2 u.
  pure real(dp) function solution(i, j, k)
    integer, intent(in) :: i, j, k
    solution = (first_x + i + 2 * (first_y + j) + 3 * k) / (6d0 * (size + 1))
  end function

  ! Zero inside the cube, the solution on its walls.
  subroutine start
    integer :: i, j, k
    u = 0
    do k = 0, size + 1
      do j = 0, ny + 1
        do i = 0, nx + 1
          if (any([first_x + i, first_y + j, k] == 0) .or. any([first_x + i, first_y + j, k] == size + 1)) &
            u(i, j, k) = solution(i, j, k)
        end do
      end do
    end do
  end subroutine

  subroutine sweep_forward
    integer :: j, k, status(MPI_STATUS_SIZE)
    do k = 1, size
      if (west /= MPI_PROC_NULL) then
        call MPI_Recv(column, ny, MPI_DOUBLE_PRECISION, west, 1, grid, status, ierr)
        u(0, 1:ny, k) = column
      end if
      if (north /= MPI_PROC_NULL) call MPI_Recv(u(1, 0, k), nx, MPI_DOUBLE_PRECISION, north, 2, grid, status, ierr)
      do j = 1, ny
        call relax_line(j, k, 1, nx, 1)
      end do
      if (east /= MPI_PROC_NULL) then
        column = u(nx, 1:ny, k)
        call MPI_Send(column, ny, MPI_DOUBLE_PRECISION, east, 1, grid, ierr)
      end if
      if (south /= MPI_PROC_NULL) call MPI_Send(u(1, ny, k), nx, MPI_DOUBLE_PRECISION, south, 2, grid, ierr)
    end do
  end subroutine

  subroutine sweep_backward
    integer :: j, k, status(MPI_STATUS_SIZE)
    do k = size, 1, -1
      if (east /= MPI_PROC_NULL) then
        call MPI_Recv(column, ny, MPI_DOUBLE_PRECISION, east, 3, grid, status, ierr)
        u(nx + 1, 1:ny, k) = column
      end if
      if (south /= MPI_PROC_NULL) &
        call MPI_Recv(u(1, ny + 1, k), nx, MPI_DOUBLE_PRECISION, south, 4, grid, status, ierr)
      do j = ny, 1, -1
        call relax_line(j, k, nx, 1, -1)
      end do
      if (west /= MPI_PROC_NULL) then
        column = u(1, 1:ny, k)
        call MPI_Send(column, ny, MPI_DOUBLE_PRECISION, west, 3, grid, ierr)
      end if
      if (north /= MPI_PROC_NULL) call MPI_Send(u(1, 1, k), nx, MPI_DOUBLE_PRECISION, north, 4, grid, ierr)
    end do
  end subroutine

  subroutine relax_line(j, k, from, to, direction)
    integer, intent(in) :: j, k, from, to, direction
    integer :: i
    do i = from, to, direction
      u(i, j, k) = 0.125d0 * (2 * solution(i, j, k) + u(i - 1, j, k) + u(i + 1, j, k) + u(i, j - 1, k) &
                              + u(i, j + 1, k) + u(i, j, k - 1) + u(i, j, k + 1))
    end do
  end subroutine

  real(dp) function worst()
    integer :: i, j, k
    worst = 0
    do k = 1, size
      do j = 1, ny
        do i = 1, nx
          worst = max(worst, abs(u(i, j, k) - solution(i, j, k)))
        end do
      end do
    end do
  end function
end program
