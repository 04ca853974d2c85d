#include "mpi/values.h"

#include <fmt/format.h>

namespace skelgen::mpi {

char slot_letter(Role role) { return is_array(role) ? 'a' : properties(role).slot; }

std::string quoted(std::string_view text) {
  std::string line = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') line += '\\';
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      line += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else
      line += c;
  }
  return line + '"';
}

std::string text(Role role, std::int64_t value) {
  const auto word = properties(role).word(value);
  return word.empty() ? std::to_string(value) : std::string(word);
}

std::string ValueWriter::operator()(Role role, std::int64_t v) const {
  const char letter = slot_letter(role);
  if (!letter || !properties(role).word(v).empty()) return text(role, v);
  if (role == Role::buffer || role == Role::target) {
    const std::int64_t slot = slot_of(v), offset = offset_of(v);
    if (slot < 0) return std::to_string(v);
    return offset == 0 ? fmt::format("b{}", slot) : fmt::format("b{}+{}", slot, offset);
  }
  if (role == Role::datatype || role == Role::op) {
    if (v >= kMade) return fmt::format("{}{}", letter, v - kMade);
    const auto known = name(v);
    return known.empty() ? std::to_string(v) : std::string(known);
  }
  if (const auto* values = letter == 'a' ? array(role, v) : nullptr; values && role == Role::info) {
    return mpi::quoted(std::string(values->begin() + !values->empty(), values->end()));
  } else if (values) {
    std::string list;
    for (const std::int64_t one : *values) list += (list.empty() ? "" : ", ") + (*this)(*properties(role).element, one);
    return fmt::format("({})", list);
  }
  return v >= 0 ? fmt::format("{}{}", letter, v) : std::to_string(v);
}

std::string_view ListedValues::name(std::int64_t number) const {
  return number >= 0 && number < std::ssize(names_) ? std::string_view(names_[static_cast<std::size_t>(number)]) : "";
}

const std::vector<std::int64_t>* ListedValues::array(Role, std::int64_t number) const {
  return number >= 0 && number < std::ssize(arrays_) ? &arrays_[static_cast<std::size_t>(number)] : nullptr;
}

}  // namespace skelgen::mpi
