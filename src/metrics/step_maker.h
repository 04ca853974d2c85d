#pragma once
// One thread's calls as steps. Internal to src/metrics.

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "engine/interpreter.h"
#include "metrics/rank_state.h"
#include "mpi/mpi.h"
#include "trace/trace.h"

namespace skelgen::metrics {

/// Receives a thread's stream and appends to its queue.
class StepMaker final : public trace::Visitor, public engine::NullSink<TraceTypes> {
 public:
  /// ranks: of the run. unit_s: see Options. cuts: see Cuts, of the thread. `shared` and `cuts` must outlive it.
  StepMaker(Shared& shared, std::uint32_t thread, int ranks, double unit_s, std::span<const std::uint64_t> cuts)
      : shared_(shared), queue_(shared.queues[thread]), thread_(thread), ranks_(ranks), unit_s_(unit_s), cuts_(cuts) {}

  /// Standard sends of so few bytes never depend on their receives, unless their call took so long.
  static constexpr double kLeastBytes = 4096, kLeastWait = 100e-6;

  void comm(const trace::CommDefinition& definition) override;
  void neighbours(const trace::NeighbourDefinition& definition) override;
  void datatype(const trace::DatatypeDefinition& definition) override;
  void group(const trace::GroupDefinition& definition) override;
  void event(const trace::Event& event) override;
  /// The stream is over; what was computed since the last step belongs to the run.
  void finish() { rest(); }
  /// When the thread left MPI_Init, or made its first call.
  double start() const { return start_; }

  // ---- what the calls do: see engine::Interpreter

  int comm(std::int64_t handle) const { return shared_.comm_of.at(static_cast<std::uint64_t>(handle), entered_); }
  int window(std::int64_t handle) const { return shared_.windows.at(static_cast<std::uint64_t>(handle), entered_); }
  int file(std::int64_t handle) const { return shared_.files.at(static_cast<std::uint64_t>(handle), entered_); }
  Pending send(int comm, std::int64_t dest, std::int64_t tag, const mpi::Function&, const engine::MessageSize&);
  Pending receive(int comm, std::int64_t source, std::int64_t tag, const engine::MessageSize&);
  Pending keep(int comm, std::int64_t source, std::int64_t tag) { return receive(comm, source, tag, {}); }
  void take(const Pending& pending);
  CollectiveCall collective(const engine::Call& call, int comm) const;
  Pending meet(int comm, const CollectiveCall& call, const mpi::Function&);
  Pending meet_started(int comm, const CollectiveCall& call, const mpi::Function& function, std::int64_t) {
    return meet(comm, call, function);
  }
  /// Each gets a communicator of its own.
  std::int64_t number_collective(int& comm, const CollectiveCall&);
  void wait(const Pending& pending);
  void complete(const Request& request);
  void abandon(const Pending& pending);

 private:
  /// Adds a step with the time since the previous one.
  Step& step(StepKind kind, double at);
  /// The same, at the end of the call.
  Step& end(StepKind kind);
  /// Adds a step if time has passed since the previous one, up to the end of the last call.
  void rest();
  /// Adds the step of a call that asked whether something had come, and got nothing itself.
  void asked() { end(StepKind::plain).asks = true; }
  void dispatch(mpi::Kind kind);
  /// The time inside the call is blocked; it is local if it has nothing to do with others (real_).
  void account();

  /// The posted receive has its message now. status: source and tag where they are known.
  void deliver(std::uint32_t at, std::span<const std::int64_t> status);
  void sent(const Pending& pending, double at);
  /// Of what the call sends or posts, the steps at its end.
  void end_messages();
  bool begins_later() const { return function_->nonblocking || function_->kind == mpi::Kind::start; }
  double bytes_of(const mpi::Function& how, const engine::MessageSize& size) const;
  /// Whether a request was cancelled, its status says where traces know it. Where they do not, and for receives behind it
  /// that are complete before it is, it gets no message, unless receives behind it have theirs.
  void cancel(std::int64_t request);
  /// The call completes the request, which may be in doubt, with this status.
  void resolve(std::int64_t request, std::span<const std::int64_t> status);
  /// Of the k-th request that the call completes.
  std::span<const std::int64_t> status(std::size_t k) const;

  // step_collectives.cpp

  bool between(int comm) const { return shared_.lower_group.contains(comm); }
  bool alone(int comm) const { return comm >= 0 && shared_.comms[static_cast<std::size_t>(comm)].size == 1; }
  /// The rank comes to a collective.
  CollectiveCall enter(int comm, std::int32_t root, Shape shape, bool may_end_early = false);
  void leave(const CollectiveCall& call);
  void create();
  /// A window or a file: its collectives are those of a communicator of their own.
  void share();

  Shared& shared_;
  Queue& queue_;
  const std::uint32_t thread_;
  const int ranks_;
  const double unit_s_;
  std::span<const std::uint64_t> cuts_;  // that are to come
  const trace::Event* event_ = nullptr;  // during event()
  engine::Call call_;                    // the same
  const mpi::Function* function_ = nullptr;
  std::uint64_t site_ = 0;  // of the call in the program
  std::uint32_t calls_ = 0, number_ = 0;
  double gaps_ = 0;
  std::uint64_t ended_steps_ = 0;  // at the end of their call
  bool real_ = false, accounted_ = false;
  std::vector<Pending>
      sends_;  // that the call completes: after the receives, so that what was waited for these is known
  std::vector<std::uint32_t> posts_;  // receives that the call posts and does not complete
  double computed_ = 0, events_ = 0;  // with a unit: all that was computed, internal events that were counted
  double computing_ = 0, blocked_ = 0, local_ = 0, without_core_ = 0, entered_ = 0, last_end_ = 0, start_ = 0;
  bool started_ = false, opened_ = false, ended_ = false, passed_ = false;  // passed_: time, since the last step
  std::uint64_t created_ = 0;  // handle that the last creating call returned
  int created_from_ = -1, created_as_ = 0;
  std::map<int, CollectiveCall> begun_;  // of files, by communicator: what MPI_File_..._begin begins
  std::vector<std::int64_t> group_;      // members of the group that was defined last
};

}  // namespace skelgen::metrics
