#include "threads/loops.h"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>
#include <tuple>
#include <unordered_map>

#include "fold/around.h"
#include "fold/fold.h"
#include "fold/joint.h"
#include "support/parallel.h"

namespace skelgen::threads {
namespace {

using Symbols = std::vector<fold::Symbol>;

/// Texts of all threads, in symbols that they share.
class Texts {
 public:
  Texts(const Run& run, const Matching& matching) : run_(run), data_(carries_data(run)) {
    for (std::uint32_t t = 0; t < run.threads.size(); ++t) count_objects(t);
    for (std::uint32_t t = 0; t < run.threads.size(); ++t) add(t, matching);
  }

  std::vector<Symbols> texts;
  std::vector<std::vector<std::uint32_t>> events;  ///< by thread and symbol of its text: which event it is

 private:
  using Statement = std::tuple<std::uint32_t, Action, std::uint32_t>;  // thread, action, site

  void count_objects(std::uint32_t t) {
    for (const auto& event : run_.threads[t].events) {
      auto& [objects, count] = objects_[{t, event.action, event.site}];
      objects.insert(event.object);
      ++count;
    }
  }

  bool is_left_out(const Event& event) const {
    if (is_life(event.action)) return false;
    const auto primitive = run_.objects[event.object].primitive;
    return data_[event.object] || primitive == Primitive::futex;
  }

  void add(std::uint32_t t, const Matching& matching) {
    auto& text = texts.emplace_back();
    auto& numbers = events.emplace_back();
    const auto& all = run_.threads[t].events;
    for (std::uint32_t e = 0; e < all.size(); ++e) {
      const auto& event = all[e];
      if (matching.in_wait[t][e] || is_left_out(event)) continue;
      const auto& [objects, count] = objects_[{t, event.action, event.site}];
      const bool any = is_life(event.action) || (objects.size() > 1 && 2 * objects.size() > count);
      const std::array<std::uint32_t, 3> key{static_cast<std::uint32_t>(event.action), event.site,
                                             any ? 0xffffffff : event.object};
      text.push_back(symbols_.try_emplace(key, static_cast<fold::Symbol>(symbols_.size())).first->second);
      numbers.push_back(e);
    }
  }

  const Run& run_;
  std::vector<bool> data_;
  std::map<Statement, std::pair<std::set<std::uint32_t>, std::size_t>> objects_;
  std::map<std::array<std::uint32_t, 3>, fold::Symbol> symbols_;
};

/// The cheapest of the foldings of one text.
fold::Program cheapest_folding(const Symbols& text) {
  constexpr int kAnchors = 3;                                // sets of them that are tried
  constexpr std::size_t kMostAtOnce = std::size_t{1} << 22;  // longer texts are folded as they come
  auto best = fold::fold(text, text.size() <= kMostAtOnce ? fold::Mode::best : fold::Mode::stream);
  const std::set<fold::Symbol> different(text.begin(), text.end());
  if (fold::length(best) <= different.size() || text.size() > kMostAtOnce) return best;
  const auto take = [&](fold::Program&& other) {
    if (fold::cost(other) < fold::cost(best)) best = std::move(other);
  };
  const std::vector<Symbols> texts{text};
  fold::Around around(texts);
  for (int i = 0; i < kAnchors; ++i) {
    auto programs = around.next();
    if (!programs) break;
    take(std::move(programs->front()));
  }
  if (auto joint = fold::fold_jointly(texts).programs) take(std::move(joint->front()));
  return best;
}

std::string code_of(std::span<const fold::Node> body) {
  std::string code;
  for (const auto& node : body) {
    if (!node.is_loop()) {
      code += std::to_string(node.symbol) + ' ';
    } else {
      code += "(" + code_of(node.body.vector()) + ") ";
    }
  }
  return code;
}

/// Walks the folded program of a thread in order of execution.
class Walk {
 public:
  Walk(std::uint32_t thread, const Symbols& text, const std::vector<std::uint32_t>& events, std::size_t all_events)
      : thread_(thread), text_(text), events_(events), all_events_(all_events) {}

  /// Loops of this thread, the thread itself first; owner: of each event of the thread.
  std::vector<Loop> loops;
  std::vector<std::uint32_t> owner;

  void run(const fold::Program& program) {
    loops.push_back({thread_, kNoLoop, {}, {}});
    in_text_.assign(text_.size(), 0);
    execute(program, 0);
    for (std::uint32_t loop = 1; loop < loops.size(); ++loop) complete(loop);
    number_events();
  }

 private:
  /// While walking and completing, an Activation is in positions of the text.
  void execute(std::span<const fold::Node> body, std::uint32_t parent) {
    for (const auto& node : body) {
      if (!node.is_loop()) {
        in_text_[at_++] = parent;
        continue;
      }
      const auto trips = node.each.empty() ? node.trips : node.each[executions_[&node]++];
      if (trips == 0) continue;
      if (!is_repeated(node)) {
        for (std::uint64_t i = 0; i < trips; ++i) execute(node.body.vector(), parent);
        continue;
      }
      const auto loop = number_of(node, parent);
      Activation activation;
      activation.first = static_cast<std::uint32_t>(at_);
      for (std::uint64_t i = 0; i < trips; ++i) {
        activation.iterations.push_back(static_cast<std::uint32_t>(at_));
        execute(node.body.vector(), loop);
      }
      activation.last = static_cast<std::uint32_t>(at_ - 1);
      loops[loop].activations.push_back(std::move(activation));
    }
  }

  /// Not what is done or not, and now and then twice.
  static bool is_repeated(const fold::Node& node) {
    constexpr double kFewestTrips = 1.25;  // each time, on average
    if (node.each.empty()) return node.trips > 1;
    std::uint64_t sum = 0, times = 0;
    for (const auto trips : node.each) sum += trips, times += trips > 0;
    return static_cast<double>(sum) >= kFewestTrips * static_cast<double>(times);
  }

  std::uint32_t number_of(const fold::Node& node, std::uint32_t parent) {
    if (const auto known = of_node_.find(&node); known != of_node_.end()) return known->second;
    auto code = code_of(node.body.vector());
    const auto [found, fresh] = of_code_.try_emplace({parent, code}, static_cast<std::uint32_t>(loops.size()));
    if (fresh) loops.push_back({thread_, parent, std::move(code), {}});
    return of_node_[&node] = found->second;
  }

  /// Takes what stands beside each activation and goes on, or begins, like the body.
  void complete(std::uint32_t loop) {
    const auto parent = loops[loop].parent;
    std::size_t before = 0;  // what is behind the activation before this one
    for (auto& activation : loops[loop].activations) {
      const auto& iterations = activation.iterations;
      const auto second = iterations.size() > 1 ? iterations[1] : activation.last + 1;
      const std::size_t first_length = second - activation.first, last_begin = iterations.back();
      const std::size_t last_length = activation.last + 1 - last_begin;
      std::size_t more = 0;
      while (more + 1 < first_length && activation.last + 1 + more < text_.size() &&
             in_text_[activation.last + 1 + more] == parent && in_text_[activation.first + more] == loop &&
             text_[activation.last + 1 + more] == text_[activation.first + more])
        ++more;
      std::size_t less = 0;
      while (less + 1 < last_length && activation.first >= before + less + 1 &&
             in_text_[activation.first - less - 1] == parent && in_text_[activation.last - less] == loop &&
             text_[activation.first - less - 1] == text_[activation.last - less])
        ++less;
      std::fill_n(in_text_.begin() + activation.last + 1, more, loop);
      std::fill_n(in_text_.begin() + static_cast<std::ptrdiff_t>(activation.first - less), less, loop);
      activation.ends_inside = more > 0;
      activation.begins_inside = less > 0;
      if (more) activation.iterations.push_back(activation.last + 1);
      activation.first -= static_cast<std::uint32_t>(less);
      activation.last += static_cast<std::uint32_t>(more);
      if (less) activation.iterations.insert(activation.iterations.begin(), activation.first);
      before = activation.last + 1;
    }
  }

  void number_events() {
    for (auto& loop : loops)
      for (auto& one : loop.activations) {
        one.first = events_[one.first];
        one.last = events_[one.last];
        for (auto& begin : one.iterations) begin = events_[begin];
      }
    owner.assign(all_events_, 0);
    for (std::size_t i = 0; i < events_.size(); ++i) {
      const auto next = i + 1 < events_.size() ? events_[i + 1] : all_events_;
      for (std::size_t e = events_[i]; e < next; ++e) owner[e] = in_text_[i];
    }
    if (all_events_ == 0) return;
    auto& thread = loops.front().activations.emplace_back();
    thread.last = static_cast<std::uint32_t>(all_events_ - 1);
    thread.iterations = {0};
  }

  std::uint32_t thread_;
  const Symbols& text_;
  const std::vector<std::uint32_t>& events_;
  std::size_t all_events_, at_ = 0;
  std::vector<std::uint32_t> in_text_;  // by position: the innermost loop
  std::unordered_map<const fold::Node*, std::size_t> executions_;
  std::unordered_map<const fold::Node*, std::uint32_t> of_node_;
  std::map<std::pair<std::uint32_t, std::string>, std::uint32_t> of_code_;
};

}  // namespace

std::span<const std::uint32_t> Activation::whole() const {
  const std::size_t from = begins_inside ? 1 : 0;
  return std::span(iterations).subspan(from, iterations.size() - from - (ends_inside ? 1 : 0));
}

std::uint64_t Loop::trips() const {
  return std::accumulate(activations.begin(), activations.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const Activation& one) { return sum + one.whole().size(); });
}

Loops find_loops(const Run& run, const Matching& matching) {
  const Texts texts(run, matching);
  std::vector<Walk> walks;
  for (std::uint32_t t = 0; t < run.threads.size(); ++t)
    walks.emplace_back(t, texts.texts[t], texts.events[t], run.threads[t].events.size());
  // Threads that did the same share their program: its nodes know their executions by walk.
  std::map<Symbols, std::size_t> first;
  std::vector<std::size_t> alike(walks.size()), different;
  for (std::size_t t = 0; t < walks.size(); ++t) {
    const auto [found, fresh] = first.try_emplace(texts.texts[t], different.size());
    if (fresh) different.push_back(t);
    alike[t] = found->second;
  }
  std::vector<fold::Program> programs(different.size());
  parallel_for(different.size(), [&](std::size_t i) { programs[i] = cheapest_folding(texts.texts[different[i]]); });
  Loops loops;
  for (std::size_t t = 0; t < walks.size(); ++t) {
    auto& walk = walks[t];
    walk.run(programs[alike[t]]);
    const auto base = static_cast<std::uint32_t>(loops.all.size());
    for (auto& loop : walk.loops) {
      if (loop.parent != kNoLoop) loop.parent += base;
      loops.all.push_back(std::move(loop));
    }
    for (auto& owner : walk.owner) owner += base;
    loops.owner.push_back(std::move(walk.owner));
  }
  return loops;
}

}  // namespace skelgen::threads
