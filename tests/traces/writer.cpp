#include "traces/writer.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "skt_format.h"
#include "trace/decode.h"
#include "trace/file.h"

namespace skelgen::trace {
namespace {

using mpi::Role;
using Bytes = std::vector<std::uint8_t>;

void put(Bytes& to, std::uint64_t value) {
  for (; value >= 128; value >>= 7) to.push_back(static_cast<std::uint8_t>(value | 128));
  to.push_back(static_cast<std::uint8_t>(value));
}
std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
void put_signed(Bytes& to, std::int64_t value) { put(to, zigzag(value)); }
void put_text(Bytes& to, std::string_view text) {
  put(to, text.size());
  to.insert(to.end(), text.begin(), text.end());
}

/// Where capture puts a parameter too: what differs from call to call stands in the event.
skt_place place(const mpi::Parameter& parameter) {
  const bool differs = parameter.direction == mpi::Direction::out || properties(parameter.role).differs;
  return differs ? SKT_IN_EVENT : SKT_IN_SIGNATURE;
}

std::string hexadecimal(std::uint64_t value) {
  char text[32];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

std::uint64_t padded(std::uint64_t bytes) { return (bytes + 7) / 8 * 8; }

struct Chunk {
  skt_chunk_header header{};
  std::uint64_t offset = 0;
  Bytes payload;
};

struct ThreadStream {
  Chunk chunk;
  std::map<std::string, std::uint64_t, std::less<>> functions;
  std::map<std::string, std::uint64_t> signatures;
  std::uint64_t address = 0;
};

}  // namespace

struct Writer::Impl {
  std::filesystem::path path, partial;
  RankDescription description;
  std::ofstream file;
  std::uint64_t end = 0;  // of the room given to chunks so far
  std::uint64_t calls = 0;
  std::map<int, ThreadStream> threads;

  ThreadStream& stream(int thread) {
    const auto [found, fresh] = threads.try_emplace(thread);
    if (fresh) open_chunk(found->second.chunk, thread, 0, description.chunk_bytes);
    return found->second;
  }

  void open_chunk(Chunk& chunk, int thread, std::uint32_t sequence, std::uint64_t capacity) {
    chunk.header = {SKT_CHUNK_EVNT, SKT_OPEN, static_cast<std::uint32_t>(thread), sequence, padded(capacity), 0, 0};
    chunk.offset = end;
    chunk.payload.clear();
    end += sizeof chunk.header + chunk.header.capacity;
  }

  void append(int thread, const Bytes& record) {
    Chunk& chunk = stream(thread).chunk;
    if (chunk.payload.size() + record.size() > chunk.header.capacity) {
      write_chunk(chunk, SKT_SEALED);
      open_chunk(chunk, thread, chunk.header.sequence + 1,
                 std::max<std::uint64_t>(description.chunk_bytes, record.size()));
    }
    chunk.payload.insert(chunk.payload.end(), record.begin(), record.end());
  }

  void write_chunk(Chunk& chunk, skt_chunk_state state) {
    chunk.header.state = state;
    chunk.header.used = chunk.payload.size();
    chunk.payload.resize(chunk.header.capacity);
    if (state == SKT_SEALED) chunk.header.checksum = chunk_checksum(chunk.header, chunk.payload);
    file.seekp(static_cast<std::streamoff>(chunk.offset));
    file.write(reinterpret_cast<const char*>(&chunk.header), sizeof chunk.header);
    file.write(reinterpret_cast<const char*>(chunk.payload.data()), static_cast<std::streamsize>(chunk.payload.size()));
  }

  void write_json(std::uint32_t type, const nlohmann::json& json) {
    const std::string text = json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
    Chunk chunk{{type, SKT_SEALED, 0, 0, padded(text.size()), 0, 0}, end, Bytes(text.begin(), text.end())};
    end += sizeof chunk.header + chunk.header.capacity;
    write_chunk(chunk, SKT_SEALED);
  }

  void close() {
    file.close();
    std::error_code error;
    if (file) std::filesystem::rename(partial, path, error);
    if (!file || error)
      throw Error(Code::io, path.string(), {}, "cannot be written", "check the free space and the permissions");
  }

  std::uint64_t ns(std::uint64_t ticks) const {
    return static_cast<std::uint64_t>(std::llround(static_cast<double>(ticks) * description.ns_per_tick));
  }
};

void write_meta(const std::filesystem::path& directory, const Run& run) {
  std::error_code error;
  std::filesystem::create_directories(directory, error);
  const nlohmann::json meta = {{"format", SKT_VERSION},
                               {"run_id", hexadecimal(run.id)},
                               {"ranks", run.ranks},
                               {"mpi", {{"name", run.mpi_name}, {"version", run.mpi_version}}},
                               {"application", run.application},
                               {"command", run.command},
                               {"started", run.started}};
  std::ofstream file(directory / "meta.json");
  file << meta.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) << '\n';
  file.close();
  if (!file)
    throw Error(Code::io, (directory / "meta.json").string(), {}, "cannot be written", "check the permissions");
}

Writer::Writer(const std::filesystem::path& directory, const Run& run, Rank rank, RankDescription description)
    : impl_(std::make_unique<Impl>()) {
  if (rank < 0 || rank >= run.ranks || run.id == 0 || description.chunk_bytes == 0)
    throw Error(Code::invalid_argument, "a run of " + std::to_string(run.ranks) + " ranks has no rank " +
                                            std::to_string(rank) + ", or its id or chunk size is 0");
  impl_->path = directory / rank_file_name(rank);
  impl_->partial = impl_->path.string() + ".partial";
  impl_->description = std::move(description);
  const RankDescription& d = impl_->description;
  impl_->file.open(impl_->partial, std::ios::binary | std::ios::trunc);
  if (!impl_->file)
    throw Error(Code::io, impl_->partial.string(), {}, "cannot be written", "check the directory and its permissions");

  skt_file_header header{
      {}, SKT_VERSION, sizeof header, run.id, static_cast<std::uint32_t>(rank), static_cast<std::uint32_t>(run.ranks),
      0};
  std::memcpy(header.magic, SKT_MAGIC, sizeof header.magic);
  header.checksum = XXH3_64bits(&header, offsetof(skt_file_header, checksum));
  impl_->file.write(reinterpret_cast<const char*>(&header), sizeof header);
  impl_->end = sizeof header;
  const auto pair = [&](std::uint64_t ticks) { return nlohmann::json::array({ticks, impl_->ns(ticks)}); };
  const std::uint64_t later = std::max(d.init_exit_ticks, d.origin_ticks + 1'000'000);
  nlohmann::json head = {{"format", SKT_VERSION},
                         {"rank", rank},
                         {"ranks", run.ranks},
                         {"run_id", hexadecimal(run.id)},
                         {"host", d.host},
                         {"boot_id", d.boot_id},
                         {"pid", 1},
                         {"mpi", {{"name", run.mpi_name}, {"version", run.mpi_version}}},
                         {"clock",
                          {{"kind", d.ns_per_tick == 1 ? "monotonic" : "tsc"},
                           {"origin_ticks", d.origin_ticks},
                           {"pairs", nlohmann::json::array({pair(d.origin_ticks), pair(later)})}}},
                         {"columns", d.columns},
                         {"record_cost_ticks", d.record_cost_ticks},
                         {"cpu_cost_ns", d.cpu_cost_ns},
                         {"init_entry_ticks", d.init_entry_ticks},
                         {"init_exit_ticks", d.init_exit_ticks},
                         {"speeds", {{"register", d.speed_register}, {"memory", d.speed_memory}}},
                         {"application", run.application},
                         {"command", run.command}};
  head["knows_cancelled"] = true;
  if (d.online) head["online"] = true;
  if (d.threads) {
    head["threads"] = true;
    head["work"] = {
        {"clock", "thread CPU time (ns)"}, {"units_per_second", d.units_per_second}, {"at_layers", d.at_layers}};
  }
  impl_->write_json(SKT_CHUNK_HEAD, head);
  impl_->stream(0);
}

Writer::~Writer() {
  if (impl_->file.is_open()) {
    impl_->file.close();
    std::error_code error;
    std::filesystem::remove(impl_->partial, error);
  }
}

void Writer::comm(const CommDefinition& definition, int thread) {
  Bytes bytes;
  put(bytes, SKT_TAG_COMM);
  put(bytes, definition.handle);
  put(bytes, static_cast<std::uint64_t>(definition.size));
  put_signed(bytes, definition.rank);
  put(bytes, static_cast<std::uint64_t>(definition.leader));
  put(bytes, definition.inter);
  if (definition.inter) {
    put(bytes, static_cast<std::uint64_t>(definition.remote_size));
    put_signed(bytes, definition.remote_leader);
  }
  impl_->append(thread, bytes);
}

void Writer::neighbours(const NeighbourDefinition& definition, int thread) {
  Bytes bytes;
  put(bytes, SKT_TAG_NEIGHBOURS);
  put(bytes, definition.handle);
  for (const auto* list : {&definition.sources, &definition.destinations}) {
    put(bytes, list->size());
    for (const int rank : *list) put_signed(bytes, rank);
  }
  impl_->append(thread, bytes);
}

void Writer::file(const FileDefinition& definition, int thread) {
  Bytes bytes;
  put(bytes, SKT_TAG_FILE);
  put(bytes, definition.handle);
  put_signed(bytes, definition.bytes);
  impl_->append(thread, bytes);
}

void Writer::datatype(const DatatypeDefinition& definition, int thread) {
  Bytes bytes;
  put(bytes, SKT_TAG_DATATYPE);
  put(bytes, definition.handle);
  put_signed(bytes, definition.size);
  put_signed(bytes, definition.extent);
  put_text(bytes, definition.name);
  impl_->append(thread, bytes);
}

void Writer::op(const OpDefinition& definition, int thread) {
  Bytes bytes;
  put(bytes, SKT_TAG_OP);
  put(bytes, definition.handle);
  put(bytes, definition.commutes);
  put_text(bytes, definition.name);
  impl_->append(thread, bytes);
}

void Writer::group(const GroupDefinition& definition, int thread) {
  Bytes bytes;
  put(bytes, SKT_TAG_GROUP);
  put(bytes, definition.handle);
  put(bytes, definition.members.size());
  for (const Rank member : definition.members) put(bytes, static_cast<std::uint64_t>(member));
  impl_->append(thread, bytes);
}

void Writer::call(std::string_view name, const std::vector<Argument>& arguments, std::uint64_t gap_ticks,
                  std::uint64_t call_ticks, const std::vector<std::uint64_t>& columns, int thread) {
  const mpi::Function* function = mpi::find(name);
  auto parameters = function ? function->recorded : std::span<const mpi::Parameter>();
  if (function && function->kind == mpi::Kind::opaque && arguments.empty()) parameters = {};
  if (arguments.size() != parameters.size() || columns.size() != impl_->description.columns.size())
    throw Error(Code::invalid_argument, std::string(name) + " has " + std::to_string(parameters.size()) +
                                            " recorded parameters and the rank " +
                                            std::to_string(impl_->description.columns.size()) + " columns");
  ThreadStream& stream = impl_->stream(thread);
  const auto [number, new_function] = stream.functions.try_emplace(std::string(name), stream.functions.size());
  if (new_function) {
    Bytes definition;
    put(definition, SKT_TAG_FUNCTION);
    put(definition, number->second);
    put_text(definition, name);
    put(definition, parameters.size());
    for (const auto& parameter : parameters) {
      put(definition, static_cast<std::uint64_t>(parameter.role));
      put(definition, place(parameter));
    }
    impl_->append(thread, definition);
  }

  Bytes key, event;
  put(key, number->second);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Role role = parameters[i].role;
    Bytes& to = place(parameters[i]) == SKT_IN_SIGNATURE ? key : event;
    if (is_array(role)) {
      put(to, arguments[i].array.size());
      for (const std::int64_t element : arguments[i].array) put_signed(to, element);
    } else if (role == Role::buffer && arguments[i].scalar != mpi::kNullBuffer &&
               arguments[i].scalar != mpi::kInPlace) {
      const auto address = static_cast<std::uint64_t>(arguments[i].scalar);
      put(to, 2 + zigzag(static_cast<std::int64_t>(address - stream.address)));
      stream.address = address;
    } else if (role == Role::buffer) {
      put(to, static_cast<std::uint64_t>(arguments[i].scalar));
    } else {
      put_signed(to, arguments[i].scalar);
    }
  }
  const auto [signature, new_signature] =
      stream.signatures.try_emplace(std::string(key.begin(), key.end()), stream.signatures.size());
  if (new_signature) {
    Bytes definition;
    put(definition, SKT_TAG_SIGNATURE);
    put(definition, signature->second);
    definition.insert(definition.end(), key.begin(), key.end());
    impl_->append(thread, definition);
  }
  Bytes record;
  put(record, SKT_TAG_EVENT + signature->second);
  put(record, gap_ticks);
  put(record, call_ticks);
  for (const std::uint64_t column : columns) put(record, column);
  record.insert(record.end(), event.begin(), event.end());
  impl_->append(thread, record);
  ++impl_->calls;
}

void Writer::pause(std::uint64_t ticks, int thread) { record({SKT_TAG_PAUSE, ticks}, thread); }

void Writer::record(const std::vector<std::uint64_t>& numbers, int thread) {
  Bytes bytes;
  for (const std::uint64_t number : numbers) put(bytes, number);
  impl_->append(thread, bytes);
}

void Writer::finish(const RankEnding& ending) {
  const RankDescription& d = impl_->description;
  for (auto& [thread, stream] : impl_->threads) {
    Chunk& chunk = stream.chunk;
    if (chunk.offset + sizeof chunk.header + chunk.header.capacity == impl_->end) {
      chunk.header.capacity = padded(chunk.payload.size());
      impl_->end = chunk.offset + sizeof chunk.header + chunk.header.capacity;
    }
    impl_->write_chunk(chunk, SKT_SEALED);
  }
  const std::uint64_t last = std::max({ending.finalize_exit_ticks, d.init_exit_ticks, d.origin_ticks + 1'000'000});
  impl_->write_json(SKT_CHUNK_TAIL, {{"calls", impl_->calls},
                                     {"dropped", ending.dropped},
                                     {"suspended_calls", ending.suspended},
                                     {"clock_pair", {last, impl_->ns(last)}},
                                     {"finalize_entry_ticks", ending.finalize_entry_ticks},
                                     {"finalize_exit_ticks", ending.finalize_exit_ticks},
                                     {"working_set_bytes", ending.working_set_bytes},
                                     {"core_wait_ns", ending.core_wait_ns},
                                     {"speeds", {{"register", d.speed_register}, {"memory", d.speed_memory}}},
                                     {"exit", ending.exit}});
  impl_->close();
}

void Writer::abandon() {
  for (auto& [thread, stream] : impl_->threads) impl_->write_chunk(stream.chunk, SKT_OPEN);
  impl_->close();
}

}  // namespace skelgen::trace
