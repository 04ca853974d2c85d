// One-sided calls name places in the memory that others attached to a dynamic window.

#include <gmock/gmock.h>

#include "mpi/values.h"
#include "support/error.h"
#include "unit/normalize/process.h"

namespace skelgen {
namespace {

using test::normalized;
using test::Process;
using test::refusal;
using test::texts;
using testing::Contains;
using testing::HasSubstr;

constexpr std::int64_t kWindow = 500;

void create(Process& p, int comm = 1) { p.call("MPI_Win_create_dynamic", {0, p.comm(comm), kWindow}); }
void attach(Process& p, std::uint64_t address, std::int64_t bytes) {
  p.call("MPI_Win_attach", {kWindow, p.at(address), bytes});
}
void put(Process& p, std::int64_t to, std::int64_t address, std::int64_t count = 1) {
  p.call("MPI_Put", {p.at(0), 1, p.doubles(), to, address, count, p.doubles(), kWindow});
}

std::string put_text(const std::string& from, int to, std::int64_t place) {
  return "MPI_Put(origin_addr=" + from +
         ", origin_count=1, origin_datatype=MPI_DOUBLE, target_rank=" + std::to_string(to) +
         ", target_disp=" + mpi::ListedValues({}, {})(mpi::Role::target, place) +
         ", target_count=1, target_datatype=MPI_DOUBLE, win=w0)";
}

TEST(Targets, ArePlacesInTheBuffersOfTheirRanks) {
  // Rank 1 uses another buffer first; what it attaches lies elsewhere in each run.
  const auto run = [](std::uint64_t shift) {
    return normalized(2,
                      [](Process& p) {
                        if (p.rank() == 1) p.call("MPI_Bcast", {p.at(5000), 1, p.doubles(), 0, p.comm(2)});
                        create(p);
                        attach(p, p.rank() ? 2000 : 1000, 64);
                        put(p, 1 - p.rank(), p.at(p.rank() ? 1000 + 16 : 2000 + 24));
                      },
                      {shift, 0});
  };
  for (const std::uint64_t shift : {std::uint64_t{0}, std::uint64_t{1} << 30}) {
    EXPECT_THAT(texts(run(shift), 0), Contains(put_text("b1", 1, mpi::pack(1, 24))));
    EXPECT_THAT(texts(run(shift), 1), Contains(put_text("b2", 0, mpi::pack(0, 16))));
  }
}

TEST(Targets, AreFoundByTheirRanksInTheWindow) {
  const auto run = normalized(3, [](Process& p) {
    p.call("MPI_Comm_split", {p.comm(), 0, -p.rank(), p.comm(3)});
    p.define(3, 3, 2 - p.rank(), 2);
    create(p, 3);
    if (p.rank() == 2) p.barrier(2);
    attach(p, 1000 * static_cast<std::uint64_t>(1 + p.rank()), 64);
    put(p, 0, p.at(3000));
  });
  for (std::size_t l : {0, 1, 2}) EXPECT_THAT(texts(run, l), Contains(put_text("b1", 0, mpi::pack(0, 0))));
}

TEST(Targets, OfRanksThatDoTheSameAreOfOneClass) {
  const auto run = normalized(4, [](Process& p) {
    create(p);
    const auto own = static_cast<std::uint64_t>(1000 + 128 * p.rank());
    attach(p, own, 64);
    for (int i = 0; i < 3; ++i) put(p, (p.rank() + 1) % 4, p.at(1000 + 128 * ((p.rank() + 1) % 4)) + 8 * i);
  });
  EXPECT_EQ(run.classes.size(), 1u);
  EXPECT_EQ(run.locations[0].calls.order(), run.locations[3].calls.order()) << "kept once";
}

TEST(Targets, MayReachFromOneAttachedPieceIntoTheNext) {
  const auto run = normalized(1, [](Process& p) {
    create(p);
    attach(p, 1000, 64);
    attach(p, 1064, 64);
    attach(p, 2000, 64);
    put(p, 0, p.at(1032), 8);
    put(p, 0, p.at(1064));
  });
  EXPECT_EQ(run.locations[0].buffer_bytes, (std::vector<std::uint64_t>{128, 64, 8}));
  EXPECT_THAT(texts(run, 0), Contains(put_text("b2", 0, mpi::pack(0, 64))));
}

TEST(Targets, MayLieInAnyPartOfWhatWasAttachedPieceByPiece) {
  const auto run = normalized(1, [](Process& p) {
    create(p);
    for (const std::uint64_t at : {2000, 1000, 1032}) attach(p, at, 64);
    put(p, 0, p.at(1090));
    put(p, mpi::kProcNull, 0);
    put(p, 0, 7, 0);  // moves nothing
  });
  EXPECT_THAT(texts(run), Contains(put_text("b2", 0, mpi::pack(1, 90))));
}

TEST(Targets, ThatNobodyAttachedAreRefused) {
  const auto at = [](std::int64_t place) {
    return refusal(2, [=](Process& p) {
      create(p);
      attach(p, 1000, 64);
      put(p, 1, p.at(place));
    });
  };
  EXPECT_EQ(at(1063), "");
  EXPECT_THAT(at(1064), HasSubstr("MPI_Put (rank 0, call 3) names address 0x10428 of rank 1 of a dynamic window, where "
                                  "that rank has attached nothing; let the target attach what others access"));
  EXPECT_THAT(at(999), HasSubstr("has attached nothing"));
}

TEST(Targets, OfOtherWindowsAreDisplacements) {
  const auto at = [](std::int64_t displacement) {
    return refusal(1, [=](Process& p) {
      p.call("MPI_Win_create", {p.at(1000), 64, 8, 0, p.comm(), kWindow});
      put(p, 0, displacement);
    });
  };
  EXPECT_EQ(at(7), "");
  EXPECT_THAT(at(-1), HasSubstr("MPI_Put (rank 0, call 2) has a displacement of -1, which MPI refuses"));
  EXPECT_THAT(at(mpi::kLargestBuffer), HasSubstr("more than 2^40 units behind the window's begin"));
}

TEST(Targets, KeepCallsInTheirOrder) {
  const auto run = normalized(1, [](Process& p) {
    create(p);
    attach(p, 1000, 64);
  });
  EXPECT_THROW(normalize::exchange(run), Error);
}

TEST(Targets, OfEachThreadAreItsOwn) {
  const auto run = normalized(
      1,
      [](Process& p) {
        create(p);
        attach(p, 1000, 64);
        put(p, 0, p.at(1008));
        p.on(1);
        for (int i = 0; i < 64; ++i)
          p.call("MPI_Put", {p.at(0), 1, p.doubles(), 0, p.at(1000 + (63 - i) / 8 * 8), 1, p.doubles(), kWindow},
                 i ? 1000 : 20'000);
        p.on(0);
        p.call("MPI_Barrier", {p.comm()}, 200'000);
      },
      {}, test::Level::multiple);
  EXPECT_THAT(texts(run, 0), Contains(put_text("b1", 0, mpi::pack(0, 8))).Times(1));
  EXPECT_THAT(texts(run, 1), Contains(put_text("b0", 0, mpi::pack(0, 40))).Times(8));
  for (const auto& record : run.records)
    if (const int at = run.symbols[record.symbol].function->find(mpi::Role::target); at >= 0) {
      const std::int64_t place = record.values[static_cast<std::size_t>(at)];
      EXPECT_TRUE(place < 0 || (mpi::slot_of(place) == 0 && mpi::offset_of(place) < 64)) << place;
    }
}

TEST(Targets, AreAttachedByTheMainThread) {
  EXPECT_THAT(refusal(
                  1,
                  [](Process& p) {
                    create(p);
                    p.on(1);
                    attach(p, 1000, 64);
                  },
                  test::Level::multiple),
              HasSubstr("MPI_Win_attach (rank 0, thread 1, call 0) is not made by the main thread"));
}

}  // namespace
}  // namespace skelgen
