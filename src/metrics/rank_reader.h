#pragma once
// One rank's calls as steps, with what must be matched with other ranks. Internal to src/metrics.

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "metrics/metrics.h"
#include "metrics/steps.h"

namespace skelgen::metrics {

/// A communicator as one rank knows it: what makes it the same one on other ranks. Each persistent collective counts as
/// one of its own, since ranks may start theirs in different order.
struct CommIdentity {
  int parent = -1;  ///< index of the communicator that it was made from, or one of the below
  int ordinal = 0;  ///< how many were made from that one before
  int leader = 0;   ///< world rank of its rank 0
  int size = 0, rank = 0;
  static constexpr int kWorld = -1, kSelf = -2, kForeign = -3;  ///< kForeign: made by calls that are not recorded
  /// An intercommunicator is three: all its ranks, the lower leader's group first; and for each group (the leader's) the
  /// messages that it sends, which have ranks of both groups.
  static constexpr int kBetween = -4, kFromGroup = -5;
};

/// Messages between a rank and another one with one tag, in one direction: a receive gets what the send of the same
/// number sent.
struct Channel {
  static constexpr int kNoComm = -1;
  int comm = kNoComm, peer = 0, tag = 0;  ///< comm: index into RankReader::comms(); kNoComm: this is none
  bool sends = false;
  std::uint32_t messages = 0;  ///< so far, without those of cancelled receives
  // Receives are numbered as they are posted. Those that were cancelled have no message; the others' messages follow each
  // other.
  std::uint32_t taken = 0, behind_taken = 0;  ///< how many have their message; the number behind the last of these
  bool posted = false;                        ///< a step `post` has it as its link
  std::vector<std::uint32_t> cancelled{};     ///< numbers, ascending, of which a later receive is left
};

struct LoadedCode;
class CallSites;
struct Shared;

/// Reads a rank's threads side by side, in the order in which their calls began. Memory does not grow with the calls, but
/// with those that are between a receive of any source and its completion, and those that front() has to keep; with the
/// channels that nobody drops; and with the communicators, windows, files and persistent collectives that were made.
class RankReader {
 public:
  /// unit_s: see Options. cuts: of the rank's threads; see Cuts. matched: messages have channels and numbers. code: of the
  /// rank, to number where calls are made. The trace, the cuts and the code must outlive the reader.
  RankReader(const trace::Trace& trace, Rank rank, int threads, double unit_s,
             std::span<const std::vector<std::uint64_t>> cuts = {}, bool matched = true,
             std::span<const LoadedCode> code = {});
  ~RankReader();
  RankReader(RankReader&&) noexcept;

  /// The thread's next step, valid until the next call of pop() or front(); null when it is over. Calls of other threads
  /// that began before it are read and kept.
  const Step* front(std::size_t thread);
  void pop(std::size_t thread);

  /// A thread whose front() keeps no more than is kept already, or none when all are over.
  std::optional<std::size_t> next();
  /// Whether front(thread) keeps calls of other threads that were not read yet.
  bool behind_others(std::size_t thread);
  /// The thread's next step is not before that; 0 if it is over. Reads no calls of others for it.
  double earliest(std::size_t thread);

  /// When the thread left MPI_Init, or made its first call; known as soon as front() was called.
  double start(std::size_t thread) const;
  /// What is known so far.
  const std::vector<CommIdentity>& comms() const;
  const std::vector<Channel>& channels() const;
  std::uint32_t collectives(std::size_t comm) const;        ///< how many the rank came to
  const std::vector<int>& sources(std::size_t comm) const;  ///< of the rank in its topology
  const Unmatched& unmatched() const;
  /// No step that is still to be taken is of the channel: it is none any more, and begins anew when it comes again. Its
  /// index is that of another one then.
  void drop_channel(std::uint32_t channel);

 private:
  void look_ahead();
  bool read();
  void give_up();

  struct Thread;
  std::unique_ptr<Shared> shared_;
  std::vector<Thread> threads_;
  bool over_ = false;
};

/// Of all ranks of the trace.
std::vector<RankReader> rank_readers(const trace::Trace& trace, double unit_s, const Cuts& cuts,
                                     const CallSites& sites);

}  // namespace skelgen::metrics
