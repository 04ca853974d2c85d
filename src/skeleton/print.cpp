#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <set>

#include "skeleton/skeleton.h"
#include "skeleton/text.h"

namespace skelgen::skeleton {
namespace {

const mpi::Parameter kTripsParameter{"trips", mpi::Role::count, mpi::Direction::in};
const mpi::Parameter kOrderParameter{"order", mpi::Role::count, mpi::Direction::in};

std::string list(const std::vector<std::string>& items) { return fmt::format("{}", fmt::join(items, ", ")); }

class Printer {
 public:
  explicit Printer(const Skeleton& skeleton) : skeleton_(skeleton) {
    for (std::uint32_t l = 0; l < skeleton.locations.size(); ++l) all_.push_back(l);
  }

  std::string program() {
    block(skeleton_.program, all_, 1);
    return std::move(text_);
  }

  // Arrays that the program names by number.
  const std::set<std::int64_t>& arrays() const { return arrays_; }

 private:
  using Locations = std::vector<std::uint32_t>;

  // `around`: locations that execute the enclosing block; nothing is said where all of them are meant.
  void block(const Block& nodes, const Locations& around, std::size_t level) {
    const std::string indent(2 * level, ' ');
    for (const Node& node : nodes) {
      compute(node.before, "compute", node.where, around, indent);
      text_ += indent + who(node.where, around);
      if (!node.is_loop()) {
        call(node);
        continue;
      }
      const Loop& loop = node.loop();
      text_ += fmt::format("loop {}{} {{\n", argument(loop.trips, kTripsParameter, node.where),
                           loop.pool < 0 ? "" : fmt::format(" of pool {}", loop.pool));
      compute(loop.between, "between", node.where, node.where, indent + "  ");
      block(loop.body, node.where, level + 1);
      text_ += indent + "}\n";
    }
  }

  static std::string who(const Locations& where, const Locations& around) {
    return where == around ? std::string() : fmt::format("[{}] ", ranges(where));
  }

  // One line for the locations that compute here.
  void compute(const Compute& compute, const char* word, const Locations& where, const Locations& around,
               const std::string& indent) {
    Locations busy;
    std::vector<double> mean_s, deviation_s;
    for (std::size_t p = 0; p < where.size(); ++p) {
      const double mean = compute.mean_s.empty() ? 0 : compute.mean_s[p];
      if (mean == 0) continue;
      busy.push_back(where[p]);
      mean_s.push_back(mean);
      if (!compute.samples.of.empty()) deviation_s.push_back(deviation(compute.samples.of[p]));
    }
    if (busy.empty()) return;
    text_ += fmt::format("{}{}{} {}", indent, who(busy, around), word, seconds(mean_s));
    if (!deviation_s.empty()) text_ += " varies " + seconds(deviation_s);
    text_ += "\n";
  }

  void call(const Node& node) {
    const Call& call = node.call();
    std::vector<std::string> arguments;
    for (std::size_t a = 0; a < call.arguments.size(); ++a) {
      const mpi::Parameter& parameter = call.function->parameters[a];
      auto text = argument(call.arguments[a], parameter, node.where);
      if (parameter.role == mpi::Role::peer && !call.answers.empty()) text = answers(node, text);
      arguments.push_back(fmt::format("{}={}", parameter.name, text));
    }
    text_ += fmt::format("{}({})", call.function->name, list(arguments));
    if (call.order.choices.size() > 1 || call.order.choices[0] != Sequence{})
      text_ += " order " + argument(call.order, kOrderParameter, node.where);
    if (call.matched) {
      const auto source = static_cast<std::size_t>(call.function->source());
      text_ += " got " + argument(*call.matched, call.function->parameters[source], node.where);
    }
    if (call.any_order) text_ += " in any order";
    if (call.dispatch) text_ += " number " + argument(*call.dispatch, kTripsParameter, node.where);
    if (call.ends_pool) text_ += " ends the pool";
    if (std::any_of(call.duration_s.begin(), call.duration_s.end(), [](double s) { return s > 0; }))
      text_ += " took " + seconds(call.duration_s);
    text_ += "\n";
  }

  // "source(recv 1)", for some locations only: "[0] source(recv 1) | " and what the others have.
  static std::string answers(const Node& node, const std::string& others) {
    std::map<std::uint8_t, std::vector<std::uint32_t>> groups;
    for (std::size_t p = 0; p < node.where.size(); ++p) groups[node.call().answers[p]].push_back(node.where[p]);
    std::string text;
    for (const auto& [k, locations] : groups) {
      if (k == 0) continue;
      const auto source = fmt::format("source(recv {})", k);
      if (groups.size() == 1) return source;
      text += fmt::format("[{}] {} | ", ranges(locations), source);
    }
    return text + others;
  }

  // One text if all locations agree; a table {a, b, ...} by position if all differ in constants; else "[who] text |
  // [who] text".
  std::string argument(const Argument& argument, const mpi::Parameter& parameter,
                       const std::vector<std::uint32_t>& where) {
    std::vector<std::string> of_choice;
    bool constants = true;
    for (const Sequence& sequence : argument.choices) {
      const bool ruled = argument.rule && std::all_of(sequence.values.begin(), sequence.values.end(),
                                                      [](std::int64_t v) { return v >= 0; });
      of_choice.push_back(ruled ? text(*argument.rule) : this->sequence(sequence, parameter));
      constants = constants && (ruled || sequence.kind == Sequence::Kind::constant);
    }
    if (argument.choice.empty()) return of_choice[0];
    std::vector<std::pair<std::string, std::vector<std::uint32_t>>> groups;
    std::map<std::string, std::size_t> group_of;
    for (std::size_t p = 0; p < where.size(); ++p) {
      const std::string& own = of_choice[argument.choice[p]];
      const auto [entry, added] = group_of.emplace(own, groups.size());
      if (added) groups.emplace_back(own, std::vector<std::uint32_t>{});
      groups[entry->second].second.push_back(where[p]);
    }
    if (groups.size() == 1) return groups[0].first;
    std::vector<std::string> items;
    if (constants && !argument.rule && groups.size() > 2) {
      for (std::size_t p = 0; p < where.size(); ++p) items.push_back(of_choice[argument.choice[p]]);
      return fmt::format("{{{}}}", list(items));
    }
    for (const auto& [own, locations] : groups) items.push_back(fmt::format("[{}] {}", ranges(locations), own));
    return fmt::format("{}", fmt::join(items, " | "));
  }

  std::string sequence(const Sequence& sequence, const mpi::Parameter& parameter) {
    if (sequence.kind == Sequence::Kind::arithmetic) {
      // Numbers of arrays that are not all known here: the printer lists every array.
      if (is_array(parameter.role))
        return all_arrays(), fmt::format("arith(#{},{})", sequence.values[0], sequence.values[1]);
      return fmt::format("arith({},{})", value(skeleton_, parameter, sequence.values[0]), sequence.values[1]);
    }
    std::vector<std::string> items;
    for (const std::int64_t v : sequence.values) {
      items.push_back(value(skeleton_, parameter, v));
      if (is_array(parameter.role) && items.back()[0] == '#') arrays_.insert(v);
    }
    if (sequence.kind == Sequence::Kind::constant) return items[0];
    return (sequence.kind == Sequence::Kind::periodic ? "periodic(" : "table(") + list(items) + ")";
  }

  void all_arrays() {
    for (std::size_t id = 0; id < skeleton_.arrays.size(); ++id) arrays_.insert(static_cast<std::int64_t>(id));
  }

  const Skeleton& skeleton_;
  std::vector<std::uint32_t> all_;
  std::string text_;
  std::set<std::int64_t> arrays_;
};

void print_location(std::ostream& out, std::size_t l, const LocationData& data) {
  out << "location " << l << " {rank " << data.where.rank;
  if (data.where.thread != 0) out << ", thread " << data.where.thread;
  if (data.working_set_bytes > 0) out << ", working_set " << data.working_set_bytes;
  if (!data.buffer_bytes.empty()) out << ", buffers (" << fmt::format("{}", fmt::join(data.buffer_bytes, ", ")) << ")";
  std::vector<std::string> communicators;
  for (const Communicator& c : data.communicators)
    communicators.push_back(fmt::format("{}: {} of {} id {:x}{}",
                                        c.slot == 0   ? "world"
                                        : c.slot == 1 ? "self"
                                                      : fmt::format("c{}", c.slot),
                                        c.rank, c.size, c.identity,
                                        c.inter() ? fmt::format(" to {} id {:x}", c.remote_size, c.remote) : ""));
  if (!communicators.empty()) out << ", comms (" << list(communicators) << ")";
  std::vector<std::string> turns;
  for (const auto& [call, thread, calls] : data.turns)
    turns.push_back(fmt::format("{} after {} of thread {}", call, calls, thread));
  if (!turns.empty()) out << ", turns (" << list(turns) << ")";
  out << "}\n";
}

}  // namespace

void print(std::ostream& out, const Skeleton& skeleton) {
  Printer printer(skeleton);
  const std::string program = printer.program();
  out << "skeleton";
  if (!skeleton.mpi_name.empty()) out << " \"" << skeleton.mpi_name << '"';
  if (skeleton.traced_wall_s > 0) out << " wall " << seconds(skeleton.traced_wall_s);
  if (skeleton.cpu_time) out << " cpu";
  if (skeleton.tolerance > 0) out << fmt::format(" tolerance {:.6g}", skeleton.tolerance);
  out << "\n";
  for (std::size_t l = 0; l < skeleton.locations.size(); ++l) print_location(out, l, skeleton.locations[l]);
  for (std::size_t n = 0; n < skeleton.names.size(); ++n) {
    out << "name " << skeleton.names[n];
    if (n < skeleton.name_bytes.size() && skeleton.name_bytes[n] > 0) out << ' ' << skeleton.name_bytes[n];
    out << "\n";
  }
  for (const std::int64_t id : printer.arrays()) {
    if (id < 0 || id >= static_cast<std::int64_t>(skeleton.arrays.size())) continue;
    out << "array #" << id << " (" << fmt::format("{}", fmt::join(skeleton.arrays[static_cast<std::size_t>(id)], ", "))
        << ")\n";
  }
  for (std::size_t p = 0; p < skeleton.pools.size(); ++p) {
    const auto& ends = skeleton.pools[p].ends;
    out << "pool " << p << ' ' << ends.size() << " messages, " << std::count(ends.begin(), ends.end(), 1) << " end\n";
  }
  out << "program {\n" << program << "}\n";
}

}  // namespace skelgen::skeleton
