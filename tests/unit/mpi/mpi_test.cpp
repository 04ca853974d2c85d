#include "mpi/mpi.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace skelgen::mpi {
namespace {

TEST(Functions, AreOrderedByNameAndFound) {
  const auto all = functions();
  EXPECT_TRUE(std::ranges::is_sorted(all, {}, &Function::name));
  for (std::size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(all[i].id, static_cast<int>(i));
    EXPECT_EQ(find(all[i].name), &all[i]);
  }
  EXPECT_EQ(find("MPI_Nonsense"), nullptr);
  EXPECT_EQ(find(""), nullptr);
}

TEST(Functions, IsendHasItsRoles) {
  const Function* isend = find("MPI_Isend");
  ASSERT_NE(isend, nullptr);
  EXPECT_EQ(isend->kind, Kind::send);
  EXPECT_TRUE(isend->nonblocking);
  const Role roles[] = {Role::buffer, Role::count, Role::datatype, Role::peer, Role::tag, Role::comm, Role::request};
  EXPECT_TRUE(std::ranges::equal(isend->parameters, roles, {}, &Parameter::role));
  EXPECT_EQ(isend->parameters[0].count, 1);
  EXPECT_EQ(isend->parameters[0].datatype, 2);
  EXPECT_EQ(isend->parameters[0].displs, -1);
  EXPECT_EQ(isend->find(Role::request), 6);
  EXPECT_EQ(isend->find(Role::root), -1);
}

TEST(Functions, BuffersOfVectorCollectivesSpanCountsAndDisplacements) {
  const Function* gatherv = find("MPI_Gatherv");
  ASSERT_NE(gatherv, nullptr);
  const Parameter& receive = gatherv->parameters[3];
  EXPECT_EQ(gatherv->parameters[receive.count].name, "recvcounts");
  EXPECT_EQ(gatherv->parameters[receive.displs].name, "displs");
  EXPECT_EQ(gatherv->parameters[receive.datatype].name, "recvtype");
  EXPECT_TRUE(receive.root_only);
  EXPECT_EQ(receive.per_rank, Ranks::none);
  EXPECT_EQ(find("MPI_Allgather")->parameters[3].per_rank, Ranks::peers);
}

TEST(Functions, EveryBufferNamesItsSize) {
  for (const Function& function : functions())
    for (const Parameter& parameter : function.parameters) {
      if (parameter.role != Role::buffer) continue;
      const bool began_before = function.name.ends_with("_end") || function.kind == Kind::win_detach;
      if (began_before) continue;                           // that says it
      if (parameter.count < 0 || parameter.datatype < 0) {  // one element, or bytes
        EXPECT_TRUE(function.kind == Kind::rma || function.kind == Kind::win_create ||
                    function.kind == Kind::win_attach)
            << function.name;
        EXPECT_GE(std::max(parameter.count, parameter.datatype), 0) << function.name;
        continue;
      }
      const Role count = function.parameters[parameter.count].role;
      const Role datatype = function.parameters[parameter.datatype].role;
      // One datatype per rank: where its elements are is said as well.
      EXPECT_TRUE(datatype == Role::datatype || (datatype == Role::datatypes && parameter.displs >= 0))
          << function.name;
      EXPECT_TRUE(count == Role::counts || (count == Role::count && parameter.displs < 0)) << function.name;
    }
}

TEST(Functions, SayInWhatTheyDifferFromOthersOfTheirKind) {
  EXPECT_EQ(find("MPI_Send")->mode, Mode::standard);
  for (const auto* name : {"MPI_Bsend", "MPI_Ibsend", "MPI_Bsend_init", "MPI_Ibsend_c"})
    EXPECT_EQ(find(name)->mode, Mode::buffered) << name;
  EXPECT_EQ(find("MPI_Ssend_init")->mode, Mode::synchronous);
  EXPECT_EQ(find("MPI_Ibcast")->flow, Flow::from_root);
  EXPECT_EQ(find("MPI_Gatherv_init")->flow, Flow::to_root);
  EXPECT_EQ(find("MPI_Reduce_scatter_block")->flow, Flow::all);
  EXPECT_EQ(find("MPI_Exscan_init_c")->flow, Flow::prefix);
  EXPECT_EQ(find("MPI_Ineighbor_alltoallw")->flow, Flow::neighbours);
  EXPECT_EQ(find("MPI_Win_fence")->flow, Flow::none);
  EXPECT_EQ(find("MPI_File_read_all_begin")->part, Part::begin);
  EXPECT_EQ(find("MPI_File_read_ordered_end")->part, Part::end);
  EXPECT_EQ(find("MPI_File_read_all")->part, Part::whole);
  EXPECT_EQ(find("MPI_Type_create_hindexed_block")->way, Way::indexed_block);
  EXPECT_TRUE(find("MPI_Parrived")->partitioned);
  EXPECT_FALSE(find("MPI_Recv_init")->partitioned);
}

TEST(Functions, NameTheirRelatives) {
  const auto name = [](int id) { return id < 0 ? "" : functions()[static_cast<std::size_t>(id)].name; };
  EXPECT_EQ(name(find("MPI_Recv")->later), "MPI_Irecv");
  EXPECT_EQ(name(find("MPI_Neighbor_alltoall")->later), "MPI_Ineighbor_alltoall");
  EXPECT_EQ(name(find("MPI_Irecv")->later), "");
  EXPECT_EQ(name(find("MPI_Probe")->later), "");
  EXPECT_EQ(name(find("MPI_Send_c")->replayed_as), "MPI_Send");
  EXPECT_EQ(name(find("MPI_Type_struct")->replayed_as), "MPI_Type_create_struct");
  EXPECT_EQ(name(find("MPI_Send")->replayed_as), "");
  for (const Function& function : functions())
    if (function.replayed_as >= 0) {
      EXPECT_EQ(functions()[static_cast<std::size_t>(function.replayed_as)].parameters.size(),
                function.parameters.size());
    }
}

TEST(Functions, OfAllMeetOnlyIfNobodyMayGiveNothing) {
  EXPECT_TRUE(find("MPI_Allreduce")->meets_all());
  for (const auto* name : {"MPI_Allgatherv", "MPI_Ibarrier", "MPI_Bcast", "MPI_Scan", "MPI_Neighbor_alltoall"})
    EXPECT_FALSE(find(name)->meets_all()) << name;
}

TEST(RoleProperties, AreThoseOfTheirRoles) {
  EXPECT_EQ(properties(Role::newtype).stands_for, Role::datatype);
  EXPECT_EQ(properties(Role::requests).stands_for, Role::request);
  EXPECT_EQ(properties(Role::win).type, "MPI_Win");
  EXPECT_EQ(properties(Role::peer).word(kAnySource), "MPI_ANY_SOURCE");
  EXPECT_EQ(properties(Role::peer).word(3), "");
  EXPECT_TRUE(is_array(Role::texts));
  EXPECT_FALSE(is_array(Role::target));
  EXPECT_FALSE(is_array(static_cast<Role>(200)));  // of a file that a later version wrote
}

TEST(Buffers, SlotAndOffsetComeBack) {
  for (const std::int64_t slot : {std::int64_t{0}, std::int64_t{5}, kMostBuffers - 1})
    for (const std::int64_t offset : {std::int64_t{0}, std::int64_t{8}, kLargestBuffer - 1}) {
      const auto buffer = pack(slot, offset);
      EXPECT_GT(buffer, kInPlace);
      EXPECT_EQ(slot_of(buffer), slot);
      EXPECT_EQ(offset_of(buffer), offset);
    }
  EXPECT_EQ(slot_of(kNullBuffer), -1);
  EXPECT_EQ(slot_of(kInPlace), -1);
}

TEST(Functions, OpaqueOnesAreRecordedButNotReplayed) {
  for (const Function& function : functions()) {
    if (function.kind == Kind::opaque) {
      EXPECT_TRUE(function.parameters.empty()) << function.name;
    } else {
      EXPECT_FALSE(function.harmless) << function.name;
      EXPECT_EQ(function.parameters.data() == function.recorded.data(), function.kind != Kind::cancel) << function.name;
    }
  }
  EXPECT_EQ(find("MPI_Cancel")->parameters.size(), find("MPI_Cancel")->recorded.size() + 1) << "and its outcome";
  EXPECT_TRUE(find("MPI_Comm_set_name")->harmless);
  EXPECT_FALSE(find("MPI_Put")->harmless);
  EXPECT_EQ(find("MPI_Put")->recorded.size(), 8u);
}

TEST(Functions, WithLargeCountsAreLikeThoseWithout) {
  const Function *send = find("MPI_Send"), *large = find("MPI_Send_c");
  ASSERT_NE(large, nullptr);
  EXPECT_EQ(large->kind, Kind::send);
  EXPECT_TRUE(large->large && !send->large);
  EXPECT_TRUE(std::ranges::equal(large->parameters, send->parameters, {}, &Parameter::role, &Parameter::role));
  EXPECT_EQ(find("MPI_Type_size_c")->kind, Kind::opaque) << "local: its time";
}

TEST(Datatypes, HaveTheirSizes) {
  EXPECT_EQ(datatype_size("MPI_DOUBLE_PRECISION"), 8);
  EXPECT_EQ(datatype_size("MPI_DOUBLE_COMPLEX"), 16);
  EXPECT_EQ(datatype_size("MPI_NO_SUCH_TYPE"), 0);
}

}  // namespace
}  // namespace skelgen::mpi
