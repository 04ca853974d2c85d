# Finds MPICH by the names of its own compiler wrappers and launcher (plain mpicc may be any MPI's).
#   SKELGEN_MPICH_COMPILER, SKELGEN_MPICH_EXEC, SKELGEN_MPICH_INCLUDE (where mpi.h is)
#   SKELGEN_MPICH_FORTRAN: only tests need it; not found without a Fortran compiler
find_program(SKELGEN_MPICH_COMPILER mpicc.mpich)
find_program(SKELGEN_MPICH_EXEC mpiexec.mpich)
find_program(SKELGEN_MPICH_FORTRAN mpifort.mpich)
find_program(SKELGEN_MPICH_CXX mpicxx.mpich)
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

# Open MPI, if it is there: a back end for it, and tests.
#   SKELGEN_OPENMPI_COMPILER, SKELGEN_OPENMPI_EXEC, SKELGEN_OPENMPI_INCLUDE, SKELGEN_OPENMPI_LIBRARY (libmpi.so), SKELGEN_OPENMPI_FORTRAN
find_program(SKELGEN_OPENMPI_COMPILER mpicc.openmpi)
find_program(SKELGEN_OPENMPI_EXEC mpiexec.openmpi)
find_program(SKELGEN_OPENMPI_FORTRAN mpifort.openmpi)
find_program(SKELGEN_OPENMPI_CXX mpicxx.openmpi)
if(SKELGEN_OPENMPI_COMPILER AND NOT SKELGEN_OPENMPI_INCLUDE)
  execute_process(COMMAND ${SKELGEN_OPENMPI_COMPILER} --showme:incdirs OUTPUT_VARIABLE include OUTPUT_STRIP_TRAILING_WHITESPACE)
  execute_process(COMMAND ${SKELGEN_OPENMPI_COMPILER} --showme:libdirs OUTPUT_VARIABLE libraries OUTPUT_STRIP_TRAILING_WHITESPACE)
  separate_arguments(include)
  separate_arguments(libraries)
  find_path(SKELGEN_OPENMPI_INCLUDE mpi.h PATHS ${include} NO_DEFAULT_PATH)
  find_library(SKELGEN_OPENMPI_LIBRARY mpi PATHS ${libraries} NO_DEFAULT_PATH)
endif()
# mpi.h declares what was removed from MPI, too, which Fortran programs may call.
set(SKELGEN_OPENMPI_DEFINITIONS -DOMPI_OMIT_MPI1_COMPAT_DECLS=0 -DOMPI_REMOVED_USE_STATIC_ASSERT=0 "-D__mpi_interface_removed__(a,b)=")

# SimGrid's SMPI, which simulates, if it is there: a back end for it, and tests.
#   SKELGEN_SMPI_COMPILER, SKELGEN_SMPI_EXEC, SKELGEN_SMPI_INCLUDE, SKELGEN_SMPI_LIBRARY (libsimgrid.so), SKELGEN_SMPI_FORTRAN
find_program(SKELGEN_SMPI_COMPILER smpicc)
find_program(SKELGEN_SMPI_EXEC smpirun)
find_program(SKELGEN_SMPI_FORTRAN smpiff)
if(SKELGEN_SMPI_COMPILER AND SKELGEN_SMPI_EXEC AND NOT SKELGEN_SMPI_INCLUDE)
  get_filename_component(bin ${SKELGEN_SMPI_COMPILER} DIRECTORY)
  find_path(SKELGEN_SMPI_INCLUDE mpi.h PATHS ${bin}/../include/smpi NO_DEFAULT_PATH)
  find_library(SKELGEN_SMPI_LIBRARY simgrid HINTS ${bin}/../lib)
endif()
