#pragma once
// The chain of waiting that led to a moment, shared between all that it led to. Internal to src/metrics.

#include <cstdint>
#include <utility>
#include <vector>

namespace skelgen::metrics {

/// Steps [from, to) of a location; before them it waited for the part before, in its step from - 1, until waited_s after
/// that part's end.
struct Stretch {
  std::uint32_t location = 0;
  std::uint64_t from = 0, to = 0;
  double waited_s = 0;
  bool enters = false;  ///< and what it computed before the call of step `to`, which it enters
};

/// The last stretch of a chain, still open at its end. Copies share the chain; parts that nobody refers to any more are
/// freed. 40 bytes for each wait of a chain that somebody refers to.
class Path {
 public:
  Path() = default;
  explicit Path(std::uint32_t location) : node_(new Node{nullptr, 1, location, 0, 0, 0}) {}
  /// The chain goes on at `location` from its step `from` on, having left `before` behind that one's step `to` - 1, or
  /// where it enters the call of step `to`.
  Path(const Path& before, std::uint64_t to, bool enters, std::uint32_t location, std::uint64_t from, double waited_s)
      : node_(new Node{before.node_, 1, location, from, 2 * to + enters, waited_s}) {
    if (before.node_) ++before.node_->uses;
  }
  Path(const Path& other) : node_(other.node_) {
    if (node_) ++node_->uses;
  }
  Path(Path&& other) noexcept : node_(std::exchange(other.node_, nullptr)) {}
  Path& operator=(Path other) noexcept {
    std::swap(node_, other.node_);
    return *this;
  }
  ~Path() { release(); }

  /// All of it, first to last; the last stretch ends before step `to`.
  std::vector<Stretch> stretches(std::uint64_t to) const {
    std::vector<Stretch> result;
    bool enters = false;
    for (const Node* node = node_; node; node = node->before) {
      result.push_back({node->location, node->from, to, node->waited_s, enters});
      to = node->left / 2;
      enters = node->left % 2 != 0;
    }
    return {result.rbegin(), result.rend()};
  }

 private:
  struct Node {
    Node* before;
    std::uint32_t uses, location;
    std::uint64_t from, left;  // left: twice where the stretch before ends, and 1 if it enters a call there
    double waited_s;
  };

  /// Not by recursion: chains are long.
  void release() {
    while (node_ && --node_->uses == 0) delete std::exchange(node_, node_->before);
  }

  Node* node_ = nullptr;
};

}  // namespace skelgen::metrics
