// What a thread's steps say of communicators and collectives.

#include "metrics/step_maker.h"

namespace skelgen::metrics {

using mpi::Kind;

namespace {

void mark(Step& step, const CollectiveCall& call) {
  step.link = static_cast<std::uint32_t>(call.comm);
  step.number = call.number;
  step.root = call.root;
  step.shape = call.shape;
  step.may_end_early = call.may_end_early;
}

}  // namespace

void StepMaker::comm(const trace::CommDefinition& definition) {
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

void StepMaker::neighbours(const trace::NeighbourDefinition& definition) {
  const int known = shared_.comm_of.at(definition.handle, entered_);
  if (known >= 0) shared_.sources[static_cast<std::size_t>(known)] = definition.sources;
}

void StepMaker::group(const trace::GroupDefinition& definition) {
  group_.assign(definition.members.begin(), definition.members.end());
}

CollectiveCall StepMaker::enter(int comm, std::int32_t root, Shape shape, bool may_end_early) {
  root = shared_.root_of(comm, root);
  if (root == Shared::kNobody) shape = Shape::to_root;  // it waits for nobody
  const CollectiveCall call{comm, shared_.collectives[static_cast<std::size_t>(comm)]++, root, shape, may_end_early};
  mark(step(StepKind::enter, event_->start.value), call);
  return call;
}

void StepMaker::leave(const CollectiveCall& call) { mark(end(StepKind::leave), call); }

std::int64_t StepMaker::number_collective(int& comm, const CollectiveCall&) {
  if (comm < 0) return 0;
  CommIdentity identity = shared_.comms[static_cast<std::size_t>(comm)];
  identity.parent = comm;
  identity.ordinal = (1 << 30) + shared_.persistent_collectives[static_cast<std::size_t>(comm)]++;
  const int own = shared_.add(identity);
  shared_.sources.back() = shared_.sources[static_cast<std::size_t>(comm)];
  comm = own;
  return 0;
}

CollectiveCall StepMaker::collective(const engine::Call& call, int comm) const {
  CollectiveCall is{.comm = comm};
  if (call.has(mpi::Role::root)) is.root = static_cast<std::int32_t>(call.number(mpi::Role::root));
  switch (call.function->kind) {
    case Kind::collective:
    case Kind::collective_init:
      is.shape = call.function->flow;
      break;
    case Kind::win_fence:
      is.may_end_early = call.has(mpi::Role::integer) && (call.number(mpi::Role::integer) & mpi::kModeNoprecede);
      break;
    case Kind::file_open:
    case Kind::file_close:
    case Kind::file_collective:
      is.may_end_early = true;
      break;
    default:
      break;
  }
  return is;
}

Pending StepMaker::meet(int comm, const CollectiveCall& call, const mpi::Function& function) {
  if (alone(comm)) return {};
  real_ = true;
  if (comm < 0) {
    ++shared_.unmatched.collectives;
    return {};
  }
  if (const auto begun = function.part == mpi::Part::end ? begun_.find(comm) : begun_.end(); begun != begun_.end())
    return {.collective = true, .call = begun_.extract(begun).mapped()};
  const CollectiveCall entered = enter(comm, call.root, call.shape, call.may_end_early);
  if (function.part != mpi::Part::begin) return {.collective = true, .call = entered};
  begun_[comm] = entered;
  return {};
}

void StepMaker::create() {
  const auto& call = call_;
  const int parent = call.has(mpi::Role::comm) ? comm(call.number(mpi::Role::comm)) : -1;
  const bool by_some = call.has(mpi::Role::tag);
  if (by_some)  // what its members wait for is not followed
    real_ = true;
  else
    shared_.interpreter.begin(call, *this, [&] { return meet(parent, collective(call, parent), *function_); });
  if (parent < 0) return;
  if (by_some) {
    auto who = group_;
    who.push_back(call.number(mpi::Role::tag));
    who.push_back(parent);
    created_as_ = ordinal(who, shared_.made_by_some[who]++);
  } else {
    created_as_ = shared_.made[static_cast<std::size_t>(parent)]++;
  }
  created_from_ = parent;
  created_ = call.has(mpi::Role::newcomm) ? static_cast<std::uint64_t>(call.number(mpi::Role::newcomm)) : 0;
}

void StepMaker::share() {
  const int parent = comm(call_.number(mpi::Role::comm));
  shared_.interpreter.begin(call_, *this, [&] { return meet(parent, collective(call_, parent), *function_); });
  if (parent < 0) return;
  CommIdentity identity = shared_.comms[static_cast<std::size_t>(parent)];
  identity.parent = parent;
  identity.ordinal = (1 << 29) + shared_.persistent_collectives[static_cast<std::size_t>(parent)]++;
  const bool window = function_->kind == Kind::win_create;
  const auto handle = static_cast<std::uint64_t>(call_.number(window ? mpi::Role::win : mpi::Role::file));
  (window ? shared_.windows : shared_.files).set(handle, entered_, shared_.add(identity));
}

}  // namespace skelgen::metrics
