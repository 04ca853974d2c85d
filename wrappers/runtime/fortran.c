/* The Fortran names and constants of the program's MPI. */
#include "fortran.h"

#include "callers.h"

struct skel_fortran_constants skel_fortran = {.first_index = 1};

/* Again when more libraries are loaded: what was there stays what it is. */
void skel_fortran_open(void* (*find)(const char* name), void* (*find_tool)(const char* name)) {
  const int first_index = skel_fortran.first_index;
  for (int i = 0; i < skel_fortran_count; i++) {
    if (skel_fortran_real[i]) continue;
    void* const real = find(skel_fortran_names[i].real);
    void* const tool = real ? find_tool(skel_fortran_names[i].name) : NULL;
    skel_is_tool(tool);
    skel_fortran_real[i] = tool ? tool : real;
  }
#ifdef MPICH /* mpi_f08 only: the other calls arrive as C's */
  skel_fortran =
      (struct skel_fortran_constants){.status_ignore = find("MPIR_F08_MPI_STATUS_IGNORE_OBJ"),
                                      .statuses_ignore = find("MPIR_F08_MPI_STATUSES_IGNORE_OBJ"),
                                      .unweighted = find("__mpi_f08_link_constants_MOD_mpi_unweighted"),
                                      .weights_empty = find("__mpi_f08_link_constants_MOD_mpi_weights_empty"),
                                      .first_index = first_index};
#elif defined(SKEL_SMPI) /* five names only, without these */
  skel_fortran = (struct skel_fortran_constants){.in_place = find("mpi_in_place_"),
                                                 .bottom = find("mpi_bottom_"),
                                                 .status_ignore = find("mpi_status_ignore_"),
                                                 .statuses_ignore = find("mpi_statuses_ignore_"),
                                                 .first_index = first_index};
#else
  skel_fortran = (struct skel_fortran_constants){.in_place = find("mpi_fortran_in_place_"),
                                                 .bottom = find("mpi_fortran_bottom_"),
                                                 .status_ignore = find("mpi_fortran_status_ignore_"),
                                                 .statuses_ignore = find("mpi_fortran_statuses_ignore_"),
                                                 .unweighted = find("mpi_fortran_unweighted_"),
                                                 .weights_empty = find("mpi_fortran_weights_empty_"),
                                                 .first_index = first_index};
#endif
}

void skel_fortran_try(void) {
#ifdef MPICH /* 4.0's mpi_f08 counts requests from 0, against the standard */
  void (*wait_any)(int*, MPI_Request*, int*, MPI_Status*, int*);
  static int tried;
  if (!skel_fortran_real[SKEL_mpi_waitany_f08_] || tried) return;
  tried = 1;
  memcpy(&wait_any, &skel_fortran_real[SKEL_mpi_waitany_f08_], sizeof wait_any);
  MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Status status;
  int count = 2, index = 2, error = 0;
  skel_pmpi.MPI_Irecv(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF, &requests[1]);
  wait_any(&count, requests, &index, &status, &error);
  skel_fortran.first_index = index - 1;
#endif
}

void skel_fortran_open_again(void* (*find)(const char* name), void* (*find_tool)(const char* name)) {
  const struct skel_process* const process = skel_state();
  skel_fortran_open(find, find_tool);
  if (!process->init_exit || process->finalize_entry) return;
  struct skel_stream* const s = skel_enter(); /* what is tried is no call of the program */
  skel_fortran_try();
  if (s) skel_leave(s);
}
