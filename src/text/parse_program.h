#pragma once
// Statements of the text form. Internal to src/text.

#include <map>
#include <string>
#include <vector>

#include "text/parse_values.h"

namespace skelgen::text {

/// Samples by the location that took them.
using SampledLocations = std::map<std::uint32_t, Samples::OfLocation>;

class ProgramParser {
 public:
  ProgramParser(Tokens& tokens, Skeleton& skeleton, ValueParser& values,
                const std::map<std::uint64_t, SampledLocations>& samples);

  /// What stands between the braces of `program`; the first one was taken.
  Block program();
  /// The same of a pool.
  Pool pool();
  /// The lines of the nodes of all blocks that were read, a loop before its body.
  const std::vector<std::uint32_t>& lines() const { return lines_; }

 private:
  using Seconds = std::vector<double>;
  /// Samples of computation that waits for its statement.
  struct Named {
    Token at;
    std::uint64_t number;
  };
  /// What is known of a block while it is read, by position in `where`.
  struct BlockState {
    BlockState(Locations locations, bool of_loop);
    std::size_t at(std::uint32_t l) const;

    Locations where;  ///< who executes it
    bool body;        ///< of a loop
    std::vector<std::uint64_t> executions;
    Seconds pending, lead, between;
    std::vector<bool> started;
    std::optional<Named> samples, between_samples;
    std::vector<std::uint32_t> work, between_work;  ///< as Compute::work, of what waits for its statement
  };

  Block block(BlockState& state);
  void compute(const Locations& where, BlockState& state, bool between);
  Node loop(Locations where, BlockState& state);
  Seconds enter(const Node& loop, const BlockState& around, BlockState& inside) const;
  Node call(Locations where);
  void attach(Node& node, const Token& at, BlockState& state);
  Samples samples(const Named& named, const Locations& where) const;
  void work(const Locations& where, BlockState& state, bool between);
  std::vector<Argument> arguments(const mpi::Function& function, const Node& node, Call& call);
  Argument unsaid(const mpi::Parameter& parameter) const;
  void clauses(Node& node);

  Tokens& tokens_;
  Skeleton& skeleton_;
  ValueParser& values_;
  const std::map<std::uint64_t, SampledLocations>& samples_;
  Locations all_;
  std::vector<std::uint32_t> lines_;
  std::size_t depth_ = 0;
};

}  // namespace skelgen::text
