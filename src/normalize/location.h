#pragma once
// One location's stream -> canonical records. Internal to src/normalize.

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "normalize/buffers.h"
#include "normalize/datatypes.h"
#include "normalize/handles.h"
#include "normalize/hints.h"
#include "normalize/main_thread_objects.h"
#include "normalize/polls.h"
#include "normalize/tables.h"
#include "trace/trace.h"

namespace skelgen::normalize {

/// What the readers of a rank's threads have in common, if it has several.
struct Threads {
  MainThreadObjects made_by_main;           ///< by the main thread
  std::vector<std::vector<Interval>> when;  ///< by thread: when the calls were made that are kept
};

/// Visits one location's stream twice: first to see which memory is touched, then to name everything.
class LocationReader : public trace::Visitor {
 public:
  enum class Pass { touch, name };
  enum class Outcome : std::uint8_t { freed, unknown, cancelled, completed };
  /// directory: of the trace, for errors. kept: of calls, besides their records. threads: nullptr if the rank has one; the main
  /// thread must have been read before the others are.
  LocationReader(std::string directory, Location where, Pass pass, Buffers& buffers, Predefined& predefined,
                 Tables& tables, Normalized& normalized, LocationCalls& out, CallColumns kept,
                 Threads* threads = nullptr);

  void event(const trace::Event& event) override;
  void comm(const trace::CommDefinition& definition) override;
  void neighbours(const trace::NeighbourDefinition& definition) override;
  void datatype(const trace::DatatypeDefinition& definition) override;
  void op(const trace::OpDefinition& definition) override;
  void group(const trace::GroupDefinition& definition) override;
  void file(const trace::FileDefinition& definition) override;

  std::uint64_t calls() const { return index_; }
  bool polled() const { return polled_; }
  /// Of each call of kind cancel, in order, whether the request was cancelled; Pass::touch finds out, Pass::name must know.
  const std::vector<Outcome>& outcomes() const { return outcomes_; }
  /// recorded: false if the trace is of before statuses said it.
  void know(std::vector<Outcome> outcomes, bool recorded) {
    outcomes_ = std::move(outcomes);
    if (!recorded) std::ranges::replace(outcomes_, Outcome::completed, Outcome::unknown);
  }
  /// Pass::touch finds out, Pass::name must know.
  std::vector<bool> forgotten() { return forgotten_requests_.take(); }
  void know(std::vector<bool> forgotten) { forgotten_ = std::move(forgotten); }

  /// Time before the call without a processor: waiting, though not in a call. It counts as time of the call, but before
  /// MPI_Init, where the run has not begun.
  static double waited_s(const trace::Event& event) {
    const mpi::Kind kind = event.function->kind;
    return kind == mpi::Kind::opaque || kind == mpi::Kind::init ? 0 : (event.gap - event.cpu).value;
  }

 private:
  /// Memory that a call touches, from its buffer argument on.
  struct Span {
    std::size_t parameter;
    std::int64_t low;     ///< first byte, <= 0
    std::uint64_t bytes;  ///< 0: none
  };

  /// All that follows from the parameters that a signature holds, as long as handles mean what they meant.
  struct Plan {
    const mpi::Function* function = nullptr;
    std::uint64_t epoch = 0;
    std::vector<std::pair<std::size_t, std::int64_t>> scalars;  ///< these parameters and their values
    std::vector<std::pair<std::size_t, std::vector<std::int64_t>>> arrays;
    Communicators::Comm* comm = nullptr;
    bool wildcard = false, any_source = false;
    std::vector<Span> spans;
    SymbolId symbol = 0;
    std::vector<std::int64_t> values;  ///< by parameter; of the previous call where they vary
    std::vector<std::size_t> varying;
    std::vector<std::int64_t> addresses;  ///< parallel to varying: the previous call's, where it alone says the place
    std::vector<std::int64_t> touched;    ///< parallel to spans: the previous call's address
    RecordId record = Ids::kNone;         ///< of `values`
  };

  [[noreturn]] void fail(Code code, const std::string& text, const std::string& remedy) const;
  [[noreturn]] void fail_corrupt(const std::string& text) const;
  [[noreturn]] void fail_refused(const std::string& text) const;
  void refuse_failed(const trace::Event& event) const;
  const Datatypes::Type& type(std::int64_t raw) const;
  const ReductionOps::Op& op(std::int64_t raw) const;

  Plan& plan(const trace::Event& event);
  bool fits(const Plan& plan, const trace::Event& event) const;
  void make(Plan& plan, const trace::Event& event);
  Span span(const Plan& plan, const trace::Event& event, std::size_t i) const;
  __int128 elements_of(const Plan& plan, const mpi::Value& count, const mpi::Parameter& buffer,
                       std::int64_t parts) const;
  const Span& span_of(const Plan& plan, const trace::Event& event, std::size_t i) const;
  std::int64_t fixed_value(const Plan& plan, const trace::Event& event, std::size_t i);
  std::shared_ptr<const mpi::Grid> grid_of(const Plan& plan, const trace::Event& event) const;
  std::int64_t make_communicator(const Plan& plan, const trace::Event& event, std::uint64_t makers);
  void opens(const Plan& plan);
  std::int64_t make_shared(const Plan& plan, const trace::Event& event);
  std::int64_t make_type(const trace::Event& event);
  std::int64_t hints(std::int64_t raw);
  std::int64_t target(const Plan& plan, const trace::Event& event, std::size_t i);
  void attach(const Plan& plan, const trace::Event& event);
  bool is_absent(const Plan& plan, const trace::Event& event, std::size_t i) const;
  std::int64_t datatype_name(std::int64_t raw);
  std::int64_t form(std::int64_t raw) const;
  SymbolId symbol(const Plan& plan, const trace::Event& event);

  void require_ints(const trace::Event& event) const;
  bool lends() const { return threads_ && where_.thread == 0 && pass_ == Pass::name; }
  void lend(const trace::Event& event);
  void lend_info(const trace::Event& event);
  template <class What>
  void lend(double time_s, std::uint64_t raw, bool lives, What what) {
    threads_->made_by_main.changes.push_back({time_s, raw, lives, std::move(what)});
  }
  void borrow(double time_s);
  void require_shared(mpi::Kind kind) const;
  void list_borrowed(std::vector<Communicator>& listed, const Communicator& is) const;
  void list_borrowed(const Datatypes::Type& type);
  std::string maker() const;

  void opaque(const trace::Event& event);
  void touch(Plan& plan, const trace::Event& event);
  void name(Plan& plan, const trace::Event& event);
  std::int64_t varying_value(const Plan& plan, const trace::Event& event, std::size_t i);
  std::int64_t buffer(const Plan& plan, const trace::Event& event, std::size_t i);
  std::uint64_t makers(const Plan& plan) const;
  std::int64_t message(const trace::Event& event, std::size_t i);
  std::int64_t request(const Plan& plan, const trace::Event& event, std::size_t i);
  std::int64_t statuses(const Plan& plan, const trace::Event& event, std::span<const std::int64_t> recorded);
  void wait_for(std::span<const std::int64_t> raw);
  static constexpr std::int64_t kFreed = -1;  ///< outcome of MPI_Cancel: nobody learns it
  template <class Visit>
  void each_completed(const trace::Event& event, const Visit& visit) const;
  void complete(const trace::Event& event);
  void look_for_cancelled(const trace::Event& event);
  void look_for_forgotten(const trace::Event& event);
  void cancel(const trace::Event& event);
  void match(const trace::Event& event);

  std::string directory_;
  Location where_;
  Pass pass_;
  Buffers& buffers_;
  Tables& tables_;
  Normalized& normalized_;
  LocationCalls& out_;
  Threads* const threads_;
  std::size_t borrowed_ = 0;  // changes of what is lent that are known here
  double now_s_ = 0;          // when the last call returned
  std::uint64_t index_ = 0;   // of the call
  bool polled_ = false, suspended_ = false;
  const mpi::Function* function_ = nullptr;

  std::uint64_t epoch_ = 1;  // changes when a handle may mean something else
  std::vector<Plan> plans_;  // by signature
  Communicators communicators_;
  Requests requests_;
  Groups groups_;
  ProbedMessages messages_;
  SharedObjects windows_, files_;
  Datatypes types_;
  ReductionOps ops_;
  InfoObjects infos_;
  Polls polls_;
  std::vector<Outcome> outcomes_;
  std::size_t cancels_ = 0;  // so far
  std::unordered_map<std::int64_t, std::vector<std::size_t>>
      cancelled_;  // by handle: indexes in outcomes_, until known
  ForgottenRequests forgotten_requests_;
  std::vector<bool> forgotten_;            // by request that a call returned
  std::size_t started_ = 0;                // of these, so far
  std::vector<Requests::Request> waited_;  // those that the current call may complete, by position
  std::vector<std::int64_t> scratch_;
  std::map<std::tuple<std::uint64_t, std::int64_t, std::uint64_t>, std::int64_t> targets_;  // index in out_.targets
  std::set<std::pair<std::uint64_t, std::uint64_t>> attached_;
};

}  // namespace skelgen::normalize
