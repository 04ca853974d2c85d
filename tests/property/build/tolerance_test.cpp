// Counts within a tolerance: whatever the program, nothing but counts changes, none by more than the tolerance, messages
// still fit, collectives agree, nobody waits for ever who did not before, and nothing gets longer.

#include "merge/tolerance.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>
#include <random>

#include "emit/emit.h"
#include "merge/merge.h"
#include "unit/merge/run.h"
#include "verify/verify.h"

namespace skelgen {
namespace {

using run::always;
using run::buffer;
using run::call;
using skeleton::ExpandedCall;
using skeleton::Skeleton;

constexpr std::uint64_t kPrograms = 600;

/// Programs of shifts, exchanges in pairs, persistent requests, and collectives, also in place, whose sizes vary in many
/// ways.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed), ranks_(2 + below(4)), runner_(ranks_) {
    program_ = block(0);
    program_.insert(program_.begin(), call("MPI_Init"));
    program_.push_back(call("MPI_Finalize"));
  }
  run::Run run() {
    auto result = runner_.run(program_);
    for (auto& location : result.normalized.locations) location.buffer_bytes.assign(8, 1 << 22);
    return result;
  }

 private:
  using Size = std::function<std::int64_t(int from, int to, std::uint64_t k)>;

  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }

  run::Program block(int depth) {
    run::Program program;
    for (int i = 0, n = 1 + below(4); i < n; ++i) {
      if (depth < 2 && below(3) == 0)
        program.push_back(run::loop(static_cast<std::uint64_t>(1 + below(12)), block(depth + 1)));
      else
        add(program);
    }
    return program;
  }

  /// Elements of 8 bytes that `from` sends to `to`.
  Size size() {
    const std::int64_t mean = std::vector<std::int64_t>{1, 4, 50, 1000, 30000}[static_cast<std::size_t>(below(5))];
    const std::int64_t most = std::max<std::int64_t>(
        1, mean * std::vector<std::int64_t>{0, 5, 10, 50, 400}[static_cast<std::size_t>(below(5))] / 1000);
    const int kind = below(8), period = 2 + below(3);
    const std::uint64_t salt = random_();
    return [=](int from, int to, std::uint64_t k) -> std::int64_t {
      const auto drawn = [&](std::uint64_t x) {
        const std::uint64_t h = (salt ^ (x * 1000003 + 1)) * 0x9e3779b97f4a7c15u;
        return static_cast<std::int64_t>((h ^ (h >> 29)) * 0xbf58476d1ce4e5b9u >> 40) % (2 * most + 1) - most;
      };
      const auto pair = static_cast<std::uint64_t>(16 * from + to);
      switch (kind) {
        case 0:
          return mean;
        case 1:
          return mean + static_cast<std::int64_t>(k) % period * most / 4;
        case 2:
          return mean + static_cast<std::int64_t>(k);
        case 3:
          return std::max<std::int64_t>(0, mean + drawn(pair));
        case 4:
          return k % static_cast<std::uint64_t>(period) == 0 ? 0 : std::max<std::int64_t>(0, mean + drawn(k));
        case 5:
          return (mean << (k % static_cast<std::uint64_t>(period))) + std::max<std::int64_t>(0, drawn(k));
        default:
          return std::max<std::int64_t>(0, mean + drawn(64 * k + pair));
      }
    };
  }

  void add(run::Program& program) {
    const int n = ranks_, d = below(n), root = below(n), tag = below(2);
    const Size bytes = size();
    const bool exact = below(3) > 0, ints = below(4) == 0;
    const run::Number to = [=](int r, std::uint64_t) { return (r + d) % n; };
    const run::Number from = [=](int r, std::uint64_t) { return (r + n - d) % n; };
    // One side may count ints where the other one counts doubles.
    const auto type_out = always(0), type_in = always(ints);
    const std::int64_t unit = ints ? 2 : 1;
    const run::Number sent = [=](int r, std::uint64_t k) { return bytes(r, (r + d) % n, k); };
    const run::Number got = [=](int r, std::uint64_t k) {
      return exact ? unit * bytes((r + n - d) % n, r, k) : 4'000'000;
    };
    const auto out = always(buffer(0)), in = always(buffer(1));
    const auto any_tag = below(5) == 0 ? always(mpi::kAnyTag) : always(tag);
    switch (below(14)) {
      case 0:
        program.push_back(call("MPI_Irecv", {{"buf", in},
                                             {"count", got},
                                             {"datatype", type_in},
                                             {"source", from},
                                             {"tag", always(5)},
                                             {"request", always(0)}}));
        program.push_back(call("MPI_Isend", {{"buf", out},
                                             {"count", sent},
                                             {"datatype", type_out},
                                             {"dest", to},
                                             {"tag", always(5)},
                                             {"request", always(1)}}));
        program.push_back(
            call("MPI_Waitall", {{"count", always(2)}, {"array_of_requests", always(runner_.array({0, 1}))}}));
        break;
      case 1:
        program.push_back(call("MPI_Sendrecv", {{"sendbuf", out},
                                                {"sendcount", sent},
                                                {"sendtype", type_out},
                                                {"dest", to},
                                                {"sendtag", always(tag)},
                                                {"recvbuf", in},
                                                {"recvcount", got},
                                                {"recvtype", type_in},
                                                {"source", from},
                                                {"recvtag", any_tag}}));
        break;
      case 2: {  // the even ranks send first, or everybody does
        const bool unsafe = below(3) == 0;
        const auto even = [=](int r) { return r % 2 == 0 && r + 1 < n; };
        const auto odd = [](int r) { return r % 2 == 1; };
        const auto both = [=](int r) { return (r ^ 1) < n; };
        const run::Number peer = [](int r, std::uint64_t) { return r ^ 1; };
        const auto send = call("MPI_Send", {{"buf", out},
                                            {"count", [=](int r, std::uint64_t k) { return bytes(r, r ^ 1, k); }},
                                            {"dest", peer},
                                            {"tag", always(tag)}});
        const auto recv =
            call("MPI_Recv",
                 {{"buf", in},
                  {"count", [=](int r, std::uint64_t k) { return exact ? unit * bytes(r ^ 1, r, k) : 4'000'000; }},
                  {"datatype", type_in},
                  {"source", peer},
                  {"tag", any_tag}});
        if (unsafe) {
          program.push_back(run::only(both, send));
          program.push_back(run::only(both, recv));
        } else {
          for (const auto& [who, what] :
               {std::pair(std::function<bool(int)>(even), send), {odd, recv}, {odd, send}, {even, recv}})
            program.push_back(run::only(who, what));
        }
        break;
      }
      case 3:
        program.push_back(call("MPI_Bcast", {{"buffer", out},
                                             {"count", [=](int, std::uint64_t k) { return bytes(0, 0, k); }},
                                             {"root", always(root)}}));
        break;
      case 4:
        program.push_back(call("MPI_Allreduce", {{"sendbuf", out},
                                                 {"recvbuf", in},
                                                 {"count", [=](int, std::uint64_t k) { return bytes(0, 0, k); }},
                                                 {"op", always(2)}}));
        break;
      case 5:
      case 6: {
        const auto list = [this, n, bytes, unit](bool give) -> run::Number {
          return [this, n, bytes, unit, give](int r, std::uint64_t k) {
            std::vector<std::int64_t> counts;
            for (int j = 0; j < n; ++j) counts.push_back(give ? bytes(r, j, k) : unit * bytes(j, r, k));
            return runner_.array(counts);
          };
        };
        program.push_back(call("MPI_Alltoallv", {{"sendbuf", out},
                                                 {"sendcounts", list(true)},
                                                 {"sendtype", type_out},
                                                 {"recvbuf", in},
                                                 {"recvcounts", list(false)},
                                                 {"recvtype", type_in}}));
        break;
      }
      case 7: {  // one list says what is sent and what is received
        const run::Number both = [this, n, bytes](int r, std::uint64_t k) {
          std::vector<std::int64_t> counts;
          for (int j = 0; j < n; ++j) counts.push_back(bytes(std::min(r, j), std::max(r, j), k));
          return runner_.array(counts);
        };
        program.push_back(
            call("MPI_Alltoallv",
                 {{"sendbuf", always(mpi::kInPlace)}, {"recvbuf", in}, {"recvcounts", both}, {"recvtype", type_in}}));
        break;
      }
      case 8: {
        const run::Number all = [this, n, bytes](int, std::uint64_t k) {
          std::vector<std::int64_t> counts;
          for (int j = 0; j < n; ++j) counts.push_back(bytes(j, 0, k));
          return runner_.array(counts);
        };
        const auto from_where = always(below(2) == 0 ? mpi::kInPlace : buffer(0));
        program.push_back(call("MPI_Reduce_scatter",
                               {{"sendbuf", from_where}, {"recvbuf", in}, {"recvcounts", all}, {"op", always(2)}}));
        break;
      }
      case 9: {
        const bool in_place = below(2) == 0;
        const run::Number all = [this, n, bytes, unit, root](int r, std::uint64_t k) -> std::int64_t {
          if (r != root) return 0;
          std::vector<std::int64_t> counts;
          for (int j = 0; j < n; ++j) counts.push_back(unit * bytes(j, 0, k));
          return runner_.array(counts);
        };
        const auto here = [=](int r) { return in_place && r == root; };
        const run::Number own = [=](int r, std::uint64_t k) { return here(r) ? 0 : bytes(r, 0, k); };
        const run::Number where = [=](int r, std::uint64_t) { return here(r) ? mpi::kInPlace : buffer(1); };
        program.push_back(call("MPI_Scatterv", {{"sendbuf", out},
                                                {"sendcounts", all},
                                                {"sendtype", type_in},
                                                {"recvbuf", where},
                                                {"recvcount", own},
                                                {"recvtype", type_out},
                                                {"root", always(root)}}));
        break;
      }
      case 10:
      case 11: {  // started again and again
        const auto requests = always(runner_.array({2, 3}));
        program.push_back(call("MPI_Recv_init", {{"buf", in},
                                                 {"count", got},
                                                 {"datatype", type_in},
                                                 {"source", from},
                                                 {"tag", any_tag},
                                                 {"request", always(2)}}));
        program.push_back(call("MPI_Send_init", {{"buf", out},
                                                 {"count", sent},
                                                 {"datatype", type_out},
                                                 {"dest", to},
                                                 {"tag", always(tag)},
                                                 {"request", always(3)}}));
        program.push_back(run::loop(static_cast<std::uint64_t>(1 + below(4)),
                                    {call("MPI_Startall", {{"count", always(2)}, {"array_of_requests", requests}}),
                                     call("MPI_Waitall", {{"count", always(2)}, {"array_of_requests", requests}})}));
        program.push_back(call("MPI_Request_free", {{"request", always(2)}}));
        program.push_back(call("MPI_Request_free", {{"request", always(3)}}));
        break;
      }
      default: {
        const bool everybody = below(2) == 0;
        const run::Number own = [=](int r, std::uint64_t k) { return bytes(r, 0, k); };
        const run::Number all = [this, n, bytes, unit, everybody, root](int r, std::uint64_t k) -> std::int64_t {
          if (!everybody && r != root) return 0;
          std::vector<std::int64_t> counts;
          for (int j = 0; j < n; ++j) counts.push_back(unit * bytes(j, 0, k));
          return runner_.array(counts);
        };
        std::map<std::string, run::Number> values{{"sendbuf", out}, {"sendcount", own},  {"sendtype", type_out},
                                                  {"recvbuf", in},  {"recvcounts", all}, {"recvtype", type_in}};
        if (!everybody) values["root"] = always(root);
        program.push_back(call(everybody ? "MPI_Allgatherv" : "MPI_Gatherv", values));
      }
    }
  }

  std::mt19937_64 random_;
  int ranks_;
  run::Runner runner_;
  run::Program program_;
};

struct Call {
  const mpi::Function* function;
  std::vector<std::int64_t> values;
};

std::vector<Call> calls_of(const Skeleton& skeleton, std::uint32_t l) {
  std::vector<Call> calls;
  expand(skeleton, l, [&](const ExpandedCall& c) {
    calls.push_back({c.call->function, {c.values.begin(), c.values.end()}});
    return true;
  });
  return calls;
}

std::vector<std::vector<Call>> all_calls(const Skeleton& skeleton) {
  std::vector<std::vector<Call>> all;
  for (std::uint32_t l = 0; l < skeleton.locations.size(); ++l) all.push_back(calls_of(skeleton, l));
  return all;
}

std::int64_t value(const Call& call, std::string_view name) {
  for (std::size_t i = 0; i < call.values.size(); ++i)
    if (call.function->parameters[i].name == name) return call.values[i];
  return -100;
}

/// Bytes; the datatype of a count has the count's name with "type" in its end.
std::int64_t bytes(const Skeleton& skeleton, const Call& call, std::size_t parameter, std::int64_t count) {
  const auto type = call.values[static_cast<std::size_t>(call.function->counted_type(parameter))];
  return count * skeleton.name_bytes[static_cast<std::size_t>(type)];
}

/// Every count is within the tolerance, all else is equal. Returns how many calls differ.
std::uint64_t expect_within(const Skeleton& before, const Skeleton& after, double share) {
  const auto old = all_calls(before), now = all_calls(after);
  std::uint64_t changed = 0;
  const auto expect_near = [&](std::int64_t a, std::int64_t b) {
    EXPECT_LE(std::abs(static_cast<double>(b - a)), share * static_cast<double>(a) + 1e-9) << a << " became " << b;
    EXPECT_EQ(a == 0, b == 0);
    return a != b;
  };
  for (std::size_t l = 0; l < old.size(); ++l) {
    EXPECT_EQ(old[l].size(), now[l].size());
    for (std::size_t k = 0; k < std::min(old[l].size(), now[l].size()); ++k) {
      const Call &a = old[l][k], &b = now[l][k];
      EXPECT_EQ(a.function, b.function);
      bool differs = false;
      for (std::size_t i = 0; i < a.values.size(); ++i) {
        if (a.function->counted_type(i) < 0) {
          EXPECT_EQ(a.values[i], b.values[i]) << a.function->name << " " << a.function->parameters[i].name;
        } else if (!is_array(a.function->parameters[i].role)) {
          differs = expect_near(a.values[i], b.values[i]) || differs;
        } else {
          const auto &x = before.arrays[static_cast<std::size_t>(a.values[i])],
                     &y = after.arrays[static_cast<std::size_t>(b.values[i])];
          EXPECT_EQ(x.size(), y.size());
          for (std::size_t j = 0; j < std::min(x.size(), y.size()); ++j) differs = expect_near(x[j], y[j]) || differs;
        }
      }
      changed += differs;
    }
  }
  return changed;
}

/// Every message fits into its receive, in the order of MPI.
void expect_messages_fit(const Skeleton& skeleton) {
  struct Message {
    std::int64_t tag, bytes;
  };
  std::map<std::pair<std::size_t, std::size_t>, std::vector<Message>> sent, room;
  const auto all = all_calls(skeleton);
  const auto add = [&](std::size_t l, const Call& call) {
    const mpi::Kind kind = call.function->kind;
    for (std::size_t i = 0; i < call.values.size(); ++i) {
      const auto name = call.function->parameters[i].name;
      if (call.function->counted_type(i) < 0 || kind == mpi::Kind::collective) continue;
      const bool sends =
          name == "sendcount" || (name == "count" && (kind == mpi::Kind::send || kind == mpi::Kind::send_init));
      const auto peer = static_cast<std::size_t>(value(call, sends ? "dest" : "source"));
      const auto tag = name == "count" ? value(call, "tag") : value(call, sends ? "sendtag" : "recvtag");
      (sends ? sent[{l, peer}] : room[{peer, l}]).push_back({tag, bytes(skeleton, call, i, call.values[i])});
    }
  };
  for (std::size_t l = 0; l < all.size(); ++l) {
    std::map<std::int64_t, const Call*> persistent;
    for (const Call& call : all[l]) {
      if (call.function->kind == mpi::Kind::send_init || call.function->kind == mpi::Kind::recv_init)
        persistent[value(call, "request")] = &call;
      else if (call.function->kind == mpi::Kind::start)
        for (const auto request : skeleton.arrays[static_cast<std::size_t>(value(call, "array_of_requests"))])
          add(l, *persistent.at(request));
      else
        add(l, call);
    }
  }
  for (auto& [pair, receives] : room)
    for (const Message& receive : receives) {
      auto& messages = sent[pair];
      const auto match = std::ranges::find_if(
          messages, [&](const Message& m) { return receive.tag == mpi::kAnyTag || receive.tag == m.tag; });
      ASSERT_NE(match, messages.end());
      EXPECT_LE(match->bytes, receive.bytes) << "message from " << pair.first << " to " << pair.second;
      messages.erase(match);
    }
}

/// All members of a collective agree on what goes where.
void expect_collectives_agree(const Skeleton& skeleton) {
  std::vector<std::vector<Call>> collectives;
  for (const auto& calls : all_calls(skeleton)) {
    collectives.emplace_back();
    for (const Call& call : calls)
      if (call.function->kind == mpi::Kind::collective) collectives.back().push_back(call);
  }
  const std::size_t n = collectives.size();
  const auto count = [&](std::size_t rank, std::size_t k, std::string_view name, std::size_t j) {
    const Call& call = collectives[rank][k];
    const auto& parameters = call.function->parameters;
    const auto at =
        static_cast<std::size_t>(std::ranges::find(parameters, name, &mpi::Parameter::name) - parameters.begin());
    const auto v = call.values[at];
    return bytes(skeleton, call, at,
                 is_array(parameters[at].role) ? skeleton.arrays[static_cast<std::size_t>(v)].at(j) : v);
  };
  for (std::size_t k = 0; k < collectives[0].size(); ++k) {
    const std::string_view name = collectives[0][k].function->name;
    for (std::size_t i = 0; i < n; ++i) {
      if (name == "MPI_Bcast" || name == "MPI_Allreduce") EXPECT_EQ(count(i, k, "count", 0), count(0, k, "count", 0));
      for (std::size_t j = 0; j < n; ++j) {
        if (name == "MPI_Alltoallv") {
          const bool in_place = value(collectives[i][k], "sendbuf") == mpi::kInPlace;
          EXPECT_EQ(count(i, k, in_place ? "recvcounts" : "sendcounts", j), count(j, k, "recvcounts", i));
        }
        if (name == "MPI_Reduce_scatter") EXPECT_EQ(count(i, k, "recvcounts", j), count(0, k, "recvcounts", j));
        if (name == "MPI_Allgatherv") EXPECT_EQ(count(i, k, "sendcount", 0), count(j, k, "recvcounts", i));
      }
      if (name == "MPI_Scatterv" && value(collectives[i][k], "recvbuf") != mpi::kInPlace)
        EXPECT_EQ(count(i, k, "recvcount", 0),
                  count(static_cast<std::size_t>(value(collectives[i][k], "root")), k, "sendcounts", i));
      if (name == "MPI_Gatherv")
        EXPECT_EQ(count(i, k, "sendcount", 0),
                  count(static_cast<std::size_t>(value(collectives[i][k], "root")), k, "recvcounts", i));
    }
  }
}

TEST(Tolerance, NothingButCountsChangesAndNoneByMore) {
  std::uint64_t merged = 0, shorter = 0, unsafe = 0;
  for (std::uint64_t seed = 0; seed < kPrograms && !testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    Generator generator(seed);
    const run::Run run = generator.run();
    const Skeleton before = merge::into_spmd(run.normalized, run.programs);
    expect_messages_fit(before);
    expect_collectives_agree(before);
    const double share = std::vector<double>{0.001, 0.01, 0.02, 0.05, 0.3, 0.9}[seed % 6];
    const auto was = emit::check_deadlock(before);
    Skeleton after = before;
    const auto changes =
        merge::merge_counts(run.normalized, after, share, was.safe ? merge::Growth::allowed : merge::Growth::never);
    check(after);
    EXPECT_EQ(expect_within(before, after, share), changes.all.calls_changed);
    EXPECT_LE(changes.all.largest_change, share + 1e-12);
    EXPECT_EQ(after.tolerance, changes.all.calls_changed > 0 ? share : 0);
    expect_messages_fit(after);
    expect_collectives_agree(after);
    EXPECT_EQ(length(after.program), length(before.program));
    EXPECT_LE(argument_values(after), argument_values(before));
    if (changes.all.calls_changed > 0) EXPECT_LT(argument_values(after), argument_values(before));
    EXPECT_TRUE(emit::check_deadlock(after).safe || !was.safe);
    EXPECT_LE(std::abs(static_cast<double>(changes.all.bytes_after) - static_cast<double>(changes.all.bytes_before)),
              share * static_cast<double>(changes.all.bytes_before) + 1);
    if (!was.safe) EXPECT_LE(changes.all.bytes_after, changes.all.bytes_before);
    const auto difference = verify::lossless(run.normalized, after);
    EXPECT_FALSE(difference) << "rank " << difference->rank << ", call " << difference->index << ": expected "
                             << difference->expected << ", got " << difference->actual;
    EXPECT_FALSE(emit::program(after, emit::plan_scale(after, 10)).empty());
    Skeleton strict = after;
    strict.tolerance = 0;
    EXPECT_EQ(verify::lossless(run.normalized, strict).has_value(), changes.all.calls_changed > 0);
    merged += changes.all.calls_changed;
    shorter += argument_values(after) < argument_values(before);
    unsafe += !was.safe;
  }
  EXPECT_GT(merged, 10 * kPrograms);
  EXPECT_GT(shorter, kPrograms / 4);
  EXPECT_GT(unsafe, kPrograms / 50);
}

}  // namespace
}  // namespace skelgen
