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

constexpr std::int64_t kNothingPrecedes = 8;  // of Role::integer "assert", see FORMAT.md

}  // namespace

int StepMaker::comm_index() const {
  const Places& places = use_->places;
  const auto& known = places.comm >= 0 ? shared_.comm_of : places.win >= 0 ? shared_.windows : shared_.files;
  const int place = places.comm >= 0 ? places.comm : places.win >= 0 ? places.win : places.file;
  return known.at(static_cast<std::uint64_t>(value(place).scalar), entered_);
}

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

void StepMaker::leave(const CollectiveCall& call) { mark(step(StepKind::leave, event_->end.value), call); }

void StepMaker::make_persistent_collective() {
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

void StepMaker::collective(double inside, Shape shape, bool may_end_early) {
  const auto& places = use_->places;
  const int comm = comm_index();
  if (alone(comm) || comm < 0) {
    (comm >= 0 ? computing_ : blocked_) += inside;
    if (comm < 0) {
      ++shared_.unmatched.collectives;
      step(StepKind::plain, event_->end.value);
    }
    if (event_->function->nonblocking) open(value(places.request).scalar);
    return;
  }
  const std::int32_t root = places.root >= 0 ? static_cast<std::int32_t>(value(places.root).scalar) : -1;
  const CollectiveCall call = enter(comm, root, shape, may_end_early);
  blocked_ += inside;
  if (!event_->function->nonblocking) return leave(call);
  open(value(places.request).scalar) = {.collective = true, .call = call};
  step(StepKind::plain, event_->end.value);
}

void StepMaker::fence(double inside) {
  const int assertions = function_->find(mpi::Role::integer);
  collective(inside, Shape::all, assertions >= 0 && (value(assertions).scalar & kNothingPrecedes));
}

void StepMaker::file_collective(double inside) {
  const int comm = comm_index();
  const bool begins = function_->part == mpi::Part::begin;
  const auto begun = function_->part == mpi::Part::end ? begun_.find(comm) : begun_.end();
  if (comm < 0 || alone(comm) || (!begins && begun == begun_.end())) return collective(inside, Shape::all, true);
  if (begins) begun_[comm] = enter(comm, -1, Shape::all, true);
  blocked_ += inside;
  if (begins) return void(step(StepKind::plain, event_->end.value));
  leave(begun->second);
  begun_.erase(begun);
}

void StepMaker::create(double inside) {
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

void StepMaker::share(double inside, bool may_end_early) {
  const int parent = comm_index();
  collective(inside, Shape::all, may_end_early);
  if (parent < 0) return;
  CommIdentity identity = shared_.comms[static_cast<std::size_t>(parent)];
  identity.parent = parent;
  identity.ordinal = (1 << 29) + shared_.persistent_collectives[static_cast<std::size_t>(parent)]++;
  const bool window = use_->places.win >= 0;
  const auto handle = static_cast<std::uint64_t>(value(window ? use_->places.win : use_->places.file).scalar);
  (window ? shared_.windows : shared_.files).set(handle, entered_, shared_.add(identity));
}

}  // namespace skelgen::metrics
