#include "emit/values.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "emit/conditions.h"
#include "mpi/codes.h"
#include "mpi/values.h"
#include "support/error.h"

namespace skelgen::emit {
namespace {

using mpi::Direction;
using mpi::Role;
using skeleton::Argument;
using skeleton::RankRule;
using skeleton::Sequence;
using SequenceKind = Sequence::Kind;

/// Arrays that the call is given; statuses are only received.
bool passes_array(Role role) { return is_array(role) && role != Role::status && role != Role::statuses; }

/// Datatypes and operations that the program made, by slot.
bool is_made(Role role) { return role == Role::newtype || role == Role::newop; }

bool is_communicator(Role role) { return role == Role::comm || role == Role::newcomm; }

/// What else has slots.
bool is_object(Role role) {
  return role == Role::group || role == Role::newgroup || role == Role::win || role == Role::file;
}

/// Types and ops are no constant expressions with every MPI: they cannot stand in tables.
bool is_name(Role role) { return role == Role::datatype || role == Role::op; }

/// Numbers that may need more than an int.
bool is_wide(Role role) { return role == Role::aint || role == Role::offset || role == Role::target; }

bool may_be_negative(const Sequence& s) {
  if (s.kind == SequenceKind::arithmetic) return s.values[0] < 0 || s.values[1] < 0;
  return *std::min_element(s.values.begin(), s.values.end()) < 0;
}

/// The parameter of a datatype or operation as one of a slot.
mpi::Parameter slot_of_made(const mpi::Parameter& parameter) {
  return {parameter.name, parameter.role == Role::op ? Role::newop : Role::newtype, parameter.direction};
}

/// All values are datatypes or operations that the program made.
bool all_made(const Argument& argument) {
  return std::all_of(argument.choices.begin(), argument.choices.end(), [](const Sequence& s) {
    const auto end =
        s.values.begin() + (s.kind == SequenceKind::arithmetic ? 1 : static_cast<std::ptrdiff_t>(s.values.size()));
    return std::all_of(s.values.begin(), end, [](auto v) { return v >= mpi::kMade; });
  });
}

/// True if one of the first `occurrences` values is negative.
bool takes_negative(const Argument& argument, std::uint64_t occurrences) {
  return std::ranges::any_of(argument.choices, [&](const Sequence& s) {
    if (s.kind != SequenceKind::arithmetic) return may_be_negative(s);
    return s.at(0) < 0 || s.at(occurrences > 0 ? occurrences - 1 : 0) < 0;
  });
}

bool all_places(const std::vector<std::int64_t>& values) {
  return std::ranges::all_of(values, [](std::int64_t v) { return mpi::is_place(v); });
}

/// The slots of places in buffers, if all have the same offset; else nothing.
std::vector<std::int64_t> slots_at_one_offset(const std::vector<std::int64_t>& places) {
  std::vector<std::int64_t> slots;
  for (const auto place : places) {
    if (mpi::slot_of(place) < 0 || mpi::offset_of(place) != mpi::offset_of(places[0])) return {};
    slots.push_back(mpi::slot_of(place));
  }
  return slots;
}

std::string address_of_nothing(std::size_t number) {
  return number == 0 ? "skel_nothing" : fmt::format("skel_nothing + {}", number);
}

std::string times(const std::string& k) { return k.find(' ') == std::string::npos ? k : fmt::format("({})", k); }

/// "16 + 8 * k"
std::string line_of(std::int64_t first, std::int64_t step, const std::string& k, Role role = Role::integer) {
  const auto magnitude = step < 0 ? -step : step;
  const auto product = magnitude == 1 ? times(k) : fmt::format("{} * {}", magnitude, times(k));
  if (first == 0) return fmt::format("{}{}", step < 0 ? "-" : "", product);
  const auto begin = role == Role::target ? place(first) : std::to_string(first);
  return fmt::format("{} {} {}", begin, step < 0 ? '-' : '+', product);
}

/// "k % period" in the fewest words. k: is made the number that is left to write.
std::string modulo(Index& k, std::size_t period) {
  const auto rest = std::ranges::find_if(k.rests, [&](const Index& each) { return each.apart % period == 0; });
  if (rest != k.rests.end()) k = Index(*rest);
  return k.below > 0 && k.below <= period ? k.text : fmt::format("{} % {}", times(k.text), period);
}

}  // namespace

bool may_be_negative(const Argument& argument) {
  return std::any_of(argument.choices.begin(), argument.choices.end(),
                     [](const auto& s) { return may_be_negative(s); });
}

Index inside(const Index& k, const std::string& trips, const std::string& variable) {
  std::uint64_t n = 0;  // not known: ranks differ
  if (std::from_chars(trips.data(), trips.data() + trips.size(), n).ptr != trips.data() + trips.size()) n = 0;
  const Index rest{variable, {variable}, n, {}, n};
  if (k.text == "0") return {variable, {variable}, n, {}, 0};
  Index inner{fmt::format("{} * {} + {}", times(k.text), trips, variable), {variable}, n * k.below, {}, n * k.apart};
  inner.names.insert(inner.names.end(), k.names.begin(), k.names.end());
  if (n == 0) return inner;
  inner.rests.push_back(rest);
  for (const Index& outer : k.rests) {
    inner.rests.push_back(inside(outer, trips, variable));
    inner.rests.back().rests.clear();
  }
  return inner;
}

std::string_view own_index(const skeleton::Skeleton& skeleton) {
  return skeleton::has_threads(skeleton) ? "me" : "rank";
}

std::string_view own_storage(const skeleton::Skeleton& skeleton) {
  return skeleton::has_threads(skeleton) ? "static _Thread_local" : "static";
}

/// The caller's entry of a table with one for each location.
std::string Values::own(const std::string& table) const { return fmt::format("{}[{}]", table, me_); }

std::string Values::literal(const mpi::Parameter& parameter, std::int64_t v) {
  const bool pointer = parameter.direction != Direction::in;
  switch (parameter.role) {
    case Role::buffer:
      if (v == mpi::kNullBuffer && how_.nothing) return address_of_nothing(*how_.nothing);
      if (mpi::slot_of(v) < 0) return mpi::text(parameter.role, v);
      return fmt::format("buf({}, {})", mpi::slot_of(v), mpi::offset_of(v));
    case Role::datatype:
    case Role::op: {
      if (v >= mpi::kMade) return literal(slot_of_made(parameter), v - mpi::kMade);
      const auto named = v >= 0 && static_cast<std::size_t>(v) < skeleton_.names.size();
      const auto name = named && !skeleton_.names[static_cast<std::size_t>(v)].empty()
                            ? skeleton_.names[static_cast<std::size_t>(v)]
                        : parameter.role == Role::op ? "MPI_OP_NULL"
                                                     : "MPI_DATATYPE_NULL";
      return pointer ? fmt::format("skel_type({})", name) : name;
    }
    case Role::newtype:
      if (v < 0) return "skel_type(MPI_DATATYPE_NULL)";
      [[fallthrough]];
    case Role::newop:
      return fmt::format("{}{}[{}]", pointer ? "&" : "", parameter.role == Role::newop ? "op" : "type", v);
    case Role::comm:
      return fmt::format("{}{}", pointer ? "&" : "", handles_.comm(v));
    case Role::newcomm:
      if (v >= 0) return fmt::format("&{}", handles_.comm(v));
      return handles_.comm_array() ? fmt::format("&comm[{}]", handles_.comm_array() - 1) : "&no_comm";
    case Role::group:
      if (v < 0) return fmt::format("{}skel_made_group(NULL, -1)", pointer ? "" : "*");
      return fmt::format("{}group[{}]", pointer ? "&" : "", v);
    case Role::newgroup:
      return fmt::format("&group[{}]", v);
    case Role::request:
      if (!pointer) return v < 0 ? "MPI_REQUEST_NULL" : fmt::format("req[{}]", v);
      return v < 0 ? "&skel_no_request" : fmt::format("&req[{}]", v);
    case Role::message:
      return v < 0 ? fmt::format("skel_message(NULL, {})", v) : fmt::format("&message[{}]", v);
    case Role::win:
    case Role::file: {
      const mpi::RoleProperties& role_properties = mpi::properties(parameter.role);
      if (v >= 0) return fmt::format("{}{}[{}]", pointer ? "&" : "", role_properties.name, v);
      return fmt::format(fmt::runtime(pointer ? "&({}){{{}}}" : "{1}"), role_properties.type, role_properties.word(-1));
    }
    case Role::target:
      return place(v);
    case Role::index:  // the runtime takes canonical outcomes
      return std::to_string(v);
    default:
      if (!passes_array(parameter.role)) return number_text(parameter, v);
      return returns_ ? short_array(v, parameter) : array(v, parameter);
  }
}

std::string Values::rule(const RankRule& rule, bool edges) const {
  const auto& [r, p] = group_;
  const bool world = r == "rank";
  const auto n = static_cast<std::int64_t>(skeleton::ranks(skeleton_));
  switch (rule.kind) {
    case RankRule::Kind::constant:
      return std::to_string(rule.c);
    case RankRule::Kind::plus: {
      if (rule.c == 0) return r;
      const auto sum = fmt::format("{} {} {}", r, rule.c < 0 ? '-' : '+', rule.c < 0 ? -rule.c : rule.c);
      return edges ? fmt::format("skel_rank({}, {})", sum, p) : sum;
    }
    case RankRule::Kind::exclusive_or:
      return fmt::format("{} ^ {}", r, rule.c);
    case RankRule::Kind::transposed:
      return fmt::format("{} % {} * ({} / {}) + {} / {}", r, rule.c, p, rule.c, r, rule.c);
    case RankRule::Kind::row:
      return fmt::format("{} / {}", r, rule.c);
    case RankRule::Kind::column:
      return fmt::format("{} % {}", r, rule.c);
    case RankRule::Kind::plus_mod:
    case RankRule::Kind::neighbour:  // named by Neighbours
      break;
  }
  if (world) {
    const auto c = ((rule.c % n) + n) % n;
    if (2 * c > n) return fmt::format("({} + {} - {}) % {}", r, p, n - c, p);
    return fmt::format("({} + {}) % {}", r, c, p);
  }
  if (rule.c < 0) return fmt::format("skel_mod({} - {}, {})", r, -rule.c, p);
  return fmt::format("({} + {}) % {}", r, rule.c, p);
}

/// A raw value that was computed at run time -> the argument.
std::string Values::wrap(const mpi::Parameter& parameter, const std::string& raw, bool negative) {
  const bool pointer = parameter.direction != Direction::in;
  switch (parameter.role) {
    case Role::buffer:
      if (how_.nothing) return fmt::format("skel_buffer_or({}, {})", raw, address_of_nothing(*how_.nothing));
      return fmt::format("skel_buffer({})", raw);
    case Role::peer:
    case Role::root:
      return fmt::format("skel_peer({})", raw);
    case Role::tag:
      return fmt::format("skel_tag({})", raw);
    case Role::color:
      if (parameter.codes) return fmt::format("({} < 0 ? MPI_UNDEFINED : MPI_COMM_TYPE_SHARED)", raw);
      return fmt::format("skel_color({})", raw);
    case Role::request:
      if (!pointer) return fmt::format(fmt::runtime(negative ? "*skel_request(req, {})" : "req[{}]"), raw);
      return negative ? fmt::format("skel_request(req, {})", raw) : fmt::format("&req[{}]", raw);
    case Role::message:
      return negative ? fmt::format("skel_message(message, {})", raw) : fmt::format("&message[{}]", raw);
    case Role::comm:
    case Role::newcomm: {
      const auto slot = negative ? fmt::format("skel_slot({}, {})", raw, handles_.comm_array() - 1) : raw;
      return fmt::format("{}comm[{}]", pointer ? "&" : "", slot);
    }
    case Role::group:
      if (negative) return fmt::format("{}skel_made_group(group, {})", pointer ? "" : "*", raw);
      return fmt::format("{}group[{}]", pointer ? "&" : "", raw);
    case Role::newgroup:
      return fmt::format("&group[{}]", raw);
    case Role::newtype:
    case Role::newop:
      return fmt::format("{}{}[{}]", pointer ? "&" : "", parameter.role == Role::newop ? "op" : "type", raw);
    case Role::aint:
    case Role::target:
    case Role::offset:
      return raw;
    case Role::win:
    case Role::file: {
      const auto one = fmt::format("{}{}[{}]", pointer ? "&" : "", parameter.role == Role::win ? "win" : "file", raw);
      return negative ? fmt::format("({} < 0 ? {} : {})", raw, literal(parameter, -1), one) : one;
    }
    case Role::datatypes:
      return fmt::format("types_of({})", raw);
    default:
      break;
  }
  if (passes_array(parameter.role)) {
    arrays_[prefix_of(parameter, how_)].pointers = true;
    return fmt::format("{}[{}]", prefix_of(parameter, how_), raw);
  }
  if (parameter.codes) return constant(*parameter.codes, parameter, raw);
  return fmt::format("(int){}", raw);
}

/// The MPI's constant for its number, which was computed at run time.
std::string Values::constant(const mpi::Codes& codes, const mpi::Parameter& parameter, const std::string& raw) {
  const std::int64_t begin = codes.flags ? 0 : codes.words.front().value,
                     end = codes.flags ? 2 * codes.words.back().value : codes.words.back().value + 1;
  std::vector<std::string> items;
  for (std::int64_t v = begin; v < end; ++v) items.push_back(literal(parameter, v));
  const auto& constants = table("int", parameter.name, items);
  return begin == 0 ? fmt::format("{}[{}]", constants, raw) : fmt::format("{}[{} - {}]", constants, raw, begin);
}

const std::string& Values::use(const Index& k) {
  used_.insert(k.names.begin(), k.names.end());
  return k.text;
}

std::string Values::cursor() {
  const auto name = fmt::format("cursor_{}", ++count_);
  tables_ += fmt::format("{} struct skel_cursor {};\n", own_storage(skeleton_), name);
  return name;
}

/// Every location has one value, and they differ.
std::string Values::per_rank(const Argument& argument, const mpi::Parameter& parameter,
                             const std::vector<std::uint32_t>& where) {
  const auto role = parameter.role;
  if (is_name(role) || is_communicator(role) || is_object(role) ||
      ((is_made(role) || role == Role::message) && may_be_negative(argument))) {
    // A choice for each group of locations with the same value.
    std::map<std::int64_t, std::vector<std::uint32_t>> groups;
    for (std::size_t at = 0; at < where.size(); ++at) groups[argument.of(at).values[0]].push_back(where[at]);
    std::string text;
    for (auto group = groups.begin(); group != groups.end(); ++group) {
      const bool last = std::next(group) == groups.end();
      text += last ? literal(parameter, group->first)
                   : fmt::format("{} ? {} : ", condition(where, group->second), literal(parameter, group->first));
    }
    return text;
  }
  std::vector<std::int64_t> values(skeleton_.locations.size(), 0);
  for (std::size_t at = 0; at < where.size(); ++at) values[where[at]] = argument.of(at).values[0];
  if (role == Role::buffer) {
    const auto slot = mpi::slot_of(argument.of(0).values[0]);
    bool same = slot >= 0;
    for (std::size_t at = 0; at < where.size(); ++at) same = same && mpi::slot_of(argument.of(at).values[0]) == slot;
    if (!same) return wrap(parameter, own(places(parameter.name, values, Entries::of_ranks)), true);
    for (auto& v : values) v = mpi::offset_of(v);
    return fmt::format("buf({}, {})", slot, own(table("offset", values, Entries::of_ranks)));
  }
  if (passes_array(role)) {
    for (const auto& sequence : argument.choices) choose(sequence.values[0], parameter);
    return wrap(parameter, own(table(parameter.name, values, Entries::of_ranks)), false);
  }
  if (role == Role::target && all_places(values)) return own(places(parameter.name, values, Entries::of_ranks));
  if (is_made(role) || is_wide(role) || role == Role::request || role == Role::message)
    return wrap(parameter, own(table(parameter.name, values, Entries::of_ranks)), may_be_negative(argument));
  std::vector<std::string> items(values.size(), "0");
  for (const auto l : where) items[l] = literal(parameter, values[l]);
  return own(table(type_for(values), parameter.name, items, Entries::of_ranks));
}

/// All locations see the same values, which change.
std::string Values::over_time(const Sequence& sequence, const mpi::Parameter& parameter, const Index& index) {
  const auto& v = sequence.values;
  const auto role = parameter.role;
  Index left = index;
  const auto element = sequence.kind == SequenceKind::periodic ? modulo(left, v.size()) : index.text;
  const auto& k = use(left);
  const auto at = [&](const std::string& name) { return fmt::format("{}[{}]", name, element); };
  const bool plain = role != Role::buffer && role != Role::request && role != Role::message && !is_communicator(role) &&
                     !is_object(role) && !is_wide(role) && !is_made(role) && !passes_array(role);
  const bool number = plain && !parameter.codes;
  if (sequence.kind != SequenceKind::arithmetic && is_packed(v))
    return wrap(parameter, at(pack(parameter.name, v)), may_be_negative(sequence));
  if (sequence.kind == SequenceKind::arithmetic) {
    const auto raw = line_of(v[0], v[1], k, role);
    // A step to another slot is a multiple of the largest buffer give or take the offsets, which are below half of
    // that.
    if (role == Role::buffer && v[0] > 1 && std::abs(v[1]) < mpi::kLargestBuffer / 2)
      return fmt::format("buf({}, (size_t)({}))", mpi::slot_of(v[0]), line_of(mpi::offset_of(v[0]), v[1], k));
    if (role == Role::buffer && v[0] > 1 && v[1] % mpi::kLargestBuffer == 0)
      return fmt::format("buf({}, {})", line_of(mpi::slot_of(v[0]), v[1] / mpi::kLargestBuffer, k),
                         mpi::offset_of(v[0]));
    if (number && !may_be_negative(sequence)) return fmt::format("(int){}", times(raw));
    return wrap(parameter, plain ? fmt::format("({})", raw) : raw, may_be_negative(sequence));
  }
  if (role == Role::buffer) {
    const auto slot = mpi::slot_of(v[0]);
    if (slot < 0 || std::any_of(v.begin(), v.end(), [&](auto each) { return mpi::slot_of(each) != slot; })) {
      const auto slots = slots_at_one_offset(v);
      if (slots.empty()) return wrap(parameter, at(places(parameter.name, v)), true);
      return fmt::format("buf({}, {})", at(table(parameter.name, slots)), mpi::offset_of(v[0]));
    }
    std::vector<std::int64_t> offsets;
    for (const auto each : v) offsets.push_back(mpi::offset_of(each));
    return fmt::format("buf({}, {})", slot, at(table("offset", offsets)));
  }
  if (role == Role::target && all_places(v)) return at(places(parameter.name, v));
  if (plain) {
    std::vector<std::string> items;
    for (const auto each : v) items.push_back(literal(parameter, each));
    return at(table(type_for(v), parameter.name, items));
  }
  return wrap(parameter, at(table(parameter.name, v)), may_be_negative(sequence));
}

std::string Values::sequence(const Argument& argument, const mpi::Parameter& parameter,
                             const std::vector<std::uint32_t>& where) {
  const auto name = parameter.name;
  const bool buffers = parameter.role == Role::buffer || parameter.role == Role::target;
  const bool same = argument.choices.size() == 1 || argument.choice.empty();
  const auto entries = !same && argument.choices.size() == where.size() ? Entries::of_ranks : Entries::any;
  std::vector<std::string> items;
  bool packed = false;
  for (const auto& s : argument.choices) {
    if (s.kind == SequenceKind::constant || s.kind == SequenceKind::arithmetic) {
      items.push_back(fmt::format("{{{}, {}, 0, NULL}}", buffers ? place(s.values[0]) : std::to_string(s.values[0]),
                                  s.kind == SequenceKind::constant ? 0 : s.values[1]));
    } else if (is_packed(s.values)) {
      packed = true;
      items.push_back(fmt::format("{{0, 0, {}, NULL}}", s.values.size()));
    } else {
      std::vector<std::string> text;
      for (const auto v : s.values) text.push_back(buffers ? place(v) : std::to_string(v));
      items.push_back(fmt::format("{{0, 0, {}, {}}}", s.values.size(),
                                  table("int64_t", fmt::format("{}_values", name), text, entries)));
    }
  }
  std::string all;
  if (!packed)
    all = table("struct skel_sequence", name, items, entries);  // in front of those that say which one a rank has
  Needed by;
  if (!same) {
    std::vector<std::int64_t> choice(skeleton_.locations.size(), 0);
    for (std::size_t at = 0; at < where.size(); ++at) choice[where[at]] = argument.choice[at];
    by.of = table(fmt::format("{}_of", name), choice, Entries::of_ranks);
  }
  if (packed) all = pack(name, items, argument.choices, by, entries);
  return same ? fmt::format("&{}[0]", all) : fmt::format("&{}[{}]", all, own(by.of));
}

std::string Values::expression(const Argument& argument, const mpi::Parameter& parameter,
                               const std::vector<std::uint32_t>& where, const Index& k) {
  const auto role = parameter.role;
  if (is_name(role) && all_made(argument)) {
    Argument slots = argument;
    for (auto& s : slots.choices)
      for (std::size_t i = 0; i < (s.kind == SequenceKind::arithmetic ? 1 : s.values.size()); ++i)
        s.values[i] -= mpi::kMade;
    return expression(slots, slot_of_made(parameter), where, k);
  }
  const bool same = argument.choices.size() == 1 || argument.choice.empty();
  const bool constant =
      std::all_of(argument.choices.begin(), argument.choices.end(), [](const auto& s) { return is_constant(s); });
  if (same && (constant || k.text == "0")) return literal(parameter, argument.choices[0].at(0));
  if (constant) return per_rank(argument, parameter, where);
  if (is_name(role))
    throw Error(Code::unsupported,
                fmt::format("the predefined {} of a call changes from one execution to the next", parameter.name),
                "fold with another mode");
  if (is_made(role) && takes_negative(argument, occurrences_))
    throw Error(Code::unsupported, fmt::format("a call made no {} in some executions", parameter.name),
                "mend the program");
  if (passes_array(role)) {
    for (const auto& s : argument.choices) {
      if (s.kind == SequenceKind::arithmetic) {
        const auto beyond = static_cast<std::int64_t>(skeleton_.arrays.size());
        for (std::uint64_t each = 0; each < occurrences_; ++each)
          if (const auto id = s.at(each); id >= 0 && id < beyond) choose(id, parameter);
      } else {
        for (const auto id : s.values) choose(id, parameter);
      }
    }
  }
  if (same) return over_time(argument.choices[0], parameter, k);
  return wrap(parameter, fmt::format("skel_at({}, {})", sequence(argument, parameter, where), use(k)),
              may_be_negative(argument));
}

bool Values::has_places(const Argument& target) {
  return std::ranges::any_of(target.choices, [](const Sequence& s) {
    return std::ranges::any_of(s.values, [](std::int64_t v) { return mpi::is_place(v); });
  });
}

std::string Values::number(const Argument& argument, std::string_view name, const std::vector<std::uint32_t>& where,
                           const Index& k) {
  auto text = expression(argument, {name, Role::integer, Direction::in}, where, k);
  return text.starts_with("(int)") ? text.substr(5) : text;
}

std::string Values::compute(const std::vector<double>& mean_s, const std::vector<std::uint32_t>& where,
                            std::string_view note, double common_s, const std::string& work) {
  if (std::all_of(mean_s.begin(), mean_s.end(), [](double s) { return s <= 0; })) return {};
  std::vector<std::string> row(skeleton_.locations.size(), "0");
  for (std::size_t at = 0; at < where.size(); ++at) row[where[at]] = emit::number(std::max(0.0, mean_s[at]));
  const auto [least, most] = std::minmax_element(mean_s.begin(), mean_s.end());
  const auto low = duration(std::max(0.0, *least)), high = duration(*most);
  gaps_.push_back(fmt::format("{{{}}}", join(row)));
  const auto comment = (low == high ? low : low + " to " + high) + (note.empty() ? "" : ", ") + std::string(note);
  if (common_s > 0)
    return fmt::format("skel_compute_long{}({}, {}{}); /* {} */", work.empty() ? "" : "_as",
                       own(fmt::format("gap[{}]", gaps_.size() - 1)), emit::number(common_s), behind_comma(work),
                       comment);
  (work.empty() ? has_short_gaps_ : has_short_works_) = true;
  if (!work.empty()) return fmt::format("compute_as(gap[{}], {}); /* {} */", gaps_.size() - 1, work, comment);
  return fmt::format("compute(gap[{}]); /* {} */", gaps_.size() - 1, comment);
}

std::string Values::work(const skeleton::Compute& compute, const std::vector<std::uint32_t>& where) {
  if (!skeleton_.fitted) return {};
  std::vector<std::int64_t> numbers(skeleton_.locations.size(), 0), own_numbers;
  for (std::size_t at = 0; at < where.size() && at < compute.work.size(); ++at) {
    numbers[where[at]] = compute.work[at];
    if (compute.mean_s[at] > 0) own_numbers.push_back(compute.work[at]);
  }
  if (own_numbers.empty()) return "0";
  if (std::ranges::all_of(own_numbers, [&](std::int64_t n) { return n == own_numbers[0]; }))
    return std::to_string(own_numbers[0]);
  return own(table("work_of", numbers, Entries::of_ranks));
}

std::string Values::condition(const std::vector<std::uint32_t>& all, const std::vector<std::uint32_t>& some) {
  if (some.size() == all.size()) return {};
  if (const auto rule = rank_condition(all, some, me_); !rule.empty()) return rule;
  std::vector<std::int64_t> in(skeleton_.locations.size(), 0);
  for (const auto l : some) in[l] = 1;
  return own(table("participates", in, Entries::of_ranks));
}

}  // namespace skelgen::emit
