// What the merged program of well-known patterns looks like.

#include <gtest/gtest.h>

#include <regex>
#include <sstream>

#include "merge/merge.h"
#include "text/text.h"
#include "unit/merge/run.h"

namespace skelgen {
namespace {

using run::after;
using run::always;
using run::buffer;
using run::call;
using run::loop;
using run::only;

// Means of what adds up to 1 ms may be 1.0000000000000007 ms.
std::string rounded(const std::string& text) {
  static const std::regex kLong(R"(\d+\.\d{10,})");
  std::string result;
  auto rest = text.cbegin();
  for (std::sregex_iterator found(text.begin(), text.end(), kLong), end; found != end; ++found) {
    std::ostringstream number;
    number << std::stod(found->str());
    result.append(rest, text.cbegin() + found->position()) += number.str();
    rest = text.cbegin() + found->position() + found->length();
  }
  return result.append(rest, text.cend());
}

// The text from "program {" on.
std::string program_text(int ranks, const run::Program& program) {
  const run::Run r = run::Runner(ranks).run(program);
  const skeleton::Skeleton skeleton = merge::into_spmd(r.normalized, r.programs);
  check(skeleton);
  std::ostringstream out;
  text::print(out, skeleton);
  return rounded(out.str().substr(out.str().find("program {")));
}

run::Statement message(const char* function, const char* peer, run::Number rank, std::int64_t count,
    std::int64_t tag, std::uint32_t slot) {
  return call(function, {{"buf", always(buffer(slot))}, {"count", always(count)},
                            {peer, std::move(rank)}, {"tag", always(tag)}});
}
run::Statement send(run::Number dest, std::int64_t count, std::int64_t tag, std::uint32_t slot) {
  return message("MPI_Send", "dest", std::move(dest), count, tag, slot);
}
run::Statement recv(run::Number source, std::int64_t count, std::int64_t tag, std::uint32_t slot) {
  return message("MPI_Recv", "source", std::move(source), count, tag, slot);
}
run::Number towards(int by) {
  return [=](int r, std::uint64_t) { return r + by; };
}
run::Number turning(int by, int ranks) {
  return [=](int r, std::uint64_t) { return (r + by + ranks) % ranks; };
}

TEST(Text, Ring) {
  EXPECT_EQ(program_text(4,
                {call("MPI_Init"),
                    loop(250,
                        {after(1e-3, message("MPI_Irecv", "source", turning(-1, 4), 100, 7, 0)),
                            after(12.5e-6, send(turning(1, 4), 100, 7, 1)), call("MPI_Wait", {})}),
                    after(2e-6, call("MPI_Finalize"))}),
      R"(program {
  MPI_Init()
  compute 1 ms
  loop 250 {
    between 1 ms
    MPI_Irecv(buf=b0, count=100, datatype=MPI_DOUBLE, source=(rank-1)%size, tag=7, comm=MPI_COMM_WORLD, request=r0)
    compute 12.5 us
    MPI_Send(buf=b1, count=100, datatype=MPI_DOUBLE, dest=(rank+1)%size, tag=7, comm=MPI_COMM_WORLD)
    MPI_Wait(request=r0)
  }
  compute 2 us
  MPI_Finalize()
}
)");
}

TEST(Text, HaloExchangeOnALineHasBorders) {
  const auto has_left = [](int r) { return r > 0; };
  const auto has_right = [](int r) { return r < 3; };
  EXPECT_EQ(program_text(4, {call("MPI_Init"),
                                loop(100, {only(has_left, send(towards(-1), 10, 1, 0)),
                                              only(has_right, send(towards(1), 10, 2, 0)),
                                              only(has_right, recv(towards(1), 10, 1, 1)),
                                              only(has_left, recv(towards(-1), 10, 2, 1)),
                                              call("MPI_Allreduce",
                                                  {{"sendbuf", always(buffer(0))},
                                                      {"recvbuf", always(buffer(1))},
                                                      {"count", always(1)}, {"op", always(3)}})}),
                                call("MPI_Finalize")}),
      R"(program {
  MPI_Init()
  loop 100 {
    [1..3] MPI_Send(buf=b0, count=10, datatype=MPI_DOUBLE, dest=rank-1, tag=1, comm=MPI_COMM_WORLD)
    [0..2] MPI_Send(buf=b0, count=10, datatype=MPI_DOUBLE, dest=rank+1, tag=2, comm=MPI_COMM_WORLD)
    [0..2] MPI_Recv(buf=b1, count=10, datatype=MPI_DOUBLE, source=rank+1, tag=1, comm=MPI_COMM_WORLD)
    [1..3] MPI_Recv(buf=b1, count=10, datatype=MPI_DOUBLE, source=rank-1, tag=2, comm=MPI_COMM_WORLD)
    MPI_Allreduce(sendbuf=b0, recvbuf=b1, count=1, datatype=MPI_DOUBLE, op=MPI_MAX, comm=MPI_COMM_WORLD)
  }
  MPI_Finalize()
}
)");
}

TEST(Text, BordersByProcNullStayOneStatement) {
  const run::Number left = [](int r, std::uint64_t) { return r > 0 ? r - 1 : mpi::kProcNull; };
  EXPECT_EQ(program_text(5, {loop(10, {send(left, 10, 1, 0)})}), R"(program {
  loop 10 {
    MPI_Send(buf=b0, count=10, datatype=MPI_DOUBLE, dest=[0] MPI_PROC_NULL | [1..4] rank-1, tag=1, comm=MPI_COMM_WORLD)
  }
}
)");
}

TEST(Text, WavefrontPipeline) {
  const auto not_first = [](int r) { return r > 0; };
  const auto not_last = [](int r) { return r < 2; };
  EXPECT_EQ(program_text(3,
                {loop(20, {loop(30, {only(not_first, recv(towards(-1), 5, 0, 0)),
                                        only(not_last, after(3e-6, send(towards(1), 5, 0, 0)))}),
                              call("MPI_Barrier")})}),
      R"(program {
  [0] compute 3 us
  loop 20 {
    [0] between 3 us
    loop 30 {
      [0] between 3 us
      [1,2] MPI_Recv(buf=b0, count=5, datatype=MPI_DOUBLE, source=rank-1, tag=0, comm=MPI_COMM_WORLD)
      [1] compute 3 us
      [0,1] MPI_Send(buf=b0, count=5, datatype=MPI_DOUBLE, dest=rank+1, tag=0, comm=MPI_COMM_WORLD)
    }
    MPI_Barrier(comm=MPI_COMM_WORLD)
  }
}
)");
}

TEST(Text, PairsExchangeAcrossAndRootsStayConstant) {
  const run::Number partner = [](int r, std::uint64_t) { return r ^ 2; };
  EXPECT_EQ(program_text(4, {call("MPI_Bcast", {{"buffer", always(buffer(0))}, {"count", always(3)},
                                                   {"root", always(1)}}),
                                loop(8, {send(partner, 64, 0, 0), recv(partner, 64, 0, 1)})}),
      R"(program {
  MPI_Bcast(buffer=b0, count=3, datatype=MPI_DOUBLE, root=1, comm=MPI_COMM_WORLD)
  loop 8 {
    MPI_Send(buf=b0, count=64, datatype=MPI_DOUBLE, dest=(rank+2)%size, tag=0, comm=MPI_COMM_WORLD)
    MPI_Recv(buf=b1, count=64, datatype=MPI_DOUBLE, source=(rank+2)%size, tag=0, comm=MPI_COMM_WORLD)
  }
}
)");
}

TEST(Text, ValuesThatChange) {
  const run::Number halving = [](int, std::uint64_t k) { return std::int64_t{64} >> (k % 3); };
  const run::Number by_rank = [](int r, std::uint64_t) { return 10 * r * r; };
  const run::Number growing = [](int r, std::uint64_t k) {
    return static_cast<std::int64_t>(k) * 2 + r;
  };
  run::Statement s = call("MPI_Send",
      {{"buf", always(1)}, {"count", halving}, {"tag", growing}, {"dest", always(0)}});
  s.gap = [](int r, std::uint64_t) { return 1e-6 * (r + 1); };
  run::Statement again =
      call("MPI_Send", {{"buf", always(buffer(1, 80))}, {"count", by_rank}, {"dest", always(0)}});
  EXPECT_EQ(program_text(4, {loop(6, {s}), loop([](int r) { return r < 2 ? 3 : 4; }, {again})}),
      R"(program {
  compute {1, 2, 3, 4} us
  loop 6 {
    between {1, 2, 3, 4} us
    MPI_Send(buf=MPI_IN_PLACE, count=periodic(64, 32, 16), datatype=MPI_DOUBLE, dest=0, tag=[0] 0 + 2k | [1] 1 + 2k | [2] 2 + 2k | [3] 3 + 2k, comm=MPI_COMM_WORLD)
  }
  loop [0,1] 3 | [2,3] 4 {
    MPI_Send(buf=b1+80, count={0, 10, 40, 90}, datatype=MPI_DOUBLE, dest=0, tag=0, comm=MPI_COMM_WORLD)
  }
}
)");
}

TEST(Text, Head) {
  run::Runner runner(2);
  runner.normalized().locations[1].working_set_bytes = 4096;
  const std::int64_t long_array = runner.array({1, 2, 3, 4, 5, 6, 7, 8, 9}),
                     short_array = runner.array({4, 5});
  const run::Run r = runner.run({call("MPI_Alltoallv",
      {{"sendcounts", always(long_array)}, {"recvcounts", always(short_array)}})});
  skeleton::Skeleton skeleton = merge::into_spmd(r.normalized, r.programs);
  skeleton.mpi_name = "MPICH";
  skeleton.traced_wall_s = 1.5;
  std::ostringstream out;
  text::print(out, skeleton);
  EXPECT_EQ(out.str(), R"(skeleton 1 "MPICH" wall 1.5 s
traced 12083490997544366114
ranks 2
[1] machine working_set 4096
buffers (800 x 2)
names MPI_DOUBLE, MPI_INT, MPI_SUM, MPI_MAX
program {
  MPI_Alltoallv(sendbuf=NULL, sendcounts=a1, sdispls=(), sendtype=MPI_DOUBLE, recvbuf=NULL, recvcounts=(4, 5), rdispls=(), recvtype=MPI_DOUBLE, comm=MPI_COMM_WORLD)
}
array a1 (1, 2, 3, 4, 5, 6, 7, 8, 9)
array a2 (4, 5)
)");
}

}  // namespace
}  // namespace skelgen
