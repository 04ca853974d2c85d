#include "support/read.h"

#include <fstream>
#include <iterator>

#include "support/error.h"

namespace skelgen {

std::string read_file(const std::filesystem::path& file, const std::string& remedy, const std::string& what) {
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) throw Error(Code::io, file.string(), {}, "is a directory", remedy);
  std::ifstream in(file, std::ios::binary);
  if (!in) throw Error(Code::io, file.string(), {}, what + "cannot be read", remedy);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace skelgen
