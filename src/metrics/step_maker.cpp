#include "metrics/step_maker.h"

#include <algorithm>
#include <cmath>

namespace skelgen::metrics {

using mpi::Kind;

namespace {

/// Units begun; a whole number of units that rounding made a little more is that number.
double units(double number) { return std::ceil(number * (1 - 1e-12)); }

}  // namespace

void StepMaker::event(const trace::Event& event) {
  const std::uint32_t call = call_++;
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
    computing_ += event.cpu.value;
    blocked_ += (event.gap - event.cpu).value;
    passed_ = true;
    gaps_ += unit_s_ > 0 ? units(event.cpu.value / unit_s_) : 1;
  }
  event_ = &event;
  function_ = event.function;
  entered_ = event.start.value;
  use_ = &use(*event.function);
  number_ = call;
  if (kind == Kind::finalize) {
    step(StepKind::plain, event.start.value);
    ended_ = true;
    return;
  }
  dispatch(kind);
}

void StepMaker::rest() {
  if (!ended_ && use_ && passed_) step(StepKind::plain, last_end_);
}

FunctionUse& StepMaker::use(const mpi::Function& function) {
  const auto found = shared_.uses.find(&function);
  if (found != shared_.uses.end()) return found->second;
  return shared_.uses.emplace(&function, FunctionUse{Places(function), function.flow}).first->second;
}

Step& StepMaker::step(StepKind kind, double at) {
  Step step;
  step.at = at;
  step.entered = std::min(entered_, at);
  step.blocked = blocked_;
  step.computing = computing_;
  step.gaps = gaps_;
  step.call = number_;
  step.function = function_;
  step.kind = kind;
  computing_ = blocked_ = 0;
  gaps_ = 0;
  passed_ = false;
  ++made_;
  return queue_.steps.emplace_back(step);
}

void StepMaker::asked() { step(StepKind::plain, event_->end.value).asks = true; }

void StepMaker::dispatch(Kind kind) {
  const double inside = event_->end.value - event_->start.value;
  last_end_ = event_->end.value;
  switch (kind) {
    case Kind::send:
      return send(inside);
    case Kind::recv:
      return receive(inside);
    case Kind::sendrecv:
      return exchange(inside);
    case Kind::ask:
    case Kind::probe:
      blocked_ += inside;
      return asked();
    case Kind::match:
      return match(inside);
    case Kind::recv_matched:
      return receive_matched(inside);
    case Kind::send_init:
    case Kind::recv_init:
      computing_ += inside;
      shared_.persistent[value(use_->places.request).scalar] = {kind, comm_index(), value(use_->places.peer[0]).scalar,
                                                                value(use_->places.tag[0]).scalar};
      return;
    case Kind::collective_init:
      computing_ += inside;
      make_persistent_collective();
      return;
    case Kind::start:
      return begin(inside);
    case Kind::request_free:
      computing_ += inside;
      free(value(use_->places.request).scalar);
      return;
    case Kind::complete:
    case Kind::test:
      return complete(inside);
    case Kind::collective:
      return collective(inside, use_->shape);
    case Kind::win_free:
      return collective(inside, Shape::all);
    case Kind::win_fence:
      return fence(inside);
    case Kind::file_close:
    case Kind::file_collective:
      return file_collective(inside);
    case Kind::win_create:
    case Kind::file_open:
      return share(inside, kind == Kind::file_open);
    case Kind::rma:
    case Kind::win_post:
    case Kind::win_start:
    case Kind::win_complete:
    case Kind::win_wait:
    case Kind::win_local:
    case Kind::file_local:
      blocked_ += inside;
      if (event_->function->nonblocking) open(value(use_->places.request).scalar);
      step(StepKind::plain, event_->end.value);
      return;
    case Kind::comm_create:
      return create(inside);
    case Kind::cancel:
      computing_ += inside;
      return cancel(value(use_->places.request).scalar);
    default:
      computing_ += inside;
  }
}

}  // namespace skelgen::metrics
