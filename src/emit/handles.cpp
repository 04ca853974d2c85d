#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "emit/values.h"

namespace skelgen::emit {
namespace {

using mpi::Direction;
using mpi::Role;
using skeleton::Block;

/// Largest value that the argument takes.
std::int64_t largest(const skeleton::Argument& argument, std::uint64_t occurrences) {
  std::int64_t most = -1;
  for (const auto& sequence : argument.choices)
    most = std::max(most, sequence.largest(std::max<std::uint64_t>(1, occurrences)));
  return most;
}

/// What a communicator made by this call is for.
std::string name_of(mpi::Way maker) {
  switch (maker) {
    case mpi::Way::cart:
      return "cart";
    case mpi::Way::cart_sub:
      return "cart_line";
    case mpi::Way::split:
      return "split";
    case mpi::Way::between:
      return "between";
    case mpi::Way::merge:
      return "merged";
    case mpi::Way::graph:
    case mpi::Way::dist_graph:
      return "graph";
    case mpi::Way::split_type:
      return "node";
    case mpi::Way::group:
    case mpi::Way::members:
      return "subset";
    case mpi::Way::duplicate:
      return "duplicate";
    default:
      return "comm";
  }
}

}  // namespace

Handles::Handles(const skeleton::Skeleton& skeleton, const Timing& timing) : own_(own_storage(skeleton)) {
  std::int64_t last_comm = 1;
  std::map<std::string, int> taken;
  const std::function<void(const Block&)> visit = [&](const Block& block) {
    for (const auto& node : block) {
      if (node.is_loop()) {
        visit(node.loop().body);
        continue;
      }
      const auto& f = *node.call().function;
      for (std::size_t i = 0; i < f.parameters.size(); ++i) {
        const auto& argument = node.call().arguments[i];
        const auto role = f.parameters[i].role;
        const auto& occurrences = timing.of(node).occurrences;
        const auto most = largest(argument, *std::max_element(occurrences.begin(), occurrences.end()));
        if (role == Role::comm || role == Role::newcomm) {
          last_comm = std::max(last_comm, most);
          for (const auto& sequence : argument.choices) {
            if (!is_constant(sequence)) comm_array_ = 1;
            for (const auto slot : sequence.values) {
              if (slot < 0) (role == Role::newcomm ? no_comm_ : null_comm_) = true;
              if (slot < 2) continue;
              auto& name = comm_names_[slot];
              if (role == Role::newcomm && !comm_makers_.contains(slot)) {
                comm_makers_[slot] = f.name;
                const auto base = name_of(f.way);
                const int number = ++taken[base];
                name = number == 1 ? base : fmt::format("{}{}", base, number);
              } else if (name.empty()) {
                name = fmt::format("comm{}", slot);
              }
            }
          }
        } else if ((role == Role::group && !mpi::known_by_members(f.kind)) || role == Role::newgroup) {
          groups_ = std::max(groups_, most + 1);
        } else if (role == Role::win) {
          windows_ = std::max(windows_, most + 1);
        } else if (role == Role::file) {
          files_ = std::max(files_, most + 1);
        } else if (role == Role::newtype) {
          types_ = std::max(types_, most + 1);
        } else if (role == Role::newop) {
          ops_ = std::max(ops_, most + 1);
        } else if (role == Role::message) {
          messages_ = std::max(messages_, most + 1);
        } else if (role == Role::request) {
          requests_ = std::max(requests_, most + 1);
        } else if (role == Role::requests) {
          for (const auto& sequence : argument.choices)
            for (const auto id : sequence.values)
              if (id >= 0 && static_cast<std::size_t>(id) < skeleton.arrays.size())
                for (const auto slot : skeleton.arrays[static_cast<std::size_t>(id)])
                  requests_ = std::max({requests_, slot + 1, std::int64_t{1}});  // null ones are picked, too
        }
      }
    }
  };
  visit(skeleton.program);
  if (comm_array_) comm_array_ = last_comm + 2;
}

std::string Handles::comm(std::int64_t slot) const {
  if (slot < 0) return "MPI_COMM_NULL";
  if (slot == 0) return "MPI_COMM_WORLD";
  if (slot == 1) return "MPI_COMM_SELF";
  if (comm_array_) return fmt::format("comm[{}]", slot);
  return comm_names_.at(slot);
}

std::string Handles::declarations(std::size_t statuses) const {
  Writer out;
  if (comm_array_) {
    out.line(fmt::format("static MPI_Comm comm[{}]; /* 0 world, 1 self */", comm_array_));
  } else {
    for (const auto& [slot, name] : comm_names_) {
      const auto maker = comm_makers_.find(slot);
      out.line(fmt::format("static MPI_Comm {};{}", name,
                           maker == comm_makers_.end() ? "" : fmt::format(" /* from {} */", maker->second)));
    }
    if (no_comm_) out.line("static MPI_Comm no_comm; /* for ranks that get none */");
  }
  if (groups_ > 0) out.line(fmt::format("{} MPI_Group group[{}];", own_, groups_));
  if (windows_ > 0) out.line(fmt::format("static MPI_Win win[{}];", windows_));
  if (files_ > 0) out.line(fmt::format("static MPI_File file[{}];", files_));
  if (types_ > 0) out.line(fmt::format("static MPI_Datatype type[{}];", types_));
  if (ops_ > 0) out.line(fmt::format("static MPI_Op op[{}];", ops_));
  if (requests_ > 0) out.line(fmt::format("{} MPI_Request req[{}];", own_, requests_));
  if (messages_ > 0) out.line(fmt::format("{} MPI_Message message[{}];", own_, messages_));
  if (statuses > 0) out.line(fmt::format("{} MPI_Status status[{}];", own_, statuses));
  return out.text();
}

}  // namespace skelgen::emit
