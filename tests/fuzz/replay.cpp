// Runs a fuzz target over files and folders of files, for compilers without libFuzzer: the corpus as a test. With --changed N
// first, over N inputs beside each file, too: what it becomes by random changes, the same ones each time. An input that ends
// the program, however it does that, stays in the file `finding-TARGET`, which holds the input while it runs.
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

std::string input, kept;  ///< `kept`: the file with the input that runs

void say_where(int signal) {
  constexpr char kSaid[] = "the input that shows it is in the file `";
  if (write(2, kSaid, sizeof kSaid - 1) < 0 || write(2, kept.data(), kept.size()) < 0 || write(2, "`\n", 2) < 0)
    _exit(1);
  std::signal(signal, SIG_DFL);
  raise(signal);
}

/// A few bytes become others, go away, or come in, or a piece comes again somewhere else.
std::string changed(std::string bytes, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return random() % std::max<std::size_t>(n, 1); };
  for (auto changes = 1 + below(4); changes > 0; --changes) {
    const std::size_t at = below(bytes.size()), length = std::min(1 + below(1 + below(64)), bytes.size() - at);
    switch (below(5)) {
      case 0:
        bytes.erase(at, length);
        break;
      case 1:
        bytes.insert(at, bytes.substr(below(bytes.size()), length));
        break;
      case 2:
        bytes.insert(at, 1, static_cast<char>(random()));
        break;
      case 3:
        if (at < bytes.size()) bytes[at] = static_cast<char>(bytes[at] ^ 1 << below(8));
        break;
      default:
        if (at < bytes.size()) bytes[at] = static_cast<char>(random());
    }
  }
  return bytes;
}

void run() {
  std::ofstream(kept, std::ios::binary) << input;
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
  std::filesystem::remove(kept);
}

std::size_t replay(const std::filesystem::path& path, int changes) {
  std::size_t files = 0;
  if (std::filesystem::is_directory(path)) {
    for (const auto& entry : std::filesystem::directory_iterator(path)) files += replay(entry.path(), changes);
    return files;
  }
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  if (!file) return 0;
  input = bytes;
  run();
  std::mt19937 random;
  for (int i = 0; i < changes; ++i) {
    input = changed(bytes, random);
    run();
  }
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTERM}) std::signal(signal, say_where);
  kept = "finding-" + std::filesystem::path(argv[0]).filename().string();
  int first = 1, changes = 0;
  if (argc > 2 && std::string(argv[1]) == "--changed") first = 3, changes = std::atoi(argv[2]);
  std::size_t files = 0;
  for (int i = first; i < argc; ++i) files += replay(argv[i], changes);
  std::printf("%zu files, each with %d changes of it\n", files, changes);
  return files == 0;
}
