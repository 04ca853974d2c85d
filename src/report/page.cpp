#include <fmt/format.h>

#include <algorithm>
#include <kainjow/mustache.hpp>

#include "report/embedded.h"
#include "report/embedded_json.h"
#include "report/model.h"
#include "report/report.h"
#include "support/error.h"
#include "support/printable.h"

namespace skelgen::report {
namespace {

namespace mustache = kainjow::mustache;

/// What it begins with, if it is long: a command line may have megabytes.
std::string shortened(std::string text) {
  constexpr std::size_t kMost = 1000;
  if (text.size() <= kMost) return text;
  std::size_t end = kMost;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;  // of a character of UTF-8
  return text.substr(0, end) + " ...";
}

/// Templates write what stands here as text, never as HTML. Null and false are false there, and empty lists.
mustache::data data_of(const Json& json) {
  if (json.is_object()) {
    mustache::data object;
    for (const auto& [key, value] : json.items()) object.set(key, data_of(value));
    return object;
  }
  if (json.is_array()) {
    mustache::data list(mustache::data::type::list);
    for (const auto& value : json) list.push_back(data_of(value));
    return list;
  }
  if (json.is_string()) return printable(shortened(json.get<std::string>()));
  if (json.is_number()) return json.dump();
  return json.is_boolean() && json.get<bool>() ? mustache::data::type::bool_true : mustache::data::type::bool_false;
}

}  // namespace

std::string page(const Report& report) {
  mustache::mustache html{std::string(kPage)};
  if (!html.is_valid()) throw Error(Code::internal, "the template of the report: " + html.error_message());
  mustache::data data = data_of(model(report));
  // The only ones that are no text: ours, or made safe.
  data.set("style", std::string(kStyle));
  data.set("script", std::string(kScript));
  data.set("style_hash", std::string(kStyleHash));
  data.set("script_hash", std::string(kScriptHash));
  if (report.threads) {
    data.set("threads_whole", report.threads->whole);
    data.set("threads_reduced", report.threads->reduced);
  }
  data.set("pictures", embedded_json(pictures(report)));
  return html.render(data);
}

}  // namespace skelgen::report
