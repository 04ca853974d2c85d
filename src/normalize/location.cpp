#include "normalize/location.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "mpi/codes.h"
#include "support/error.h"

namespace skelgen::normalize {

using mpi::Direction;
using mpi::Kind;
using mpi::Parameter;
using mpi::Role;

namespace {

/// Parameters that differ from call to call: the record has them beside the signature.
bool varies(const Parameter& parameter) {
  return parameter.direction == Direction::out || properties(parameter.role).differs;
}

/// Arrays whose elements need no canonical names.
bool is_plain_array(Role role) {
  return role == Role::counts || role == Role::displs || role == Role::datatypes || role == Role::integers ||
         role == Role::aints || role == Role::text;
}

/// True for calls whose failure does not make build refuse the trace: file calls fail in the skeleton in the same way.
bool may_fail(const mpi::Function& function) {
  switch (function.kind) {
    case Kind::opaque:
    case Kind::file_open:
    case Kind::file_close:
    case Kind::file_local:
    case Kind::file_collective:
    case Kind::file_delete:
      return true;
    default:
      return false;
  }
}

}  // namespace

LocationReader::LocationReader(std::string directory, Location where, Pass pass, Buffers& buffers,
                               Predefined& predefined, Tables& tables, Normalized& normalized, LocationCalls& out,
                               CallColumns kept, Threads* threads)
    : directory_(std::move(directory)),
      where_(where),
      pass_(pass),
      buffers_(buffers),
      tables_(tables),
      normalized_(normalized),
      out_(out),
      threads_(threads),
      communicators_(where.thread, predefined, out.communicators),
      windows_(out.windows),
      files_(out.files),
      types_(out.datatypes),
      polls_(std::move(kept), threads ? &threads->when[static_cast<std::size_t>(where.thread)] : nullptr) {}

void LocationReader::fail(Code code, const std::string& text, const std::string& remedy) const {
  const std::string thread = where_.thread ? fmt::format(", thread {}", where_.thread) : "";
  throw Error(code, directory_, {},
              fmt::format("{} (rank {}{}, call {}) {}", function_->name, where_.rank, thread, index_, text), remedy);
}

/// Such a call has no effect but an error, which a program may go on after.
void LocationReader::fail_refused(const std::string& text) const {
  fail(Code::unsupported, text + ", which MPI refuses", "trace a run in which no MPI call fails");
}

/// The skeleton would perform the call, which had no effect in the program, or abort: its error handler is the default one.
void LocationReader::refuse_failed(const trace::Event& event) const {
  if (may_fail(*function_)) return;
  fail(Code::unsupported, fmt::format("failed with error class {}", event.error_class),
       "trace a run in which no MPI call fails");
}

void LocationReader::fail_corrupt(const std::string& text) const {
  fail(Code::corrupt, text, "trace the program again");
}

// --- what follows from a signature

bool LocationReader::fits(const Plan& plan, const trace::Event& event) const {
  return plan.epoch == epoch_ && plan.function == event.function &&
         std::ranges::all_of(plan.scalars,
                             [&](const auto& of) { return event.values[of.first].scalar == of.second; }) &&
         std::ranges::all_of(
             plan.arrays, [&](const auto& of) { return std::ranges::equal(event.values[of.first].array, of.second); });
}

LocationReader::Plan& LocationReader::plan(const trace::Event& event) {
  if (event.signature >= plans_.size()) plans_.resize(event.signature + 1);
  Plan& plan = plans_[event.signature];
  if (!fits(plan, event)) make(plan, event);
  return plan;
}

void LocationReader::make(Plan& plan, const trace::Event& event) {
  const auto& parameters = function_->parameters;
  if (function_->kind == Kind::opaque && !function_->harmless)
    fail(Code::unsupported, "cannot be replayed yet", "trace a run that does not call it");
  require_shared(function_->kind);
  plan = Plan();
  plan.function = function_;
  plan.epoch = epoch_;
  polled_ = polled_ || polls(*function_);
  if (const int at = function_->find(Role::comm); at >= 0) {
    const std::int64_t raw = event.values[at].scalar;
    plan.comm = communicators_.find(static_cast<std::uint64_t>(raw));
    if (raw != 0 && !plan.comm && where_.thread == 0) fail_corrupt("uses a communicator that was never made");
    if (raw != 0 && !plan.comm)
      fail(Code::unsupported, "uses a communicator that no " + maker() + " made",
           "make it there before other threads use it");
    if (plan.comm) list_borrowed(out_.communicators, plan.comm->is);
    if (raw == 0) fail(Code::unsupported, "was called with MPI_COMM_NULL", "mend the program");
  }
  for (const Role role : {Role::win, Role::file}) {
    const int at = function_->find(role);
    if (at < 0 || parameters[static_cast<std::size_t>(at)].direction == Direction::out) continue;
    const auto raw = static_cast<std::uint64_t>(event.values[at].scalar);
    plan.comm = (role == Role::win ? windows_ : files_).find(raw);
    if (!plan.comm)
      fail(Code::unsupported, fmt::format("uses a {} that no {} made", role == Role::win ? "window" : "file", maker()),
           "make it there before other threads use it");
    list_borrowed(role == Role::win ? out_.windows : out_.files, plan.comm->is);
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const mpi::Value& value = event.values[i];
    const Role role = parameters[i].role;
    if (role == Role::buffer) plan.spans.push_back(span(plan, event, i));
    if (role == Role::peer && value.scalar == mpi::kAnySource) {
      plan.wildcard = true;
      plan.any_source = plan.any_source || static_cast<int>(i) == function_->source();
    }
    if (role == Role::tag) plan.wildcard = plan.wildcard || value.scalar == mpi::kAnyTag;
    if (role == Role::count && (value.scalar < 0 || value.scalar > mpi::kLargestBuffer))
      fail_refused(fmt::format("has a count of {}", value.scalar));
    if (parameters[i].codes && role == Role::color && !parameters[i].codes->contains(value.scalar))
      fail(Code::unsupported, "splits by a type that is not MPI_COMM_TYPE_SHARED", "trace a run without it");
    if (varies(parameters[i])) {
      plan.varying.push_back(i);
    } else if (is_plain_array(role)) {
      plan.arrays.emplace_back(i, std::vector(value.array.begin(), value.array.end()));
    } else {
      plan.scalars.emplace_back(i, value.scalar);
    }
  }
  if (pass_ == Pass::touch) return;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    plan.values.push_back(varies(parameters[i]) ? 0 : fixed_value(plan, event, i));
  plan.symbol = symbol(plan, event);
}

std::int64_t LocationReader::datatype_name(std::int64_t raw) {
  if (raw == 0) return -1;
  // What a call that is not replayed returned can be freed all the same.
  if (function_->kind == Kind::type_free && types_.is_shared(raw)) return -1;
  const Datatypes::Type& of = type(raw);
  if (of.name == "MPI_LB" || of.name == "MPI_UB")
    fail(Code::unsupported, fmt::format("uses {}, which MPI 3 removed", of.name),
         "make the datatype by MPI_Type_create_resized");
  list_borrowed(of);
  return of.slot >= 0 ? mpi::kMade + of.slot : tables_.name(of.name, of.layout.size);
}

/// In a symbol, where slots do not count.
std::int64_t LocationReader::form(std::int64_t raw) const {
  const Datatypes::Type* of = types_.find(raw);
  constexpr std::uint64_t kBits = (std::uint64_t{1} << 61) - 1;
  return of ? static_cast<std::int64_t>(kBits + 1 + (of->form & kBits)) : -1;
}

std::int64_t LocationReader::fixed_value(const Plan& plan, const trace::Event& event, std::size_t i) {
  const Parameter& parameter = function_->parameters[i];
  const mpi::Value& recorded = event.values[i];
  switch (parameter.role) {
    case Role::counts:
    case Role::displs:
    case Role::integers:
    case Role::aints:
      return tables_.array(recorded.array);
    case Role::text:
      scratch_.assign(1, mpi::kText);
      scratch_.insert(scratch_.end(), recorded.array.begin(), recorded.array.end());
      return tables_.array(scratch_);
    case Role::datatypes:
      scratch_.clear();
      for (const std::int64_t one : recorded.array) scratch_.push_back(datatype_name(one));
      return tables_.array(scratch_);
    case Role::comm: {
      if (static_cast<int>(i) == function_->find(Role::comm)) return plan.comm->is.slot;
      const auto* other = communicators_.find(static_cast<std::uint64_t>(recorded.scalar));
      return other ? other->is.slot : -1;  // of MPI_Intercomm_create: only the leaders have it
    }
    case Role::info:
      return hints(recorded.scalar);
    case Role::win:
    case Role::file:
      return plan.comm->is.slot;
    case Role::target:
      return target(plan, event, i);
    case Role::datatype:
      if (is_absent(plan, event, i) && !types_.find(recorded.scalar)) return -1;
      return datatype_name(recorded.scalar);
    case Role::op: {
      if (recorded.scalar == 0) return -1;
      const ReductionOps::Op& known = op(recorded.scalar);
      return known.slot >= 0 ? mpi::kMade + known.slot : tables_.name(known.name, 0);
    }
    case Role::group: {
      const auto raw = static_cast<std::uint64_t>(recorded.scalar);
      const auto* members = groups_.members(raw);
      if (function_->kind == Kind::comm_create && raw == 0) return tables_.array({});
      if (!mpi::known_by_members(function_->kind)) return groups_.find(raw);
      if (!members) fail_corrupt("uses an undefined group");
      return tables_.array(*members);
    }
    default:
      return recorded.scalar;
  }
}

SymbolId LocationReader::symbol(const Plan& plan, const trace::Event& event) {
  std::vector<std::int64_t> key;
  for (std::size_t i = 0; i < function_->parameters.size(); ++i) {
    const Role role = function_->parameters[i].role;
    if (!in_key(role)) continue;
    if (role == Role::comm || role == Role::root || role == Role::win || role == Role::file)
      key.push_back(plan.values[i]);
    if (role == Role::datatype) key.push_back(plan.values[i] < 0 ? -1 : form(event.values[i].scalar));
    if (role == Role::op)
      key.push_back(plan.values[i] < mpi::kMade ? plan.values[i] : mpi::kMade + op(event.values[i].scalar).commutes);
    if (role == Role::datatypes) {
      std::uint64_t all = 0;
      for (const std::int64_t one : event.values[i].array) all = mix(all, static_cast<std::uint64_t>(form(one)));
      key.push_back(static_cast<std::int64_t>(all >> 1));
    }
    if (role != Role::peer && role != Role::root) continue;
    const std::int64_t peer = event.values[i].scalar, size = plan.comm->is.peers_size();
    if (peer >= size || peer < (role == Role::root ? mpi::kRoot : mpi::kAnySource))
      fail_refused(fmt::format("names rank {} of {}", peer, size));
    if (role == Role::root) continue;
    key.push_back(peer < 0 ? peer : (peer - plan.comm->is.rank + size) % size);
  }
  return tables_.symbol(function_, key);
}

// --- what differs from call to call

void LocationReader::event(const trace::Event& event) {
  function_ = event.function;
  if (function_->replayed_as >= 0) {
    trace::Event now = event;
    now.function = &mpi::functions()[static_cast<std::size_t>(function_->replayed_as)];
    if (function_->large) require_ints(event);
    return this->event(now);
  }
  if (function_->kind == Kind::cancel && event.values.size() == function_->recorded.size()) return cancel(event);
  if (threads_ && where_.thread > 0) borrow(event.start.value);
  now_s_ = event.end.value;
  if (pass_ == Pass::touch && !cancelled_.empty()) look_for_cancelled(event);
  if (pass_ == Pass::touch) look_for_forgotten(event);
  if (event.error_class) refuse_failed(event);  // before its arguments are looked at: they may be what is wrong
  Plan& now = plan(event);
  if (pass_ == Pass::touch)
    touch(now, event);
  else
    name(now, event);
  if (lends()) lend(event);
  switch (function_->kind) {
    case Kind::opaque:
      opaque(event);
      break;
    case Kind::win_free:
      windows_.free(static_cast<std::uint64_t>(event.values[function_->find(Role::win)].scalar));
      ++epoch_;
      break;
    case Kind::file_close:
      files_.free(static_cast<std::uint64_t>(event.values[function_->find(Role::file)].scalar));
      ++epoch_;
      break;
    case Kind::win_create:
    case Kind::file_open:
      ++epoch_;
      break;
    case Kind::comm_free:
      communicators_.free(static_cast<std::uint64_t>(event.values[function_->find(Role::comm)].scalar));
      [[fallthrough]];
    case Kind::comm_create:
    case Kind::type_create:
    case Kind::op_create:
      ++epoch_;
      break;
    case Kind::type_free:
      types_.free(event.values[0].scalar);
      ++epoch_;
      break;
    case Kind::op_free:
      ops_.free(event.values[0].scalar);
      ++epoch_;
      break;
    default:
      break;
  }
  ++index_;
}

/// Of a call with large counts that is replayed as the one with ints.
void LocationReader::require_ints(const trace::Event& event) const {
  const auto fits = [](std::int64_t v) {
    return v >= std::numeric_limits<int>::min() && v <= std::numeric_limits<int>::max();
  };
  for (std::size_t i = 0; i < event.values.size(); ++i) {
    const Parameter& parameter = function_->parameters[i];
    const bool number = parameter.role == Role::count || parameter.role == Role::integer;
    const bool numbers =
        parameter.role == Role::counts || parameter.role == Role::displs || parameter.role == Role::integers;
    if ((number && !fits(event.values[i].scalar)) || (numbers && !std::ranges::all_of(event.values[i].array, fits)))
      fail(Code::unsupported, fmt::format("has a {} that is no int", parameter.name), "trace a smaller problem");
  }
}

/// Of calls that are not replayed: what they mean to others.
void LocationReader::opaque(const trace::Event& event) {
  if (pass_ == Pass::name) ++normalized_.opaque[std::string(function_->name)];
  if (event.values.empty()) return;
  if (infos_.call(event)) {
    ++epoch_;
    if (lends()) lend_info(event);
  }
  if (function_->way == mpi::Way::contents) {
    types_.refer(event.values.back().array);
    ++epoch_;
  }
  if (function_->way != mpi::Way::control || event.values[0].scalar != 0) return;
  suspended_ = true;  // from here on only what lasts is recorded
  if (const std::size_t open = requests_.open(); open > 0)
    fail(Code::unsupported, fmt::format("stops the recording while {} requests are not complete", open),
         "stop it where all are, then trace again");
}

void LocationReader::touch(Plan& plan, const trace::Event& event) {
  plan.touched.resize(plan.spans.size(), mpi::kNullBuffer);
  for (std::size_t s = 0; s < plan.spans.size(); ++s) {
    const Span& own = plan.spans[s];
    const std::int64_t raw = event.values[own.parameter].scalar;
    if (raw == plan.touched[s] && !function_->parameters[own.parameter].own_share) continue;
    plan.touched[s] = raw;
    const Span& span = span_of(plan, event, own.parameter);
    if (raw == mpi::kNullBuffer || raw == mpi::kInPlace || span.bytes == 0) continue;
    const auto begin = static_cast<std::uint64_t>(raw) + static_cast<std::uint64_t>(span.low);
    if (function_->kind == Kind::win_attach)
      buffers_.attach(begin, span.bytes);
    else
      buffers_.touch(begin, span.bytes);
  }
  if (function_->kind == Kind::comm_create) make_communicator(plan, event, 0);
  if (function_->kind == Kind::type_create) make_type(event);
  if (function_->kind == Kind::win_create || function_->kind == Kind::file_open) make_shared(plan, event);
}

void LocationReader::name(Plan& plan, const trace::Event& event) {
  waited_.clear();
  if (plan.any_source) match(event);
  bool same = plan.record != Ids::kNone;
  plan.addresses.resize(plan.varying.size(), mpi::kNullBuffer);
  for (std::size_t v = 0; v < plan.varying.size(); ++v) {
    const std::size_t i = plan.varying[v];
    const Parameter& parameter = function_->parameters[i];
    if (parameter.role == Role::buffer && !parameter.own_share) {  // where an address lies does not change
      if (same && plan.addresses[v] == event.values[i].scalar) continue;
      plan.addresses[v] = event.values[i].scalar;
    }
    const std::int64_t value = varying_value(plan, event, i);
    same = same && plan.values[i] == value;
    plan.values[i] = value;
  }
  if (function_->kind == Kind::complete || function_->kind == Kind::test) complete(event);
  if (function_->kind == Kind::request_free && !requests_.free(waited_[0])) fail_corrupt("frees a request twice");
  if (function_->kind == Kind::local) {
    if (const int at = function_->find(Role::group);
        at >= 0 && function_->parameters[at].direction == Direction::inout) {
      groups_.free(static_cast<std::uint64_t>(event.values[at].scalar));
      ++epoch_;
    }
    if (function_->find(Role::newgroup) >= 0) ++epoch_;
  }
  if (!same) plan.record = tables_.record(plan.symbol, plan.values);
  if (function_->kind == Kind::file_open) opens(plan);
  if (function_->kind == Kind::win_attach) attach(plan, event);
  polls_.add(normalized_, plan.record, event.cpu.value, (event.end - event.start).value + waited_s(event),
             {event.start.value, event.end.value}, event.site, event.columns, out_);
}

std::int64_t LocationReader::varying_value(const Plan& plan, const trace::Event& event, std::size_t i) {
  const mpi::Value& recorded = event.values[i];
  switch (function_->parameters[i].role) {
    case Role::buffer:
      return buffer(plan, event, i);
    case Role::request:
      return request(plan, event, i);
    case Role::requests:
      wait_for(recorded.array);
      scratch_.clear();
      for (const auto& one : waited_) scratch_.push_back(one.slot);
      return tables_.array(scratch_);
    case Role::status:
    case Role::statuses:
      return statuses(plan, event, recorded.array);
    case Role::indices:
      return tables_.array(recorded.array);
    case Role::newcomm:
      return make_communicator(plan, event, makers(plan));
    case Role::message:
      return message(event, i);
    case Role::newgroup:
      return groups_.create(static_cast<std::uint64_t>(recorded.scalar));
    case Role::newtype:
      return make_type(event);
    case Role::newop:
      return ops_.create(recorded.scalar);
    case Role::win:
    case Role::file:
      return make_shared(plan, event);
    case Role::offset:
      if (function_->parameters[i].direction == Direction::out) return 0;  // where a file pointer is, or a file's size
      return recorded.scalar;
    case Role::address:  // the skeleton has its own
      return 0;
    case Role::integer:
      if (function_->kind != Kind::cancel || recorded.scalar == mpi::value_of(mpi::CancelOutcome::cancelled))
        return recorded.scalar;
      if (!waited_[0].receive) return mpi::value_of(mpi::CancelOutcome::too_late);
      return recorded.scalar == kFreed ? mpi::value_of(mpi::CancelOutcome::cancelled)
                                       : mpi::value_of(mpi::CancelOutcome::received);
    default:
      return recorded.scalar;
  }
}

std::int64_t LocationReader::buffer(const Plan& plan, const trace::Event& event, std::size_t i) {
  const std::int64_t address = event.values[i].scalar;
  if (address == mpi::kInPlace) return mpi::kInPlace;
  if (address == mpi::kNullBuffer || span_of(plan, event, i).bytes == 0) return mpi::kNullBuffer;
  const auto place = buffers_.find(static_cast<std::uint64_t>(address));
  if (!place) return mpi::kNullBuffer;
  if (place->slot >= mpi::kMostBuffers)
    fail(Code::unsupported, fmt::format("uses more than {} different buffers", mpi::kMostBuffers),
         "trace a shorter run");
  if (place->offset >= static_cast<std::uint64_t>(mpi::kLargestBuffer))
    fail(Code::unsupported, "uses a buffer of more than 2^40 bytes", "trace a smaller problem");
  return mpi::pack(place->slot, static_cast<std::int64_t>(place->offset));
}

}  // namespace skelgen::normalize
