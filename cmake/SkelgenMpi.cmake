# Finds MPICH by the names of its own compiler wrappers and launcher (plain mpicc may be any MPI's).
#   SKELGEN_MPICH_COMPILER, SKELGEN_MPICH_EXEC, SKELGEN_MPICH_INCLUDE (where mpi.h is)
#   SKELGEN_MPICH_FORTRAN: only tests need it; not found without a Fortran compiler
find_program(SKELGEN_MPICH_COMPILER mpicc.mpich)
find_program(SKELGEN_MPICH_EXEC mpiexec.mpich)
find_program(SKELGEN_MPICH_FORTRAN mpifort.mpich)
if(NOT SKELGEN_MPICH_COMPILER OR NOT SKELGEN_MPICH_EXEC)
  message(FATAL_ERROR "mpicc.mpich or mpiexec.mpich not found: install mpich and libmpich-dev (scripts/install-packages build)")
endif()
if(NOT SKELGEN_MPICH_INCLUDE)
  execute_process(COMMAND ${SKELGEN_MPICH_COMPILER} -show OUTPUT_VARIABLE shown OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT shown MATCHES " -I([^ ]+)")
    message(FATAL_ERROR "${SKELGEN_MPICH_COMPILER} -show names no directory with -I, but says: ${shown}\n"
                        "Give the directory of its mpi.h: -DSKELGEN_MPICH_INCLUDE=DIR")
  endif()
  set(SKELGEN_MPICH_INCLUDE ${CMAKE_MATCH_1})
endif()
