#pragma once
// Raw records -> canonical records. After this step nothing depends on addresses, handle values or the MPI that was
// traced: two locations that did the same thing have equal sequences.
//
// Canonical names: communicators, requests and groups are slots (the lowest free number; 0 = MPI_COMM_WORLD, 1 =
// MPI_COMM_SELF for communicators), buffers are (slot, offset) where a slot is a maximal set of overlapping address
// intervals, numbered by first use; predefined datatypes and ops are indexes into Normalized::names, those that the
// program made are mpi::kMade + slot (lowest free one). A raw request handle may stand for several live requests at
// once (MPICH hands out one shared handle for operations that are complete at once): each creation takes a slot of its
// own, completions free them oldest first. Requests of messages that no later call names take one that is free and leave
// it so.
//
// How often a program polls in vain depends on the moment. Of a run of unsuccessful polls (Test*, Iprobe), which may be
// different ones in turn with calls like MPI_Wtime between them, each is kept once, in the order of their first
// appearance. None is kept if a successful poll follows; nor are the calls between them if that is one of the run. Time
// stays: what is left out counts as computation and time of the record that stands for it; time in unsuccessful polls
// is computation if no poll of the run succeeded.
//
// Threads of a rank are locations of their own. Communicators, windows, files, datatypes and operations are the rank's:
// the main thread (number 0) makes and frees them, the others know them by its slots, as long as they live. What must
// keep its order between threads is said by LocationCalls::turns: making and freeing against use, collective calls of a
// communicator, messages of one envelope, the first calls of threads that run at the same time after the main thread's
// call before them, the main thread's next call after they have ended at which it has nothing open; with less than
// MPI_THREAD_MULTIPLE all calls.

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "mpi/mpi.h"
#include "mpi/turn.h"
#include "normalize/calls.h"
#include "support/units.h"
#include "trace/trace.h"

namespace skelgen::normalize {

using SymbolId = std::uint32_t;

/// What must be equal for two records to be the same statement: function, communicator slot, datatypes, op, and the
/// peer relative to the caller's rank: (peer - rank) mod size of the communicator (PROC_NULL and ANY_SOURCE stay as
/// they are; roots are absolute). Where calls of a kind and tag name different such peers, or MPI_PROC_NULL, and always
/// the same neighbour in a Cartesian communicator, the peer is that neighbour (name_neighbours). A peer may also be
/// kAnswer - k: the source of the k-th last blocking call of
/// MPI_ANY_SOURCE, wherever that holds for all occurrences. Of a datatype that the program made it is the form of its
/// constructor tree, of an op whether it commutes: slots are columns. `key` holds these, in parameter order. Statements
/// of a Pool stand apart from all others: a last element <= kPoolMark says which.
struct Symbol {
  const mpi::Function* function = nullptr;
  std::vector<std::int64_t> key;
  auto operator<=>(const Symbol&) const = default;
};

/// Elements of a key that are no peer: below all constants of MPI. kSomePeer: whoever it is (ranks_as_values).
/// kNeighbour - n: the n-th neighbour in a grid.
inline constexpr std::int64_t kAnswer = -1000, kSomePeer = -1'000'000, kNeighbour = -2'000'000,
                              kPoolMark = -1'000'000'000;

/// Whether Symbol::key has an element for a parameter of this role.
constexpr bool in_key(mpi::Role role) {
  using mpi::Role;
  return role == Role::comm || role == Role::root || role == Role::peer || role == Role::datatype ||
         role == Role::datatypes || role == Role::op || role == Role::win || role == Role::file;
}
/// visit(parameter, at) for each parameter that Symbol::key has an element for, and which one.
template <class Visit>
void each_key(const mpi::Function& function, Visit&& visit) {
  std::size_t at = 0;
  for (const mpi::Parameter& parameter : function.parameters)
    if (in_key(parameter.role)) visit(parameter, at++);
}

/// How many these are. What stands behind them in a key says more of the statement: a pool, or a place in the program.
inline std::size_t keys(const mpi::Function& function) {
  std::size_t n = 0;
  each_key(function, [&](const mpi::Parameter&, std::size_t) { ++n; });
  return n;
}

/// The k of a symbol whose peer is the source of the k-th last call of MPI_ANY_SOURCE; 0 for others.
std::int64_t answered(const Symbol& symbol);

/// One canonical call: the symbol and the value of every parameter, in parameter order. Peers are absolute here; array
/// values are ids into Normalized::arrays; buffers are mpi::pack(slot, offset).
struct Record {
  SymbolId symbol = 0;
  std::vector<std::int64_t> values;
  std::int64_t order = 0;  ///< skeleton::Call::order: 0 unless exchange() moved the call
  auto operator<=>(const Record&) const = default;
};

/// A communicator of one location as it was when the location made it.
using mpi::Communicator;

/// A request whose handle already stood for a live one when call number `call` returned it (MPICH gives all operations
/// that are complete at once the same handle). Which of them a later call completes is then not known: the oldest is
/// taken. `first`: the call that returned this handle when it stood for none; so requests of equal `first` are alike.
struct SharedRequest {
  std::uint64_t call, first;
};

/// A datatype that a location made.
struct DerivedDatatype {
  int slot;
  std::int64_t bytes;       ///< of data in an element
  std::int64_t extent = 0;  ///< elements side by side are so many bytes apart
};

/// A file that a location opened, at its first opening.
struct OpenedFile {
  static constexpr std::int64_t kUnknown = -1;
  std::int64_t name;   ///< id of an array: mpi::kText and its bytes, or once all ranks are read its number
  bool creates;        ///< the call would have made it
  std::int64_t bytes;  ///< that it held
};

/// Memory that a location attached to dynamic windows, and what it is called.
struct Attached {
  std::uint64_t begin, end;  ///< addresses
  std::int64_t place;        ///< of `begin`: mpi::pack(slot, offset)
};

/// What a one-sided call names in a dynamic window, as it was traced.
struct Target {
  std::uint64_t window;  ///< identity
  std::int64_t rank;     ///< in the window
  std::uint64_t address;
  const mpi::Function* function;  ///< the first such call, and its number
  std::uint64_t call;
};

/// From whom a receive or probe of MPI_ANY_SOURCE got its message: rank in its communicator, kAnySource if the trace
/// does not say (a request that was never completed).
struct Match {
  std::uint64_t call;
  std::int64_t source;
};

struct LocationCalls {
  Location where;
  CallList calls;
  double compute_s = 0;            ///< sum of all gaps, if they are left out
  std::vector<double> gap_s;       ///< computation before call k; what follows the last is not in the run;
                                   ///< may be left out, see each_time()
  std::vector<double> duration_s;  ///< time inside call k (opaque harmless calls: replayed as computation),
                                   ///< and before it without a processor, where the trace tells; as gap_s
  /// Counters over the gap before call k: [k * counters + counter], by Normalized::counters; may be left out as gap_s may.
  /// Polls that are left out count where their time counts; time inside of other calls does not.
  std::vector<double> counted;
  std::vector<std::uint64_t> buffer_bytes;     ///< size of each buffer slot
  std::vector<Communicator> communicators;     ///< in order of creation; the first two are WORLD and SELF
  std::vector<Communicator> windows, files;    ///< in order of creation: the ranks that share them
  std::vector<OpenedFile> opened;              ///< by name
  std::vector<DerivedDatatype> datatypes;      ///< in order of creation
  std::vector<Attached> attached;              ///< different ones, in order of their first calls
  std::vector<Target> targets;                 ///< different ones; empty once all ranks are read
  std::vector<std::uint64_t> sites;            ///< trace::Event::site of call k; empty without Options::sites
  std::vector<std::uint64_t> numbers;          ///< which of all recorded calls call k is; empty: the k-th
  std::vector<SharedRequest> shared_requests;  ///< ascending by call
  bool forgets_requests = false;               ///< slots of requests may be others in another run of the same calls
  std::vector<Match> matches;                  ///< of all calls with MPI_ANY_SOURCE; ascending by call
  std::vector<mpi::Turn> turns;                ///< ascending by call; empty where one thread of the rank calls MPI
  std::uint64_t working_set_bytes = 0;
};

/// Locations whose sequences of symbols are equal.
struct Class {
  std::vector<std::size_t> members; /* indexes of Normalized::locations, ascending */
};

/// A manager hands out numbered messages to workers, first one to each (or none, if they ask), then one to whoever
/// answered; each worker does the same with every one of them until one ends its loop. It is proved that the manager
/// may take the answers in any order: it does nothing between them that depends on whose they are, except that it
/// speaks with that worker; so any distribution of the messages over the workers is one that the program may have.
struct Pool {
  struct Worker {
    std::size_t location;
    std::vector<std::uint64_t> receives;  ///< calls that receive the messages; the last one's ends the loop
    std::vector<std::uint32_t> numbers;   ///< of these messages; same length
  };
  std::size_t manager = 0;  ///< location
  std::vector<Worker> workers;
  std::size_t body = 0;                   ///< calls that a worker makes for a message, receiving it included
  std::vector<std::uint64_t> dispatches;  ///< the manager's sends, by number
};

struct Normalized {
  std::vector<Symbol> symbols;  // numbered by first use, locations in order
  std::vector<Record> records;
  std::vector<std::vector<std::int64_t>> arrays;  // values of array parameters; id 0 is the empty array
  std::vector<std::string> names;                 // datatypes and ops: "MPI_DOUBLE", "MPI_SUM"
  std::vector<int> name_bytes;                    // size of the datatype, 0 for ops
  std::vector<LocationCalls> locations;           // ordered by location
  std::vector<Class> classes;                     // ordered by first member
  std::vector<mpi::ScratchFile> scratch;          // by number; what stands for a file's name is an array of its number
  std::vector<Pool> pools;                        // in order of their managers
  std::map<std::string, std::uint64_t> opaque;    // calls known by name only -> how many
  std::set<std::string> hints_left_out;           // keys of those that are not replayed
  std::uint64_t exchanges = 0;                    // groups of calls that exchange() reordered, over all locations
  std::optional<trace::Trace> trace;              // where times are that were left out
  std::vector<std::string> counters;              // trace::Trace::counters
};

/// Calls visit(gap_s, duration_s) for each call of location l in order, whether its times are kept or stay in the trace.
/// O(calls), no memory beside what the visitor takes.
void each_time(const Normalized& normalized, std::size_t l, const std::function<void(double, double)>& visit);

/// The same of what was counted: visit(by counter). Not to be called without Normalized::counters.
void each_counted(const Normalized& normalized, std::size_t l,
                  const std::function<void(std::span<const double>)>& visit);

/// Sum of all gaps of a location.
double computation_s(const LocationCalls& location);

/// Which memory that calls name is one buffer. What overlaps, as the skeleton's memory does then, too. At other numbers of ranks other
/// messages overlap, or parts of the stack that have nothing to do with each other; so there are two other ways.
enum class Areas : std::uint8_t {
  overlapping,
  touching,  ///< and what touches, as parts of an array do
  addresses  ///< each address that calls name is a buffer of its own
};

struct Options {
  /// If the trace has more calls, their times are not kept (16 bytes a call), but for locations that poll.
  std::uint64_t most_times = std::uint64_t{1} << 40;
  bool sites = false;    ///< LocationCalls::sites are kept, and all times
  bool numbers = false;  ///< LocationCalls::numbers are kept, of locations that poll
  Areas areas = Areas::overlapping;
};

/// Throws Error{unsupported} that names the function for a call that cannot be replayed (not harmless, not in the
/// table), a datatype made by such a call, data at absolute addresses, a place in a dynamic window that its rank did not
/// attach, or a handle that another thread made which is not
/// the main thread; Error{corrupt} for a request or communicator that was never created. O(records), ranks in parallel. Memory: different records, and a byte or two for each call of
/// each sequence that is different from all others (but for the peers), and times.
Normalized classes(const trace::Trace& trace, const Options& options = {});

/// Algorithm 1 of Zhang 2010 in a form that cannot deadlock. A group of consecutive MPI_Send, MPI_Ssend and MPI_Recv of
/// a location that use independent memory and belong to one mutual exchange (each participant's messages lead, over the
/// others' groups, back to itself) becomes MPI_Irecv for every receive (by tag, then datatype and relative source), then
/// the sends in the order in which they were, then MPI_Wait for every receive. Record::order has the place that each
/// call had; skeleton::expand_original undoes all this. The computation before the first call of a group stays before
/// it, that before a later send before the send, that before a later receive before its wait. Buffer slots are numbered
/// by first use again. If the run that is given ends with all sends synchronous, so does the result
/// (docs/theory/order.md). O(calls), O(calls^2) within a group of at most 256. All times must have been kept. Throws
/// Error{unsupported} if several threads of a rank call MPI.
Normalized exchange(const Normalized& strict);

/// One canonical call for people: "MPI_Isend(buf=b2, count=1024, datatype=MPI_DOUBLE, dest=1, tag=7,
/// comm=MPI_COMM_WORLD, request=r0)".
std::string text(const Normalized& normalized, const Record& record);
/// The same for values that stand elsewhere: array values are ids into `arrays`, datatypes and ops into `names`.
std::string text(const mpi::Function& function, std::span<const std::int64_t> values,
                 std::span<const std::vector<std::int64_t>> arrays, std::span<const std::string> names);

}  // namespace skelgen::normalize
