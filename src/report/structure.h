#pragma once
// The folded program as a list of statements, each with the time that it took in the traced run.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "emit/emit.h"
#include "skeleton/skeleton.h"

namespace skelgen::report {

/// The rank that spends most in a statement.
struct Longest {
  int rank = 0;
  double seconds = 0;
  double more_s = 0;  ///< than the mean of the ranks that execute it
};

struct Statement {
  enum class Kind { loop, call, computation, rest };
  Kind kind = Kind::call;
  int level = 0;  ///< loops around it
  /// "MPI_Send to rank+1, 8 B (main.c:7)"; "computation (main.c:5 to main.c:7)"; a loop: "loop 1: 250 times", "loop, 4 times"; Kind::rest: "12 statements"
  std::string text;
  /// A call: its function; a loop: its phase, empty if it is none; computation: "main.c:5 to main.c:7", empty if not known.
  std::string name;
  std::string who;                   ///< "ranks 0-2", "17 of 64 ranks"; empty: all
  std::uint64_t times = 0;           ///< how often the location executes it that does so most often; a loop: iterations
  double seconds = 0;                ///< of all locations together; a loop: with its body
  std::optional<Longest> longest{};  ///< where it takes a tenth longer than the mean of those that execute it
};

struct Structure {
  std::vector<Statement> statements;
  double seconds = 0;      ///< of all locations together
  std::size_t length = 0;  ///< statements of the program
};

/// At most about so many statements; of long programs what takes little time is counted only. Computation that takes less
/// than a five-hundredth of the time is left out. plan: loops that are its phases have their names. lines: source lines of
/// the skeleton's calls, which stand behind them; behind computation those of the calls before and after it, where these are the same for all that execute it. O(statements x locations).
Structure structure(const skeleton::Skeleton& skeleton, const emit::Plan& plan = {},
                    const emit::Annotations& lines = {}, std::size_t most = 300);

}  // namespace skelgen::report
