#pragma once
// The intermediate form, the heart of skelgen: one program for all locations, made of loops, calls and computation.
// Everything before it produces it (trace, normalize, fold, merge), everything after it consumes it (emit, predict,
// verify, report).
//
//   program { init; loop 250 { irecv; send; wait; } finalize }
//
// Locations are numbered 0..n-1 in the order of Skeleton::locations; "l" below is such a number. A node says which
// locations execute it; each location's own program is what is left when the nodes of others are taken out. Expanding
// it gives exactly the canonical records (normalize.h) that the location made, so correctness never depends on how well
// the programs were aligned.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "mpi/mpi.h"
#include "mpi/turn.h"
#include "support/units.h"

namespace skelgen::skeleton {

/// Values that a location sees at a statement, at its occurrences k = 0, 1, 2, ... (in order of execution, over all
/// loops).
struct Sequence {
  enum class Kind : std::uint8_t { constant, arithmetic, periodic, table };
  Kind kind = Kind::constant;
  std::vector<std::int64_t> values{0};  ///< constant: {c}; arithmetic: {first, step}; periodic: one period; table: all
  /// Throws Error{internal} beyond the end of a table.
  std::int64_t at(std::uint64_t k) const;
  /// at(0) + ... + at(n - 1). O(1) for constant and arithmetic, O(values) otherwise.
  std::int64_t sum(std::uint64_t n) const;
  /// How many of at(0) ... at(n - 1) are above 0: of trips, how often the loop is entered. O(1) for constant and
  /// arithmetic (O(n) if numbers overflow), O(values) otherwise.
  std::uint64_t positive(std::uint64_t n) const;
  /// Whether one of at(0) ... at(n - 1) is `value`; of a periodic one or a table, whether any is. Cost as positive().
  bool takes(std::int64_t value, std::uint64_t n) const;
  /// The largest of at(0) ... at(n - 1), n above 0; of a periodic one or a table, of all. O(values).
  std::int64_t largest(std::uint64_t n) const;
  /// After how many of at(0) ... at(n - 1) they repeat themselves; n if they do not, or nothing says so.
  std::uint64_t period(std::uint64_t n) const;
  bool operator==(const Sequence&) const = default;
  /// Shortest description of `all` (not empty): constant, arithmetic, periodic, table, in this order of preference.
  static Sequence of(std::span<const std::int64_t> all);
};

/// A peer, or another number, as a formula of the caller's rank r in the call's communicator, or in the window of a
/// one-sided call, of size p. Chosen only if it holds for every location. A new kind also stands in formula(), holds() (may
/// it lead out of the group?), merge::find_rule, text::ValueParser, emit::Values and docs/text-form.md.
struct RankRule {
  /// c; r + c; (r + c) mod p; r ^ c; of ranks in rows of c: (r mod c) p / c + r / c, r / c and r mod c; the rank that is c
  /// further in a dimension of the communicator's grid.
  enum class Kind : std::uint8_t { constant, plus, plus_mod, exclusive_or, transposed, row, column, neighbour };
  Kind kind;
  std::int64_t c;
  std::size_t dimension = 0;  ///< of a neighbour
  /// Nothing if the communicator has no such dimension, or c is no length of rows (transposed: of full ones). neighbour:
  /// kProcNull beyond an edge; plus: may be no rank.
  std::optional<std::int64_t> at(const mpi::Communicator& comm) const;
  bool operator==(const RankRule&) const = default;
};

/// "rank+1", "(rank-1)%size", "rank^4", "transposed(2)", "rank/2", "rank%2", "3", "neighbour(0,-1)".
std::string formula(const RankRule& rule);

/// One argument of a statement over all locations that execute it.
struct Argument {
  std::vector<Sequence> choices{Sequence{}};  ///< the different sequences
  std::vector<std::uint32_t> choice;  ///< per location of Node::where: index into choices; empty: all have choices[0]
  std::optional<RankRule> rule;       ///< of may_be_formula() (groups.h): holds for all locations and occurrences >= 0
  const Sequence& of(std::size_t position) const { return choices[choice.empty() ? 0 : choice[position]]; }
};

/// How the computation of a place inside a loop of the top level varied: all its occurrences in some iterations
/// ("rows") of that loop. The same iterations on all locations that run the loop equally often: what happens to several
/// ranks at once stays together.
struct Samples {
  struct OfLocation {
    std::vector<float> seconds;       ///< in order of occurrence
    std::vector<std::uint32_t> ends;  ///< by row: how many of `seconds` lie in it and the rows before
  };
  std::vector<OfLocation> of;  ///< by position in Node::where; empty: none
};
/// Standard deviation of the samples, in seconds; 0 for fewer than two.
double deviation(const Samples::OfLocation& samples);

/// What computation consists of, on average per occurrence of its place: counts by Skeleton::features, ascending; what is 0
/// is left out.
struct Work {
  struct Count {
    std::uint32_t feature;
    double times;
    bool operator==(const Count&) const = default;
  };
  std::vector<Count> counts;
  /// Of the traced time what each kernel (skel_kernel_names.h) takes that the work is replayed with, sum 1; empty: not
  /// fitted. And which share is not explained (work/fit.h). Neither stands in a text: it is fitted again.
  std::vector<double> shares = {};
  double unexplained = 0;
};

/// Summary of the fits of all works, weighted by time.
struct FittedWork {
  std::vector<double> shares;  ///< as Work::shares, of all computation whose work is known
  double unexplained = 0;      ///< share of all computation that is not explained, or whose work is not known
  std::string cause;           ///< what most of that is, for people
};

/// Mean computation per occurrence, by position in Node::where.
struct Compute {
  std::vector<double> mean_s;  ///< empty: none
  Samples samples;             ///< only where the computation varies and matters
  /// By Skeleton::counters what was counted over it, as mean_s; empty: nothing was. A text has none.
  std::vector<std::vector<double>> counters = {};
  /// By position: n > 0: it consists of Skeleton::works[n - 1]; 0: of what is not known. Empty: 0 everywhere.
  std::vector<std::uint32_t> work = {};
};

struct Node;
using Block = std::vector<Node>;

/// An MPI call. arguments are parallel to function->parameters.
struct Call {
  const mpi::Function* function = nullptr;
  std::vector<Argument> arguments;
  std::vector<double> duration_s;  ///< mean time inside the call, by position in Node::where
  /// 0: the call stands where it was made. Else it belongs to an exchange that was brought into canonical order
  /// (normalize::exchange) and was, or for MPI_Irecv and MPI_Wait is half of an MPI_Recv that was, this call of it: 1,
  /// 2, ...
  Argument order;
  /// Where a location names MPI_ANY_SOURCE: from whom it got each message (kAnySource: unknown); elsewhere the source
  /// that was named.
  std::optional<Argument> matched;
  /// MPI_ANY_SOURCE is replayed as it is; else by the source that was recorded.
  bool any_order = false;
  /// k > 0: the peer is the source of the k-th last blocking call of MPI_ANY_SOURCE. By position in Node::where; empty:
  /// 0 everywhere.
  std::vector<std::uint8_t> answers;
  /// Number of the message that this send hands out to a worker of the pool, on all locations; see Pool.
  std::optional<Argument> dispatch;
  /// This receive ends a worker's loop over the messages of the pool, which stands right before it.
  bool ends_pool = false;
};

/// Runs body `trips` times. `between` is spent from the second iteration on, before the iteration.
struct Loop {
  Argument trips;
  Compute between;
  Block body;
  int pool = -1;  ///< Skeleton::pools: the body may run for any message of the pool until one ends the loop
};

/// A statement, who executes it, and the computation before it. `before` is 0 for the first node that a location
/// executes in a loop's body: there the loop's own `before` (first iteration) and `between` (later ones) stand. So the
/// sum over all occurrences is exactly the computation traced: the paper's borders S1, S2, E2, E3 without negative
/// corrections.
struct Node {
  std::vector<std::uint32_t> where;  ///< locations, ascending, not empty
  Compute before;
  std::variant<Call, Loop> what;
  bool is_loop() const { return std::holds_alternative<Loop>(what); }
  const Call& call() const { return std::get<Call>(what); }
  const Loop& loop() const { return std::get<Loop>(what); }
  Loop& loop() { return std::get<Loop>(what); }
  Call& call() { return std::get<Call>(what); }
  /// Position of location l in `where`, or -1.
  int position(std::uint32_t l) const;
};

/// A communicator slot of a location over time: creations in order (slots are reused after MPI_Comm_free).
using mpi::Communicator;

/// Messages that a manager hands out to whichever worker is free (normalize::Pool). `body` is what each worker does
/// with message number n: its sequences' k is n, and the computation before a node is `compute_s` of the node at n.
struct Pool {
  std::vector<std::uint8_t> ends;             ///< by number: 1: ends the loop of the worker that receives it
  Block body;                                 ///< calls; the first one receives the message
  std::vector<std::vector<float>> compute_s;  ///< [node of body][number]; empty for the first node
};

struct LocationData {
  Location where;
  std::vector<std::uint64_t> buffer_bytes;   ///< size of each buffer slot
  std::vector<std::uint8_t> shared;          ///< by slot, 1: lies in memory that all such slots share; empty: none does
  std::vector<Communicator> communicators;   ///< in order of creation; [0] WORLD, [1] SELF
  std::vector<Communicator> windows, files;  ///< in order of creation: the ranks that share them
  std::vector<mpi::Turn> turns;  ///< ascending by call, as expand() counts them; see normalize::LocationCalls
  std::uint64_t working_set_bytes = 0;
  double speed_register = 0, speed_memory = 0;  ///< kernel iterations per second at trace time, 0 if unknown
  std::vector<double>
      kernel_speeds;  ///< passes per second at trace time, by skel_kernel_names.h; 0: not measured; empty: none was
  std::vector<double> kernel_noise;  ///< standard errors of their logarithms; as many
  std::string processor;             ///< as skel_processor.h names it; empty: unknown
  double speed_flops = 0;            ///< operations per second of the simulated host; 0: not simulated
};

struct Skeleton {
  Block program;
  std::vector<LocationData> locations;
  std::vector<Pool> pools;
  std::vector<std::vector<std::int64_t>> arrays;  ///< values of array arguments (Argument values are ids); id 0 empty
  std::vector<std::string> names;                 ///< datatypes and ops
  std::vector<int> name_bytes;                    ///< datatype sizes, 0 for ops
  std::vector<std::string> counters;              ///< events that were counted over all computation: "PAPI_TOT_CYC"
  std::vector<std::string> features;              ///< what computation may consist of: "instructions", "load_reuse_3"
  std::vector<Work> works;                        ///< the different ones
  std::optional<FittedWork> fitted;               ///< nothing: the works are not fitted (work::fit_works)
  std::vector<mpi::ScratchFile> scratch;          ///< files; an array argument of their names has the number
  double traced_wall_s = 0;                       ///< MPI_Init entry to MPI_Finalize exit of the traced run
  std::string mpi_name;                           ///< "MPICH"
  bool cpu_time =
      false;  ///< computation is time on a processor; else time, also where another thread had the processor
  bool recorded_order =
      false;  ///< messages of any source come in the traced order unless the run's settings say otherwise
  bool tests_go_on = false;  ///< tests that found sends complete do not wait for them: emit::Deadlock::tests_go_on
  double tolerance = 0;  ///< counts of messages may differ from those traced by this share (merge_counts); 0: none does
  bool edited = false;   ///< it was read from a text that was edited or written by hand: it is that of no trace
  /// What else is known of the traced run, by name; nothing that the program depends on.
  std::vector<std::pair<std::string, std::string>> notes;
};

/// True if the location at this position of Node::where waits there for a message of MPI_ANY_SOURCE: Call::answers
/// count these.
bool receives_from_any_source(const Call& call, std::size_t position);

/// True if the block has calls of this kind.
bool has(const Block& block, mpi::Kind kind);

/// Several threads of a rank are locations.
bool has_threads(const Skeleton& skeleton);
/// Calls of location `l` in one iteration of `loop`; nothing if iterations differ. O(nodes of the body).
std::optional<std::uint64_t> calls_of_iteration(const Loop& loop, std::uint32_t l);
/// Of the locations.
std::size_t ranks(const Skeleton& skeleton);

/// Slots of the buffers that calls attach to dynamic windows, on any location; ascending. May have others of as many in
/// a row.
std::vector<std::int64_t> attached_slots(const Skeleton& skeleton);

/// One expanded call: values parallel to call.function->parameters.
struct ExpandedCall {
  const Call* call;
  std::span<const std::int64_t> values;
  double before_s;           ///< computation spent since the previous call
  std::int64_t order = 0;    ///< Call::order
  std::uint8_t answers = 0;  ///< Call::answers of the location
  bool any = false;          ///< receives_from_any_source() of the location
};

/// Calls `visit` for every call of location l in order. O(calls). Stops early when visit returns false.
void expand(const Skeleton& skeleton, std::uint32_t l, const std::function<bool(const ExpandedCall&)>& visit);

/// A call as it was made before exchanges were brought into canonical order.
struct OriginalCall {
  const mpi::Function* function;
  std::span<const std::int64_t> values;
};

/// Like expand(), but visits what Call::order says was called: expand() for a skeleton without such calls. Throws
/// Error{internal} if an exchange is not complete: MPI_Irecv, sends, MPI_Wait, which together were its calls 1 to n.
void expand_original(const Skeleton& skeleton, std::uint32_t l, const std::function<bool(const OriginalCall&)>& visit);

/// Number of statements (loops count by their body): the merged program's folded length.
std::size_t length(const Block& block);

/// Numbers that say the arguments of all calls, the sources that were matched, and the trips of all loops: 1 for what a
/// formula says, else every constant, period and table of every group of locations, and the elements of the arrays that
/// are named.
std::size_t argument_values(const Skeleton& skeleton);

/// Computation of location l over the whole program (means times occurrences), in seconds.
double total_compute(const Skeleton& skeleton, std::uint32_t l);

/// Where in which file the nodes of a skeleton stand. They must not move; moving the skeleton does no harm.
struct Places {
  std::string file;
  std::unordered_map<const Node*, std::uint32_t> lines;  ///< from 1
  /// "FILE:LINE", "FILE" for an unknown node.
  std::string of(const Node* node) const;
  /// The line of a call; 0: unknown. O(statements).
  std::uint32_t line(const Call& call) const;
};

/// Checks the invariants stated in this header: shapes, ids in range, tables as long as their statements have
/// occurrences, computation only where it may stand, rules that hold. Throws Error{internal} that names the node. Open
/// loops are no error: see closed(). O(nodes x locations + values of tables). places: of a skeleton that was read from a
/// text, whose errors are Error{corrupt} "FILE:LINE: ...".
void check(const Skeleton& skeleton, const Places* places = nullptr);

/// Reasons why iterations of a loop cannot be left out.
enum class Obstacle : std::uint8_t {
  none,
  threads,  ///< several threads of a rank call MPI, and not all of them run it, or iterations differ in how many calls they make
  trips,        ///< its locations run it differently often
  messages,     ///< an iteration sends or receives a message that another one receives or sends
  collectives,  ///< not all members of a communicator call the same collectives in an iteration
  requests,  ///< an iteration leaves a request, epoch or matched message open, completes another one's, or leaves waiting receives in
             ///< another order than it found
  objects,   ///< it makes a communicator, window, file, datatype, ... that it does not free, or frees another one's
  sources,   ///< the order of messages of any source matters
  unclear,   ///< a communicator, window or file is not the same one in every iteration
  calls      ///< it has more calls than may be looked at
};

/// cycle: after how many iterations the communication of a closed loop repeats itself (all of them if it never does); 0 if
/// the loop is not closed.
struct Closed {
  std::uint64_t cycle = 0;
  Obstacle obstacle = Obstacle::none;
  explicit operator bool() const { return cycle > 0; }
};

/// Closed is a loop if in every iteration every message that is sent is also received (per communicator, sender,
/// receiver and tag), every request that is started is completed (or the same requests are left open by every iteration
/// and completed by the next, in the order in which they were posted where they may match the same messages), every communicator, window, file, group that is made is freed, and all members of a
/// communicator call the same collectives: then whole iterations can be left out without unmatched communication. Wildcard
/// receives match the sender that was recorded, or with Wildcards::anybody each one; then it is not closed if a location
/// also names senders in the same communicator, probes for any, or answers whoever wrote: there the order matters. It is
/// not closed either if an iteration answers who wrote in an earlier one, or if its locations run it differently often in
/// any of its executions. `loop` is a node of the program at any depth; a call is not closed. O(one iteration) if the iterations are alike, O(all
/// of them) otherwise; if the loop starts or makes persistent requests, opens epochs of windows or makes communicators,
/// windows or files, O(calls before it) for each location, too. most: calls to look at; those that only ask for the time, or for a rank, are not.
enum class Wildcards { recorded, anybody };
/// Iterations at the begin and at the end of each execution that do not matter, as they are not left out.
struct Ends {
  std::uint64_t first = 0, last = 0;
  bool operator==(const Ends&) const = default;
};
/// Of the location at a position; `all`: by position, or one for all.
inline const Ends& ends_at(const std::vector<Ends>& all, std::size_t position) {
  return all[all.size() == 1 ? 0 : position];
}
/// Turns (LocationData::turns) name calls by their numbers: where threads have them, a loop is closed only if it is one of all locations
/// with as many calls of each in every iteration.
Closed closed(const Skeleton& skeleton, const Node& loop, Wildcards wildcards = Wildcards::recorded,
              std::uint64_t most = std::uint64_t{1} << 30, Ends ends = {});

/// Whether iterations of a loop can be left out but the first ones and, perhaps, the last one of each execution: what comes
/// once before and behind a loop often stands in them. Of a loop of the top level that ranks run differently often, or
/// that begins with messages or collectives under way, the first iterations are as many on each location as it takes until
/// none are, and the rest begins there on all of them: ranks that begin the loop at different moments are aligned by what
/// they exchange. They are more, up to a quarter of all, where they prepare what the others use: communicators, windows, files or requests
/// that an iteration leaves open. O(closed()), and for loops whose first iterations prepare some of these, of 2^24 calls together.
/// If not cuttable, the obstacle is that between the aligned iterations where ranks could be aligned.
struct Cuttable : Closed {
  std::vector<Ends> ends{};  ///< that always run, first > 0: by position in Node::where, or the same for all
};
Cuttable cuttable(const Skeleton& skeleton, const Node& loop, std::uint64_t most = std::uint64_t{1} << 30);

}  // namespace skelgen::skeleton
