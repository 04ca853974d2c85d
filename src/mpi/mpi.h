#pragma once
// What an MPI call is, offline: which functions there are and what role each parameter plays. Generated from
// wrappers/mpi_calls.table; no MPI library or mpi.h is needed. Values are in the canonical encoding below, which
// does not depend on the MPI that was traced.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace skelgen::mpi {

/// What a parameter means. The number is part of the record format (FORMAT.md): append only.
enum class Role : std::uint8_t {
  buffer = 1,  ///< memory the call reads or writes; see kNullBuffer, kInPlace
  count = 2,   ///< number of elements
  counts = 3,  ///< array of counts, one per rank of the communicator
  displs = 4,  ///< array of displacements, one per rank of the communicator
  datatype = 5,
  datatypes = 6,  ///< array of datatypes
  op = 7,
  peer = 8,  ///< dest or source: rank in the call's communicator, or kProcNull, kAnySource
  root = 9,  ///< root of a collective: rank in the call's communicator
  tag = 10,  ///< or kAnyTag
  comm = 11,
  newcomm = 12,  ///< communicator that the call creates
  group = 13,
  newgroup = 14,
  request = 15,   ///< one request, created (out) or completed (in)
  requests = 16,  ///< array of requests that the call may complete
  status = 17,    ///< (source, tag) that was matched: recorded as an array of 2, or empty if unknown
  statuses = 18,  ///< the same for each completed request, flattened
  flag = 19,      ///< outcome of Test*, Iprobe: 0 or 1
  index = 20,     ///< outcome of Waitany, Testany: index or kUndefined
  indices = 21,   ///< outcomes of Waitsome, Testsome
  color = 22,     ///< of Comm_split: or kUndefined
  key = 23,
  integer = 24,   ///< any other int: ndims, reorder, direction, threads level, error code
  integers = 25,  ///< array of ints: dims, periods, coords
  newtype = 26,   ///< datatype that the call creates
  newop = 27,     ///< reduction operation that the call creates
  aint = 28,      ///< an MPI_Aint: stride, lower bound or extent in bytes
  aints = 29,     ///< array of MPI_Aints: displacements in bytes
  message = 30,   ///< of Mprobe: created (out) or received (inout); see kNoProcMessage
  win = 31,       ///< these five: handles, made (out), given, or given up (inout)
  file = 32,
  info = 33,
  infos = 34,  ///< array of info objects
  errhandler = 35,
  session = 36,
  offset = 37,   ///< a place or a number of bytes in a file, a window, a buffer
  text = 38,     ///< recorded as an array of bytes, cut where it is long
  texts = 39,    ///< array of texts, each with a 0 behind it
  address = 40,  ///< of a function or of memory whose size does not follow from the call
  target = 41    ///< displacement in a window, see is_place()
};

/// True for roles whose value is an array.
bool is_array(Role role);

inline constexpr std::int64_t kProcNull = -1, kAnySource = -2, kRoot = -3, kAnyTag = -1, kUndefined = -32766;
inline constexpr std::int64_t kTypeShared = 1;  ///< of Comm_split_type's split_type: or kUndefined, or 0
inline constexpr std::int64_t kModeCreate = 1, kModeExclusive = 64;  ///< bits of File_open's amode
inline constexpr std::int64_t kNoProcMessage = -2;            ///< slot of MPI_MESSAGE_NO_PROC; the null handle is -1
inline constexpr std::int64_t kCancelled = -4;                ///< source in the status of a request that was cancelled
inline constexpr std::int64_t kNullBuffer = 0, kInPlace = 1;  ///< values of Role::buffer that are no memory

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

  bool inter() const { return remote != 0; }
  /// The group that peers and counts refer to.
  std::uint64_t peers() const { return remote ? remote : identity; }
  int peers_size() const { return remote ? remote_size : size; }
  int ranks(Ranks of) const { return of == Ranks::own ? size : of == Ranks::peers ? peers_size() : 1; }
  /// All ranks that meet in a collective: equal on both sides.
  std::uint64_t all() const { return remote ? identity ^ remote : identity; }
  int all_size() const { return size + remote_size; }
};

/// A file that the traced program used, by number instead of name.
struct ScratchFile {
  std::int64_t bytes = -1;  ///< that it held before the run; -1: the program can make it itself
  int rank = 0;             ///< in MPI_COMM_WORLD, the first one that opened it
};

enum class Direction : std::uint8_t { in = 1, out = 2, inout = 3 };

/// Neighbours of the caller in its communicator's topology.
enum class Neighbours : std::uint8_t { none, sources, destinations };

struct Parameter {
  std::string_view name;  ///< as in the MPI standard
  Role role;
  Direction direction;
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
  bool not_first = false;  ///< rank 0 of the communicator does not use it (Exscan's recvbuf)
};

/// A value of one parameter.
struct Value {
  std::int64_t scalar = 0;
  std::span<const std::int64_t> array;  ///< for array roles
};

/// What a call does. `opaque`: recorded, but not replayed as a call.
enum class Kind : std::uint8_t {
  opaque,
  environment,
  local,
  send,
  recv,
  sendrecv,
  probe,
  match,         ///< probe that takes the message: Mprobe
  recv_matched,  ///< receive of such a message: Mrecv
  send_init,     ///< makes a persistent request
  recv_init,
  collective_init,
  start,   ///< of persistent requests
  cancel,  ///< of a request, see CancelOutcome
  ask,     ///< whether a request is complete, or a part of it: it stays what it is
  request_free,
  attach,  ///< memory for buffered sends
  detach,
  complete,
  test,
  collective,
  comm_create,
  comm_free,
  type_create,
  type_free,
  op_create,
  op_free,
  win_create,  ///< all of a communicator make a window
  win_free,
  win_attach,  ///< memory of the caller's to a dynamic window
  win_detach,
  rma,           ///< a call on a window that moves data: Put, Get, Accumulate, ...
  win_fence,     ///< all of the window meet
  win_post,      ///< opens the caller's window to a group
  win_start,     ///< begins to use the windows of a group
  win_complete,  ///< ends what win_start began
  win_wait,      ///< waits until the group of win_post has done so
  win_local,     ///< Win_lock, _unlock, _flush, _sync: waits for no call of others that is yet to come
  file_open,     ///< all of a communicator open a file
  file_close,
  file_local,       ///< a call on a file that nobody else must make
  file_collective,  ///< all that opened the file make it
  file_delete,      ///< by its name
  init,
  finalize,
  abort
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
  int id;                 ///< index in functions(); may change from build to build: files carry names
  std::string_view name;  ///< "MPI_Isend"
  Kind kind;
  bool nonblocking;  ///< completes later, through its request (a persistent request is no such: it must be started)
  bool harmless;     ///< only for opaque: local, without effect on communication; replayed as its time
  std::span<const Parameter> parameters;  ///< what a replay of the call needs: none for opaque
  std::span<const Parameter>
      recorded;        ///< what a trace has: the same, an opaque call's, or without what is found later
  bool large = false;  ///< name_c, with large counts: replayed as the call without _c, which has the same parameters
  bool of_neighbours = false;  ///< a collective call of which each rank says something to its neighbours in a topology

  /// Index of the n-th parameter with this role (from 0), or -1.
  int find(Role role, int n = 0) const;
  /// Index of the parameter that says from whom the call receives or probes a message, or -1 (also for MPI_Recv_init,
  /// which may get messages of several ranks).
  int source() const;
  /// True for a call that waits for a message of whoever it names there: answers count those of MPI_ANY_SOURCE.
  bool hears() const { return source() >= 0 && !nonblocking && find(Role::flag) < 0; }
  /// Of a parameter that says how large a message is (a count, or counts, that a buffer of a send, a receive or a
  /// collective spans): index of the parameter with the datatype that it counts. -1 for all others, numbers of requests,
  /// of a datatype's blocks and of attached bytes among them.
  int counted_type(std::size_t parameter) const;
  /// True if the call reads what lies in this buffer. in_place: one of its buffers is MPI_IN_PLACE, so that it also
  /// reads those that it writes.
  bool reads(std::size_t parameter, bool in_place) const;
};

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
