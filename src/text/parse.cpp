#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "skel_kernel_names.h"
#include "support/error.h"
#include "support/fingerprint.h"
#include "text/parse_program.h"
#include "text/text.h"
#include "text/valid.h"
#include "text/words.h"

namespace skelgen::text {
namespace {

using mpi::Role;

constexpr int kVersion = 1;

/// A number that no other group of the text has.
std::uint64_t identity(std::uint64_t number) {
  std::uint64_t h = (number + 1) * 0x9e3779b97f4a7c15u;  // splitmix64
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
  h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
  return h ^ (h >> 31);
}

class Parser {
 public:
  Parser(std::string_view text, const std::string& file, const Limits& limits)
      : tokens_(text, file, limits), values_(tokens_, skeleton_) {
    skeleton_.arrays.emplace_back();
  }

  Skeleton read(Places& places) {
    head();
    while (!tokens_.at_end()) section();
    if (skeleton_.locations.empty()) tokens_.fail("\"ranks N\" before it");
    if (!program_) tokens_.fail("\"program {\" before it");
    values_.learn();
    ProgramParser parser(tokens_, skeleton_, values_, samples_);
    tokens_.go_to(*program_);
    skeleton_.program = parser.program();
    std::size_t next = 0;
    enter(skeleton_.program, parser.lines(), next, places);
    for (const auto& [line, place] : pools_) {
      tokens_.go_to(place);
      skeleton_.pools.push_back(parser.pool());
      pool_lines_.push_back(line);
    }
    for (std::size_t p = 0; p < skeleton_.pools.size(); ++p)
      for (const Node& node : skeleton_.pools[p].body) places.lines[&node] = pool_lines_[p];
    skeleton_.name_bytes.resize(skeleton_.names.size(), 0);
    return std::move(skeleton_);
  }

  /// What the line `traced` says.
  std::optional<std::uint64_t> traced() const { return traced_; }

 private:
  static void enter(const Block& block, const std::vector<std::uint32_t>& lines, std::size_t& next, Places& places) {
    for (const Node& node : block) {
      places.lines[&node] = lines.at(next++);
      if (node.is_loop()) enter(node.loop().body, lines, next, places);
    }
  }

  void head() {
    tokens_.expect("skeleton");
    const Token at = tokens_.peek();
    if (tokens_.natural("the number of the text form, 1", UINT32_MAX) != kVersion)
      tokens_.refuse(at, "another text form than is known here", fmt::format("write \"skeleton {}\"", kVersion));
    if (tokens_.peek().kind == Token::Kind::string) skeleton_.mpi_name = tokens_.string("the name of an MPI");
    if (tokens_.accept("wall")) skeleton_.traced_wall_s = values_.time();
    skeleton_.cpu_time = tokens_.accept("cpu");
    skeleton_.recorded_order = tokens_.accept("recorded");
    if (tokens_.is("tolerance")) {
      const Token word = tokens_.take();
      skeleton_.tolerance = tokens_.real("a share");
      if (skeleton_.tolerance >= 1) tokens_.refuse(word, "a tolerance of 1 or more");
    }
    tokens_.expect_line_end();
  }

  /// What stands behind the program may be a part of it, which ends too early as a brace is missing: says where.
  void look_into_program() {
    if (!program_ || skeleton_.locations.empty()) return;
    values_.learn();
    tokens_.go_to(*program_);
    ProgramParser(tokens_, skeleton_, values_, samples_).program();
  }

  void section() {
    const Token at = tokens_.peek();
    if (tokens_.is("[")) {
      const Locations where = values_.where();
      if (tokens_.accept("machine")) return machine(where);
      if (tokens_.accept("buffers")) return buffers(where);
      if (tokens_.accept("turns")) return turns(where);
      const Token other = tokens_.peek();
      look_into_program();
      tokens_.fail(other, "\"machine\", \"buffers\" or \"turns\"");
    }
    const std::string_view word = tokens_.word("\"program {\" or a line of its head");
    if (word == "ranks") return ranks(at);
    if (word == "location") return location(at);
    if (word == "machine") return machine(all(at));
    if (word == "buffers") return buffers(all(at));
    if (word == "turns") return turns(all(at));
    if (word == "comm") return shared(at, Role::comm, &LocationData::communicators);
    if (word == "window") return shared(at, Role::win, &LocationData::windows);
    if (word == "file") return shared(at, Role::file, &LocationData::files);
    if (word == "scratch") return scratch(at);
    if (word == "names") return names();
    if (word == "array") return array();
    if (word == "note") return note();
    if (word == "samples") return samples();
    if (word == "features") return features();
    if (word == "work") return work();
    if (word == "traced") {
      traced_ = tokens_.natural("a number", UINT64_MAX);
      return tokens_.expect_line_end();
    }
    if (word == "program") {
      if (program_) tokens_.refuse(at, "a second program");
      program_ = begin_of_block();
      tokens_.skip_block();
      return tokens_.expect_line_end();
    }
    if (word == "pool") {
      const Token number = tokens_.peek();
      if (tokens_.natural("the number of a pool", UINT32_MAX) != pools_.size())
        tokens_.refuse(number, "pools in another order", fmt::format("number this one {}", pools_.size()));
      tokens_.expect("{");
      pools_.emplace_back(at.line, tokens_.place());
      tokens_.skip_block();
      return tokens_.expect_line_end();
    }
    look_into_program();
    tokens_.fail(
        at,
        "\"program {\" or a line of the head: ranks, location, machine, buffers, comm, window, file, scratch, names, "
        "array, note, pool, samples, features, work");
  }

  Locations all(const Token& at) {
    tokens_.count(at, skeleton_.locations.size());
    Locations where(skeleton_.locations.size());
    std::iota(where.begin(), where.end(), 0u);
    return where;
  }

  std::size_t begin_of_block() {
    tokens_.expect("{");
    if (tokens_.peek().kind == Token::Kind::line_end) tokens_.take();
    return tokens_.place();
  }

  void add(const Token& at, Location where) {
    if (skeleton_.locations.size() >= tokens_.limits().locations)
      tokens_.refuse(at, fmt::format("more than {} locations", tokens_.limits().locations), "write a smaller program");
    tokens_.count(at, 8);
    skeleton_.locations.emplace_back().where = where;
  }

  void ranks(const Token& at) {
    if (!skeleton_.locations.empty()) tokens_.refuse(at, "ranks for the second time");
    const Token number = tokens_.peek();
    const auto n = static_cast<int>(tokens_.natural("a number of ranks", tokens_.limits().locations));
    if (n == 0) tokens_.refuse(number, "0 ranks", "give 1 or more");
    const std::uint64_t world = identity(groups_++);
    for (int rank = 0; rank < n; ++rank) {
      add(at, {rank, 0});
      skeleton_.locations.back().communicators = {{0, n, rank, world}, {1, 1, 0, identity(groups_++)}};
    }
    tokens_.expect_line_end();
  }

  void location(const Token& at) {
    const Token number = tokens_.peek();
    if (tokens_.natural("the number of a location", UINT32_MAX) != skeleton_.locations.size())
      tokens_.refuse(number, "locations in another order",
                     fmt::format("number this one {}", skeleton_.locations.size()));
    Location where;
    tokens_.expect("rank");
    where.rank = static_cast<Rank>(tokens_.natural("a rank", INT32_MAX));
    if (tokens_.accept("thread")) where.thread = static_cast<std::int32_t>(tokens_.natural("a thread", kMostThreads));
    // The next thread of the last location's rank, or the first one of the next rank.
    const Location last = skeleton_.locations.empty() ? Location{-1, 0} : skeleton_.locations.back().where;
    if (where != Location{last.rank + 1, 0} &&
        (skeleton_.locations.empty() || where != Location{last.rank, last.thread + 1}))
      tokens_.refuse(at, fmt::format("rank {}, thread {} does not come here", where.rank, where.thread),
                     "number ranks, and the threads of each, from 0 on in order");
    add(at, where);
    tokens_.expect_line_end();
  }

  void machine(const Locations& where) {
    LocationData of;
    if (tokens_.accept("working_set")) of.working_set_bytes = tokens_.natural("a number of bytes", kMostBytes);
    if (tokens_.accept("register")) of.speed_register = tokens_.real("a speed");
    if (tokens_.accept("memory")) of.speed_memory = tokens_.real("a speed");
    if (tokens_.accept("flops")) of.speed_flops = tokens_.real("a speed");
    if (tokens_.accept("kernels")) {
      tokens_.expect("(");
      bool more = true;
      for (const char* kernel : skel_kernel_name) {  // one that is not named was not measured
        const bool measured = more && tokens_.accept(kernel);
        of.kernel_speeds.push_back(measured ? tokens_.real("a speed") : 0);
        of.kernel_noise.push_back(measured ? tokens_.real("an error") : 0);
        if (measured) more = tokens_.accept(",");
      }
      tokens_.expect(")");
    }
    if (tokens_.accept("processor")) of.processor = tokens_.string("the name of a processor");
    for (const std::uint32_t l : where) {
      LocationData& location = skeleton_.locations[l];
      location.working_set_bytes = of.working_set_bytes;
      location.speed_register = of.speed_register;
      location.speed_memory = of.speed_memory;
      location.speed_flops = of.speed_flops;
      location.kernel_speeds = of.kernel_speeds;
      location.kernel_noise = of.kernel_noise;
      location.processor = of.processor;
    }
    tokens_.expect_line_end();
  }

  void buffers(const Locations& where) {
    const Token at = tokens_.peek();
    std::vector<std::uint64_t> bytes;
    const auto sizes = values_.numbers(Role::count);
    tokens_.count(at, sizes.size() * where.size());
    for (const std::int64_t size : sizes) {
      if (size < 0 || static_cast<std::uint64_t>(size) > kMostBytes)
        tokens_.refuse(at, "a buffer of less than 0 or more than 2^40 bytes");
      bytes.push_back(static_cast<std::uint64_t>(size));
    }
    for (const std::uint32_t l : where) skeleton_.locations[l].buffer_bytes = bytes;
    tokens_.expect_line_end();
  }

  /// Calls of a thread that wait for those of another one of its rank.
  void turns(const Locations& where) {
    std::vector<mpi::Turn> all;
    tokens_.expect("(");
    while (!tokens_.accept(")")) {
      if (!all.empty()) tokens_.expect(",");
      mpi::Turn turn{};
      turn.call = tokens_.natural("the number of a call", INT64_MAX);
      tokens_.expect("after");
      turn.calls = tokens_.natural("a number of calls", INT64_MAX);
      tokens_.expect("of");
      tokens_.expect("thread");
      turn.thread = static_cast<std::int32_t>(tokens_.natural("a thread", kMostThreads));
      tokens_.count(tokens_.peek(), 4 * where.size());
      all.push_back(turn);
    }
    for (const std::uint32_t l : where) skeleton_.locations[l].turns = all;
    tokens_.expect_line_end();
  }

  /// One group of a communicator.
  struct Side {
    Locations members;  ///< ascending
    std::vector<std::int64_t> slots, ranks, sources, destinations;
    std::shared_ptr<const mpi::Grid> grid;
    int size = 0;
  };

  Side side(Role role) {
    Side side;
    std::optional<Given> slots;
    if (!tokens_.is("size")) {
      slots = values_.argument(role);
      tokens_.expect("of");
    }
    const Token at = tokens_.peek();
    if (tokens_.accept("size")) {
      side.size = static_cast<int>(tokens_.natural("a size", INT32_MAX));
      if (slots) {
        side.members = values_.where();
        tokens_.expect("ranks");
        side.ranks = values_.constants(values_.argument(Role::count), side.members, side.size - 1);
      }
    } else {
      const Locations in_order = values_.members();
      side.size = static_cast<int>(in_order.size());
      side.members = in_order;
      std::ranges::sort(side.members);
      side.ranks.resize(in_order.size());
      for (std::size_t rank = 0; rank < in_order.size(); ++rank)
        side.ranks[static_cast<std::size_t>(std::ranges::lower_bound(side.members, in_order[rank]) -
                                            side.members.begin())] = static_cast<std::int64_t>(rank);
    }
    if (side.size < 1) tokens_.refuse(at, "nobody", "name its locations");
    if (slots) side.slots = values_.constants(*slots, side.members, 1 << 20);
    if (tokens_.accept("sources")) side.sources = neighbours(side);
    if (tokens_.accept("destinations")) side.destinations = neighbours(side);
    if (tokens_.accept("grid")) side.grid = grid(side.size);
    return side;
  }

  std::shared_ptr<const mpi::Grid> grid(int ranks) {
    const Token at = tokens_.peek();
    mpi::Grid grid;
    tokens_.expect("(");
    while (!tokens_.accept(")")) {
      if (!grid.dimensions.empty()) tokens_.expect(",");
      const auto size = static_cast<int>(tokens_.natural("the size of a dimension", INT32_MAX));
      grid.dimensions.push_back({size, tokens_.accept("periodic")});
      tokens_.count(at, 1);
    }
    if (grid.ranks() != ranks)
      tokens_.refuse(at, fmt::format("a grid of {} ranks", grid.ranks()), fmt::format("write one of {}", ranks));
    return std::make_shared<const mpi::Grid>(std::move(grid));
  }

  static bool is_predefined(std::int64_t slot) { return slot < 2; }

  std::vector<std::int64_t> neighbours(const Side& side) {
    const Argument all = values_.settle(values_.argument(Role::count), side.members);
    std::vector<std::int64_t> numbers;
    for (std::size_t p = 0; p < side.members.size(); ++p)
      numbers.push_back(std::clamp<std::int64_t>(all.of(p).values[0], -1, INT32_MAX));
    return numbers;
  }

  void shared(const Token& at, Role role, std::vector<Communicator> LocationData::*list) {
    if (skeleton_.locations.empty())
      tokens_.refuse(at, "a group before it is known how many locations there are", "write \"ranks N\" first");
    std::vector<Side> sides;
    do sides.push_back(side(role));
    while (sides.size() < 2 && tokens_.accept("to"));
    for (const Side& own : sides)
      if (own.grid && (role != Role::comm || sides.size() == 2 || std::ranges::any_of(own.slots, is_predefined)))
        tokens_.refuse(at, "a grid", "only a communicator that the program makes, of one group, has one");
    const std::uint64_t first = identity(groups_++), second = identity(groups_++);
    for (std::size_t s = 0; s < sides.size(); ++s) {
      const Side& own = sides[s];
      for (std::size_t p = 0; p < own.members.size(); ++p) {
        Communicator c{static_cast<int>(own.slots[p]), own.size, static_cast<int>(own.ranks[p]), s ? second : first};
        if (sides.size() == 2) {
          c.remote = s ? first : second;
          c.remote_size = sides[1 - s].size;
        }
        if (!own.sources.empty()) c.sources = own.sources[p];
        if (!own.destinations.empty()) c.destinations = own.destinations[p];
        c.grid = own.grid;
        (skeleton_.locations[own.members[p]].*list).push_back(c);
      }
      tokens_.count(at, own.members.size());
    }
    tokens_.expect_line_end();
  }

  void scratch(const Token& at) {
    if (tokens_.natural("the number of a file", UINT32_MAX) != skeleton_.scratch.size())
      tokens_.refuse(at, "files in another order", fmt::format("number this one {}", skeleton_.scratch.size()));
    mpi::ScratchFile file;
    if (tokens_.accept("bytes"))
      file.bytes = static_cast<std::int64_t>(tokens_.natural("a number of bytes", kMostBytes));
    if (tokens_.accept("rank")) file.rank = static_cast<int>(tokens_.natural("a rank", INT32_MAX));
    skeleton_.scratch.push_back(file);
    tokens_.expect_line_end();
  }

  void names() {
    do {
      const Token at = tokens_.peek();
      std::string name =
          at.kind == Token::Kind::string ? tokens_.string("a name") : std::string(tokens_.word("a name"));
      values_.check_name(at, name);
      skeleton_.name_bytes.resize(skeleton_.names.size(), 0);
      const bool sized = tokens_.peek().kind == Token::Kind::number;
      skeleton_.name_bytes.push_back(sized ? static_cast<int>(tokens_.natural("a number of bytes", 1 << 20))
                                           : mpi::datatype_size(name));
      skeleton_.names.push_back(std::move(name));
    } while (tokens_.accept(","));
    tokens_.expect_line_end();
  }

  void array() {
    const Token at = tokens_.peek();
    const std::string_view name = tokens_.word("the number of an array");
    const std::size_t next = skeleton_.arrays.size();
    if (name != "a0" && name != fmt::format("a{}", next))
      tokens_.refuse(at, "arrays in another order", fmt::format("number this one a{}", next));
    auto values = values_.numbers(Role::integer);
    if (name == "a0")
      skeleton_.arrays[0] = std::move(values);
    else
      skeleton_.arrays.push_back(std::move(values));
    tokens_.expect_line_end();
  }

  void note() {
    std::string name = tokens_.string("a name in quotes");
    skeleton_.notes.emplace_back(std::move(name), tokens_.string("a text in quotes"));
    tokens_.expect_line_end();
  }

  void features() {
    if (!skeleton_.features.empty()) tokens_.fail("features only once");
    do {
      const Token at = tokens_.peek();
      const std::string name(tokens_.word("the name of a feature"));
      if (!features_.emplace(name, skeleton_.features.size()).second) tokens_.refuse(at, name + " twice");
      skeleton_.features.push_back(name);
      tokens_.count(at, 1);
    } while (tokens_.accept(","));
    tokens_.expect_line_end();
  }

  void work() {
    const Token number = tokens_.peek();
    const std::size_t next = skeleton_.works.size() + 1;
    if (tokens_.natural("the number of a work", UINT32_MAX) != next)
      tokens_.refuse(number, "work in another order", fmt::format("number this one {}", next));
    auto& counts = skeleton_.works.emplace_back().counts;
    tokens_.expect("(");
    for (bool first = true; !tokens_.is(")"); first = false) {
      if (!first) tokens_.expect(",");
      const Token at = tokens_.peek();
      const auto named = features_.find(tokens_.word("the name of a feature"));
      if (named == features_.end()) tokens_.refuse(at, "no feature that a line \"features\" before has");
      const auto feature = static_cast<std::uint32_t>(named->second);
      if (!counts.empty() && counts.back().feature >= feature) tokens_.refuse(at, "features in another order");
      const Token times = tokens_.peek();
      counts.push_back({feature, tokens_.real("how often")});
      if (counts.back().times <= 0) tokens_.refuse(times, "what is never done", "leave it out");
      tokens_.count(at, 1);
    }
    tokens_.expect(")");
    tokens_.expect_line_end();
  }

  void samples() {
    const Token at = tokens_.peek();
    const auto [entry, added] = samples_.try_emplace(tokens_.natural("a number of samples", UINT32_MAX));
    if (!added) tokens_.refuse(at, "samples of this number for the second time");
    tokens_.expect("{");
    tokens_.expect_line_end();
    while (!tokens_.accept("}")) {
      const Token line = tokens_.peek();
      const Locations where = values_.where();
      Samples::OfLocation own;
      while (tokens_.is("(")) {
        values_.append_times(own.seconds);
        const std::size_t begin = own.ends.empty() ? 0 : own.ends.back(), end = own.seconds.size();
        const Token repeats = tokens_.peek();
        const std::uint64_t n = values_.times_repeated();
        if (n > 1 && end > begin) tokens_.refuse(repeats, "repeated times", "repeat only \"()\"");
        tokens_.count(repeats, n);
        own.ends.insert(own.ends.end(), n, static_cast<std::uint32_t>(end));
      }
      for (const std::uint32_t l : where) {
        if (!entry->second.emplace(l, own).second) tokens_.refuse(line, fmt::format("location {} twice", l));
        tokens_.count(line, own.seconds.size() + own.ends.size());
      }
      tokens_.expect_line_end();
    }
    tokens_.expect_line_end();
  }

  static constexpr std::uint64_t kMostThreads = 1 << 20;
  static constexpr std::uint64_t kMostBytes = static_cast<std::uint64_t>(mpi::kLargestBuffer);

  Tokens tokens_;
  Skeleton skeleton_;
  ValueParser values_;
  std::optional<std::size_t> program_;
  std::vector<std::pair<std::uint32_t, std::size_t>> pools_;  ///< line and place
  std::vector<std::uint32_t> pool_lines_;
  std::map<std::uint64_t, SampledLocations> samples_;
  std::map<std::string, std::size_t, std::less<>> features_;
  std::optional<std::uint64_t> traced_;
  std::uint64_t groups_ = 0;
};

}  // namespace

Skeleton parse(std::string_view text, const std::string& file, const Limits& limits, Places* taken) {
  Parser parser(text, file, limits);
  Places places{file, {}};
  Skeleton skeleton = parser.read(places);
  refuse_too_many_calls(skeleton, places, limits.calls);
  check(skeleton, &places);
  fit_samples(skeleton);
  skeleton.edited = !parser.traced() || *parser.traced() != fingerprint(text_of(skeleton));
  if (skeleton.edited) fit_buffers(skeleton, places);  // those of a trace are as they were
  check_calls(skeleton, &places);
  if (skeleton.edited) check_made_communicators(skeleton, places);
  check_targets(skeleton, places);
  if (taken) *taken = std::move(places);
  return skeleton;
}

}  // namespace skelgen::text
