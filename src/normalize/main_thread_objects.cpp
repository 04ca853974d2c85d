// What the main thread of a rank made, in the streams of its other threads.

#include <fmt/format.h>

#include <algorithm>

#include "normalize/location.h"
#include "support/error.h"

namespace skelgen::normalize {

using mpi::Kind;
using mpi::Role;

/// What the event made or freed, if other threads may know it. Definitions that follow say it again, and more.
void LocationReader::lend(const trace::Event& event) {
  const auto raw = [&](Role role) { return static_cast<std::uint64_t>(event.values[function_->find(role)].scalar); };
  const double start = event.start.value, end = event.end.value;
  switch (function_->kind) {
    case Kind::comm_free:
      return lend(start, raw(Role::comm), false, Communicator());
    case Kind::win_create:
      if (const auto* made = windows_.find(raw(Role::win)))
        lend(end, raw(Role::win), true, MainThreadObjects::Window{made->is, made->dynamic});
      return;
    case Kind::win_free:
      return lend(start, raw(Role::win), false, MainThreadObjects::Window());
    case Kind::file_open:
      if (const auto* made = files_.find(raw(Role::file)))
        lend(end, raw(Role::file), true, MainThreadObjects::File{made->is});
      return;
    case Kind::file_close:
      return lend(start, raw(Role::file), false, MainThreadObjects::File());
    case Kind::type_create:
      if (const auto* made = types_.find(event.values[function_->find(Role::newtype)].scalar))
        lend(end, raw(Role::newtype), true, *made);
      return;
    case Kind::type_free:
      return lend(start, static_cast<std::uint64_t>(event.values[0].scalar), false, Datatypes::Type());
    case Kind::op_create:
      if (const auto* made = ops_.find(event.values[function_->find(Role::newop)].scalar))
        lend(end, raw(Role::newop), true, *made);
      return;
    case Kind::op_free:
      return lend(start, static_cast<std::uint64_t>(event.values[0].scalar), false, ReductionOps::Op());
    default:
      return;
  }
}

/// The same of a call about an info object.
void LocationReader::lend_info(const trace::Event& event) {
  const std::int64_t raw = event.values[function_->way == mpi::Way::info_dup ? 1 : 0].scalar;
  const InfoObjects::Hints* holds = infos_.find(raw);
  lend((holds ? event.end : event.start).value, static_cast<std::uint64_t>(raw), holds != nullptr,
       holds ? *holds : InfoObjects::Hints());
}

/// Handles of the main thread mean here what they meant there at this time.
void LocationReader::borrow(double time_s) {
  const auto& changes = threads_->made_by_main.changes;
  for (; borrowed_ < changes.size() && changes[borrowed_].time_s <= time_s; ++borrowed_) {
    ++epoch_;
    const MainThreadObjects::Change& change = changes[borrowed_];
    const auto raw = change.raw;
    const auto signed_raw = static_cast<std::int64_t>(raw);
    if (const auto* comm = std::get_if<Communicator>(&change.what))
      change.lives ? communicators_.borrow(raw, *comm) : communicators_.give_back(raw);
    else if (const auto* window = std::get_if<MainThreadObjects::Window>(&change.what))
      change.lives ? windows_.borrow(raw, window->is, window->dynamic) : windows_.give_back(raw);
    else if (const auto* file = std::get_if<MainThreadObjects::File>(&change.what))
      change.lives ? files_.borrow(raw, file->is) : files_.give_back(raw);
    else if (const auto* type = std::get_if<Datatypes::Type>(&change.what))
      change.lives ? types_.borrow(signed_raw, *type) : types_.give_back(signed_raw);
    else if (const auto* hints = std::get_if<InfoObjects::Hints>(&change.what))
      change.lives ? infos_.borrow(signed_raw, *hints) : infos_.give_back(signed_raw);
    else
      change.lives ? ops_.borrow(signed_raw, std::get<ReductionOps::Op>(change.what)) : ops_.give_back(signed_raw);
  }
}

/// What all threads may use is made by one.
void LocationReader::require_shared(Kind kind) const {
  if (where_.thread == 0) return;
  switch (kind) {
    case Kind::comm_create:
    case Kind::comm_free:
    case Kind::win_create:
    case Kind::win_free:
    case Kind::win_attach:
    case Kind::win_detach:
    case Kind::file_open:
    case Kind::file_close:
    case Kind::type_create:
    case Kind::type_free:
    case Kind::op_create:
    case Kind::op_free:
      fail(Code::unsupported, "is not made by the main thread, which alone may make and free what all threads share",
           "make and free communicators, windows and what is attached to them, files, datatypes and operations in the "
           "thread that calls MPI_Init");
    default:
      return;
  }
}

/// "a recorded call", of whom.
std::string LocationReader::maker() const {
  return where_.thread == 0 ? "recorded call" : "recorded call of the main thread";
}

const Datatypes::Type& LocationReader::type(std::int64_t raw) const {
  if (const auto* known = types_.find(raw)) return *known;
  if (where_.thread > 0)
    fail(Code::unsupported, "uses a datatype that no " + maker() + " made",
         "make it there before other threads use it");
  fail(Code::unsupported,
       "uses a datatype that no recorded constructor made (MPI_Type_get_contents, MPI_File_get_view and mpi_f08 have "
       "such)",
       "use datatypes that the program made itself, and no array sections with gaps as buffers of mpi_f08");
}
const ReductionOps::Op& LocationReader::op(std::int64_t raw) const {
  if (const auto* known = ops_.find(raw)) return *known;
  fail(Code::unsupported, "uses a reduction operation that no " + maker() + " made",
       "make it there before other threads use it");
}

/// A slot means one thing in the whole of this thread.
void LocationReader::list_borrowed(std::vector<Communicator>& listed, const Communicator& is) const {
  if (where_.thread == 0) return;
  const auto known = std::ranges::find(listed, is.slot, &Communicator::slot);
  if (known == listed.end())
    listed.push_back(is);
  else if (known->identity != is.identity)
    fail(Code::unsupported, "uses what the main thread made after it had freed what this thread used before",
         "let the main thread make all that a thread uses before it frees any of it");
}

void LocationReader::list_borrowed(const Datatypes::Type& type) {
  if (where_.thread == 0 || type.slot < 0) return;
  const auto known = std::ranges::find(out_.datatypes, type.slot, &DerivedDatatype::slot);
  if (known == out_.datatypes.end())
    out_.datatypes.push_back({type.slot, type.layout.size, type.layout.extent()});
  else if (known->bytes != type.layout.size || known->extent != type.layout.extent())
    fail(Code::unsupported, "uses a datatype that the main thread made after it had freed one of another size",
         "let the main thread make all that a thread uses before it frees any of it");
}

}  // namespace skelgen::normalize
