#pragma once
// What a program whose ranks have several threads tells the runtime about them.

#include <string>

#include "skeleton/skeleton.h"

namespace skelgen::emit {

/// The tables first_thread (of each rank: its main thread's location), first_turn (of each location) and turns; see
/// skel.h.
std::string thread_tables(const skeleton::Skeleton& skeleton);
/// Members of the initializer of struct skel_program that name them. calls_before: that a main thread has made when the
/// others begin.
std::string thread_members(std::size_t calls_before);

}  // namespace skelgen::emit
