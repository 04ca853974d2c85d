#pragma once
// Arguments, lists of locations and times of the text form. Internal to src/text.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "text/tokens.h"
#include "text/words.h"

namespace skelgen::text {

/// An argument as it stands in the text: its locations are known when its statement's are.
struct Given {
  struct Alternative {
    std::optional<Locations> where;  ///< all of the statement's
    Sequence sequence;
    std::optional<RankRule> rule;  ///< instead of the sequence
  };
  Token at;
  mpi::Role role;
  std::vector<Alternative> alternatives;
  std::optional<std::vector<std::int64_t>> each;  ///< {a, b, ...}: constants by position
};

class ValueParser {
 public:
  ValueParser(Tokens& tokens, Skeleton& skeleton) : tokens_(tokens), skeleton_(skeleton) {}
  /// After names and arrays were read.
  void learn();

  /// "[0..3,7,8..14/2,20..]", ascending.
  Locations where();
  /// "[3,0..2]" in any order.
  Locations members();
  Given argument(mpi::Role role);
  /// The argument of a statement that `where` executes. call: with its communicator, for formulas of the rank.
  Argument settle(const Given& given, const Locations& where, const Call* call = nullptr);
  /// Of locations that must be constants from 0 to most.
  std::vector<std::int64_t> constants(const Given& given, const Locations& where, std::int64_t most);

  /// Numbers with repeats between brackets, "(1, 2 x 3)".
  std::vector<std::int64_t> numbers(mpi::Role role);
  /// "12.5 us", or "{1, 2 x 3} us" with one time for each location.
  std::vector<double> times(std::size_t locations);
  double time();
  /// "(1, 2 x 3) us" into `all`.
  void append_times(std::vector<float>& all);
  /// " x N" behind an item, 1 if it is not there.
  std::uint64_t times_repeated();

  /// The number of an array with these values.
  std::int64_t array(const std::vector<std::int64_t>& values);
  /// Throws if C has no constant of this name.
  void check_name(const Token& at, std::string_view name) const;

 private:
  std::int64_t value(mpi::Role role);
  std::int64_t slot(const Token& at, mpi::Role role);
  std::int64_t name(const Token& at, mpi::Role role);
  bool step_follows() const;
  std::optional<RankRule> rule(mpi::Role role);
  Given::Alternative alternative(mpi::Role role);
  template <class Number>
  Number shifted(std::string_view digits, const Token& at, int exponent);
  int unit();
  void ranges(Locations& all);

  Tokens& tokens_;
  Skeleton& skeleton_;
  std::map<std::string, std::int64_t, std::less<>> names_;
  std::map<std::vector<std::int64_t>, std::int64_t> arrays_;
};

}  // namespace skelgen::text
