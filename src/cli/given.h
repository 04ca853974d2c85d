#pragma once
// Arguments that may be a trace, a skeleton or a text.

#include <string>

namespace skelgen::cli {

enum class Given { trace, skeleton, text };

/// What `named` is: a text if it is a file, a skeleton if it is a directory with skeleton.json. All else is taken for a trace, whose
/// reader says what is wrong with it. Throws Error{io} for a file that belongs to a skeleton or a trace.
Given given(const std::string& named);

}  // namespace skelgen::cli
