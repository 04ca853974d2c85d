#pragma once
// Links between groups of ranks that the messages under way share.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <queue>
#include <utility>
#include <vector>

namespace skelgen::network {

/// Each group has a link to the others in each direction. Messages that are on a link at the same time have equal rates, unless
/// another link holds some of them back (max-min fairness); a message loads the links of its way in the other direction, too.
/// Time, in seconds, goes on from event to event: a message enters the links, or has passed them; of two at the same time a message
/// that has passed comes first. O(groups x ways in use) per event.
class SharedLinks {
 public:
  /// reverse: load of a message on the links of the other direction, relative to that on its own; 0: full duplex, 1: half duplex.
  SharedLinks(std::size_t groups, double reverse) : groups_(groups), reverse_(reverse) {}

  /// A message, which no other under way has the number of, enters at `at_s`, or when the last event was if that is later; alone
  /// it would pass in `alone_s`. Requires from != to.
  void enter(std::size_t message, std::size_t from, std::size_t to, double at_s, double alone_s);
  /// When the last event was.
  double now_s() const { return now_s_; }
  /// When the next event is; infinite: no message is under way.
  double next_s() const;
  /// The next event; the message that has passed, if it is that. Requires a message under way.
  std::optional<std::size_t> pass();

 private:
  /// Messages from one group to another, which have the same rate.
  struct Way {
    std::size_t from = 0, to = 0;
    double rate = 0;    ///< of each message
    double served = 0;  ///< what a message has passed that was on its way from the beginning, in seconds alone
    std::map<std::pair<double, std::uint64_t>, std::size_t>
        messages{};  ///< by `served` when they have passed, and number
    double next_s(double now) const;
  };
  struct Entering {
    double at_s, alone_s;
    std::uint64_t number;
    std::size_t message, from, to;
    bool operator>(const Entering& other) const {
      return at_s != other.at_s ? at_s > other.at_s : number > other.number;
    }
  };

  void go_on(double to_s);
  void share();

  const std::size_t groups_;
  const double reverse_;
  double now_s_ = 0;
  std::uint64_t entered_ = 0;
  std::priority_queue<Entering, std::vector<Entering>, std::greater<>> entering_;
  std::map<std::size_t, Way> ways_;  ///< with messages, by from x groups + to
};

}  // namespace skelgen::network
