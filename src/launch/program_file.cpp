#include "launch/program_file.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <fstream>
#include <optional>
#include <string_view>

#include "launch/launch.h"

namespace skelgen::launch {
namespace {

namespace fs = std::filesystem;

/// Options by which a launcher looks for programs elsewhere, or of which the values are not known.
bool looks_elsewhere(const std::vector<std::string>& words) {
  constexpr std::array<std::string_view, 8> kPlaces{"-wdir",           "-wd", "-path", "-chdir",
                                                    "-preload-binary", "-s",  "-D",    "-a"};
  return std::ranges::any_of(words, [&](std::string_view word) {
    if (word.starts_with("--")) word.remove_prefix(1);
    return std::ranges::find(kPlaces, word.substr(0, word.find('='))) != kPlaces.end();
  });
}

/// The dynamic part of an ELF file.
struct Linked {
  bool interpreter = false;         ///< it is started by the dynamic linker
  std::vector<std::string> needed;  ///< libraries
};

std::optional<Linked> read_linked(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  const auto read = [&](std::uint64_t at, void* to, std::size_t bytes) {
    in.clear();
    in.seekg(static_cast<std::streamoff>(at));
    in.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes));
    return in.good();
  };
  Elf64_Ehdr head;
  if (!read(0, &head, sizeof head) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
      head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_ident[EI_DATA] != ELFDATA2LSB ||
      head.e_phentsize != sizeof(Elf64_Phdr))
    return {};
  std::vector<Elf64_Phdr> parts(head.e_phnum);
  if (!read(head.e_phoff, parts.data(), parts.size() * sizeof(Elf64_Phdr))) return {};
  Linked linked;
  std::vector<Elf64_Dyn> entries;
  for (const auto& part : parts) {
    linked.interpreter |= part.p_type == PT_INTERP;
    if (part.p_type != PT_DYNAMIC || part.p_filesz > (1u << 20)) continue;
    entries.resize(part.p_filesz / sizeof(Elf64_Dyn));
    if (!read(part.p_offset, entries.data(), entries.size() * sizeof(Elf64_Dyn))) return {};
  }
  const auto names = std::ranges::find(entries, Elf64_Sxword{DT_STRTAB}, &Elf64_Dyn::d_tag);
  for (const auto& entry : entries) {
    if (entry.d_tag != DT_NEEDED) continue;
    if (names == entries.end()) return {};
    const auto address = names->d_un.d_ptr;
    const auto holds = [&](const Elf64_Phdr& part) {
      return part.p_type == PT_LOAD && address >= part.p_vaddr && address - part.p_vaddr < part.p_filesz;
    };
    const auto part = std::ranges::find_if(parts, holds);
    std::string name;
    if (part == parts.end()) return {};
    in.clear();
    in.seekg(static_cast<std::streamoff>(address - part->p_vaddr + part->p_offset + entry.d_un.d_val));
    if (!std::getline(in, name, '\0')) return {};
    linked.needed.push_back(name);
  }
  return linked;
}

/// Whether no library of MPI can stand behind it.
bool is_of_compiler(const std::string& library) {
  constexpr std::array<std::string_view, 13> kCompilers{
      "libc",        "libm",        "libpthread", "libdl",     "librt",      "libgcc_s",       "libstdc++",
      "libgfortran", "libquadmath", "libgomp",    "libatomic", "libselinux", "ld-linux-x86-64"};
  return std::ranges::find(kCompilers, std::string_view(library).substr(0, library.find(".so"))) != kCompilers.end();
}

}  // namespace

std::string missing_program(const std::vector<std::string>& words, const CommandLine& line) {
  if (!line.is_launcher || !line.local || line.programs_in_file || looks_elsewhere(words) ||
      (line.mpi != MpiKind::mpich && line.mpi != MpiKind::openmpi))
    return {};
  for (const auto at : line.executables) {
    const auto& word = words[at];
    std::error_code ignored;
    // Behind an option that is not known it may be that option's value.
    if (at == 0 || words[at - 1].starts_with('-') || find_program(word)) continue;
    if (word.find('/') == std::string::npos)
      return word + " is not in PATH" + (find_program("./" + word) ? fmt::format("; did you mean ./{}?", word) : "");
    if (!fs::exists(word, ignored)) return word + ": no such file";
    return word + (fs::is_directory(word, ignored) ? ": is a directory" : ": cannot be executed");
  }
  return {};
}

std::string why_no_mpi(const std::string& program) {
  const auto file = find_program(program);
  const auto linked = file ? read_linked(*file) : std::nullopt;
  if (!linked) return {};
  if (!linked->interpreter && linked->needed.empty())
    return "it is linked statically, which leaves the capture library out: link it dynamically";
  if (std::ranges::all_of(linked->needed, is_of_compiler))
    return "it is not linked with an MPI library: is it the MPI program?";
  return {};
}

}  // namespace skelgen::launch
