#include "normalize/pools.h"

#include <algorithm>
#include <map>
#include <set>

#include "normalize/answers.h"
#include "normalize/manager_messages.h"

namespace skelgen::normalize {

using mpi::Kind;
using mpi::Role;

namespace {

/// One worker's calls: `receives` of dispatches, `body` calls from one to the next, all alike.
struct Loop {
  std::vector<std::uint64_t> receives;
  std::size_t body = 0;
};

class PoolSearch {
 public:
  PoolSearch(const Normalized& normalized, std::size_t manager) : messages_(normalized, manager), manager_(manager) {}

  /// Nothing if the manager and whoever it hears from are no pool, or if that cannot be proved.
  std::optional<Pool> find() {
    if (!messages_.plain()) return {};
    Pool pool;
    pool.manager = manager_;
    for (const std::size_t worker : messages_.workers()) {
      const Loop loop = worker_loop(worker);
      if (loop.receives.empty() || (pool.body && pool.body != loop.body)) return {};
      if (!pool.workers.empty() && !same_body(pool.workers[0], {worker, loop.receives, {}}, loop.body)) return {};
      pool.body = loop.body;
      pool.workers.push_back({worker, loop.receives, {}});
    }
    if (pool.workers.size() < 2 || !number(pool) || !reacts(pool) || !safe(pool)) return {};
    return pool;
  }

  /// The manager's calls that are part of the pool, from the first to the last.
  std::uint64_t begin() const { return begin_; }
  std::uint64_t end() const { return end_; }
  bool is_answer(std::uint64_t call) const { return answers_.contains(call); }

 private:
  bool same_body(const Pool::Worker& a, const Pool::Worker& b, std::size_t length) const {
    for (std::size_t i = 0; i < length; ++i)
      if (messages_.shape(a.location, a.receives[0] + i) != messages_.shape(b.location, b.receives[0] + i))
        return false;
    return true;
  }

  /// The longest row of equal pieces that ends with the last receive of the kind that is most frequent.
  Loop worker_loop(std::size_t l) const {
    std::map<std::vector<std::int64_t>, std::vector<std::uint64_t>> kinds;
    const std::vector<std::uint64_t>* places = nullptr;
    for (const std::uint64_t i : messages_.receives(l)) kinds[messages_.shape(l, i)].push_back(i);
    for (const auto& [kind, where] : kinds)
      if (!places || where.size() > places->size()) places = &where;
    if (!places || places->size() < 2) return {};
    const auto& p = *places;
    const std::size_t last = p.size() - 1, body = p[last] - p[last - 1];
    std::size_t first = last - 1;
    const auto like_the_last = [&](std::uint64_t at) {
      for (std::size_t i = 0; i < body; ++i)
        if (messages_.shape(l, at + i) != messages_.shape(l, p[last - 1] + i)) return false;
      return true;
    };
    while (first > 0 && p[first] - p[first - 1] == body && like_the_last(p[first - 1])) --first;
    return {{p.begin() + static_cast<std::ptrdiff_t>(first), p.end()}, body};
  }

  /// Numbers the dispatches by the order of the manager's sends.
  bool number(Pool& pool) const {
    std::map<std::uint64_t, std::pair<std::size_t, std::size_t>> sent;  // manager's call -> worker, which receive
    for (std::size_t w = 0; w < pool.workers.size(); ++w)
      for (std::size_t j = 0; j < pool.workers[w].receives.size(); ++j) {
        const auto send = messages_.sent_by_manager(pool.workers[w].location, pool.workers[w].receives[j]);
        if (!send) return false;
        sent[*send] = {w, j};
      }
    for (const auto& [send, receiver] : sent) {
      pool.workers[receiver.first].numbers.push_back(static_cast<std::uint32_t>(pool.dispatches.size()));
      pool.dispatches.push_back(send);
    }
    return true;
  }

  /// A worker does nothing for a message but speak with the manager; which message it is does not matter before it
  /// came.
  bool reacts(const Pool& pool) {
    for (const Pool::Worker& worker : pool.workers) {
      for (std::size_t i = 1; i < pool.body; ++i)
        if (!messages_.speaks_with_manager(worker.location, worker.receives[0] + i) &&
            !messages_.is_local(worker.location, worker.receives[0] + i))
          return false;
      for (const std::uint64_t receive : worker.receives)
        if (messages_.record(worker.location, receive) != messages_.record(worker.location, worker.receives[0])) {
          // The status and nothing else may differ.
          if (!messages_.same_but_status(worker.location, receive, worker.receives[0])) return false;
        }
    }
    return true;
  }

  /// What the manager does after it heard from somebody, until it hears from the next.
  struct Exchange {
    std::size_t from = 0;
    std::vector<std::uint64_t> receives, sends;
    std::size_t dispatches = 0;
    bool stops = false;
  };

  bool safe(const Pool& pool) {
    std::map<std::size_t, const Pool::Worker*> workers;
    std::set<std::uint64_t> stops;
    for (const Pool::Worker& worker : pool.workers) {
      workers[worker.location] = &worker;
      stops.insert(pool.dispatches[worker.numbers.back()]);
    }
    const auto& takes = messages_.takes();
    begin_ = std::min(takes.front(), pool.dispatches.front());
    end_ = std::max(takes.back(), pool.dispatches.back());
    for (const Pool::Worker& worker : pool.workers) {  // and whatever is still said of a task
      const auto received = messages_.last_received(worker.location, worker.receives.back());
      if (received) end_ = std::max(end_, *received);
    }
    // Several are stopped at the end, not by an answer.
    const bool all_at_end =
        pool.dispatches.end() - std::upper_bound(pool.dispatches.begin(), pool.dispatches.end(), takes.back()) > 1;
    std::map<std::size_t, std::size_t> given, exchanges;
    std::size_t sends = 0, last_stops = 0;
    std::vector<Exchange> all;
    for (std::uint64_t i = begin_; i <= end_; ++i) {
      if (messages_.is_local(manager_, i)) continue;
      const auto received = messages_.received_from(i);  // from whom the call of MPI_ANY_SOURCE got its message
      const bool dispatch = std::binary_search(pool.dispatches.begin(), pool.dispatches.end(), i);
      if (received) {
        all.push_back({*received, {}, {}, 0, false});
        ++exchanges[*received];
        if (messages_.receives_at(i)) all.back().receives.push_back(i);
        continue;
      }
      const auto peer = messages_.peer(i);
      if (!peer || !workers.contains(*peer)) return false;
      if (messages_.receives_at(i)) {
        if (all.empty() || all.back().from != *peer || !all.back().sends.empty()) return false;
        all.back().receives.push_back(i);
        answers_.insert(i);
        continue;
      }
      ++sends;
      if (all.empty()) {
        given[*peer] += dispatch;
      } else if (all.back().from == *peer && !(i > takes.back() && all_at_end)) {
        all.back().sends.push_back(i);
        all.back().dispatches += dispatch;
        all.back().stops = all.back().stops || stops.contains(i);
      } else if (i > takes.back() && stops.contains(i)) {
        ++last_stops;
      } else {
        return false;
      }
    }
    return everybody_served(pool, all, given, exchanges, sends, last_stops) && messages_.fits(pool, heard_of(all)) &&
           messages_.undisturbed(end_);
  }

  static std::vector<std::vector<std::uint64_t>> heard_of(const std::vector<Exchange>& all) {
    std::vector<std::vector<std::uint64_t>> receives;
    for (const Exchange& exchange : all) receives.push_back(exchange.receives);
    return receives;
  }

  bool everybody_served(const Pool& pool, const std::vector<Exchange>& all, std::map<std::size_t, std::size_t>& given,
                        std::map<std::size_t, std::size_t>& exchanges, std::size_t sends, std::size_t last_stops) {
    std::size_t said = 0, asked = 0;  // messages of a worker for a task; to a worker with a task
    for (std::size_t i = 0; i < pool.body; ++i) {
      const Pool::Worker& worker = pool.workers[0];
      if (!messages_.speaks_with_manager(worker.location, worker.receives[0] + i)) continue;
      (messages_.sends_at(worker.location, worker.receives[0] + i) ? said : asked) += 1;
    }
    const bool first_given = given[pool.workers[0].location] == 1;
    std::size_t all_sends = 0, tasks = 0;
    for (const Pool::Worker& worker : pool.workers) {
      const std::size_t own = worker.receives.size() - 1;
      tasks += own;
      all_sends += own * asked + 1;
      if (given[worker.location] != (first_given ? 1 : 0)) return false;
      if (exchanges[worker.location] != own + (first_given ? 0 : 1)) return false;
    }
    std::size_t without = 0, stops = 0;
    for (const Exchange& exchange : all) {
      if (exchange.receives.size() != said || exchange.dispatches > 1) return false;
      if (exchange.sends.size() != (exchange.stops ? 1 : exchange.dispatches * asked)) return false;
      without += exchange.dispatches == 0;
      stops += exchange.stops;
      for (const std::uint64_t send : exchange.sends) answers_.insert(send);
    }
    if (said == 0 || tasks == 0 || sends != all_sends) return false;
    // All are stopped by an answer, or all at the end.
    return last_stops == 0 ? without == 0 : last_stops == pool.workers.size() && stops == 0;
  }

  ManagerMessages messages_;
  std::size_t manager_;
  std::uint64_t begin_ = 0, end_ = 0;
  std::set<std::uint64_t> answers_;  // calls whose peer is whom the manager heard from last
};

SymbolId marked(const Normalized& normalized, Tables& tables, SymbolId symbol, std::int64_t mark) {
  std::vector<std::int64_t> key = normalized.symbols[symbol].key;
  key.push_back(kPoolMark - mark);
  return tables.symbol(normalized.symbols[symbol].function, key);
}

/// Each place of a worker's body is a symbol of its own: then the body is what repeats, not a part of it. `first`: of
/// the marks that are not in use. Returns the first one behind those of this pool.
std::int64_t mark(Normalized& normalized, Tables& tables, const Pool& pool, const PoolSearch& search,
                  std::int64_t first) {
  const auto body = static_cast<std::int64_t>(pool.body);
  const auto change = [&](std::size_t l, std::uint64_t begin, std::uint64_t end, const auto& number_of) {
    CallList& calls = normalized.locations[l].calls;
    std::vector<CallList::Change> changes;
    for (std::uint64_t call = begin; call <= end; ++call) {
      const Record record = normalized.records[calls[call]];
      SymbolId symbol = record.symbol;
      if (l == pool.manager && search.is_answer(call)) symbol = answer(normalized, tables, symbol, 1);
      changes.push_back({call, tables.record(marked(normalized, tables, symbol, number_of(call)), record.values)});
    }
    calls.change(changes);
  };
  change(pool.manager, search.begin(), search.end(), [&](std::uint64_t) { return first; });
  for (const Pool::Worker& worker : pool.workers) {
    const std::uint64_t begin = worker.receives.front(), end = worker.receives.back();
    change(worker.location, begin, end, [&](std::uint64_t call) {
      return first + 1 + (call == end ? body : static_cast<std::int64_t>(call - begin) % body);
    });
  }
  return first + 2 + body;
}

}  // namespace

void find_pools(Normalized& normalized, Tables& tables) {
  std::set<std::size_t> taken;
  std::int64_t marks = 0;
  for (std::size_t l = 0; l < normalized.locations.size(); ++l) {
    if (normalized.locations[l].matches.empty() || taken.contains(l)) continue;
    PoolSearch search(normalized, l);
    auto pool = search.find();
    if (!pool) continue;
    const bool free = std::none_of(pool->workers.begin(), pool->workers.end(),
                                   [&](const Pool::Worker& worker) { return taken.contains(worker.location); });
    if (!free) continue;
    marks = mark(normalized, tables, *pool, search, marks);
    taken.insert(l);
    for (const Pool::Worker& worker : pool->workers) taken.insert(worker.location);
    normalized.pools.push_back(std::move(*pool));
  }
}

}  // namespace skelgen::normalize
