#include "normalize/exchange_groups.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "normalize/tables.h"

namespace skelgen::normalize {
namespace {

using mpi::Kind;
using mpi::Role;

constexpr std::uint32_t kNone = ~std::uint32_t{0};
constexpr int kRounds = 64;  // of taking calls out of groups; groups that have not settled then stay as traced

/// A message or one half of it: the location's call.
struct Side {
  std::uint32_t location;
  std::size_t call;
};

/// What a record means for an exchange, by record.
struct Message {
  bool sends = false, receives = false;  // a blocking call that may be moved
  std::int64_t peer = 0, tag = 0, comm = 0;
  std::int64_t slot = -1, first = 0, end = 0;  // memory: bytes first .. end - 1 of a buffer
};

std::int64_t value(const Record& record, int parameter) {
  return parameter < 0 ? -1 : record.values[static_cast<std::size_t>(parameter)];
}

Message message_of(const Normalized& run, const Record& record) {
  const Symbol& symbol = run.symbols[record.symbol];
  const mpi::Function& function = *symbol.function;
  Message message;
  const bool send = function.kind == Kind::send && !function.nonblocking &&
                    (function.mode == mpi::Mode::standard || function.mode == mpi::Mode::synchronous);
  const bool receive = function.kind == Kind::recv && !function.nonblocking;
  if ((!send && !receive) || symbol.key.size() != keys(function)) return message;
  message.peer = value(record, function.find(Role::peer));
  message.tag = value(record, function.find(Role::tag));
  message.comm = value(record, function.find(Role::comm));
  if (receive && (message.peer == mpi::kAnySource || message.tag == mpi::kAnyTag)) return message;
  message.sends = send;
  message.receives = receive;
  const std::int64_t buffer = value(record, function.find(Role::buffer));
  if (buffer <= mpi::kInPlace) return message;
  message.slot = mpi::slot_of(buffer);
  const std::int64_t type = value(record, function.find(Role::datatype));
  const bool known = type >= 0 && static_cast<std::size_t>(type) < run.names.size();
  const int bytes = known ? mpi::datatype_size(run.names[static_cast<std::size_t>(type)]) : 0;
  if (bytes > 0) {
    message.first = mpi::offset_of(buffer);
    message.end = message.first + bytes * value(record, function.find(Role::count));
  } else {
    message.end = mpi::kLargestBuffer;  // a layout that is not known here: the whole buffer
  }
  return message;
}

bool independent(const Message& a, const Message& b) {
  if (a.sends && b.sends) return true;
  return a.slot < 0 || a.slot != b.slot || a.end <= b.first || b.end <= a.first;
}

bool alike(const Message& a, const Message& b) {
  return a.peer != mpi::kProcNull && a.sends == b.sends && a.peer == b.peer && a.tag == b.tag && a.comm == b.comm;
}

class Finder {
 public:
  explicit Finder(const Normalized& run) : run_(run) {
    for (const Record& record : run.records) messages_.push_back(message_of(run, record));
    for (std::uint32_t l = 0; l < run.locations.size(); ++l) add_groups(l);
    if (!groups_.empty()) match_messages();
  }

  std::vector<ExchangeGroup> find() {
    for (int round = 0; round < kRounds; ++round)
      if (settle()) break;
    std::vector<ExchangeGroup> found;
    for (std::size_t g = 0; g < groups_.size(); ++g)
      if (settled_[g]) found.push_back(groups_[g]);
    return found;
  }

 private:
  const Message& message(std::uint32_t l, std::size_t call) const { return messages_[run_.locations[l].calls[call]]; }

  /// The longest stretches, from the first call on.
  void add_groups(std::uint32_t l) {
    const std::size_t calls = run_.locations[l].calls.size();
    for (std::size_t begin = 0; begin < calls;) {
      std::size_t end = begin;
      for (; end < calls && end - begin < kLargestExchange; ++end) {
        const Message& next = message(l, end);
        if (!next.sends && !next.receives) break;
        bool fits = true;
        for (std::size_t k = begin; k < end && fits; ++k)
          fits = independent(message(l, k), next) && !alike(message(l, k), next);
        if (!fits) break;
      }
      if (end - begin > 1) groups_.push_back({l, begin, end});
      begin = std::max(end, begin + 1);
    }
  }

  /// The n-th message of a sender to a receiver with a tag is the n-th that the receiver gets of it: partners_.
  void match_messages() {
    struct Stream {
      std::vector<Side> sent, received;
    };
    std::unordered_map<std::uint64_t, std::vector<std::pair<std::vector<std::int64_t>, Stream>>> streams;
    const auto stream = [&](std::uint64_t receivers, std::int64_t from, std::int64_t to, std::int64_t tag) -> Stream& {
      const std::vector<std::int64_t> key{static_cast<std::int64_t>(receivers), from, to, tag};
      auto& bucket = streams[hash_of(key, 0)];
      const auto known = std::ranges::find(bucket, key, [](const auto& entry) { return entry.first; });
      return known != bucket.end() ? known->second : bucket.emplace_back(key, Stream{}).second;
    };
    partner_.resize(run_.locations.size());
    for (std::uint32_t l = 0; l < run_.locations.size(); ++l) {
      const auto& location = run_.locations[l];
      partner_[l].assign(location.calls.size(), Side{kNone, 0});
      std::map<std::int64_t, const Communicator*> live;
      std::size_t created = std::min<std::size_t>(2, location.communicators.size());
      for (std::size_t i = 0; i < created; ++i) live[location.communicators[i].slot] = &location.communicators[i];
      for (std::size_t k = 0; k < location.calls.size(); ++k) {
        const Record& record = run_.records[location.calls[k]];
        const mpi::Function& function = *run_.symbols[record.symbol].function;
        if (const int made = function.find(Role::newcomm); made >= 0 && created < location.communicators.size() &&
                                                           location.communicators[created].slot == value(record, made))
          live[location.communicators[created].slot] = &location.communicators[created], ++created;
        const bool both = function.kind == mpi::Kind::sendrecv;
        if (!both && function.kind != mpi::Kind::send && function.kind != mpi::Kind::recv) continue;
        const auto comm = live.find(value(record, function.find(Role::comm)));
        if (comm == live.end()) continue;
        const std::int64_t own = comm->second->rank;
        bool sends = both || function.kind == mpi::Kind::send;
        for (std::size_t i = 0, tags = 0; i < function.parameters.size(); ++i) {  // sends come first in Sendrecv
          if (function.parameters[i].role != Role::peer) continue;
          const std::int64_t peer = record.values[i], tag = nth_tag(function, record, tags++);
          if (peer >= 0 && sends) stream(comm->second->peers(), own, peer, tag).sent.push_back({l, k});
          if (peer >= 0 && !sends) stream(comm->second->identity, peer, own, tag).received.push_back({l, k});
          sends = false;
        }
      }
    }
    for (const auto& [hash, bucket] : streams)
      for (const auto& [key, each] : bucket)
        for (std::size_t n = 0; n < std::min(each.sent.size(), each.received.size()); ++n) {
          const Side from = each.sent[n], to = each.received[n];
          if (message(from.location, from.call).sends) partner_[from.location][from.call] = to;
          if (message(to.location, to.call).receives) partner_[to.location][to.call] = from;
        }
  }

  static std::int64_t nth_tag(const mpi::Function& function, const Record& record, std::size_t n) {
    for (std::size_t i = 0; i < function.parameters.size(); ++i)
      if (function.parameters[i].role == Role::tag && n-- == 0) return record.values[i];
    return 0;
  }

  /// Takes the calls out of the groups whose partners are not in the same component; true if there were none.
  bool settle() {
    number_groups();
    const std::vector<std::uint32_t> component = components();
    std::vector<std::size_t> size(groups_.size(), 0);
    for (const std::uint32_t c : component) ++size[c];
    std::vector<ExchangeGroup> next;
    std::vector<bool> unchanged;
    bool all = true;
    for (std::uint32_t g = 0; g < groups_.size(); ++g) {
      const ExchangeGroup& group = groups_[g];
      const auto l = static_cast<std::uint32_t>(group.location);
      const auto belongs = [&](std::size_t k) {
        if (message(l, k).peer == mpi::kProcNull) return true;
        const std::uint32_t other = partner_group(l, k);
        return size[component[g]] > 1 && other != kNone && other != g && component[other] == component[g];
      };
      for (std::size_t begin = group.begin; begin < group.end;) {
        std::size_t end = begin;
        bool sends = false, receives = false;
        for (; end < group.end && belongs(end); ++end) {
          sends = sends || (message(l, end).sends && message(l, end).peer >= 0);
          receives = receives || (message(l, end).receives && message(l, end).peer >= 0);
        }
        const bool whole = begin == group.begin && end == group.end && sends && receives;
        all = all && whole;
        if (sends && receives) next.push_back({group.location, begin, end}), unchanged.push_back(whole);
        begin = std::max(end, begin + 1);
      }
    }
    groups_ = std::move(next);
    settled_ = std::move(unchanged);
    return all;
  }

  void number_groups() {
    group_of_.resize(run_.locations.size());
    for (std::size_t l = 0; l < run_.locations.size(); ++l) group_of_[l].assign(run_.locations[l].calls.size(), kNone);
    for (std::uint32_t g = 0; g < groups_.size(); ++g)
      for (std::size_t k = groups_[g].begin; k < groups_[g].end; ++k) group_of_[groups_[g].location][k] = g;
  }

  std::uint32_t partner_group(std::uint32_t l, std::size_t call) const {
    const Side partner = partner_[l][call];
    return partner.location == kNone ? kNone : group_of_[partner.location][partner.call];
  }

  /// Strongly connected components (Tarjan 1972, without recursion), by group.
  std::vector<std::uint32_t> components() const {
    const std::size_t n = groups_.size();
    std::vector<std::uint32_t> component(n, kNone), index(n, kNone), low(n, 0), stack;
    struct Visit {
      std::uint32_t group;
      std::size_t call;
    };
    std::vector<Visit> visits;
    std::uint32_t next = 0, found = 0;
    for (std::uint32_t root = 0; root < n; ++root) {
      if (index[root] != kNone) continue;
      visits.push_back({root, groups_[root].begin});
      index[root] = low[root] = next++;
      stack.push_back(root);
      while (!visits.empty()) {
        const std::uint32_t g = visits.back().group;
        const auto l = static_cast<std::uint32_t>(groups_[g].location);
        if (visits.back().call < groups_[g].end) {
          const std::size_t call = visits.back().call++;
          const std::uint32_t to = message(l, call).sends ? partner_group(l, call) : kNone;
          if (to == kNone || component[to] != kNone) continue;
          if (index[to] != kNone) {
            low[g] = std::min(low[g], index[to]);
            continue;
          }
          index[to] = low[to] = next++;
          stack.push_back(to);
          visits.push_back({to, groups_[to].begin});
          continue;
        }
        visits.pop_back();
        if (!visits.empty()) low[visits.back().group] = std::min(low[visits.back().group], low[g]);
        if (low[g] != index[g]) continue;
        for (std::uint32_t member = kNone; member != g; stack.pop_back()) {
          member = stack.back();
          component[member] = found;
        }
        ++found;
      }
    }
    return component;
  }

  const Normalized& run_;
  std::vector<Message> messages_;  // by record
  std::vector<ExchangeGroup> groups_;
  std::vector<bool> settled_;                         // by group
  std::vector<std::vector<Side>> partner_;            // by location and call
  std::vector<std::vector<std::uint32_t>> group_of_;  // by location and call
};

}  // namespace

std::vector<ExchangeGroup> exchange_groups(const Normalized& normalized) { return Finder(normalized).find(); }

}  // namespace skelgen::normalize
