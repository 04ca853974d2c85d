      program mpif
      implicit none
      include 'mpif.h'
      include 'numbers.inc'
      include 'handles.inc'
      include 'calls.inc'
      end
