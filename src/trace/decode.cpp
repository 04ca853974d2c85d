#include "trace/decode.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "trace/growing.h"
#include "trace/record_reader.h"

namespace skelgen::trace {
namespace {

using mpi::Role;

std::int64_t unzigzag(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}

/// A recorded parameter: role and place as the file says.
struct Field {
  Role role;
  skt_place place;
};

struct StreamFunction {
  const mpi::Function* function = nullptr;
  std::vector<Field> fields;
};

struct StreamSignature {
  struct InEvent {
    std::uint32_t field;
    Role role;
    bool is_array;
  };
  const StreamFunction* function = nullptr;
  std::vector<mpi::Value> values;                 // by field; what is in the event: of the latest one
  std::vector<std::vector<std::int64_t>> arrays;  // by field; empty for scalars
  std::vector<InEvent> in_event;
  std::span<const mpi::Value> shown;  // of `values`: Event::values
};

}  // namespace

class Stream::Decoder : RecordReader {
 public:
  Decoder(const StreamContext& context, std::ptrdiff_t release_bytes)
      : RecordReader(context.file->path),
        context_(context),
        release_bytes_(release_bytes),
        read_(context.file->mapping.bytes().data()),
        now_(context.clock.origin_ticks),
        columns_(context.columns) {
    event_.columns = columns_;
  }

  const Event* next(Visitor& definitions) {
    while (true) {
      while (at_ < end_)
        if (record(definitions)) return &event_;
      if (!(context_.file->growing ? context_.file->growing->next(piece_) : next_piece())) return nullptr;
      begin(piece_);
    }
  }

 private:
  bool next_piece() {
    const auto& pieces = context_.file->threads[static_cast<std::size_t>(context_.thread)];
    if (next_piece_ == pieces.size() || at_ - read_ > release_bytes_) release();
    if (next_piece_ == pieces.size()) return false;
    piece_ = pieces[next_piece_++];
    return true;
  }

  static constexpr std::int64_t kLargest = std::int64_t{1} << 60, kLargestPredefined = 1024;  // bytes of a datatype
  void release() {
    if (at_ <= read_) return;
    context_.file->mapping.release({read_, static_cast<std::size_t>(at_ - read_)});
    read_ = at_;
  }

  std::int64_t signed_number() { return unzigzag(number()); }

  /// A rank or a number of ranks.
  int small(std::uint64_t value) const {
    const auto number = static_cast<std::int64_t>(value);
    if (number < std::numeric_limits<int>::min() || number > std::numeric_limits<int>::max())
      fail("a rank of " + std::to_string(number));
    return static_cast<int>(number);
  }

  std::uint64_t id(std::size_t next, const char* what) {
    const std::uint64_t value = number();
    if (value != next) fail(std::string(what) + " " + std::to_string(value) + " is defined out of order");
    return value;
  }

  /// Reads one record; true if it is an event.
  bool record(Visitor& definitions) {
    const std::uint64_t tag = number();
    if (tag < SKT_TAG_EVENT) {
      define(tag, definitions);
      return false;
    }
    event(tag - SKT_TAG_EVENT);
    return true;
  }

  void define(std::uint64_t tag, Visitor& visitor) {
    switch (tag) {
      case SKT_TAG_FUNCTION:
        return define_function();
      case SKT_TAG_SIGNATURE:
        return define_signature();
      case SKT_TAG_COMM: {
        CommDefinition comm{};
        comm.handle = number();
        comm.size = small(number());
        comm.rank = small(signed_number());
        comm.leader = small(number());
        comm.inter = number() != 0;
        if (comm.inter) {
          comm.remote_size = small(number());
          comm.remote_leader = small(signed_number());
        }
        if (comm.remote_size < 0 || comm.size < 0 || comm.leader < 0 || comm.rank >= comm.size)
          fail("a communicator of size " + std::to_string(comm.size) + " with rank " + std::to_string(comm.rank));
        return visitor.comm(comm);
      }
      case SKT_TAG_NEIGHBOURS: {
        NeighbourDefinition topology{};
        topology.handle = number();
        for (auto* list : {&topology.sources, &topology.destinations}) {
          list->resize(length());
          for (int& rank : *list) rank = small(signed_number());
        }
        return visitor.neighbours(topology);
      }
      case SKT_TAG_FILE: {
        FileDefinition file{};
        file.handle = number();
        file.bytes = signed_number();
        if (file.bytes < -1 || file.bytes > kLargest) fail("a file of " + std::to_string(file.bytes) + " bytes");
        return visitor.file(file);
      }
      case SKT_TAG_DATATYPE: {
        DatatypeDefinition type{};
        type.handle = number();
        type.size = signed_number();
        type.extent = signed_number();
        type.name = text();
        if (type.size > kLargest || type.extent > kLargest || type.extent < -kLargest ||
            (!type.name.empty() && (type.size < 0 || type.size > kLargestPredefined)))
          fail("a datatype of " + std::to_string(type.size) + " bytes, " + std::to_string(type.extent) + " apart");
        return visitor.datatype(type);
      }
      case SKT_TAG_OP: {
        OpDefinition op{};
        op.handle = number();
        op.commutes = number() != 0;
        op.name = text();
        return visitor.op(op);
      }
      case SKT_TAG_GROUP: {
        GroupDefinition group{};
        group.handle = number();
        group.members.resize(length());
        for (Rank& member : group.members) member = small(number());
        return visitor.group(group);
      }
      case SKT_TAG_PAUSE:
        paused_ += number();
        return;
      case SKT_TAG_CLOCK:
        number();
        number();
        return;
      case SKT_TAG_FAILED:
        error_class_ = small(number());
        return;
      case SKT_TAG_DROPPED:
        number();
        return;
      default:
        fail("a record of unknown kind " + std::to_string(tag));
    }
  }

  void define_function() {
    const std::uint64_t number_in_file = number();
    if (number_in_file > 1u << 20) fail("function number " + std::to_string(number_in_file));
    if (number_in_file >= functions_.size()) functions_.resize(number_in_file + 1);
    auto& slot = functions_[number_in_file];
    if (slot) fail("a function is defined twice");
    const std::string name = text();
    auto made = std::make_unique<StreamFunction>();
    made->fields.resize(length());
    for (Field& field : made->fields) {
      const std::uint64_t role = number(), place = number();
      if (role == 0 || role > 255) fail("a parameter of " + name + " has no known role");
      if (place < SKT_IN_SIGNATURE || place > SKT_NOT_RECORDED)
        fail("a parameter of " + name + " stands in no known place");
      field = {static_cast<Role>(role), static_cast<skt_place>(place)};
    }
    // What the table lacks, or what was recorded by name only, is opaque.
    const mpi::Function* known = mpi::find(name);
    if (known && !made->fields.empty() &&
        !std::ranges::equal(known->recorded, made->fields, {}, &mpi::Parameter::role, &Field::role))
      throw Error(Code::corrupt, path_.string(), offset(),
                  name + " was recorded by another version of skelgen (its parameters differ)",
                  "trace the program again with this version");
    if (!known || (made->fields.empty() && !known->parameters.empty())) known = context_.unknown->get(name);
    made->function = known;
    slot = std::move(made);
  }

  void define_signature() {
    id(signatures_.size(), "signature");
    const std::uint64_t function = number();
    if (function >= functions_.size() || !functions_[function]) fail("a signature of an undefined function");
    StreamSignature signature{functions_[function].get(), {}, {}, {}, {}};
    for (const Field& field : signature.function->fields) {
      if (field.place == SKT_IN_EVENT)
        signature.in_event.push_back(
            {static_cast<std::uint32_t>(signature.values.size()), field.role, is_array(field.role)});
      signature.values.emplace_back();
      signature.arrays.emplace_back();
      if (field.place != SKT_IN_SIGNATURE) continue;
      if (is_array(field.role))
        read(signature.arrays.back());
      else
        signature.values.back().scalar = scalar(field.role);
    }
    for (std::size_t i = 0; i < signature.arrays.size(); ++i) signature.values[i].array = signature.arrays[i];
    signature.shown = signature.values;
    const std::size_t recorded = signature.function->function->recorded.size();
    if (recorded < signature.shown.size()) signature.shown = signature.shown.first(recorded);
    signatures_.push_back(std::move(signature));
  }

  void read(std::vector<std::int64_t>& array) {
    array.resize(length());
    for (std::int64_t& element : array) element = signed_number();
  }
  [[gnu::always_inline]] std::int64_t scalar(Role role) {
    if (role != Role::buffer) return signed_number();
    const std::uint64_t code = number();
    if (code < 2) return static_cast<std::int64_t>(code);
    address_ += static_cast<std::uint64_t>(unzigzag(code - 2));
    return static_cast<std::int64_t>(address_);
  }

  void event(std::uint64_t signature_id) {
    if (signature_id >= signatures_.size()) fail("a call with the undefined signature " + std::to_string(signature_id));
    StreamSignature& signature = signatures_[signature_id];
    const std::uint64_t gap = number(), duration = number();
    for (std::uint64_t& column : columns_) column = number();
    for (const auto& [i, role, is_array] : signature.in_event) {
      if (is_array) {
        read(signature.arrays[i]);
        signature.values[i].array = signature.arrays[i];
      } else {
        signature.values[i].scalar = scalar(role);
      }
    }
    const double per_tick = context_.clock.seconds_per_tick;
    now_ += paused_ + gap;
    const double gap_s = std::max(0.0, per_tick * static_cast<double>(gap) - context_.record_cost_s);
    // What is paused before another thread's first call it spent waiting, or it was not there; else it was the tracer's.
    const auto traced = began_ || context_.thread == 0 ? paused_ : 0;
    const double start = context_.clock.at(now_);
    const auto [waited_s, hand_over_s] = waited(start - gap_s, start);
    double cpu_s = gap_s;
    if (context_.cpu_column < columns_.size())
      cpu_s = std::clamp(1e-9 * static_cast<double>(columns_[context_.cpu_column]) - context_.cpu_cost_s -
                             per_tick * static_cast<double>(traced),
                         0.0, gap_s - waited_s) +
              waited_s;
    began_ = true;
    paused_ = 0;
    const double start_s = start - context_.zero_s;
    now_ += duration;
    event_.function = signature.function->function;  // one by one: as a whole the compiler builds it elsewhere first
    event_.values = signature.shown;
    event_.signature = signature_id;
    event_.gap.value = gap_s;
    event_.cpu.value = cpu_s;
    event_.thread_wait.value = waited_s;
    event_.hand_over.value = hand_over_s;
    event_.start.value = start_s;
    event_.end.value = start_s + per_tick * static_cast<double>(duration);
    if (context_.site_column < columns_.size()) event_.site = columns_[context_.site_column];
    event_.error_class = std::exchange(error_class_, 0);
  }

  struct Waited {
    double all_s = 0, hand_over_s = 0;
  };
  /// For other threads, from `begin` to `end` on the file's clock; asked in order.
  Waited waited(double begin, double end) {
    const auto& waits = context_.waits;
    while (next_wait_ < waits.size() && waits[next_wait_].end <= begin) ++next_wait_;
    Waited result;
    for (auto i = next_wait_; i < waits.size() && waits[i].begin < end; ++i) {
      const double until = std::min(waits[i].end, end);
      result.all_s += until - std::max(waits[i].begin, begin);
      result.hand_over_s += std::max(0.0, until - std::max(waits[i].let_go, begin));
    }
    return result;
  }

  const StreamContext context_;
  const std::ptrdiff_t release_bytes_;
  const std::uint8_t* read_;  // what is before was given back
  Event event_{};
  std::size_t next_piece_ = 0, next_wait_ = 0;
  std::uint64_t now_, address_ = 0;
  std::uint64_t paused_ = 0;  // ticks since the previous event that are neither gap nor call
  bool began_ = false;        // an event was seen
  int error_class_ = 0;       // of the next event's call
  std::vector<std::unique_ptr<StreamFunction>> functions_;
  std::vector<StreamSignature> signatures_;
  std::vector<std::uint64_t> columns_;
};

const mpi::Function* UnknownFunctions::get(const std::string& name) {
  const std::lock_guard guard(lock_);
  auto& entry = entries_[name];
  if (!entry) {
    entry = std::make_unique<Entry>();
    entry->name = name;
    entry->function = {.name = entry->name};
  }
  return &entry->function;
}

Stream::Stream(const StreamContext& context, std::ptrdiff_t release_bytes)
    : decoder_(std::make_unique<Decoder>(context, release_bytes)) {}
Stream::~Stream() = default;
Stream::Stream(Stream&&) noexcept = default;
const Event* Stream::next(Visitor& definitions) { return decoder_->next(definitions); }

}  // namespace skelgen::trace
