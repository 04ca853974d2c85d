#include "metrics/step_maker.h"

#include <algorithm>
#include <cmath>

#include "metrics/rank_state.h"
#include "mpi/mpi.h"

namespace skelgen::metrics {

using mpi::Kind;

namespace {

/// Units begun; a whole number of units that rounding made a little more is that number.
std::uint32_t units(double number) {
  return static_cast<std::uint32_t>(std::min(1e9, std::ceil(number * (1 - 1e-12))));
}

class Maker final : public StepMaker {
 public:
  Maker(Shared& shared, std::uint32_t thread, int ranks, double unit_s)
      : shared_(shared), queue_(shared.queues[thread]), thread_(thread), ranks_(ranks), unit_s_(unit_s) {}

  double start() const override { return start_; }

  void comm(const trace::CommDefinition& definition) override {
    if (thread_ > 0 && created_ != definition.handle && shared_.comm_of.contains(definition.handle)) return;
    CommIdentity identity{.leader = definition.leader, .size = definition.size, .rank = definition.rank};
    if (created_ == definition.handle) {
      identity.parent = created_from_;
      identity.ordinal = created_as_;
    } else if (!shared_.world && definition.size == ranks_ && definition.leader == 0 && !definition.inter) {
      identity.parent = CommIdentity::kWorld;
      shared_.world = true;
    } else if (definition.size == 1 && !definition.inter) {
      identity.parent = CommIdentity::kSelf;
      identity.ordinal = static_cast<int>(shared_.comms.size());
    } else {
      identity.parent = CommIdentity::kForeign;
      identity.ordinal = shared_.foreign[{definition.leader, definition.size}]++;
    }
    created_ = 0;
    shared_.comm_of.set(definition.handle, entered_,
                        definition.inter ? shared_.add_between(definition) : shared_.add(identity));
  }

  void neighbours(const trace::NeighbourDefinition& definition) override {
    const int known = shared_.comm_of.at(definition.handle, entered_);
    if (known >= 0) shared_.sources[static_cast<std::size_t>(known)] = definition.sources;
  }

  void group(const trace::GroupDefinition& definition) override {
    group_.assign(definition.members.begin(), definition.members.end());
  }

  void event(const trace::Event& event) override {
    const std::uint32_t call = call_++;
    if (ended_) return;
    const Kind kind = event.function->kind;
    if (!started_ && thread_ == 0) {
      const bool local = kind == Kind::environment || kind == Kind::local || kind == Kind::opaque;
      started_ = kind == Kind::init || !local;
      start_ = kind == Kind::init || local ? event.end.value : event.start.value;
      if (kind == Kind::init || local) return;
      computing_ = 0;
    } else {
      if (!std::exchange(started_, true)) start_ = (event.start - event.gap).value;
      computing_ += event.cpu.value;
      blocked_ += (event.gap - event.cpu).value;
      gaps_ += unit_s_ > 0 ? units(event.cpu.value / unit_s_) : 1;
    }
    event_ = &event;
    function_ = event.function;
    entered_ = event.start.value;
    use_ = &use(*event.function);
    number_ = call;
    if (kind == Kind::finalize) {
      step(StepKind::plain, event.start.value);
      ended_ = true;
      return;
    }
    dispatch(kind);
  }

  void finish() override {
    if (!ended_ && use_ && (computing_ > 0 || blocked_ > 0 || gaps_ > 0)) step(StepKind::plain, last_end_);
  }

 private:
  bool between(int comm) const { return shared_.lower_group.contains(comm); }

  const trace::Value& value(int place) const { return event_->values[static_cast<std::size_t>(place)]; }

  FunctionUse& use(const mpi::Function& function) {
    const auto found = shared_.uses.find(&function);
    if (found != shared_.uses.end()) return found->second;
    return shared_.uses.emplace(&function, FunctionUse{Places(function), shape_of(function)}).first->second;
  }

  /// Adds a step with the time since the previous one.
  Step& step(StepKind kind, double at) {
    Step step;
    step.at = at;
    step.entered = std::min(entered_, at);
    step.blocked = blocked_;
    step.computing = computing_;
    step.gaps = gaps_;
    step.call = number_;
    step.function = function_;
    step.kind = kind;
    computing_ = blocked_ = 0;
    gaps_ = 0;
    ++made_;
    return queue_.steps.emplace_back(step);
  }

  /// Index of the communicator of the call, or of its window or file; -1 if it was never defined.
  int comm_index() const {
    const Places& places = use_->places;
    const auto& known = places.comm >= 0 ? shared_.comm_of : places.win >= 0 ? shared_.windows : shared_.files;
    const int place = places.comm >= 0 ? places.comm : places.win >= 0 ? places.win : places.file;
    return known.at(static_cast<std::uint64_t>(value(place).scalar), entered_);
  }

  void dispatch(Kind kind) {
    const double inside = event_->end.value - event_->start.value;
    last_end_ = event_->end.value;
    switch (kind) {
      case Kind::send:
        return send(inside);
      case Kind::recv:
        return receive(inside);
      case Kind::sendrecv:
        return exchange(inside);
      case Kind::ask:
      case Kind::probe:
        blocked_ += inside;
        step(StepKind::plain, event_->end.value);
        return;
      case Kind::match:
        return match(inside);
      case Kind::recv_matched:
        return receive_matched(inside);
      case Kind::send_init:
      case Kind::recv_init:
        computing_ += inside;
        shared_.persistent[value(use_->places.request).scalar] = {
            kind, comm_index(), value(use_->places.peer[0]).scalar, value(use_->places.tag[0]).scalar};
        return;
      case Kind::collective_init:
        computing_ += inside;
        make_persistent_collective();
        return;
      case Kind::start:
        return start(inside);
      case Kind::request_free:
        computing_ += inside;
        free(value(use_->places.request).scalar);
        return;
      case Kind::complete:
      case Kind::test:
        return complete(inside);
      case Kind::collective:
        return collective(inside, use_->shape);
      case Kind::win_fence:
      case Kind::win_free:
      case Kind::file_close:
      case Kind::file_collective:
        return collective(inside, Shape::all);
      case Kind::win_create:
      case Kind::file_open:
        return share(inside);
      case Kind::rma:
      case Kind::win_post:
      case Kind::win_start:
      case Kind::win_complete:
      case Kind::win_wait:
      case Kind::win_local:
      case Kind::file_local:
        blocked_ += inside;
        if (event_->function->nonblocking) shared_.requests[value(use_->places.request).scalar] = {};
        step(StepKind::plain, event_->end.value);
        return;
      case Kind::comm_create:
        return create(inside);
      default:
        computing_ += inside;
        if (function_->name == "MPI_Cancel" && !event_->values.empty()) cancel(value(0).scalar);
    }
  }

  /// A message to `peer` leaves here; nothing for MPI_PROC_NULL.
  bool post_send(int comm, std::int64_t peer, std::int64_t tag) {
    if (peer < 0) return false;
    if (between(comm)) comm += 1;
    Step& sent = step(StepKind::send, event_->start.value);
    const bool blocks = event_->function->kind == Kind::send && !event_->function->nonblocking;
    sent.other = blocks ? event_->end.value : sent.at;
    if (comm < 0)
      ++shared_.unmatched.sends;
    else
      std::tie(sent.link, sent.number) =
          shared_.next_message(comm, static_cast<int>(peer), static_cast<int>(tag), true);
    return true;
  }

  /// A receive is posted; its index. status: source and tag where they are known already.
  std::uint32_t post_receive(int comm, std::int64_t peer, std::int64_t tag, std::span<const std::int64_t> status = {}) {
    if (between(comm)) comm += 2;
    const auto [source, known_tag] = name(static_cast<int>(peer), static_cast<int>(tag), status);
    const std::uint32_t at = shared_.post(comm, source, known_tag);
    shared_.receives[at].posted = event_->start.value;
    return at;
  }

  /// Source and tag, where they are wildcards as the status says.
  static std::pair<int, int> name(int source, int tag, std::span<const std::int64_t> status) {
    if (status.size() != 2) return {source, tag};
    return {source == mpi::kAnySource ? static_cast<int>(status[0]) : source,
            tag == mpi::kAnyTag ? static_cast<int>(status[1]) : tag};
  }

  /// The posted receive has its message now. status: source and tag where they are known.
  void deliver(std::uint32_t at, std::span<const std::int64_t> status) {
    const Shared::Receive& receive = shared_.receives[at];
    const auto [source, tag] = name(receive.source, receive.tag, status);
    if (source == mpi::kProcNull) return shared_.forget(at);
    step(StepKind::receive, event_->end.value).other = receive.posted;
    if (receive.comm >= 0 && source >= 0 && tag >= 0) return shared_.complete(at, source, tag, thread_);
    ++shared_.unmatched.receives;
    shared_.forget(at);
  }

  void send(double inside) {
    const auto& places = use_->places;
    const bool real = post_send(comm_index(), value(places.peer[0]).scalar, value(places.tag[0]).scalar);
    (real ? blocked_ : computing_) += inside;
    if (event_->function->nonblocking) shared_.requests[value(places.request).scalar] = {};
    if (real) step(StepKind::plain, event_->end.value);
  }

  void receive(double inside) {
    const auto& places = use_->places;
    const std::int64_t source = value(places.peer[0]).scalar;
    if (source == mpi::kProcNull) {
      computing_ += inside;
      if (event_->function->nonblocking) shared_.requests[value(places.request).scalar] = {};
      return;
    }
    blocked_ += inside;
    post(source, value(places.tag[0]).scalar);
  }

  /// The call posts a receive, and completes it unless that is done later.
  void post(std::int64_t source, std::int64_t tag) {
    const auto& places = use_->places;
    const auto status = places.status >= 0 ? value(places.status).array : std::span<const std::int64_t>();
    const std::uint32_t at = post_receive(comm_index(), source, tag, status);
    if (!event_->function->nonblocking) return deliver(at, {});
    shared_.requests[value(places.request).scalar] = {.receive = true, .at = at};
    step(StepKind::plain, event_->end.value);
  }

  void exchange(double inside) {
    const auto& places = use_->places;
    const bool sent = post_send(comm_index(), value(places.peer[0]).scalar, value(places.tag[0]).scalar);
    const std::int64_t source = value(places.peer[1]).scalar;
    const bool received = source != mpi::kProcNull;
    (sent || received ? blocked_ : computing_) += inside;
    if (received) return post(source, value(places.tag[1]).scalar);
    if (event_->function->nonblocking) shared_.requests[value(places.request).scalar] = {};
    if (sent) step(StepKind::plain, event_->end.value);
  }

  /// Messages are matched in the order of probes; they arrive where they are received.
  void match(double inside) {
    const auto& places = use_->places;
    const std::int64_t source = value(places.peer[0]).scalar, message = value(places.message).scalar;
    blocked_ += inside;
    if (message > 1) {  // neither null nor MPI_MESSAGE_NO_PROC
      shared_.messages[message] =
          post_receive(comm_index(), source, value(places.tag[0]).scalar, value(places.status).array);
    }
    step(StepKind::plain, event_->end.value);
  }

  void receive_matched(double inside) {
    const auto& places = use_->places;
    const auto found = shared_.messages.find(value(places.message).scalar);
    const std::int64_t request = places.request >= 0 ? value(places.request).scalar : 0;
    blocked_ += inside;
    if (event_->function->nonblocking) {
      shared_.requests[request] = {};
      if (found != shared_.messages.end()) shared_.requests[request] = {.receive = true, .at = found->second};
      step(StepKind::plain, event_->end.value);
    } else if (found != shared_.messages.end()) {
      deliver(found->second, {});
    }
    if (found != shared_.messages.end()) shared_.messages.erase(found);
  }

  void start(double inside) {
    const auto& places = use_->places;
    bool real = false;
    const auto requests =
        places.requests >= 0 ? value(places.requests).array : std::span(&value(places.request).scalar, 1);
    for (const std::int64_t request : requests) {
      const auto found = shared_.persistent.find(request);
      if (found == shared_.persistent.end()) continue;
      const auto& [kind, comm, peer, tag, shape] = found->second;
      auto& pending = shared_.requests[request] = {};
      if (kind == Kind::collective_init) {
        if (alone(comm)) continue;
        real = true;
        if (comm < 0)
          ++shared_.unmatched.collectives;
        else
          pending = {.collective = true, .call = enter(comm, static_cast<std::int32_t>(peer), shape)};
        continue;
      }
      if (peer == mpi::kProcNull) continue;
      real = true;
      if (kind == Kind::send_init)
        post_send(comm, peer, tag);
      else
        pending = {.receive = true, .at = post_receive(comm, peer, tag)};
    }
    (real ? blocked_ : computing_) += inside;
    if (real) step(StepKind::plain, event_->end.value);
  }

  void complete(double inside) {
    const auto& places = use_->places;
    blocked_ += inside;
    const std::uint64_t before = made_;
    const auto requests =
        places.requests >= 0 ? value(places.requests).array : std::span(&value(places.request).scalar, 1);
    const bool done = places.flag < 0 || value(places.flag).scalar != 0;
    const auto statuses = places.statuses >= 0 ? value(places.statuses).array : std::span<const std::int64_t>();
    const auto status = [&](std::size_t k) {
      if (places.status >= 0) return value(places.status).array;
      return statuses.size() >= 2 * k + 2 ? statuses.subspan(2 * k, 2) : std::span<const std::int64_t>();
    };
    const auto one = [&](std::int64_t index, std::size_t k) {
      if (index >= 0 && static_cast<std::size_t>(index) < requests.size())
        completed(requests[static_cast<std::size_t>(index)], status(k));
    };
    if (done && places.indices >= 0) {
      const auto indices = value(places.indices).array;
      for (std::size_t k = 0; k < indices.size(); ++k) one(indices[k], k);
    } else if (done && places.index >= 0) {
      one(value(places.index).scalar, 0);
    } else if (done) {
      for (std::size_t k = 0; k < requests.size(); ++k) one(static_cast<std::int64_t>(k), k);
    }
    if (made_ == before) step(StepKind::plain, event_->end.value);
  }

  void completed(std::int64_t request, std::span<const std::int64_t> status) {
    const auto found = shared_.requests.find(request);
    if (found == shared_.requests.end()) return;
    const Shared::Pending pending = found->second;
    shared_.requests.erase(found);
    if (pending.receive && pending.cancelled) return shared_.cancel(pending.at);
    if (pending.receive) deliver(pending.at, status);
    if (pending.collective) leave(pending.call);
  }

  /// What is cancelled gets no message: it is not recorded whether one was there already.
  void cancel(std::int64_t request) {
    const auto found = shared_.requests.find(request);
    if (found != shared_.requests.end()) found->second.cancelled = true;
  }

  void free(std::int64_t request) {
    shared_.persistent.erase(request);
    const auto found = shared_.requests.find(request);
    if (found == shared_.requests.end()) return;
    const Shared::Pending pending = found->second;
    shared_.requests.erase(found);
    if (pending.receive) pending.cancelled ? shared_.cancel(pending.at) : shared_.let_go(pending.at);
  }

  bool alone(int comm) const { return comm >= 0 && shared_.comms[static_cast<std::size_t>(comm)].size == 1; }

  /// The rank comes to a collective.
  CollectiveCall enter(int comm, std::int32_t root, Shape shape) {
    root = shared_.root_of(comm, root);
    if (root == Shared::kNobody) shape = Shape::to_root;  // it waits for nobody
    const CollectiveCall call{comm, shared_.collectives[static_cast<std::size_t>(comm)]++, root, shape};
    mark(step(StepKind::enter, event_->start.value), call);
    return call;
  }
  void leave(const CollectiveCall& call) { mark(step(StepKind::leave, event_->end.value), call); }
  static void mark(Step& step, const CollectiveCall& call) {
    step.link = static_cast<std::uint32_t>(call.comm);
    step.number = call.number;
    step.root = call.root;
    step.shape = call.shape;
  }

  void make_persistent_collective() {
    const auto& places = use_->places;
    const int comm = comm_index();
    const std::int64_t root = places.root >= 0 ? value(places.root).scalar : -1;
    int own = comm;
    if (comm >= 0) {
      CommIdentity identity = shared_.comms[static_cast<std::size_t>(comm)];
      identity.parent = comm;
      identity.ordinal = (1 << 30) + shared_.persistent_collectives[static_cast<std::size_t>(comm)]++;
      own = shared_.add(identity);
      shared_.sources.back() = shared_.sources[static_cast<std::size_t>(comm)];
    }
    shared_.persistent[value(places.request).scalar] = {Kind::collective_init, own, root, 0, use_->shape};
  }

  void collective(double inside, Shape shape) {
    const auto& places = use_->places;
    const int comm = comm_index();
    if (alone(comm) || comm < 0) {
      (comm >= 0 ? computing_ : blocked_) += inside;
      if (comm < 0) {
        ++shared_.unmatched.collectives;
        step(StepKind::plain, event_->end.value);
      }
      if (event_->function->nonblocking) shared_.requests[value(places.request).scalar] = {};
      return;
    }
    const CollectiveCall call =
        enter(comm, places.root >= 0 ? static_cast<std::int32_t>(value(places.root).scalar) : -1, shape);
    blocked_ += inside;
    if (event_->function->nonblocking) {
      shared_.requests[value(places.request).scalar] = {.collective = true, .call = call};
      step(StepKind::plain, event_->end.value);
    } else {
      leave(call);
    }
  }

  void create(double inside) {
    const auto& places = use_->places;
    const int parent = places.comm >= 0 ? comm_index() : -1;
    const bool by_some = places.tag[0] >= 0;
    if (by_some) {  // what its members wait for is not followed
      blocked_ += inside;
      step(StepKind::plain, event_->end.value);
    } else {
      collective(inside, Shape::all);
    }
    if (parent < 0) return;
    if (by_some) {
      auto who = group_;
      who.push_back(value(places.tag[0]).scalar);
      who.push_back(parent);
      created_as_ = ordinal(who, shared_.made_by_some[who]++);
    } else {
      created_as_ = shared_.made[static_cast<std::size_t>(parent)]++;
    }
    created_from_ = parent;
    created_ = places.newcomm >= 0 ? static_cast<std::uint64_t>(value(places.newcomm).scalar) : 0;
  }

  /// A window or a file: its collectives are those of a communicator of their own.
  void share(double inside) {
    const int parent = comm_index();
    collective(inside, Shape::all);
    if (parent < 0) return;
    CommIdentity identity = shared_.comms[static_cast<std::size_t>(parent)];
    identity.parent = parent;
    identity.ordinal = (1 << 29) + shared_.persistent_collectives[static_cast<std::size_t>(parent)]++;
    const bool window = use_->places.win >= 0;
    const auto handle = static_cast<std::uint64_t>(value(window ? use_->places.win : use_->places.file).scalar);
    (window ? shared_.windows : shared_.files).set(handle, entered_, shared_.add(identity));
  }

  Shared& shared_;
  Queue& queue_;
  const std::uint32_t thread_;
  const int ranks_;
  const double unit_s_;
  const trace::Event* event_ = nullptr;  // during event()
  const mpi::Function* function_ = nullptr;
  FunctionUse* use_ = nullptr;
  std::uint32_t call_ = 0, number_ = 0, gaps_ = 0;
  std::uint64_t made_ = 0;  // steps
  double computing_ = 0, blocked_ = 0, entered_ = 0, last_end_ = 0, start_ = 0;
  bool started_ = false, ended_ = false;
  std::uint64_t created_ = 0;  // handle that the last creating call returned
  int created_from_ = -1, created_as_ = 0;
  std::vector<std::int64_t> group_;  // members of the group that was defined last
};

}  // namespace

std::unique_ptr<StepMaker> step_maker(Shared& shared, std::uint32_t thread, int ranks, double unit_s) {
  return std::make_unique<Maker>(shared, thread, ranks, unit_s);
}

}  // namespace skelgen::metrics
