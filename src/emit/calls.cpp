#include "emit/calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

#include "emit/written.h"
#include "mpi/hints.h"
#include "skeleton/groups.h"
#include "support/error.h"

namespace skelgen::emit {

using mpi::Direction;
using mpi::Kind;
using mpi::Role;
using skeleton::Argument;
using skeleton::Node;
using skeleton::Sequence;

namespace {

/// The request of a call that starts or makes it, as the runtime is told of it.
std::string with_kind(Kind kind, const std::string& request) {
  switch (kind) {
    case Kind::send:
      return fmt::format("skel_set_kind(req, {}, SKEL_SENDS)", request);
    case Kind::send_init:
      return fmt::format("skel_set_kind(req, {}, SKEL_SENDS | SKEL_PERSISTENT)", request);
    case Kind::recv_init:
    case Kind::collective_init:
      return fmt::format("skel_set_kind(req, {}, SKEL_PERSISTENT)", request);
    default:
      return fmt::format("skel_set_kind(req, {}, SKEL_OTHER)", request);
  }
}

/// The sequences of `argument` with every value replaced.
Argument mapped(const Argument& argument, std::uint64_t occurrences, const auto& replace) {
  Argument result;
  result.choice = argument.choice;
  result.choices.clear();
  for (const auto& sequence : argument.choices) {
    std::vector<std::int64_t> values = sequence.values;
    if (sequence.kind == Sequence::Kind::arithmetic) {
      values.clear();
      for (std::uint64_t k = 0; k < occurrences; ++k) values.push_back(sequence.at(k));
    }
    for (auto& v : values) v = replace(v);
    const bool same = std::all_of(values.begin(), values.end(), [&](auto v) { return v == values[0]; });
    if (same)
      result.choices.push_back({Sequence::Kind::constant, {values[0]}});
    else
      result.choices.push_back(
          {sequence.kind == Sequence::Kind::arithmetic ? Sequence::Kind::table : sequence.kind, values});
  }
  return result;
}

/// What the root of a collective gives, where that is always the same, for all who call it: MPI looks at it nowhere else, and
/// there it was recorded as nothing. Nothing if it is not so, of a datatype that the root alone made, and in
/// intercommunicators, where Open MPI takes the rank of that number in the other group for a root, too.
std::optional<Argument> given_by_root(const skeleton::Skeleton& skeleton, const Node& node, std::size_t i) {
  const mpi::Parameter& parameter = node.call().function->parameters[i];
  const Argument& argument = node.call().arguments[i];
  if (!parameter.root_only || argument.choices.size() != 2) return {};
  for (std::size_t p = 0; p < node.where.size(); ++p) {
    const auto groups = skeleton::groups_of_peers(node.call(), p, skeleton.locations[node.where[p]]);
    if (groups.empty() || std::ranges::any_of(groups, &mpi::Communicator::inter)) return {};
  }
  const bool type = parameter.role == Role::datatype;
  const auto nothing = std::ranges::find(argument.choices, Sequence{Sequence::Kind::constant, {type ? -1 : 0}});
  if (nothing == argument.choices.end()) return {};
  const Sequence& given = argument.choices[nothing == argument.choices.begin() ? 1 : 0];
  if (!is_constant(given) || (type && given.values[0] >= mpi::kMade)) return {};
  return Argument{{given}, {}, {}};
}

/// Some calls did not get the file that they opened.
bool may_fail(const Argument& file) {
  return std::ranges::any_of(file.choices, [](const Sequence& s) { return std::ranges::min(s.values) < 0; });
}

/// True if every open call with this mode fails where the file exists.
bool makes_file(const Argument& amode) {
  return std::ranges::all_of(amode.choices, [&](const Sequence& modes) {
    return modes.kind != Sequence::Kind::arithmetic &&
           std::ranges::all_of(modes.values, [&](std::int64_t mode) { return (mode & mpi::kModeExcl) != 0; });
  });
}

}  // namespace

std::uint64_t Calls::occurrences(const Node& node) const {
  const auto& all = timing_.of(node).occurrences;
  return *std::max_element(all.begin(), all.end());
}

const Argument& Calls::argument(const Node& node, Role role) const {
  return node.call().arguments[static_cast<std::size_t>(node.call().function->find(role))];
}

/// Number of elements of an array argument.
std::string Calls::length_of(const Argument& arrays, std::string_view name, const Node& node, const Index& k) {
  const auto length = [&](std::int64_t id) {
    // A location that makes the call less often than others has a shorter sequence than is asked for.
    const auto at = static_cast<std::size_t>(id);
    return at < skeleton_.arrays.size() ? static_cast<std::int64_t>(skeleton_.arrays[at].size()) : 0;
  };
  return values_.number(mapped(arrays, occurrences(node), length), name, node.where, k);
}

/// Whom a wildcard receive or probe names.
std::string Calls::source(const Node& node, const Index& k) {
  const auto& call = node.call();
  const auto at = static_cast<std::size_t>(call.function->source());
  const auto& parameter = call.function->parameters[at];
  const auto recorded = by_rule(node, *call.matched, parameter, k);
  if (!call.any_order || recorded == "MPI_ANY_SOURCE") return recorded;
  const auto given = by_rule(node, call.arguments[at], parameter, k);
  return cut_ ? fmt::format("skel_source_in({}, {}, {})", *cut_, given, recorded)
              : fmt::format("skel_source({}, {})", given, recorded);
}

bool Calls::any_answers(const skeleton::Block& block) {
  return std::any_of(block.begin(), block.end(), [](const Node& node) {
    return node.is_loop() ? any_answers(node.loop().body) : !node.call().answers.empty();
  });
}

/// The peer of a call that goes to whoever wrote before, on some locations or all.
std::string Calls::answer(const Node& node, const mpi::Parameter& parameter, const Index& k) {
  std::map<std::uint8_t, std::vector<std::uint32_t>> groups;
  for (std::size_t at = 0; at < node.where.size(); ++at) groups[node.call().answers[at]].push_back(node.where[at]);
  std::string text;
  for (const auto& [last, where] : groups) {
    if (last == 0) continue;
    if (groups.size() == 1) return fmt::format("skel_from({})", last);
    text += fmt::format("{} ? skel_from({}) : ", values_.condition(node.where, where), last);
  }
  const auto& peers = argument(node, Role::peer);
  return text + by_rule(node, peers, parameter, k);
}

/// Remembers whose message a call of MPI_ANY_SOURCE got.
void Calls::received(const Node& node, std::vector<std::string>& lines) {
  if (!answers_) return;
  std::vector<std::uint32_t> where;
  for (std::size_t at = 0; at < node.where.size(); ++at)
    if (skeleton::receives_from_any_source(node.call(), at)) where.push_back(node.where[at]);
  if (where.empty()) return;
  const auto condition = values_.condition(node.where, where);
  lines.push_back(condition.empty() ? "skel_received(status);"
                                    : fmt::format("if ({}) skel_received(status);", condition));
}

/// Expression for the requests of a call side by side. `picked`: they must be put back after the call.
std::string Calls::requests(const Node& node, const Index& k, const std::string& count, bool& picked) {
  const auto& f = *node.call().function;
  const auto at = static_cast<std::size_t>(f.find(Role::requests));
  const auto& argument = node.call().arguments[at];
  const auto most = occurrences(node);
  for (const auto& sequence : argument.choices) {
    const auto different = sequence.kind == Sequence::Kind::arithmetic ? most : sequence.values.size();
    for (std::uint64_t i = 0; i < different; ++i)
      if (const auto id = static_cast<std::size_t>(sequence.at(i)); id < skeleton_.arrays.size())
        statuses_ = std::max(statuses_, skeleton_.arrays[id].size());
  }
  picked = false;
  if (argument.choices.size() == 1 && is_constant(argument.choices[0])) {
    const auto& slots = skeleton_.arrays.at(static_cast<std::size_t>(argument.choices[0].values[0]));
    if (slots.empty()) return "NULL";
    bool beside = slots[0] >= 0;
    for (std::size_t i = 1; i < slots.size(); ++i)
      beside = beside && slots[i] == slots[0] + static_cast<std::int64_t>(i);
    if (beside) return slots[0] == 0 ? "req" : fmt::format("&req[{}]", slots[0]);
  }
  picked = true;
  return fmt::format("skel_pick(req, {}, {})", count, values_.expression(argument, f.parameters[at], node.where, k));
}

/// A parameter that was not recorded because it says nothing about communication: mostly where a result goes.
std::string Calls::unrecorded(const CParameter& parameter, const Arguments& arguments) {
  const auto& [name, given] = parameter;
  const auto bracket = given.find('[');
  if (given == "status") statuses_ = std::max<std::size_t>(statuses_, 1);
  if (!given.empty() && bracket == std::string_view::npos) return std::string(given);
  auto& declaration = got_[std::string(name)];
  if (given.empty()) {
    declaration = fmt::format("int {}", name);
    return fmt::format("&got.{}", name);
  }
  const auto length = given.substr(bracket + 1, given.size() - bracket - 2);
  const auto number = arguments.find(length);
  // 64 dimensions are more than any topology has; a constant length may still ask for more.
  const auto elements =
      number == arguments.end() ? std::string(length) : std::to_string(std::max(64, std::atoi(number->second.c_str())));
  declaration = fmt::format("{} {}[{}]", given.substr(0, bracket), name, elements);
  return fmt::format("got.{}", name);
}

/// The name of a file, or of how it represents data.
std::string Calls::text(const Argument& names, const mpi::Parameter& parameter, const Node& node, const Index& k) {
  if (!parameter.is_file) {
    const auto& array = skeleton_.arrays.at(static_cast<std::size_t>(names.choices[0].at(0)));
    std::string text;
    for (std::size_t i = 1; i < array.size(); ++i) text += static_cast<char>(array[i]);
    return text == "internal" || text == "external32" ? fmt::format("\"{}\"", text) : "\"native\"";
  }
  const auto number = [&](std::int64_t id) {
    // A location that makes the call less often than others has a shorter sequence than is asked for.
    const auto at = static_cast<std::size_t>(id);
    return at < skeleton_.arrays.size() ? skeleton_.arrays[at].at(0) : 0;
  };
  return fmt::format("skel_file({})", values_.number(mapped(names, occurrences(node), number), "file", node.where, k));
}

/// An info object with the hints that the program gave.
std::string Calls::hints(const Argument& info, const mpi::Parameter& parameter, const Node& node, const Index& k) {
  std::vector<std::string> texts;
  const auto number = [&](std::int64_t id) {
    // A location that makes the call less often than others has a shorter sequence than is asked for.
    const auto at = static_cast<std::size_t>(id);
    std::string text;
    if (at < skeleton_.arrays.size() && !skeleton_.arrays[at].empty())
      text.assign(skeleton_.arrays[at].begin() + 1, skeleton_.arrays[at].end());
    if (!mpi::are_hints(text)) text.clear();  // beyond its end such a sequence may name any array
    const auto known = std::ranges::find(texts, text);
    const auto place = known - texts.begin();
    if (known == texts.end()) texts.push_back(text);
    return static_cast<std::int64_t>(place);
  };
  const Argument numbers = mapped(info, occurrences(node), number);
  const bool must_be = parameter.not_null;
  if (texts.size() > 1) {
    const auto table = values_.texts("hints", texts, must_be ? "\"\"" : "NULL");
    return fmt::format("skel_info({}[{}])", table, values_.number(numbers, "which", node.where, k));
  }
  return texts[0].empty() && !must_be ? "MPI_INFO_NULL" : fmt::format("skel_info(\"{}\")", texts[0]);
}

/// Weights of a graph's edges: `text`, unless they are MPI_UNWEIGHTED, recorded as one kUndefined.
std::string Calls::weights(const Argument& argument, const std::string& text) const {
  bool all = true, some = false;
  for (const auto& ids : argument.choices) {
    if (ids.kind == Sequence::Kind::arithmetic) {  // different ones, any of which may be it
      some = true, all = false;
      continue;
    }
    for (const auto id : ids.values) {
      const bool none = skeleton_.arrays.at(static_cast<std::size_t>(id)) == std::vector{mpi::kUndefined};
      all = all && none;
      some = some || none;
    }
  }
  if (text == "NULL") return "MPI_WEIGHTS_EMPTY";
  return all ? "skel_unweighted()" : some ? fmt::format("skel_weights({})", text) : text;
}

/// Lists of datatypes of a call that goes on: MPI may look at them until its request is complete, or freed.
void Calls::keep_types(const Node& node, const Index& k, Arguments& arguments) {
  const auto& f = *node.call().function;
  int lists = 0;
  for (std::size_t i = 0; i < f.parameters.size(); ++i) {
    if (f.parameters[i].role != Role::datatypes) continue;
    auto& text = arguments[f.parameters[i].name];
    text = fmt::format("skel_keep_types({}, {}, {}, {})",
                       values_.number(argument(node, Role::request), "request", node.where, k), lists++,
                       length_of(node.call().arguments[i], "types", node, k), text);
  }
}

/// A call that the runtime makes, with these of its arguments.
std::vector<std::string> Calls::by_runtime(const Node& node, const Index& k, const Arguments& arguments) {
  const mpi::Function& function = *node.call().function;
  std::vector<std::string> text;
  bool picked = false;
  for (const int at : function.runtime_arguments) {
    if (at == mpi::Function::kCompleted)
      text.push_back(length_of(argument(node, Role::indices), "done", node, k));
    else if (const mpi::Parameter& parameter = function.parameters[static_cast<std::size_t>(at)];
             parameter.role == Role::requests)
      text.push_back(requests(node, k, arguments.at(function.parameters[0].name), picked));
    else
      text.push_back(arguments.at(parameter.name));
  }
  std::vector<std::string> lines{fmt::format("{}({});", function.runtime, join(text))};
  if (picked) lines.push_back("skel_put_back(req);");
  return lines;
}

/// Sets the group in which peers and roots of the call are ranks: its communicator, or of a one-sided call its window,
/// whose ranks do not depend on the communicator that it was made from.
void Calls::set_group(const Node& node, const Index& k) {
  const auto& f = *node.call().function;
  const int at = skeleton::group_parameter(f);
  if (at < 0) return;
  auto parameter = f.parameters[static_cast<std::size_t>(at)];
  const bool window = parameter.role == Role::win;
  const auto& handles = node.call().arguments[static_cast<std::size_t>(at)];
  parameter.direction = Direction::in;
  if (window && !std::ranges::any_of(node.call().arguments, [](const Argument& a) { return a.rule.has_value(); }))
    return;
  const auto ranks = static_cast<int>(skeleton::ranks(skeleton_));
  bool world = window;
  for (std::size_t p = 0; world && p < node.where.size(); ++p) {
    const auto& own = skeleton_.locations[node.where[p]];
    const auto groups = skeleton::groups_of_peers(node.call(), p, own);
    world = groups.size() == 1 && groups[0]->rank == own.where.rank && groups[0]->size == ranks;
  }
  const auto handle = world ? std::string("MPI_COMM_WORLD") : values_.expression(handles, parameter, node.where, k);
  if (handle == "MPI_COMM_WORLD")
    values_.set_group("rank", "size");
  else
    values_.set_group(fmt::format("{}({})", window ? "rank_in_win" : "rank_in", handle),
                      fmt::format("{}({})", window ? "size_of_win" : "size_of", handle));
}

/// The argument as a formula in C if one gives it on all locations, else as Values writes it.
std::string Calls::by_rule(const Node& node, const Argument& argument, const mpi::Parameter& parameter,
                           const Index& k) {
  const auto formula = [&]() -> std::string {
    if (!argument.rule) return neighbours_.returned(argument);
    if (argument.choices.size() == 1 || !skeleton::may_be_formula(parameter)) return {};
    const bool edges = may_be_negative(argument);
    if (edges && parameter.role != Role::peer && parameter.role != Role::root) return {};
    for (std::size_t p = 0; edges && p < node.where.size(); ++p)
      if (!skeleton::holds(skeleton_, node.call(), p, node.where[p], argument, skeleton::Edges::named)) return {};
    if (argument.rule->kind == skeleton::RankRule::Kind::neighbour)
      return neighbours_.name(node.call(), *argument.rule);
    return values_.rule(*argument.rule, edges);
  }();
  return formula.empty() ? values_.expression(argument, parameter, node.where, k) : formula;
}

/// Tests of sends may come later: what makes the runtime ready for a call on persistent requests; empty if there is
/// nothing to do.
std::string_view Calls::before_call(const mpi::Function& f) const {
  if (!skeleton_.tests_go_on) return {};
  if (f.kind == Kind::start || f.kind == Kind::request_free) return "skel_settled";
  return f.kind == Kind::complete && restarts_ ? "skel_complete" : std::string_view();
}

/// The runtime must also know what is started.
void Calls::tell_tests(const mpi::Function& f, Arguments& arguments) const {
  const auto found = arguments.find("request");
  if (found == arguments.end()) return;
  const bool starts = f.parameters[static_cast<std::size_t>(f.find(Role::request))].direction == Direction::out;
  if (const auto before = before_call(f); !before.empty())
    found->second = fmt::format("{}(1, {})", before, found->second);
  else if (starts)
    found->second = with_kind(f.kind, found->second);
}

std::vector<std::string> Calls::statements(const Node& node, const Index& k) {
  const auto& call = node.call();
  const auto& f = *call.function;
  if (f.kind == Kind::opaque && f.harmless) {
    auto line = values_.compute(call.duration_s, node.where, "a local MPI call");
    return line.empty() ? std::vector<std::string>{} : std::vector<std::string>{line};
  }
  if (f.kind == Kind::opaque || f.kind == Kind::abort)
    throw Error(Code::unsupported, std::string(f.name) + " cannot be replayed", "trace a run that does not call it");

  values_.set_occurrences(occurrences(node));
  values_.set_returns(!f.nonblocking && f.kind != Kind::collective_init);
  set_group(node, k);
  const Written written = how_written(node, timing_.of(node).occurrences);
  check_written(skeleton_, node, timing_.of(node).occurrences, written);
  Arguments arguments;
  const bool runtime = !f.runtime.empty();
  for (std::size_t i = 0; i < f.parameters.size(); ++i) {
    const auto& parameter = f.parameters[i];
    if (parameter.role == Role::status || parameter.role == Role::statuses) {
      if (!runtime) statuses_ = std::max<std::size_t>(statuses_, 1);
      arguments[parameter.name] = "status";
    } else if (parameter.role == Role::group && mpi::known_by_members(f.kind)) {
      // Known by its members, so that it does not matter how it was made.
      const auto members =
          values_.expression(call.arguments[i], {parameter.name, Role::integers, Direction::in}, node.where, k);
      arguments[parameter.name] =
          fmt::format("skel_group({}, {})", length_of(call.arguments[i], "members", node, k), members);
    } else if (parameter.role == Role::text) {
      arguments[parameter.name] = text(call.arguments[i], parameter, node, k);
    } else if (parameter.role == Role::info) {
      arguments[parameter.name] = hints(call.arguments[i], parameter, node, k);
    } else if (parameter.role == Role::offset && parameter.direction == Direction::out) {
      got_["place"] = "MPI_Offset place";
      arguments[parameter.name] = "&got.place";
    } else if (parameter.role == Role::address) {
      got_[std::string(parameter.name)] = fmt::format("void* {}", parameter.name);
      arguments[parameter.name] = fmt::format("&got.{}", parameter.name);
    } else if (call.matched && static_cast<int>(i) == f.source()) {
      arguments[parameter.name] = source(node, k);
    } else if (parameter.role == Role::peer && !call.answers.empty()) {
      arguments[parameter.name] = answer(node, parameter, k);
    } else if (parameter.role != Role::requests) {
      values_.set_written(written.of[i]);
      auto as = parameter;
      if (runtime && parameter.role == Role::request) as.direction = Direction::inout;  // the runtime takes addresses
      const auto by_root = given_by_root(skeleton_, node, i);
      arguments[parameter.name] = by_rule(node, by_root ? *by_root : call.arguments[i], as, k);
    }
  }
  values_.set_written({});
  if (skeleton_.tests_go_on) tell_tests(f, arguments);
  if (runtime) {
    const auto kept = statuses_;
    auto lines = by_runtime(node, k, arguments);
    statuses_ = kept;  // the runtime has its own
    return lines;
  }
  for (std::size_t i = 0; i < f.parameters.size(); ++i)
    if (const auto& target = f.parameters[i]; target.role == Role::target && Values::has_places(call.arguments[i]))
      arguments[target.name] =
          fmt::format("skel_target({}, {}, {})", arguments["win"], arguments["target_rank"], arguments[target.name]);
  if (f.kind == Kind::type_free && arguments["datatype"] == "skel_type(MPI_DATATYPE_NULL)")
    return {"skel_type_free();"};
  if (f.nonblocking || f.kind == Kind::collective_init) keep_types(node, k, arguments);
  for (std::size_t i = 0; i < f.parameters.size(); ++i)
    if (const auto name = f.parameters[i].name; f.parameters[i].unweighted)
      arguments[name] = weights(call.arguments[i], arguments[name]);
  for (const mpi::Parameter& parameter : f.parameters)
    if (!parameter.cast.empty()) arguments[parameter.name].insert(0, fmt::format("({})", parameter.cast));

  bool picked = false;
  const auto kept = statuses_;
  std::vector<std::string> text;
  auto shifted =
      f.way == mpi::Way::cart_shift
          ? neighbours_.results(call, arguments[f.parameters[static_cast<std::size_t>(f.find(Role::integer))].name])
          : std::nullopt;
  for (const CParameter& in_c : c_parameters(f.name)) {
    const auto parameter = std::ranges::find(f.parameters, in_c.name, &mpi::Parameter::name);
    if (parameter == f.parameters.end() && shifted)
      text.push_back(std::exchange(shifted->first, shifted->second));
    else if (parameter == f.parameters.end())
      text.push_back(unrecorded(in_c, arguments));
    else if (parameter->role == Role::requests)
      text.push_back(requests(node, k, arguments[f.parameters[0].name], picked));
    else
      text.push_back(arguments[in_c.name]);
    if (const auto before = before_call(f);
        !before.empty() && parameter != f.parameters.end() && parameter->role == Role::requests)
      text.back() = fmt::format("{}({}, {})", before, arguments[f.parameters[0].name], text.back());
  }
  if (f.kind == Kind::start) statuses_ = kept;  // it has none
  std::vector<std::string> lines;
  if (call.dispatch && call.dispatch->of(0) != Sequence{Sequence::Kind::constant, {-1}})
    lines.push_back(fmt::format("skel_hand_out({}, {});", arguments[f.parameters[0].name],
                                values_.number(*call.dispatch, "number", node.where, k)));
  const auto line = fmt::format("{}({})", f.name, join(text));
  const bool opens = f.kind == Kind::file_open && !may_fail(argument(node, Role::file));
  if (opens && makes_file(argument(node, Role::integer)))
    lines.push_back(fmt::format("skel_remove({}, {});", arguments["comm"], arguments["filename"]));
  lines.push_back(opens ? fmt::format("skel_opened({}, {});", arguments["comm"], line) : line + ";");
  if (f.kind == Kind::comm_create) std::ranges::copy(neighbours_.behind(call), std::back_inserter(lines));
  if (f.way == mpi::Way::dynamic) lines.push_back(fmt::format("skel_dynamic({});", arguments["win"]));
  if (picked) lines.push_back("skel_put_back(req);");
  received(node, lines);
  return lines;
}

std::string Calls::got() const {
  if (got_.empty()) return {};
  std::map<std::string, std::string> names;  // by type
  for (const auto& [name, declaration] : got_) {
    const auto space = declaration.find(' ');
    auto& all = names[declaration.substr(0, space)];
    all += (all.empty() ? "" : ", ") + declaration.substr(space + 1);
  }
  const auto head = fmt::format("{} struct", own_storage(skeleton_));
  const std::string tail = "} got; /* what calls return and nobody reads */";
  Writer out;
  if (const auto& [type, all] = *names.begin();
      names.size() == 1 && head.size() + type.size() + all.size() + tail.size() + 6 <= Writer::kWidth) {
    out.line(fmt::format("{} {{ {} {}; {}", head, type, all, tail));
    return out.text();
  }
  out.open(head);
  for (const auto& [type, all] : names) out.line(fmt::format("{} {};", type, all));
  out.close(tail);
  return out.text();
}

}  // namespace skelgen::emit
