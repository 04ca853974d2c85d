#include "metrics/rank_reader.h"

#include <algorithm>
#include <utility>

#include "metrics/rank_state.h"
#include "metrics/step_maker.h"

namespace skelgen::metrics {

struct RankReader::Thread {
  trace::Cursor cursor;
  std::unique_ptr<StepMaker> maker;
  const trace::Event* next = nullptr;  // read, not yet turned into steps
  bool over = false;
};

RankReader::RankReader(const trace::Trace& trace, Rank rank, int threads, double unit_s,
                       std::span<const std::vector<std::uint64_t>> cuts, bool matched, std::span<const LoadedCode> code)
    : shared_(std::make_unique<Shared>()) {
  shared_->matched = matched;
  shared_->code = code;
  const auto infos = trace.rank_info();
  const auto info = std::ranges::find(infos, rank, &trace::RankInfo::rank);
  shared_->knows_cancelled = info != infos.end() && info->knows_cancelled;
  shared_->queues.resize(static_cast<std::size_t>(threads));
  for (int thread = 0; thread < threads; ++thread)
    threads_.push_back({trace.read({rank, thread}),
                        std::make_unique<StepMaker>(
                            *shared_, static_cast<std::uint32_t>(thread), trace.ranks(), unit_s,
                            cuts.empty() ? std::span<const std::uint64_t>() : cuts[static_cast<std::size_t>(thread)])});
}
RankReader::~RankReader() = default;
RankReader::RankReader(RankReader&&) noexcept = default;

/// Has each thread's next call at hand.
void RankReader::look_ahead() {
  for (Thread& thread : threads_) {
    if (thread.next || thread.over) continue;
    thread.next = thread.cursor.next(*thread.maker);
    if (thread.next) continue;
    thread.over = true;
    thread.maker->finish();
  }
}

/// ReceiveOrder the call that began first into steps; false if there is none left.
bool RankReader::read() {
  look_ahead();
  Thread* first = nullptr;
  for (Thread& thread : threads_)
    if (thread.next && (!first || thread.next->start.value < first->next->start.value)) first = &thread;
  if (!first) return false;
  first->maker->event(*first->next);
  first->next = nullptr;
  return true;
}

/// All is read.
void RankReader::give_up() {
  if (std::exchange(over_, true)) return;
  shared_->take_doubtful_for_cancelled();
  for (const std::int64_t request : shared_->interpreter.active())
    for (const Pending& pending : shared_->interpreter.operations(request))
      if (pending.receive || pending.collective) ++shared_->unmatched.unfinished;
  shared_->number_the_rest();
}

const Step* RankReader::front(std::size_t thread) {
  auto& steps = shared_->queues[thread].steps;
  while (steps.empty() || steps.front().open) {
    if (read()) continue;
    give_up();
    if (steps.empty()) return nullptr;
    steps.front().open = false;
  }
  return &steps.front();
}

std::optional<std::size_t> RankReader::next() {
  while (true) {
    for (std::size_t thread = 0; thread < threads_.size(); ++thread) {
      const auto& steps = shared_->queues[thread].steps;
      if (!steps.empty() && (over_ || !steps.front().open)) return thread;
    }
    if (read()) continue;
    if (over_) return {};
    give_up();
  }
}

bool RankReader::behind_others(std::size_t thread) {
  if (threads_.size() == 1 || !shared_->queues[thread].steps.empty()) return false;
  look_ahead();
  const trace::Event* const own = threads_[thread].next;
  return own && std::ranges::any_of(threads_, [&](const Thread& other) {
           return other.next && other.next->start.value < own->start.value;
         });
}

double RankReader::earliest(std::size_t thread) {
  if (behind_others(thread)) return threads_[thread].next->start.value;
  const Step* const step = front(thread);
  return step ? step->at : 0;
}

void RankReader::pop(std::size_t thread) {
  Queue& queue = shared_->queues[thread];
  queue.steps.pop_front();
  ++queue.taken;
}

double RankReader::start(std::size_t thread) const { return threads_[thread].maker->start(); }
const std::vector<CommIdentity>& RankReader::comms() const { return shared_->comms; }
const std::vector<Channel>& RankReader::channels() const { return shared_->channels; }
std::uint32_t RankReader::collectives(std::size_t comm) const { return shared_->collectives[comm]; }
const std::vector<int>& RankReader::sources(std::size_t comm) const { return shared_->sources[comm]; }
const Unmatched& RankReader::unmatched() const { return shared_->unmatched; }
void RankReader::drop_channel(std::uint32_t channel) { shared_->drop(channel); }

std::vector<RankReader> rank_readers(const trace::Trace& trace, double unit_s, const Cuts& cuts,
                                     const CallSites& sites) {
  std::vector<RankReader> result;
  std::size_t first = 0;
  for (const auto& rank : trace.rank_info()) {
    const auto threads = static_cast<std::size_t>(rank.threads);
    result.emplace_back(trace, rank.rank, rank.threads, unit_s,
                        cuts.empty() ? std::span(cuts) : std::span(cuts).subspan(first, threads), true,
                        sites.code(result.size()));
    first += threads;
  }
  return result;
}

}  // namespace skelgen::metrics
