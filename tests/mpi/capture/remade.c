/* Two threads use a datatype that one of them frees and makes again, of another size each time. */
#include <mpi.h>
#include <pthread.h>
#include <stddef.h>

static pthread_barrier_t turn;
static MPI_Datatype type;

static void* work(void* unused) {
  MPI_Count size;
  for (int i = 0; i < 100; i++) {
    pthread_barrier_wait(&turn);
    MPI_Type_size_x(type, &size);
    pthread_barrier_wait(&turn);
  }
  return unused;
}

int main(int argc, char** argv) {
  int provided;
  MPI_Count size;
  pthread_t thread;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  pthread_barrier_init(&turn, NULL, 2);
  pthread_create(&thread, NULL, work, NULL);
  for (int i = 0; i < 100; i++) {
    MPI_Type_contiguous(i % 3 + 1, MPI_INT, &type);
    MPI_Type_size_x(type, &size);
    pthread_barrier_wait(&turn);
    pthread_barrier_wait(&turn);
    MPI_Type_free(&type);
  }
  pthread_join(thread, NULL);
  MPI_Finalize();
  return 0;
}
