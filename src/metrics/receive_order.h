#pragma once
// Order in which receives of a source and tag take messages. Internal to src/metrics.

#include <cstdint>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace skelgen::metrics {

/// The receives of a communicator whose turn is not certain: MPI gives a message to the first posted one that may take
/// it, and one of any source or tag may take each until it is known what it got. Sources and tags below 0 are any.
/// O(log waiting) per call, and for each receive whose turn becomes certain by it.
class ReceiveOrder {
 public:
  /// A receive is posted, under a number that no waiting one has. Whether its turn is certain; else it waits.
  bool post(std::uint32_t receive, int source, int tag);
  /// The receive turned out to be of this source and tag. Those that are certain now, each behind those before it.
  std::vector<std::uint32_t> name(std::uint32_t receive, int source, int tag);
  /// The receive gets no message. The same.
  std::vector<std::uint32_t> drop(std::uint32_t receive);
  /// Nothing more will be known: all that wait, in the order of posting. None do then.
  std::vector<std::uint32_t> give_up();

  std::uint64_t looks() const { return looks_; }  ///< for a receive's turn, so far

 private:
  using Asked = std::pair<int, int>;  // source, tag
  struct Waiting {
    std::uint32_t receive;
    Asked asked;
    std::vector<std::uint64_t> behind;  // turns that become certain after this one at the earliest
  };

  /// Of those that may take a message of `asked`, the last one before `turn`; 0: none.
  std::uint64_t before(Asked asked, std::uint64_t turn) const;
  /// Puts the turn behind that one; false if there is none.
  bool put_behind(Asked asked, std::uint64_t turn);
  void unlist(Asked asked, std::uint64_t turn);
  /// Looks at these turns again, then at what is behind those that are certain.
  std::vector<std::uint32_t> look_again(std::vector<std::uint64_t> turns);

  std::uint64_t posted_ = 0, looks_ = 0;
  std::map<std::uint64_t, Waiting> waiting_;  // by turn: the how many-th posted one it is, from 1
  std::unordered_map<std::uint32_t, std::uint64_t> turn_of_;
  std::map<Asked, std::set<std::uint64_t>> turns_;  // of those that ask for it
};

}  // namespace skelgen::metrics
