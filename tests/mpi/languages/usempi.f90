program usempi
  use mpi
  implicit none
  include 'numbers.inc'
  include 'handles.inc'
  include 'calls.inc'
end
