# Finds the MPIs by the names of their own compiler wrappers (plain mpicc may be any of them).
#   SKELGEN_MPICH_COMPILER, SKELGEN_MPICH_INCLUDE
find_program(SKELGEN_MPICH_COMPILER NAMES mpicc.mpich)
if(SKELGEN_MPICH_COMPILER)
  execute_process(COMMAND ${SKELGEN_MPICH_COMPILER} -show OUTPUT_VARIABLE shown OUTPUT_STRIP_TRAILING_WHITESPACE)
  string(REGEX MATCHALL "-I[^ ]+" flags "${shown}")
  list(TRANSFORM flags REPLACE "^-I" "")
  list(GET flags 0 SKELGEN_MPICH_INCLUDE)
endif()
