#include "cli/command_texts.h"

#include <map>

namespace skelgen::cli {
namespace {

const Named kTrace{"DIR/meta.json, DIR/rank-NNNNNN.skt", "a trace: what ran, and the calls of each rank"};
const Named kSkeleton{"SKEL/skeleton.c, skel.h, skel.c, Makefile, README.md, skeleton.json",
                      "a skeleton: needs nothing but an MPI compiler and make"};
const Named kTemporary{"TMPDIR", "where temporary files go when the working directory cannot be written"};
const Named kScratch{"SKEL_SCRATCH", "directory for the files that a skeleton with MPI-IO reads and writes"};
const Named kPreload{"LD_PRELOAD", "libskeltrace.so is put before what stands there"};
const char* const kLaunchersStatus =
    "The launcher's; 1 when what it left cannot be used, 2 wrong usage, 125 when skelgen itself fails before the "
    "launch "
    "or sees no rank, 127 when the launcher is not found";

const std::map<std::string, CommandTexts>& all() {
  static const std::map<std::string, CommandTexts> texts{
      {"",
       {{{"skelgen trace -o app.trace -- mpiexec -n 4 ./app", "record a run"},
         {"skelgen build app.trace -o app.skel", "make a skeleton that runs about ten times shorter"},
         {"skelgen predict app.skel -- mpiexec -n 4", "run it, here or on another machine, and predict the run time"},
         {"skelgen report app.trace app.skel", "say on one page what made the run long"}},
        {kTrace, kSkeleton},
        {kTemporary},
        "0 done, 1 the operation failed or a comparison did not hold, 2 wrong usage. trace and time return the "
        "launcher's status, 125 when skelgen itself fails before the launch, 127 when the launcher is not found"}},
      {"trace",
       {{{"skelgen trace -o app.trace --runs 5 -- mpiexec -n 4 ./app input.txt",
          "trace five runs, keep the complete one of median time"},
         {"skelgen trace --online -- srun -n 64 ./app", "measure a long run, keep no records"},
         {"LD_PRELOAD=$(pkg-config --variable=capture skelgen) SKELGEN_OUT=app.trace mpiexec -n 4 ./app",
          "the same without skelgen, as in a batch script"}},
        {kTrace},
        {kPreload,
         {"SKELGEN_OUT", "directory of the trace, as -o"},
         {"SKELGEN_MODE", "record, time or off"},
         {"SKELGEN_COUNTERS, SKELGEN_SITES, SKELGEN_ONLINE, SKELGEN_CPU_TIME",
          "as the options --counters, --sites, "
          "--online and --yield"},
         {"SKELGEN_SPEEDS", "0: the processor's speeds are not measured"},
         {"SLURM_JOB_ID, PBS_JOBID, LSB_JOBID, JOB_ID",
          "number of the batch job, in the default name of a trace where another trace has that name"}},
        kLaunchersStatus}},
      {"profile",
       {{{"skelgen profile app.trace -- mpiexec -n 4 ./app input.txt", "the line that was traced, once more"}},
        {kTrace, {"DIR/work/", "the profiles, in the trace that they belong to"}},
        {kPreload, {"VALGRIND_LIB", "set for the program: where the tool is"}}}},
      {"time",
       {{{"skelgen time --runs 5 --json -- mpiexec -n 4 ./app > app.json", "five runs, for skelgen compare"}},
        {},
        {kPreload, kTemporary},
        kLaunchersStatus}},
      {"info",
       {{{"skelgen info app.trace", "ranks, calls, functions"}, {"skelgen info app.skel", "phases"}},
        {kTrace, kSkeleton},
        {}}},
      {"dump",
       {{{"skelgen dump app.trace --rank 0 --count 100", "the first hundred calls of rank 0"},
         {"skelgen dump app.trace --json | jq 'select(.function == \"MPI_Send\")'", "all sends"}},
        {kTrace},
        {}}},
      {"build",
       {{{"skelgen build app.trace -o app.skel --scale 20", "loops run about a twentieth of their iterations"},
         {"skelgen build app.trace --budget 10", "the skeleton runs ten seconds at most"},
         {"skelgen build app.trace --emit text", "the folded program, to read or to edit"},
         {"skelgen build app.skel.txt --ranks 64 -o app.skel", "of a skeleton for any number of ranks"}},
        {kTrace, kSkeleton},
        {kTemporary},
        "0 done, 1 the operation failed, or the skeleton would not make the calls of the trace, 2 wrong usage"}},
      {"generalize",
       {{{"skelgen generalize app.4.trace app.8.trace app.16.trace -o app.skel.txt",
          "one skeleton for any number of ranks"},
         {"skelgen verify app.64.trace app.skel.txt", "does it say what 64 ranks call?"}},
        {kTrace},
        {}}},
      {"predict",
       {{{"skelgen predict app.skel -- mpiexec -n 4", "here"},
         {"skelgen predict app.skel -- mpiexec.openmpi -n 4", "with another MPI, whose compiler is found"},
         {"skelgen predict --compute work app.skel -- srun -n 64", "on other processors"},
         {"skelgen predict app.skel --platform homo:16:1Gf:1Gb/s:50us", "on a simulated platform"}},
        {kSkeleton},
        {kTemporary, kScratch},
        "0 done, 1 the operation failed, 2 wrong usage; the launcher's (or 128 and the signal's number) where a signal "
        "ended a series of launches"}},
      {"verify",
       {{{"skelgen verify app.trace app.skel -- mpiexec -n 4", "does the skeleton make the calls of the program?"}},
        {kTrace, kSkeleton},
        {kTemporary, kScratch},
        "0 done, 1 the operation failed, or the calls differ, 2 wrong usage"}},
      {"metrics",
       {{{"skelgen metrics app.trace", "what made the run long"},
         {"skelgen metrics --rho rho.json app.trace", "with the ranks' relative speeds, from skelgen calibrate"}},
        {kTrace},
        {}}},
      {"report",
       {{{"skelgen report app.trace app.skel --prediction prediction.json -o app.html", "all on one page"}},
        {kTrace, kSkeleton, {"report.html", "the page; it needs no network"}},
        {kTemporary}}},
      {"compare",
       {{{"skelgen compare old.json new.json --max-regress 5", "fail when new runs are more than 5 % slower"},
         {"skelgen compare old.trace new.trace", "functions and phases side by side"}},
        {kTrace, kSkeleton, {"OLD, NEW", "or files that predict --json and time --json printed"}},
        {},
        "0 done, 1 the operation failed, or NEW is slower than --max-regress allows, 2 wrong usage"}},
      {"calibrate",
       {{{"skelgen calibrate -o rho.json -- mpiexec -n 4", "how fast each rank's processor is"}},
        {{"RHO.json", "the relative speeds, for metrics --rho and model --rho"}},
        {kTemporary}}},
      {"netbench",
       {{{"skelgen netbench -o net.json -- mpiexec -n 4", "start-up times and bandwidths between the ranks"}},
        {{"NET.json", "the network, for skelgen model"},
         {"NET.json.points", "what is measured so far; the same command goes on from there"}},
        {kTemporary}}},
      {"model",
       {{{"skelgen model app.trace --net net.json", "run time and communication on the network of netbench"},
         {"skelgen model app.trace --net net.json --ranks 2,4,8", "speed-up, by Liu's formula"},
         {"skelgen model app.skel.txt --net net.json --ranks 16,64,256",
          "speed-up and efficiency of a skeleton for any number of ranks"}},
        {{"NET.json", "what skelgen netbench -o wrote"}},
        {}}},
      {"threads",
       {{{"skelgen threads app.trace", "loops, layers and what they cost"},
         {"skelgen threads app.trace --change 2=0.5", "the run time with half the work of thread 2"},
         {"skelgen threads app.trace --dot app.dot", "the synchronisation graph, for Graphviz"}},
        {{"DIR/threads-HOST-PID.skt", "what the threads of one process did to each other"}},
        {}}},
      {"doctor",
       {{{"skelgen doctor", "what is here and what is missing"}},
        {{"/proc/sys/kernel/perf_event_paranoid", "whether hardware counters may be read"}},
        {{"PATH", "where MPIs are looked for"}, kTemporary}}},
  };
  return texts;
}

}  // namespace

CommandTexts texts_of(const std::string& command) {
  const auto found = all().find(command);
  return found == all().end() ? CommandTexts() : found->second;
}

}  // namespace skelgen::cli
