program f08
  use mpi_f08
  implicit none
  include 'numbers.inc'
  type(MPI_Comm) ring, half, line, graph
  type(MPI_Group) world, pair
  type(MPI_Request) request, requests(4)
  type(MPI_Status) status, statuses(4)
  type(MPI_Datatype) column, both, types(2)
  type(MPI_Info) info
  type(MPI_Win) window
  type(MPI_File) file
  type(MPI_Message) message
  include 'calls.inc'
end
