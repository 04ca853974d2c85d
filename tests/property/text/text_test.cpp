// Random programs of the intermediate form, printed and read: the same text again, and the same program.

#include "text/text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <regex>
#include <sstream>

#include "skel_kernel_names.h"
#include "skeleton/skeleton.h"
#include "support/error.h"

namespace skelgen::text {
namespace {

using Kind = Sequence::Kind;
using Where = std::vector<std::uint32_t>;

std::string printed(const Skeleton& skeleton) {
  std::ostringstream out;
  print(out, skeleton);
  return out.str();
}

/// Programs in which everything is that a text can say. Not everything in them would run.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed), n_(1 + below(7)) {
    skeleton_.mpi_name = below(2) ? "MPICH" : "an \"MPI\" \\ of ours";
    skeleton_.traced_wall_s = seconds();
    skeleton_.cpu_time = below(2);
    skeleton_.recorded_order = below(2);
    for (int i = 0, n = below(3); i < n; ++i) skeleton_.scratch.push_back({i - 1, i});
    skeleton_.tolerance = below(3) ? 0 : 0.05;
    skeleton_.notes = {{"a \"name\"", "tab\there"}, {"", "#"}};
    skeleton_.names = {"MPI_DOUBLE", "MPI_SUM", "MPI_INT", "MPI_MAX"};
    skeleton_.name_bytes = {8, 0, 4, 0};
    skeleton_.arrays = {{},        {1, 2, 3}, std::vector<std::int64_t>(20, 7),
                        {1, 2, 3}, {0, 1},    {0, 1, 2, 3, 4, 5, 6, 7, 8}};
    locations();
    const Where all = everybody(), mains = those([](const LocationData&l) { return l.where.thread == 0; });
    add(skeleton_.program, call("MPI_Init", mains, {}));
    Argument ranks{{}, {}, {}};  // in c2
    for (const std::uint32_t l : mains) {
      ranks.choice.push_back(static_cast<std::uint32_t>(ranks.choices.size()));
      ranks.choices.push_back({Kind::constant, {skeleton_.locations[l].communicators[2].rank}});
    }
    add(skeleton_.program, call("MPI_Comm_split", mains, {{"key", ranks}, {"newcomm", constant(2)}}));
    for (int r = 0; r < 4; ++r)
      add(skeleton_.program, call("MPI_Irecv", all, {{"source", constant(mpi::kAnySource)}, {"request", constant(r)}}));
    const std::vector<std::uint64_t> once(static_cast<std::size_t>(n_), 1);
    for (Node& node : block(all, once, 0)) add(skeleton_.program, std::move(node));
    if (n_ > 1 && below(4) == 0) pool();
    add(skeleton_.program, call("MPI_Finalize", mains, {}));
  }

  Skeleton make() { return std::move(skeleton_); }

 private:
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
  double seconds() { return std::exp2(std::uniform_real_distribution<double>(-40, 10)(random_)); }
  Where everybody() const {
    Where all(static_cast<std::size_t>(n_));
    std::iota(all.begin(), all.end(), 0u);
    return all;
  }
  Where those(auto chosen) const {
    Where some;
    for (const std::uint32_t l : everybody())
      if (chosen(skeleton_.locations[l])) some.push_back(l);
    return some;
  }
  static void add(Block& block, Node node) { block.push_back(std::move(node)); }

  void locations() {
    std::vector<int> rank(static_cast<std::size_t>(n_));
    std::iota(rank.begin(), rank.end(), 0);
    std::ranges::shuffle(rank, random_);
    const bool threads = below(4) == 0;
    for (int l = 0; l < n_; ++l) {
      LocationData data;
      data.where = {l, 0};
      if (threads && l > 0 && below(2)) {
        const Location last = skeleton_.locations.back().where;
        data.where = {last.rank, last.thread + 1};
        if (below(2)) data.turns = {{2, 0, 1}, {5, last.thread, static_cast<std::uint64_t>(1 + below(9))}};
      } else if (threads && l > 0) {
        data.where = {skeleton_.locations.back().where.rank + 1, 0};
      }
      data.buffer_bytes.assign(static_cast<std::size_t>(2 + below(2)), 1 << 20);
      data.communicators = {{0, n_, l, 77}, {1, 1, 0, 1000 + static_cast<std::uint64_t>(l)}};
      data.communicators.push_back({2, n_, rank[static_cast<std::size_t>(l)], 5, 0, 0, l % 2, 1});
      if (n_ > 1) {
        const bool low = 2 * l < n_;
        const int lows = (n_ + 1) / 2, size = low ? lows : n_ - lows;
        data.communicators.push_back(
            {3 + l % 2, size, low ? l : l - lows, low ? 50u : 60u, low ? 60u : 50u, n_ - size});
      }
      data.windows = {{0, n_, l, 500}};
      data.working_set_bytes = static_cast<std::uint64_t>(below(3)) << 20;
      data.speed_register = below(2) ? 0 : seconds() * 1e9;
      data.speed_memory = seconds();
      if (below(2))
        for (int k = 0; k < SKEL_KERNELS; ++k) {
          data.kernel_speeds.push_back(1 + seconds());
          data.kernel_noise.push_back(seconds());
        }
      if (below(2)) data.processor = "AMD EPYC family 26 model 2.1 set 01234567";
      skeleton_.locations.push_back(std::move(data));
    }
  }

  Sequence sequence(int most, std::uint64_t occurrences) {
    std::vector<std::int64_t> values;
    switch (below(occurrences > 30 ? 3 : 4)) {
      case 0:
        return {Kind::arithmetic, {below(most), below(2) ? below(9) : 0}};
      case 1:
        for (int i = 0, n = 1 + below(5); i < n; ++i) values.push_back(below(most));
        return {Kind::periodic, values};
      case 2:
        return {Kind::constant, {below(most)}};
      default:
        for (std::uint64_t k = 0; k < occurrences; ++k) values.push_back(below(below(2) ? 2 : most));
        return {Kind::table, values};
    }
  }

  static Argument constant(std::int64_t v) { return {{Sequence{Kind::constant, {v}}}, {}, {}}; }

  /// Choices in the order in which the locations have them, as a text gives them.
  static Argument of(const std::vector<Sequence>& each) {
    Argument argument;
    argument.choices.clear();
    for (const Sequence& one : each) {
      const auto known = std::ranges::find(argument.choices, one);
      argument.choice.push_back(static_cast<std::uint32_t>(known - argument.choices.begin()));
      if (known == argument.choices.end()) argument.choices.push_back(one);
    }
    if (argument.choices.size() == 1) argument.choice.clear();
    return argument;
  }

  Argument varying(const Where& where, const std::vector<std::uint64_t>& occurrences, int most, std::int64_t by = 0) {
    std::vector<Sequence> each;
    const Sequence common = sequence(most, 1000);
    const int kind = below(3);
    for (const std::uint32_t l : where) {
      Sequence own = kind == 0   ? common
                     : kind == 1 ? Sequence{Kind::constant, {below(most)}}
                                 : sequence(most, occurrences[l]);
      if (by != 0)
        for (std::size_t i = 0; i < own.values.size(); ++i)
          if (own.kind != Kind::arithmetic || i == 0) own.values[i] += by;
      each.push_back(std::move(own));
    }
    return of(each);
  }

  Argument peers(const Where& where, int comm) {
    const RankRule rules[] = {
        {RankRule::Kind::plus_mod, below(9) - 4}, {RankRule::Kind::plus, 0}, {RankRule::Kind::constant, 0}};
    const RankRule rule = rules[below(3)];
    std::vector<Sequence> each;
    for (const std::uint32_t l : where) {
      const Communicator& c = skeleton_.locations[l].communicators[comm ? 2 : 0];
      each.push_back({Kind::constant, {below(4) ? *rule.at(c) : mpi::kProcNull}});
    }
    Argument argument = of(each);
    argument.rule = rule;
    return argument;
  }

  Node call(const char* name, const Where& where, const std::map<std::string_view, Argument>& arguments) {
    Node node;
    node.where = where;
    Call call;
    call.function = mpi::find(name);
    for (const mpi::Parameter& parameter : call.function->parameters) {
      const auto given = arguments.find(parameter.name);
      call.arguments.push_back(given == arguments.end() ? constant(0) : given->second);
    }
    if (below(2))
      for (std::size_t p = 0; p < where.size(); ++p) call.duration_s.push_back(below(3) ? seconds() : 1e-6);
    node.what = std::move(call);
    return node;
  }

  Node any_call(const Where& where, const std::vector<std::uint64_t>& occurrences) {
    const auto numbers = [&](int most) { return varying(where, occurrences, most); };
    const auto buffer = [&] { return varying(where, occurrences, 3, mpi::pack(below(2), 8)); };
    const int comm = below(2);
    switch (below(7)) {
      case 0:
        return call("MPI_Send", where,
                    {{"buf", buffer()},
                     {"count", numbers(50)},
                     {"dest", peers(where, comm)},
                     {"tag", numbers(9)},
                     {"comm", constant(2 * comm)}});
      case 1: {
        Node node = call("MPI_Recv", where,
                         {{"buf", buffer()},
                          {"datatype", constant(2)},
                          {"source", constant(mpi::kAnySource)},
                          {"tag", constant(mpi::kAnyTag)},
                          {"status", constant(4)}});
        node.call().matched = peers(where, 0);
        node.call().any_order = below(2);
        return node;
      }
      case 2:
        return call("MPI_Allreduce", where,
                    {{"sendbuf", constant(mpi::kInPlace)},
                     {"recvbuf", buffer()},
                     {"count", numbers(9)},
                     {"op", constant(below(2) ? 1 : 3)}});
      case 3:
        return call("MPI_Waitall", where, {{"count", constant(2)}, {"array_of_requests", constant(4)}});
      case 4: {
        Node node = call(
            "MPI_Wait", where,
            {{"request",
              numbers(4).choices[0].kind == Kind::arithmetic ? constant(1) : numbers_of_requests(where, occurrences)}});
        node.call().order = varying(where, occurrences, 5);
        return node;
      }
      case 5:
        return call("MPI_Bcast", where, {{"buffer", constant(mpi::kNullBuffer)}, {"root", constant(below(n_))}});
      default: {
        Node node = call("MPI_Isend", where, {{"dest", constant(0)}, {"request", constant(below(4))}});
        for (std::size_t p = 0; p < where.size(); ++p)
          node.call().answers.push_back(static_cast<std::uint8_t>(below(3)));
        if (std::ranges::all_of(node.call().answers, [](auto k) { return k == 0; })) node.call().answers.clear();
        return node;
      }
    }
  }

  Argument numbers_of_requests(const Where& where, const std::vector<std::uint64_t>& occurrences) {
    std::vector<Sequence> each;
    for (const std::uint32_t l : where) {
      Sequence own = sequence(4, occurrences[l]);
      if (own.kind == Kind::arithmetic) own = {Kind::periodic, {0, below(4)}};
      each.push_back(std::move(own));
    }
    return of(each);
  }

  Compute compute(const Where& where, bool samples) {
    Compute compute;
    for (std::size_t p = 0; p < where.size(); ++p) compute.mean_s.push_back(below(4) ? seconds() : 0);
    if (std::ranges::all_of(compute.mean_s, [](double s) { return s == 0; })) compute.mean_s[0] = seconds();
    for (std::size_t p = 0; samples && p < where.size(); ++p) {
      Samples::OfLocation own;
      for (int row = 0, rows = below(3); row < rows; ++row) {
        for (int i = 0, n = below(4); i < n; ++i)
          own.seconds.push_back(below(3) ? static_cast<float>(seconds()) : 0.5f);
        own.ends.push_back(static_cast<std::uint32_t>(own.seconds.size()));
      }
      compute.samples.of.push_back(std::move(own));
    }
    return compute;
  }

  Block block(const Where& around, const std::vector<std::uint64_t>& occurrences, int depth) {
    Block nodes;
    std::vector<bool> started(occurrences.size(), depth == 0);
    for (int i = 0, n = 1 + below(4); i < n; ++i) {
      Where where;
      for (const std::uint32_t l : around)
        if (below(3)) where.push_back(l);
      if (where.empty() || below(2)) where = around;
      Node node;
      if (depth < 3 && below(3) == 0) {
        node.where = where;
        Loop loop;
        std::vector<Sequence> each;
        const std::int64_t trips = 2 + below(4);
        for (const std::uint32_t l : where)
          each.push_back(below(2) || occurrences[l] > 30 ? Sequence{Kind::constant, {trips}} : table(occurrences[l]));
        loop.trips = of(each);
        std::vector<std::uint64_t> inside(occurrences.size(), 0);
        for (std::size_t p = 0; p < where.size(); ++p)
          inside[where[p]] = static_cast<std::uint64_t>(loop.trips.of(p).sum(occurrences[where[p]]));
        loop.body = block(where, inside, depth + 1);
        if (below(2)) loop.between = compute(where, depth > 0 && below(2));
        node.what = std::move(loop);
      } else {
        node = any_call(where, occurrences);
      }
      const bool first = std::ranges::any_of(where, [&](std::uint32_t l) { return !started[l]; });
      if (!first && below(2)) node.before = compute(where, depth > 0 && below(2));
      for (const std::uint32_t l : where) started[l] = true;
      nodes.push_back(std::move(node));
    }
    return nodes;
  }

  Sequence table(std::uint64_t occurrences) {
    Sequence trips{Kind::table, {2}};
    const int least = below(2) ? 0 : 2;
    while (trips.values.size() < occurrences) trips.values.push_back(least + below(3));
    std::ranges::shuffle(trips.values, random_);
    return trips;
  }

  /// Messages that the first location hands out to all others: the first of them end their loops.
  void pool() {
    const Where manager{0};
    Where workers = everybody();
    workers.erase(workers.begin());
    const auto number = static_cast<int>(skeleton_.pools.size());
    const std::uint64_t messages = workers.size() + static_cast<std::uint64_t>(1 + below(5));
    const std::vector<std::uint64_t> once(static_cast<std::size_t>(n_), 1), each(once.size(), messages);
    const auto receive = [&] {
      Node node = call("MPI_Recv", workers, {{"source", constant(mpi::kAnySource)}, {"status", constant(4)}});
      node.call().matched = constant(0);
      node.call().any_order = true;
      return node;
    };
    Pool pool;
    for (std::uint64_t m = 0; m < messages; ++m) pool.ends.push_back(m < workers.size());
    std::ranges::shuffle(pool.ends, random_);
    pool.body.push_back(receive());
    pool.compute_s.emplace_back();
    for (int i = below(3); i > 0; --i) {
      pool.body.push_back(
          call("MPI_Send", workers,
               {{"buf", constant(mpi::pack(0, 8))}, {"count", varying(workers, each, 50)}, {"dest", constant(0)}}));
      auto& own = pool.compute_s.emplace_back();
      for (std::uint64_t m = 0; m < messages; ++m) own.push_back(static_cast<float>(seconds()));
    }
    Node send = call("MPI_Send", manager, {{"dest", constant(1)}});
    send.call().dispatch = constant(below(static_cast<int>(messages)));
    add(skeleton_.program, std::move(send));
    Node loop;
    loop.where = workers;
    Loop of_pool;
    of_pool.trips = constant(1 + below(4));
    of_pool.pool = number;
    of_pool.body.push_back(receive());
    loop.what = std::move(of_pool);
    add(skeleton_.program, std::move(loop));
    Node end = receive();
    end.call().any_order = true;
    end.call().ends_pool = true;
    add(skeleton_.program, std::move(end));
    skeleton_.pools.push_back(std::move(pool));
  }

  std::mt19937_64 random_;
  int n_;
  Skeleton skeleton_;
};

TEST(TextForm, IsReadAsItWasPrinted) {
  std::size_t statements = 0, sampled = 0, never = 0, threads = 0, pools = 0;
  for (std::uint64_t seed = 0; seed < 2000 && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Skeleton skeleton = Generator(seed).make();
    check(skeleton);
    const std::string text = printed(skeleton);
    const Skeleton read = parse(text, "text");
    EXPECT_EQ(printed(read), text);
    EXPECT_FALSE(read.edited);
    // What the expanded program does is the same to the last bit.
    for (std::uint32_t l = 0; l < skeleton.locations.size(); ++l) {
      std::vector<std::pair<std::string, double>> calls[2];
      for (const bool again : {false, true})
        expand(again ? read : skeleton, l, [&](const skeleton::ExpandedCall& call) {
          std::string line(call.call->function->name);
          for (const std::int64_t v : call.values) line += ' ' + std::to_string(v);
          calls[again].emplace_back(std::move(line), call.before_s);
          return true;
        });
      EXPECT_EQ(calls[0], calls[1]);
      EXPECT_EQ(read.locations[l].buffer_bytes, skeleton.locations[l].buffer_bytes);
    }
    statements += length(skeleton.program);
    sampled += text.find("samples") != std::string::npos;
    never += std::regex_search(text, std::regex("loop [^\n]*table\\(([^)]*, )?0"));
    threads += has_threads(skeleton);
    pools += skeleton.pools.size();
  }
  EXPECT_GT(statements, 10'000u);
  EXPECT_GT(sampled, 100u);
  for (const std::size_t some : {never, threads, pools}) EXPECT_GT(some, 100u);
}

TEST(TextForm, KnowsThatItWasEdited) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const std::string text = printed(Generator(seed).make());
    std::string commented = "# by me\n" + text;
    commented.insert(commented.find("program {"), "   # this is the program\n\n");
    EXPECT_FALSE(parse(commented, "text").edited);
    std::string edited = text;
    edited.insert(edited.rfind('\n', edited.find("MPI_Finalize(")) + 1, "  MPI_Barrier(comm=MPI_COMM_WORLD)\n");
    const Skeleton read = parse(edited, "text");
    EXPECT_TRUE(read.edited);
    EXPECT_EQ(printed(read).find("traced"), std::string::npos);
    EXPECT_EQ(printed(parse(printed(read), "text")), printed(read));
  }
}

/// Texts with a part left out, doubled or replaced: an error that says where, or a program.
TEST(TextForm, WhateverItSaysIsReadOrRefused) {
  std::mt19937_64 random(3);
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  const std::string_view words[] = {"{",    "}", "(", ")",         "[0]",  "-1",  "99999999999999999999",
                                    "loop", "k", "|", "MPI_Send(", "1e30", "x 5", "rank",
                                    ",",    "\n"};
  std::size_t refused = 0, accepted = 0;
  for (int round = 0; round < 20'000; ++round) {
    static std::string text;
    if (round % 50 == 0) text = printed(Generator(static_cast<std::uint64_t>(round)).make());
    std::string broken = text;
    for (std::size_t i = 0, n = 1 + below(3); i < n; ++i) {
      const std::size_t begin = below(broken.size()), length = std::min(broken.size() - begin, below(12));
      if (below(2))
        broken.replace(begin, length, words[below(std::size(words))]);
      else
        broken.insert(below(broken.size()), broken.substr(begin, length));
    }
    try {
      const Skeleton read = parse(broken, "FILE", {.locations = 1000, .values = 1 << 22, .calls = 1e7});
      ++accepted;
      EXPECT_EQ(printed(parse(printed(read), "again")), printed(read));
    } catch (const Error& error) {
      ++refused;
      EXPECT_EQ(error.code(), Code::corrupt) << error.what();
      EXPECT_TRUE(std::string(error.what()).starts_with("FILE")) << error.what();
    }
  }
  EXPECT_GT(refused, 1000u);
  EXPECT_GT(accepted, 300u);
}

}  // namespace
}  // namespace skelgen::text
