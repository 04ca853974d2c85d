#pragma once
// Datatypes and reduction operations of one location. Internal to src/normalize.
//
// A datatype is known by its constructor tree: the calls that made it and the datatypes that those were given. What the
// program makes takes a slot, as requests do; the tree stands in the records of the constructor calls. Two trees have
// the same form if the same constructors were put together over the same predefined datatypes; counts may differ.

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "mpi/layout.h"
#include "normalize/tables.h"
#include "trace/trace.h"

namespace skelgen::normalize {

class Datatypes {
 public:
  struct Type {
    std::string name;        ///< predefined: its name, else ""
    int slot = -1;           ///< of one that the program made
    mpi::Layout layout;      ///< of an element
    std::uint64_t form = 0;  ///< equal for trees of the same form
    std::size_t listed = 0;  ///< index in the list of those made
    int references = 0;      ///< besides the constructor's: MPI_Type_get_contents returned it
    bool borrowed = false;   ///< another thread made it
  };

  explicit Datatypes(std::vector<DerivedDatatype>& listed) : listed_(listed) {}
  /// What the traced MPI says of a predefined datatype, or of one that was made just now.
  void define(const trace::DatatypeDefinition& definition);
  /// nullptr if nothing that is known made it. Valid until it is freed.
  const Type* find(std::int64_t raw) const;
  /// The constructor call `event` returned this handle. Returns the slot; -1: it returned none, or was given a datatype
  /// that is not known.
  std::int64_t create(const trace::Event& event, std::int64_t raw);
  /// MPI_Type_get_contents returned these handles: those of datatypes that live have to be freed once more.
  void refer(std::span<const std::int64_t> raw);
  /// Whether freeing this handle means nothing to the program's datatypes: it is not known, or somebody else's, too.
  bool is_shared(std::int64_t raw) const;
  /// Returns the slot, -1 if it is_shared.
  std::int64_t free(std::int64_t raw);
  /// Another thread made it; it has freed it.
  void borrow(std::int64_t raw, const Type& type) { (live_[raw] = type).borrowed = true; }
  void give_back(std::int64_t raw) { live_.erase(raw); }

 private:
  std::unordered_map<std::int64_t, Type> live_;
  Slots slots_;
  std::vector<DerivedDatatype>& listed_;
};

class ReductionOps {
 public:
  struct Op {
    std::string name;  ///< predefined: its name, else ""
    int slot = -1;
    bool commutes = true;
  };
  void define(const trace::OpDefinition& definition);
  const Op* find(std::int64_t raw) const;
  std::int64_t create(std::int64_t raw);
  std::int64_t free(std::int64_t raw);
  void borrow(std::int64_t raw, const Op& op) { live_[raw] = op; }
  void give_back(std::int64_t raw) { live_.erase(raw); }

 private:
  std::unordered_map<std::int64_t, Op> live_;
  Slots slots_;
};

}  // namespace skelgen::normalize
