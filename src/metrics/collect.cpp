#include "metrics/collect.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "metrics/rank_steps.h"
#include "support/parallel.h"

namespace skelgen::metrics {
namespace {

/// A rank's place in the trace.
struct RankPlace {
  Rank rank;
  int threads;
  std::size_t first;  // location of its thread 0
};

class Matcher {
 public:
  Matcher(std::vector<RankSteps>& ranks, const std::vector<RankPlace>& places, Steps& out)
      : ranks_(ranks), places_(places), out_(out) {}

  void run() {
    number_comms();
    match_messages();
    match_collectives();
  }

 private:
  struct Comm {
    std::uint32_t size = 0;
    std::vector<std::pair<std::int32_t, std::size_t>> members;  // rank in it -> index of the rank
    std::vector<int> index;                                     // parallel: what that rank calls it
  };

  /// The same communicator has the same number on all ranks: parent, how many were made from it before, leader.
  void number_comms() {
    std::map<std::tuple<int, int, int, int>, int> numbers;
    numbers_.resize(ranks_.size());
    for (std::size_t r = 0; r < ranks_.size(); ++r) {
      for (std::size_t i = 0; i < ranks_[r].comms.size(); ++i) {
        const CommIdentity& comm = ranks_[r].comms[i];
        const int parent = comm.parent >= 0 ? numbers_[r][static_cast<std::size_t>(comm.parent)] : comm.parent;
        const int owner = comm.parent == CommIdentity::kSelf ? static_cast<int>(r) : comm.leader;
        const int size = comm.parent == CommIdentity::kForeign ? comm.size : 0;
        const int number =
            numbers.try_emplace({parent, comm.ordinal, owner, size}, static_cast<int>(comms_.size())).first->second;
        if (number == static_cast<int>(comms_.size())) comms_.emplace_back();
        numbers_[r].push_back(number);
        Comm& global = comms_[static_cast<std::size_t>(number)];
        global.size = static_cast<std::uint32_t>(comm.size);
        global.members.emplace_back(comm.rank, r);
        global.index.push_back(static_cast<int>(i));
      }
    }
  }

  Step& step(std::size_t rank, const Begun& begun) {
    return out_.steps[places_[rank].first + begun.thread][begun.step];
  }

  void match_messages() {
    using Key = std::tuple<int, int, int, int>;  // communicator, source, destination, tag
    std::map<Key, std::pair<std::size_t, const std::vector<Begun>*>> receives;
    std::uint64_t received = 0, matched = 0;
    for (std::size_t r = 0; r < ranks_.size(); ++r)
      for (const auto& [channel, list] : ranks_[r].receives) {
        const auto& [comm, source, tag] = channel;
        const auto index = static_cast<std::size_t>(comm);
        receives[{numbers_[r][index], source, ranks_[r].comms[index].rank, tag}] = {r, &list};
        received += list.size();
      }
    for (std::size_t r = 0; r < ranks_.size(); ++r)
      for (const auto& [channel, list] : ranks_[r].sends) {
        const auto& [comm, destination, tag] = channel;
        const auto index = static_cast<std::size_t>(comm);
        const auto other = receives.find({numbers_[r][index], ranks_[r].comms[index].rank, destination, tag});
        const std::size_t both = other == receives.end() ? 0 : std::min(list.size(), other->second.second->size());
        for (std::size_t i = 0; i < both; ++i) {
          const Begun& receive = (*other->second.second)[i];
          if (receive.step == kNone) continue;
          step(r, list[i]).link = out_.messages;
          step(other->second.first, receive).link = out_.messages++;
        }
        matched += both;
        out_.unmatched.sends += list.size() - both;
      }
    out_.unmatched.receives += received - matched;
  }

  /// Index of the neighbours of a communicator's member that send to it.
  std::uint32_t sources(const Comm& comm, std::size_t member) {
    const auto [number, fresh] =
        source_numbers_.try_emplace({comm.members[member].second, comm.index[member]}, out_.sources.size());
    if (fresh)
      out_.sources.push_back(ranks_[comm.members[member].second].sources[static_cast<std::size_t>(comm.index[member])]);
    return static_cast<std::uint32_t>(number->second);
  }

  void match_collectives() {
    for (const Comm& comm : comms_) {
      std::size_t longest = 0;
      const auto calls = [&](std::size_t member) -> std::vector<CollectiveCall>& {
        return ranks_[comm.members[member].second].collectives[static_cast<std::size_t>(comm.index[member])];
      };
      for (std::size_t m = 0; m < comm.members.size(); ++m) longest = std::max(longest, calls(m).size());
      const std::size_t first = out_.collectives.size();
      out_.collectives.resize(first + longest, {0, comm.size});
      for (std::size_t m = 0; m < comm.members.size(); ++m) {
        const auto [rank_in_comm, r] = comm.members[m];
        for (std::size_t k = 0; k < calls(m).size(); ++k) {
          const CollectiveCall& call = calls(m)[k];
          const auto number = static_cast<std::uint32_t>(out_.participations.size());
          out_.participations.push_back({static_cast<std::uint32_t>(first + k), rank_in_comm, call.root, call.shape,
                                         call.shape == Shape::neighbours ? sources(comm, m) : kNone});
          ++out_.collectives[first + k].expected;
          step(r, call.begun).link = number;
          if (call.leave != kNone) step(r, {0, call.begun.thread, call.leave}).link = number;
        }
      }
      for (std::size_t k = first; k < out_.collectives.size(); ++k)
        out_.unmatched.collectives += out_.collectives[k].expected < comm.size;
    }
  }

  std::vector<RankSteps>& ranks_;
  const std::vector<RankPlace>& places_;
  Steps& out_;
  std::vector<Comm> comms_;
  std::vector<std::vector<int>> numbers_;                              // by rank and its own index
  std::map<std::pair<std::size_t, int>, std::size_t> source_numbers_;  // by the same
};

}  // namespace

Steps collect(const trace::Trace& trace, double unit_s) {
  Steps out;
  std::vector<RankPlace> places;
  for (const Location& where : trace.locations()) {
    if (where.thread == 0) places.push_back({where.rank, 0, out.locations.size()});
    ++places.back().threads;
    out.locations.push_back(where);
  }
  std::vector<RankSteps> ranks(places.size());
  parallel_for(places.size(),
               [&](std::size_t r) { ranks[r] = read_rank(trace, places[r].rank, places[r].threads, unit_s); });

  std::map<std::string, std::uint16_t> functions;
  for (RankSteps& rank : ranks) {
    std::vector<std::uint16_t> numbers;
    for (const std::string& name : rank.functions) {
      const auto [found, fresh] = functions.try_emplace(name, static_cast<std::uint16_t>(out.functions.size()));
      if (fresh) out.functions.push_back(name);
      numbers.push_back(found->second);
    }
    for (std::size_t thread = 0; thread < rank.threads.size(); ++thread) {
      for (Step& step : rank.threads[thread]) step.function = numbers[step.function];
      out.steps.push_back(std::move(rank.threads[thread]));
      out.starts.push_back(rank.starts[thread]);
    }
    out.unmatched.sends += rank.unmatched.sends;
    out.unmatched.receives += rank.unmatched.receives;
    out.unmatched.collectives += rank.unmatched.collectives;
    out.unmatched.unfinished += rank.unmatched.unfinished;
  }
  Matcher(ranks, places, out).run();
  return out;
}

}  // namespace skelgen::metrics
