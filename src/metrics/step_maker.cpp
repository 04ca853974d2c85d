#include "metrics/step_maker.h"

#include <algorithm>
#include <cmath>

namespace skelgen::metrics {

using mpi::Kind;

namespace {

/// Units that are over; a whole number of units that rounding made a little less is that number.
double units(double number) { return std::floor(number * (1 + 1e-12)); }

}  // namespace

void StepMaker::event(const trace::Event& event) {
  const std::uint32_t call = calls_++;
  if (ended_) return;
  if (!cuts_.empty() && call >= cuts_.front()) {
    rest();
    while (!cuts_.empty() && call >= cuts_.front()) cuts_ = cuts_.subspan(1);
  }
  const Kind kind = event.function->kind;
  if (!started_ && thread_ == 0) {
    const bool local = kind == Kind::environment || kind == Kind::local || kind == Kind::opaque;
    started_ = kind == Kind::init || !local;
    start_ = kind == Kind::init || local ? event.end.value : event.start.value;
    opened_ = kind == Kind::init;
    if (opened_ || local) return;
    computing_ = 0;
  } else {
    // Between MPI_Init and the first gap the tracer measures the processor's speed.
    const bool first = !std::exchange(started_, true);
    if (std::exchange(opened_, false) || first) start_ = (event.start - event.gap).value;
    const double computing = (event.cpu - event.thread_wait).value;
    computing_ += computing;
    blocked_ += event.gap.value - computing;
    without_core_ += (event.gap - event.cpu).value;
    passed_ = true;
    computed_ += computing;
    const double events = unit_s_ > 0 ? units(computed_ / unit_s_) : events_ + 1;
    gaps_ += events - std::exchange(events_, events);
  }
  event_ = &event;
  function_ = event.function;
  entered_ = event.start.value;
  call_ = {event.function, event.values};
  number_ = call;
  site_ = shared_.code.empty() ? 0 : CallSites::number(shared_.code, event.site);
  if (kind == Kind::finalize) {
    step(StepKind::plain, event.start.value);
    ended_ = true;
    return;
  }
  dispatch(kind);
}

void StepMaker::rest() {
  if (!ended_ && function_ && passed_) step(StepKind::plain, last_end_);
}

Step& StepMaker::step(StepKind kind, double at) {
  Step& step = queue_.steps.add();
  step.at = at;
  step.entered = std::min(entered_, at);
  step.computing = computing_;
  step.blocked = blocked_;
  step.local = local_;
  step.without_core = without_core_;
  step.bytes = 0;
  step.gaps = gaps_;
  step.function = function_;
  step.site = site_;
  step.call = number_;
  step.link = kNone;
  step.number = 0;
  step.root = -1;
  step.shape = Shape::all;
  step.kind = kind;
  step.asks = step.completes = step.open = step.may_end_early = false;
  computing_ = blocked_ = local_ = without_core_ = 0;
  gaps_ = 0;
  passed_ = false;
  return step;
}

Step& StepMaker::end(StepKind kind) {
  ++ended_steps_;
  return step(kind, event_->end.value);
}

void StepMaker::account() {
  if (std::exchange(accounted_, true)) return;
  const double inside = event_->end.value - event_->start.value;
  blocked_ += inside;
  if (!real_) local_ += inside;
}

void StepMaker::dispatch(Kind kind) {
  last_end_ = event_->end.value;
  real_ = accounted_ = false;
  const std::uint64_t before = ended_steps_;
  switch (kind) {
    case Kind::ask:
    case Kind::probe:
      real_ = true;
      account();
      return asked();
    case Kind::rma:
    case Kind::win_post:
    case Kind::win_start:
    case Kind::win_complete:
    case Kind::win_wait:
    case Kind::win_local:
    case Kind::file_local:
    case Kind::detach:  // it waits until all that was buffered is sent
      real_ = true;
      if (function_->nonblocking) shared_.interpreter.begin(call_, *this, [] { return Pending(); });
      break;
    case Kind::match:
    case Kind::recv_matched:
      real_ = true;
      shared_.interpreter.call(call_, *this);
      account();
      if (kind == Kind::match) return asked();
      break;
    case Kind::complete:
    case Kind::test:
      real_ = true;
      account();
      if (!shared_.in_doubt.empty())
        engine::each_completed(call_, [&](std::int64_t request, std::size_t k) { resolve(request, status(k)); });
      shared_.interpreter.call(call_, *this);
      end_messages();
      if (ended_steps_ == before && kind == Kind::test && (!call_.found() || call_.has(mpi::Role::indices)))
        return asked();
      break;
    case Kind::request_free:
      account();
      if (const auto request = call_.number(mpi::Role::request); std::erase(shared_.in_doubt, request) > 0)
        shared_.take_for_cancelled(request);
      return shared_.interpreter.call(call_, *this);
    case Kind::cancel:
      account();
      return cancel(call_.number(mpi::Role::request));
    case Kind::comm_create:
      create();
      break;
    case Kind::win_create:
    case Kind::file_open:
      share();
      break;
    case Kind::send:
    case Kind::recv:
    case Kind::sendrecv:
    case Kind::send_init:
    case Kind::recv_init:
    case Kind::collective_init:
    case Kind::start:
    case Kind::collective:
    case Kind::win_free:
    case Kind::win_fence:
    case Kind::file_close:
    case Kind::file_collective:
      shared_.interpreter.call(call_, *this);
      break;
    case Kind::opaque:
      real_ = !function_->harmless;  // of those that may wait, such as MPI_Comm_connect, it is not known for whom
      break;
    default:
      break;
  }
  account();
  end_messages();
  if (real_ && ended_steps_ == before) end(StepKind::plain);
}

}  // namespace skelgen::metrics
