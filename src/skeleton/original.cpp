#include <algorithm>

#include "skeleton/skeleton.h"
#include "support/error.h"

namespace skelgen::skeleton {
namespace {

/// The calls of one exchange as they come, until all of them are there.
class Exchange {
 public:
  explicit Exchange(const std::function<bool(const OriginalCall&)>& visit) : visit_(visit) {}

  bool empty() const { return calls_.empty(); }

  /// False: the visitor wants no more.
  bool add(const ExpandedCall& call) {
    const mpi::Function& function = *call.call->function;
    if (call.order < 1) fail();
    if (function.kind == mpi::Kind::complete) {
      finish_receive(function, call);
      return ++waits_ < receives_ || all();
    }
    if (waits_ > 0) fail();
    const auto place = static_cast<std::size_t>(call.order) - 1;
    if (place >= kMost || (place < calls_.size() && calls_[place].function)) fail();
    if (calls_.size() <= place) calls_.resize(place + 1);
    calls_[place] = {&function, {call.values.begin(), call.values.end()}};
    receives_ += function.kind == mpi::Kind::recv;
    return true;
  }

  [[noreturn]] void fail() const { throw Error(Code::internal, "a reordered exchange that is not complete"); }

 private:
  static constexpr std::size_t kMost = std::size_t{1} << 20;

  struct Made {
    const mpi::Function* function = nullptr;
    std::vector<std::int64_t> values;
  };

  /// A receive that was started and its wait were one call: what the latter says stands in one of the former.
  void finish_receive(const mpi::Function& wait, const ExpandedCall& call) {
    const auto place = static_cast<std::size_t>(call.order) - 1;
    if (place >= calls_.size() || !calls_[place].function || calls_[place].function->kind != mpi::Kind::recv) fail();
    Made& half = calls_[place];
    const auto whole = std::ranges::find(mpi::functions(), half.function->id, &mpi::Function::later);
    if (whole == mpi::functions().end()) fail();
    const int request = half.function->find(mpi::Role::request), waited = wait.find(mpi::Role::request);
    if (request < 0 || waited < 0 || half.values[static_cast<std::size_t>(request)] != call.values[waited]) fail();
    std::vector<std::int64_t> values;
    for (const mpi::Parameter& parameter : whole->parameters) {
      const int started = half.function->find(parameter.role), ended = wait.find(parameter.role);
      if (started < 0 && ended < 0) fail();
      values.push_back(started >= 0 ? half.values[static_cast<std::size_t>(started)]
                                    : call.values[static_cast<std::size_t>(ended)]);
    }
    half = {&*whole, std::move(values)};
  }

  bool all() {
    for (const Made& made : calls_)
      if (!made.function) fail();
    for (const Made& made : calls_)
      if (!visit_({made.function, made.values})) return false;
    calls_.clear();
    receives_ = waits_ = 0;
    return true;
  }

  const std::function<bool(const OriginalCall&)>& visit_;
  std::vector<Made> calls_;  // by place
  std::size_t receives_ = 0, waits_ = 0;
};

}  // namespace

void expand_original(const Skeleton& skeleton, std::uint32_t l, const std::function<bool(const OriginalCall&)>& visit) {
  Exchange exchange(visit);
  bool more = true;
  expand(skeleton, l, [&](const ExpandedCall& call) {
    more = call.order == 0 && exchange.empty() ? visit({call.call->function, call.values}) : exchange.add(call);
    return more;
  });
  if (more && !exchange.empty()) exchange.fail();
}

}  // namespace skelgen::skeleton
