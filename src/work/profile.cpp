#include "work/profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <string_view>

#include "support/error.h"

namespace skelgen::work {
namespace {

/// The words of a line.
class Words {
 public:
  explicit Words(std::string_view line) : left_(line) {}
  bool empty() const { return left_.empty(); }
  std::string_view next() {
    const auto end = std::min(left_.find(' '), left_.size());
    const auto word = left_.substr(0, end);
    left_.remove_prefix(std::min(end + 1, left_.size()));
    return word;
  }
  /// Nothing unless the next word is a whole number, at most `most`.
  std::optional<std::uint64_t> number(std::uint64_t most = UINT64_MAX) {
    const auto word = next();
    std::uint64_t value = 0;
    const auto [end, problem] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (problem != std::errc() || end != word.data() + word.size() || value > most) return {};
    return value;
  }

 private:
  std::string_view left_;
};

class ProfileReader {
 public:
  ProfileReader(const std::filesystem::path& file, const std::function<void(std::span<const Count>)>& visit)
      : file_(file), visit_(visit) {}

  Profile read() {
    std::ifstream in(file_);
    if (!in) throw Error(Code::io, file_.string(), {}, "cannot be read", "check its permissions");
    std::string line;
    while (!profile_.whole && std::getline(in, line)) {
      if (in.eof()) break;  // no line end: the rest was not written
      ++line_;
      profile_.whole = understand(line);
    }
    if (line_ == 0) fail("is empty", "profile again");
    name_reuse();
    return std::move(profile_);
  }

 private:
  [[noreturn]] void fail(const std::string& text, const std::string& remedy) const {
    throw Error(Code::corrupt, file_.string(), {}, fmt::format("line {}: {}", line_, text), remedy);
  }
  [[noreturn]] void refuse() const { fail("is not what the tool writes", "profile again"); }

  /// Returns true for the last line.
  bool understand(std::string_view line) {
    Words words(line);
    const auto word = words.next();
    if (line_ == 1) {
      if (word != "skelgen-profile" || words.number() != 1) fail("is no profile of version 1", "profile again");
    } else if (word == "feature") {
      if (words.number() != profile_.features.size() || profile_.gaps > 0 || words.empty()) refuse();
      profile_.features.emplace_back(words.next());
      counted_ = profile_.features.size();
    } else if (word == "rank") {
      const auto rank = words.number(INT32_MAX);
      if (!rank) refuse();
      profile_.rank = static_cast<Rank>(*rank);
    } else if (word == "interval") {
      gap(words);
    } else if (word == "again") {
      const auto thread = words.number(INT32_MAX), number = words.number();
      if (!thread || !number || *number >= begins_.size() - 1) refuse();
      ++profile_.gaps;
      visit_(std::span(different_).subspan(begins_[*number], begins_[*number + 1] - begins_[*number]));
    }
    return word == "end";
  }

  /// Behind those that the file lists.
  void name_reuse() {
    if (profile_.features.size() > counted_) return;
    for (const char* kind : {"load", "store"})
      for (std::uint32_t b = 0; b < kReuseBuckets; ++b)
        profile_.features.push_back(fmt::format("{}_reuse_{}", kind, b));
  }

  void gap(Words& words) {
    name_reuse();
    const std::size_t begin = different_.size();
    const auto thread = words.number(INT32_MAX);
    if (!thread || counted_ == 0) refuse();
    while (!words.empty()) {
      Words look = words;
      const auto word = look.next();
      std::optional<std::uint64_t> feature;
      if (word == "load_reuse" || word == "store_reuse") {
        words = look;
        feature = words.number(kReuseBuckets - 1);
        if (feature) *feature += counted_ + (word == "store_reuse" ? kReuseBuckets : 0);
      } else {
        feature = words.number(counted_ - 1);
      }
      const auto times = words.number();
      if (!feature || !times || (different_.size() > begin && different_.back().feature >= *feature)) refuse();
      different_.push_back({static_cast<std::uint32_t>(*feature), static_cast<double>(*times)});
    }
    begins_.push_back(different_.size());
    ++profile_.gaps;
    visit_(std::span(different_).subspan(begin));
  }

  const std::filesystem::path& file_;
  const std::function<void(std::span<const Count>)>& visit_;
  Profile profile_;
  std::vector<Count> different_;        // of all lines `interval`, one behind the other
  std::vector<std::size_t> begins_{0};  // where each begins, and the end
  std::uint64_t line_ = 0;
  std::size_t counted_ = 0;  // features that are no reuse
};

}  // namespace

std::uint64_t reuse_distance(std::uint32_t bucket) {
  return bucket < 4 ? bucket : std::uint64_t{4 + (bucket - 4) % 4} << ((bucket - 4) / 4);
}

double miss_ratio(std::span<const std::string> features, std::span<const double> counts, const std::string& kind,
                  double lines) {
  double all = 0, missed = 0;
  const auto first = static_cast<std::size_t>(std::ranges::find(features, kind + "_reuse_0") - features.begin());
  for (std::uint32_t b = 0; b < kReuseBuckets && first + b < counts.size(); ++b) {
    const double times = counts[first + b];
    const auto low = static_cast<double>(reuse_distance(b)), high = static_cast<double>(reuse_distance(b + 1));
    all += times;
    missed += times * (b == kNeverTouched ? 1 : std::clamp((high - lines) / (high - low), 0.0, 1.0));
  }
  return all > 0 ? missed / all : 0;
}

Profile read_profile(const std::filesystem::path& file, const std::function<void(std::span<const Count>)>& visit) {
  return ProfileReader(file, visit).read();
}

}  // namespace skelgen::work
