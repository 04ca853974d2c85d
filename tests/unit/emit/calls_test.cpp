// Emitted programs replay modes of sending, persistent requests, matched probes, collectives of all kinds and ways to
// make communicators, with standard sends as they are and synchronous.

#include <gmock/gmock.h>

#include "unit/emit/programs.h"
#include "unit/emit/run.h"

namespace skelgen::emit {
namespace {

using namespace programs;
using testing::HasSubstr;

constexpr int kRanks = 2;

class ReplayRun : public testing::Test {
 protected:
  ReplayRun() {
    type_ = constant(b_.name("MPI_INT"));
    out_ = constant(buffer(b_.memory(4096), 0));
    in_ = constant(buffer(b_.memory(4096), 0));
  }

  /// A message to or from the other rank.
  Arguments to(std::int64_t tag, std::int64_t request = 0, std::int64_t count = 3) {
    return {{"buf", out_},          {"count", constant(count)}, {"datatype", type_},
            {"dest", each({1, 0})}, {"tag", constant(tag)},     {"request", constant(request)}};
  }
  Arguments from(std::int64_t tag, std::int64_t request = 0, std::int64_t count = 3) {
    return {{"buf", in_},           {"count", constant(count)},    {"datatype", type_}, {"source", each({1, 0})},
            {"tag", constant(tag)}, {"request", constant(request)}};
  }
  Node wait(std::int64_t request) { return b_.call("MPI_Wait", {{"request", constant(request)}}); }
  Node barrier() { return b_.call("MPI_Barrier"); }

  void expect_replay(Block middle) {
    const auto skeleton = b_.finish(std::move(middle));
    skeleton::check(skeleton);
    const auto deadlock = check_deadlock(skeleton);
    EXPECT_TRUE(deadlock.safe) << deadlock.explanation;
    for (const char* flags : {"", "-DSKEL_SYNC_SEND"}) {
      Scratch scratch;
      const auto ran = run(scratch.path, skeleton, plan_scale(skeleton, 1), "", "", 0, flags);
      ASSERT_EQ(ran.status, 0) << ran.output << read(scratch.path / "p.skel" / "skeleton.c");
      if (*flags) continue;  // MPI_Send is MPI_Ssend there
      for (std::uint32_t l = 0; l < kRanks; ++l)
        EXPECT_EQ(read(scratch.path / ("calls-" + std::to_string(l) + ".txt")), expected_calls(skeleton, l))
            << read(scratch.path / "p.skel" / "skeleton.c");
    }
  }

  Builder b_{kRanks};
  Argument type_, out_, in_;
};

TEST_F(ReplayRun, ModesOfSending) {
  Block body;
  body.push_back(b_.call("MPI_Buffer_attach", {{"size", constant(8192)}}));
  for (const char* name : {"MPI_Ssend", "MPI_Bsend", "MPI_Rsend", "MPI_Send"}) {
    body.push_back(b_.call("MPI_Irecv", from(1)));
    body.push_back(barrier());
    body.push_back(b_.call(name, to(1)));
    body.push_back(wait(0));
  }
  for (const char* name : {"MPI_Issend", "MPI_Ibsend", "MPI_Irsend"}) {
    body.push_back(b_.call("MPI_Irecv", from(2, 1)));
    body.push_back(barrier());
    body.push_back(b_.call(name, to(2, 0)));
    body.push_back(b_.call("MPI_Waitall", {{"count", constant(2)}, {"array_of_requests", constant(b_.array({0, 1}))}}));
  }
  // Bsend does not wait for its receiver.
  body.push_back(b_.call("MPI_Bsend", to(3)));
  body.push_back(b_.call("MPI_Recv", from(3)));
  body.push_back(b_.call("MPI_Sendrecv_replace", {{"buf", in_},
                                                  {"count", constant(5)},
                                                  {"datatype", type_},
                                                  {"dest", each({1, 0})},
                                                  {"sendtag", constant(4)},
                                                  {"source", each({1, 0})},
                                                  {"recvtag", constant(4)}}));
  body.push_back(b_.call("MPI_Buffer_detach"));
  Block m;
  m.push_back(b_.loop(constant(3), std::move(body)));
  expect_replay(std::move(m));
}

TEST_F(ReplayRun, PersistentRequests) {
  Block m, body;
  m.push_back(b_.call("MPI_Buffer_attach", {{"size", constant(8192)}}));
  int request = 0;
  for (const char* name : {"MPI_Send_init", "MPI_Ssend_init", "MPI_Bsend_init", "MPI_Rsend_init"}) {
    m.push_back(b_.call("MPI_Recv_init", from(request, request)));
    m.push_back(b_.call(name, to(request, request + 4)));
    ++request;
  }
  body.push_back(
      b_.call("MPI_Startall", {{"count", constant(4)}, {"array_of_requests", constant(b_.array({0, 1, 2, 3}))}}));
  body.push_back(barrier());
  for (int i = 4; i < 7; ++i) body.push_back(b_.call("MPI_Start", {{"request", constant(i)}}));
  body.push_back(b_.call("MPI_Startall", {{"count", constant(1)}, {"array_of_requests", constant(b_.array({7}))}}));
  body.push_back(b_.call("MPI_Test", {{"request", constant(4)}, {"flag", constant(1)}}));
  body.push_back(wait(4));  // inactive
  body.push_back(b_.call("MPI_Waitall",
                         {{"count", constant(7)}, {"array_of_requests", constant(b_.array({7, 6, 5, 3, 2, 1, 0}))}}));
  m.push_back(b_.loop(constant(5), std::move(body)));
  for (int i = 0; i < 8; ++i) m.push_back(b_.call("MPI_Request_free", {{"request", constant(i)}}));
  m.push_back(b_.call("MPI_Buffer_detach"));
  expect_replay(std::move(m));
}

TEST_F(ReplayRun, MatchedProbes) {
  Block body;
  const auto probe = [&](std::int64_t tag, std::int64_t message, std::int64_t flag = 1) {
    return Arguments{
        {"source", each({1, 0})}, {"tag", constant(tag)}, {"message", constant(message)}, {"flag", constant(flag)}};
  };
  const auto receive = [&](std::int64_t message) {
    return Arguments{{"buf", in_},
                     {"count", constant(9)},
                     {"datatype", type_},
                     {"message", constant(message)},
                     {"request", constant(0)}};
  };
  body.push_back(b_.call("MPI_Improbe", probe(5, -1, 0)));
  body.push_back(b_.call("MPI_Isend", to(5, 0)));
  body.push_back(b_.call("MPI_Isend", to(6, 1)));
  body.push_back(b_.call("MPI_Mprobe", probe(6, 0)));
  body.push_back(b_.call("MPI_Improbe", probe(5, 1)));
  body.push_back(b_.call("MPI_Mrecv", receive(1)));
  body.push_back(wait(0));
  body.push_back(b_.call("MPI_Imrecv", receive(0)));
  body.push_back(wait(0));
  body.push_back(wait(1));
  body.push_back(b_.call("MPI_Mprobe", {{"source", constant(mpi::kProcNull)}, {"message", constant(-2)}}));
  body.push_back(b_.call("MPI_Mrecv", {{"datatype", type_}, {"message", constant(-2)}}));
  Block m;
  m.push_back(b_.loop(constant(4), std::move(body)));
  expect_replay(std::move(m));
}

TEST_F(ReplayRun, CollectivesThatScatterAndThatCompleteLater) {
  const auto sum = constant(b_.name("MPI_SUM"));
  const auto counts = constant(b_.array({1, 2})), displs = constant(b_.array({0, 4}));
  const Arguments all = {{"buffer", out_},       {"sendbuf", out_},      {"recvbuf", in_},    {"inbuf", out_},
                         {"inoutbuf", in_},      {"count", constant(2)}, {"datatype", type_}, {"op", sum},
                         {"recvcounts", counts}, {"sendcounts", counts}, {"sdispls", displs}, {"rdispls", displs},
                         {"displs", displs},     {"sendtype", type_},    {"recvtype", type_}, {"request", constant(0)},
                         {"root", constant(1)}};
  const auto with = [&](const char* name, const Argument& sent, const Argument& received) {
    auto arguments = all;
    const bool whole = std::string(name).find("_block") != std::string::npos;
    arguments["sendcount"] = sent;
    arguments["recvcount"] = whole ? constant(2) : received;
    return b_.call(name, arguments);
  };
  const auto one = constant(1), own = each({1, 2}), other = each({1, 1});
  Block body;
  for (const char* name : {"MPI_Exscan", "MPI_Reduce_scatter", "MPI_Reduce_scatter_block", "MPI_Reduce_local"})
    body.push_back(with(name, one, one));
  for (const char* name :
       {"MPI_Ibarrier", "MPI_Ibcast", "MPI_Ireduce", "MPI_Iallreduce", "MPI_Iscan", "MPI_Iexscan", "MPI_Igather",
        "MPI_Iscatter", "MPI_Iallgather", "MPI_Ialltoall", "MPI_Ireduce_scatter", "MPI_Ireduce_scatter_block"}) {
    body.push_back(with(name, one, one));
    body.push_back(wait(0));
  }
  for (const char* name : {"MPI_Igatherv", "MPI_Iscatterv", "MPI_Iallgatherv"}) {
    body.push_back(with(name, own, own));
    body.push_back(b_.call("MPI_Test", {{"request", constant(0)}, {"flag", constant(1)}}));
  }
  auto exchange = all;
  exchange["sendcounts"] = exchange["recvcounts"] = constant(b_.array({3, 3}));
  body.push_back(b_.call("MPI_Ialltoallv", exchange));
  body.push_back(wait(0));
  Block m;
  m.push_back(b_.loop(constant(3), std::move(body)));
  expect_replay(std::move(m));
}

TEST_F(ReplayRun, CollectivesWithADatatypePerRank) {
  const auto integer = type_.choices[0].values[0], number = b_.name("MPI_DOUBLE");
  Block body;
  body.push_back(
      b_.call("MPI_Type_contiguous", {{"count", constant(2)}, {"oldtype", type_}, {"newtype", constant(0)}}));
  body.push_back(b_.call("MPI_Type_commit", {{"datatype", constant(mpi::kMade)}}));
  const auto one_each = constant(b_.array({1, 1})), places = constant(b_.array({0, 64}));
  const Arguments arguments = {
      {"sendbuf", out_},       {"sendcounts", one_each},
      {"sdispls", places},     {"sendtypes", each({b_.array({integer, number}), b_.array({number, mpi::kMade})})},
      {"recvbuf", in_},        {"recvcounts", one_each},
      {"rdispls", places},     {"recvtypes", each({b_.array({integer, number}), b_.array({number, mpi::kMade})})},
      {"request", constant(0)}};
  body.push_back(b_.call("MPI_Alltoallw", arguments));
  body.push_back(b_.call("MPI_Ialltoallw", arguments));
  body.push_back(wait(0));
  auto in_place = arguments;
  in_place["sendbuf"] = constant(mpi::kInPlace);
  for (const char* name : {"sendcounts", "sdispls", "sendtypes"}) in_place[name] = constant(b_.array({}));
  in_place["recvtypes"] = constant(b_.array({integer, integer}));
  body.push_back(b_.call("MPI_Alltoallw", in_place));
  body.push_back(b_.call("MPI_Type_free", {{"datatype", constant(mpi::kMade)}}));
  Block m;
  m.push_back(b_.loop(constant(3), std::move(body)));
  expect_replay(std::move(m));
}

TEST_F(ReplayRun, ListsOfDatatypesLastAsLongAsTheRequest) {
  const auto types = constant(b_.array({type_.choices[0].values[0], type_.choices[0].values[0]}));
  const Arguments arguments = {{"sendtypes", types}, {"recvtypes", types}, {"request", constant(3)}};
  Block m;
  for (const char* name : {"MPI_Ialltoallw", "MPI_Alltoallw_init", "MPI_Alltoallw"})
    m.push_back(b_.call(name, arguments));
  const auto skeleton = b_.finish(std::move(m));
  auto text = program(skeleton, plan_scale(skeleton, 1));
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  const std::string list = "(MPI_Datatype[]){MPI_INT,MPI_INT}", of = "skel_keep_types(3,";
  EXPECT_THAT(text, HasSubstr("MPI_Ialltoallw(skel_nothing,NULL,NULL," + of + "0,2," + list +
                              "),skel_nothing+1,NULL,NULL," + of + "1,2," + list + "),MPI_COMM_WORLD,&req[3]);"));
  EXPECT_THAT(text, HasSubstr("MPI_Alltoallw_init(skel_nothing,NULL,NULL," + of));
  EXPECT_THAT(text, HasSubstr("MPI_Alltoallw(skel_nothing,NULL,NULL," + list));
}

TEST_F(ReplayRun, WaysToMakeCommunicatorsAndGroups) {
  for (std::uint32_t l = 0; l < kRanks; ++l) {
    const int rank = static_cast<int>(l);
    auto& comms = b_.skeleton.locations[l].communicators;
    comms.push_back({2, 2, rank, 11});
    comms.push_back({3, 2, rank, 12});
    comms.push_back({4, 2, rank, 13});
    if (l == 1) comms.push_back({5, 1, 0, 14});
  }
  Block m;
  m.push_back(b_.call("MPI_Comm_idup", {{"newcomm", constant(2)}, {"request", constant(0)}}));
  m.push_back(wait(0));
  m.push_back(b_.call("MPI_Comm_dup_with_info", {{"comm", constant(2)}, {"newcomm", constant(3)}}));
  m.push_back(
      b_.call("MPI_Comm_split_type", {{"split_type", constant(mpi::kCommTypeShared)}, {"newcomm", constant(4)}}));
  m.push_back(b_.call("MPI_Comm_group", {{"group", constant(0)}}));
  const auto range = constant(b_.array({1, 1, 1}));
  for (const auto& [name, made] : {std::pair("MPI_Group_range_incl", 1), {"MPI_Group_range_excl", 2}})
    m.push_back(b_.call(name, {{"n", constant(1)}, {"ranges", range}, {"newgroup", constant(made)}}));
  for (const char* name : {"MPI_Group_union", "MPI_Group_intersection", "MPI_Group_difference"}) {
    m.push_back(b_.call(name, {{"group1", constant(1)}, {"group2", constant(0)}, {"newgroup", constant(3)}}));
    m.push_back(b_.call("MPI_Group_free", {{"group", constant(3)}}));
  }
  m.push_back(b_.call("MPI_Comm_create_group",
                      {{"group", constant(b_.array({1}))}, {"tag", constant(9)}, {"newcomm", constant(5)}}, Where{1}));
  m.push_back(b_.call("MPI_Barrier", {{"comm", constant(5)}}, Where{1}));
  for (const std::int64_t comm : {2, 3, 4}) m.push_back(b_.call("MPI_Comm_free", {{"comm", constant(comm)}}));
  expect_replay(std::move(m));
}

TEST_F(ReplayRun, TextIsReadable) {
  for (auto& location : b_.skeleton.locations) location.communicators.push_back({2, 2, location.where.rank, 11});
  Block m;
  m.push_back(
      b_.call("MPI_Comm_split_type", {{"split_type", constant(mpi::kCommTypeShared)}, {"newcomm", constant(2)}}));
  m.push_back(b_.call("MPI_Send_init", to(1, 0)));
  m.push_back(b_.call("MPI_Recv_init", from(1, 1)));
  m.push_back(b_.call("MPI_Startall", {{"count", constant(2)}, {"array_of_requests", constant(b_.array({0, 1}))}}));
  m.push_back(wait(0));
  m.push_back(wait(1));
  m.push_back(b_.call("MPI_Buffer_attach", {{"size", constant(512)}}));
  m.push_back(b_.call("MPI_Buffer_detach"));
  const auto skeleton = b_.finish(std::move(m));
  const auto text = program(skeleton, plan_scale(skeleton, 1));
  EXPECT_THAT(text, HasSubstr("MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);"));
  EXPECT_THAT(text, HasSubstr("MPI_Startall(2, req);"));
  EXPECT_THAT(text, HasSubstr("skel_attach(512);"));
  EXPECT_THAT(text, HasSubstr(".bsend_overhead = 96}"));
  EXPECT_THAT(text, HasSubstr("skel_detach();"));
}

// SMPI wants no room beside the messages, MPICH does.
TEST_F(ReplayRun, MemoryForBufferedSendsIsEnoughForAnotherMpi) {
  b_.skeleton.mpi_name = "SMPI";
  const auto slot = b_.memory(4000);
  const auto message = [&](const char* call, const char* peer, std::int64_t rank, const Where& where) {
    return b_.call(call,
                   {{"buf", constant(buffer(slot, 0))},
                    {"count", constant(1000)},
                    {"datatype", constant(b_.name("MPI_INT"))},
                    {peer, constant(rank)}},
                   where);
  };
  Block m;
  m.push_back(b_.call("MPI_Buffer_attach", {{"size", constant(4000)}}));
  m.push_back(message("MPI_Bsend", "dest", 1, {0}));
  m.push_back(message("MPI_Recv", "source", 0, {1}));
  m.push_back(b_.call("MPI_Buffer_detach"));
  const auto skeleton = b_.finish(std::move(m));
  Scratch scratch;
  const auto ran = run(scratch.path, skeleton, plan_scale(skeleton, 1));
  EXPECT_EQ(ran.status, 0) << ran.output;
}

TEST_F(ReplayRun, TripsThatAreNoInt) {
  const auto loop = [&](const Argument& trips) {
    Block body;
    body.push_back(b_.call("MPI_Barrier", {{"comm", constant(1)}}));
    return b_.loop(trips, std::move(body));
  };
  Block m, outer, outmost;
  m.push_back(loop(each({3000000000, 4000000000})));
  outer.push_back(loop(sequence({5000000000, 7, 5000000000, 7})));
  outmost.push_back(b_.loop(constant(2), std::move(outer)));
  m.push_back(b_.loop(constant(2), std::move(outmost)));
  m.push_back(loop(each({3, 4})));
  const auto skeleton = b_.finish(std::move(m));
  const auto text = program(skeleton, plan_scale(skeleton, 1));
  EXPECT_THAT(text, HasSubstr("static const int64_t trips_1[] = {3000000000, 4000000000};"));
  EXPECT_THAT(text, HasSubstr("static const int64_t trips_3[] = {5000000000, 7};"));
  EXPECT_THAT(text, HasSubstr("static const int trips_4[] = {3, 4};"));
}

TEST_F(ReplayRun, WindowsAndFilesThatAreNullNowAndThen) {
  Block body, m;
  body.push_back(b_.call("MPI_Win_sync", {{"win", sequence({0, -1, 0, -1})}}));
  body.push_back(b_.call("MPI_File_sync", {{"fh", sequence({-1, 0, -1, 0})}}));
  body.push_back(b_.call("MPI_File_close", {{"fh", sequence({-1, 0, -1, 0})}}));
  m.push_back(b_.loop(constant(4), std::move(body)));
  const auto skeleton = b_.finish(std::move(m));
  const auto text = program(skeleton, plan_scale(skeleton, 1));
  EXPECT_THAT(text, HasSubstr("MPI_Win_sync((win_1[i % 2] < 0 ? MPI_WIN_NULL : win[win_1[i % 2]]));"));
  EXPECT_THAT(text, HasSubstr("MPI_File_sync((fh_2[i % 2] < 0 ? MPI_FILE_NULL : file[fh_2[i % 2]]));"));
  EXPECT_THAT(text, HasSubstr("MPI_File_close((fh_2[i % 2] < 0 ? &(MPI_File){MPI_FILE_NULL} : &file[fh_2[i % 2]]));"));
}

TEST_F(ReplayRun, PlacesInDynamicWindows) {
  const auto slot = b_.memory(64);
  for (auto& location : b_.skeleton.locations) {
    auto window = location.communicators[0];
    window.identity = 70;
    location.windows.push_back(window);
  }
  const auto put = [&](const Argument& target) {
    return b_.call("MPI_Put", {{"origin_addr", out_},
                               {"origin_count", constant(1)},
                               {"origin_datatype", type_},
                               {"target_rank", each({1, 0})},
                               {"target_disp", target},
                               {"target_count", constant(1)},
                               {"target_datatype", type_}});
  };
  const auto in = [&](std::int64_t offset) { return buffer(slot, offset); };
  Block m, body;
  m.push_back(b_.call("MPI_Win_create_dynamic"));
  m.push_back(b_.call("MPI_Win_attach", {{"base", constant(in(0))}, {"size", constant(64)}}));
  m.push_back(b_.call("MPI_Win_fence"));
  m.push_back(put(constant(in(4))));
  m.push_back(put(each({in(8), in(12)})));
  for (const auto& places : {sequence({in(0), in(4), in(8)}), sequence({in(0), in(12), in(4)})})
    body.push_back(put(places));
  m.push_back(b_.loop(constant(3), std::move(body)));
  m.push_back(b_.call("MPI_Win_fence"));
  m.push_back(b_.call("MPI_Win_detach", {{"base", constant(in(0))}}));
  m.push_back(b_.call("MPI_Win_free"));
  const auto skeleton = b_.finish(std::move(m));
  skeleton::check(skeleton);
  const auto text = program(skeleton, plan_scale(skeleton, 1));
  EXPECT_THAT(text, HasSubstr("skel_dynamic(&win[0]);"));
  EXPECT_THAT(text, HasSubstr("skel_target(win[0], target_rank_1[rank], SKEL_AT(2, 4))"));
  EXPECT_THAT(text, HasSubstr("target_disp_2[] = {SKEL_AT(2, 8), SKEL_AT(2, 12)};"));
  EXPECT_THAT(text, HasSubstr("skel_target(win[0], target_rank_1[rank], SKEL_AT(2, 0) + 4 * i)"));
  EXPECT_THAT(text, HasSubstr(".attached = 1,\n    .attached_slot = attached}"));
}

TEST_F(ReplayRun, HintsOfInfoObjects) {
  const auto hints = [&](const std::string& text) {
    std::vector<std::int64_t> array{mpi::kText};
    array.insert(array.end(), text.begin(), text.end());
    return b_.array(array);
  };
  const auto set = [&](const Argument& info) { return b_.call("MPI_Comm_set_info", {{"info", info}}); };
  const auto x = hints("romio_x=1"), y = hints("romio_y=2;romio_z=3");
  Block m, body;
  m.push_back(set(constant(y)));
  m.push_back(set(constant(0)));
  m.push_back(b_.call("MPI_Win_create_dynamic"));
  m.push_back(set(each({x, 0})));
  body.push_back(set(sequence({x, y, y})));
  m.push_back(b_.loop(constant(3), std::move(body)));
  const auto skeleton = b_.finish(std::move(m));
  skeleton::check(skeleton);
  const auto text = program(skeleton, plan_scale(skeleton, 1));
  EXPECT_THAT(text, HasSubstr("MPI_Comm_set_info(MPI_COMM_WORLD, skel_info(\"romio_y=2;romio_z=3\"));"));
  EXPECT_THAT(text, HasSubstr("MPI_Comm_set_info(MPI_COMM_WORLD, skel_info(\"\"));"));
  EXPECT_THAT(text, HasSubstr("MPI_Win_create_dynamic(MPI_INFO_NULL, "));
  EXPECT_THAT(text, HasSubstr("static const char* const hints_1[] = {\"romio_x=1\", \"\"};"));
  EXPECT_THAT(text, HasSubstr("skel_info(hints_1[which_2[rank]])"));
  EXPECT_THAT(text, HasSubstr("static const char* const hints_3[] = {\"romio_x=1\", \"romio_y=2;romio_z=3\"};"));
}

TEST_F(ReplayRun, WhatIsNoHintIsNotWritten) {
  const auto other = b_.array({mpi::kText, '"', ')', ';', 'x', '('});
  Block m;
  m.push_back(b_.call("MPI_Comm_set_info", {{"info", constant(other)}}));
  const auto skeleton = b_.finish(std::move(m));
  const auto text = program(skeleton, plan_scale(skeleton, 1));
  EXPECT_THAT(text, HasSubstr("MPI_Comm_set_info(MPI_COMM_WORLD, skel_info(\"\"));"));
}

}  // namespace
}  // namespace skelgen::emit
