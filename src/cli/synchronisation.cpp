#include "cli/synchronisation.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <ostream>
#include <set>
#include <tuple>

#include "cli/table.h"
#include "cli/thread_places.h"
#include "support/printable.h"

namespace skelgen::cli {
namespace {

constexpr std::size_t kMostRows = 20;
constexpr std::size_t kMostNamed = 3;       ///< objects of a kind in a cell
constexpr std::size_t kMostOfOnePlace = 8;  ///< objects that have rows of their own
constexpr std::size_t kMostThreads = 16;    ///< of one function that have rows of their own

/// Times are whole nanoseconds: less is rounding.
std::string time(double seconds) { return format_seconds(seconds < 0.5e-9 ? 0 : seconds); }

std::string more(std::size_t rows) {
  return rows > kMostRows ? fmt::format("and {} more, all of them with --json\n", rows - kMostRows) : std::string();
}

/// "1-3, 5": ascending. Of more than `most` parts the first ones, "and 7 more".
std::string ranges(const std::vector<std::size_t>& numbers, const char* prefix, std::size_t most) {
  std::vector<std::string> parts;
  std::size_t shown = 0;
  for (std::size_t i = 0; i < numbers.size() && parts.size() < most;) {
    std::size_t last = i;
    while (last + 1 < numbers.size() && numbers[last + 1] == numbers[last] + 1) ++last;
    if (last == i + 1) last = i;  // two are named
    parts.push_back(last == i ? fmt::format("{}{}", prefix, numbers[i])
                              : fmt::format("{}{}-{}{}", prefix, numbers[i], prefix, numbers[last]));
    shown = i = last + 1;
  }
  auto text = parts.empty() ? "-" : fmt::format("{}", fmt::join(parts, ", "));
  if (shown < numbers.size()) text += fmt::format(" and {} more", numbers.size() - shown);
  return text;
}

std::string plural(const std::string& name) { return name + (name.ends_with('x') || name.ends_with('s') ? "es" : "s"); }

/// "mutex 1, condition 1", "26 futexes": where there are many of a kind, their number.
std::string objects_text(const threads::Run& run, const std::set<std::uint32_t>& objects) {
  std::map<threads::Primitive, std::vector<std::uint32_t>> kinds;
  for (const auto object : objects) kinds[run.objects[object].primitive].push_back(object);
  std::vector<std::string> parts;
  for (const auto& [primitive, all] : kinds) {
    if (all.size() > kMostNamed)
      parts.push_back(fmt::format("{} {}", all.size(), plural(threads::name_of(primitive))));
    else
      for (const auto object : all) parts.push_back(run.objects[object].name);
  }
  return parts.empty() ? "-" : fmt::format("{}", fmt::join(parts, ", "));
}

/// Rows of threads, loops, objects and signals; threads of one function are one row where they are many, and so are
/// objects that were waited for at one place.
class Tables {
 public:
  Tables(const Context& context, const Synchronisation& all)
      : context_(context), all_(all), out_(context.out), row_of_(all.run.threads.size()) {
    for (const auto& group : all.groups) {
      if (group.size() > kMostThreads) {
        for (const auto t : group) row_of_[t] = rows_.size();
        rows_.push_back(group);
        continue;
      }
      for (const auto t : group) {
        row_of_[t] = rows_.size();
        rows_.push_back({t});
      }
    }
    gather_objects();
  }

  void print() {
    print_threads();
    print_loops();
    print_signals();
    print_objects();
  }

 private:
  struct ObjectRow {
    std::set<std::uint32_t> objects;
    double waiting_s = 0, hand_over_s = 0, there_s = 0;
    std::string place;
    double seconds() const { return waiting_s + hand_over_s; }
  };

  static void add_row(Table& table, std::vector<std::string> first, const threads::Account& account, double of = 1) {
    for (const double seconds : {account.compute_s, account.off_processor_s, account.waiting_s, account.hand_over_s,
                                 account.call_s, account.seconds()})
      first.push_back(time(seconds / of));
    table.add(std::move(first));
  }

  /// "thread 2", or of a row of several "threads 1-2500".
  std::string row_name(std::size_t row) const {
    const auto& threads = rows_[row];
    if (threads.size() == 1) {
      const auto& name = all_.run.threads[threads.front()].name;
      return std::ranges::count(all_.run.threads, name, &threads::Thread::name) == 1
                 ? name
                 : fmt::format("{} {}", threads.front(), name);
    }
    return "threads " + ranges({threads.begin(), threads.end()}, "", 2);
  }

  void print_threads() {
    const bool cores =
        std::ranges::any_of(all_.run.threads, [](const auto& thread) { return thread.core_wait_s.has_value(); });
    std::vector<std::string> header{"thread", "computes", "off", "waits", "hand-over", "calls", "all"};
    if (cores) header.emplace_back("no core");
    std::vector<std::size_t> order(rows_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::stable_sort(order, {}, [&](std::size_t row) { return rows_[row].front(); });
    Table table(std::move(header));
    for (std::size_t i = 0; i < std::min(order.size(), kMostRows); ++i) {
      const auto& threads = rows_[order[i]];
      threads::Account sum;
      double without_core_s = 0;
      for (const auto t : threads) {
        sum += all_.analysis.threads[t];
        without_core_s += all_.run.threads[t].core_wait_s.value_or(0);
      }
      const auto n = static_cast<double>(threads.size());
      const auto t = threads.front();
      const auto& name = all_.run.threads[t].name;
      std::vector<std::string> cells{threads.size() > 1                    ? row_name(order[i]) + ", each"
                                     : name == fmt::format("thread {}", t) ? std::to_string(t)
                                                                           : fmt::format("{} {}", t, name)};
      for (const double seconds :
           {sum.compute_s, sum.off_processor_s, sum.waiting_s, sum.hand_over_s, sum.call_s, sum.seconds()})
        cells.push_back(time(seconds / n));
      if (cores) cells.push_back(time(without_core_s / n));
      table.add(std::move(cells));
    }
    out_ << '\n';
    table.print(out_);
    out_ << more(order.size());
  }

  std::string loop_list(const auto& loops) const {
    std::vector<std::size_t> numbers;
    for (const auto loop : loops) numbers.push_back(loop + std::size_t{1});
    return ranges(numbers, "l", 3);
  }

  /// Loops of a row's threads with the same code, in a loop with the same code: their first one, and all.
  std::vector<std::vector<std::uint32_t>> loop_rows() const {
    const auto& analysis = all_.analysis;
    std::map<std::tuple<std::size_t, std::string, std::string, std::size_t>, std::size_t> known;
    std::vector<std::vector<std::uint32_t>> rows;
    for (std::uint32_t l = 0; l < analysis.synchronisation_loops.size(); ++l) {
      const auto& loop = analysis.synchronisation_loops[l];
      const auto& is = analysis.loops.all[loop.loop];
      const auto row = row_of_[is.thread];
      const auto around = loop.parent == threads::kNoLoop
                              ? std::string("-")
                              : analysis.loops.all[analysis.synchronisation_loops[loop.parent].loop].code;
      const bool alone = rows_[row].size() == 1;
      const auto [found, fresh] = known.try_emplace({row, is.code, around, alone ? l + 1 : 0}, rows.size());
      if (fresh) rows.emplace_back();
      rows[found->second].push_back(l);
    }
    return rows;
  }

  void print_loops() {
    const auto& analysis = all_.analysis;
    const auto& loops = analysis.synchronisation_loops;
    if (loops.empty()) {
      out_ << "\nno synchronisation loops: no thread waits for signals of another, but for its beginning and its end\n";
      return;
    }
    const auto rows = loop_rows();
    const auto shown = std::min(rows.size(), kMostRows);
    const auto label = [&](const std::vector<std::uint32_t>& row) {
      return row.size() == 1 ? loops[row.front()].name
                             : fmt::format("{} and {} alike", loops[row.front()].name, row.size() - 1);
    };
    out_ << "\nN: loops nested in it; P: loops that consume what it produces; C: loops that produce what it consumes\n";
    Table table({"loop", "thread", "in", "trips", "N", "P", "C", "produces", "consumes"});
    for (std::size_t i = 0; i < shown; ++i) {
      const auto& loop = loops[rows[i].front()];
      const auto& is = analysis.loops.all[loop.loop];
      table.add({label(rows[i]), row_name(row_of_[is.thread]),
                 loop.parent == threads::kNoLoop ? "-" : loops[loop.parent].name,
                 is.parent == threads::kNoLoop ? "thread" : format_count(is.trips()), loop_list(loop.nested),
                 loop_list(loop.partners_it_produces_for), loop_list(loop.partners_it_consumes_from),
                 objects_text(all_.run, loop.produces), objects_text(all_.run, loop.consumes)});
    }
    table.print(out_);
    out_ << more(rows.size()) << '\n';
    print_layers();
    out_ << '\n';
    Table costs({"loop", "computes", "off", "waits", "hand-over", "calls", "all"});
    for (std::size_t i = 0; i < shown; ++i) {
      threads::Account sum;
      for (const auto l : rows[i]) sum += loops[l].cost;
      add_row(costs, {label(rows[i]) + (rows[i].size() > 1 ? ", each" : "")}, sum, static_cast<double>(rows[i].size()));
    }
    costs.print(out_);
    out_ << more(rows.size());
  }

  void print_layers() {
    const bool cycles = all_.run.clock == "PAPI_TOT_CYC";
    std::vector<std::string> header{"level", "layer", "cost"};
    if (cycles) header.emplace_back("cycles");
    Table table(std::move(header));
    const auto& layers = all_.analysis.layers;
    for (std::size_t i = 0; i < std::min(layers.size(), kMostRows); ++i) {
      std::vector<std::string> cells{std::to_string(layers[i].level), loop_list(layers[i].loops),
                                     time(layers[i].seconds)};
      if (cycles) cells.push_back(format_count(whole_cycles(layers[i].seconds)));
      table.add(std::move(cells));
    }
    table.print(out_);
    out_ << more(layers.size());
  }

  std::uint64_t whole_cycles(double seconds) const {
    constexpr double kMost = 0x1p63;  // damaged files may have more
    return static_cast<std::uint64_t>(std::min(seconds * all_.analysis.units_per_second, kMost));
  }

  void gather_objects() {
    const auto objects = threads::awaited(all_.run, all_.analysis);
    const auto places = thread_places(context_, all_.run, objects);
    using Place = std::pair<std::string, double>;
    std::vector<Place> most_of_it;
    std::map<std::pair<threads::Primitive, std::string>, std::size_t> count;
    const auto key = [&](std::size_t i) {
      return std::pair(all_.run.objects[objects[i].object].primitive, most_of_it[i].first);
    };
    for (std::size_t i = 0; i < objects.size(); ++i) {
      std::map<std::string, double> at;
      for (const auto& [sites, seconds] : objects[i].sites) at[text_of(places, sites)] += seconds;
      most_of_it.emplace_back(*std::ranges::max_element(at, {}, [](const auto& one) { return one.second; }));
      ++count[key(i)];
    }
    std::map<std::pair<threads::Primitive, std::string>, std::size_t> known;
    for (std::size_t i = 0; i < objects.size(); ++i) {
      const auto& object = objects[i];
      const Place* const most = &most_of_it[i];
      const bool alone = count[key(i)] <= kMostOfOnePlace;
      const auto [found, fresh] = known.try_emplace(key(i), objects_.size());
      if (alone) found->second = objects_.size();
      if (fresh || alone) objects_.push_back({{}, 0, 0, 0, most->first});
      auto& row = objects_[found->second];
      row.objects.insert(object.object);
      row.waiting_s += object.waiting_s;
      row.hand_over_s += object.hand_over_s;
      row.there_s += most->second;
    }
    std::ranges::stable_sort(objects_, std::greater(), &ObjectRow::seconds);
    for (const auto& row : objects_)
      for (const auto object : row.objects) name_of_[object] = objects_text(all_.run, row.objects);
  }

  /// A table of the objects that threads waited for, each with the source line at which they waited longest.
  void print_objects() {
    if (objects_.empty()) return;
    out_ << '\n';
    Table table({"object", "waits", "hand-over", "most of it at", "there"});
    for (std::size_t i = 0; i < std::min(kMostRows, objects_.size()); ++i) {
      const auto& row = objects_[i];
      table.add({objects_text(all_.run, row.objects), time(row.waiting_s), time(row.hand_over_s), row.place,
                 time(row.there_s)});
    }
    table.print(out_);
    out_ << more(objects_.size());
  }

  /// Signals of the same object between the same threads are one, wherever in the program they are.
  void print_signals() {
    struct Row {
      std::string object, from, to;
      std::uint64_t count = 0, waited = 0;
      double waiting_s = 0, hand_over_s = 0, confidence = 0;
    };
    const auto& analysis = all_.analysis;
    std::map<std::tuple<std::string, std::size_t, std::size_t>, std::size_t> known;
    std::vector<Row> rows;
    for (const auto& edge : analysis.signals) {
      if (edge.waited == 0) continue;
      const auto& to = analysis.vertices[edge.consumer];
      const auto row_of = [&](std::uint32_t v) {
        return row_of_[analysis.loops.all[analysis.vertices[v].loop].thread];
      };
      const auto object = threads::is_life(to.action)    ? threads::name_of(to.action)
                          : name_of_.contains(to.object) ? name_of_.at(to.object)
                                                         : all_.run.objects[to.object].name;
      const auto [found, fresh] =
          known.try_emplace({object, row_of(edge.producer), row_of(edge.consumer)}, rows.size());
      if (fresh) rows.push_back({object, row_name(row_of(edge.producer)), row_name(row_of(edge.consumer))});
      auto& row = rows[found->second];
      row.count += edge.count;
      row.waited += edge.waited;
      row.waiting_s += edge.waiting_s;
      row.hand_over_s += edge.hand_over_s;
      row.confidence += edge.confidence;
    }
    if (rows.empty()) return;
    std::ranges::stable_sort(rows, std::greater(), [](const Row& row) { return row.waiting_s + row.hand_over_s; });
    out_ << '\n';
    Table table({"signal", "from", "to", "times", "waited", "wait", "hand-over", "sure"});
    for (std::size_t i = 0; i < std::min(kMostRows, rows.size()); ++i) {
      const auto& row = rows[i];
      const auto waited = static_cast<double>(row.waited);
      table.add({row.object, row.from, row.to, format_count(row.count), format_count(row.waited),
                 time(row.waiting_s / waited), time(row.hand_over_s / waited),
                 format_percent(row.confidence / static_cast<double>(row.count))});
    }
    table.print(out_);
    out_ << more(rows.size());
  }

  const Context& context_;
  const Synchronisation& all_;
  std::ostream& out_;
  std::vector<std::size_t> row_of_;               // by thread
  std::vector<std::vector<std::uint32_t>> rows_;  // threads
  std::vector<ObjectRow> objects_;                // the longest waits first
  std::map<std::uint32_t, std::string> name_of_;  // of objects in rows
};

double change_percent(double now, double before) { return before > 0 ? 100 * (now / before - 1) : 0; }

/// "thread 2", "threads 1-4".
std::string names(const threads::Run& run, const std::vector<std::uint32_t>& threads) {
  if (threads.size() == 1) return thread_name(run, threads.front());
  return "threads " + ranges({threads.begin(), threads.end()}, "", 4);
}

/// The line that names the threads whose work, if it were halved, would shorten the run most.
std::string conclusion(const Synchronisation& all) {
  constexpr double kLeastGain = 0.01;
  const double now = all.evaluated.seconds;
  if (all.halves.empty() || now <= 0) return {};
  const auto& best = all.halves.front();
  const auto* const tried = all.all_halves ? "" : "; only those that compute most were tried";
  if (best.seconds > (1 - kLeastGain) * now)
    return fmt::format(
        "no thread's work alone decides how long the run takes: with half of it, of whichever thread, {} "
        "at least instead of {} ({:+.1f} %){}",
        time(best.seconds), time(now), change_percent(best.seconds, now), tried);
  auto text =
      fmt::format("the work of {} is what the run waits for: with half of it {} instead of {} ({:+.1f} %)",
                  names(all.run, best.threads), time(best.seconds), time(now), change_percent(best.seconds, now));
  if (all.halves.size() > 1)
    text += fmt::format("; next {}, {:+.1f} %", names(all.run, all.halves[1].threads),
                        change_percent(all.halves[1].seconds, now));
  return text + tried;
}

/// The note that capture took more than a tenth of the computed time; empty if it did not. What a call costs is not measured in
/// the run.
std::string capture_cost(const Synchronisation& all) {
  constexpr double kCallS = 25e-9, kMuch = 0.1;  // of processors on which scripts/threads-study ran
  std::uint64_t calls = 0;
  double computed_s = 0;
  for (std::size_t t = 0; t < all.run.threads.size(); ++t) {
    calls += all.run.threads[t].events.size();
    computed_s += all.analysis.threads[t].compute_s;
  }
  const double capture_s = kCallS * static_cast<double>(calls);
  if (capture_s <= kMuch * computed_s) return {};
  return fmt::format(
      "capture took about {} ({} calls; {} each is an estimate from other machines), the threads computed for {}: "
      "without capture the run is shorter",
      time(capture_s), format_count(calls), time(kCallS), time(computed_s));
}

}  // namespace

std::string thread_name(const threads::Run& run, std::uint32_t thread) {
  const auto& name = run.threads[thread].name;
  const auto number = fmt::format("thread {}", thread);
  return thread == 0 && name == "main" ? name : name == number ? name : fmt::format("{} ({})", number, printable(name));
}

std::string work_of(double factor) {
  return factor == 0.5 ? "half the work of"
         : factor == 2 ? "twice the work of"
                       : fmt::format("{:g} times the work of", factor);
}

void print(const Context& context, const Synchronisation& all) {
  auto& out = context.out;
  const auto& run = all.run;
  const auto& analysis = all.analysis;
  out << fmt::format("program     {}: {} thread{}, work is {}\n", printable(run.application), run.threads.size(),
                     run.threads.size() == 1 ? "" : "s", run.clock);
  if (const auto text = conclusion(all); !text.empty()) out << "result      " << text << '\n';
  for (const auto& text : run.notes) out << "note        " << printable(text) << '\n';
  if (const auto text = capture_cost(all); !text.empty()) out << "note        " << text << '\n';
  if (run.at_layers)
    out << "note        work was counted where layers begin and end, and divided evenly between: only sums over layers "
           "are true\n";
  Tables(context, all).print();

  const double total = analysis.seconds(), without = analysis.without_synchronisation() / analysis.units_per_second;
  const auto beside_total = [&](double seconds) {
    const double percent = change_percent(seconds, total);
    return fmt::format("{:.0f} % {} than this run", std::abs(percent), percent < 0 ? "less" : "more");
  };
  out << fmt::format(
      "\ntotal       {}: the thread that takes longest{}\n", time(total),
      run.clock == "PAPI_TOT_CYC" ? fmt::format(", {:.4g} cycles", total * analysis.units_per_second) : std::string());
  const auto cores = all.processors == 0
                         ? std::string("each thread has a core")
                         : fmt::format("the threads share {} core{}", all.processors, all.processors == 1 ? "" : "s");
  if (run.complete)
    out << fmt::format("predicted   {} if waits follow from the work alone and {} ({})\n", time(all.evaluated.seconds),
                       cores, beside_total(all.evaluated.seconds));
  else
    out << "predicted   nothing: the process did not end by exit, and in which calls its threads still waited is not "
           "known\n";
  out << fmt::format("without     {}: longest computation of one thread; synchronisation is ignored ({})\n",
                     time(without), beside_total(without));
  std::uint64_t waits = 0;
  for (const auto& edge : analysis.signals) waits += edge.waited;
  const auto note_forced = [&](std::uint64_t forced) {
    if (forced > 0)
      out << fmt::format(
          "note        {} of {} waits found no signal in the prediction and were ended by force: it may "
          "be too short\n",
          forced, format_count(std::max(waits, forced)));
  };
  note_forced(all.evaluated.forced);
  if (all.changes.empty()) return;
  std::map<double, std::vector<std::uint32_t>> by_factor;
  for (const auto& change : all.changes) by_factor[change.factor].push_back(change.thread);
  std::vector<std::string> what;
  for (auto& [factor, threads] : by_factor) {
    std::ranges::sort(threads);
    what.push_back(fmt::format("{} {}", work_of(factor), names(run, threads)));
  }
  out << fmt::format("\nchanged     with {}: {} instead of {} ({:+.1f} %); longest computation of one thread {}\n",
                     fmt::join(what, ", "), time(all.changed.seconds), time(all.evaluated.seconds),
                     change_percent(all.changed.seconds, all.evaluated.seconds), time(all.changed_without_s));
  note_forced(all.changed.forced);
}

}  // namespace skelgen::cli
