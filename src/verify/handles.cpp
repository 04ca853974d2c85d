#include "verify/handles.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

namespace skelgen::verify {
namespace {

using mpi::Communicator;
using mpi::Direction;
using mpi::Role;
using normalize::LocationCalls;
using normalize::Normalized;

/// The word that describes handles of this role ("comm", "win"); nullptr: such handles are not described.
const char* name_of(Role role) {
  switch (role) {
    case Role::comm:
    case Role::newcomm:
      return "comm";
    case Role::win:
      return "win";
    case Role::file:
      return "file";
    case Role::datatype:
    case Role::newtype:
      return "datatype";
    case Role::op:
    case Role::newop:
      return "op";
    default:
      return nullptr;
  }
}

class Handles {
 public:
  Handles(const Normalized& run, const LocationCalls& location) : run_(run), location_(location) {
    made_["comm"][0] = {"MPI_COMM_WORLD", 0, "MPI_COMM_WORLD"};
    made_["comm"][1] = {"MPI_COMM_SELF", 1, "MPI_COMM_SELF"};
    next_["comm"] = 2;
  }

  /// Call number k was made.
  void pass(std::size_t k) {
    const normalize::Record& record = run_.records[location_.calls[k]];
    const mpi::Function& function = *run_.symbols[record.symbol].function;
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
      const mpi::Parameter& parameter = function.parameters[i];
      const char* name = name_of(parameter.role);
      if (!name || parameter.direction != Direction::out || record.values[i] < 0) continue;
      const std::string of = parent(function, record);
      made_[name][record.values[i]] = {fmt::format("{}{} (call {})", function.name, of.empty() ? of : " of " + of, k),
                                       next_[name]++, fmt::format("{} {}", name, record.values[i])};
    }
  }

  /// Of a handle that a call is given.
  std::string line(const mpi::Parameter& parameter, std::int64_t value) const {
    const char* name = name_of(parameter.role);
    if (!name || parameter.direction == Direction::out || value < 0) return {};
    const bool by_slot = parameter.role == Role::datatype || parameter.role == Role::op;
    if (by_slot && value < mpi::kMade) return {};
    const auto slot = by_slot ? value - mpi::kMade : value;
    const auto& all = made_.find(name);
    if (all == made_.end()) return {};
    const auto found = all->second.find(slot);
    if (found == all->second.end()) return {};
    return fmt::format("{} {}: {}{}", name, slot, found->second.text,
                       ranks(parameter.role, found->second.number, slot));
  }

 private:
  struct Made {
    std::string text;
    std::size_t number;  ///< how many of its kind were made before
    std::string name;    ///< where others are made of it
  };

  /// What a call that makes something makes it of.
  std::string parent(const mpi::Function& function, const normalize::Record& record) const {
    const int comm = function.find(Role::comm);
    if (comm < 0) return {};
    const auto& all = made_.at("comm");
    const auto found = all.find(record.values[static_cast<std::size_t>(comm)]);
    return found == all.end() ? std::string("a communicator") : found->second.name;
  }

  std::string ranks(Role role, std::size_t number, std::int64_t slot) const {
    const auto& listed = role == Role::comm  ? location_.communicators
                         : role == Role::win ? location_.windows
                                             : location_.files;
    if (role != Role::comm && role != Role::win && role != Role::file) return {};
    if (number >= listed.size() || listed[number].slot != slot) return {};  // threads list what they use
    const Communicator& is = listed[number];
    return fmt::format(", rank {} of {}{}", is.rank, is.size,
                       is.inter() ? fmt::format(" and {} others", is.remote_size) : "");
  }

  const Normalized& run_;
  const LocationCalls& location_;
  std::map<std::string, std::map<std::int64_t, Made>> made_;  ///< by kind and slot
  std::map<std::string, std::size_t> next_;
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
