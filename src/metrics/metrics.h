#pragma once
// Measures of a traced run: how concurrent it was, and where its time went.

#include <compare>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "support/units.h"
#include "trace/trace.h"

namespace skelgen::metrics {

/// A measure with a denominator that may be 0.
using Measure = std::optional<double>;

/// Time-based measures (He & Sun 1997): useful computation, and time blocked in MPI. All times are scaled with the processor's rho. Phi_3 stands in per_rank (one
/// entry per location, ordered by rank, then thread: one per rank unless several threads call MPI).
struct HeSun {
  Measure alpha;
  double wt = 0, vol = 0, ht = 0;              ///< seconds
  Measure phi1, phi2, phi4, phi5, phi6, phi7;  ///< of the whole computation
  Measure phi5_rho, phi6_rho, phi7_rho;        ///< with processor speeds, as the paper defines them
  Measure phi6_balanced;  ///< sum |W_k - rho_k Phi_5'| / rho: 0 if each rank has what its speed asks for
  struct PerRank {
    double computing_s = 0, blocked_s = 0;
    Measure phi3;
    Location where = {};
  };
  std::vector<PerRank> per_rank;
};

/// Event-count measures (Raynal, Mizuno & Neilsen 1991); theta4..6 per location, theta4_relative is theta_4'. beta is
/// Fidge's. Internal events are one for each unit_s that a location has computed; without a unit one for what it computes
/// between two events, however long. Other calls than those that are events do not count.
struct Raynal {
  std::optional<double> unit_s;
  Measure alpha, beta;
  double weight = 0, volume = 0, height = 0;
  std::vector<double> theta4;
  std::vector<Measure> theta4_relative, theta5, theta6;
};

/// Charron-Bost's m: how many of the states that a run with so many events per rank may pass through this one may; 0 for a
/// sequential and 1 for a fully concurrent one. Events are those of Raynal. Exact, so only for small runs.
struct CharronBost {
  Measure m;
  std::string reason;  ///< why there is none
};

/// POP efficiencies, 0..1: parallel = load_balance x communication, communication = serialization x transfer. T is the
/// time from the first rank's exit of MPI_Init to the last one's entry of MPI_Finalize; serialization compares the
/// busiest rank with the longest chain of computation (the run on a network that costs nothing), transfer that chain
/// with T.
struct Pop {
  Measure parallel, load_balance, communication, serialization, transfer;
};

/// A part of the run, begun by each location with a call of its own and the computation before it.
struct PhaseBegin {
  std::string name;
  std::vector<std::uint64_t> begins;  ///< by location: number of its first call in the phase, of all recorded ones
};
/// In the order of the run; the first one begins with everybody's call 0.
using Phases = std::vector<PhaseBegin>;

/// A phase, by the clocks of the locations: each has its own time in it, from the end of its last call before the phase to
/// the end of its last call in it. Pop is as of the whole run, with the time of the location that took longest instead of
/// T; the ideal time is that of the location that takes longest when the whole run is replayed on a network that costs
/// nothing. So transfer may be above 1, where locations come to the phase further apart on that network.
struct PhaseMeasures {
  std::string name;
  double seconds = 0;  ///< of the location that took longest
  Measure share;       ///< of the time of all locations; all phases have 1 together
  Pop pop;
  Measure alpha;  ///< of He & Sun inside the phase: see Windows
};

/// He & Sun's alpha inside windows of time: (dwt - ht) / (dvol - ht), where weight and volume are those of the window and ht
/// is the longest chain of computation inside it. Unlike that of a region it knows nothing of what went before.
struct Windows {
  double length_s = 0;  ///< of each; the first begins with the run
  std::vector<Measure> alpha;
};

/// The chain of computation and waiting that the end of the run waited for, found backwards from the last rank to reach
/// MPI_Finalize: where a call waited for another rank, also for its receive, the chain goes on there. Not so where it
/// waited in one-sided communication for a target.
struct CriticalPath {
  static constexpr const char* kComputation = "computation";
  static constexpr const char* kLocalCalls = "local MPI calls";      ///< that need no other rank
  static constexpr const char* kWithoutCore = "waiting for a core";  ///< between calls, ready to compute

  double seconds = 0;
  std::vector<double> by_rank;                              ///< seconds on each rank
  std::vector<std::pair<std::string, double>> by_function;  ///< most first; kComputation among them
  std::vector<std::pair<std::string, double>> by_phase;     ///< in order; see Options::phases

  /// How much shorter the run would be if something took half as long: the computation of one of the ranks, or the time
  /// inside one of the functions that is not spent waiting for others, that have most of the path. The run is simulated
  /// with messages and collectives as they were, and the same sends depend on their receives.
  struct Halved {
    std::optional<Rank> rank;
    std::string function;  ///< empty: the rank's computation
    double gain_s = 0;
  };
  std::vector<Halved> halved;  ///< most first; see Options::halve

  /// By how much a rank could be later from a moment on, once, without making the run longer. Of all moments that are
  /// looked at; nothing where there are none.
  struct Slack {
    Measure mean_s;   ///< over time
    Measure least_s;  ///< 0: part of it is on the critical path
  };
  /// What follows later than that many steps of all ranks (or 256 of each, if that is more) counts as if nothing there
  /// could be later: then a slack may be larger than it is said to be, never smaller. All of it is found where all ranks
  /// meet more often.
  static constexpr std::size_t kSlackSteps = 1 << 17;
  /// See Options::slack.
  std::vector<Slack> slack_by_rank;                              ///< while it computes
  std::vector<std::pair<std::string, Slack>> slack_by_function;  ///< inside it, but waiting; least mean first
  std::vector<std::pair<std::string, Slack>> slack_by_phase;     ///< both; as by_phase
};

/// Seconds that were spent waiting for another rank, by what for.
struct Waits {
  double late_sender_s = 0;    ///< in a receive or its completion, and in the tests and probes right before it, until
                               ///< the message was sent
  double late_receiver_s = 0;  ///< in the completion of a send that depends on its receive (see Sends), until that was
                               ///< posted
  double imbalance_s = 0;   ///< in a collective, for a rank that had more to compute since they met in the communicator
                            ///< (before that: in the one that it was made from): by how much more, at most. All meet
                            ///< in a collective of all; in others a rank that waited meets the one it waited for
  double collective_s = 0;  ///< in a collective, until the last rank that it needs came, without imbalance_s
  void add(const Waits& other) {
    late_sender_s += other.late_sender_s;
    late_receiver_s += other.late_receiver_s;
    imbalance_s += other.imbalance_s;
    collective_s += other.collective_s;
  }
  double total() const { return late_sender_s + late_receiver_s + imbalance_s + collective_s; }
};

struct WaitStates {
  Waits all;
  double transfer_s = 0;  ///< the rest of the time inside calls
  struct PerRank : Waits {
    Waits caused;  ///< of others, for this rank
    /// Of others, of which it is the root cause: they waited for it, or for a rank that had waited for it. All ranks'
    /// have the same sum as what they caused.
    Waits root;
    Waits root_through;  ///< of these, where who came late had itself waited
  };
  std::vector<PerRank> per_rank;  ///< by rank
};

/// Code right behind a call, as its file knows it.
struct CallSite {
  std::string module, build_id;
  std::uint64_t address = 0;
  auto operator<=>(const CallSite&) const = default;
};

/// Something that made the run longer, in a sentence.
struct Finding {
  /// uneven_work: a rank has more to compute, and others are done before it, so that they wait for it in no call.
  /// without_core: ranks waited for a core: in the whole run, or between calls where the kernel's count is not known.
  enum class Cause {
    late_sender,
    late_receiver,
    imbalance,
    late_to_collective,
    uneven_work,
    in_turns,
    changing_work,
    function,
    without_core
  };
  /// About how much shorter the run would be with the change that its cause stands for: see findings.h.
  double cost_s = 0;
  std::string text;
  Cause cause = Cause::function;
  std::vector<int> ranks = {};  ///< who others wait for, or are done before; ascending, several where all are alike
  std::string function = {};    ///< Cause::function: which one; of waits: in which ranks wait most
  std::string asked_by = {};  ///< of waits: in whose calls right before the function a part of that passed (MPI_Mprobe)
  std::string phase = {};     ///< of waits: in which ranks wait most of it; empty: there are no phases
  std::optional<CallSite> site = {};  ///< the same, which call of the program; nothing in traces without sites
  bool only_site = true;              ///< nearly all of it is there; false: most of it
  std::size_t line_at = 0;            ///< where in the text its source line has its place
  std::string line = {};              ///< "solver.c:120", where somebody has looked it up
  /// By rank, as ranks: the share of its computation that is what others wait for it on average, or more than the mean's; 1
  /// if that is more than it computes; empty: what it computes is not the cause.
  std::vector<double> less = {};
  std::string longer_in = {};  ///< of waits that are due to calls: in which one the ranks are longer than the others
  bool more_in_all = false;    ///< the ranks also compute at least 1.1 times as long as the mean in the whole run
  double by_computing = 1;     ///< share of what it costs that is due to what the ranks compute
  Measure gain_s = {};  ///< how much shorter the run would be if the ranks computed so much less; see Options::halve
  Measure moved_gain_s =
      {};  ///< the same if the others computed that instead, those that are blocked longest most of it
  bool worth_moving = false;  ///< moved_gain_s is more than a hundredth of the run (without waits for cores)
};

/// Something that what is measured has to be read with.
struct Note {
  enum class Kind { failed, shared_cores, disturbed, clocks, incomplete };
  Kind kind;
  std::string text;
  bool measured = true;       ///< false: it may be so, and how much it is was not measured
  bool computing = false;     ///< what counts as computation is unreliable, too: time without a core is part of it
  double without_core_s = 0;  ///< of shared_cores: how long all ranks together waited for a core; 0: not known
  /// Ranks had to wait for cores, as was measured.
  bool waited_for_cores() const { return kind == Kind::shared_cores && measured; }
};

/// Conditions of the traced run that make its measures unreliable, the most serious first. whole_s: the time of all locations
/// together; without_core_s: the part of it in which a location could have computed but had no core.
std::vector<Note> notes(const trace::Trace& trace, double without_core_s, double whole_s);

/// Whether a finding may be due to cores that ranks had to wait for, as notes of the run say.
bool doubtful(const Finding& finding, const std::vector<Note>& notes);

/// "other work used the machine, ...: they waited for a core for 40 % of the run, ..." by what the kernel counted, where that
/// is more than a twentieth of it; else empty, also where it is not known.
std::string without_cores(const trace::Trace& trace);
/// The share of all ranks' time in which they waited for a core, as the kernel counted it, 0..1; 0 also where it is not known. O(ranks).
double core_wait_share(const trace::Trace& trace);
/// "when traced, ranks waited for a core for 40 % of the run, part of which counts as computation: ..." of a skeleton; empty where that is at most a twentieth.
std::string traced_without_cores(double share);
/// The same as without_cores() where it is only known that the ranks were more than the cores: a killed run does not say how long they waited.
/// cpu_time: the trace has the column "cpu_ns".
std::string shared_cores(int ranks, int cores, bool cpu_time);

/// "the traced runs took 2.000 s to 5.000 s: ..." of runs that differ by more than a quarter; else empty. shared_cores: that
/// ranks waited for cores is said, too, so likely causes are not.
std::string spread(std::span<const double> runs_s, bool shared_cores = false);

/// "the traced run ended with status 3: ..."; empty for 0.
std::string failed(int status);

/// A region between two message events (He & Sun).
struct Region {
  Rank rank = 0;
  std::uint64_t call = 0;  ///< index of the call that ends it
  std::string function;    ///< of that call
  double start_s = 0, computing_s = 0, blocked_s = 0;
  Measure alpha, phi1;
  std::optional<Rank> waits_for;  ///< who came last of those that the call needed, if it came after the call had begun
};

/// A call of a rank's main thread, by its index.
struct CallOf {
  Rank rank = 0;
  std::uint64_t call = 0;
  bool operator==(const CallOf&) const = default;
};

/// Measures of the region that a call's last message event ends, of what happened before that (He & Sun).
struct RegionMeasures {
  CallOf of;
  std::string function;
  std::vector<double> w, u;  ///< seconds, by location: computed and blocked before
  double weight = 0, volume = 0, height = 0;
  Measure alpha, phi1, phi2, phi3, phi4;
};

/// Measures of the cone of a call's last message event: what happened before that (Raynal, Mizuno & Neilsen).
struct ConeMeasures {
  CallOf of;
  std::string function;
  std::vector<double> v, w;  ///< by location: events before, logical time
  double weight = 0, volume = 0, height = 0;
  Measure alpha, beta;
  std::vector<double> theta1, theta2, theta3;
  std::vector<Measure> theta1_relative;
};

/// What does not fit together; all 0 for a complete trace of a correct program. Measures treat these as if they
/// depended on nobody.
struct Unmatched {
  std::uint64_t sends = 0;        ///< nobody received them
  std::uint64_t receives = 0;     ///< nobody sent them, or it is not known from whom they came
  std::uint64_t collectives = 0;  ///< some ranks of the communicator are missing in them
  std::uint64_t unfinished = 0;   ///< begun, never seen to complete
  std::uint64_t circular = 0;     ///< calls that seem to wait for each other
  std::uint64_t total() const { return sends + receives + collectives + unfinished + circular; }
  void add(const Unmatched& other) {
    sends += other.sends;
    receives += other.receives;
    collectives += other.collectives;
    unfinished += other.unfinished;
    circular += other.circular;
  }
};

/// Sees a run as it is measured, call by call, in the thread that measures. Times are seconds since the run began; those of
/// one location ascend, but for waits of senders, and for those in tests and probes, which are told of when something came:
/// they may lie before what was spent last.
class Observer {
 public:
  virtual ~Observer() = default;
  /// Up to until_s the location computed, then it was blocked in `function`, or as CriticalPath::kLocalCalls and
  /// kWithoutCore say, if that is its name.
  virtual void spent(Location /*where*/, double /*until_s*/, double /*computing_s*/, double /*blocked_s*/,
                     const mpi::Function& /*function*/) {}
  /// A part of the time that it was blocked: it waited for `cause`.
  virtual void waited(Location /*where*/, Location /*cause*/, double Waits::* /*what_for*/, double /*from_s*/,
                      double /*to_s*/) {}
  virtual void message(Location /*from*/, double /*sent_s*/, Location /*to*/, double /*received_s*/) {}
};

inline constexpr std::size_t kUsualWindows = 100;  ///< where nobody asks for another number

struct Options {
  std::vector<double> rho;  ///< relative speed of each rank's processor, in (0, 1]; empty: all 1
  std::size_t regions = 0;  ///< how many of the regions of lowest alpha to report; costs O(ranks) more per call, and 16
                            ///< bytes for each two ranks, and for each rank and message or collective under way
  std::optional<CallOf> region, cone;  ///< to be measured: see Metrics; cost as regions
  Phases phases;                       ///< to be measured each for itself; empty: none
  bool slack = false;                  ///< find CriticalPath::slack_by_rank and so on
  bool halve = false;                  ///< find CriticalPath::halved and Finding::gain_s; the run is replayed once more
  std::size_t windows = 0;  ///< how many Metrics::windows to measure; none where the run's length is not known
  bool cuts = false;        ///< find Metrics::charron_bost; up to half a second and 200 MB
  bool path = true;         ///< find the critical path: the calls are read again, and 40 bytes kept for each wait on it
  double unit_s = 0;        ///< Raynal: computing so long is an internal event; 0: without a unit. So many events are
                            ///< exact up to 2^53
  bool own_unit = false;    ///< the unit is what is computed for each event that is not internal, on average, so that
                            ///< events are of about equal duration, as Raynal, Mizuno & Neilsen ask for; the run is
                            ///< replayed once more for it
  Observer* observer = nullptr;              ///< shown the run once
  std::function<trace::Trace()> ended = {};  ///< of a run that goes on: how it ended; called when all calls were read
};

/// Sends that depend on their receive: those that could not return before it was posted. Synchronous ones are known; of
/// standard ones the times show it. Those that returned before were buffered, and with them all that are not larger; where
/// a larger one waited for its receive, it was not, nor are all that are not smaller. What is known of this is what the run
/// had shown until then. Of 4,096 bytes and less those count that waited for 0.1 ms.
struct Sends {
  std::uint64_t synchronous = 0;         ///< that depend on their receives
  std::uint64_t waiting = 0;             ///< standard ones that do
  std::optional<double> buffered_bytes;  ///< the largest standard one that returned before, of those above 4,096 bytes
  std::optional<double> waiting_bytes;   ///< the smallest above that and above 4,096 bytes that waited
};

/// Measures of the same run if sends never waited for their receives, as non-blocking sends into memory of their own may
/// come to: not below those of the run as it was.
struct Unwaited {
  Measure alpha;  ///< He & Sun
  double ht = 0;  ///< seconds; not above the run's
  Measure raynal_alpha;
  double height = 0;  ///< of Raynal; not above the run's
  Measure serialization, transfer;
};

struct Metrics {
  HeSun he_sun;
  Raynal raynal;
  CharronBost charron_bost;  ///< see Options::cuts
  Pop pop;
  Unwaited unwaited;
  Sends sends;
  std::vector<PhaseMeasures> phases;  ///< as in Options::phases
  Windows windows;                    ///< as many as Options::windows
  CriticalPath critical_path;
  WaitStates waits;
  std::vector<Note> notes;
  std::vector<Finding>
      findings;  ///< highest cost first; those of less than a hundredth of the run (without its waits for cores) are left out
  std::optional<RegionMeasures> region;  ///< as in Options
  std::optional<ConeMeasures> cone;      ///< as in Options
  std::vector<Region> regions;           ///< lowest alpha first; of the same alpha, the one that waited longer
  Unmatched unmatched;
};

/// Measures from each rank's exit of MPI_Init to its entry of MPI_Finalize (or its last record). Gaps are computation, but
/// for Event::thread_wait, which is blocked; time
/// inside calls is blocked, also inside those that need no other rank. A send and the completion of a receive are events; a
/// collective is one event per rank that follows those of the ranks whose data it needs: all (Barrier, Allreduce, ...),
/// the root (Bcast, Scatter), all at the root (Reduce, Gather), the lower ranks (Scan). The end of a send that depends on
/// its receive (see Sends) is no event, but follows what went before that was posted. Collectives of files and
/// MPI_Win_fence with MPI_MODE_NOPRECEDE need not wait: one that ended before all had come follows nobody's. Messages
/// are matched by communicator, source, tag and order.
/// O(calls) time (a neighbourhood collective: O(neighbours)); a collective of a root takes O(ranks) memory while it is open; the calls are read as they come, so memory is O(ranks +
/// messages under way + waits on the critical path), and 0.3 kB for each rank and communicator, window, file or
/// persistent collective that it ever made. A trace of killed or missing ranks is measured as far as it goes: see Unmatched.
/// Throws Error{invalid_argument} if rho does not have one value in (0, 1] per rank, or Options::region or
/// cone is of a call that has no message event; Error{corrupt} as reading does.
Metrics measure(const trace::Trace& trace, const Options& options = {});

}  // namespace skelgen::metrics
