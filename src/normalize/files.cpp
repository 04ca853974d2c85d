#include "normalize/files.h"

#include <algorithm>
#include <map>

namespace skelgen::normalize {

void number_files(Normalized& run) {
  std::map<std::int64_t, std::int64_t> numbers;  // by id of the name
  for (const Record& record : run.records) {
    const auto& parameters = run.symbols[record.symbol].function->parameters;
    for (std::size_t i = 0; i < parameters.size(); ++i)
      if (parameters[i].is_file) numbers.try_emplace(record.values[i], static_cast<std::int64_t>(numbers.size()));
  }
  run.scratch.resize(numbers.size());
  std::vector<bool> known(numbers.size());
  for (LocationCalls& location : run.locations) {
    for (OpenedFile& file : location.opened) {
      file.name = numbers.at(file.name);
      const auto number = static_cast<std::size_t>(file.name);
      // Others may have written between the opening and a rank's look: the least is what was there.
      const std::int64_t bytes = file.creates && file.bytes <= 0 ? -1 : std::max<std::int64_t>(file.bytes, 0);
      mpi::ScratchFile& scratch = run.scratch[number];
      if (!known[number]) scratch = {bytes, location.where.rank};
      known[number] = true;
      scratch.bytes = std::min(scratch.bytes, bytes);
    }
  }
  for (const auto& [name, number] : numbers) run.arrays[static_cast<std::size_t>(name)] = {number};
}

}  // namespace skelgen::normalize
