// Sizes, bounds and extents against a real MPI, of datatypes that are put together at random.

#include "mpi/layout.h"

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <random>
#include <sstream>

#include "mpi/mpi.h"

namespace skelgen::mpi {
namespace {

using List = std::vector<std::int64_t>;
using Ints = std::vector<int>;

struct Pair {
  Layout ours;
  MPI_Datatype theirs;
  std::string made;
};

Layout measured(MPI_Datatype type, std::int64_t alignment) {
  Layout layout;
  MPI_Count size;
  MPI_Aint lb, extent, true_lb, true_extent;
  MPI_Type_size_x(type, &size);
  MPI_Type_get_extent(type, &lb, &extent);
  MPI_Type_get_true_extent(type, &true_lb, &true_extent);
  return {size, lb, lb + extent, true_lb, true_lb + true_extent, alignment};
}

std::string text(const Layout& l) {
  std::ostringstream out;
  out << l.size << " bytes [" << l.lb << ", " << l.ub << ") data [" << l.true_lb << ", " << l.true_ub << ")";
  return out.str();
}

class Random {
 public:
  explicit Random(unsigned seed) : random_(seed) {}
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }

  Pair basic() {
    static const std::pair<const char*, MPI_Datatype> kTypes[] = {
        {"MPI_DOUBLE", MPI_DOUBLE}, {"MPI_INT", MPI_INT},
        {"MPI_CHAR", MPI_CHAR},     {"MPI_SHORT", MPI_SHORT},
        {"MPI_FLOAT", MPI_FLOAT},   {"MPI_INT64_T", MPI_INT64_T},
        {"MPI_BYTE", MPI_BYTE},     {"MPI_C_DOUBLE_COMPLEX", MPI_C_DOUBLE_COMPLEX}};
    const auto& [name, type] = kTypes[below(8)];
    int size;
    MPI_Aint lb, extent;
    MPI_Type_size(type, &size);
    MPI_Type_get_extent(type, &lb, &extent);
    return {predefined_layout(name, size, extent), type, name};
  }

  Pair tree(int depth) {
    if (depth == 0) return basic();
    const Pair old = tree(depth - below(2) - 1 < 0 ? 0 : depth - 1);
    Pair made;
    std::ostringstream how;
    switch (below(9)) {
      case 0: {
        const int count = 1 + below(3);
        MPI_Type_contiguous(count, old.theirs, &made.theirs);
        made.ours = contiguous(count, old.ours);
        how << "contiguous " << count;
        break;
      }
      case 1: {
        const int count = 1 + below(3), length = 1 + below(2), stride = below(9) - 3;
        MPI_Type_vector(count, length, stride, old.theirs, &made.theirs);
        made.ours = vector(count, length, stride * old.ours.extent(), old.ours);
        how << "vector " << count << " " << length << " " << stride;
        break;
      }
      case 2: {
        const int count = 1 + below(4), length = 1 + below(3), stride = below(200) - 50;
        MPI_Type_create_hvector(count, length, stride, old.theirs, &made.theirs);
        made.ours = vector(count, length, stride, old.ours);
        how << "hvector " << count << " " << length << " " << stride;
        break;
      }
      case 3: {
        Ints lengths, at;
        for (int i = below(4); i >= 0; --i) lengths.push_back(1 + below(2)), at.push_back(below(20) - 6);
        MPI_Type_indexed(static_cast<int>(lengths.size()), lengths.data(), at.data(), old.theirs, &made.theirs);
        made.ours =
            indexed(List(lengths.begin(), lengths.end()), List(at.begin(), at.end()), old.ours.extent(), old.ours);
        how << "indexed";
        break;
      }
      case 4: {
        const int length = 1 + below(2);
        std::vector<MPI_Aint> at;
        for (int i = below(4); i >= 0; --i) at.push_back(below(400) - 100);
        MPI_Type_create_hindexed_block(static_cast<int>(at.size()), length, at.data(), old.theirs, &made.theirs);
        made.ours = indexed(List{length}, List(at.begin(), at.end()), 1, old.ours);
        how << "hindexed_block";
        break;
      }
      case 5: {
        // MPICH does not pad a structure of one type only; normalize then takes the extent that was recorded.
        Pair other = tree(depth - 1);
        while (other.theirs == old.theirs) other = basic();
        const Ints lengths{1 + below(2), 1 + below(2)};
        const MPI_Aint at[] = {below(30), 64 + below(100)};
        const MPI_Datatype types[] = {old.theirs, other.theirs};
        MPI_Type_create_struct(2, lengths.data(), at, types, &made.theirs);
        const std::vector<Layout> olds{old.ours, other.ours};
        made.ours = structure(List(lengths.begin(), lengths.end()), List(at, at + 2), olds);
        how << "structure {" << other.made << "}";
        break;
      }
      case 6: {
        Ints sizes, subsizes, starts;
        for (int d = below(3); d >= 0; --d) {
          sizes.push_back(1 + below(6));
          subsizes.push_back(1 + below(sizes.back()));
          starts.push_back(below(sizes.back() - subsizes.back() + 1));
        }
        const bool c = below(2);
        MPI_Type_create_subarray(static_cast<int>(sizes.size()), sizes.data(), subsizes.data(), starts.data(),
                                 c ? MPI_ORDER_C : MPI_ORDER_FORTRAN, old.theirs, &made.theirs);
        made.ours = subarray(List(sizes.begin(), sizes.end()), List(subsizes.begin(), subsizes.end()),
                             List(starts.begin(), starts.end()), c ? kOrderC : kOrderFortran, old.ours);
        how << "subarray";
        break;
      }
      case 7: {
        const int lb = below(20) - 10, extent = 1 + below(100);
        MPI_Type_create_resized(old.theirs, lb, extent, &made.theirs);
        made.ours = resized(lb, extent, old.ours);
        how << "resized " << lb << " " << extent;
        break;
      }
      default:
        MPI_Type_dup(old.theirs, &made.theirs);
        made.ours = old.ours;
        how << "dup";
    }
    made.made = how.str() + " of " + old.made;
    return made;
  }

 private:
  std::mt19937 random_;
};

TEST(Layout, OfRandomTreesIsThatOfTheMpi) {
  Random random(1);
  for (int i = 0; i < 3000; ++i) {
    const Pair pair = random.tree(1 + i % 4);
    ASSERT_EQ(text(pair.ours), text(measured(pair.theirs, 1))) << pair.made;
  }
}

TEST(Layout, OfDistributedArraysIsThatOfTheMpi) {
  Random random(2);
  for (int i = 0; i < 2000; ++i) {
    const int dimensions = 1 + random.below(3);
    Ints sizes, kinds, arguments, processes;
    int all = 1;
    for (int d = 0; d < dimensions; ++d) {
      sizes.push_back(1 + random.below(12));
      kinds.push_back(random.below(3) == 0   ? MPI_DISTRIBUTE_NONE
                      : random.below(2) == 0 ? MPI_DISTRIBUTE_BLOCK
                                             : MPI_DISTRIBUTE_CYCLIC);
      processes.push_back(kinds.back() == MPI_DISTRIBUTE_NONE ? 1 : 1 + random.below(3));
      const int least = (sizes.back() + processes.back() - 1) / processes.back();
      arguments.push_back(kinds.back() == MPI_DISTRIBUTE_NONE || random.below(2) ? MPI_DISTRIBUTE_DFLT_DARG
                          : kinds.back() == MPI_DISTRIBUTE_BLOCK                 ? least + random.below(2)
                                                                                 : 1 + random.below(3));
      all *= processes.back();
    }
    const int rank = random.below(all);
    const bool c = random.below(2);
    MPI_Datatype made;
    MPI_Type_create_darray(all, rank, dimensions, sizes.data(), kinds.data(), arguments.data(), processes.data(),
                           c ? MPI_ORDER_C : MPI_ORDER_FORTRAN, MPI_INT64_T, &made);
    const List s(sizes.begin(), sizes.end()), k(kinds.begin(), kinds.end()), a(arguments.begin(), arguments.end()),
        p(processes.begin(), processes.end());
    const Layout ours = darray({rank, s, k, a, p}, c ? kOrderC : kOrderFortran, predefined_layout("MPI_INT64_T", 8, 8));
    const Layout theirs = measured(made, 8);
    ASSERT_EQ(ours.size, theirs.size) << i;
    if (ours.size == 0) continue;
    ASSERT_EQ(ours.lb, theirs.lb) << i;
    ASSERT_EQ(ours.ub, theirs.ub) << i;
    // The MPI's own bounds of the data may be wider than need be; so here is every element.
    EXPECT_LE(theirs.true_lb, ours.true_lb) << i;
    EXPECT_GE(theirs.true_ub, ours.true_ub) << i;
    std::int64_t least = ours.ub, most = 0;
    for (std::int64_t element = 0; element < ours.ub / 8; ++element) {
      std::int64_t rest = element, place = rank;
      std::vector<std::int64_t> index(s.size());
      for (std::size_t n = 0; n < s.size(); ++n) {
        const std::size_t d = c ? s.size() - 1 - n : n;
        index[d] = rest % s[d];
        rest /= s[d];
      }
      bool own = true;
      for (std::size_t d = s.size(); d-- > 0; place /= p[d]) {
        const bool block = kinds[d] == MPI_DISTRIBUTE_BLOCK;
        const std::int64_t length = arguments[d] != MPI_DISTRIBUTE_DFLT_DARG ? arguments[d]
                                    : block                                  ? (s[d] + p[d] - 1) / p[d]
                                                                             : 1;
        own = own && (kinds[d] == MPI_DISTRIBUTE_NONE || index[d] / length % p[d] == place % p[d]);
      }
      if (own) least = std::min(least, element), most = element;
    }
    ASSERT_EQ(ours.true_lb, 8 * least) << i;
    ASSERT_EQ(ours.true_ub, 8 * most + 8) << i;
  }
}

TEST(Layout, ConstantsAreThoseOfTheRecordFormat) {
  EXPECT_EQ(kOrderC, MPI_ORDER_C);
  EXPECT_EQ(kOrderFortran, MPI_ORDER_FORTRAN);
  EXPECT_EQ(kDistributeBlock, MPI_DISTRIBUTE_BLOCK);
  EXPECT_EQ(kDistributeCyclic, MPI_DISTRIBUTE_CYCLIC);
  EXPECT_EQ(kDistributeNone, MPI_DISTRIBUTE_NONE);
  EXPECT_EQ(kDistributeDfltDarg, MPI_DISTRIBUTE_DFLT_DARG);
}

}  // namespace
}  // namespace skelgen::mpi

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  testing::InitGoogleTest(&argc, argv);
  const int result = RUN_ALL_TESTS();
  MPI_Finalize();
  return result;
}
