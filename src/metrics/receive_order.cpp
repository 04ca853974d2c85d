#include "metrics/receive_order.h"

#include <algorithm>
#include <iterator>

namespace skelgen::metrics {

namespace {
constexpr int kAny = -1;
}

bool ReceiveOrder::post(std::uint32_t receive, int source, int tag) {
  const Asked asked{std::max(source, kAny), std::max(tag, kAny)};
  const bool any = asked.first == kAny || asked.second == kAny;
  if (waiting_.empty() && !any) return true;
  const std::uint64_t turn = ++posted_;
  if (!any && !put_behind(asked, turn)) return true;
  waiting_.emplace(turn, Waiting{receive, asked, {}});
  turn_of_[receive] = turn;
  turns_[asked].insert(turn);
  return false;
}

std::vector<std::uint32_t> ReceiveOrder::name(std::uint32_t receive, int source, int tag) {
  const std::uint64_t turn = turn_of_.at(receive);
  Waiting& named = waiting_.at(turn);
  const Asked asked{source, tag};
  if (named.asked == asked) return {};
  unlist(std::exchange(named.asked, asked), turn);
  turns_[asked].insert(turn);
  std::vector<std::uint64_t> again{turn};
  again.insert(again.end(), named.behind.begin(), named.behind.end());
  named.behind.clear();
  return look_again(std::move(again));
}

std::vector<std::uint32_t> ReceiveOrder::drop(std::uint32_t receive) {
  auto dropped = waiting_.extract(turn_of_.at(receive));
  turn_of_.erase(receive);
  unlist(dropped.mapped().asked, dropped.key());
  return look_again(std::move(dropped.mapped().behind));
}

std::vector<std::uint32_t> ReceiveOrder::give_up() {
  std::vector<std::uint32_t> all;
  for (const auto& [_, waiting] : waiting_) all.push_back(waiting.receive);
  waiting_.clear();
  turn_of_.clear();
  turns_.clear();
  return all;
}

std::uint64_t ReceiveOrder::before(Asked asked, std::uint64_t turn) const {
  std::uint64_t last = 0;
  for (const int source : {asked.first, kAny})
    for (const int tag : {asked.second, kAny}) {
      const auto found = turns_.find({source, tag});
      if (found == turns_.end()) continue;
      const auto next = found->second.lower_bound(turn);
      if (next != found->second.begin()) last = std::max(last, *std::prev(next));
    }
  return last;
}

bool ReceiveOrder::put_behind(Asked asked, std::uint64_t turn) {
  ++looks_;
  const std::uint64_t first = before(asked, turn);
  if (first) waiting_.at(first).behind.push_back(turn);
  return first != 0;
}

void ReceiveOrder::unlist(Asked asked, std::uint64_t turn) {
  const auto found = turns_.find(asked);
  found->second.erase(turn);
  if (found->second.empty()) turns_.erase(found);
}

std::vector<std::uint32_t> ReceiveOrder::look_again(std::vector<std::uint64_t> turns) {
  std::vector<std::uint32_t> certain;
  for (std::size_t i = 0; i < turns.size(); ++i) {
    const auto found = waiting_.find(turns[i]);
    if (found == waiting_.end() || put_behind(found->second.asked, found->first)) continue;  // not there: dropped
    auto [receive, asked, behind] = std::move(found->second);
    waiting_.erase(found);
    turn_of_.erase(receive);
    unlist(asked, turns[i]);
    certain.push_back(receive);
    turns.insert(turns.end(), behind.begin(), behind.end());
  }
  return certain;
}

}  // namespace skelgen::metrics
