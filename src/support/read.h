#pragma once
// Whole files that a user named.

#include <filesystem>
#include <string>

namespace skelgen {

/// The bytes of a file. Throws Error{io}: "FILE: is a directory; REMEDY", or "FILE: WHAT cannot be read; REMEDY".
/// what: of the file, for the message ("the prediction "), with a blank behind it; may be empty.
std::string read_file(const std::filesystem::path& file, const std::string& remedy, const std::string& what = {});

}  // namespace skelgen
