#include "emit/threads.h"

#include <fmt/format.h>

#include <algorithm>

#include "emit/code_writer.h"

namespace skelgen::emit {

std::string thread_tables(const skeleton::Skeleton& skeleton, const Plan& plan) {
  std::vector<std::string> first_thread, first_turn{"0"}, turns;
  for (std::size_t l = 0; l < skeleton.locations.size(); ++l) {
    const auto& location = skeleton.locations[l];
    if (location.where.thread == 0) first_thread.push_back(std::to_string(l));
    for (const auto& [call, thread, calls] : location.turns)
      turns.push_back(fmt::format("{{{}, {}, {}}}", call, thread, calls));
    first_turn.push_back(std::to_string(turns.size()));
  }
  first_thread.push_back(std::to_string(skeleton.locations.size()));
  if (turns.empty()) turns.push_back("{0, 0, 0}");
  Writer out;
  out.line("/* The first thread of each rank; the first turn of each thread. A turn {c, t, n}: before its");
  out.line(" * call c a thread waits until thread t of its rank has made n calls as it had when traced. */");
  out.line(fmt::format("static const int first_thread[] = {{{}}};", join(first_thread)));
  out.line(fmt::format("static const long first_turn[] = {{{}}};", join(first_turn)));
  out.line(fmt::format("static const struct skel_turn turns[] = {{{}}};", join(turns)));
  out.line("/* Of each phase: calls of each thread in an iteration of the loop that is cut. */");
  out.line("static const long calls_of_iteration[] = {");
  for (const auto& phase : plan.phases) {
    std::vector<std::string> calls;
    for (std::uint32_t l = 0; l < skeleton.locations.size(); ++l)
      calls.push_back(std::to_string(phase.loop ? skeleton::calls_of_iteration(phase.loop->loop(), l).value_or(0) : 0));
    out.line(fmt::format("  {},", join(calls)));
  }
  out.line("};");
  return out.text();
}

std::string thread_members(const Nodes& init) {
  const bool at_once = std::ranges::any_of(init, [](const skeleton::Node* node) {
    const auto& call = node->call();
    const int required = call.function->kind == mpi::Kind::init ? call.function->find(mpi::Role::integer) : -1;
    return required >= 0 && std::ranges::all_of(call.arguments[static_cast<std::size_t>(required)].choices,
                                                [](const auto& asked) { return asked.at(0) >= mpi::kThreadMultiple; });
  });
  return fmt::format(
      ".calls_before = {},{} .first_thread = first_thread, .first_turn = first_turn, .turn = turns, "
      ".calls_of_iteration = calls_of_iteration",
      init.size(), at_once ? " .at_once = 1," : "");
}

}  // namespace skelgen::emit
