#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <ostream>
#include <queue>
#include <set>
#include <tuple>

#include "skel_kernel_names.h"
#include "skeleton/groups.h"
#include "support/fingerprint.h"
#include "text/words.h"

namespace skelgen::text {
namespace {

/// Arguments as text. Refers to the skeleton.
class ArgumentText {
 public:
  explicit ArgumentText(const Skeleton& skeleton) : skeleton_(skeleton), value_(skeleton) {}
  /// One text if all locations agree; a table {a, b, ...} by position if they differ in constants; else "[who] text |
  /// [who] text". call: of which it is an argument, for formulas of the rank.
  std::string operator()(const Argument& argument, mpi::Role role, const Locations& where,
                         const Call* call = nullptr) const;
  std::string sequence(const Sequence& sequence, mpi::Role role) const;

 private:
  const Skeleton& skeleton_;
  ValueText value_;
};

/// "[0..3] ", or nothing where all locations are meant.
std::string who(const Locations& where, const Locations& all) {
  return where == all ? std::string() : fmt::format("[{}] ", ranges(where));
}

std::string ArgumentText::operator()(const Argument& argument, mpi::Role role, const Locations& where,
                                     const Call* call) const {
  std::vector<bool> ruled;
  for (const Sequence& sequence : argument.choices)
    ruled.push_back(call && argument.rule && argument.rule->kind != RankRule::Kind::constant &&
                    sequence.kind == Sequence::Kind::constant &&
                    (sequence.values[0] >= 0 || argument.rule->kind == RankRule::Kind::neighbour));
  const auto choice = [&](std::size_t p) { return argument.choice.empty() ? 0 : argument.choice[p]; };
  for (std::size_t p = 0; p < where.size(); ++p)
    if (ruled[choice(p)])
      ruled[choice(p)] =
          rule_at(skeleton_, *call, p, where[p], *argument.rule) == argument.choices[choice(p)].values[0];
  std::vector<std::string> of_choice;
  bool constants = true;
  for (std::size_t c = 0; c < argument.choices.size(); ++c) {
    of_choice.push_back(ruled[c] ? formula(*argument.rule) : sequence(argument.choices[c], role));
    constants = constants && !ruled[c] && argument.choices[c].kind == Sequence::Kind::constant;
  }
  if (argument.choice.empty()) return of_choice[0];
  std::vector<std::pair<std::string, Locations>> groups;
  std::map<std::string_view, std::size_t> group_of;
  for (std::size_t p = 0; p < where.size(); ++p) {
    const std::string& own = of_choice[choice(p)];
    const auto [entry, added] = group_of.emplace(own, groups.size());
    if (added) groups.emplace_back(own, Locations{});
    groups[entry->second].second.push_back(where[p]);
  }
  if (groups.size() == 1) return groups[0].first;
  std::vector<std::string> items;
  if (constants && groups.size() > 2) {
    for (std::size_t p = 0; p < where.size(); ++p) items.push_back(of_choice[choice(p)]);
    return fmt::format("{{{}}}", runs(items));
  }
  for (const auto& [own, locations] : groups) items.push_back(fmt::format("[{}] {}", ranges(locations), own));
  return fmt::format("{}", fmt::join(items, " | "));
}

std::string ArgumentText::sequence(const Sequence& sequence, mpi::Role role) const {
  if (sequence.kind == Sequence::Kind::arithmetic) {
    const std::int64_t step = sequence.values[1];
    std::uint64_t size = step < 0 ? 0 - static_cast<std::uint64_t>(step) : static_cast<std::uint64_t>(step);
    constexpr auto kSlot = static_cast<std::uint64_t>(mpi::kLargestBuffer);
    const bool buffers = role == mpi::Role::buffer || (role == mpi::Role::target && mpi::is_place(sequence.values[0]));
    const bool slots = buffers && step != 0 && size % kSlot == 0;
    if (slots) size /= kSlot;
    const bool numbered = is_array(role) || role == mpi::Role::info;
    const auto first =
        numbered && sequence.values[0] >= 0 ? fmt::format("a{}", sequence.values[0]) : value_(role, sequence.values[0]);
    return fmt::format("{} {} {}k{}", first, step < 0 ? '-' : '+', size == 1 ? "" : std::to_string(size),
                       slots ? " slots" : "");
  }
  if (sequence.kind == Sequence::Kind::constant) return value_(role, sequence.values[0]);
  const auto items = runs(sequence.values, [&](std::int64_t v) { return value_(role, v); });
  return fmt::format("{}({})", sequence.kind == Sequence::Kind::periodic ? "periodic" : "table", items);
}

// Who the locations are: what they have in common stands in one line.

/// A communicator, window or file with all that share it.
struct Shared {
  struct Side {
    int size = 0;
    std::map<std::uint32_t, const Communicator*> members;  ///< by location
  };
  std::vector<Side> sides;
  std::pair<std::uint32_t, std::size_t> first{~0u, 0};  ///< the first location that has it, and the place in its list
  std::set<std::size_t> later;                          ///< those that some location made right after it
  std::size_t before = 0;                               ///< that must stand before it
};

using Lists = std::vector<std::span<const Communicator>>;

/// The communicators of all lists, each once, in an order that agrees with the order of every list.
std::vector<Shared> shared(const Lists& lists) {
  using Key = std::tuple<std::uint64_t, std::uint64_t, int, int, int>;  // groups, their sizes, how many before
  std::map<Key, std::size_t> numbers;
  std::vector<Shared> all;
  for (std::uint32_t l = 0; l < lists.size(); ++l) {
    std::map<Key, int> times;
    std::optional<std::size_t> last;
    for (std::size_t i = 0; i < lists[l].size(); ++i) {
      const Communicator& c = lists[l][i];
      const bool left = !c.inter() || c.identity <= c.remote;
      Key key = left ? Key{c.identity, c.remote, c.size, c.remote_size, 0}
                     : Key{c.remote, c.identity, c.remote_size, c.size, 0};
      std::get<4>(key) = times[key]++;
      const auto [known, added] = numbers.emplace(key, all.size());
      if (added) {
        all.emplace_back().sides.resize(c.inter() ? 2 : 1);
        all.back().sides.front().size = std::get<2>(key);
        if (c.inter()) all.back().sides.back().size = std::get<3>(key);
        all.back().first = {l, i};
      }
      all[known->second].sides[left ? 0 : 1].members.emplace(l, &c);
      if (last && all[*last].later.insert(known->second).second) ++all[known->second].before;
      last = known->second;
    }
  }
  // The one that is free and was named first comes next; if all wait for each other, the one that was named first.
  const auto after = [&](std::size_t a, std::size_t b) { return all[a].first > all[b].first; };
  std::priority_queue<std::size_t, std::vector<std::size_t>, decltype(after)> free(after);
  std::vector<bool> done(all.size(), false);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].before == 0) free.push(i);
  for (std::size_t stuck = 0; order.size() < all.size();) {
    if (free.empty()) {
      while (done[stuck]) ++stuck;
      free.push(stuck);
    }
    const std::size_t next = free.top();
    free.pop();
    if (done[next]) continue;
    done[next] = true;
    order.push_back(next);
    for (const std::size_t other : all[next].later)
      if (--all[other].before == 0 && !done[other]) free.push(other);
  }
  std::vector<Shared> sorted;
  for (const std::size_t i : order) {
    // The side of the first location stands first: which of two groups has the smaller identity means nothing.
    if (!all[i].sides[0].members.contains(all[i].first.first)) std::swap(all[i].sides.front(), all[i].sides.back());
    sorted.push_back(std::move(all[i]));
  }
  return sorted;
}

std::string in_order(const Locations& members) {
  std::string text;
  for (std::size_t i = 0, end; i < members.size(); i = end) {
    for (end = i + 1; end < members.size() && members[end] == members[end - 1] + 1;) ++end;
    if (end - i == 2) end = i + 1;
    text += fmt::format("{}{}", text.empty() ? "" : ",", members[i]);
    if (end - i > 1) text += fmt::format("..{}", members[end - 1]);
  }
  return text;
}

/// A number of each member.
std::string each(const ArgumentText& argument, const Shared::Side& side, mpi::Role role, auto number) {
  Argument all;
  all.choices.clear();
  Locations where;
  for (const auto& [l, c] : side.members) {
    where.push_back(l);
    all.choice.push_back(static_cast<std::uint32_t>(all.choices.size()));
    all.choices.push_back({Sequence::Kind::constant, {number(*c)}});
  }
  return argument(all, role, where);
}

/// "[0..3]": the members in order of their ranks, if all are known; else how many there are, and who is which.
std::string members(const ArgumentText& argument, const Shared::Side& side) {
  std::map<int, std::uint32_t> by_rank;
  for (const auto& [l, c] : side.members) by_rank.emplace(c->rank, l);
  Locations all;
  for (const auto& [rank, l] : by_rank)
    if (rank == static_cast<int>(all.size())) all.push_back(l);
  if (static_cast<int>(all.size()) == side.size && all.size() == side.members.size())
    return fmt::format("[{}]", in_order(all));
  if (side.members.empty()) return fmt::format("size {}", side.size);
  Locations where;
  for (const auto& [l, c] : side.members) where.push_back(l);
  return fmt::format("size {} [{}] ranks {}", side.size, ranges(where),
                     each(argument, side, mpi::Role::count, [](const Communicator& c) { return c.rank; }));
}

/// " grid (3, 4 periodic)"; nothing without one.
std::string grid(const Shared::Side& side) {
  if (side.members.empty() || !side.members.begin()->second->grid) return {};
  std::string text;
  for (const auto& [size, periodic] : side.members.begin()->second->grid->dimensions)
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", size, periodic ? " periodic" : "");
  return " grid (" + text + ")";
}

std::string text_of_shared(const ArgumentText& argument, const char* word, mpi::Role role, const Lists& lists) {
  std::string text;
  for (const Shared& one : shared(lists)) {
    text += word;
    const char* between = " ";
    for (const Shared::Side& side : one.sides) {
      text += between;
      between = " to ";
      if (!side.members.empty())
        text += each(argument, side, role, [](const Communicator& c) { return c.slot; }) + " of ";
      text += members(argument, side);
      const auto in = [](const Communicator& c) { return c.sources; };
      const auto out = [](const Communicator& c) { return c.destinations; };
      if (std::ranges::any_of(side.members, [](const auto& m) { return m.second->sources >= 0; }))
        text += " sources " + each(argument, side, mpi::Role::count, in);
      if (std::ranges::any_of(side.members, [](const auto& m) { return m.second->destinations >= 0; }))
        text += " destinations " + each(argument, side, mpi::Role::count, out);
      text += grid(side);
    }
    text += "\n";
  }
  return text;
}

/// Location l is rank l, and its first communicators are MPI_COMM_WORLD with all of them and MPI_COMM_SELF.
bool usual(const std::vector<LocationData>& locations) {
  std::set<std::uint64_t> groups;
  for (std::size_t l = 0; l < locations.size(); ++l) {
    const auto& [rank, thread] = locations[l].where;
    const auto& known = locations[l].communicators;
    if (rank != static_cast<Rank>(l) || thread != 0 || known.size() < 2) return false;
    const Communicator &world = known[0], &self = known[1];
    const bool right = world.slot == 0 && world.size == static_cast<int>(locations.size()) && world.rank == rank &&
                       world.identity == locations[0].communicators[0].identity && self.slot == 1 && self.size == 1 &&
                       self.rank == 0;
    const bool plain = !world.inter() && !self.inter() && world.sources < 0 && world.destinations < 0 &&
                       self.sources < 0 && self.destinations < 0 && !world.grid && !self.grid;
    if (!right || !plain || !groups.insert(self.identity).second || self.identity == world.identity) return false;
  }
  return !locations.empty();
}

/// Lines that say `of(location)`, one for all locations that say the same.
std::string lines(const std::vector<LocationData>& locations, auto of) {
  std::vector<std::pair<std::string, Locations>> groups;
  std::map<std::string, std::size_t> group_of;
  Locations all;
  for (std::uint32_t l = 0; l < locations.size(); ++l) {
    all.push_back(l);
    std::string text = of(locations[l]);
    if (text.empty()) continue;
    const auto [entry, added] = group_of.emplace(text, groups.size());
    if (added) groups.emplace_back(std::move(text), Locations{});
    groups[entry->second].second.push_back(l);
  }
  std::string text;
  for (const auto& [line, where] : groups) text += who(where, all) + line + "\n";
  return text;
}

std::string buffers(const LocationData& location) {
  const auto items = runs(location.buffer_bytes, [](std::uint64_t bytes) { return std::to_string(bytes); });
  return items.empty() ? items : fmt::format("buffers ({})", items);
}

std::string turns(const LocationData& location) {
  std::vector<std::string> items;
  for (const auto& [call, thread, calls] : location.turns)
    items.push_back(fmt::format("{} after {} of thread {}", call, calls, thread));
  return items.empty() ? std::string() : fmt::format("turns ({})", fmt::join(items, ", "));
}

std::string machine(const LocationData& location) {
  std::string text;
  const auto add = [&](const char* word, double value) {
    if (value != 0) text += fmt::format("{}{} {}", text.empty() ? "" : " ", word, value);
  };
  if (location.working_set_bytes > 0) text = fmt::format("working_set {}", location.working_set_bytes);
  add("register", location.speed_register);
  add("memory", location.speed_memory);
  add("flops", location.speed_flops);
  std::vector<std::string> kernels;
  for (std::size_t k = 0; k < location.kernel_speeds.size(); ++k)
    if (location.kernel_speeds[k] > 0)
      kernels.push_back(
          fmt::format("{} {} {}", skel_kernel_name[k], location.kernel_speeds[k], location.kernel_noise[k]));
  if (!kernels.empty()) text += fmt::format("{}kernels ({})", text.empty() ? "" : " ", fmt::join(kernels, ", "));
  if (!location.processor.empty())
    text += fmt::format("{}processor {}", text.empty() ? "" : " ", mpi::quoted(location.processor));
  return text.empty() ? text : "machine " + text;
}

/// Who the locations are: "ranks 4", their buffers, machines and communicators.
std::string text_of_locations(const Skeleton& skeleton) {
  const auto& locations = skeleton.locations;
  const ArgumentText argument(skeleton);
  const bool short_form = usual(locations);
  std::string text = short_form ? fmt::format("ranks {}\n", locations.size()) : "";
  for (std::size_t l = 0; !short_form && l < locations.size(); ++l)
    text += fmt::format("location {} rank {} thread {}\n", l, locations[l].where.rank, locations[l].where.thread);
  text += lines(locations, machine) + lines(locations, buffers) + lines(locations, turns);
  Lists communicators, windows, files;
  for (const LocationData& location : locations) {
    communicators.push_back(std::span(location.communicators).subspan(short_form ? 2 : 0));
    windows.push_back(location.windows);
    files.push_back(location.files);
  }
  return text + text_of_shared(argument, "comm", mpi::Role::comm, communicators) +
         text_of_shared(argument, "window", mpi::Role::win, windows) +
         text_of_shared(argument, "file", mpi::Role::file, files);
}

class Printer {
 public:
  explicit Printer(const Skeleton& skeleton)
      : skeleton_(skeleton), argument_(skeleton), all_(skeleton.locations.size()) {
    std::iota(all_.begin(), all_.end(), 0u);
  }

  std::string all() {
    head();
    text_ += text_of_locations(skeleton_);
    scratch();
    names();
    text_ += "program {\n";
    block(skeleton_.program, all_, 1);
    text_ += "}\n";
    for (std::size_t p = 0; p < skeleton_.pools.size(); ++p) pool(p);
    arrays();
    works();
    return text_ + samples_;
  }

  /// Of the calls in all().
  void lines(Places& places) const {
    std::size_t done = 0;
    std::uint32_t line = skeleton_.edited ? 1 : 2;  // "traced" is the second one
    for (const auto& [node, begin] : begins_) {
      line += static_cast<std::uint32_t>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(done),
                                                    text_.begin() + static_cast<std::ptrdiff_t>(begin), '\n'));
      done = begin;
      places.lines[node] = line;
    }
  }

 private:
  void head() {
    text_ += "skeleton 1";
    if (!skeleton_.mpi_name.empty()) text_ += fmt::format(" {}", mpi::quoted(skeleton_.mpi_name));
    if (skeleton_.traced_wall_s > 0) text_ += " wall " + seconds(skeleton_.traced_wall_s);
    if (skeleton_.cpu_time) text_ += " cpu";
    if (skeleton_.recorded_order) text_ += " recorded";
    if (skeleton_.tolerance > 0) text_ += fmt::format(" tolerance {}", skeleton_.tolerance);
    text_ += "\n";
    for (const auto& [name, note] : skeleton_.notes)
      text_ += fmt::format("note {} {}\n", mpi::quoted(name), mpi::quoted(note));
  }

  void scratch() {
    for (std::size_t n = 0; n < skeleton_.scratch.size(); ++n) {
      const auto& [bytes, rank] = skeleton_.scratch[n];
      text_ += fmt::format("scratch {}{} rank {}\n", n, bytes < 0 ? "" : fmt::format(" bytes {}", bytes), rank);
    }
  }

  void names() {
    std::vector<std::string> items;
    for (std::size_t n = 0; n < skeleton_.names.size(); ++n) {
      const std::string& name = skeleton_.names[n];
      const int bytes = n < skeleton_.name_bytes.size() ? skeleton_.name_bytes[n] : 0;
      items.push_back((is_identifier(name) ? name : mpi::quoted(name)) +
                      (bytes == mpi::datatype_size(name) ? "" : fmt::format(" {}", bytes)));
    }
    if (!items.empty()) text_ += fmt::format("names {}\n", fmt::join(items, ", "));
  }

  // `around`: locations that execute the enclosing block; nothing is said where all of them are meant.
  void block(const Block& nodes, const Locations& around, std::size_t level) {
    const std::string indent(2 * level, ' ');
    for (const Node& node : nodes) {
      compute(node.before, "compute", node.where, around, indent);
      if (!node.is_loop()) {
        call(node, around, indent);
        continue;
      }
      text_ += indent + who(node.where, around);
      const Loop& loop = node.loop();
      text_ += fmt::format("loop {}{} {{\n", argument_(loop.trips, mpi::Role::count, node.where),
                           loop.pool < 0 ? "" : fmt::format(" of pool {}", loop.pool));
      compute(loop.between, "between", node.where, node.where, indent + "  ");
      block(loop.body, node.where, level + 1);
      text_ += indent + "}\n";
    }
  }

  // One line for the locations that compute here.
  void compute(const Compute& compute, const char* word, const Locations& where, const Locations& around,
               const std::string& indent) {
    Locations busy;
    std::vector<double> mean_s;
    Argument work;
    work.choices.clear();
    for (std::size_t p = 0; p < where.size(); ++p) {
      const double mean = compute.mean_s.empty() ? 0 : compute.mean_s[p];
      if (mean == 0) continue;
      busy.push_back(where[p]);
      mean_s.push_back(mean);
      work.choice.push_back(static_cast<std::uint32_t>(work.choices.size()));
      work.choices.push_back({Sequence::Kind::constant, {compute.work.empty() ? 0 : compute.work[p]}});
    }
    const bool varies = !compute.samples.of.empty();
    if (busy.empty() && !varies) return;
    if (busy.empty()) {
      busy = where;
      mean_s.assign(where.size(), 0);
    }
    text_ += fmt::format("{}{}{} {}", indent, who(busy, around), word, seconds(mean_s));
    if (varies) text_ += fmt::format(" samples {}", samples(compute.samples, where));
    if (std::ranges::any_of(work.choices, [](const Sequence& number) { return number.values[0] > 0; }))
      text_ += " work " + argument_(work, mpi::Role::count, busy);
    text_ += "\n";
  }

  /// The number of what is printed at the end.
  std::size_t samples(const Samples& samples, const Locations& where) {
    samples_ += fmt::format("samples {} {{\n", sampled_);
    for (std::size_t p = 0; p < where.size(); ++p) {
      const auto& [seconds, ends] = samples.of[p];
      if (ends.empty()) continue;
      samples_ += fmt::format("  [{}]", where[p]);
      std::size_t begin = 0;
      for (std::size_t row = 0, same; row < ends.size(); row += same) {
        const std::size_t end = ends[row];
        for (same = 1; row + same < ends.size() && begin == end && ends[row + same] == end;) ++same;
        samples_ += ' ';
        samples_ += list_of_seconds(std::span(seconds).subspan(begin, end - begin));
        if (same > 1) samples_ += fmt::format(" x {}", same);
        begin = end;
      }
      samples_ += "\n";
    }
    samples_ += "}\n";
    return sampled_++;
  }

  void call(const Node& node, const Locations& around, const std::string& indent) {
    const Call& call = node.call();
    begins_.emplace_back(&node, text_.size());
    text_ += indent + who(node.where, around);
    std::vector<std::string> arguments;
    for (std::size_t a = 0; a < call.arguments.size(); ++a) {
      const mpi::Parameter& parameter = call.function->parameters[a];
      auto text = argument_(call.arguments[a], written_role(*call.function, parameter), node.where, &call);
      const bool unsaid = parameter.role == mpi::Role::status || parameter.role == mpi::Role::statuses;
      if (!unsaid || text != "()") arguments.push_back(fmt::format("{}={}", parameter.name, text));
    }
    text_ += fmt::format("{}({})", call.function->name, fmt::join(arguments, ", "));
    if (call.order.choices.size() > 1 || call.order.choices[0] != Sequence{})
      text_ += " order " + argument_(call.order, mpi::Role::count, node.where);
    if (call.matched) text_ += " got " + argument_(*call.matched, mpi::Role::peer, node.where, &call);
    if (call.any_order) text_ += " in any order";
    if (std::ranges::any_of(call.answers, [](std::uint8_t k) { return k > 0; })) {
      Argument answers;
      answers.choices.clear();
      for (const std::uint8_t k : call.answers) {
        answers.choice.push_back(static_cast<std::uint32_t>(answers.choices.size()));
        answers.choices.push_back({Sequence::Kind::constant, {k}});
      }
      text_ += " answers " + argument_(answers, mpi::Role::count, node.where);
    }
    if (call.dispatch) text_ += " number " + argument_(*call.dispatch, mpi::Role::count, node.where);
    if (call.ends_pool) text_ += " ends the pool";
    if (std::ranges::any_of(call.duration_s, [](double s) { return s > 0; }))
      text_ += " took " + seconds(call.duration_s);
    text_ += "\n";
  }

  void pool(std::size_t p) {
    const Pool& pool = skeleton_.pools[p];
    text_ += fmt::format("pool {} {{\n  ends ({})\n", p, runs(pool.ends, [](int end) { return std::to_string(end); }));
    for (std::size_t i = 0; i < pool.body.size(); ++i) {
      if (i < pool.compute_s.size() && !pool.compute_s[i].empty())
        text_ += fmt::format("  compute {}\n", list_of_seconds(pool.compute_s[i]));
      call(pool.body[i], all_, "  ");
    }
    text_ += "}\n";
  }

  /// All of them, so that each keeps its number. The first one is empty.
  void arrays() {
    for (std::size_t id = 0; id < skeleton_.arrays.size(); ++id) {
      if (id == 0 && skeleton_.arrays[0].empty()) continue;
      const auto items = runs(skeleton_.arrays[id], [](std::int64_t v) { return std::to_string(v); });
      text_ += fmt::format("array a{} ({})\n", id, items);
    }
  }

  void works() {
    if (!skeleton_.features.empty()) text_ += fmt::format("features {}\n", fmt::join(skeleton_.features, ", "));
    for (std::size_t w = 0; w < skeleton_.works.size(); ++w) {
      std::vector<std::string> items;
      for (const auto& [feature, times] : skeleton_.works[w].counts)
        items.push_back(fmt::format("{} {}", skeleton_.features[feature], times));
      text_ += fmt::format("work {} ({})\n", w + 1, fmt::join(items, ", "));
    }
  }

  const Skeleton& skeleton_;
  ArgumentText argument_;
  Locations all_;
  std::string text_, samples_;
  std::vector<std::pair<const Node*, std::size_t>> begins_;  // where in text_ calls stand
  std::size_t sampled_ = 0;                                  // samples printed
};

}  // namespace

std::string text_of(const Skeleton& skeleton) { return Printer(skeleton).all(); }

Places places_in_text(const Skeleton& skeleton) {
  Printer printer(skeleton);
  printer.all();
  Places places;
  printer.lines(places);
  return places;
}

void print(std::ostream& out, const Skeleton& skeleton) {
  const std::string text = text_of(skeleton);
  const std::size_t head = text.find('\n') + 1;
  out << text.substr(0, head);
  if (!skeleton.edited) out << fmt::format("traced {}\n", fingerprint(text));
  out << std::string_view(text).substr(head);
}

}  // namespace skelgen::text
