#pragma once
// Times of messages and collectives on a network that `netbench` measured. Between measured lengths and numbers of ranks they are
// interpolated.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "network/distances.h"
#include "network/model.h"

namespace skelgen::network {

/// The file of `netbench -o`. Throws Error{io}, and Error{corrupt} where it is none.
Points read_net(const std::filesystem::path& file);

/// Times of a pattern, in seconds; interpolated linearly between the measured lengths, and in proportion to the bytes beyond
/// the longest one; between numbers of ranks linear in their logarithm, and beyond the greatest one as between the last two.
class MessageTimes {
 public:
  /// Throws Error{mismatch} where a ping-pong was not measured at two lengths. What asks for times of a pattern that
  /// was not measured throws Error{mismatch}; "late send" is needed always.
  explicit MessageTimes(const Points& points);

  /// Of another network: the start-up times of the fitted ranges of lengths, times `latency`, and the times per byte, divided by
  /// `bandwidth` (which may be infinite). What sends cost processors stays as it is, and so does waits_from. Requires
  /// latency >= 0, bandwidth > 0. O(fits).
  MessageTimes changed(double latency, double bandwidth) const;

  const Distances& distances() const { return distances_; }
  const Fit& pingpong() const { return pingpong_; }
  /// From the send until it is received, if the receiver waits for it.
  double message(double bytes) const { return at("pingpong", 2, bytes); }
  /// The same on a way of distances().
  double message(double bytes, std::size_t way) const;
  /// For so long a rank's port has no other message.
  double occupies(double bytes) const;
  /// Of the time of a message on a way, the part in which it alone fills the link that its group shares: what it adds to the
  /// messages of distances().together(); where these are too few, its bytes.
  double occupies(double bytes, std::size_t way) const;
  /// Load of a message on that link in the other direction, relative to its own: by how much an exchange between the first and the
  /// last rank takes longer than a message, of the part above. 0 to 1.
  double reverse() const { return reverse_; }
  /// MPI_Isend; MPI_Recv of a message that came long before.
  double send(double bytes) const { return at("send overhead", 2, bytes); }
  double late_receive(double bytes) const { return at("late receive", 2, bytes); }
  /// On a way: where the message sets out only when its receive begins, so that it takes half of its time or more, in proportion.
  double late_receive(double bytes, std::size_t way) const;
  /// Whether MPI_Send waits for its receive.
  bool waits(double bytes) const { return bytes >= waits_from_; }
  /// Least length of which it does; infinite: none that was measured.
  double waits_from() const { return waits_from_; }
  /// Whether collective() knows the pattern.
  bool measured(const std::string& pattern) const { return patterns_.contains(pattern); }
  /// pattern: "bcast", "scatter", ...; bytes as in Point. 0 for one rank.
  double collective(const std::string& pattern, int ranks, double bytes) const { return at(pattern, ranks, bytes); }

 private:
  using Lengths = std::map<double, double>;  ///< seconds by bytes
  void measure_link();
  double at(const std::string& pattern, int ranks, double bytes) const;
  const std::map<int, Lengths>& curve(const std::string& pattern) const;

  std::map<std::string, std::map<int, Lengths>> patterns_;  ///< by ranks
  Fit pingpong_;
  Distances distances_;
  std::vector<Lengths> by_way_;  ///< the ping-pong on each way
  Lengths before_link_;          ///< the rest of a message's time on distances().together().way; empty: not known
  double waits_from_ = 0, reverse_ = 0;
};

}  // namespace skelgen::network
