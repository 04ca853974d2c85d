#pragma once
// Tables of what a worker of a pool does for each message, by the message's number.

#include <string>
#include <vector>

#include "skeleton/skeleton.h"

namespace skelgen::emit {

/// Name of the table of the numbers that end a worker's loop, and how many there are: "pool_1_ends, 3".
std::string pool_ends(std::size_t pool, const skeleton::Pool& of);
/// Statement that spends the computation before call `node` of the body; empty if there is none.
std::string pool_compute(std::size_t pool, const skeleton::Pool& of, std::size_t node);
/// Mean computation of each worker before every message but the first, the one that ends the loop included; `loop`
/// stands at the top of the program.
std::vector<double> before_messages(const skeleton::Skeleton& skeleton, const skeleton::Node& loop);
/// The tables of all pools.
std::string pool_tables(const skeleton::Skeleton& skeleton);

}  // namespace skelgen::emit
