#pragma once
// One thread's calls as steps. Internal to src/metrics.

#include <map>
#include <span>
#include <utility>
#include <vector>

#include "metrics/rank_state.h"
#include "mpi/mpi.h"
#include "trace/trace.h"

namespace skelgen::metrics {

/// Receives a thread's stream and appends to its queue.
class StepMaker final : public trace::Visitor {
 public:
  /// ranks: of the run. unit_s: see Options. cuts: see Cuts, of the thread. `shared` and `cuts` must outlive it.
  StepMaker(Shared& shared, std::uint32_t thread, int ranks, double unit_s, std::span<const std::uint64_t> cuts)
      : shared_(shared), queue_(shared.queues[thread]), thread_(thread), ranks_(ranks), unit_s_(unit_s), cuts_(cuts) {}

  void comm(const trace::CommDefinition& definition) override;
  void neighbours(const trace::NeighbourDefinition& definition) override;
  void group(const trace::GroupDefinition& definition) override;
  void event(const trace::Event& event) override;
  /// The stream is over; what was computed since the last step belongs to the run.
  void finish() { rest(); }
  /// When the thread left MPI_Init, or made its first call.
  double start() const { return start_; }

 private:
  const trace::Value& value(int place) const { return event_->values[static_cast<std::size_t>(place)]; }
  FunctionUse& use(const mpi::Function& function);
  /// Adds a step with the time since the previous one.
  Step& step(StepKind kind, double at);
  /// Adds a step if time has passed since the previous one, up to the end of the last call.
  void rest();
  /// Adds the step of a call that asked whether something had come, and got nothing itself.
  void asked();
  void dispatch(mpi::Kind kind);

  // step_messages.cpp

  /// A message to `peer` leaves here; nothing for MPI_PROC_NULL. pending: takes what is sent, if that is completed later.
  bool post_send(int comm, std::int64_t peer, std::int64_t tag, Shared::Pending* pending = nullptr);
  /// A receive is posted; its index. status: source and tag where they are known already.
  std::uint32_t post_receive(int comm, std::int64_t peer, std::int64_t tag, std::span<const std::int64_t> status = {});
  /// The posted receive has its message now. status: source and tag where they are known.
  void deliver(std::uint32_t at, std::span<const std::int64_t> status);
  void send(double inside);
  void receive(double inside);
  /// The call posts a receive, and completes it unless that is done later.
  void post(std::int64_t source, std::int64_t tag);
  void exchange(double inside);
  /// Messages are matched in the order of probes; they arrive where they are received.
  void match(double inside);
  void receive_matched(double inside);
  void begin(double inside);  ///< MPI_Start
  void complete(double inside);
  /// The request stands for something new.
  Shared::Pending& open(std::int64_t request);
  void sent(const Shared::Pending& pending, double at);
  /// Whether the request was cancelled, its status says where traces know it. Where they do not, and for receives behind
  /// it that are complete before it is, it gets no message, unless receives behind it have theirs.
  void cancel(std::int64_t request);
  /// The call completes the request, which is in doubt, with this status.
  void resolve(std::int64_t request, std::span<const std::int64_t> status);
  void free(std::int64_t request);

  // step_collectives.cpp

  /// Index of the communicator of the call, or of its window or file; -1 if it was never defined.
  int comm_index() const;
  bool between(int comm) const { return shared_.lower_group.contains(comm); }
  bool alone(int comm) const { return comm >= 0 && shared_.comms[static_cast<std::size_t>(comm)].size == 1; }
  /// The rank comes to a collective.
  CollectiveCall enter(int comm, std::int32_t root, Shape shape, bool may_end_early = false);
  void leave(const CollectiveCall& call);
  void make_persistent_collective();
  void collective(double inside, Shape shape, bool may_end_early = false);
  void fence(double inside);
  /// Of a file. What MPI_File_..._begin begins is ended by MPI_File_..._end.
  void file_collective(double inside);
  void create(double inside);
  /// A window or a file: its collectives are those of a communicator of their own.
  void share(double inside, bool may_end_early);

  Shared& shared_;
  Queue& queue_;
  const std::uint32_t thread_;
  const int ranks_;
  const double unit_s_;
  std::span<const std::uint64_t> cuts_;  // that are to come
  const trace::Event* event_ = nullptr;  // during event()
  const mpi::Function* function_ = nullptr;
  FunctionUse* use_ = nullptr;
  std::uint32_t call_ = 0, number_ = 0;
  double gaps_ = 0;
  std::uint64_t made_ = 0;  // steps
  double computing_ = 0, blocked_ = 0, entered_ = 0, last_end_ = 0, start_ = 0;
  bool started_ = false, opened_ = false, ended_ = false, passed_ = false;  // passed_: time, since the last step
  std::uint64_t created_ = 0;  // handle that the last creating call returned
  int created_from_ = -1, created_as_ = 0;
  std::map<int, CollectiveCall> begun_;  // of files, by communicator: see file_collective()
  std::vector<std::int64_t> group_;      // members of the group that was defined last
};

}  // namespace skelgen::metrics
