#include <fmt/format.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <utility>

#include "emit/values.h"
#include "mpi/codes.h"
#include "mpi/values.h"
#include "support/error.h"

namespace skelgen::emit {
namespace {

using mpi::Direction;
using mpi::Role;
using skeleton::Sequence;

constexpr std::size_t kFewNumbers = 64;  ///< that a table writes one by one

/// Of 128 bits: what differs has another one.
class Hash {
 public:
  Hash() { XXH3_128bits_reset(&state_); }
  void add(std::string_view text) { XXH3_128bits_update(&state_, text.data(), text.size()); }
  void add(const std::vector<std::int64_t>& numbers) {
    XXH3_128bits_update(&state_, numbers.data(), numbers.size() * sizeof numbers[0]);
  }
  std::pair<std::uint64_t, std::uint64_t> value() const {
    const auto hash = XXH3_128bits_digest(&state_);
    return {hash.high64, hash.low64};
  }

 private:
  XXH3_state_t state_;
};

}  // namespace

std::string number_text(const mpi::Parameter& parameter, std::int64_t v) {
  const auto* codes = parameter.codes;
  return codes && codes->contains(v) ? codes->text(v) : mpi::text(parameter.role, v);
}

std::string place(std::int64_t buffer) {
  if (mpi::slot_of(buffer) < 0) return std::to_string(buffer);
  return fmt::format("SKEL_AT({}, {})", mpi::slot_of(buffer), mpi::offset_of(buffer));
}

std::string_view type_for(const std::vector<std::int64_t>& values) {
  const bool wide = std::ranges::any_of(values, [](std::int64_t v) { return !std::in_range<std::int32_t>(v); });
  return wide ? "int64_t" : "int";
}

std::string prefix_of(const mpi::Parameter& parameter, const WrittenArgument& how) {
  if (how.apart) return "copy";
  if (parameter.role == Role::aints) return "bytes";
  return parameter.codes ? fmt::format("{}s", parameter.codes->name) : "array";
}

std::string Values::table(std::string_view type, std::string_view name, const std::vector<std::string>& items,
                          Entries entries) {
  const auto contents = fmt::format("[] = {{{}}};", join(items));
  const bool apart = apart_ && entries == Entries::of_ranks;
  auto& known = known_[fmt::format("{} {} {} {}", apart, type, name, contents)];
  if (known.empty()) {
    known = fmt::format("{}_{}", name, ++count_);
    Writer out;
    out.line(fmt::format("static const {} {}{}", type, known, contents));
    (apart ? rank_tables_ : tables_) += out.text();
  }
  return known;
}

std::string Values::table(std::string_view name, const std::vector<std::int64_t>& items, Entries entries) {
  std::vector<std::string> text;
  for (const auto v : items) text.push_back(std::to_string(v));
  return table(type_for(items), name, text, entries);
}

bool Values::is_packed(const std::vector<std::int64_t>& numbers) const {
  return packing_ && numbers.size() > kFewNumbers;
}

/// A table of these numbers, packed.
std::string Values::pack(std::string_view name, const std::vector<std::int64_t>& numbers) {
  Hash hash;
  hash.add(name);
  hash.add(numbers);
  auto& known = packed_names_[hash.value()];
  if (known.empty()) {
    known = fmt::format("{}_{}", name, ++count_);
    const auto type = type_for(numbers);
    tables_ += fmt::format("static const {}* {};\n", type, known);
    packed_.add("&" + known, type == "int" ? 4 : 8, numbers);
  }
  return known;
}

/// A table of sequences, those with many values packed.
std::string Values::pack(std::string_view name, const std::vector<std::string>& items,
                         const std::vector<Sequence>& choices, const Needed& by, Entries entries) {
  Hash hash;
  hash.add(fmt::format("{} {} {}", name, by.of, join(items)));
  for (const auto& sequence : choices) hash.add(sequence.values);
  auto& known = packed_names_[hash.value()];
  if (known.empty()) {
    known = fmt::format("{}_{}", name, ++count_);
    Writer out;
    out.line(fmt::format("static struct skel_sequence {}[] = {{{}}};", known, join(items)));
    (apart_ && entries == Entries::of_ranks ? rank_tables_ : tables_) += out.text();
    for (std::size_t i = 0; i < choices.size(); ++i)
      if (choices[i].kind != Sequence::Kind::constant && choices[i].kind != Sequence::Kind::arithmetic &&
          is_packed(choices[i].values))
        packed_.add(fmt::format("&{}[{}].values", known, i), 8, choices[i].values,
                    {by.of, static_cast<std::int64_t>(i)});
  }
  return known;
}

std::string Values::texts(std::string_view name, const std::vector<std::string>& all, std::string_view empty) {
  std::vector<std::string> items;
  for (const auto& text : all) items.push_back(text.empty() ? std::string(empty) : fmt::format("\"{}\"", text));
  return table("char* const", name, items);
}

std::string Values::places(std::string_view name, const std::vector<std::int64_t>& buffers, Entries entries) {
  std::vector<std::string> text;
  for (const auto v : buffers) text.push_back(place(v));
  return table("int64_t", name, text, entries);
}

namespace {
/// "MPI_Aint", "{2, 2}": type of the elements and initializer of an array.
std::pair<std::string_view, std::string> elements(const std::vector<std::int64_t>& values,
                                                  const mpi::Parameter& parameter) {
  std::vector<std::string> text;
  for (const auto v : values) text.push_back(number_text(parameter, v));
  return {parameter.role == Role::aints ? "MPI_Aint" : "int", fmt::format("{{{}}}", join(text))};
}
}  // namespace

std::string Values::short_array(std::int64_t id, const mpi::Parameter& parameter) {
  constexpr std::size_t kShort =
      4;  // sizes and coordinates of grids, two dimensions of which fit one line with the call
  const auto& values = skeleton_.arrays.at(static_cast<std::size_t>(id));
  if (values.empty() || values.size() > kShort || parameter.role == Role::datatypes || how_.apart)
    return array(id, parameter);
  const auto [type, text] = elements(values, parameter);
  return fmt::format("(const {}[]){}", type, text);
}

std::string Values::array(std::int64_t id, const mpi::Parameter& parameter) {
  const auto& values = skeleton_.arrays.at(static_cast<std::size_t>(id));
  if (values.empty() && parameter.role != Role::datatypes)
    return !how_.nothing ? "NULL" : parameter.role == Role::aints ? "(MPI_Aint[]){0}" : "(int[]){0}";
  if (parameter.role == Role::datatypes) return fmt::format("(MPI_Datatype[]){{{}}}", join(types(id)));
  const auto prefix = prefix_of(parameter, how_);
  auto& name = arrays_[prefix].names[id];
  if (name.empty()) {
    name = fmt::format("{}_{}", prefix, id);
    const auto [type, text] = elements(values, parameter);
    Writer out;
    out.line(fmt::format("static const {} {}[] = {};", type, name, text));
    tables_ += out.text();
  }
  return name;
}

/// Expressions of an array of datatypes.
std::vector<std::string> Values::types(std::int64_t id) {
  std::vector<std::string> all;
  if (skeleton_.arrays.at(static_cast<std::size_t>(id)).empty()) return {"MPI_BYTE"};  // MPICH looks at the first one
  for (const auto v : skeleton_.arrays.at(static_cast<std::size_t>(id)))
    all.push_back(literal({"", Role::datatype, Direction::in}, v));
  return all;
}

/// The array is chosen at run time.
void Values::choose(std::int64_t id, const mpi::Parameter& parameter) {
  if (id < 0 || id >= static_cast<std::int64_t>(skeleton_.arrays.size()))
    throw Error(Code::internal, "array " + std::to_string(id) + " of " + std::to_string(skeleton_.arrays.size()));
  if (parameter.role == Role::datatypes) {
    types_of_[id] = types(id);
  } else if (packing_ && !parameter.codes) {
    arrays_[prefix_of(parameter, how_)].packed.insert(id);
  } else if (skeleton_.arrays[static_cast<std::size_t>(id)].empty()) {  // some MPIs look at its first element
    const auto prefix = prefix_of(parameter, how_);
    auto& name = arrays_[prefix].names[id];
    if (!name.empty()) return;
    name = prefix + "_none";
    tables_ += fmt::format("static const {} {}[1];\n", parameter.role == Role::aints ? "MPI_Aint" : "int", name);
  } else {
    (void)array(id, parameter);
  }
}

/// Arrays that are chosen at run time, which are many.
void Values::pack_arrays(const std::string& prefix) {
  auto& arrays = arrays_[prefix];
  for (const auto& [id, name] : arrays.names) arrays.packed.insert(id);
  std::vector<std::vector<std::int64_t>> all(static_cast<std::size_t>(*arrays.packed.rbegin()) + 1);
  for (const auto id : arrays.packed)
    all[static_cast<std::size_t>(id)] = skeleton_.arrays[static_cast<std::size_t>(id)];
  tables_ += fmt::format("static const {}* const* {};\n", prefix == "bytes" ? "MPI_Aint" : "int", prefix);
  packed_.add_arrays("&" + prefix, prefix == "bytes" ? 8 : 4, all);
}

std::string Values::tables() {
  for (const auto& [prefix, arrays] : arrays_)
    if (arrays.pointers && !arrays.packed.empty()) pack_arrays(prefix);
  std::string text = tables_;
  Writer out;
  for (const auto& [prefix, arrays] : arrays_) {
    if (!arrays.pointers || !arrays.packed.empty()) continue;
    std::vector<std::string> names(skeleton_.arrays.size(), "NULL");
    for (const auto& [id, name] : arrays.names) names.at(static_cast<std::size_t>(id)) = name;
    out.line(fmt::format("static const {}* const {}[] = {{{}}};", prefix == "bytes" ? "MPI_Aint" : "int", prefix,
                         join(names)));
  }
  if (!types_of_.empty()) {
    std::size_t most = 1;
    for (const auto& [id, all] : types_of_) most = std::max(most, all.size());
    out.line("/* A list of datatypes by its number, valid until the next call but one. */");
    out.open("static const MPI_Datatype* types_of(long number)");
    out.line(fmt::format("{} MPI_Datatype lists[2][{}];", own_storage(skeleton_), most));
    out.line(fmt::format("{} int turn;", own_storage(skeleton_)));
    out.line("MPI_Datatype* const list = lists[turn ^= 1];");
    out.open("switch (number)");
    for (const auto& [id, all] : types_of_) {
      out.line(fmt::format("case {}:", id));
      for (std::size_t i = 0; i < all.size(); ++i) out.line(fmt::format("  list[{}] = {};", i, all[i]));
      out.line("  break;");
    }
    out.close();
    out.line("return list;");
    out.close();
  }
  return text + out.text();
}

std::string Values::gaps() const {
  if (gaps_.empty()) return {};
  Writer out;
  out.line(fmt::format("/* Computation in seconds: a row for each place in the program, a column for each {}. */",
                       skeleton::has_threads(skeleton_) ? "thread" : "rank"));
  out.line(fmt::format("static const double gap[][{}] = {{", skeleton_.locations.size()));
  for (const auto& row : gaps_) out.line(fmt::format("  {},", row));
  out.line("};");
  return out.text();
}

}  // namespace skelgen::emit
