#include "trace/trace.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>

#include "skel_kernel_names.h"
#include "support/parallel.h"
#include "support/printable.h"
#include "support/replace.h"
#include "trace/fields.h"
#include "trace/impl.h"
#include "trace/partial.h"

namespace skelgen::trace {

namespace {

/// Place of the column, or how many there are.
std::size_t column(const RankInfo& rank, const char* name) {
  return static_cast<std::size_t>(std::ranges::find(rank.columns, name) - rank.columns.begin());
}
bool have_column(std::span<const RankInfo> ranks, const char* name) {
  return !ranks.empty() &&
         std::ranges::all_of(ranks, [&](const RankInfo& rank) { return column(rank, name) < rank.columns.size(); });
}

/// Ranks that have a file here, in order. Listing costs what is there, whatever number of ranks meta.json claims.
std::vector<Rank> rank_files(const std::filesystem::path& directory) {
  std::vector<Rank> ranks;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(directory, error)) {
    if (const auto rank = rank_of_file(entry.path().filename().string())) ranks.push_back(*rank);
  }
  if (error) throw Error(Code::io, directory.string(), {}, error.message(), "check its permissions");
  std::ranges::sort(ranks);
  return ranks;
}

nlohmann::json meta_of(const std::filesystem::path& directory) {
  const auto path = directory / "meta.json";
  std::error_code error;
  if (!std::filesystem::is_directory(directory, error))
    throw Error(
        Code::io, directory.string(), {},
        std::filesystem::exists(directory, error) ? "is a file, not a trace directory" : "no such file or directory",
        directory.filename() == "meta.json" || directory.filename() == "skeleton.json" ||
                directory.extension() == ".skt"
            ? "give the directory that it is in"
            : "give the directory that skelgen trace wrote");
  if (!std::filesystem::exists(path, error)) {
    if (const auto ranks = rank_files(directory); !ranks.empty() && ranks.front() != 0)
      throw Error(
          Code::corrupt, directory.string(), {}, "rank 0 was not recorded, so there is no meta.json",
          "its message says why, as that its disk was full; without one the capture library was not in its LD_PRELOAD");
    refuse_partial(directory);
    for (const auto& entry : std::filesystem::directory_iterator(directory, error))
      if (entry.path().filename().string().starts_with("threads-"))
        throw Error(Code::io, directory.string(), {}, "has what threads did, and no MPI program",
                    "read it with skelgen threads");
    throw Error(Code::io, directory.string(), {},
                std::filesystem::exists(directory / "skeleton.json", error) ? "this is a skeleton, not a trace"
                : std::filesystem::exists(directory / "skeleton.c", error)
                    ? "this is a skeleton whose skeleton.json is missing"
                    : "not a skelgen trace: it has no meta.json",
                std::filesystem::exists(directory / "skeleton.json", error)
                    ? "give the directory that skelgen trace wrote; where a command takes both, the trace comes first"
                    : "give the directory that skelgen trace wrote, or trace again");
  }
  const Mapping file(path);
  const auto text = file.bytes();
  const auto meta = parse_object({reinterpret_cast<const char*>(text.data()), text.size()});
  if (!meta.is_object() || !meta.contains("ranks") || !meta["ranks"].is_number_unsigned() ||
      word(meta, "run_id").empty())
    throw Error(Code::corrupt, path.string(), {}, "this is not what skelgen writes there (ranks, run_id)",
                "trace the program again");
  if (whole(meta, "format") != SKT_VERSION)
    throw Error(Code::corrupt, path.string(), {},
                "trace format version " + meta.value("format", nlohmann::json()).dump() +
                    ", this skelgen reads version " + std::to_string(SKT_VERSION),
                "trace again with this version of skelgen, or use the other one");
  if (meta["ranks"].get<std::uint64_t>() == 0 || meta["ranks"].get<std::uint64_t>() > 1u << 24)
    throw Error(Code::corrupt, path.string(), {}, meta["ranks"].dump() + " ranks", "trace the program again");
  return meta;
}

/// Rank 0 wrote both: meta.json, which has no checksum, must not say something else.
void check_meta(const std::filesystem::path& directory, const nlohmann::json& meta, const nlohmann::json& head) {
  for (const char* key : {"application", "mpi"})
    if (part(meta, key) != part(head, key))
      throw Error(Code::corrupt, (directory / "meta.json").string(), {},
                  std::string("\"") + key + "\" is not what rank 0 recorded", "trace the program again");
}

std::string list(const std::vector<Rank>& ranks) {
  std::string text;
  for (std::size_t i = 0; i < ranks.size() && i < 8; ++i) text += (i ? ", " : "") + std::to_string(ranks[i]);
  if (ranks.size() > 8) text += ", ... (" + std::to_string(ranks.size()) + " in all)";
  return text;
}

/// When the run began, on the clock of each file. Clocks of one host are the same; those of another host are set so
/// that the last rank to leave MPI_Init does it at the same time on all hosts.
std::vector<double> zeros(const std::vector<RankFile>& files, const std::vector<Clock>& clocks) {
  struct Host {
    double first_entry, last_exit;
  };
  std::map<std::string, Host> hosts;
  const auto name = [](const RankFile& file) {
    if (word(part(file.head, "clock"), "kind") == "simulated") return std::string();
    return word(file.head, "host") + " " + word(file.head, "boot_id");
  };
  for (std::size_t i = 0; i < files.size(); ++i) {
    const double entry = clocks[i].at(whole(files[i].head, "init_entry_ticks"));
    const double exit = clocks[i].at(whole(files[i].head, "init_exit_ticks"));
    auto& host = hosts.try_emplace(name(files[i]), Host{entry, std::max(entry, exit)}).first->second;
    host = {std::min(host.first_entry, entry), std::max(host.last_exit, exit)};
  }
  double longest = 0;
  for (const auto& [_, host] : hosts) longest = std::max(longest, host.last_exit - host.first_entry);
  std::vector<double> result;
  for (const RankFile& file : files) result.push_back(hosts.at(name(file)).last_exit - longest);
  return result;
}

/// The mean of the logarithms before and after the run. Its error is at least half of their difference, which is as much as
/// the machine's speed changed meanwhile.
void describe_kernels(const RankFile& file, RankInfo& info) {
  const auto of = [](const nlohmann::json& chunk, const char* kernel) {
    const auto& kernels = part(part(chunk, "speeds"), "kernels");
    const auto found = kernels.find(kernel);
    std::pair<double, double> speed{0, 0};  // passes per second, noise
    if (found == kernels.end() || !found->is_array() || found->size() != 2) return speed;
    if ((*found)[0].is_number()) speed.first = std::max(0.0, (*found)[0].get<double>());
    if ((*found)[1].is_number()) speed.second = std::max(0.0, (*found)[1].get<double>());
    return speed;
  };
  for (const char* kernel : skel_kernel_name) {  // a library of another version measured some of them
    const auto [begin, noise] = of(file.head, kernel);
    const auto [read, end_noise] = file.tail ? of(*file.tail, kernel) : std::pair(0.0, 0.0);
    const double end = read > 0 ? read : begin;
    info.kernel_speeds.push_back(std::sqrt(begin * end));
    info.kernel_noise.push_back(
        begin > 0 ? std::max(std::hypot(noise, end_noise) / 2, std::abs(std::log(end / begin)) / 2) : 0);
  }
  if (std::ranges::none_of(info.kernel_speeds, [](double speed) { return speed > 0; })) {
    info.kernel_speeds.clear();
    info.kernel_noise.clear();
  }
}

RankInfo describe(const RankFile& file, const Clock& clock) {
  RankInfo info;
  info.rank = static_cast<Rank>(file.header.rank);
  info.threads = static_cast<int>(file.threads.size());
  info.host = word(file.head, "host");
  info.mpi_name = word(part(file.head, "mpi"), "name");
  info.mpi_version = word(part(file.head, "mpi"), "version");
  for (const auto& column : part(file.head, "columns"))
    if (column.is_string()) info.columns.push_back(printable(column.get<std::string>()));
  info.clock = word(part(file.head, "clock"), "kind");
  info.seconds_per_tick = clock.seconds_per_tick;
  info.record_cost_s = clock.seconds_per_tick * amount(file.head, "record_cost_ticks");
  info.knows_cancelled = file.head.value("knows_cancelled", nlohmann::json()) == true;
  info.cpu_cost_s = 1e-9 * amount(file.head, "cpu_cost_ns");
  for (const char* kernel : {"register", "memory", "flops"})
    info.speeds[kernel] = amount(part(file.head, "speeds"), kernel);
  info.processor = printable(word(file.head, "processor"));
  describe_kernels(file, info);
  info.bytes = file.mapping.bytes().size();
  if (file.tail) {
    const auto& tail = *file.tail;
    info.ending = {true,
                   whole(tail, "calls"),
                   whole(tail, "dropped"),
                   whole(tail, "suspended_calls"),
                   whole(tail, "working_set_bytes"),
                   1e-9 * static_cast<double>(whole(tail, "core_wait_ns"))};
    for (const auto& module : part(tail, "modules"))
      info.modules.push_back({whole(module, "from"), whole(module, "to"), whole(module, "base"), word(module, "path"),
                              word(module, "build_id")});
  }
  return info;
}

}  // namespace

std::shared_ptr<Trace::Impl> read_meta(const std::filesystem::path& directory) {
  auto impl = std::make_shared<Trace::Impl>();
  impl->meta = meta_of(directory);
  impl->directory = directory;
  impl->application = word(impl->meta, "application");
  impl->command = word(impl->meta, "command");
  impl->ranks = impl->meta["ranks"].get<int>();
  return impl;
}

void require_ranks(const Trace::Impl& impl, const std::vector<Rank>& there) {
  std::vector<Rank> missing;
  for (Rank rank = 0; rank < impl.ranks; ++rank)
    if (!std::ranges::binary_search(there, rank)) missing.push_back(rank);
  if (missing.empty()) return;
  throw Error(Code::corrupt, impl.directory.string(), {},
              (missing.size() == 1 ? "the file of rank " : "the files of ranks ") + list(missing) +
                  (missing.size() == 1 ? " is missing (" : " are missing (") + std::to_string(impl.ranks) + " ranks)",
              "copy the whole directory, or trace the program again");
}

Trace assemble(std::shared_ptr<Trace::Impl> impl, std::vector<RankFile> files, bool allow_incomplete) {
  for (RankFile& file : files) {
    char run_id[32];
    std::snprintf(run_id, sizeof run_id, "%016llx", static_cast<unsigned long long>(file.header.run_id));
    if (word(impl->meta, "run_id") != run_id)
      throw Error(Code::corrupt, file.path.string(), {}, "this file is of another run than meta.json",
                  "do not mix traces: use one directory per run");
    const Rank rank = *rank_of_file(file.path.filename().string());
    if (rank >= impl->ranks)
      throw Error(Code::corrupt, file.path.string(), {},
                  "the run of meta.json has only " + std::to_string(impl->ranks) + " ranks",
                  "do not mix traces: use one directory per run");
    if (file.header.rank != static_cast<std::uint32_t>(rank) ||
        file.header.ranks != static_cast<std::uint32_t>(impl->ranks))
      throw Error(
          Code::corrupt, file.path.string(), {},
          "this file is of rank " + std::to_string(file.header.rank) + " of " + std::to_string(file.header.ranks),
          "restore the files' names, or trace again");
    if (!file.tail && !allow_incomplete)
      throw Error(Code::corrupt, file.path.string(), {},
                  "rank " + std::to_string(rank) + " ended before MPI_Finalize: its records are incomplete",
                  "trace a run that ends by itself");
    impl->clocks.push_back(read_clock(file));
    impl->info.push_back(describe(file, impl->clocks.back()));
    for (int thread = 0; thread < impl->info.back().threads; ++thread) impl->locations.push_back({rank, thread});
    impl->files.push_back(std::move(file));
  }
  if (const auto& first = impl->files.front(); first.header.rank == 0)
    check_meta(impl->directory, impl->meta, first.head);

  impl->zero_s = zeros(impl->files, impl->clocks);
  bool finalized = impl->files.size() == static_cast<std::size_t>(impl->ranks);
  double last = 0;
  for (std::size_t i = 0; i < impl->files.size(); ++i) {
    const auto& tail = impl->files[i].tail;
    const std::uint64_t end = tail ? whole(*tail, "finalize_exit_ticks") : 0;
    finalized = finalized && end != 0;
    if (end) last = std::max(last, impl->clocks[i].at(end) - impl->zero_s[i]);
  }
  if (finalized) impl->wall = Seconds{last};
  impl->has_cpu_time = have_column(impl->info, "cpu_ns");
  impl->has_sites = have_column(impl->info, "site");
  return Trace(impl);
}

Trace open(const std::filesystem::path& directory, const OpenOptions& options) {
  auto impl = read_meta(directory);
  const std::vector<Rank> there = rank_files(directory);
  std::error_code ignored;
  if (there.empty() && std::filesystem::exists(directory / "online.json", ignored))
    throw Error(Code::corrupt, directory.string(), {}, "this run was measured while it went on, and has no records",
                "skelgen metrics shows the measures; trace it without --online for anything else");
  if (there.empty())
    throw Error(Code::corrupt, directory.string(), {}, "the trace is empty: no rank file", "trace the program again");
  if (!options.allow_missing) require_ranks(*impl, there);
  std::vector<std::optional<RankFile>> opened(there.size());
  parallel_for(there.size(),
               [&](std::size_t i) { opened[i].emplace(open_rank_file(directory / rank_file_name(there[i]))); });
  std::vector<RankFile> files;
  for (auto& file : opened) files.push_back(std::move(*file));
  impl->thread_waits = options.thread_waits;
  return assemble(std::move(impl), std::move(files), options.allow_incomplete);
}

Trace::Trace(std::shared_ptr<const Impl> impl) : impl_(std::move(impl)) {}
const std::filesystem::path& Trace::directory() const { return impl_->directory; }
int Trace::ranks() const { return impl_->ranks; }
const std::string& Trace::application() const { return impl_->application; }
std::string Trace::shown_application() const {
  if (!application().starts_with("python")) return application();
  std::istringstream words(command());
  for (std::string word; words >> word;)
    if (word.size() > 3 && word.ends_with(".py")) return word.substr(word.rfind('/') + 1);
  return application();
}
const std::string& Trace::command() const { return impl_->command; }
std::string Trace::run_id() const { return word(impl_->meta, "run_id"); }
std::span<const RankInfo> Trace::rank_info() const { return impl_->info; }
std::span<const Location> Trace::locations() const { return impl_->locations; }
bool Trace::has_cpu_time() const { return impl_->has_cpu_time; }
bool Trace::has_sites() const { return impl_->has_sites; }
std::vector<std::string> Trace::counters() const {
  std::vector<std::string> names;
  if (!impl_->info.empty()) names = impl_->info.front().columns;
  std::erase_if(names, [&](const std::string& name) {
    return name == "cpu_ns" || name == "site" || !have_column(impl_->info, name.c_str());
  });
  return names;
}
std::vector<std::size_t> columns_of(const RankInfo& rank, std::span<const std::string> counters) {
  std::vector<std::size_t> columns;
  for (const std::string& name : counters) columns.push_back(column(rank, name.c_str()));
  return columns;
}
std::optional<Seconds> Trace::wall() const { return impl_->wall; }
std::vector<double> Trace::runs_s() const {
  std::vector<double> runs;
  for (const auto& run : part(impl_->meta, "runs_s"))
    if (run.is_number() && run > 0) runs.push_back(run.get<double>());
  return runs;
}

std::optional<int> Trace::cores() const {
  const auto cores = part(impl_->meta, "cores");
  return cores.is_number_integer() && cores.get<int>() > 0 ? std::optional(cores.get<int>()) : std::nullopt;
}

int Trace::status() const {
  const auto status = part(impl_->meta, "status");
  return status.is_number_integer() ? status.get<int>() : 0;
}

namespace {

template <class Value>
void note_in_meta(const std::filesystem::path& directory, const char* key, const Value& value) {
  auto meta = meta_of(directory);
  meta[key] = value;
  write_file(directory / "meta.json", meta.dump() + "\n");
}

}  // namespace

void note_runs(const std::filesystem::path& directory, std::span<const double> runs_s) {
  note_in_meta(directory, "runs_s", runs_s);
}

bool note_cores(const Trace& trace, const std::string& host, int cores) {
  const bool here = std::ranges::all_of(trace.rank_info(), [&](const RankInfo& rank) { return rank.host == host; });
  if (here) note_in_meta(trace.directory(), "cores", cores);
  return here;
}

void note_status(const std::filesystem::path& directory, int status) { note_in_meta(directory, "status", status); }

StreamContext Trace::Impl::context(Location where) const {
  const auto found = std::ranges::lower_bound(info, where.rank, {}, &RankInfo::rank);
  if (found == info.end() || found->rank != where.rank || where.thread < 0 || where.thread >= found->threads)
    throw Error(Code::invalid_argument, directory.string(), {},
                "the trace has no thread " + std::to_string(where.thread) + " of rank " + std::to_string(where.rank),
                "skelgen info lists the ranks");
  const auto i = static_cast<std::size_t>(found - info.begin());
  const std::size_t cpu = has_cpu_time ? column(*found, "cpu_ns") : found->columns.size();
  const auto waits = thread_waits.find({word(files[i].head, "host"), whole(files[i].head, "pid")});
  return {&files[i],
          where.thread,
          clocks[i],
          zero_s[i],
          found->record_cost_s,
          found->cpu_cost_s,
          found->columns.size(),
          cpu,
          column(*found, "site"),
          &unknown,
          where.thread == 0 && waits != thread_waits.end() ? std::span(waits->second) : std::span<const ThreadWait>()};
}

void Trace::visit(Location where, Visitor& visitor) const {
  Stream stream(impl_->context(where), 16 << 20);
  while (const Event* event = stream.next(visitor)) visitor.event(*event);
}

Cursor Trace::read(Location where) const { return Cursor(Stream(impl_->context(where), 64 << 10)); }

Cursor::Cursor(Stream stream) : stream_(std::make_unique<Stream>(std::move(stream))) {}
Cursor::~Cursor() = default;
Cursor::Cursor(Cursor&&) noexcept = default;
const Event* Cursor::next(Visitor& definitions) { return stream_->next(definitions); }

}  // namespace skelgen::trace
