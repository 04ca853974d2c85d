// Bytes -> the text form of a skeleton -> everything that `skelgen build` does with it. What is read is printed, read
// and printed again: the same text.
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>

#include "emit/emit.h"
#include "fuzz/pipeline.h"
#include "support/error.h"
#include "text/text.h"

namespace {

using namespace skelgen;

/// Small enough for thousands of inputs a second, and for simulating every call.
constexpr text::Limits kLimits{.locations = 64, .values = 1 << 18, .calls = 20'000};

std::string printed(const skeleton::Skeleton& skeleton) {
  std::ostringstream out;
  text::print(out, skeleton);
  return out.str();
}

void build(std::string_view text) {
  const auto read = text::parse(text, "text", kLimits);
  const std::string first = printed(read);
  const auto again = text::parse(first, "text", {});
  if (printed(again) != first) fuzz::finding("a text that is not read as it was printed");
  if (read.edited && again.edited != read.edited) fuzz::finding("an edited text counts as that of a trace");
  emit::check_deadlock(read);
  std::string ranks, ranks_again;
  const std::string program = emit::program(read, emit::plan_scale(read, 3), &ranks);
  if (emit::program(again, emit::plan_scale(again, 3), &ranks_again) != program || ranks != ranks_again)
    fuzz::finding("another program comes out of the printed text");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::expect_no_other_errors([&] { build({reinterpret_cast<const char*>(data), size}); });
  return 0;
}
