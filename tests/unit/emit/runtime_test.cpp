// The runtime of skeletons by itself.

#include <gmock/gmock.h>

#include <algorithm>

#include "unit/emit/run.h"

namespace skelgen::emit {
namespace {

using namespace programs;

class Runtime : public testing::Test {
 protected:
  static std::string folder() { return std::string(SKELGEN_SOURCE_DIR) + "/templates/runtime"; }
  Scratch scratch_;
};

TEST_F(Runtime, CompilesWithoutWarnings) {
  for (const auto* compiler : {"gcc", "clang"}) {
    std::string output;
    if (shell(std::string("command -v ") + compiler, output) != 0) continue;
    output.clear();
    EXPECT_EQ(shell("MPICH_CC=" + std::string(compiler) + " mpicc.mpich -std=c11 -O2 -Wall -Wextra -Werror -c " +
                        folder() + "/skel.c -o " + (scratch_.path / "skel.o").string(),
                    output),
              0)
        << compiler << ": " << output;
  }
}

// Too much spent in one call is taken off the next ones. The time is never much too short; on a busy machine it may be
// too long, so the best of some runs counts.
TEST_F(Runtime, ComputationIsConserved) {
  const auto program = (scratch_.path / "conserve").string();
  std::string output;
  ASSERT_EQ(shell("mpicc.mpich -std=c11 -O2 -Wall -Wextra -Werror -I" + folder() + " -o " + program + " " +
                      SKELGEN_SOURCE_DIR + "/tests/unit/emit/conserve.c " + folder() + "/skel.c",
                  output),
            0)
      << output;
  for (const std::string calls : {"1", "100", "10000", "1000000"}) {  // from 0.1 s to 100 ns each
    double best = 1e9;
    for (int attempt = 0; attempt < 10 && best > 1.05; ++attempt) {
      output.clear();
      ASSERT_EQ(shell("SKEL_COMPUTE=time " + program + " " + calls + " 0.1", output), 0) << output;
      const double ratio = std::stod(output);
      EXPECT_GT(ratio, 0.95) << calls << " calls";
      best = std::min(best, ratio);
    }
    EXPECT_LT(best, 1.05) << calls << " calls";
  }
}

}  // namespace
}  // namespace skelgen::emit
