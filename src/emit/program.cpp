#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "emit/calls.h"
#include "emit/code_writer.h"
#include "emit/embedded.h"
#include "emit/emit.h"
#include "emit/long_gaps.h"
#include "emit/memory.h"
#include "emit/pools.h"
#include "emit/repeated.h"
#include "emit/sections.h"
#include "emit/summary.h"
#include "emit/threads.h"
#include "emit/timing.h"
#include "emit/values.h"
#include "emit/varying.h"
#include "mpi/implementations.h"
#include "skel_kernel_names.h"
#include "support/error.h"

namespace skelgen::emit {
namespace {

using skeleton::Block;
using skeleton::Node;
using skeleton::Skeleton;
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
  /// in_header: tables that nobody reads may stand in tables.h.
  Program(const Skeleton& skeleton, const Plan& plan, bool in_header, const Annotations& annotations)
      : skeleton_(skeleton),
        plan_(plan),
        sections_(sections(skeleton)),
        annotations_(annotations),
        timing_(skeleton),
        handles_(skeleton, timing_),
        neighbours_(skeleton, plan, timing_, handles_),
        in_header_(in_header),
        apart_(in_header && skeleton.locations.size() > kFewRanks),
        times_apart_(in_header),
        values_(skeleton, handles_, apart_),
        calls_(skeleton, timing_, neighbours_, values_),
        varying_(skeleton, timing_, plan),
        everybody_(skeleton.locations.size()),
        threads_(skeleton::has_threads(skeleton)) {
    std::iota(everybody_.begin(), everybody_.end(), 0u);
    for (std::size_t i = 0; i < plan.phases.size(); ++i)
      if (plan.phases[i].loop) cut_[plan.phases[i].loop] = i;
  }

  std::string text() {
    Writer init(1), finalize(1);
    block(init, sections_.init, sections_.mains, {}, 0, false);
    if (handles_.comm_array()) {
      init.line("comm[0] = MPI_COMM_WORLD;");
      init.line("comm[1] = MPI_COMM_SELF;");
      if (handles_.null_comm()) init.line(fmt::format("comm[{}] = MPI_COMM_NULL;", handles_.comm_array() - 1));
    }
    values_.set_packing(in_header_ && skeleton::argument_values(skeleton_) > kManyNumbers);
    phases(functions_);
    values_.set_packing(false);
    block(finalize, sections_.finalize, sections_.mains, {}, 0, false);
    Writer all, run(1);
    if (values_.has_short_gaps()) {
      all.line(fmt::format("static void compute(const double* seconds) {{ skel_compute(seconds[{}]); }}",
                           own_index(skeleton_)));
    }
    if (values_.has_short_works()) {
      all.line(fmt::format(
          "static void compute_as(const double* seconds, int work) {{ skel_compute_as(seconds[{}], work); }}",
          own_index(skeleton_)));
    }
    if (varying_.has_short_works()) {
      all.open("static void compute_varying_as(struct skel_varying* place, long i, int work)");
      all.line("skel_compute_as(skel_next(place, i), work);");
      all.close();
    }
    if (varying_.has_short()) {
      all.line(
          "static void compute_varying(struct skel_varying* place, long i) { skel_compute(skel_next(place, i)); }");
    }
    if (!all.empty()) all.blank();
    all.add(annotations_.empty() ? share_repeated(functions_.text()) : functions_.text());
    if (threads_ && made_.size() > 1) {
      all.blank();
      all.line("/* What a rank's other threads run. */");
      all.open("static void all_parts(void)");
      for (const auto& function : made_) all.line(fmt::format("{}();", function));
      all.close();
    }
    if (threads_ && !made_.empty())
      run.line(fmt::format("skel_begin_threads({});", made_.size() > 1 ? "all_parts" : made_[0]));
    for (const auto& function : made_) run.line(fmt::format("{}();", function));
    if (threads_ && !made_.empty()) run.line("skel_end_threads();");
    const auto times = values_.gaps() + varying_.declarations() + pool_tables(skeleton_), numbers = varying_.numbers();
    times_apart_ = apart_ || (times_apart_ && std::ranges::count(times + numbers, '\n') > kFewLines);
    const auto lists = values_.tables();
    const auto packed = values_.packed();
    const bool lists_apart = in_header_ && (!packed.empty() || std::ranges::count(lists, '\n') > kFewLines);
    std::string of_ranks;
    const auto description = this->description(of_ranks, lists_apart);
    std::string tables = lists_apart ? "" : lists;
    std::vector<std::string_view> contents;  // of tables.h
    if (lists_apart) {
      tables_ = lists;
      contents.push_back("values that change from call to call");
    }
    if (!values_.rank_tables().empty() || !of_ranks.empty()) contents.push_back("tables with an entry for each rank");
    if (threads_ && (apart_ || lists_apart)) contents.push_back("the turns of threads");
    if (times_apart_ && !(times + numbers).empty()) contents.push_back("the ranks' computation");
    tables_ += values_.rank_tables() + (times_apart_ ? times + numbers : "") + of_ranks + packed;
    if (!tables_.empty()) tables += fmt::format("#include \"tables.h\" /* {} */\n", fmt::join(contents, ", "));
    if (!times_apart_) tables += times;
    return fill(embedded("program/skeleton.c"),
                {{"summary", summary(skeleton_, plan_)},
                 {"handles", handles_.declarations(calls_.statuses()) + neighbours_.declarations() + calls_.got()},
                 {"tables", tables},
                 {"numbers", times_apart_ || numbers.empty() ? "" : "/* clang-format off */\n" + numbers},
                 {"program", description},
                 {"functions", all.text()},
                 {"init", init.text()},
                 {"run", run.text()},
                 {"finalize", finalize.text()}});
  }

  /// The text of tables.h after text(), empty if there is no need for it.
  const std::string& tables() const { return tables_; }

 private:
  /// A function for each plain part and each cut loop of the top level. Cut loops begin and end their phases.
  void phases(Writer& out) {
    const auto& middle = sections_.middle;
    std::size_t next = 0;  // node of these
    bool first = true;
    for (const auto& phase : plan_.phases) {
      if (phase.loop && !phase.next) continue;
      Writer body(out.inner());
      Nodes nodes;
      while (next < middle.size() && is_cut_at_top(*middle[next]) == (phase.loop != nullptr)) {
        nodes.push_back(middle[next++]);
        if (phase.loop) break;
      }
      block(body, nodes, everybody_, {}, 0);
      // The time before the last calls belongs to the last phase.
      if (!phase.loop && next == middle.size() && !sections_.finalize.empty())
        line(body, spend(*sections_.finalize.front(), false));
      if (body.empty()) continue;
      if (!std::exchange(first, false) && !out.ends_blank()) out.blank();
      made_.push_back(function_name(phase.name));
      if (!phase.loop) out.line(fmt::format("/* {} in the traced run */", duration(phase.traced_s)));
      out.open(fmt::format("static void {}(void)", function_name(phase.name)));
      out.add(body.text());
      out.close();
    }
  }

  bool is_cut_at_top(const Node& node) const {
    const auto found = cut_.find(&node);
    return found != cut_.end() && plan_.phases[found->second].next;
  }

  /// The computation before a node, or between the iterations of a loop.
  std::string spend(const Node& node, bool between) {
    const auto& compute = between ? node.loop().between : node.before;
    const auto work = values_.work(compute, node.where);
    const auto text = varying_.spend(
        node, between, varying_.counts(node, between) ? values_.use(cut_iteration_) : std::string(), work);
    if (!text.empty()) return text;
    const double common = threads_ ? 0 : common_gap(compute, timing_.occurrences(node, between), everybody_.size());
    return values_.compute(compute.mean_s, node.where, {}, common, work);
  }

  static void line(Writer& out, const std::string& text) {
    if (!text.empty()) out.line(text);
  }

  double share(const Node& node) const { return timing_.total() > 0 ? 100 * timing_.total(node) / timing_.total() : 0; }

  void block(Writer& out, const Nodes& nodes, const Where& universe, const Index& k, std::size_t depth,
             bool computing = true) {
    if (const auto parts = parts_of(nodes); parts.size() > 1) {
      for (const auto& some : parts) out.line(part(some, universe, k, depth, computing));
      return;
    }
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

  /// A function of these nodes; returns its call.
  std::string part(const Nodes& nodes, const Where& universe, const Index& k, std::size_t depth, bool computing) {
    auto before = std::exchange(values_.used(), {});
    Writer body(functions_.inner());
    block(body, nodes, universe, k, depth, computing);
    std::vector<std::string> given, taken;
    for (const auto& name : values_.used())
      if (std::ranges::find(scope_, name) != scope_.end()) {
        given.push_back(name);
        taken.push_back("long " + name);
      }
    values_.used().merge(before);
    const auto name = fmt::format("part_{}", ++parts_);
    functions_.open(fmt::format("static void {}({})", name, taken.empty() ? "void" : join(taken)));
    functions_.add(body.text());
    functions_.close();
    functions_.blank();
    return fmt::format("{}({});", name, join(given));
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
      loop(out, node, k, depth, computing);
    } else if (computing || node.call().function->kind != mpi::Kind::opaque) {
      if (threads_ && computing) out.line("skel_turn();");
      const auto annotation = annotations_.find(&node.call());
      out.lines(calls_.statements(node, k), annotation == annotations_.end() ? "" : annotation->second);
    }
  }

  void loop(Writer& out, const Node& node, const Index& k, std::size_t depth, bool computing) {
    const auto& trips = node.loop().trips;
    const bool constant =
        std::all_of(trips.choices.begin(), trips.choices.end(), [](const auto& s) { return is_constant(s); });
    auto count = values_.number(trips, "trips", node.where, k);
    const auto v = variable(depth);
    const auto cut = cut_.find(&node);
    if (cut != cut_.end() && !constant) {
      // How often is asked only once, and other loops inside may use their cursors.
      const auto trips_now = fmt::format("trips_now_{}", ++firsts_);
      out.line(fmt::format("const long {} = {};", trips_now, count));
      count = trips_now;
    }
    Index inner = inside(k, count, v);
    std::string first;
    if (k.text != "0" && !constant) {
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
    const auto outside = scope_.size();
    scope_.insert(scope_.end(), {v, first});
    const auto around = cut_iteration_;
    const auto phase_around = calls_.cut();
    std::string between;
    if (cut != cut_.end()) {
      cut_iteration_ = inner;
      calls_.set_cut(cut->second);
    }
    if (computing && !optional) between = spend(node, true);
    block(body, nodes, node.where, inner, depth + 1, computing);
    cut_iteration_ = around;
    calls_.set_cut(phase_around);
    scope_.resize(outside);
    if (!first.empty() && values_.used().contains(first))
      out.line(fmt::format("const long {} = (long)skel_sum({}, {}, &{});", first,
                           values_.sequence(trips, Values::kTrips, node.where), values_.use(k), values_.cursor()));
    auto note = fmt::format("{}{:.1f} % of the traced time",
                            count == std::to_string(most) ? "" : trips_text(least, most) + ", ", share(node));
    if (cut != cut_.end()) {
      const auto& phase = plan_.phases[cut->second];
      note += fmt::format("; {} of {} iterations run", phase.run(), phase.trips);
    }
    if (optional) {
      out.open(fmt::format("if ({})", count), note);
    } else {
      const auto step = cut == cut_.end() ? v + "++" : next_iteration(node, cut->second, v, count);
      out.open(fmt::format("for (long {0} = 0; {0} < {1}; {2})", v, count, step), note);
      if (!between.empty()) out.line(fmt::format("if ({} > 0) {}", v, between));
    }
    out.add(body.text());
    out.close();
  }

  /// "i = skel_step(1, i, 250)": to the next iteration of a cut loop that runs.
  std::string next_iteration(const Node& node, std::size_t number, const std::string& v, const std::string& trips) {
    const auto& ends = plan_.phases[number].ends;
    if (ends == std::vector<skeleton::Ends>{{1, ends[0].last}})
      return fmt::format("{0} = skel_step({1}, {0}, {2})", v, number, trips);
    skeleton::Argument first, last;
    first.choices.clear();
    last.choices.clear();
    for (std::size_t l = 0; l < node.where.size(); ++l) {
      for (auto* const of : {&first, &last}) {
        const auto& own = skeleton::ends_at(ends, l);
        const auto value = static_cast<std::int64_t>(of == &first ? own.first : own.last);
        const skeleton::Sequence wanted{skeleton::Sequence::Kind::constant, {value}};
        const auto known = std::ranges::find(of->choices, wanted);
        of->choice.push_back(static_cast<std::uint32_t>(known - of->choices.begin()));
        if (known == of->choices.end()) of->choices.push_back(wanted);
      }
    }
    return fmt::format("{0} = skel_step_between({1}, {0}, {2}, {3}, {4})", v, number, trips,
                       values_.number(first, "first", node.where, Index{}),
                       values_.number(last, "last", node.where, Index{}));
  }

  /// A worker's loop: until a message ends it.
  void pool(Writer& out, const Node& node) {
    const auto number = static_cast<std::size_t>(node.loop().pool);
    const auto& pool = skeleton_.pools[number];
    const auto between = values_.compute(before_messages(skeleton_, node), node.where);
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

  /// "SKEL_SWEEP_2M"
  static std::string kernel(std::size_t number) {
    std::string name = fmt::format("SKEL_{}", skel_kernel_name[number]);
    for (char& c : name)
      if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    return name;
  }

  static std::string in_quotes(std::string text) {
    for (char& c : text)
      if (c < ' ' || c > '~' || c == '"' || c == '\\' || c == '?') c = ' ';
    return fmt::format("\"{}\"", text);
  }

  /// Passes a second and noise of each kernel.
  static std::string speed_row(const skeleton::LocationData& location) {
    std::vector<std::string> items;
    for (std::size_t k = 0; k < location.kernel_speeds.size(); ++k)
      items.push_back(fmt::format("{{{:.5g}, {:.2g}}}", location.kernel_speeds[k], location.kernel_noise[k]));
    return fmt::format("{{{}}}", join(items));
  }

  /// Shares of the kernels in each work; first their mean.
  std::vector<std::string> works() const {
    const auto row = [](const std::vector<double>& shares) {
      std::vector<std::string> items;
      for (std::size_t k = 0; k < shares.size(); ++k)
        if (shares[k] > 0) items.push_back(fmt::format("[{}] = {:.4g}", kernel(k), shares[k]));
      return fmt::format("{{{}}}", items.empty() ? "0" : join(items));
    };
    std::vector<std::string> rows{row(skeleton_.fitted->shares)};
    for (const auto& work : skeleton_.works) rows.push_back(row(work.shares));
    return rows;
  }

  /// Of loops whose iterations are of several kinds.
  std::string chosen_iterations() const {
    Writer out;
    std::vector<std::string> all;
    for (const auto& phase : plan_.phases) {
      all.push_back(phase.chosen.empty() ? "NULL" : fmt::format("chosen_{}", all.size()));
      if (phase.chosen.empty()) continue;
      std::vector<std::string> rows;
      for (const auto& [iteration, weight] : phase.chosen)
        rows.push_back(fmt::format("{{{}, {}}}", iteration, number(weight)));
      out.line(fmt::format("static const struct skel_chosen {}[] = {{{}}};", all.back(), join(rows)));
    }
    out.line(fmt::format("static const struct skel_chosen* const chosen[] = {{{}}};", join(all)));
    return out.text();
  }

  /// The tables of the runtime. of_ranks: takes those with an entry for each rank if they are kept apart. lists_apart:
  /// those of threads, which grow with the calls, are, too.
  std::string description(std::string& of_ranks, bool lists_apart) const {
    Writer out, apart;
    std::vector<std::string> phases;
    for (const auto& phase : plan_.phases)
      phases.push_back(phase.loop ? fmt::format("{{\"{}\", {}, {}, {}, {}, {}, {}, {}}}", phase.name,
                                                number(phase.share), phase.longest + 1 - phase.ends[0].first,
                                                phase.ends[0].last, phase.least, number(phase.typical), phase.inside,
                                                phase.next ? static_cast<int>(*phase.next) : -1)
                                  : fmt::format("{{\"{}\", 0, 1, 0, 1, 1, 0, -1}}", phase.name));
    out.line(fmt::format("static const struct skel_phase phases[] = {{{}}};", join(phases)));
    const bool chosen = std::ranges::any_of(plan_.phases, [](const Phase& phase) { return !phase.chosen.empty(); });
    if (chosen) out.add(chosen_iterations());
    std::size_t slots = 0;
    for (const auto& location : skeleton_.locations) slots = std::max(slots, location.buffer_bytes.size());
    std::vector<std::string> sizes, machines, speeds;
    const bool simulated =
        std::ranges::any_of(skeleton_.locations, [](const auto& location) { return location.speed_flops > 0; });
    for (const auto& location : skeleton_.locations) {
      sizes.push_back(buffer_row(location, slots));
      const double speed = simulated ? location.speed_flops : location.speed_register;
      machines.push_back(fmt::format("{{{}, {}, {}, {}}}", location.working_set_bytes, number(speed),
                                     number(location.speed_memory),
                                     location.processor.empty() ? "NULL" : in_quotes(location.processor)));
      speeds.push_back(speed_row(location));
    }
    const auto are_equal = [](const std::vector<std::string>& rows) {
      return std::ranges::all_of(rows, [&](const auto& row) { return row == rows[0]; });
    };
    const auto unite = [&](std::vector<std::string>& rows) {
      if (are_equal(rows)) rows.resize(1);
    };
    unite(sizes);
    if (std::ranges::any_of(skeleton_.locations, [](const auto& l) { return l.kernel_speeds.empty(); })) {
      speeds.clear();
      unite(machines);
    } else if (are_equal(machines) && are_equal(speeds)) {
      machines.resize(1);
      speeds.resize(1);
    }
    const auto rows = [&](std::string_view head, const std::vector<std::string>& items, bool in_header) {
      Writer& to = in_header && items.size() > 1 ? apart : out;
      const auto one_line = fmt::format("{} = {{{}}};", head, items[0]);
      if (items.size() == 1 && one_line.size() <= Writer::kWidth) return to.line(one_line);
      to.line(fmt::format("{} = {{", head));
      for (const auto& item : items) to.line(fmt::format("  {},", item));
      to.line("};");
    };
    rows("static const size_t buffer_bytes[]", sizes, times_apart_);
    rows("static const struct skel_machine machines[]", machines, times_apart_);
    if (!speeds.empty()) rows("static const struct skel_speed speeds[][SKEL_KERNELS]", speeds, times_apart_);
    if (skeleton_.fitted) rows("static const double works[][SKEL_KERNELS]", works(), times_apart_);
    if (!skeleton_.scratch.empty()) {
      out.line("static const struct skel_scratch files[] = {");
      for (const auto& file : skeleton_.scratch) out.line(fmt::format("  {{{}, {}}},", file.bytes, file.rank));
      out.line("};");
    }
    const auto attached = skeleton::attached_slots(skeleton_);
    if (!attached.empty()) out.line(fmt::format("static const int attached[] = {{{}}};", fmt::join(attached, ", ")));
    if (threads_) (apart_ || lists_apart ? apart : out).add(thread_tables(skeleton_, plan_));
    std::vector<std::string> members;
    const auto add = [&]<class... Values>(fmt::format_string<Values...> text, Values&&... values) {
      members.push_back(fmt::format(text, std::forward<Values>(values)...));
    };
    add(".ranks = {}, .scale = {}", sections_.mains.size(), plan_.scale);  // all digits: iterations are kept by it
    add(".phases = {}, .phase = phases", plan_.phases.size());
    if (chosen) add(".chosen = chosen");
    add(".buffers = {}, .buffer_rows = {}, .buffer_bytes = buffer_bytes", slots, sizes.size());
    add(".machine_rows = {}, .machine = machines", machines.size());
    if (!speeds.empty()) add(".speeds = speeds");
    if (skeleton_.fitted)
      add(".works = {}, .work = works, .unexplained = {}", skeleton_.works.size() + 1,
          fmt::format("{:.3g}", skeleton_.fitted->unexplained));
    if (skeleton_.cpu_time) add(".cpu_time = 1");
    if (skeleton_.recorded_order) add(".recorded_order = 1");
    if (!skeleton_.scratch.empty()) add(".files = {}, .file = files", skeleton_.scratch.size());
    if (!attached.empty()) add(".attached = {}, .attached_slot = attached", attached.size());
    if (simulated) add(".simulated = 1");
    if (skeleton::has(skeleton_.program, mpi::Kind::attach))
      add(".bsend_overhead = {}", mpi::implementation(skeleton_.mpi_name).buffered_overhead);
    if (values_.packs()) add(".packed = &packed");
    if (threads_) add("{}", thread_members(sections_.init));
    out.line(fmt::format("static const struct skel_program program = {{{}}};", join(members)));
    of_ranks += apart.text();
    return out.text();
  }

  const Skeleton& skeleton_;
  const Plan& plan_;
  const Sections sections_;
  const Annotations& annotations_;
  std::string tables_;
  Timing timing_;
  Handles handles_;
  const Neighbours neighbours_;
  const bool in_header_;  ///< tables may stand in tables.h
  const bool apart_;      ///< all tables with an entry for each rank do
  bool times_apart_;      ///< those of computation do
  Values values_;
  Calls calls_;
  Varying varying_;
  Where everybody_;     ///< all locations
  const bool threads_;  ///< ranks have others, too
  int firsts_ = 0, parts_ = 0;
  Writer functions_;
  std::vector<std::string> made_;           ///< functions that main calls
  std::vector<std::string> scope_;          ///< variables of the loops around
  std::map<const Node*, std::size_t> cut_;  ///< cut loops: their phases
  Index cut_iteration_;                     ///< of the innermost cut loop around: the number of its iteration
};

}  // namespace

std::string program(const Skeleton& skeleton, const Plan& plan, std::string* tables, const Annotations& annotations) {
  Program program(skeleton, plan, tables != nullptr, annotations);
  auto text = program.text();
  if (tables) *tables = program.tables();
  return text;
}

}  // namespace skelgen::emit
