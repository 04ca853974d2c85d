#pragma once
// The synchronisation graph of a run's threads, its layers and what they cost (Cheng, Wang, Zhang & Zhang 2004). docs/theory/threads.md.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "threads/layers.h"
#include "threads/loops.h"
#include "threads/match.h"
#include "threads/run.h"

namespace skelgen::threads {

/// Where the time of a stretch of a thread went. The parts add up to the time from its begin to its end.
struct Account {
  double work = 0;             ///< between calls, in units of the run's clock
  double compute_s = 0;        ///< the same in seconds
  double off_processor_s = 0;  ///< between calls, not computing: sleep, input and output, preemption
  double waiting_s = 0;        ///< in calls, until another thread let them go on
  double hand_over_s = 0;      ///< from then until the call returned
  double call_s = 0;           ///< in calls that waited for nobody
  double seconds() const { return compute_s + off_processor_s + waiting_s + hand_over_s + call_s; }
  Account& operator+=(const Account& other);
  Account& operator-=(const Account& other);
};

struct Vertex {
  enum class Kind : std::uint8_t { loop_start, loop_end, producer, consumer, both };
  Kind kind;
  std::uint32_t loop;    ///< index into Loops::all: of which this is a border, or the innermost around the call
  std::uint32_t object;  ///< of a call: index into Run::objects
  Action action{};       ///< of a call
  std::uint32_t site = 0;
  std::uint64_t count = 0;  ///< how often it was passed
  Account calls;            ///< all of them
};

struct ThreadEdge {
  std::uint32_t from, to;  ///< vertices
  std::uint64_t count = 0;
  double work = 0, seconds = 0;  ///< all of them; a mean is this divided by count
};

/// From who lets go on to who waited.
struct SignalEdge {
  std::uint32_t producer, consumer;  ///< vertices
  std::uint64_t count = 0, waited = 0;
  double waiting_s = 0, hand_over_s = 0;  ///< of those that waited
  double confidence = 0;                  ///< sum over all
};

/// A synchronisation loop: of which a call of its own, not of a loop that is nested in it, produces or consumes a signal.
struct SynchronisationLoop {
  std::string name;      ///< "l1", "l2", ... by thread, then from outside to inside
  std::uint32_t loop;    ///< index into Loops::all
  std::uint32_t parent;  ///< the innermost synchronisation loop around it; kNoLoop: none
  std::set<std::uint32_t> nested, partners_it_produces_for, partners_it_consumes_from;  ///< N, P, C: of these loops
  std::set<std::uint32_t> threads;                                                      ///< T: those that have its code
  std::set<std::uint32_t> produces, consumes;                                           ///< objects
  Account cost;  ///< all activations, with what is nested
};

/// A communication layer, and what stands for it in the levels around it.
struct LayerCost {
  std::size_t level;                 ///< from 1 on
  std::vector<std::uint32_t> loops;  ///< synchronisation loops
  double seconds;                    ///< of the loop that costs most
};

struct Analysis {
  double units_per_second = 0;  ///< of the run's clock; measured by the run where it does not say
  Matching matching;            ///< of sections those that wait for a condition or signal one
  Loops loops;
  std::vector<Vertex> vertices;
  std::vector<std::vector<std::uint32_t>> vertex_of;  ///< by thread and event; kNoLoop: none
  std::vector<ThreadEdge> edges;
  std::vector<SignalEdge> signals;
  std::vector<SynchronisationLoop> synchronisation_loops;
  std::vector<LayerCost> layers;  ///< by level
  std::vector<Account> threads;
  double seconds() const;                  ///< of the system: of the thread that costs most
  double without_synchronisation() const;  ///< the same of computation alone, in units of the clock
};

/// O(n log n) for n events, beside folding and the layers, and the pairs of each set of loops that meet in a barrier.
Analysis analyse(const Run& run);

/// An object that threads waited for.
struct Awaited {
  std::uint32_t object = 0;               ///< index into Run::objects
  double waiting_s = 0, hand_over_s = 0;  ///< of all threads
  /// Indices into Run::sites: of the calls that waited, and of where the function that made them was called (kNoSite: not known);
  /// seconds of both.
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> sites;
  double seconds() const { return waiting_s + hand_over_s; }
};

/// All of them, the longest waits first. A wait for a condition has the site of its own call; the mutex that it takes again
/// is an object, too. O(n log n) for n events.
std::vector<Awaited> awaited(const Run& run, const Analysis& analysis);

/// Objects whose signals are in the graph: not those of data, of one thread alone, and once.
std::vector<bool> carries_signals(const Run& run);

/// The graph in Graphviz's language: all of it, or with each layer as one vertex.
std::string dot(const Run& run, const Analysis& analysis, bool reduced);
/// The same as an SVG element of an HTML page; templates/report/report.css has its classes. Empty if it has more vertices
/// than this.
constexpr std::size_t kMostDrawn = 400;
std::string svg(const Run& run, const Analysis& analysis, bool reduced);

}  // namespace skelgen::threads
