#pragma once
// Arguments -> C expressions, and the static tables that they need.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "emit/code_writer.h"
#include "emit/packed.h"
#include "emit/timing.h"
#include "emit/written.h"
#include "mpi/codes.h"
#include "mpi/mpi.h"
#include "skeleton/skeleton.h"

namespace skelgen::emit {

/// The number k of a statement's occurrence as a C expression, "0" for what is executed once.
struct Index {
  std::string text = "0";
  std::vector<std::string> names;  ///< variables in it
  std::uint64_t below = 0;         ///< it is less; 0: not known
  std::vector<Index> rests{};      ///< what is left of it without multiples of a number, the shortest first
  std::uint64_t apart = 0;         ///< of a rest: that number
};
/// The number of an occurrence in iteration `variable` of a loop that is the k-th of its kind. All have as many trips.
Index inside(const Index& k, const std::string& trips, const std::string& variable);

/// A number as C text; a constant of MPI by its name where this parameter takes one: "MPI_ORDER_C".
std::string number_text(const mpi::Parameter& parameter, std::int64_t v);
/// The C type of a table of these numbers.
std::string_view type_for(const std::vector<std::int64_t>& values);
/// How the tables of an array parameter are called. Arrays of equal numbers that are written differently are different
/// tables.
std::string prefix_of(const mpi::Parameter& parameter, const WrittenArgument& how);
/// A value of Role::buffer or Role::target in a table: "SKEL_AT(3, 40)"; what is no place is a number.
std::string place(std::int64_t buffer);

/// Some value of the argument may be negative.
bool may_be_negative(const skeleton::Argument& argument);

/// The C variable that says which location the caller is: "rank", or "me" if ranks have several threads.
std::string_view own_index(const skeleton::Skeleton& skeleton);
/// What each thread has for itself: "static", or "static _Thread_local" if ranks have several threads.
std::string_view own_storage(const skeleton::Skeleton& skeleton);

/// Names of the handles of a program and how many there are.
class Handles {
 public:
  Handles(const skeleton::Skeleton& skeleton, const Timing& timing);
  /// "MPI_COMM_WORLD", "cart", "comm[3]", "MPI_COMM_NULL".
  std::string comm(std::int64_t slot) const;
  /// Number of entries in the array `comm`, which exists if a call's communicator changes from occurrence to
  /// occurrence; else 0. The last one takes the MPI_COMM_NULL of ranks that get no communicator.
  std::int64_t comm_array() const { return comm_array_; }
  /// Some call is given MPI_COMM_NULL.
  bool null_comm() const { return null_comm_; }
  /// Declarations: communicators, groups, datatypes, operations, requests, statuses.
  std::string declarations(std::size_t statuses) const;

 private:
  std::string_view own_;                            ///< storage of what a thread has for itself
  std::map<std::int64_t, std::string> comm_names_;  ///< slot -> name
  std::map<std::int64_t, std::string> comm_makers_;
  std::int64_t comm_array_ = 0;
  bool no_comm_ = false, null_comm_ = false;
  std::int64_t groups_ = 0, requests_ = 0, messages_ = 0, types_ = 0, ops_ = 0, windows_ = 0, files_ = 0;
};

class Values {
 public:
  /// apart: tables with an entry for each rank are kept apart.
  Values(const skeleton::Skeleton& skeleton, const Handles& handles, bool apart)
      : skeleton_(skeleton), handles_(handles), apart_(apart), me_(own_index(skeleton)) {}

  /// Expression of `argument` of a statement that the locations `where` execute. `parameter` gives role and name.
  std::string expression(const skeleton::Argument& argument, const mpi::Parameter& parameter,
                         const std::vector<std::uint32_t>& where, const Index& k);
  /// The same for a plain number, like a loop's trip count.
  std::string number(const skeleton::Argument& argument, std::string_view name, const std::vector<std::uint32_t>& where,
                     const Index& k);
  /// Whether tables of many numbers that come next are packed.
  void set_packing(bool packing) { packing_ = packing; }
  /// What is said about the statement whose arguments come next: how often a location executes it at most, and how the
  /// caller's rank among those that peers and roots are named from is written, and their number. MPI_COMM_WORLD and
  /// what has all its ranks in the same order: "rank", "size".
  void set_occurrences(std::uint64_t most) { occurrences_ = most; }
  void set_group(std::string rank, std::string size) { group_ = {std::move(rank), std::move(size)}; }
  /// Whether the call whose arguments come next needs its arrays only until it returns: short ones are written there.
  void set_returns(bool returns) { returns_ = returns; }
  /// How the argument that comes next is written.
  void set_written(const WrittenArgument& how) { how_ = how; }
  /// A formula in C. edges: MPI_PROC_NULL stands for what is no rank; only of peers.
  std::string rule(const skeleton::RankRule& rule, bool edges) const;
  /// Whether some value of `target` is a place in a dynamic window; it is then for skel_target.
  static bool has_places(const skeleton::Argument& target);
  /// "&trips_4[0]" or "&trips_4[trips_4_of[rank]]": for skel_at and skel_sum.
  std::string sequence(const skeleton::Argument& argument, const mpi::Parameter& parameter,
                       const std::vector<std::uint32_t>& where);
  /// "compute(gap[3]); /* 12.3 us */", empty if there is nothing to spend. `mean_s` by position in `where`. common_s:
  /// what is common to all locations of long computation, else 0; see long_gaps.h.
  /// With `work` (what work() says) "compute_as(gap[3], 2); ...".
  std::string compute(const std::vector<double>& mean_s, const std::vector<std::uint32_t>& where,
                      std::string_view note = {}, double common_s = 0, const std::string& work = {});
  /// Condition that holds for `some` of the locations `all`; empty if these are all.
  std::string condition(const std::vector<std::uint32_t>& all, const std::vector<std::uint32_t>& some);
  /// Name of the table of an array, "NULL" if it is empty; a list of datatypes is written where it is used.
  std::string array(std::int64_t id, const mpi::Parameter& parameter);
  /// The same, but a short one is written where it is used: "(const int[]){2, 2}".
  std::string short_array(std::int64_t id, const mpi::Parameter& parameter);

  /// What a loop's trips are tables of.
  static constexpr mpi::Parameter kTrips{"trips", mpi::Role::integer, mpi::Direction::in};
  /// A table of texts: its name. empty: what stands for empty ones.
  std::string texts(std::string_view name, const std::vector<std::string>& all, std::string_view empty);
  /// A new cursor for skel_sum: its name.
  std::string cursor();
  /// Remembers that the variables of k are used.
  const std::string& use(const Index& k);
  std::set<std::string>& used() { return used_; }

  /// All tables but gap and those that are kept apart. Once.
  std::string tables();
  /// The numbers of those that are packed, to stand behind all others; empty if there are none. After tables().
  bool packs() const { return !packed_.empty(); }
  std::string packed() const { return packed_.declarations(); }
  /// Those that are kept apart.
  const std::string& rank_tables() const { return rank_tables_; }
  /// Computation before calls and loops, with an entry for each rank.
  std::string gaps() const;
  bool has_short_gaps() const { return has_short_gaps_; }
  bool has_short_works() const { return has_short_works_; }
  /// The number of what the computation consists of, in C: its row in the table of works. Empty if the skeleton has none.
  std::string work(const skeleton::Compute& compute, const std::vector<std::uint32_t>& where);

 private:
  struct Arrays {
    std::map<std::int64_t, std::string> names;  ///< of tables, by id
    bool pointers = false;                      ///< which one is known at run time only
    std::set<std::int64_t> packed{};            ///< that are chosen at run time
  };

  std::vector<std::string> types(std::int64_t id);
  void choose(std::int64_t id, const mpi::Parameter& parameter);
  std::string literal(const mpi::Parameter& parameter, std::int64_t value);
  std::string wrap(const mpi::Parameter& parameter, const std::string& raw, bool negative);
  std::string constant(const mpi::Codes& codes, const mpi::Parameter& parameter, const std::string& raw);
  std::string per_rank(const skeleton::Argument& argument, const mpi::Parameter& parameter,
                       const std::vector<std::uint32_t>& where);
  std::string over_time(const skeleton::Sequence& sequence, const mpi::Parameter& parameter, const Index& k);
  enum class Entries { any, of_ranks };  ///< of_ranks: one for each rank, or for one of them
  std::string table(std::string_view type, std::string_view name, const std::vector<std::string>& items,
                    Entries entries = Entries::any);
  std::string table(std::string_view name, const std::vector<std::int64_t>& items, Entries entries = Entries::any);
  std::string places(std::string_view name, const std::vector<std::int64_t>& buffers, Entries entries = Entries::any);
  bool is_packed(const std::vector<std::int64_t>& numbers) const;
  std::string pack(std::string_view name, const std::vector<std::int64_t>& numbers);
  std::string pack(std::string_view name, const std::vector<std::string>& items,
                   const std::vector<skeleton::Sequence>& choices, const Needed& by, Entries entries);
  void pack_arrays(const std::string& prefix);
  std::string own(const std::string& table) const;

  const skeleton::Skeleton& skeleton_;
  const Handles& handles_;
  const bool apart_;
  const std::string_view me_;  ///< index of the caller's location
  struct {
    std::string rank = "rank", size = "size";
  } group_;
  WrittenArgument how_;
  bool returns_ = false, packing_ = false;
  PackedTables packed_;
  std::uint64_t occurrences_ = 1;
  std::string tables_, rank_tables_;
  std::map<std::string, std::string> known_;  ///< contents, and where they stand -> name
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::string> packed_names_;  ///< by a hash of the contents
  std::map<std::string, Arrays> arrays_;                                         ///< by prefix of their names
  std::map<std::int64_t, std::vector<std::string>> types_of_;
  std::vector<std::string> gaps_;
  bool has_short_gaps_ = false, has_short_works_ = false;
  std::set<std::string> used_;
  int count_ = 0;
};

}  // namespace skelgen::emit
