#include "describe.h"

#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "callers.h"
#include "counters.h"
#include "probe.h"
#include "skel_kernels.h"
#include "skel_processor.h"

void skel_add_mpi(struct skel_text* t) {
  const char* const library = skel_state()->library;
  char version[64] = "";
#ifdef MPICH /* "MPICH Version:\t4.0.2\nMPICH Release date..." */
  static const char name[] = "MPICH", before[] = "Version:";
#elif defined(SKEL_SMPI) /* "SMPI Version 3.32. Copyright ..." */
  static const char name[] = "SMPI", before[] = "Version";
#else                    /* "Open MPI v4.1.4, package: ..." */
  static const char name[] = "Open MPI", before[] = "Open MPI v";
#endif
  const char* const found = strstr(library, before);
  if (found) sscanf(found + strlen(before), " %63[^ ,\n]", version);
  const size_t length = strlen(version);
  if (length && version[length - 1] == '.') version[length - 1] = 0;
  skel_add(t, "\"mpi\":{\"name\":\"%s\",\"version\":", name);
  skel_add_string(t, version);
  skel_add(t, "}");
}

static void add_speeds(struct skel_text* t, const struct skel_speeds* speeds) {
#ifdef SKEL_SMPI /* operations of the simulated host */
  skel_add(t, "\"speeds\":{\"flops\":%.9g}", speeds->flops);
#else
  skel_add(t, "\"speeds\":{\"register\":%.6g,\"memory\":%.6g,\"kernels\":{",
           SKEL_REGISTER_UNITS * speeds->of[SKEL_INTEGER].passes,
           SKEL_MEMORY_UNITS * speeds->of[SKEL_STREAM_32M].passes);
  for (int i = 0; i < SKEL_KERNELS; i++)
    skel_add(t, "%s\"%s\":[%.5g,%.3g]", i ? "," : "", skel_kernel_name[i], speeds->of[i].passes, speeds->of[i].noise);
  skel_add(t, "}}");
#endif
}

void skel_describe_begin(struct skel_text* t) {
  const struct skel_process* const process = skel_state();
  char host[256] = "", boot[64] = "";
  skel_host_name(host, sizeof host);
  const int file = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  if (file >= 0) {
    const ssize_t length = read(file, boot, sizeof boot - 1);
    boot[length > 0 ? length - (boot[length - 1] == '\n') : 0] = 0;
    close(file);
  }
  skel_add(t, "{\"format\":%d,\"rank\":%d,\"ranks\":%d,\"run_id\":\"%016llx\",\"host\":", SKT_VERSION, process->rank,
           process->ranks, (unsigned long long)process->run_id);
  skel_add_string(t, host);
  skel_add(t, ",\"boot_id\":");
  skel_add_string(t, boot);
  skel_add(t, ",\"pid\":%ld,", (long)getpid());
  skel_add_mpi(t);
  skel_add(t, ",");
  skel_add_clock(t, process->origin, process->clock);
  skel_add(t, ",\"columns\":[");
  for (int i = 0; i < skel_counter_count(); i++) {
    if (i) skel_add(t, ",");
    skel_add_string(t, skel_counter_name(i));
  }
  skel_add(t, "],\"record_cost_ticks\":%llu,\"cpu_cost_ns\":%llu,\"init_entry_ticks\":%llu,\"init_exit_ticks\":%llu,",
           (unsigned long long)process->record_cost, (unsigned long long)process->cpu_cost_ns,
           (unsigned long long)process->init_entry, (unsigned long long)process->init_exit);
  add_speeds(t, &process->speeds);
#ifndef SKEL_SMPI
  char processor[SKEL_PROCESSOR_BYTES];
  skel_processor(processor);
  skel_add(t, ",\"processor\":");
  skel_add_string(t, processor);
#endif
  skel_add(t, ",\"knows_cancelled\":true");
  if (process->online) skel_add(t, ",\"online\":true");
  skel_add(t, ",\"application\":");
  skel_add_string(t, skel_application());
  skel_add(t, ",\"command\":");
  skel_add_command(t);
  skel_add(t, "}");
}

void skel_describe_end(struct skel_text* t, const char* how, struct skel_counted counted) {
  const struct skel_process* const process = skel_state();
  skel_add(
      t, "{\"calls\":%llu,\"dropped\":%llu,\"suspended_calls\":%llu,\"clock_pair\":", (unsigned long long)counted.calls,
      (unsigned long long)counted.dropped, (unsigned long long)counted.suspended);
  skel_add_clock_pair(t, skel_clock_read_pair());
  if (process->finalize_entry) {
    skel_add(t, ",\"finalize_entry_ticks\":%llu", (unsigned long long)process->finalize_entry);
    if (process->finalize_exit)
      skel_add(t, ",\"finalize_exit_ticks\":%llu", (unsigned long long)process->finalize_exit);
  }
  if (process->finalize_exit && process->core_wait_ns[0] >= 0 && process->core_wait_ns[1] >= process->core_wait_ns[0])
    skel_add(t, ",\"core_wait_ns\":%lld", (long long)(process->core_wait_ns[1] - process->core_wait_ns[0]));
  skel_add(t, ",\"working_set_bytes\":%llu,",
           (unsigned long long)(process->working_set ? process->working_set : skel_peak_memory()));
  struct skel_speeds speeds = process->speeds;
  if (process->finalize_exit) skel_probe_speeds(&speeds);
  add_speeds(t, &speeds);
  if (skel_records_sites()) {
    skel_add(t, ",\"modules\":");
    skel_add_modules(t);
  }
  skel_add(t, ",\"exit\":\"%s\"}", how);
}
