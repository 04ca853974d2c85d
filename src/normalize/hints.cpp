#include "normalize/hints.h"

#include "mpi/hints.h"
#include "normalize/location.h"

namespace skelgen::normalize {

namespace {
std::string text_of(const mpi::Value& value) {
  std::string text;
  for (const std::int64_t c : value.array) text += static_cast<char>(c);
  return text;
}
}  // namespace

bool InfoObjects::call(const trace::Event& event) {
  using mpi::Way;
  const auto info = [&](std::size_t i = 0) { return event.values[i].scalar; };
  if (event.values.empty()) return false;
  const auto known = live_.find(info());
  switch (event.function->way) {
    case Way::info_create:
      live_[info()] = {};
      return true;
    case Way::info_dup:
      if (known != live_.end())
        live_[info(1)] = Hints(known->second);
      else
        live_.erase(info(1));
      return true;
    case Way::info_free:
      live_.erase(info());
      return true;
    case Way::info_set:
      if (known != live_.end()) known->second[text_of(event.values[1])] = text_of(event.values[2]);
      return true;
    case Way::info_delete:
      if (known != live_.end()) known->second.erase(text_of(event.values[1]));
      return true;
    default:
      return false;
  }
}

const InfoObjects::Hints* InfoObjects::find(std::int64_t raw) const {
  const auto known = live_.find(raw);
  return known == live_.end() ? nullptr : &known->second;
}

/// Those that a skeleton may have, as the id of an array.
std::int64_t LocationReader::hints(std::int64_t raw) {
  if (raw == 0) return 0;
  const InfoObjects::Hints* all = infos_.find(raw);
  if (!all)
    return normalized_.hints_left_out.insert(threads_ ? "those that MPI or another thread has set"
                                                      : "those that MPI has set itself"),
           0;
  std::string text;
  for (const auto& [key, value] : *all) {
    if (mpi::is_portable_hint(key, value))
      text += (text.empty() ? "" : ";") + key + "=" + value;
    else
      normalized_.hints_left_out.insert(key);
  }
  if (text.empty()) return 0;
  scratch_.assign(1, mpi::kText);
  scratch_.insert(scratch_.end(), text.begin(), text.end());
  return tables_.array(scratch_);
}

}  // namespace skelgen::normalize
