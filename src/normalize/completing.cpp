// Requests: which one a call starts, which ones it completes, and whose messages they were.

#include <fmt/format.h>

#include <utility>

#include "normalize/location.h"
#include "support/error.h"

namespace skelgen::normalize {

using mpi::Direction;
using mpi::Kind;
using mpi::Role;

void LocationReader::wait_for(std::span<const std::int64_t> raw) {
  if (requests_.find(raw, index_, waited_)) return;
  if (suspended_)
    fail(Code::unsupported, "waits for a request that was started while MPI_Pcontrol(0) held",
         "resume the recording where all requests are complete, then trace again");
  if (threads_)
    fail(Code::unsupported, "names a request that this thread did not start",
         "let the thread that makes a request start and complete it");
  fail_corrupt("waits for a request that was never started");
}

/// What the call itself received or found; a request's match is known when it completes.
void LocationReader::match(const trace::Event& event) {
  const int status = function_->find(Role::status);
  const bool known = !function_->nonblocking && status >= 0 && !event.values[status].array.empty();
  out_.matches.push_back({out_.calls.size(), known ? event.values[status].array[0] : mpi::kAnySource});
}

/// The matched (source, tag) says something new only where a wildcard was given.
std::int64_t LocationReader::statuses(const Plan& plan, const trace::Event& event,
                                      std::span<const std::int64_t> recorded) {
  if (function_->kind != Kind::complete && function_->kind != Kind::test)
    return plan.wildcard ? tables_.array(recorded) : 0;
  const int index = function_->find(Role::index), indices = function_->find(Role::indices);
  scratch_.assign(recorded.begin(), recorded.end());
  bool any = false;
  for (std::size_t i = 0; i + 1 < scratch_.size(); i += 2) {
    auto position = static_cast<std::int64_t>(i / 2);
    if (index >= 0) position = event.values[index].scalar;
    if (indices >= 0 && i / 2 < event.values[indices].array.size()) position = event.values[indices].array[i / 2];
    const bool wildcard =
        position >= 0 && static_cast<std::size_t>(position) < waited_.size() && waited_[position].wildcard;
    if (!wildcard || scratch_[i] == mpi::kCancelled) scratch_[i] = mpi::kAnySource, scratch_[i + 1] = mpi::kAnyTag;
    any = any || wildcard;
  }
  return any ? tables_.array(scratch_) : 0;
}

std::int64_t LocationReader::request(const Plan& plan, const trace::Event& event, std::size_t i) {
  const std::int64_t raw = event.values[i].scalar;
  const bool persistent = function_->kind == Kind::send_init || function_->kind == Kind::recv_init ||
                          function_->kind == Kind::collective_init;
  // The status of an exchange that does not wait says nothing with MPICH 4.0.
  const bool told = function_->kind != Kind::sendrecv;
  if (function_->parameters[i].direction == Direction::out) {
    if (raw == 0) return -1;
    const Requests::Request is{.wildcard = plan.wildcard && told,
                               .persistent = persistent,
                               .receive = function_->kind == Kind::recv || function_->kind == Kind::recv_init,
                               .forgotten = forgotten_.at(started_++),
                               .match = plan.any_source && told ? out_.matches.size() - 1 : Requests::kNoMatch};
    out_.forgets_requests = out_.forgets_requests || is.forgotten;
    return requests_.create(static_cast<std::uint64_t>(raw), is, out_.calls.size(), out_.shared_requests);
  }
  wait_for({&raw, 1});
  return waited_[0].slot;
}

/// The call with the outcome of the request added to its recorded values.
void LocationReader::cancel(const trace::Event& event) {
  const std::int64_t raw = event.values[0].scalar;
  std::vector<mpi::Value> values(event.values.begin(), event.values.end());
  std::int64_t& outcome = values.emplace_back().scalar;
  if (pass_ == Pass::touch) {
    cancelled_[raw].push_back(outcomes_.size());
    outcomes_.push_back(Outcome::freed);
  } else {
    switch (outcomes_.at(cancels_++)) {
      case Outcome::unknown:
        fail(Code::unsupported, "was recorded by a version of skelgen that did not record whether MPI_Cancel succeeded",
             "trace the program again");
      case Outcome::freed:
        outcome = kFreed;
        break;
      case Outcome::cancelled:
        outcome = mpi::value_of(mpi::CancelOutcome::cancelled);
        break;
      case Outcome::completed:
        outcome = mpi::value_of(mpi::CancelOutcome::received);
    }
  }
  trace::Event now = event;
  now.values = values;
  this->event(now);
}

/// Calls visit(position, source) for each request that the call completed: its position among the call's requests, as
/// recorded, and where its message came from; nullopt if no status was recorded.
template <class Visit>
void LocationReader::each_completed(const trace::Event& event, const Visit& visit) const {
  const auto number = [&](Role role) { return event.values[function_->find(role)].scalar; };
  const auto array = [&](Role role) { return event.values[function_->find(role)].array; };
  const int status = std::max(function_->find(Role::status), function_->find(Role::statuses));
  const auto recorded = status < 0 ? std::span<const std::int64_t>() : event.values[status].array;
  mpi::each_completed(*function_, number, array, [&](std::int64_t position, std::size_t k) {
    visit(position, 2 * k < recorded.size() ? std::optional(recorded[2 * k]) : std::nullopt);
  });
}

/// Statuses of requests that were cancelled.
void LocationReader::look_for_cancelled(const trace::Event& event) {
  if (function_->kind == Kind::request_free) cancelled_.erase(event.values[0].scalar);
  if (function_->kind != Kind::complete && function_->kind != Kind::test) return;
  const int one = function_->find(Role::request);
  const auto requests =
      one >= 0 ? std::span(&event.values[one].scalar, 1) : event.values[function_->find(Role::requests)].array;
  each_completed(event, [&](std::int64_t position, std::optional<std::int64_t> source) {
    if (position < 0 || position >= std::ssize(requests)) return;
    const auto found = cancelled_.find(requests[static_cast<std::size_t>(position)]);
    if (found == cancelled_.end()) return;
    for (const std::size_t call : found->second)
      outcomes_[call] = !source                      ? Outcome::unknown
                        : *source == mpi::kCancelled ? Outcome::cancelled
                                                     : Outcome::completed;
    cancelled_.erase(found);
  });
}

/// Requests that no call names behind the one that started them. Not of collectives: what lists of theirs hold must last.
void LocationReader::look_for_forgotten(const trace::Event& event) {
  const int one = function_->find(Role::request), some = function_->find(Role::requests);
  if (one >= 0 && function_->parameters[one].direction == Direction::out) {
    if (event.values[one].scalar != 0)
      forgotten_requests_.create(static_cast<std::uint64_t>(event.values[one].scalar),
                                 function_->kind == Kind::send || function_->kind == Kind::recv);
    return;
  }
  if (one < 0 && some < 0) return;
  const auto requests = one >= 0 ? std::span(&event.values[one].scalar, 1) : event.values[some].array;
  scratch_.assign(requests.begin(), requests.end());
  const auto complete = [&](std::int64_t position, std::optional<std::int64_t>) {
    if (position < 0 || position >= std::ssize(scratch_)) return;
    forgotten_requests_.complete(
        static_cast<std::uint64_t>(std::exchange(scratch_[static_cast<std::size_t>(position)], 0)));
  };
  if (function_->kind == Kind::request_free) complete(0, {});
  if (function_->kind == Kind::complete || function_->kind == Kind::test) each_completed(event, complete);
  for (const std::int64_t raw : scratch_) forgotten_requests_.name(static_cast<std::uint64_t>(raw));
}

/// Frees what the call completed.
void LocationReader::complete(const trace::Event& event) {
  each_completed(event, [&](std::int64_t position, std::optional<std::int64_t> source) {
    if (position == mpi::kUndefined && function_->find(Role::index) >= 0) return;
    const auto i = static_cast<std::size_t>(position);
    if (position < 0 || i >= waited_.size())
      fail_corrupt(fmt::format("completes request number {} of {}", position, waited_.size()));
    if (!requests_.complete(waited_[i])) fail_corrupt(fmt::format("completes request number {} twice", position));
    if (waited_[i].match != Requests::kNoMatch && source && *source != mpi::kCancelled)
      out_.matches[waited_[i].match].source = *source;
  });
}

}  // namespace skelgen::normalize
