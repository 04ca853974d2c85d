#pragma once
// Late receivers: times for which calls waited until receives were posted. Internal to src/metrics.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace skelgen::metrics {

/// A call that sends, or completes sends, waited so long until the receives were posted.
struct LateReceiver {
  std::uint32_t call = 0;  ///< index in the location's stream
  float seconds = 0;
};

/// The waits that were added, of which the longest are kept: so many at most, half as many at least. O(1) time each,
/// 8 bytes for each that is kept.
class LateReceivers {
 public:
  static constexpr std::size_t kMost = 1 << 20;
  using List = std::vector<LateReceiver>;  ///< calls ascend

  explicit LateReceivers(std::size_t locations, std::size_t most = kMost) : most_(most), lists_(locations) {}

  void add(std::uint32_t location, std::uint32_t call, double seconds) {
    const LateReceiver wait{call, static_cast<float>(seconds)};
    if (wait.seconds <= left_out_ || most_ == 0) return;
    if (kept_ == most_) {
      leave_out();
      return add(location, call, seconds);
    }
    lists_[location].push_back(wait);
    ++kept_;
  }

  /// By location; none are left. A call that waited for several has one entry.
  std::vector<List> take() {
    for (List& list : lists_) {
      std::ranges::stable_sort(list, {}, &LateReceiver::call);
      std::size_t calls = 0;
      for (const LateReceiver& wait : list)
        if (calls > 0 && list[calls - 1].call == wait.call)
          list[calls - 1].seconds += wait.seconds;
        else
          list[calls++] = wait;
      list.resize(calls);
    }
    return std::move(lists_);
  }

 private:
  /// The shorter half.
  void leave_out() {
    std::vector<float> all;
    for (const List& list : lists_)
      for (const LateReceiver& wait : list) all.push_back(wait.seconds);
    std::ranges::nth_element(all, all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2));
    left_out_ = all[all.size() / 2];
    const auto longer = std::ranges::count_if(all, [&](float seconds) { return seconds > left_out_; });
    auto as_long = static_cast<std::ptrdiff_t>(most_ / 2) - longer;  // that are kept, too
    kept_ = 0;
    for (List& list : lists_) {
      std::erase_if(list, [&](const LateReceiver& wait) {
        return wait.seconds < left_out_ || (wait.seconds == left_out_ && as_long-- <= 0);
      });
      kept_ += list.size();
    }
  }

  std::size_t most_, kept_ = 0;
  float left_out_ = 0;  // so short ones are not kept
  std::vector<List> lists_;
};

/// Goes through a location's list with its calls.
class LateReceiversOf {
 public:
  explicit LateReceiversOf(std::span<const LateReceiver> list = {}) : list_(list) {}
  /// Seconds of a call; those of the calls ascend.
  double at(std::uint32_t call) {
    while (!list_.empty() && list_.front().call < call) list_ = list_.subspan(1);
    return !list_.empty() && list_.front().call == call ? list_.front().seconds : 0;
  }

 private:
  std::span<const LateReceiver> list_;
};

}  // namespace skelgen::metrics
