#include <gmock/gmock.h>

#include "emit/emit.h"
#include "text/text.h"

namespace skelgen::emit {
namespace {

using testing::HasSubstr;

TEST(Values, OfAPeriodAreFoundWithoutWhatIsAMultipleOfIt) {
  const auto send = [](const std::string& tags) {
    return "MPI_Send(count=1, datatype=MPI_INT, dest=MPI_PROC_NULL, tag=periodic(" + tags + "))\n";
  };
  const auto skeleton = text::parse("skeleton 1\nranks 2\nprogram {\nMPI_Init()\nloop 10 {\nloop 9 {\nloop 2 {\n" +
                                        send("1, 2") + send("1, 2, 3, 4, 5, 6") + send("1 x 17, 2") +
                                        send("1, 2, 3, 4") + "}\n}\n}\nMPI_Finalize()\n}\n",
                                    "f");
  const auto text = program(skeleton, plan_scale(skeleton, 1));
  EXPECT_THAT(text, HasSubstr(", tag_1[k], "));
  EXPECT_THAT(text, HasSubstr(", tag_2[(j * 2 + k) % 6], "));
  EXPECT_THAT(text, HasSubstr(", tag_3[j * 2 + k], "));
  EXPECT_THAT(text, HasSubstr(", tag_4[((i * 9 + j) * 2 + k) % 4], "));
}

}  // namespace
}  // namespace skelgen::emit
