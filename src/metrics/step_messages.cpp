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

void StepMaker::datatype(const trace::DatatypeDefinition& definition) {
  shared_.type_bytes[definition.handle] = static_cast<double>(definition.size);
  shared_.last_type = {-1, 0};
}

/// See Step::bytes.
double StepMaker::bytes_of(const mpi::Function& how, const engine::MessageSize& size) const {
  if (how.mode == mpi::Mode::synchronous) return kSynchronous;
  if (how.mode != mpi::Mode::standard) return kNobodyWaits;
  if (size.count <= 0) return 0;
  if (auto& [type, bytes] = shared_.last_type; type != size.datatype) {
    const auto known = shared_.type_bytes.find(static_cast<std::uint64_t>(size.datatype));
    type = size.datatype;
    bytes = known == shared_.type_bytes.end() ? 0 : known->second;
  }
  return static_cast<double>(size.count) * shared_.last_type.second;
}

Pending StepMaker::send(int comm, std::int64_t dest, std::int64_t tag, const mpi::Function& how,
                        const engine::MessageSize& size) {
  if (dest < 0) return {};
  real_ = true;
  if (between(comm)) comm += 1;
  Step& sent = step(StepKind::send, event_->start.value);
  if (comm < 0) {
    ++shared_.unmatched.sends;
    return {};
  }
  std::tie(sent.link, sent.number) = shared_.next_message(comm, static_cast<int>(dest), static_cast<int>(tag), true);
  const double bytes = bytes_of(how, size);
  sent.completes = begins_later() || bytes > kLeastBytes ||
                   (bytes != kNobodyWaits && event_->end.value - event_->start.value >= kLeastWait);
  return sent.completes ? Pending{.link = sent.link, .number = sent.number, .bytes = bytes} : Pending();
}

Pending StepMaker::receive(int comm, std::int64_t source, std::int64_t tag, const engine::MessageSize&) {
  if (source == mpi::kProcNull) return {};
  real_ = true;
  if (between(comm)) comm += 2;
  const std::uint32_t at = shared_.post(comm, static_cast<int>(source), static_cast<int>(tag));
  shared_.receives[at].posted = event_->start.value;
  if (begins_later() && function_->kind != Kind::match) posts_.push_back(at);
  return {.receive = true, .at = at};
}

/// The message was matched before.
void StepMaker::take(const Pending& pending) {
  if (pending.receive && function_->nonblocking) posts_.push_back(pending.at);
}

void StepMaker::wait(const Pending& pending) {
  account();
  if (pending.receive) deliver(pending.at, {});
  if (pending.collective) leave(pending.call);
  if (pending.link != kNone) sends_.push_back(pending);
}

void StepMaker::complete(const Request& request) {
  for (const Pending& pending : request.operations) {
    if (pending.receive) deliver(pending.at, status(request.status));
    if (pending.collective) leave(pending.call);
    if (pending.link != kNone) sends_.push_back(pending);
  }
}

std::span<const std::int64_t> StepMaker::status(std::size_t k) const {
  if (call_.has(mpi::Role::status)) return call_.array(mpi::Role::status);
  const auto all = call_.array(mpi::Role::statuses);
  return all.size() >= 2 * k + 2 ? all.subspan(2 * k, 2) : std::span<const std::int64_t>();
}

void StepMaker::abandon(const Pending& pending) {
  // MPICH gives sends that are complete at once the same handle: nobody waits for them.
  if (pending.link != kNone) sent({.link = pending.link, .number = pending.number}, event_->start.value);
  if (pending.receive) shared_.let_go(pending.at);
}

void StepMaker::deliver(std::uint32_t at, std::span<const std::int64_t> status) {
  const Shared::Receive& receive = shared_.receives[at];
  const auto [source, tag] = name(receive.source, receive.tag, status);
  if (source == mpi::kProcNull) return shared_.forget(at);
  if (!shared_.in_doubt.empty()) shared_.take_doubtful_before(at, source, tag);
  if (Step& step = end(StepKind::receive); receive.before) step.root = static_cast<std::int32_t>(at);
  if (receive.comm >= 0 && source >= 0 && tag >= 0) return shared_.complete(at, source, tag, thread_);
  ++shared_.unmatched.receives;
  shared_.forget(at);
}

void StepMaker::sent(const Pending& pending, double at) {
  Step& sent = step(StepKind::sent, at);
  sent.link = pending.link;
  sent.number = pending.number;
  sent.bytes = pending.bytes;
}

void StepMaker::end_messages() {
  for (const std::uint32_t at : posts_) {
    Step& post = end(StepKind::post);
    Shared::Receive& receive = shared_.receives[at];
    receive.before = true;
    post.root = static_cast<std::int32_t>(at);
    if (!receive.numbered || !shared_.matched) continue;
    post.link = receive.channel;
    post.number = shared_.number_of(receive);
    shared_.channels[receive.channel].posted = true;
  }
  posts_.clear();
  for (const Pending& pending : sends_) sent(pending, event_->end.value);
  ended_steps_ += sends_.size();
  sends_.clear();
}

void StepMaker::cancel(std::int64_t request) {
  if (std::ranges::count(shared_.in_doubt, request) > 0) return;
  shared_.in_doubt.push_back(request);
  if (!shared_.knows_cancelled) shared_.take_doubtful_for_cancelled();
}

void StepMaker::resolve(std::int64_t request, std::span<const std::int64_t> status) {
  if (std::erase(shared_.in_doubt, request) == 0) return;
  if (status.empty() || status[0] == mpi::kCancelled) shared_.take_for_cancelled(request);
}

}  // namespace skelgen::metrics
