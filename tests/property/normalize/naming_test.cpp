// Addresses, handle values and their order do not matter; what a process did does.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <random>

#include "unit/normalize/process.h"

namespace skelgen::test {
namespace {

using testing::ElementsAre;

/// A program of random calls; the same for every rank but for its peers, with sub-communicators that come and go.
class Random {
 public:
  explicit Random(std::uint64_t seed) : seed_(seed) {}

  void operator()(Process& p) const {
    std::mt19937_64 random(seed_);
    const auto below = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    std::vector<int> live, comms{1, 2}, free_handles{1, 2, 3, 4, 5, 6, 7, 8};
    int next_comm = 3;
    for (int i = 0; i < 200; ++i) {
      const int peer = (p.rank() + below(p.ranks())) % p.ranks(), on = comms.back() == 2 ? 1 : comms.back();
      const auto address = static_cast<std::uint64_t>(below(40)) * 64;
      switch (below(8)) {
        case 0:
          p.send(peer, address, below(20), below(3), on);
          break;
        case 1:
          p.recv(below(2) ? peer : static_cast<int>(mpi::kAnySource), address, below(20), 7, {peer, 7});
          break;
        case 2:
        case 3:
          if (free_handles.empty()) break;
          live.push_back(free_handles.back());
          if (below(3)) free_handles.pop_back();  // or the handle is handed out once more
          below(2) ? p.isend(peer, live.back(), address) : p.irecv(peer, live.back(), address);
          break;
        case 4: {
          if (live.empty()) break;
          const auto at = live.begin() + below(static_cast<int>(live.size()));
          const int handle = *at;
          live.erase(at);
          p.wait(handle);
          break;
        }
        case 5:
          p.waitall(live);
          live.clear();
          break;
        case 6:
          p.call("MPI_Allreduce", {p.at(address), p.at(address + 4096), below(9), p.ints(), p.sum(), p.comm()});
          break;
        default:
          if (comms.size() < 5) {
            p.call("MPI_Comm_dup", {p.comm(on), p.comm(next_comm)});
            p.define(next_comm, p.ranks(), p.rank(), 0);
            comms.push_back(next_comm++);
          } else {
            const auto at = comms.begin() + 2 + below(3);
            p.barrier(*at);
            p.call("MPI_Comm_free", {p.comm(*at)});
            comms.erase(at);
          }
      }
    }
  }

 private:
  std::uint64_t seed_;
};

void expect_equal(const normalize::Normalized& a, const normalize::Normalized& b) {
  EXPECT_EQ(a.symbols, b.symbols);
  EXPECT_EQ(a.records, b.records);
  EXPECT_EQ(a.arrays, b.arrays);
  EXPECT_EQ(a.names, b.names);
  ASSERT_EQ(a.locations.size(), b.locations.size());
  for (std::size_t l = 0; l < a.locations.size(); ++l) {
    EXPECT_EQ(a.locations[l].calls, b.locations[l].calls) << "location " << l;
    EXPECT_EQ(a.locations[l].gap_s, b.locations[l].gap_s);
    EXPECT_EQ(a.locations[l].buffer_bytes, b.locations[l].buffer_bytes);
    ASSERT_EQ(a.locations[l].communicators.size(), b.locations[l].communicators.size());
    for (std::size_t c = 0; c < a.locations[l].communicators.size(); ++c)
      EXPECT_EQ(a.locations[l].communicators[c].identity, b.locations[l].communicators[c].identity);
  }
  ASSERT_EQ(a.classes.size(), b.classes.size());
  for (std::size_t c = 0; c < a.classes.size(); ++c) EXPECT_EQ(a.classes[c].members, b.classes[c].members);
}

TEST(Normalized, DoesNotDependOnAddressesAndHandleValues) {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    const int ranks = 1 + static_cast<int>(seed % 5);
    const Random program(seed);
    const auto plain = normalized(ranks, program);
    expect_equal(plain, normalized(ranks, program, {0x7f1200003000, 0}));
    expect_equal(plain, normalized(ranks, program, {0, 12345}));
    expect_equal(plain, normalized(ranks, program, {0x55550000, 777 + seed}));
  }
}

TEST(Normalized, DependsOnEverythingElse) {
  const auto text_of = [](std::int64_t count, std::uint64_t address, int tag) {
    const auto run = normalized(2, [=](Process& p) {
      p.send(1 - p.rank(), 0, 100);
      p.send(1 - p.rank(), address, count, tag);
    });
    return texts(run)[1];
  };
  EXPECT_NE(text_of(1, 8, 1), text_of(2, 8, 1));
  EXPECT_NE(text_of(1, 8, 1), text_of(1, 16, 1));
  EXPECT_NE(text_of(1, 8, 1), text_of(1, 8, 2));
}

/// Every live buffer lies inside its slot and different slots do not share memory: names of one slot differ by what the
/// addresses differ.
TEST(Buffers, KeepDistancesInsideASlot) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    std::vector<std::pair<std::uint64_t, std::int64_t>> sends;
    std::mt19937_64 random(seed);
    for (int i = 0; i < 60; ++i) sends.emplace_back(random() % 4000, 1 + static_cast<std::int64_t>(random() % 12));
    const auto run = normalized(1, [&](Process& p) {
      for (const auto& [address, count] : sends) p.send(0, address, count);
    });
    std::map<std::size_t, std::uint64_t> start;
    for (std::size_t i = 0; i < sends.size(); ++i) {
      const auto& [address, count] = sends[i];
      const auto buffer = run.records[run.locations[0].calls[i + 1]].values[0];
      const auto slot = static_cast<std::size_t>(mpi::slot_of(buffer));
      const auto offset = static_cast<std::uint64_t>(mpi::offset_of(buffer));
      ASSERT_LT(slot, run.locations[0].buffer_bytes.size());
      EXPECT_LE(offset + 8 * static_cast<std::uint64_t>(count), run.locations[0].buffer_bytes[slot]);
      EXPECT_EQ(start.try_emplace(slot, address - offset).first->second, address - offset);
    }
    std::map<std::uint64_t, std::uint64_t> areas;
    for (const auto& [slot, begin] : start) areas[begin] = begin + run.locations[0].buffer_bytes[slot];
    std::uint64_t end = 0;
    for (const auto& [begin, after] : areas) {
      EXPECT_GE(begin, end);
      end = after;
    }
  }
}

/// Sizes of the classes, in order.
std::vector<std::size_t> sizes(const normalize::Normalized& run) {
  std::vector<std::size_t> all;
  for (const auto& one : run.classes) all.push_back(one.members.size());
  return all;
}

TEST(Classes, ARingIsOne) {
  for (const int n : {1, 2, 3, 8, 13})
    EXPECT_THAT(sizes(normalized(n,
                                 [](Process& p) {
                                   for (int i = 0; i < 5; ++i) {
                                     p.irecv((p.rank() + p.ranks() - 1) % p.ranks(), 1, 0);
                                     p.isend((p.rank() + 1) % p.ranks(), 2, 100);
                                     p.waitall({1, 2});
                                   }
                                 })),
                ElementsAre(static_cast<std::size_t>(n)));
}

TEST(Classes, ALineWithOpenEndsIsThree) {
  const auto run = normalized(6, [](Process& p) {
    const int left = p.rank() ? p.rank() - 1 : static_cast<int>(mpi::kProcNull);
    const int right = p.rank() + 1 < p.ranks() ? p.rank() + 1 : static_cast<int>(mpi::kProcNull);
    for (int i = 0; i < 5; ++i) {
      p.irecv(left, 1, 0);
      p.isend(right, 2, 100);
      p.waitall({1, 2});
    }
  });
  EXPECT_THAT(sizes(run), ElementsAre(1u, 4u, 1u));
  EXPECT_THAT(run.classes[1].members, ElementsAre(1u, 2u, 3u, 4u));
}

TEST(Classes, ARootIsAClassOfItsOwnOnlyIfItCallsOtherwise) {
  EXPECT_THAT(sizes(normalized(5,
                               [](Process& p) {
                                 p.call("MPI_Bcast", {p.at(0), 9, p.ints(), 2, p.comm()});
                               })),
              ElementsAre(5u));
  EXPECT_THAT(sizes(normalized(5,
                               [](Process& p) {
                                 for (int r = 1; r < p.ranks() && p.rank() == 0; ++r) p.recv(r);
                                 if (p.rank()) p.send(0, 0, p.rank());
                               })),
              ElementsAre(1u, 1u, 1u, 1u, 1u));  // every relative peer is another
}

TEST(Classes, DoNotDependOnCountsTagsBuffersAndRequests) {
  EXPECT_THAT(sizes(normalized(4,
                               [](Process& p) {
                                 if (p.rank() == 2)
                                   p.irecv(p.rank(), 9, 64);
                                 else
                                   p.irecv(p.rank(), 1, 0, p.rank() + 1, p.rank());
                                 p.wait(p.rank() == 2 ? 9 : 1);
                               })),
              ElementsAre(4u));
}

}  // namespace
}  // namespace skelgen::test
