#pragma once
// Which calls of a program send messages that are too short or too long for a network, and what it would save to combine or cut them.

#include <string>
#include <vector>

#include "network/model.h"
#include "network/replay.h"

namespace skelgen::network {

/// Messages of a statement, or of several ones of an iteration that go the same way. Calls and seconds are those of the rank that
/// spends most on them, over the whole run.
struct Advice {
  std::string loop;  ///< the innermost one: "loop 2.1" is the first one in the second of the top level; empty: in none
  const mpi::Function* function = nullptr;
  int rank = 0;
  double bytes = 0, calls = 0;  ///< of a message, on average
  bool congested = false;       ///< else spare: start-up decides
  double parts = 1;             ///< spare: messages that could be one; congested: pieces that one could be cut into
  double now_s = 0, then_s = 0;
};

/// Sends and collectives whose messages are, on average, in the spare or congested state of the pattern's curve of that number of
/// ranks (the next smaller one that was measured), and on which a rank spends kAdvised of the run time or more by the measured
/// times; what saves most first. Combined are messages of an iteration to the same peers
/// (collectives: of one communicator, with the same root), and those of all iterations of a loop in which a rank only sends to
/// one peer. replay: of this skeleton. O(nodes x locations), and for each
/// pair of calls of one block that both send.
inline constexpr double kAdvised = 0.001;
std::vector<Advice> advise(const skeleton::Skeleton& skeleton, const Replay& replay, const MessageTimes& times,
                           const Model& model);

}  // namespace skelgen::network
