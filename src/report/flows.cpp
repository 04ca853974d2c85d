#include "report/flows.h"

#include <algorithm>
#include <tuple>

namespace skelgen::report {

void Flows::add(const Message& message) {
  const double received_s = std::max(message.sent_s, message.received_s);
  end_s_ = std::max(end_s_, received_s);
  while (end_s_ >= column_s_ * kColumns) coarsen(false);
  const auto column = [&](double at_s) { return static_cast<std::uint32_t>(std::max(0.0, at_s) / column_s_); };
  const auto row = [&](std::size_t number) { return static_cast<std::uint32_t>(number >> row_shift_); };
  if (row(message.from) == row(message.to)) return;  // it would be no line
  ++lines_[key(column(message.sent_s), column(received_s), row(message.from), row(message.to))];
  while (lines_.size() > most_) {
    const bool rows = end_s_ / column_s_ < kFewColumns;
    if (rows && row_step() >= rows_) break;
    coarsen(rows);
  }
}

/// Half as many rows, or columns.
void Flows::coarsen(bool rows) {
  rows ? static_cast<void>(++row_shift_) : static_cast<void>(column_s_ *= 2);
  std::unordered_map<Key, std::uint32_t> fewer;
  for (const auto& [own, messages] : lines_) {
    const Line old = line(own, messages);
    if (rows && old.from / 2 == old.to / 2) continue;
    fewer[rows ? key(old.sent, old.received, old.from / 2, old.to / 2)
               : key(old.sent / 2, old.received / 2, old.from, old.to)] += messages;
  }
  lines_ = std::move(fewer);
}

std::vector<Flows::Line> Flows::lines() const {
  std::vector<Line> all;
  for (const auto& [own, messages] : lines_) {
    all.push_back(line(own, messages));
    all.back().from <<= row_shift_;
    all.back().to <<= row_shift_;
  }
  std::ranges::sort(all, {}, [](const Line& l) { return std::tuple(l.sent, l.from, l.to, l.received); });
  return all;
}

}  // namespace skelgen::report
