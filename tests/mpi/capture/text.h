#pragma once
// A location's calls as text, one per line: "MPI_Send buf 3 MPI_DOUBLE 1 7 WORLD". Handles are written as what they
// mean: communicators as WORLD, SELF or comm(SIZE), groups as {MEMBERS}, requests as req or null; buffers as buf, NULL
// or IN_PLACE; arrays in brackets.

#include <map>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace skelgen::trace {

class TextVisitor : public Visitor {
 public:
  std::vector<std::string> lines;

  void comm(const CommDefinition& definition) override {
    comms_[definition.handle] = definition;
    if (comm_count_++ < 2) fixed_[definition.handle] = comm_count_ == 1 ? "WORLD" : "SELF";
  }
  void datatype(const DatatypeDefinition& definition) override { names_[definition.handle] = definition.name; }
  void op(const OpDefinition& definition) override { names_[definition.handle] = definition.name; }
  void group(const GroupDefinition& definition) override {
    std::string text = "{";
    for (const Rank member : definition.members) text += (text.size() > 1 ? "," : "") + std::to_string(member);
    groups_[definition.handle] = text + "}";
  }
  void event(const Event& event) override {
    std::string line(event.function->name);
    for (std::size_t i = 0; i < event.values.size(); ++i)
      line += " " + text_of(event.function->recorded[i].role, event.values[i]);
    lines.push_back(line);
  }

 private:
  template <typename Map>
  static std::string look_up(const Map& map, std::int64_t handle) {
    if (handle == 0) return "null";
    const auto found = map.find(static_cast<std::uint64_t>(handle));
    return found == map.end() ? "undefined" : found->second.empty() ? "made" : found->second;
  }

  std::string comm_text(std::int64_t handle) const {
    if (handle == 0) return "null";
    const auto key = static_cast<std::uint64_t>(handle);
    if (const auto named = fixed_.find(key); named != fixed_.end()) return named->second;
    const auto found = comms_.find(key);
    return found == comms_.end() ? "undefined" : "comm(" + std::to_string(found->second.size) + ")";
  }

  std::string text_of(mpi::Role role, const mpi::Value& value) const {
    using mpi::Role;
    switch (role) {
      case Role::buffer:
        return value.scalar == mpi::kNullBuffer ? "NULL" : value.scalar == mpi::kInPlace ? "IN_PLACE" : "buf";
      case Role::comm:
        return comm_text(value.scalar);
      case Role::newcomm:
        return value.scalar ? "new" : "null";
      case Role::newtype:
      case Role::newop:
      case Role::newgroup:
      case Role::request:
        return value.scalar ? (role == Role::request ? "req" : "new") : "null";
      case Role::message:
        return value.scalar == 0 ? "null" : value.scalar == 1 ? "none" : "message";
      case Role::group:
        return look_up(groups_, value.scalar);
      case Role::datatype:
      case Role::op:
        return look_up(names_, value.scalar);
      case Role::requests: {
        std::string text = "[";
        for (const auto request : value.array)
          text += (text.size() > 1 ? " " : "") + std::string(request ? "req" : "null");
        return text + "]";
      }
      case Role::datatypes: {
        std::string text = "[";
        for (const auto type : value.array) text += (text.size() > 1 ? " " : "") + look_up(names_, type);
        return text + "]";
      }
      case Role::counts:
      case Role::displs:
      case Role::integers:
      case Role::aints:
      case Role::status:
      case Role::statuses:
      case Role::indices:
      case Role::infos: {
        std::string text = "[";
        for (const auto element : value.array) text += (text.size() > 1 ? " " : "") + std::to_string(element);
        return text + "]";
      }
      case Role::text: {
        std::string text = "'";
        for (const auto character : value.array) text += static_cast<char>(character);
        return text + "'";
      }
      case Role::texts: {
        std::string text = "[";
        for (const auto character : value.array) text += character ? static_cast<char>(character) : ';';
        return text + "]";
      }
      case Role::address:
        return value.scalar ? "address" : "0";
      case Role::win:
      case Role::file:
      case Role::info:
      case Role::errhandler:
      case Role::session:
        return value.scalar ? "handle" : "null";
      default:
        return std::to_string(value.scalar);
    }
  }

  int comm_count_ = 0;
  std::map<std::uint64_t, CommDefinition> comms_;
  std::map<std::uint64_t, std::string> fixed_, names_, groups_;
};

inline std::vector<std::string> lines(const Trace& trace, Location where) {
  TextVisitor visitor;
  trace.visit(where, visitor);
  return visitor.lines;
}

}  // namespace skelgen::trace
