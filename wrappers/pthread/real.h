/* The functions that this library stands before: libc's, libgomp's, or another tool's behind it. */
#ifndef SKEL_REAL_H
#define SKEL_REAL_H

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <threads.h>
#include <unistd.h>

int close_range(unsigned first, unsigned last, int flags); /* in unistd.h from glibc 2.34 on */
void closefrom(int first);

/* clang-format off */
#define SKEL_LIBC_NAMES(X) \
  X(pthread_create) X(pthread_join) X(pthread_tryjoin_np) X(pthread_timedjoin_np) X(pthread_detach) \
  X(pthread_mutex_init) X(pthread_mutex_destroy) X(pthread_mutex_lock) X(pthread_mutex_trylock) X(pthread_mutex_timedlock) \
  X(pthread_mutex_clocklock) X(pthread_mutex_unlock) \
  X(pthread_rwlock_init) X(pthread_rwlock_destroy) X(pthread_rwlock_rdlock) X(pthread_rwlock_tryrdlock) \
  X(pthread_rwlock_timedrdlock) X(pthread_rwlock_clockrdlock) X(pthread_rwlock_wrlock) X(pthread_rwlock_trywrlock) \
  X(pthread_rwlock_timedwrlock) X(pthread_rwlock_clockwrlock) X(pthread_rwlock_unlock) \
  X(pthread_spin_init) X(pthread_spin_destroy) X(pthread_spin_lock) X(pthread_spin_trylock) X(pthread_spin_unlock) \
  X(pthread_cond_init) X(pthread_cond_destroy) X(pthread_cond_wait) X(pthread_cond_timedwait) X(pthread_cond_clockwait) \
  X(pthread_cond_signal) X(pthread_cond_broadcast) \
  X(pthread_barrier_init) X(pthread_barrier_destroy) X(pthread_barrier_wait) \
  X(sem_init) X(sem_destroy) X(sem_open) X(sem_close) X(sem_wait) X(sem_trywait) X(sem_timedwait) X(sem_clockwait) X(sem_post) \
  X(pthread_once) \
  X(mtx_init) X(mtx_destroy) X(mtx_lock) X(mtx_trylock) X(mtx_timedlock) X(mtx_unlock) \
  X(cnd_init) X(cnd_destroy) X(cnd_wait) X(cnd_timedwait) X(cnd_signal) X(cnd_broadcast) \
  X(thrd_create) X(thrd_join) X(thrd_detach) X(call_once) \
  X(pipe) X(pipe2) X(socketpair) X(eventfd) X(eventfd_read) X(eventfd_write) X(close) X(dup) X(dup2) X(dup3) X(fcntl) X(fcntl64) X(close_range) X(closefrom) X(fclose) \
  X(read) X(write) X(readv) X(writev) X(send) X(recv) X(sendto) X(recvfrom) X(sendmsg) X(recvmsg) \
  X(poll) X(ppoll) X(select) X(pselect) X(epoll_wait) X(epoll_pwait) \
  X(syscall) X(_exit) X(_Exit)
/* clang-format on */

typedef struct omp_lock omp_lock; /* whatever the program's omp.h says */
typedef void skel_gomp_function(void*);
void GOMP_parallel(skel_gomp_function* function, void* data, unsigned threads, unsigned flags);
void GOMP_parallel_sections(skel_gomp_function* function, void* data, unsigned threads, unsigned count, unsigned flags);
/* With the versions that libgomp gives them. */
#define SKEL_GOMP_LOOPS(X)                               \
  X(GOMP_parallel_loop_static, "GOMP_4.0")               \
  X(GOMP_parallel_loop_dynamic, "GOMP_4.0")              \
  X(GOMP_parallel_loop_guided, "GOMP_4.0")               \
  X(GOMP_parallel_loop_nonmonotonic_dynamic, "GOMP_4.5") \
  X(GOMP_parallel_loop_nonmonotonic_guided, "GOMP_4.5")
#define SKEL_GOMP_RUNTIME_LOOPS(X)                       \
  X(GOMP_parallel_loop_runtime, "GOMP_4.0")              \
  X(GOMP_parallel_loop_nonmonotonic_runtime, "GOMP_5.0") \
  X(GOMP_parallel_loop_maybe_nonmonotonic_runtime, "GOMP_5.0")
#define SKEL_DECLARE(name, version)                                                                                  \
  void name(skel_gomp_function* function, void* data, unsigned threads, long start, long end, long incr, long chunk, \
            unsigned flags);
SKEL_GOMP_LOOPS(SKEL_DECLARE)
#undef SKEL_DECLARE
#define SKEL_DECLARE(name, version)                                                                      \
  void name(skel_gomp_function* function, void* data, unsigned threads, long start, long end, long incr, \
            unsigned flags);
SKEL_GOMP_RUNTIME_LOOPS(SKEL_DECLARE)
#undef SKEL_DECLARE
void GOMP_barrier(void);
_Bool GOMP_barrier_cancel(void);
void GOMP_loop_end(void);
_Bool GOMP_loop_end_cancel(void);
void GOMP_sections_end(void);
_Bool GOMP_sections_end_cancel(void);
void GOMP_critical_start(void);
void GOMP_critical_end(void);
void GOMP_critical_name_start(void** name);
void GOMP_critical_name_end(void** name);
void GOMP_atomic_start(void);
void GOMP_atomic_end(void);
void GOMP_ordered_start(void);
void GOMP_ordered_end(void);
void omp_set_lock(omp_lock* lock);
void omp_unset_lock(omp_lock* lock);
int omp_test_lock(omp_lock* lock);
void omp_set_nest_lock(omp_lock* lock);
void omp_unset_nest_lock(omp_lock* lock);
int omp_test_nest_lock(omp_lock* lock);

/* clang-format off */
#define SKEL_GOMP_NAMES(X) \
  X(GOMP_parallel, "GOMP_4.0") X(GOMP_parallel_sections, "GOMP_4.0") SKEL_GOMP_LOOPS(X) SKEL_GOMP_RUNTIME_LOOPS(X) \
  X(GOMP_barrier, "GOMP_1.0") X(GOMP_barrier_cancel, "GOMP_4.0") X(GOMP_loop_end, "GOMP_1.0") X(GOMP_loop_end_cancel, "GOMP_4.0") \
  X(GOMP_sections_end, "GOMP_1.0") X(GOMP_sections_end_cancel, "GOMP_4.0") \
  X(GOMP_critical_start, "GOMP_1.0") X(GOMP_critical_end, "GOMP_1.0") \
  X(GOMP_critical_name_start, "GOMP_1.0") X(GOMP_critical_name_end, "GOMP_1.0") \
  X(GOMP_atomic_start, "GOMP_1.0") X(GOMP_atomic_end, "GOMP_1.0") X(GOMP_ordered_start, "GOMP_1.0") X(GOMP_ordered_end, "GOMP_1.0") \
  X(omp_set_lock, "OMP_3.0") X(omp_unset_lock, "OMP_3.0") X(omp_test_lock, "OMP_3.0") \
  X(omp_set_nest_lock, "OMP_3.0") X(omp_unset_nest_lock, "OMP_3.0") X(omp_test_nest_lock, "OMP_3.0")
/* clang-format on */

struct skel_real {
#define SKEL_MEMBER(name) __typeof__(name)* name;
  SKEL_LIBC_NAMES(SKEL_MEMBER)
#undef SKEL_MEMBER
};

/* An OpenMP runtime. */
struct skel_openmp {
#define SKEL_MEMBER(name, version) __typeof__(name)* name;
  SKEL_GOMP_NAMES(SKEL_MEMBER)
#undef SKEL_MEMBER
  const void* library; /* where it is in memory */
};

/* Usable from the first instruction on: what may be called while names are being looked up has an address before. */
extern struct skel_real skel_real;
extern int skel_real_found;
void skel_find_real(void);

/* A process may have several runtimes. The loader binds what GCC has linked to versions that are libgomp's, and that runtimes
 * of LLVM and Intel have as well, and what clang has linked to functions of the version VERSION, which libgomp has not. Of one
 * kind there is one that all libraries share, or each caller has its own. */
enum skel_openmp_kind { skel_gnu, skel_llvm, SKEL_OPENMP_KINDS };
const void* skel_library_of(const void* address);

#endif
