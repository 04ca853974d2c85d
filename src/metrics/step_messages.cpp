// What a thread's steps say of messages.

#include <algorithm>

#include "metrics/step_maker.h"

namespace skelgen::metrics {

using mpi::Kind;

namespace {

/// Source and tag, where they are wildcards as the status says.
std::pair<int, int> name(int source, int tag, std::span<const std::int64_t> status) {
  if (status.size() != 2) return {source, tag};
  return {source == mpi::kAnySource ? static_cast<int>(status[0]) : source,
          tag == mpi::kAnyTag ? static_cast<int>(status[1]) : tag};
}

}  // namespace

bool StepMaker::post_send(int comm, std::int64_t peer, std::int64_t tag, Shared::Pending* pending) {
  if (peer < 0) return false;
  if (between(comm)) comm += 1;
  Step& sent = step(StepKind::send, event_->start.value);
  const bool blocks = event_->function->kind == Kind::send && !event_->function->nonblocking;
  sent.other = pending ? kLater : blocks ? event_->end.value : sent.at;
  if (comm < 0)
    ++shared_.unmatched.sends;
  else
    std::tie(sent.link, sent.number) = shared_.next_message(comm, static_cast<int>(peer), static_cast<int>(tag), true);
  if (pending) std::tie(pending->link, pending->number) = std::pair(sent.link, sent.number);
  return true;
}

std::uint32_t StepMaker::post_receive(int comm, std::int64_t peer, std::int64_t tag,
                                      std::span<const std::int64_t> status) {
  if (between(comm)) comm += 2;
  const auto [source, known_tag] = name(static_cast<int>(peer), static_cast<int>(tag), status);
  const std::uint32_t at = shared_.post(comm, source, known_tag);
  shared_.receives[at].posted = event_->start.value;
  return at;
}

void StepMaker::deliver(std::uint32_t at, std::span<const std::int64_t> status) {
  const Shared::Receive& receive = shared_.receives[at];
  const auto [source, tag] = name(receive.source, receive.tag, status);
  if (source == mpi::kProcNull) return shared_.forget(at);
  if (!shared_.in_doubt.empty()) shared_.take_doubtful_before(at, source, tag);
  step(StepKind::receive, event_->end.value).other = receive.posted;
  if (receive.comm >= 0 && source >= 0 && tag >= 0) return shared_.complete(at, source, tag, thread_);
  ++shared_.unmatched.receives;
  shared_.forget(at);
}

void StepMaker::send(double inside) {
  const auto& places = use_->places;
  Shared::Pending* const pending = event_->function->nonblocking ? &open(value(places.request).scalar) : nullptr;
  const bool real = post_send(comm_index(), value(places.peer[0]).scalar, value(places.tag[0]).scalar, pending);
  (real ? blocked_ : computing_) += inside;
  if (real) step(StepKind::plain, event_->end.value);
}

void StepMaker::receive(double inside) {
  const auto& places = use_->places;
  const std::int64_t source = value(places.peer[0]).scalar;
  if (source == mpi::kProcNull) {
    computing_ += inside;
    if (event_->function->nonblocking) open(value(places.request).scalar);
    return;
  }
  blocked_ += inside;
  post(source, value(places.tag[0]).scalar);
}

void StepMaker::post(std::int64_t source, std::int64_t tag) {
  const auto& places = use_->places;
  const auto status = places.status >= 0 ? value(places.status).array : std::span<const std::int64_t>();
  const std::uint32_t at = post_receive(comm_index(), source, tag, status);
  if (!event_->function->nonblocking) return deliver(at, {});
  open(value(places.request).scalar) = {.receive = true, .at = at};
  step(StepKind::plain, event_->end.value);
}

void StepMaker::exchange(double inside) {
  const auto& places = use_->places;
  const bool sent = post_send(comm_index(), value(places.peer[0]).scalar, value(places.tag[0]).scalar);
  const std::int64_t source = value(places.peer[1]).scalar;
  const bool received = source != mpi::kProcNull;
  (sent || received ? blocked_ : computing_) += inside;
  if (received) return post(source, value(places.tag[1]).scalar);
  if (event_->function->nonblocking) open(value(places.request).scalar);
  if (sent) step(StepKind::plain, event_->end.value);
}

void StepMaker::match(double inside) {
  const auto& places = use_->places;
  const std::int64_t source = value(places.peer[0]).scalar, message = value(places.message).scalar;
  blocked_ += inside;
  if (message > 1) {  // neither null nor MPI_MESSAGE_NO_PROC
    shared_.messages[message] =
        post_receive(comm_index(), source, value(places.tag[0]).scalar, value(places.status).array);
  }
  asked();
}

void StepMaker::receive_matched(double inside) {
  const auto& places = use_->places;
  const auto found = shared_.messages.find(value(places.message).scalar);
  const std::int64_t request = places.request >= 0 ? value(places.request).scalar : 0;
  blocked_ += inside;
  if (event_->function->nonblocking) {
    Shared::Pending& pending = open(request);
    if (found != shared_.messages.end()) pending = {.receive = true, .at = found->second};
    step(StepKind::plain, event_->end.value);
  } else if (found != shared_.messages.end()) {
    deliver(found->second, {});
  }
  if (found != shared_.messages.end()) shared_.messages.erase(found);
}

void StepMaker::begin(double inside) {
  const auto& places = use_->places;
  bool real = false;
  const auto requests =
      places.requests >= 0 ? value(places.requests).array : std::span(&value(places.request).scalar, 1);
  for (const std::int64_t request : requests) {
    const auto found = shared_.persistent.find(request);
    if (found == shared_.persistent.end()) continue;
    const auto& [kind, comm, peer, tag, shape] = found->second;
    auto& pending = open(request);
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
      post_send(comm, peer, tag, &pending);
    else
      pending = {.receive = true, .at = post_receive(comm, peer, tag)};
  }
  (real ? blocked_ : computing_) += inside;
  if (real) step(StepKind::plain, event_->end.value);
}

Shared::Pending& StepMaker::open(std::int64_t request) {
  auto& pending = shared_.requests[request];
  const Shared::Pending before = std::exchange(pending, {});
  // MPICH gives sends that are complete at once the same handle: nobody waits for them.
  if (before.link != kNone) sent(before, event_->start.value);
  return pending;
}

void StepMaker::sent(const Shared::Pending& pending, double at) {
  Step& sent = step(StepKind::sent, at);
  sent.link = pending.link;
  sent.number = pending.number;
}

void StepMaker::complete(double inside) {
  const auto& places = use_->places;
  blocked_ += inside;
  const std::uint64_t before = made_;
  const auto requests =
      places.requests >= 0 ? value(places.requests).array : std::span(&value(places.request).scalar, 1);
  std::vector<Shared::Pending> sends;  // behind the receives: what was waited for these is known then
  const bool done = places.flag < 0 || value(places.flag).scalar != 0;
  const auto statuses = places.statuses >= 0 ? value(places.statuses).array : std::span<const std::int64_t>();
  const auto status = [&](std::size_t k) {
    if (places.status >= 0) return value(places.status).array;
    return statuses.size() >= 2 * k + 2 ? statuses.subspan(2 * k, 2) : std::span<const std::int64_t>();
  };
  const auto one = [&](std::int64_t index, std::size_t k) {
    if (index < 0 || static_cast<std::size_t>(index) >= requests.size()) return;
    const auto found = shared_.requests.find(requests[static_cast<std::size_t>(index)]);
    if (found == shared_.requests.end()) return;
    const Shared::Pending pending = found->second;
    shared_.requests.erase(found);
    if (pending.receive) deliver(pending.at, status(k));
    if (pending.collective) leave(pending.call);
    if (pending.link != kNone) sends.push_back(pending);
  };
  const auto each = [&](const auto& visit) {
    if (done && places.indices >= 0) {
      const auto indices = value(places.indices).array;
      for (std::size_t k = 0; k < indices.size(); ++k) visit(indices[k], k);
    } else if (done && places.index >= 0) {
      visit(value(places.index).scalar, std::size_t{0});
    } else if (done) {
      for (std::size_t k = 0; k < requests.size(); ++k) visit(static_cast<std::int64_t>(k), k);
    }
  };
  if (!shared_.in_doubt.empty())
    each([&](std::int64_t index, std::size_t k) {
      if (index >= 0 && index < std::ssize(requests)) resolve(requests[static_cast<std::size_t>(index)], status(k));
    });
  each(one);
  for (const Shared::Pending& pending : sends) sent(pending, event_->end.value);
  if (made_ > before) return;
  const bool asks = event_->function->kind == Kind::test && (!done || places.indices >= 0);
  asks ? asked() : void(step(StepKind::plain, event_->end.value));
}

void StepMaker::cancel(std::int64_t request) {
  if (std::ranges::count(shared_.in_doubt, request) > 0) return;
  shared_.in_doubt.push_back(request);
  if (!shared_.knows_cancelled) shared_.take_doubtful_for_cancelled();
}

void StepMaker::resolve(std::int64_t request, std::span<const std::int64_t> status) {
  if (std::erase(shared_.in_doubt, request) == 0) return;
  const bool cancelled = status.empty() || status[0] == mpi::kCancelled;
  const auto found = shared_.requests.find(request);
  if (cancelled && found != shared_.requests.end() && found->second.receive && shared_.cancel(found->second.at))
    found->second = {};
}

void StepMaker::free(std::int64_t request) {
  shared_.persistent.erase(request);
  if (std::erase(shared_.in_doubt, request) > 0) shared_.take_for_cancelled(request);
  const auto found = shared_.requests.find(request);
  if (found == shared_.requests.end()) return;
  const Shared::Pending pending = found->second;
  shared_.requests.erase(found);
  if (pending.receive) shared_.let_go(pending.at);
  if (pending.link != kNone) sent(pending, event_->start.value);
}

}  // namespace skelgen::metrics
