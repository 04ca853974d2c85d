#pragma once
// MPI calls, offline: the functions, and the role of each parameter. Generated from
// wrappers/mpi_calls.table; no MPI library or mpi.h is needed. Values are in the canonical encoding below, which
// does not depend on the MPI that was traced.

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "mpi/grid.h"

namespace skelgen::mpi {

// Role, Kind, Mode, Flow, Part, Way: what parameters mean, what calls do and how they differ, in the words of
// wrappers/mpi_roles.table; and its values that have a name: kAnySource, kModeCreate.
#include "mpi_roles.inc"

/// A value that has a name: -2 "MPI_ANY_SOURCE".
struct Word {
  std::int64_t value;
  std::string_view text;
};

/// What all parameters of a role have in common.
struct RoleProperties {
  std::string_view name = {};
  bool differs = false;                 ///< from call to call, or is an outcome: no part of a call's signature
  bool is_int = false;                  ///< in C
  std::optional<Role> element = {};     ///< of arrays
  std::string_view type = {};           ///< of a handle in C: "MPI_Comm"
  char slot = '\0';                     ///< the letter before the number of what the value stands for; 0: it has none
  std::optional<Role> stands_for = {};  ///< one role for handles of the same things: those that calls make and use
  std::span<const Word> words = {};     ///< values that have a name

  /// Of a value that has a name, else "".
  std::string_view word(std::int64_t value) const;
};
/// Of a number that is no role: one without anything.
const RoleProperties& properties(Role role);

/// True for roles whose value is an array.
inline bool is_array(Role role) { return properties(role).element.has_value(); }

inline constexpr std::int64_t kCancelled = -4;  ///< source in the status of a request that was cancelled
inline constexpr std::int64_t kNullBuffer = 0;  ///< value of Role::buffer that is no memory, like kInPlace

/// Other values of Role::buffer name a place: (slot + 1) << kOffsetBits | offset. The runtime of skeletons
/// (templates/runtime/skel.c) reads them too.
inline constexpr int kOffsetBits = 40;
inline constexpr std::int64_t kLargestBuffer = std::int64_t{1} << kOffsetBits;             ///< bytes
inline constexpr std::int64_t kMostBuffers = (std::int64_t{1} << (63 - kOffsetBits)) - 1;  ///< slots
/// 0 <= slot < kMostBuffers, 0 <= offset < kLargestBuffer.
constexpr std::int64_t pack(std::int64_t slot, std::int64_t offset) { return (slot + 1) << kOffsetBits | offset; }
/// -1 for kNullBuffer and kInPlace.
constexpr std::int64_t slot_of(std::int64_t buffer) { return (buffer >> kOffsetBits) - 1; }
constexpr std::int64_t offset_of(std::int64_t buffer) { return buffer & (kLargestBuffer - 1); }
/// Whether steps of so many bytes lead on in the same buffer; larger ones lead to another one.
constexpr bool stays_in_buffer(std::int64_t step) {
  constexpr std::int64_t kHalf = kLargestBuffer / 2;
  return -kHalf < step && step < kHalf;
}

/// A value of Role::target: smaller ones are what the call was given, a displacement in units of the window's; in a
/// dynamic window, which is given an address, it is the place in the target's buffers, packed as above.
constexpr bool is_place(std::int64_t target) { return target >= kLargestBuffer; }

/// First element of an array that stands for a text, so that it equals no array of numbers: a file's name, or hints
/// (hints.h), the value of Role::info (the empty array: MPI_INFO_NULL, or none that matters).
inline constexpr std::int64_t kText = -2'000'000'000'000;

/// Datatypes and operations that the program made are numbered from here on by slot; smaller values say which
/// predefined one.
inline constexpr std::int64_t kMade = std::int64_t{1} << 30;

/// Ranks of a communicator. They differ in an intercommunicator only.
enum class Ranks : std::uint8_t { none, peers, own };

/// A communicator as one rank knows it. An intercommunicator has two groups, each with an identity of its own.
struct Communicator {
  int slot, size, rank;      ///< of the rank's own group
  std::uint64_t identity;    ///< equal on all ranks of that group, different between communicators of the run
  std::uint64_t remote = 0;  ///< identity of the other group; 0: this is no intercommunicator
  int remote_size = 0;
  std::int64_t sources = -1, destinations = -1;  ///< neighbours in its topology; -1: it has none
  std::shared_ptr<const Grid> grid = {};         ///< of a Cartesian topology; nullptr: it has none

  bool inter() const { return remote != 0; }
  /// The group that peers and counts refer to.
  std::uint64_t peers() const { return remote ? remote : identity; }
  int peers_size() const { return remote ? remote_size : size; }
  int ranks(Ranks of) const { return of == Ranks::own ? size : of == Ranks::peers ? peers_size() : 1; }
  /// All ranks that meet in a collective: equal on both sides.
  std::uint64_t all() const { return remote ? identity ^ remote : identity; }
  int all_size() const { return size + remote_size; }
};

/// The Cartesian topology of a communicator that is made in this way from one of topology `parent`; nullptr: it has none.
/// first, last: the first and last array of integers of the call (dims and periods, or remain_dims).
std::shared_ptr<const Grid> made_grid(Way way, const std::shared_ptr<const Grid>& parent,
                                      std::span<const std::int64_t> first, std::span<const std::int64_t> last);

/// A file that the traced program used, by number instead of name.
struct ScratchFile {
  std::int64_t bytes = -1;  ///< that it held before the run; -1: the program can make it itself
  int rank = 0;             ///< in MPI_COMM_WORLD, the first one that opened it
};

enum class Direction : std::uint8_t { in = 1, out = 2, inout = 3 };

/// Neighbours of the caller in its communicator's topology.
enum class Neighbours : std::uint8_t { none, sources, destinations };

struct Codes;

struct Parameter {
  std::string_view name = {};  ///< as in the MPI standard
  Role role = {};
  Direction direction = {};
  /// For Role::buffer: indexes of the parameters that say how much memory it spans (count and datatype, or counts,
  /// displs and datatype, or datatypes with displs in bytes); -1 where there is none. A count alone is bytes, a
  /// datatype alone one element.
  int count = -1, displs = -1, datatype = -1;
  bool root_only = false;  ///< only the root of the collective uses it (recorded as 0 or empty elsewhere)
  /// Buffer counted once for each of these: the peers (Allgather's recvbuf), or those of the caller's own group
  /// (Reduce_scatter_block's sendbuf).
  Ranks per_rank = Ranks::none;
  /// Of what the buffer spans only the caller's part, unless another one is MPI_IN_PLACE (Reduce_scatter's recvbuf). A
  /// buffer with counts and no displs spans their sum.
  bool own_share = false;
  Neighbours per_neighbour = Neighbours::none;  ///< buffer counted once for each of these
  int times = -1;                               ///< buffer counted so many times: index of the parameter, or -1
  /// How many elements an array has, in units of `length_times`: the value of the parameter of this name, "ranks" of the
  /// communicator (of an intercommunicator the peers), "own ranks" of the caller's group in it, its "neighbours in" or
  /// "neighbours out"; what else the table says, and "" for no array.
  std::string_view length = {};
  /// What `length` is: the name of a parameter, peers or own ranks of the communicator, neighbours.
  enum class Length : std::uint8_t {
    none,
    parameter,
    peers,
    own,
    sources,
    destinations,
    other
  } length_kind = Length::none;
  int length_times = 1;
  bool not_first = false;        ///< rank 0 of the communicator does not use it (Exscan's recvbuf)
  const Codes* codes = nullptr;  ///< what its values stand for (codes.h); nullptr: they are plain numbers
  bool unweighted = false;       ///< may be MPI_UNWEIGHTED, recorded as one kUndefined
  bool not_null = false;         ///< no MPI takes a null handle
  bool is_file = false;          ///< a text that names a file
  bool dimensions = false;       ///< a number of dimensions that an array has room for
  std::string_view cast = {};    ///< its C type, where that is not the one of a constant table
};

/// A value of one parameter.
struct Value {
  std::int64_t scalar = 0;
  std::span<const std::int64_t> array;  ///< for array roles
};

/// Calls whose group says who communicates: it is known by its members, so that it does not matter how it was made.
constexpr bool known_by_members(Kind kind) {
  return kind == Kind::comm_create || kind == Kind::win_post || kind == Kind::win_start;
}

/// Outcome of MPI_Cancel: the last parameter of a call of kind cancel. The call's own record does not have it;
/// src/normalize derives it from the status that completes the request. too_late: the request was not cancelled (all
/// sends). cancelled: a receive that took no message. received: a receive that had its message before.
enum class CancelOutcome : std::int64_t { too_late, cancelled, received };
constexpr std::int64_t value_of(CancelOutcome outcome) { return static_cast<std::int64_t>(outcome); }

struct Function {
  int id = -1;                 ///< index in functions(), -1 in none; may change from build to build: files carry names
  std::string_view name = {};  ///< "MPI_Isend"
  Kind kind = Kind::opaque;
  const std::int8_t* places = nullptr;  ///< by role: see find(); nullptr: it has no parameters
  bool nonblocking = false;  ///< completes later, through its request (no persistent one: that must be started)
  bool harmless = false;     ///< only for opaque: local, without effect on communication; replayed as its time
  std::span<const Parameter> parameters = {};  ///< what a replay of the call needs: none for opaque
  /// What a trace has: the same, an opaque call's, or without what is found later.
  std::span<const Parameter> recorded = {};
  bool large = false;  ///< name_c, with large counts
  Mode mode = Mode::standard;
  Flow flow = Flow::none;
  Part part = Part::whole;
  Way way = Way::none;
  bool partitioned = false;  ///< about messages in parts
  /// Id of the call that a replay makes instead, which has the same parameters (of name_c, and of names of MPI-1), or -1.
  int replayed_as = -1;
  int later = -1;  ///< id of the call that does the same and completes later (MPI_Irecv of MPI_Recv), or -1
  /// The function of a skeleton's runtime that makes the call, with these parameters: indexes, or kCompleted.
  std::string_view runtime = {};
  std::span<const int> runtime_arguments = {};

  static constexpr int kCompleted = -1;  ///< how many requests were completed: no parameter

  /// Index of the first parameter with this role, or -1.
  int find(Role role) const { return places ? places[static_cast<std::size_t>(role)] : -1; }
  /// Of the last one.
  int find_last(Role role) const;
  /// True for a collective that nobody leaves before all have come to it, whatever they contribute.
  bool meets_all() const {
    return flow == Flow::all && kind == Kind::collective && !nonblocking && find(Role::counts) < 0;
  }
  /// Index of the parameter that says from whom the call receives or probes a message, or -1 (also for MPI_Recv_init,
  /// which may get messages of several ranks).
  int source() const;
  /// True for a call that waits for a message of whoever it names there: answers count those of MPI_ANY_SOURCE.
  bool waits_for_message() const { return source() >= 0 && !nonblocking && find(Role::flag) < 0; }
  /// Of a parameter that says how large a message is (a count, or counts, that a buffer of a send, a receive or a
  /// collective spans): index of the parameter with the datatype that it counts. -1 for all others, numbers of requests,
  /// of a datatype's blocks and of attached bytes among them.
  int counted_type(std::size_t parameter) const;
  /// Of a parameter that says where the blocks of a buffer begin, in elements of one datatype: index of the parameter with their
  /// counts. -1 for all others.
  int displaced_counts(std::size_t parameter) const;
  /// True if the call reads what lies in this buffer. in_place: one of its buffers is MPI_IN_PLACE, so that it also
  /// reads those that it writes.
  bool reads(std::size_t parameter, bool in_place) const;
};

/// Calls visit(position, k) for each request that a call of kind complete or test completed: its position among the call's
/// requests, as the call gives it (any number; MPI_UNDEFINED: there is none), and which of the call's statuses is its own.
/// number(role), array(role): what the call's first parameter with this role is.
template <class Number, class Array, class Visit>
void each_completed(const Function& function, const Number& number, const Array& array, const Visit& visit) {
  if (function.find(Role::flag) >= 0 && number(Role::flag) == 0) return;
  if (function.find(Role::request) >= 0) return visit(std::int64_t{0}, std::size_t{0});
  if (function.find(Role::index) >= 0) return visit(std::int64_t{number(Role::index)}, std::size_t{0});
  const bool some = function.find(Role::indices) >= 0;
  const auto& of = array(some ? Role::indices : Role::requests);
  for (std::size_t k = 0; k < of.size(); ++k) visit(some ? of[k] : static_cast<std::int64_t>(k), k);
}
/// Calls visit(request, k) for the same requests, of positions that there are.
template <class Number, class Array, class Visit>
void each_completed_request(const Function& function, const Number& number, const Array& array, const Visit& visit) {
  each_completed(function, number, array, [&](std::int64_t position, std::size_t k) {
    if (function.find(Role::request) >= 0) return visit(number(Role::request), k);
    const auto& requests = array(Role::requests);
    if (position >= 0 && position < std::ssize(requests)) visit(requests[static_cast<std::size_t>(position)], k);
  });
}

/// The role that says how a parameter is written: a group that is known by its members is the array of them.
constexpr Role written_role(const Function& function, const Parameter& parameter) {
  return parameter.role == Role::group && known_by_members(function.kind) ? Role::integers : parameter.role;
}

/// Whether the caller uses the buffer of a call on `comm`. root: of the call, if it has one. in_place: another buffer of it
/// is MPI_IN_PLACE.
bool uses(const Parameter& buffer, const Communicator& comm, std::optional<std::int64_t> root, bool in_place);

/// What a call says of how many elements a buffer has: a count, or one for each rank.
struct Amount {
  std::int64_t count = 1;
  std::optional<std::span<const std::int64_t>> counts;
  std::int64_t times = 1;  ///< of Parameter::times
};
/// Elements in a buffer without displacements. comm: the call's, nullptr if it is not known. own: only the caller's share
/// of it (Parameter::own_share).
__int128 elements(const Parameter& buffer, const Amount& amount, const Communicator* comm, bool own);

/// All functions of the table, ordered by name.
std::span<const Function> functions();
/// nullptr if the table does not have it.
const Function* find(std::string_view name);
/// Size in bytes of a predefined datatype by canonical name ("MPI_DOUBLE_PRECISION"), 0 if unknown.
int datatype_size(std::string_view name);

}  // namespace skelgen::mpi
