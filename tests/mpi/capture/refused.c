/* Calls with negative numbers of elements, which MPI refuses: nothing may be read for them. The arrays begin where
 * memory begins that may be read. */
#include <mpi.h>
#include <stddef.h>
#include <sys/mman.h>

int main(int argc, char** argv) {
  enum { BYTES = 1 << 20 };
  char* const memory = mmap(NULL, 2 * BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  int* const numbers = (int*)(memory + BYTES);
  MPI_Aint* const places = (MPI_Aint*)(memory + BYTES);
  MPI_Datatype* const types = (MPI_Datatype*)(memory + BYTES);
  MPI_Datatype made;
  MPI_Group world, group;
  int rank;
  mprotect(memory, BYTES, PROT_NONE);
  MPI_Init(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Type_indexed(-1, numbers, numbers, MPI_INT, &made);
  MPI_Type_create_hindexed(-100001, numbers, places, MPI_INT, &made);
  MPI_Type_create_struct(-1000, numbers, places, types, &made);
  MPI_Comm_group(MPI_COMM_WORLD, &world);
  MPI_Group_incl(world, -3, numbers, &group);
  for (int i = 0; i < 100000; i++) MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Finalize();
  return 0;
}
