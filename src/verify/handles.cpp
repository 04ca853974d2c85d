#include "verify/handles.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "mpi/values.h"
#include "verify/values.h"

namespace skelgen::verify {
namespace {

using mpi::Communicator;
using mpi::Direction;
using mpi::Role;
using normalize::LocationCalls;
using normalize::Normalized;

/// What handles of this role stand for, where that is described.
std::optional<Role> described(Role role) {
  const auto what = mpi::properties(role).stands_for;
  return mpi::is_array(role) || what == Role::group || is_request(role) || what == Role::message ? std::nullopt : what;
}

class Handles {
 public:
  Handles(const Normalized& run, const LocationCalls& location) : run_(run), location_(location) {
    made_[Role::comm] = {{0, {{}, 0}}, {1, {{}, 1}}};  // whose names say what they are
    next_[Role::comm] = 2;
  }

  /// Call number k was made.
  void pass(std::size_t k) {
    const normalize::Record& record = run_.records[location_.calls[k]];
    const mpi::Function& function = *run_.symbols[record.symbol].function;
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
      const mpi::Parameter& parameter = function.parameters[i];
      const auto what = described(parameter.role);
      if (!what || parameter.direction != Direction::out || record.values[i] < 0) continue;
      made_[*what][record.values[i]] = {fmt::format("{}{} (call {})", function.name, parent(function, record), k),
                                        next_[*what]++};
    }
  }

  /// Of a handle that a call is given.
  std::string line(const mpi::Parameter& parameter, std::int64_t value) const {
    const auto what = described(parameter.role);
    if (!what || parameter.direction == Direction::out || value < 0) return {};
    const bool by_slot = parameter.role == Role::datatype || parameter.role == Role::op;
    if (by_slot && value < mpi::kMade) return {};
    const auto slot = by_slot ? value - mpi::kMade : value;
    const auto& all = made_.find(*what);
    if (all == made_.end()) return {};
    const auto found = all->second.find(slot);
    if (found == all->second.end()) return {};
    const auto& [text, number] = found->second;
    const std::string rank = ranks(parameter.role, number, slot);
    return fmt::format("{}: {}{}{}", written_(parameter.role, value), text, text.empty() || rank.empty() ? "" : ", ",
                       rank);
  }

 private:
  struct Made {
    std::string text;
    std::size_t number;  ///< how many of its kind were made before
  };

  /// " of" what a call that makes something makes it of.
  std::string parent(const mpi::Function& function, const normalize::Record& record) const {
    const int comm = function.find(Role::comm);
    return comm < 0 ? "" : " of " + written_(Role::comm, record.values[static_cast<std::size_t>(comm)]);
  }

  std::string ranks(Role role, std::size_t number, std::int64_t slot) const {
    const auto& listed = role == Role::comm  ? location_.communicators
                         : role == Role::win ? location_.windows
                                             : location_.files;
    if (role != Role::comm && role != Role::win && role != Role::file) return {};
    if (number >= listed.size() || listed[number].slot != slot) return {};  // threads list what they use
    const Communicator& is = listed[number];
    return fmt::format("rank {} of {}{}", is.rank, is.size,
                       is.inter() ? fmt::format(" and {} others", is.remote_size) : "");
  }

  const Normalized& run_;
  const LocationCalls& location_;
  const mpi::ListedValues written_{{}, {}};
  std::map<Role, std::map<std::int64_t, Made>> made_;  ///< by what they stand for and slot
  std::map<Role, std::size_t> next_;
};

}  // namespace

std::vector<std::string> handles_of(const Normalized& run, const LocationCalls& location, std::size_t call) {
  std::vector<std::string> lines;
  if (call >= location.calls.size()) return lines;
  Handles handles(run, location);
  for (std::size_t k = 0; k < call; ++k) handles.pass(k);
  const normalize::Record& record = run.records[location.calls[call]];
  const mpi::Function& function = *run.symbols[record.symbol].function;
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    auto line = handles.line(function.parameters[i], record.values[i]);
    if (!line.empty() && std::ranges::find(lines, line) == lines.end()) lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace skelgen::verify
