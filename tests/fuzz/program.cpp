#include "fuzz/program.h"

#include <algorithm>
#include <array>
#include <limits>

#include "fuzz/pipeline.h"
#include "trace/file.h"
#include "traces/writer.h"

namespace skelgen::fuzz {
namespace {

using mpi::Direction;
using mpi::Kind;
using mpi::Role;
using trace::Argument;

constexpr std::int64_t kWorld = 0x44000000, kSelf = 0x44000001, kInt = 0x4c000405, kDouble = 0x4c00080b,
                       kSum = 0x58000003, kShared = 0x6c000000;
constexpr std::size_t kMostCalls = 300;  // of a rank
constexpr int kDeepest = 4;

const char* const kUsual[] = {"MPI_Send",      "MPI_Recv",      "MPI_Isend",      "MPI_Irecv",
                              "MPI_Wait",      "MPI_Waitall",   "MPI_Barrier",    "MPI_Bcast",
                              "MPI_Allreduce", "MPI_Sendrecv",  "MPI_Iprobe",     "MPI_Test",
                              "MPI_Waitany",   "MPI_Alltoallv", "MPI_Comm_split", "MPI_Reduce"};

/// What the bytes say; 0 behind the end.
class Source {
 public:
  explicit Source(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  std::uint8_t next() { return at_ < bytes_.size() ? bytes_[at_++] : 0; }
  bool empty() const { return at_ >= bytes_.size(); }

 private:
  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
};

struct Statement {
  const mpi::Function* function = nullptr;  // nullptr: a loop or a branch
  std::uint8_t how = 0;                     // of a loop: how its trips come about; of a call: its times
  bool branch = false;
  std::vector<std::uint8_t> choices;  // by parameter
  std::vector<Statement> body;
};

const mpi::Function* function_of(std::uint8_t byte, std::uint8_t second) {
  if (byte < 0xa0) return mpi::find(kUsual[byte % std::size(kUsual)]);
  const auto all = mpi::functions();
  const mpi::Function& function = all[(byte * 256u + second) % all.size()];
  const bool ends = function.kind == Kind::init || function.kind == Kind::finalize || function.kind == Kind::abort;
  return ends ? mpi::find("MPI_Barrier") : &function;
}

/// A byte below 0x20 ends a block.
std::vector<Statement> block_of(Source& source, int depth) {
  std::vector<Statement> block;
  while (!source.empty() && block.size() < 64) {
    const std::uint8_t kind = source.next();
    if (kind < 0x20 && depth > 0) break;
    Statement& statement = block.emplace_back();
    statement.how = source.next();
    if (kind < 0x60 && depth < kDeepest) {
      statement.branch = kind >= 0x50;
      statement.body = block_of(source, depth + 1);
      continue;
    }
    statement.function = function_of(source.next(), statement.how);
    for (std::size_t i = 0; i < statement.function->parameters.size(); ++i) statement.choices.push_back(source.next());
  }
  return block;
}

struct Comm {
  std::int64_t handle;
  int size, rank, leader;
};

/// One rank runs the program.
class Process {
 public:
  Process(const std::filesystem::path& directory, const trace::Run& run, int rank, std::uint8_t how, Made& made)
      : rank_(rank), ranks_(run.ranks), made_(made), writer_(directory, run, rank, description(how)) {
    cpu_ = (how & 1) != 0;
    define({kWorld, ranks_, rank_, 0});
    define({kSelf, 1, 0, rank_});
    writer_.datatype({kInt, 4, 4, "MPI_INT"});
    writer_.datatype({kDouble, 8, 8, "MPI_DOUBLE"});
    writer_.op({kSum, true, "MPI_SUM"});
  }

  void run(const std::vector<Statement>& program) {
    const Statement init{mpi::find("MPI_Init"), 0, false, {}, {}}, end{mpi::find("MPI_Finalize"), 0, false, {}, {}};
    call(init, 0);
    std::uint64_t counter = 0;
    block(program, counter);
    call(end, 0);
    trace::RankEnding ending;
    ending.finalize_entry_ticks = now_ - 1;
    ending.finalize_exit_ticks = now_;
    writer_.finish(ending);
  }

 private:
  static trace::RankDescription description(std::uint8_t how) {
    trace::RankDescription description;
    if (how & 1) description.columns = {"cpu_ns"};
    if (how & 2) description.chunk_bytes = 256;
    if (how & 4) description.record_cost_ticks = 100;
    if (how & 8) description.ns_per_tick = 0.5;
    return description;
  }

  void define(const Comm& comm) {
    comms_.push_back(comm);
    writer_.comm({static_cast<std::uint64_t>(comm.handle), comm.size, comm.rank, comm.leader, false});
  }

  bool full() const { return made_.calls[static_cast<std::size_t>(rank_)].size() >= kMostCalls; }

  /// `k`: counts what is executed, the same on all ranks that take the same way.
  void block(const std::vector<Statement>& statements, std::uint64_t& k) {
    for (const Statement& statement : statements) {
      if (full()) return;
      ++k;
      if (statement.function)
        call(statement, k);
      else
        for (std::uint64_t t = 0, n = trips(statement, k); t < n && !full(); ++t) block(statement.body, k);
    }
  }

  std::uint64_t trips(const Statement& statement, std::uint64_t k) const {
    const unsigned c = statement.how & 31u, r = static_cast<unsigned>(rank_);
    if (statement.branch) {
      const std::array<bool, 6> taken{
          r == c % static_cast<unsigned>(ranks_), r % 2 == 0, r > 0, k % 3 == 0, k % (c + 1) == 0,
          r != c % static_cast<unsigned>(ranks_)};
      return taken[(statement.how >> 5) % taken.size()];
    }
    switch (statement.how >> 5) {
      case 0:
      case 1:
      case 2:
        return c;
      case 3:
        return c + r;
      case 4:
        return k % (c + 1);
      case 5:
        return c * 4;
      case 6:
        return (k * 7 + r) % (c + 2);
      default:
        return c > k ? c - k : 0;
    }
  }

  std::int64_t number(std::uint8_t choice, std::uint64_t k) const {
    constexpr std::array<std::int64_t, 8> kExtremes{-1,
                                                    -2,
                                                    -32766,
                                                    std::numeric_limits<std::int32_t>::max(),
                                                    std::numeric_limits<std::int64_t>::max(),
                                                    std::numeric_limits<std::int64_t>::min(),
                                                    std::int64_t{1} << 40,
                                                    -(std::int64_t{1} << 62)};
    const std::int64_t c = choice & 31, t = static_cast<std::int64_t>(k);
    switch (choice >> 5) {
      case 3:
        return c + rank_;
      case 4:
        return c + t;
      case 5:
        return c + t % 3;
      case 6:
        return (c + 1) * (t + rank_) % 8;
      case 7:
        return c < 16 ? c * 1000 : kExtremes[static_cast<std::size_t>(c) % kExtremes.size()];
      default:
        return c;
    }
  }

  std::int64_t peer(const Comm& comm, std::uint8_t choice, std::uint64_t k) const {
    const std::int64_t c = choice & 31, n = comm.size, r = comm.rank;
    switch (choice >> 5) {
      case 2:
        return (r + n - c % n) % n;
      case 3:
        return (r ^ c) < n ? r ^ c : mpi::kProcNull;
      case 4:
        return c % n;
      case 5:
        return r + 1 < n ? r + 1 : mpi::kProcNull;
      case 6:
        return c < 24 ? mpi::kAnySource : (r + static_cast<std::int64_t>(k)) % n;
      case 7:
        return c < 28 ? (r + 1) % n : number(choice, k);
      default:
        return (r + c) % n;
    }
  }

  template <class T>
  static const T* chosen(const std::vector<T>& all, std::uint8_t choice) {
    return all.empty() ? nullptr : &all[choice % all.size()];
  }

  std::int64_t type(std::uint8_t choice) const {
    if (choice >= 0xf8) return choice == 0xff ? 0x77777777 : 0;
    if (choice >= 0xc0 && !types_.empty()) return *chosen(types_, choice);
    return choice % 2 ? kDouble : kInt;
  }

  std::int64_t fresh() { return ++last_handle_; }

  /// What a call needs to know of itself before its parameters can be given.
  struct Facts {
    Comm comm;
    std::int64_t count = 0;
    std::vector<std::int64_t> requests;  // those that it is given
    std::vector<std::size_t> completed;  // which of them it completes
    std::int64_t newcomm = 0, newtype = 0, newop = 0, newgroup = 0;
  };

  std::uint8_t choice(const Statement& statement, Role role) const {
    const int at = statement.function->find(role);
    return at < 0 ? 0 : statement.choices[static_cast<std::size_t>(at)];
  }

  Facts facts_of(const Statement& statement, std::uint64_t k) {
    const mpi::Function& f = *statement.function;
    Facts facts{comms_.front(), 0, {}, {}};
    if (f.find(Role::comm) >= 0) facts.comm = *chosen(comms_, choice(statement, Role::comm));
    if (const int at = f.find(Role::count); at >= 0)
      facts.count = number(statement.choices[static_cast<std::size_t>(at)], k);
    const std::uint8_t which = choice(statement, f.find(Role::requests) >= 0 ? Role::requests : Role::request);
    if (f.find(Role::requests) >= 0) {
      const std::size_t most = which < 0x80 ? requests_.size() : std::min<std::size_t>(which & 31, requests_.size());
      facts.requests.assign(requests_.begin(), requests_.begin() + static_cast<std::ptrdiff_t>(most));
      if (which >= 0xf0) facts.requests.insert(facts.requests.begin(), which == 0xff ? 0x5555 : 0);
    } else if (f.find(Role::request) >= 0 && !f.nonblocking && f.kind != Kind::send_init && f.kind != Kind::recv_init) {
      if (const auto* live = chosen(requests_, which))
        facts.requests = {*live};
      else
        facts.requests = {which == 0xff ? 0x5555 : 0};
    }
    const int flag = f.find(Role::flag), index = f.find(Role::index), indices = f.find(Role::indices);
    if (flag >= 0 && statement.choices[static_cast<std::size_t>(flag)] % 3 == k % 3) return facts;
    if (index >= 0) {
      if (!facts.requests.empty())
        facts.completed = {statement.choices[static_cast<std::size_t>(index)] % facts.requests.size()};
    } else {
      const std::size_t all = facts.requests.size();
      const std::size_t most = indices < 0 ? all : statement.choices[static_cast<std::size_t>(indices)] % (all + 1);
      for (std::size_t i = 0; i < most; ++i) facts.completed.push_back(i);
    }
    return facts;
  }

  Argument argument(const Statement& statement, std::size_t i, Facts& facts, std::uint64_t k) {
    const mpi::Function& f = *statement.function;
    const mpi::Parameter& parameter = f.parameters[i];
    const std::uint8_t byte = statement.choices[i];
    const auto many = [&](std::size_t n, auto&& one) {
      std::vector<std::int64_t> all;
      for (std::size_t j = 0; j < n; ++j) all.push_back(one(static_cast<std::int64_t>(j)));
      return Argument(all);
    };
    const std::size_t as_many = byte == 0xfe ? 1
                                : f.kind == Kind::type_create || f.find(Role::comm) < 0
                                    ? static_cast<std::size_t>(std::clamp<std::int64_t>(facts.count, 0, 8))
                                    : static_cast<std::size_t>(facts.comm.size);
    const bool flagged = f.find(Role::flag) < 0 || !skipped(statement, k);
    switch (parameter.role) {
      case Role::buffer:
        if (byte >= 0xfc) return byte == 0xfc ? mpi::kInPlace : byte == 0xfd ? mpi::kNullBuffer : number(byte, k);
        return 0x10000 + std::int64_t{byte & 15} * 4096 + (byte >= 0x80 ? number(byte & 0x7f, k) * 8 : 0);
      case Role::counts:
      case Role::displs:
      case Role::integers:
      case Role::aints:
        return many(as_many, [&](std::int64_t j) { return number(byte, k) * (byte >= 0xe0 ? 1 : 1 + j % 2); });
      case Role::datatype:
        return type(byte);
      case Role::datatypes:
        return many(as_many, [&](std::int64_t) { return type(byte); });
      case Role::op:
        return byte >= 0xc0 && !ops_.empty() ? *chosen(ops_, byte) : byte == 0xff ? 0 : kSum;
      case Role::peer:
        return peer(facts.comm, byte, k);
      case Role::root:
        return byte >= 0xf0 ? number(byte, k) : std::int64_t{byte % facts.comm.size};
      case Role::tag:
        return byte >= 0xe0 ? mpi::kAnyTag : number(byte & 0x7f, k) % 8;
      case Role::comm:
        return byte == 0xff ? 0 : facts.comm.handle;
      case Role::newcomm:
        return facts.newcomm = byte >= 0xf0 ? 0 : fresh();
      case Role::newgroup:
        return facts.newgroup = byte >= 0xf0 ? 0 : fresh();
      case Role::newtype:
        return facts.newtype = byte >= 0xf0 ? 0 : fresh();
      case Role::newop:
        return facts.newop = fresh();
      case Role::group:
        return byte < 0xf0 && !groups_.empty() ? *chosen(groups_, byte) : 0;
      case Role::request:
        if (!facts.requests.empty()) return facts.requests[0];
        requests_.push_back(byte >= 0xc0 ? kShared : fresh());
        return byte == 0xff ? (requests_.pop_back(), 0) : requests_.back();
      case Role::requests:
        return facts.requests;
      case Role::status:
        if (byte % 4 == 3) return std::vector<std::int64_t>{};
        return std::vector{byte >= 0xf8 ? number(byte, k) : (facts.comm.rank + byte) % std::int64_t{facts.comm.size},
                           std::int64_t{byte % 8}};
      case Role::statuses:
        return many(byte % 4 == 3 ? 0 : 2 * facts.completed.size(), [&](std::int64_t j) {
          return j % 2 ? byte % 8 : (facts.comm.rank + byte + j) % std::int64_t{facts.comm.size};
        });
      case Role::flag:
        return std::int64_t{flagged};
      case Role::index:
        return facts.completed.empty() ? std::int64_t{mpi::kUndefined}
                                       : static_cast<std::int64_t>(facts.completed[0]) + (byte == 0xff ? 100 : 0);
      case Role::indices:
        return many(facts.completed.size(), [&](std::int64_t j) { return byte == 0xff ? 0 : j; });
      case Role::message:
        if (parameter.direction == Direction::out) {
          if (!flagged) return 0;
          messages_.push_back(fresh());
          return messages_.back();
        } else {
          const std::int64_t message = messages_.empty() ? byte % 2 : messages_.back();
          if (!messages_.empty()) messages_.pop_back();
          return message;
        }
      default:
        return number(byte, k);
    }
  }

  static bool skipped(const Statement& statement, std::uint64_t k) {
    const int flag = statement.function->find(Role::flag);
    return flag >= 0 && statement.choices[static_cast<std::size_t>(flag)] % 3 == k % 3;
  }

  template <class T>
  static void drop(std::vector<T>& from, const T& what) {
    if (const auto at = std::ranges::find(from, what); at != from.end()) from.erase(at);
  }

  void call(const Statement& statement, std::uint64_t k) {
    const mpi::Function& f = *statement.function;
    Facts facts = facts_of(statement, k);
    std::vector<Argument> arguments;
    MadeCall made{&f, {}};
    for (std::size_t i = 0; i < f.parameters.size(); ++i) {
      arguments.push_back(f.kind == Kind::init ? Argument(0) : argument(statement, i, facts, k));
      if (is_plain(f.parameters[i].role)) made.plain.push_back(arguments.back().scalar);
    }
    made_.polls = made_.polls || f.kind == Kind::test || f.find(Role::flag) >= 0;
    const std::uint64_t gap = 100 + (statement.how & 15) * 1000 + k % 7, duration = 50 + k % 3;
    std::vector<std::uint64_t> columns;
    if (cpu_) columns = {gap / 2};
    writer_.call(f.name, arguments, gap, duration, columns);
    now_ += gap + duration;
    made_.calls[static_cast<std::size_t>(rank_)].push_back(std::move(made));
    after(statement, facts);
  }

  /// Handles come and go.
  void after(const Statement& statement, const Facts& facts) {
    const mpi::Function& f = *statement.function;
    if (f.kind == Kind::complete || f.kind == Kind::test || f.kind == Kind::request_free)
      for (const std::size_t i : facts.completed)
        if (statement.choices[0] % 16 != 15) drop(requests_, facts.requests[i]);
    if (facts.newcomm != 0) {
      const bool halves = choice(statement, Role::newcomm) % 4 == 3;
      const int n = facts.comm.size, r = facts.comm.rank, leader = facts.comm.leader;
      define(halves ? Comm{facts.newcomm, (n + 1 - r % 2) / 2, r / 2, leader + r % 2}
                    : Comm{facts.newcomm, n, r, leader});
    }
    if (facts.newgroup != 0) {
      groups_.push_back(facts.newgroup);
      trace::GroupDefinition group{static_cast<std::uint64_t>(facts.newgroup), {}};
      for (int r = 0; r < facts.comm.size; ++r) group.members.push_back(r);
      writer_.group(group);
    }
    if (facts.newtype != 0) {
      types_.push_back(facts.newtype);
      if (facts.count >= 0 && facts.count < 32)
        writer_.datatype({static_cast<std::uint64_t>(facts.newtype), 4 * facts.count, 8 * facts.count, ""});
    }
    if (facts.newop != 0) {
      ops_.push_back(facts.newop);
      writer_.op({static_cast<std::uint64_t>(facts.newop), choice(statement, Role::newop) % 2 == 0, ""});
    }
    if (f.kind == Kind::comm_free && facts.comm.handle != kWorld)
      std::erase_if(comms_, [&](const Comm& comm) { return comm.handle == facts.comm.handle; });
    if (f.kind == Kind::type_free && choice(statement, Role::datatype) < 0xf8)
      drop(types_, type(choice(statement, Role::datatype)));
    if (f.name == "MPI_Group_free" && !groups_.empty()) drop(groups_, *chosen(groups_, choice(statement, Role::group)));
  }

  int rank_, ranks_;
  Made& made_;
  trace::Writer writer_;
  bool cpu_ = false;
  std::uint64_t now_ = 1'000'000'000;
  std::int64_t last_handle_ = 0x1000;
  std::vector<Comm> comms_;
  std::vector<std::int64_t> requests_, types_, ops_, groups_, messages_;
};

}  // namespace

bool is_plain(Role role) {
  return role == Role::count || role == Role::tag || role == Role::color || role == Role::key ||
         role == Role::integer || role == Role::aint;
}

Made write_program(std::span<const std::uint8_t> bytes, const std::filesystem::path& directory) {
  static int last_ranks = 0;
  Source source(bytes);
  const std::uint8_t how = source.next();
  const auto run = run_of(1 + how / 16 % 4);
  const auto program = block_of(source, 0);
  Made made;
  made.calls.resize(static_cast<std::size_t>(run.ranks));
  for (int rank = 0; rank < run.ranks; ++rank) Process(directory, run, rank, how, made).run(program);
  if (last_ranks != run.ranks) trace::write_meta(directory, run);
  for (int rank = run.ranks; rank < last_ranks; ++rank)
    std::filesystem::remove(directory / trace::rank_file_name(rank));
  last_ranks = run.ranks;
  return made;
}

}  // namespace skelgen::fuzz
