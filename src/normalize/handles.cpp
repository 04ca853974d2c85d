#include "normalize/handles.h"

#include <algorithm>
#include <utility>

namespace skelgen::normalize {

// Identities: the parent's, how-many-th creating call on the parent, and the leader tell communicators of a run apart,
// and all members know them.
namespace {
constexpr std::uint64_t kWorldIdentity = 1, kSelfIdentity = 2, kMade = 3, kBetween = 4;
}

Communicators::Communicators(int thread, Predefined& predefined, std::vector<Communicator>& listed)
    : first_thread_(thread == 0), predefined_(predefined), listed_(listed) {
  if (first_thread_) {
    predefined_.comms.clear();
    return;
  }
  for (const auto& definition : predefined_.comms) {
    live_[definition.handle].is.slot = slots_.take();
    list(definition,
         listed_.empty() ? kWorldIdentity : mix(kSelfIdentity, static_cast<std::uint64_t>(definition.leader)));
  }
}

Communicators::Comm* Communicators::find(std::uint64_t raw) {
  const auto found = live_.find(raw);
  return found == live_.end() ? nullptr : &found->second;
}

std::int64_t Communicators::create(Comm* parent, std::uint64_t raw, std::shared_ptr<const mpi::Grid> grid,
                                   std::uint64_t key) {
  if (!parent) return take(raw, 0);
  const std::uint64_t from = parent->is.all();
  const std::int64_t slot = take(
      raw, key ? mix(mix(from, key), ++parent->creations_by_some[key]) : mix(mix(from, kMade), ++parent->creations));
  if (slot >= 0) live_[raw].is.grid = std::move(grid);
  return slot;
}

std::int64_t Communicators::create_between(std::uint64_t raw, std::uint64_t key) {
  return take(raw, mix(kBetween, key));
}

std::int64_t Communicators::take(std::uint64_t raw, std::uint64_t identity) {
  pending_identity_ = identity;
  pending_raw_ = raw;
  if (raw == 0) return -1;
  Comm& comm = live_[raw] = {};
  comm.is.slot = slots_.take();
  return comm.is.slot;
}

bool Communicators::define(const trace::CommDefinition& definition) {
  if (definition.handle == pending_raw_ && pending_raw_ != 0) {
    pending_raw_ = 0;
    list(definition,
         definition.inter ? pending_identity_ : mix(pending_identity_, static_cast<std::uint64_t>(definition.leader)));
    return true;
  }
  if (live_.contains(definition.handle)) return true;  // said again
  if (!first_thread_ || predefined_.comms.size() == 2) return false;
  live_[definition.handle].is.slot = slots_.take();
  list(definition,
       predefined_.comms.empty() ? kWorldIdentity : mix(kSelfIdentity, static_cast<std::uint64_t>(definition.leader)));
  predefined_.comms.push_back(definition);
  return true;
}

bool Communicators::define(const trace::NeighbourDefinition& definition) {
  Comm* const comm = find(definition.handle);
  if (!comm) return false;
  comm->is.sources = static_cast<std::int64_t>(definition.sources.size());
  comm->is.destinations = static_cast<std::int64_t>(definition.destinations.size());
  const auto listed = std::ranges::find(listed_.rbegin(), listed_.rend(), comm->is.slot, &Communicator::slot);
  if (listed != listed_.rend()) *listed = comm->is;
  return true;
}

namespace {
std::uint64_t pair(int leader, int size) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(leader)) << 32 | static_cast<std::uint32_t>(size);
}
}  // namespace

void Communicators::list(const trace::CommDefinition& definition, std::uint64_t identity) {
  Communicator& is = live_[definition.handle].is;
  is.size = definition.size;
  is.rank = definition.rank;
  is.identity = identity;
  if (is.grid && (definition.inter || is.grid->ranks() != is.size)) is.grid.reset();  // not what MPI makes
  if (definition.inter) {
    // What both groups know: the leaders and sizes of both, the lower leader's first.
    const auto own = pair(definition.leader, definition.size);
    const auto other = pair(definition.remote_leader, definition.remote_size);
    std::uint64_t whole = mix(mix(identity, std::min(own, other)), std::max(own, other));
    whole = mix(whole, ++between_[whole]);
    is.identity = mix(whole, own);
    is.remote = mix(whole, other);
    is.remote_size = definition.remote_size;
  }
  listed_.push_back(is);
}

void Communicators::free(std::uint64_t raw) {
  const auto found = live_.find(raw);
  if (found == live_.end()) return;
  slots_.give(found->second.is.slot);
  live_.erase(found);
}

void ForgottenRequests::create(std::uint64_t raw, bool may) {
  if (may) live_[raw].requests.push_back(forgotten_.size());
  forgotten_.push_back(false);
}

void ForgottenRequests::name(std::uint64_t raw) {
  if (const auto found = live_.find(raw); found != live_.end()) found->second.named = found->second.requests.size();
}

void ForgottenRequests::complete(std::uint64_t raw) {
  const auto found = live_.find(raw);
  if (found == live_.end() || found->second.requests.empty()) return;
  found->second.requests.pop_back();
  found->second.named = std::min(found->second.named, found->second.requests.size());
}

std::vector<bool> ForgottenRequests::take() {
  for (const auto& [raw, live] : live_)
    for (std::size_t i = live.named; i < live.requests.size(); ++i) forgotten_[live.requests[i]] = true;
  return std::move(forgotten_);
}

int Requests::create(std::uint64_t raw, const Request& is, std::uint64_t call, std::vector<SharedRequest>& shared) {
  Queue& queue = queues_[raw];
  const bool known = !queue.empty() || queue.forgotten;
  const std::uint64_t first = !queue.empty() ? queue.requests[queue.begin].first : queue.forgotten.value_or(call);
  if (known) shared.push_back({call, first});
  if (is.forgotten) {
    const int slot = slots_.take();
    slots_.give(slot);
    queue.forgotten = first;
    ++forgotten_;
    return slot;
  }
  Request& made = queue.requests.emplace_back(is);
  made.slot = slots_.take();
  made.raw = raw;
  made.first = first;
  return made.slot;
}

bool Requests::find(std::span<const std::int64_t> raw, std::uint64_t call, std::vector<Request>& found) {
  found.clear();
  for (const std::int64_t one : raw) {
    if (one == 0) {
      found.push_back({});
      continue;
    }
    const auto at = queues_.find(static_cast<std::uint64_t>(one));
    if (at == queues_.end()) return false;
    Queue& queue = at->second;
    if (queue.call != call) queue.call = call, queue.taken = 0;
    if (queue.begin + queue.taken == queue.requests.size()) return false;
    found.push_back(queue.requests[queue.begin + queue.taken++]);
  }
  return true;
}

bool Requests::free(const Request& request) {
  if (request.slot < 0) return true;
  Queue& queue = queues_[request.raw];
  auto& all = queue.requests;
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(queue.begin);
  const auto at = std::find_if(first, all.end(), [&](const Request& one) { return one.slot == request.slot; });
  if (at == all.end()) return false;
  slots_.give(request.slot);
  if (at != first) {
    all.erase(at);
  } else if (2 * ++queue.begin >= all.size()) {  // the oldest one, as a rule: no need to move the others each time
    all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(queue.begin));
    queue.begin = 0;
  }
  return true;
}

std::size_t Requests::open() const {
  std::size_t all = forgotten_;
  for (const auto& [raw, queue] : queues_)
    for (std::size_t i = queue.begin; i < queue.requests.size(); ++i) all += !queue.requests[i].persistent;
  return all;
}

std::int64_t SharedObjects::create(Communicators::Comm& parent, std::uint64_t raw, std::uint64_t kind, bool dynamic) {
  const std::uint64_t made = ++parent.creations_by_some[kind];
  if (raw == 0) return -1;
  Communicators::Comm& own = live_[raw] = {};
  own.is = parent.is;
  own.is.grid.reset();
  own.is.slot = slots_.take();
  own.is.identity = mix(mix(parent.is.identity, kind), made);
  own.dynamic = dynamic;
  listed_.push_back(own.is);
  return own.is.slot;
}

Communicators::Comm* SharedObjects::find(std::uint64_t raw) {
  const auto found = live_.find(raw);
  return found == live_.end() ? nullptr : &found->second;
}

void SharedObjects::free(std::uint64_t raw) {
  const auto found = live_.find(raw);
  if (found == live_.end()) return;
  slots_.give(found->second.is.slot);
  live_.erase(found);
}

std::int64_t ProbedMessages::create(std::uint64_t raw) {
  if (raw == 0 || raw == kNoProc) return raw ? mpi::kMessageNoProc : -1;
  return live_[raw] = slots_.take();
}

bool ProbedMessages::receive(std::uint64_t raw, std::int64_t& slot) {
  slot = raw ? mpi::kMessageNoProc : -1;
  if (raw == 0 || raw == kNoProc) return true;
  const auto found = live_.find(raw);
  if (found == live_.end()) return false;
  slot = found->second;
  slots_.give(found->second);
  live_.erase(found);
  return true;
}

void Groups::define(const trace::GroupDefinition& definition) {
  live_[definition.handle].members.assign(definition.members.begin(), definition.members.end());
}

std::int64_t Groups::create(std::uint64_t raw) {
  if (raw == 0) return -1;
  live_[raw].slots.push_back(slots_.take());
  return live_[raw].slots.back();
}

std::int64_t Groups::find(std::uint64_t raw) const {
  const auto found = live_.find(raw);
  return found == live_.end() || found->second.slots.empty() ? -1 : found->second.slots.front();
}

std::int64_t Groups::free(std::uint64_t raw) {
  const std::int64_t slot = find(raw);
  const auto found = live_.find(raw);
  if (slot >= 0) {
    found->second.slots.erase(found->second.slots.begin());
    slots_.give(static_cast<int>(slot));
  }
  // Nothing may be known of a handle that is used again later; the empty group is no handle that is used again.
  if (found != live_.end() && found->second.slots.empty() && !found->second.members.empty()) live_.erase(found);
  return slot;
}

const std::vector<std::int64_t>* Groups::members(std::uint64_t raw) const {
  const auto found = live_.find(raw);
  return found == live_.end() ? nullptr : &found->second.members;
}

}  // namespace skelgen::normalize
