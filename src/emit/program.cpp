#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "emit/calls.h"
#include "emit/embedded.h"
#include "emit/emit.h"
#include "emit/long_gaps.h"
#include "emit/memory.h"
#include "emit/pools.h"
#include "emit/summary.h"
#include "emit/text.h"
#include "emit/threads.h"
#include "emit/timing.h"
#include "emit/values.h"
#include "emit/varying.h"
#include "support/error.h"

namespace skelgen::emit {
namespace {

using mpi::Kind;
using skeleton::Block;
using skeleton::Node;
using skeleton::Skeleton;
using Nodes = std::vector<const Node*>;
using Where = std::vector<std::uint32_t>;

constexpr const char* kVariables[] = {"i", "j", "k", "l", "m", "n"};

std::string variable(std::size_t depth) {
  return depth < std::size(kVariables) ? kVariables[depth] : fmt::format("i{}", depth + 1);
}

std::string function_name(std::string phase) {
  std::replace(phase.begin(), phase.end(), ' ', '_');
  return phase;
}

class Program {
 public:
  /// in_header: tables with an entry for each rank may stand in ranks.h.
  Program(const Skeleton& skeleton, const Plan& plan, bool in_header, const Annotations& annotations)
      : skeleton_(skeleton),
        plan_(plan),
        annotations_(annotations),
        timing_(skeleton),
        handles_(skeleton, timing_),
        apart_(in_header && skeleton.locations.size() > kFewRanks),
        times_apart_(in_header),
        values_(skeleton, handles_, apart_),
        calls_(skeleton, timing_, values_),
        varying_(skeleton, timing_, plan),
        everybody_(skeleton.locations.size()),
        threads_(skeleton::has_threads(skeleton)) {
    std::iota(everybody_.begin(), everybody_.end(), 0u);
    Location next;
    for (std::uint32_t l = 0; l < skeleton.locations.size(); ++l) {
      const auto& where = skeleton.locations[l].where;
      if (where.thread == 0) {
        next = {static_cast<Rank>(mains_.size()), 0};
        mains_.push_back(l);
      }
      if (where != next)
        throw Error(Code::unsupported, fmt::format("rank {}, thread {}, is missing", next.rank, next.thread),
                    "trace all ranks");
      ++next.thread;
    }
  }

  std::string text() {
    split();
    Writer init(1), finalize(1), functions;
    block(init, init_, mains_, {}, 0, false);
    if (handles_.comm_array()) {
      init.line("comm[0] = MPI_COMM_WORLD;");
      init.line("comm[1] = MPI_COMM_SELF;");
      if (handles_.null_comm()) init.line(fmt::format("comm[{}] = MPI_COMM_NULL;", handles_.comm_array() - 1));
    }
    phases(functions);
    block(finalize, finalize_, mains_, {}, 0, false);
    Writer all, run(1);
    if (values_.has_short_gaps()) {
      all.line(fmt::format("static void compute(const double* seconds) {{ skel_compute(seconds[{}]); }}",
                           own_index(skeleton_)));
    }
    if (varying_.has_short()) {
      all.line(
          "static void compute_varying(struct skel_varying* place, long i) { skel_compute(skel_next(place, i)); }");
    }
    if (!all.empty()) all.blank();
    all.add(functions.text());
    if (threads_) run.line(fmt::format("skel_begin_threads({});", function_name(plan_.phases[0].name)));
    for (std::size_t i = 0; i < plan_.phases.size(); ++i) {
      run.line(fmt::format("skel_phase({});", i));
      run.line(fmt::format("{}();", function_name(plan_.phases[i].name)));
    }
    if (threads_) run.line("skel_end_threads();");
    const auto times = values_.gaps() + varying_.declarations() + pool_tables(skeleton_), numbers = varying_.numbers();
    times_apart_ = apart_ || (times_apart_ && std::ranges::count(times + numbers, '\n') > kFewLines);
    const auto tables = values_.tables() + (apart_ ? "#include \"ranks.h\" /* tables with an entry for each rank */\n"
                                            : times_apart_ ? "#include \"ranks.h\" /* the ranks' computation */\n"
                                                           : times);
    if (times_apart_) ranks_ = values_.rank_tables() + times + numbers;
    const auto description = this->description(ranks_);
    return fill(embedded("program/skeleton.c"),
                {{"summary", summary(skeleton_, plan_)},
                 {"handles", handles_.declarations(calls_.statuses()) + calls_.got()},
                 {"tables", tables},
                 {"numbers", times_apart_ || numbers.empty() ? "" : "/* clang-format off */\n" + numbers},
                 {"program", description},
                 {"functions", all.text()},
                 {"init", init.text()},
                 {"run", run.text()},
                 {"finalize", finalize.text()}});
  }

  /// The tables that text() kept apart, empty if there are none.
  const std::string& ranks() const { return ranks_; }

 private:
  static bool is(const Node& node, Kind kind) { return !node.is_loop() && node.call().function->kind == kind; }

  /// The program's head up to MPI_Init, its tail from MPI_Finalize on, and what lies between.
  void split() {
    const auto& program = skeleton_.program;
    std::size_t begin = 0, end = program.size(), starters = 0, enders = 0;
    for (std::size_t i = 0; i < program.size(); ++i) {
      if (is(program[i], Kind::init)) {
        begin = i + 1;
        starters += program[i].where.size();
      }
      if (is(program[i], Kind::finalize)) {
        end = std::min(end, i);
        enders += program[i].where.size();
      }
    }
    const auto n = mains_.size();
    if (starters != n || enders != n)
      throw Error(Code::unsupported,
                  fmt::format("{} of {} ranks call {}", starters != n ? starters : enders, n,
                              starters != n ? "MPI_Init" : "MPI_Finalize"),
                  "trace a run that ends by itself");
    for (std::size_t i = 0; i < program.size(); ++i) {
      // What only other threads do is done while all run, wherever it stands.
      const auto mains = std::ranges::count_if(program[i].where, [&](std::uint32_t l) { return is_main(l); });
      if (mains == 0) {
        middle_.push_back(&program[i]);
        continue;
      }
      const bool alone = is(program[i], Kind::init) || is(program[i], Kind::finalize) ||
                         is(program[i], Kind::environment) || is(program[i], Kind::opaque);
      const bool mixed = static_cast<std::size_t>(mains) != program[i].where.size();
      if ((mixed && (i < begin || i >= end)) || (i < begin && (!alone || program[i].where.size() != n)) ||
          (i >= end && !alone))
        throw Error(Code::unsupported, "the ranks do different things before MPI_Init or after MPI_Finalize",
                    "trace a run without calls there");
      (i < begin ? init_ : i < end ? middle_ : finalize_).push_back(&program[i]);
    }
    first_ = begin;
  }

  void phases(Writer& out) {
    std::size_t loops = 0;  // so far
    Writer body(out.inner());
    std::size_t number = 0;  // of the phase at hand
    const auto finish = [&] {
      const auto& phase = plan_.phases[number];
      out.line(fmt::format("/* {} in the traced run */", duration(phase.traced_s)));
      out.open(fmt::format("static void {}(void)", function_name(phase.name)));
      out.add(body.text());
      out.close();
      body = Writer(out.inner());
    };
    Nodes plain;
    for (std::size_t i = 0; i < middle_.size(); ++i) {
      if (number + 1 == plan_.phases.size() || plan_.phases[number + 1].loop != first_ + i) {
        plain.push_back(middle_[i]);
        continue;
      }
      block(body, plain, everybody_, {}, 0);
      plain.clear();
      const auto& loop = *middle_[i];
      line(body, spend(loop, false));
      const auto call = iteration(out, loop, plan_.phases[number + 1], ++loops);
      body.line(fmt::format(fmt::runtime(call), 0));
      finish();
      out.blank();
      ++number;
      cut_loop(body, loop, call, number);
      const auto& phase = plan_.phases[number];
      out.line(fmt::format("/* {} iterations after the first, {} of them run here; {:.1f} % of the traced time */",
                           phase.trips - 1, phase.kept, share(loop)));
      out.open(fmt::format("static void {}(void)", function_name(phase.name)));
      out.add(body.text());
      out.close();
      out.blank();
      body = Writer(out.inner());
      ++number;
    }
    block(body, plain, everybody_, {}, 0);
    // The time before the last calls belongs to the last phase.
    if (!finalize_.empty()) line(body, spend(*finalize_.front(), false));
    finish();
  }

  bool is_main(std::uint32_t l) const { return skeleton_.locations[l].where.thread == 0; }

  /// The body of a cut loop as a function; returns the call with a hole for the number of the iteration.
  std::string iteration(Writer& out, const Node& loop, const Phase& phase, std::size_t number) {
    values_.used().erase("i");
    Writer body(out.inner());
    Nodes nodes;
    for (const auto& node : loop.loop().body) nodes.push_back(&node);
    block(body, nodes, everybody_, {"i", {"i"}}, 1);
    const bool counts = values_.used().contains("i");
    out.line(fmt::format("/* one of {} iterations{} */", phase.trips, counts ? "; i says which" : ""));
    out.open(fmt::format("static void iteration_{}({})", number, counts ? "long i" : "void"));
    out.add(body.text());
    out.close();
    out.blank();
    return fmt::format("iteration_{}({});", number, counts ? "{}" : "");
  }

  void cut_loop(Writer& out, const Node& loop, const std::string& call, std::size_t phase) {
    out.line(fmt::format("const long kept = skel_kept({});", phase));
    out.open("for (long n = 0; n < kept; n++)");
    auto which = fmt::format("skel_iteration({}, n)", phase);
    if (varying_.counts(loop, true)) {
      out.line(fmt::format("const long i = {};", which));
      which = "i";
    }
    line(out, spend(loop, true));
    out.line(fmt::format(fmt::runtime(call), which));
    out.close();
  }

  /// The computation before a node, or between the iterations of a loop.
  std::string spend(const Node& node, bool between) {
    if (varying_.counts(node, between)) values_.used().insert("i");
    const auto text = varying_.spend(node, between, "i");
    if (!text.empty()) return text;
    const auto& compute = between ? node.loop().between : node.before;
    const double common = threads_ ? 0 : common_gap(compute, timing_.occurrences(node, between), everybody_.size());
    return values_.compute(compute.mean_s, node.where, {}, common);
  }

  static void line(Writer& out, const std::string& text) {
    if (!text.empty()) out.line(text);
  }

  double share(const Node& node) const { return timing_.total() > 0 ? 100 * timing_.total(node) / timing_.total() : 0; }

  void block(Writer& out, const Nodes& nodes, const Where& universe, const Index& k, std::size_t depth,
             bool computing = true) {
    const Where* open = nullptr;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const auto& where = nodes[i]->where;
      if (open && *open != where) {
        if (complements(*open, where, universe)) {
          out.close_open("} else {");
          // What follows the other half starts a statement of its own.
          open = &where;
          statement(out, *nodes[i], k, depth, computing);
          while (i + 1 < nodes.size() && nodes[i + 1]->where == where) statement(out, *nodes[++i], k, depth, computing);
          out.close();
          open = nullptr;
          continue;
        }
        out.close();
        open = nullptr;
      }
      if (!open) {
        const auto condition = values_.condition(universe, where);
        if (!condition.empty()) {
          out.open(fmt::format("if ({})", condition));
          open = &where;
        }
      }
      statement(out, *nodes[i], k, depth, computing);
    }
    if (open) out.close();
  }

  static bool complements(const Where& a, const Where& b, const Where& universe) {
    if (a.size() + b.size() != universe.size()) return false;
    Where both;
    std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
    return both == universe;
  }

  void statement(Writer& out, const Node& node, const Index& k, std::size_t depth, bool computing) {
    if (!node.is_loop() && node.call().ends_pool) return;  // the loop before does that
    if (computing) line(out, spend(node, false));
    if (node.is_loop() && node.loop().pool >= 0) {
      pool(out, node);
    } else if (node.is_loop()) {
      loop(out, node, k, depth);
    } else if (computing || node.call().function->kind != Kind::opaque) {
      if (threads_ && computing) out.line("skel_turn();");
      const auto annotation = annotations_.find(&node.call());
      out.lines(calls_.statements(node, k), annotation == annotations_.end() ? "" : annotation->second);
    }
  }

  void loop(Writer& out, const Node& node, const Index& k, std::size_t depth) {
    const auto& trips = node.loop().trips;
    const bool constant =
        std::all_of(trips.choices.begin(), trips.choices.end(), [](const auto& s) { return is_constant(s); });
    const auto count = values_.number(trips, "trips", node.where, k);
    const auto v = variable(depth);
    Index inner{v, {v}};
    std::string first;
    if (k.text != "0" && constant) {
      const bool simple = k.text.find(' ') == std::string::npos;
      inner.text = fmt::format("{} * {} + {}", simple ? k.text : "(" + k.text + ")", count, v);
      inner.names.insert(inner.names.end(), k.names.begin(), k.names.end());
    } else if (k.text != "0") {
      first = fmt::format("first_{}", ++firsts_);
      inner = {fmt::format("{} + {}", first, v), {first, v}};
    }
    const auto [least, most] = trips_of(node);
    const bool optional = least == 0 && most == 1;
    if (optional && !first.empty()) inner = {first, {first}};
    if (optional && first.empty()) inner = k;  // each location executes it always or never
    Writer body(out.inner());
    Nodes nodes;
    for (const auto& child : node.loop().body) nodes.push_back(&child);
    block(body, nodes, node.where, inner, depth + 1);
    if (!first.empty() && values_.used().contains(first))
      out.line(fmt::format("const long {} = (long)skel_sum({}, {}, &{});", first,
                           values_.sequence(trips, Values::kTrips, node.where), values_.use(k), values_.cursor()));
    const auto note = fmt::format("{}{:.1f} % of the traced time",
                                  count == std::to_string(most) ? "" : trips_text(least, most) + ", ", share(node));
    if (optional) {
      out.open(fmt::format("if ({})", count), note);
    } else {
      out.open(fmt::format("for (long {0} = 0; {0} < {1}; {0}++)", v, count), note);
      if (const auto between = spend(node, true); !between.empty()) out.line(fmt::format("if ({} > 0) {}", v, between));
    }
    out.add(body.text());
    out.close();
  }

  /// A worker's loop: until a message ends it.
  void pool(Writer& out, const Node& node) {
    const auto number = static_cast<std::size_t>(node.loop().pool);
    const auto& pool = skeleton_.pools[number];
    const auto between = values_.compute(before_messages(node), node.where);
    const auto [least, most] = trips_of(node);
    out.line(fmt::format("/* whoever is free gets the next message: {} in the traced run, {:.1f} % of the time */",
                         trips_text(least, most), share(node)));
    out.open(between.empty() ? "for (;;)" : "for (long i = 0;; i++)");
    if (!between.empty()) out.line("if (i > 0) " + between);
    for (std::size_t i = 0; i < pool.body.size(); ++i) {
      const Index task{"task", {"task"}};
      if (const auto spent = pool_compute(number, pool, i); !spent.empty()) out.line(spent);
      for (const auto& text : calls_.statements(pool.body[i], i == 0 ? Index{} : task)) out.line(text);
      if (i > 0) continue;
      const auto& receive = pool.body[0];
      const auto buffer = values_.expression(receive.call().arguments[0], receive.call().function->parameters[0],
                                             receive.where, Index{});
      out.line(fmt::format("const long task = skel_task({}, status, {});", buffer, pool_ends(number, pool)));
      out.line("if (task < 0) break;");
    }
    out.close();
  }

  /// Mean computation of each worker before every message but the first, the one that ends the loop included.
  std::vector<double> before_messages(const Node& loop) const {
    const auto& program = skeleton_.program;
    const auto end = std::find_if(program.begin() + (&loop - program.data()), program.end(), [&](const Node& node) {
      return !node.is_loop() && node.call().ends_pool && node.where == loop.where;
    });
    std::vector<double> mean_s = loop.loop().between.mean_s;
    mean_s.resize(loop.where.size(), 0);
    for (std::size_t at = 0; at < mean_s.size(); ++at) {
      const auto trips = static_cast<double>(loop.loop().trips.of(at).at(0));
      const double last_s = end == program.end() || end->before.mean_s.empty() ? 0 : end->before.mean_s[at];
      mean_s[at] = (mean_s[at] * (trips - 1) + last_s) / trips;
    }
    return mean_s;
  }

  /// Fewest and most trips at an execution of the loop, over all locations.
  std::pair<std::int64_t, std::int64_t> trips_of(const Node& node) const {
    std::int64_t least = INT64_MAX, most = 0;
    const auto& occurrences = timing_.of(node).occurrences;
    for (std::size_t at = 0; at < node.where.size(); ++at) {
      const auto& sequence = node.loop().trips.of(at);
      const auto look = [&](std::int64_t trips) {
        least = std::min(least, trips);
        most = std::max(most, trips);
      };
      if (sequence.kind == skeleton::Sequence::Kind::arithmetic) {
        look(sequence.at(0));
        look(sequence.at(occurrences[at] ? occurrences[at] - 1 : 0));
      } else {
        for (const auto trips : sequence.values) look(trips);
      }
    }
    return {least, most};
  }

  static std::string trips_text(std::int64_t least, std::int64_t most) {
    if (least == most) return fmt::format("{} iterations", most);
    return most == 1 ? "not each time" : fmt::format("{} to {} iterations", least, most);
  }

  /// Everything that the runtime must know.
  /// of_ranks: takes the tables with an entry for each rank if they are kept apart.
  std::string description(std::string& of_ranks) const {
    Writer out, apart;
    out.line("static const struct skel_phase phases[] = {");
    for (const auto& phase : plan_.phases) {
      out.line(fmt::format("  {{\"{}\", {}, {}, {}, {}, {}}},", phase.name, phase.loop ? 1 : 0, phase.trips, phase.kept,
                           phase.least, number(phase.typical)));
    }
    out.line("};");
    std::size_t slots = 0;
    for (const auto& location : skeleton_.locations) slots = std::max(slots, location.buffer_bytes.size());
    std::vector<std::string> sizes, machines;
    const bool simulated =
        std::ranges::any_of(skeleton_.locations, [](const auto& location) { return location.speed_flops > 0; });
    for (const auto& location : skeleton_.locations) {
      sizes.push_back(buffer_row(location, slots));
      const double speed = simulated ? location.speed_flops : location.speed_register;
      machines.push_back(
          fmt::format("{{{}, {}, {}}}", location.working_set_bytes, number(speed), number(location.speed_memory)));
    }
    const auto unite = [](std::vector<std::string>& rows) {
      if (std::all_of(rows.begin(), rows.end(), [&](const auto& row) { return row == rows[0]; })) rows.resize(1);
    };
    unite(sizes);
    unite(machines);
    const auto rows = [&](std::string_view head, const std::vector<std::string>& items, bool in_header) {
      Writer& to = in_header && items.size() > 1 ? apart : out;
      const auto one_line = fmt::format("{} = {{{}}};", head, items[0]);
      if (items.size() == 1 && one_line.size() <= Writer::kWidth) return to.line(one_line);
      to.line(fmt::format("{} = {{", head));
      for (const auto& item : items) to.line(fmt::format("  {},", item));
      to.line("};");
    };
    rows("static const size_t buffer_bytes[]", sizes, apart_);
    rows("static const struct skel_machine machines[]", machines, times_apart_);
    if (!skeleton_.scratch.empty()) {
      out.line("static const struct skel_scratch files[] = {");
      for (const auto& file : skeleton_.scratch) out.line(fmt::format("  {{{}, {}}},", file.bytes, file.rank));
      out.line("};");
    }
    const auto attached = skeleton::attached_slots(skeleton_);
    if (!attached.empty()) out.line(fmt::format("static const int attached[] = {{{}}};", fmt::join(attached, ", ")));
    if (threads_) (apart_ ? apart : out).add(thread_tables(skeleton_));
    out.open("static const struct skel_program program =");
    out.line(fmt::format(".ranks = {}, .scale = {},", mains_.size(), number(plan_.scale)));
    out.line(fmt::format(".phases = {}, .phase = phases,", plan_.phases.size()));
    out.line(fmt::format(".buffers = {}, .buffer_rows = {}, .buffer_bytes = buffer_bytes,", slots, sizes.size()));
    out.line(fmt::format(".machine_rows = {}, .machine = machines,", machines.size()));
    if (skeleton_.cpu_time) out.line(".cpu_time = 1,");
    if (skeleton_.recorded_order) out.line(".recorded_order = 1,");
    if (!skeleton_.scratch.empty()) out.line(fmt::format(".files = {}, .file = files,", skeleton_.scratch.size()));
    if (!attached.empty()) out.line(fmt::format(".attached = {}, .attached_slot = attached,", attached.size()));
    if (simulated) out.line(".simulated = 1,");
    if (threads_) out.add(thread_members(init_.size()));
    out.close("};");
    of_ranks += apart.text();
    return out.text();
  }

  const Skeleton& skeleton_;
  const Plan& plan_;
  const Annotations& annotations_;
  std::string ranks_;
  Timing timing_;
  Handles handles_;
  const bool apart_;  ///< all tables with an entry for each rank stand in ranks.h
  bool times_apart_;  ///< those of computation do
  Values values_;
  Calls calls_;
  Varying varying_;
  Where everybody_, mains_;  ///< all locations; those of the ranks' main threads
  const bool threads_;       ///< ranks have others, too
  Nodes init_, middle_, finalize_;
  std::size_t first_ = 0;  ///< index in the program of middle_[0]
  int firsts_ = 0;
};

}  // namespace

std::string program(const Skeleton& skeleton, const Plan& plan, std::string* ranks, const Annotations& annotations) {
  Program program(skeleton, plan, ranks != nullptr, annotations);
  auto text = program.text();
  if (ranks) *ranks = program.ranks();
  return text;
}

}  // namespace skelgen::emit
