#pragma once
// What a program says of itself in its first lines.

#include <string>

#include "emit/emit.h"

namespace skelgen::emit {

/// A comment.
std::string summary(const skeleton::Skeleton& skeleton, const Plan& plan);

}  // namespace skelgen::emit
