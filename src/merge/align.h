#pragma once
// Class programs -> one program whose nodes say which statements of which classes they are.

#include <cstdint>
#include <span>
#include <vector>

#include "merge/class_program.h"
#include "normalize/normalize.h"

namespace skelgen::merge {

/// A statement of a class: programs[program][node].
struct ClassStatement {
  std::uint32_t program, node;
  bool operator==(const ClassStatement&) const = default;
};

/// A statement of the merged program. Its parts are of different classes and may stand in one statement: the same
/// function, communicator slot, datatypes (but those that the root alone names) and op, or loops.
struct Aligned {
  std::vector<ClassStatement> parts;
  std::vector<Aligned> body;  ///< not empty: a loop
};

/// Class programs and their alignment.
struct Alignment {
  std::vector<ClassProgram> nodes;
  std::vector<Aligned> merged;
};

/// By symbol: calls that may stand in one statement have the same number; only peer, root and the datatypes that the root of
/// a collective alone names may differ. O(records).
std::vector<std::uint32_t> shapes_of(const normalize::Normalized& normalized);

/// Aligns the programs one after the other, longest first, each with what was merged so far, so that the sum of scores
/// over aligned statements is largest (Needleman & Wunsch 1970, on nested lists). Scores: collectives before other
/// calls before calls that differ in peer or root; loops what their bodies score, twice that if the trips are equal.
/// Calls that then stand in a statement with others of another peer or root move to a statement of their own peer or root
/// that is at most 8 statements away, if their programs execute nothing in between. Every program's own order is kept.
/// The result depends on the input only. O(sum of programs x merged length) while
/// that is below 5e7 cells; beyond, programs of the same shape are aligned position by position, and long blocks piece
/// by piece.
std::vector<Aligned> align(const normalize::Normalized& normalized, std::span<const ClassProgram> programs);

}  // namespace skelgen::merge
