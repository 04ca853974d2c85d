#include "text/parse_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "skeleton/groups.h"
#include "skeleton/trips.h"
#include "text/valid.h"

namespace skelgen::text {
namespace {

using mpi::Role;

constexpr std::size_t kDeepest = 100;  ///< loops in loops
constexpr std::int64_t kMostAnswers = 4;
constexpr std::int64_t kRead = 0, kWritten = 1, kFirstOfRequests = 2;  ///< slots of buffers that nobody mentions

bool any(const std::vector<double>& seconds) {
  return std::ranges::any_of(seconds, [](double s) { return s != 0; });
}

/// Buffers that several pending calls write at a time: one for each request.
Argument own_buffers(const Argument& request) {
  constexpr std::int64_t kMost = std::int64_t{1} << 20;  // more than that are refused
  Argument buffers = request;
  for (Sequence& sequence : buffers.choices) {
    const bool walk = sequence.kind == Sequence::Kind::arithmetic;
    for (std::size_t i = 0; i < sequence.values.size(); ++i) {
      const bool step = walk && i == 1;
      const std::int64_t v = std::clamp(sequence.values[i], step ? -kMost : std::int64_t{-1}, kMost);
      sequence.values[i] = step ? v * mpi::kLargestBuffer : mpi::pack(kFirstOfRequests + v, 0);
    }
  }
  return buffers;
}

}  // namespace

ProgramParser::ProgramParser(Tokens& tokens, Skeleton& skeleton, ValueParser& values,
                             const std::map<std::uint64_t, SampledLocations>& samples)
    : tokens_(tokens), skeleton_(skeleton), values_(values), samples_(samples), all_(skeleton.locations.size()) {
  std::iota(all_.begin(), all_.end(), 0u);
}

ProgramParser::BlockState::BlockState(Locations locations, bool of_loop)
    : where(std::move(locations)),
      body(of_loop),
      executions(where.size(), of_loop ? 0 : 1),
      pending(where.size(), 0),
      lead(of_loop ? where.size() : 0, 0),
      between(of_loop ? where.size() : 0, 0),
      started(where.size(), !of_loop) {}

std::size_t ProgramParser::BlockState::at(std::uint32_t l) const {
  if (l < where.size() && where[l] == l) return l;
  return static_cast<std::size_t>(std::ranges::lower_bound(where, l) - where.begin());
}

Block ProgramParser::program() {
  BlockState state(all_, false);
  Block nodes = block(state);
  const bool works = std::ranges::any_of(state.work, [](std::uint32_t number) { return number > 0; });
  if (any(state.pending) || state.samples || works)
    tokens_.refuse(tokens_.peek(), "computation behind the last statement", "put it before a statement");
  tokens_.expect("}");
  tokens_.expect_line_end();
  return nodes;
}

Pool ProgramParser::pool() {
  Pool pool;
  tokens_.expect_line_end();
  tokens_.expect("ends");
  const Token at = tokens_.peek();
  for (const std::int64_t end : values_.numbers(Role::count)) {
    if (end != 0 && end != 1) tokens_.refuse(at, "an end that is neither 0 nor 1");
    pool.ends.push_back(static_cast<std::uint8_t>(end));
  }
  tokens_.expect_line_end();
  std::vector<float> seconds;
  while (!tokens_.accept("}")) {
    if (tokens_.accept("compute")) {
      if (!seconds.empty()) tokens_.fail("a call");
      values_.append_times(seconds);
    } else {
      Locations where = tokens_.is("[") ? values_.where() : all_;
      tokens_.count(tokens_.peek(), where.size());
      pool.body.push_back(call(std::move(where)));
      pool.compute_s.push_back(std::move(seconds));
      seconds.clear();
    }
    tokens_.expect_line_end();
  }
  tokens_.expect_line_end();
  return pool;
}

Block ProgramParser::block(BlockState& state) {
  Block nodes;
  while (!tokens_.is("}")) {
    const Token at = tokens_.peek();
    Locations where;
    if (tokens_.is("[")) {
      where = values_.where();
      if (!std::ranges::includes(state.where, where))
        tokens_.refuse(at, "locations that do not execute the loop around", "leave them out");
    } else {
      tokens_.count(at, state.where.size());
      where = state.where;
    }
    const bool between = tokens_.is("between");
    if (between || tokens_.is("compute")) {
      tokens_.take();
      compute(where, state, between);
      tokens_.expect_line_end();
      continue;
    }
    lines_.push_back(tokens_.peek().line);
    const Token word = tokens_.peek();
    Node node = tokens_.accept("loop") ? loop(std::move(where), state) : call(std::move(where));
    if (!node.is_loop()) attach(node, word, state);
    tokens_.expect_line_end();
    nodes.push_back(std::move(node));
  }
  return nodes;
}

/// The time is added to what the next statement of each location has before it, or to what the loop has between.
void ProgramParser::compute(const Locations& where, BlockState& state, bool between) {
  if (between && !state.body) tokens_.refuse(tokens_.peek(), "\"between\" outside of a loop", "write \"compute\"");
  const auto seconds = values_.times(where.size());
  Seconds& sum = between ? state.between : state.pending;
  for (std::size_t p = 0; p < where.size(); ++p) sum[state.at(where[p])] += seconds[p];
  if (tokens_.is("samples")) {
    const Token at = tokens_.take();
    auto& named = between ? state.between_samples : state.samples;
    if (named) tokens_.refuse(at, "samples of a place that has some");
    named = Named{at, tokens_.natural("a number of samples", UINT32_MAX)};
  }
  work(where, state, between);
}

/// What the computation consists of that the line before it has told of.
void ProgramParser::work(const Locations& where, BlockState& state, bool between) {
  if (!tokens_.is("work")) return;
  const Token at = tokens_.take();
  const auto numbers =
      values_.constants(values_.argument(Role::count), where, static_cast<std::int64_t>(skeleton_.works.size()));
  auto& work = between ? state.between_work : state.work;
  work.resize(state.where.size(), 0);
  for (std::size_t p = 0; p < where.size(); ++p) {
    if (std::exchange(work[state.at(where[p])], static_cast<std::uint32_t>(numbers[p])) > 0)
      tokens_.refuse(at, "work of a place that has some");
  }
}

/// Gives a node what waits for it. What its location computes first in a body is the loop's.
void ProgramParser::attach(Node& node, const Token& at, BlockState& state) {
  Seconds own(node.where.size(), 0);
  for (std::size_t p = 0; p < node.where.size(); ++p) {
    const std::size_t l = state.at(node.where[p]);
    double& seconds = state.pending[l];
    if (state.started[l]) {
      own[p] = seconds;
    } else if (seconds != 0) {
      if (state.samples) tokens_.refuse(at, "samples of computation at the begin of a loop", "write \"between\"");
      if (!state.work.empty() && state.work[l] > 0)
        tokens_.refuse(at, "work of computation at the begin of a loop", "write \"between\"");
      state.lead[l] += seconds;
    }
    seconds = 0;
    state.started[l] = true;
  }
  if (!state.work.empty()) {
    std::vector<std::uint32_t> work;
    for (const std::uint32_t l : node.where) work.push_back(std::exchange(state.work[state.at(l)], 0));
    if (std::ranges::any_of(work, [](std::uint32_t number) { return number > 0; })) node.before.work = std::move(work);
  }
  if (any(own) || state.samples) node.before.mean_s = std::move(own);
  if (state.samples) node.before.samples = samples(*state.samples, node.where);
  state.samples.reset();
}

Samples ProgramParser::samples(const Named& named, const Locations& where) const {
  const auto found = samples_.find(named.number);
  if (found == samples_.end()) tokens_.refuse(named.at, fmt::format("there are no samples {}", named.number));
  for (const auto& [l, of] : found->second)
    if (!std::ranges::binary_search(where, l))
      tokens_.refuse(named.at,
                     fmt::format("samples {} of location {}, which does not execute the statement", named.number, l));
  Samples all;
  for (const std::uint32_t l : where) {
    const auto own = found->second.find(l);
    if (own != found->second.end()) tokens_.count(named.at, own->second.seconds.size() + own->second.ends.size());
    all.of.push_back(own == found->second.end() ? Samples::OfLocation{} : own->second);
  }
  return all;
}

Node ProgramParser::loop(Locations where, BlockState& state) {
  const Token at = tokens_.peek();
  if (++depth_ > kDeepest) tokens_.refuse(at, fmt::format("more than {} loops in each other", kDeepest));
  Node node;
  node.where = std::move(where);
  Loop loop;
  loop.trips = values_.settle(values_.argument(Role::count), node.where);
  if (tokens_.accept("of")) {
    tokens_.expect("pool");
    loop.pool = static_cast<int>(tokens_.natural("the number of a pool", 1 << 20));
  }
  tokens_.expect("{");
  tokens_.expect_line_end();
  tokens_.count(at, 4 * node.where.size());
  BlockState inside(node.where, true);
  node.what = std::move(loop);
  const Seconds entered = enter(node, state, inside);
  Block body = block(inside);
  if (inside.samples) tokens_.refuse(inside.samples->at, "samples of computation at the end of a loop");
  if (std::ranges::any_of(inside.work, [](std::uint32_t number) { return number > 0; }))
    tokens_.refuse(at, "work of computation at the end of the loop", "write \"between\"");
  if (body.empty()) tokens_.fail("a call or a loop: the loop is empty");
  tokens_.expect("}");
  // What stands at the begin or the end of the body is computed by every iteration; what is computed around the loop, by
  // those executions that have one.
  for (std::size_t p = 0; p < node.where.size(); ++p) {
    state.pending[state.at(node.where[p])] += inside.lead[p] * entered[p];
    inside.between[p] += inside.lead[p] + inside.pending[p];
  }
  node.loop().body = std::move(body);
  Compute& between = node.loop().between;
  if (any(inside.between)) between.mean_s = std::move(inside.between);
  if (inside.between_samples) {
    between.samples = samples(*inside.between_samples, node.where);
    between.mean_s.resize(node.where.size(), 0);
  }
  if (std::ranges::any_of(inside.between_work, [](std::uint32_t number) { return number > 0; }))
    between.work = std::move(inside.between_work);
  attach(node, at, state);
  for (std::size_t p = 0; p < node.where.size(); ++p)
    state.pending[state.at(node.where[p])] += inside.pending[p] * entered[p];
  --depth_;
  return node;
}

/// Says how often the locations execute the body of a loop. Returns the share of its executions that have an iteration,
/// by position; 1 where check() will refuse the loop.
ProgramParser::Seconds ProgramParser::enter(const Node& loop, const BlockState& around, BlockState& inside) const {
  struct Share {
    std::uint64_t trips = 0;
    double entered = 1;
  };
  skeleton::ByTrips<Share> known;
  Seconds entered;
  for (std::size_t p = 0; p < loop.where.size(); ++p) {
    const Sequence& trips = loop.loop().trips.of(p);
    const std::uint64_t times = around.executions[around.at(loop.where[p])];
    const Share& own = known.of(trips, times, [&] {
      const bool ends = trips.kind == Sequence::Kind::table && trips.values.size() < times;
      const auto all = ends ? std::nullopt : iterations(trips, times, tokens_.limits().calls);
      if (all.value_or(0) == 0) return Share{};
      return Share{*all, static_cast<double>(trips.positive(times)) / static_cast<double>(times)};
    });
    inside.executions[p] = own.trips;
    entered.push_back(own.entered);
  }
  return entered;
}

Node ProgramParser::call(Locations where) {
  const Token at = tokens_.peek();
  const std::string_view name = tokens_.word("a call (MPI_Send(...)), \"loop\", \"compute\" or \"}\"");
  const mpi::Function* function = mpi::find(name);
  if (!function) {
    if (name.starts_with("MPI_"))
      tokens_.refuse(at, fmt::format("{} is no function of MPI that is known here", name.substr(0, 60)));
    tokens_.fail(at, "a call (MPI_Send(...)), \"loop\", \"compute\", \"between\" or \"}\"");
  }
  Node node;
  node.where = std::move(where);
  Call call;
  call.function = function;
  call.arguments = arguments(*function, node, call);
  node.what = std::move(call);
  clauses(node);
  return node;
}

/// The argument of a parameter that is not mentioned.
Argument ProgramParser::unsaid(const mpi::Parameter& parameter) const {
  Argument argument;
  std::int64_t& value = argument.choices[0].values[0];
  switch (parameter.role) {
    case Role::comm:
    case Role::tag:
    case Role::root:
    case Role::status:
    case Role::statuses:
    case Role::info:
    case Role::address:
      value = 0;
      break;
    case Role::text:
      if (parameter.is_file) tokens_.fail("\"filename=\"");
      break;
    case Role::buffer:
      value = mpi::pack(parameter.direction == mpi::Direction::in ? kRead : kWritten, 0);
      break;
    default:
      tokens_.fail(fmt::format("\"{}=\"", parameter.name));
  }
  return argument;
}

std::vector<Argument> ProgramParser::arguments(const mpi::Function& function, const Node& node, Call& call) {
  std::vector<std::optional<Given>> given(function.parameters.size());
  tokens_.expect("(");
  for (bool first = true; !tokens_.is(")"); first = false) {
    if (!first) tokens_.expect(",");
    const Token at = tokens_.peek();
    const std::string_view name = tokens_.word("the name of a parameter");
    const auto found = std::ranges::find(function.parameters, name, &mpi::Parameter::name);
    if (found == function.parameters.end()) {
      std::vector<std::string_view> names;
      for (const mpi::Parameter& parameter : function.parameters) names.push_back(parameter.name);
      tokens_.fail(
          at, names.empty() ? "\")\"" : fmt::format("a parameter of {}: {}", function.name, fmt::join(names, ", ")));
    }
    auto& own = given[static_cast<std::size_t>(found - function.parameters.begin())];
    if (own) tokens_.refuse(at, fmt::format("{} twice", name));
    tokens_.expect("=");
    own = values_.argument(written_role(function, *found));
  }
  call.arguments.resize(given.size());
  const auto settle = [&](std::size_t i) {
    const mpi::Parameter& parameter = function.parameters[i];
    call.arguments[i] = given[i] ? values_.settle(*given[i], node.where, &call) : unsaid(parameter);
  };
  const int group = skeleton::group_parameter(function);  // formulas refer to it
  if (group >= 0) settle(static_cast<std::size_t>(group));
  for (std::size_t i = 0; i < given.size(); ++i)
    if (static_cast<int>(i) != group) settle(i);
  const int request = function.find(Role::request);
  if (request >= 0 && function.parameters[static_cast<std::size_t>(request)].direction == mpi::Direction::out)
    for (std::size_t i = 0; i < given.size(); ++i)
      if (!given[i] && function.parameters[i].role == Role::buffer &&
          function.parameters[i].direction != mpi::Direction::in)
        call.arguments[i] = own_buffers(call.arguments[static_cast<std::size_t>(request)]);
  tokens_.expect(")");
  return std::move(call.arguments);
}

/// The rest of a line after the closing bracket of a call.
void ProgramParser::clauses(Node& node) {
  Call& call = node.call();
  const auto number = [&] { return values_.settle(values_.argument(Role::count), node.where); };
  if (tokens_.accept("order")) call.order = number();
  if (tokens_.is("got")) {
    const Token at = tokens_.take();
    if (call.function->source() < 0) tokens_.refuse(at, fmt::format("{} has no source", call.function->name));
    call.matched = values_.settle(values_.argument(Role::peer), node.where, &call);
  }
  if (tokens_.accept("in")) {
    tokens_.expect("any");
    tokens_.expect("order");
    call.any_order = true;
  }
  if (tokens_.accept("answers")) {
    for (const std::int64_t k : values_.constants(values_.argument(Role::count), node.where, kMostAnswers))
      call.answers.push_back(static_cast<std::uint8_t>(k));
    if (std::ranges::none_of(call.answers, [](std::uint8_t k) { return k > 0; })) call.answers.clear();
  }
  if (tokens_.accept("number")) call.dispatch = number();
  if (tokens_.accept("ends")) {
    tokens_.expect("the");
    tokens_.expect("pool");
    call.ends_pool = true;
  }
  if (tokens_.accept("took")) call.duration_s = values_.times(node.where.size());
}

}  // namespace skelgen::text
