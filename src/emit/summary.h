#pragma once
// Comment at the top of an emitted program: what it is and what it was made of.

#include <string>

#include "emit/emit.h"

namespace skelgen::emit {

/// A comment.
std::string summary(const skeleton::Skeleton& skeleton, const Plan& plan);

}  // namespace skelgen::emit
