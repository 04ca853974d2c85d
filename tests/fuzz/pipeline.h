#pragma once
// What `skelgen build` does with a trace directory, for fuzzing: nothing but skelgen::Error may come out of it.

#include <cstdint>
#include <filesystem>
#include <functional>

#include "fold/fold.h"
#include "skeleton/skeleton.h"
#include "traces/writer.h"

namespace skelgen::fuzz {

/// How to build.
struct Choice {
  bool exchange = false, merge_seed = false, keep_times = true, budget = false;
  fold::Mode mode = fold::Mode::best;
};
/// Each bit says something.
Choice choice_of(std::uint8_t bits);

/// Reads every record, and if the trace is complete: normalizes, folds, merges, checks that the skeleton is lossless,
/// looks for deadlocks, plans, emits text, measures. Throws Error. Aborts where the skeleton does not repeat the trace.
/// `look` sees the skeleton.
void build(const std::filesystem::path& directory, const Choice& choice,
           const std::function<void(const skeleton::Skeleton&)>& look = {});

/// Runs body; what bad input may lead to is well (and printed if SKELGEN_FUZZ_ERRORS is set). Aborts on Error{internal},
/// which says that skelgen is wrong.
void expect_no_other_errors(const std::function<void()>& body);

/// Prints the text and aborts: a finding.
[[noreturn]] void finding(const std::string& text);

/// What all traces say of themselves.
trace::Run run_of(int ranks);

/// A temporary directory, gone when the process ends well.
const std::filesystem::path& scratch_directory();

}  // namespace skelgen::fuzz
