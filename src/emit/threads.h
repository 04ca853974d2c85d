#pragma once
// Tables by which the runtime knows the threads of each rank.

#include <string>

#include "emit/emit.h"
#include "emit/sections.h"
#include "skeleton/skeleton.h"

namespace skelgen::emit {

/// The tables first_thread (of each rank: its main thread's location), first_turn (of each location), turns and calls_of_iteration
/// (of each phase and location); see skel.h.
std::string thread_tables(const skeleton::Skeleton& skeleton, const Plan& plan);
/// Members of the initializer of struct skel_program that name them, and say how threads may call. init: what main
/// threads call before the others begin.
std::string thread_members(const Nodes& init);

}  // namespace skelgen::emit
