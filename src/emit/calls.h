#pragma once
// One call -> C statements.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "emit/embedded.h"
#include "emit/neighbours.h"
#include "emit/values.h"
#include "mpi/mpi.h"
#include "skeleton/skeleton.h"

namespace skelgen::emit {

class Calls {
 public:
  Calls(const skeleton::Skeleton& skeleton, const Timing& timing, const Neighbours& neighbours, Values& values)
      : skeleton_(skeleton),
        timing_(timing),
        neighbours_(neighbours),
        values_(values),
        answers_(any_answers(skeleton.program)),
        restarts_(skeleton::has_threads(skeleton) && skeleton::has(skeleton.program, mpi::Kind::send_init)) {}

  /// Statements that make the call of `node`, without the computation before it. Throws Error{unsupported} for a call
  /// that cannot be replayed.
  std::vector<std::string> statements(const skeleton::Node& node, const Index& k);

  /// The calls that come next belong to the loop that this phase cuts; nothing: to none.
  void set_cut(std::optional<std::size_t> phase) { cut_ = phase; }
  std::optional<std::size_t> cut() const { return cut_; }

  /// Entries that the array `status` needs.
  std::size_t statuses() const { return statuses_; }
  /// Declaration of `got`, which takes what the calls return and nobody reads; empty if there is none.
  std::string got() const;

 private:
  using Arguments = std::map<std::string_view, std::string>;
  std::string length_of(const skeleton::Argument& arrays, std::string_view name, const skeleton::Node& node,
                        const Index& k);
  std::string requests(const skeleton::Node& node, const Index& k, const std::string& count, bool& picked);
  static bool any_answers(const skeleton::Block& block);
  std::string source(const skeleton::Node& node, const Index& k);
  std::string answer(const skeleton::Node& node, const mpi::Parameter& parameter, const Index& k);
  void received(const skeleton::Node& node, std::vector<std::string>& lines);
  std::string unrecorded(const CParameter& parameter, const Arguments& arguments);
  std::string text(const skeleton::Argument& names, const mpi::Parameter& parameter, const skeleton::Node& node,
                   const Index& k);
  std::string hints(const skeleton::Argument& info, const mpi::Parameter& parameter, const skeleton::Node& node,
                    const Index& k);
  std::string weights(const skeleton::Argument& argument, const std::string& text) const;
  void set_group(const skeleton::Node& node, const Index& k);
  void keep_types(const skeleton::Node& node, const Index& k, Arguments& arguments);
  std::vector<std::string> by_runtime(const skeleton::Node& node, const Index& k, const Arguments& arguments);
  std::string by_rule(const skeleton::Node& node, const skeleton::Argument& argument, const mpi::Parameter& parameter,
                      const Index& k);
  std::string_view before_call(const mpi::Function& f) const;
  void tell_tests(const mpi::Function& f, Arguments& arguments) const;
  std::uint64_t occurrences(const skeleton::Node& node) const;
  const skeleton::Argument& argument(const skeleton::Node& node, mpi::Role role) const;

  const skeleton::Skeleton& skeleton_;
  const Timing& timing_;
  const Neighbours& neighbours_;
  Values& values_;
  std::optional<std::size_t> cut_;
  std::size_t statuses_ = 0;
  const bool answers_;   ///< somewhere a peer is the source of a message received before
  const bool restarts_;  ///< several threads of a rank call MPI, and some sends are persistent
  std::map<std::string, std::string, std::less<>> got_;  ///< name -> declaration
};

}  // namespace skelgen::emit
