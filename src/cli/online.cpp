#include "cli/online.h"

#include <exception>
#include <fstream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "build/json.h"
#include "cli/measures.h"

namespace skelgen::cli {
namespace {

namespace fs = std::filesystem;

}  // namespace

bool is_online(const fs::path& directory) {
  std::error_code ignored;
  return fs::is_regular_file(directory / kOnlineFile, ignored);
}

Json online_json(const build::Online& online, const std::vector<double>& rho) {
  return {{"schema", "skelgen.online/1"}, {"rho", rho}, {"metrics", json_of(online.measured())}};
}

void keep(const build::Online& online, const std::vector<double>& rho) {
  online.replace_records(kOnlineFile, [&](std::ostream& out) { print_json(out, online_json(online, rho)); });
}

Json read_online(const fs::path& directory, const std::vector<double>& rho) {
  const auto file = directory / kOnlineFile;
  std::ifstream in(file);
  if (!in) throw Error(Code::io, file.string(), {}, "cannot be read", "check its permissions");
  try {
    auto json = Json::parse(in);
    if (json.at("schema") != "skelgen.online/1") throw std::invalid_argument("schema");
    if (!rho.empty() && json.at("rho").get<std::vector<double>>() != rho)
      throw Error(Code::invalid_argument, file.string(), {}, "the run was measured with other speeds of its ranks",
                  "give them to trace --online --rho");
    metrics_of(json.at("metrics"));
    return json.at("metrics");
  } catch (const Error&) {
    throw;
  } catch (const std::exception&) {
    throw Error(Code::corrupt, file.string(), {}, "is not what trace --online writes", "trace the program again");
  }
}

metrics::Metrics metrics_of(const Json& json) {
  metrics::Metrics all;
  for (const auto& finding : json.at("findings")) all.findings.push_back(finding_of(finding));
  for (const auto& note : json.at("notes")) all.notes.push_back(note_of(note));
  const auto &he_sun = json.at("he_sun"), &raynal = json.at("raynal"), &pop = json.at("pop"), &waits = json.at("waits");
  all.he_sun.alpha = he_sun.at("alpha").get<metrics::Measure>();
  all.he_sun.phi1 = he_sun.at("phi1").get<metrics::Measure>();
  all.he_sun.phi7 = he_sun.at("phi7").get<metrics::Measure>();
  all.raynal.alpha = raynal.at("alpha").get<metrics::Measure>();
  all.raynal.unit_s = raynal.at("unit_s").get<std::optional<double>>();
  all.raynal.beta = raynal.at("beta").get<metrics::Measure>();
  all.charron_bost.reason = json.at("charron_bost").at("reason").get<std::string>();
  all.pop = {pop.at("parallel").get<metrics::Measure>(), pop.at("load_balance").get<metrics::Measure>(),
             pop.at("communication").get<metrics::Measure>(), pop.at("serialization").get<metrics::Measure>(),
             pop.at("transfer").get<metrics::Measure>()};
  const auto& unwaited = json.at("if_sends_never_waited");
  all.unwaited.alpha = unwaited.at("alpha").get<metrics::Measure>();
  all.unwaited.serialization = unwaited.at("serialization").get<metrics::Measure>();
  const auto& sends = json.at("sends");
  all.sends = {sends.at("synchronous").get<std::uint64_t>(), sends.at("waiting").get<std::uint64_t>(),
               sends.at("buffered_bytes").get<metrics::Measure>(), sends.at("waiting_bytes").get<metrics::Measure>()};
  const auto waits_at = [](const Json& at) {
    return metrics::Waits{at.at("late_sender_s").get<double>(), at.at("late_receiver_s").get<double>(),
                          at.at("imbalance_s").get<double>(), at.at("collective_s").get<double>()};
  };
  all.waits.all = waits_at(waits);
  all.waits.transfer_s = waits.at("transfer_s").get<double>();
  for (const auto& rank : waits.at("per_rank")) {
    auto& one = all.waits.per_rank.emplace_back();
    one.add(waits_at(rank));
    one.caused.collective_s = rank.at("caused_s").get<double>();  // of what kind is not told
    one.root.collective_s = rank.at("root_s").get<double>();
  }
  const auto count_at = [&](const char* key) { return json.at("unmatched").at(key).get<std::uint64_t>(); };
  all.unmatched = {count_at("sends"), count_at("receives"), count_at("collectives"), count_at("unfinished"),
                   count_at("circular")};
  return all;
}

}  // namespace skelgen::cli
