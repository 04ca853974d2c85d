// Bytes -> an SPMD program -> its trace -> everything that `skelgen build` does; the skeleton makes the calls that the
// program made, compared with the program itself and not only with what was read of it.
#include <cstddef>
#include <cstdint>

#include "fuzz/pipeline.h"
#include "fuzz/program.h"

namespace {

using namespace skelgen;

/// MPI_Type_struct and its like are replayed as what replaced them.
bool same(const mpi::Function& made, const mpi::Function& replayed) {
  const bool without = made.large && made.name.substr(0, made.name.size() - 2) == replayed.name;  // _c
  return &made == &replayed || without ||
         (made.kind == mpi::Kind::type_create && replayed.kind == mpi::Kind::type_create);
}

void compare(const fuzz::Made& made, const skeleton::Skeleton& skeleton) {
  for (std::uint32_t l = 0; l < skeleton.locations.size(); ++l) {
    const auto& calls = made.calls.at(static_cast<std::size_t>(skeleton.locations[l].where.rank));
    std::size_t k = 0;
    skeleton::expand_original(skeleton, l, [&](const skeleton::OriginalCall& call) {
      const auto where = "rank " + std::to_string(l) + ", call " + std::to_string(k) + ": ";
      if (k >= calls.size()) fuzz::finding(where + "the program made fewer calls");
      if (!same(*calls[k].function, *call.function))
        fuzz::finding(where + "made " + std::string(calls[k].function->name) + ", got " +
                      std::string(call.function->name));
      std::vector<std::int64_t> plain;
      for (std::size_t i = 0; i < call.values.size(); ++i)
        if (fuzz::is_plain(call.function->parameters[i].role)) plain.push_back(call.values[i]);
      if (plain != calls[k].plain) fuzz::finding(where + std::string(call.function->name) + " with other numbers");
      ++k;
      return true;
    });
    if (k != calls.size()) fuzz::finding("rank " + std::to_string(l) + ": the program made more calls");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  fuzz::Made made;
  fuzz::expect_no_other_errors([&] {
    const auto& directory = fuzz::scratch_directory();
    made = fuzz::write_program({data + 1, size - 1}, directory);
    fuzz::build(directory, fuzz::choice_of(data[0]), [&](const skeleton::Skeleton& skeleton) {
      if (!made.polls) compare(made, skeleton);
    });
  });
  return 0;
}
