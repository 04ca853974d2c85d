/* Stands in for PAPI where the machine counts nothing: every set of events is an open file. */
#include <fcntl.h>
#include <unistd.h>

int PAPI_library_init(int version) { return version; }
int PAPI_thread_init(unsigned long (*number)(void)) { return (void)number, 0; }
int PAPI_create_eventset(int* set) { return (*set = open("/dev/null", O_RDONLY)) < 0; }
int PAPI_add_named_event(int set, const char* name) { return (void)set, (void)name, 0; }
int PAPI_cleanup_eventset(int set) { return (void)set, 0; }
int PAPI_destroy_eventset(int* set) {
  const int status = close(*set);
  return *set = -1, status;
}
int PAPI_start(int set) { return (void)set, 0; }
int PAPI_stop(int set, long long* values) { return (void)set, *values = 1, 0; }
int PAPI_read(int set, long long* values) { return (void)set, *values = 1, 0; }
int PAPI_unregister_thread(void) { return 0; }
char* PAPI_strerror(int status) { return (void)status, "no"; }
