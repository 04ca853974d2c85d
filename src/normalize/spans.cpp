// What memory the buffers of a call span.

#include <fmt/format.h>

#include <algorithm>

#include "normalize/location.h"

namespace skelgen::normalize {

using mpi::Parameter;
using mpi::Role;

namespace {

/// Bytes from the address that was given on, which is always part of them.
struct Range {
  __int128 low = 0, high = 0;
  /// Adds `count` elements, the first of them at `begin`.
  void add(const mpi::Layout& layout, __int128 begin, __int128 count) {
    if (count <= 0 || layout.true_ub <= layout.true_lb) return;
    const __int128 last = begin + (std::min(count, kFar) - 1) * layout.extent();
    low = std::min(low, std::max(-kFar * kFar, std::min(begin, last) + layout.true_lb));
    high = std::max(high, std::min(kFar * kFar, std::max(begin, last) + layout.true_ub));
  }

 private:
  static constexpr __int128 kFar = __int128{1} << 62;  // no buffer is so large; no product below overflows
};

}  // namespace

LocationReader::Span LocationReader::span(const Plan& plan, const trace::Event& event, std::size_t i) const {
  const Parameter& parameter = function_->parameters[i];
  if (parameter.datatype < 0) {  // bytes
    // Where the call itself does not say how many (the end of what began before), it is the place that matters.
    const std::int64_t bytes = parameter.count < 0 ? 1 : event.values[parameter.count].scalar;
    if (bytes < 0) fail_refused(fmt::format("names a buffer of {} bytes", bytes));
    if (bytes > mpi::kLargestBuffer) fail_corrupt("names a buffer of more than 2^40 bytes");
    return {i, 0, static_cast<std::uint64_t>(bytes)};
  }
  const mpi::Value& datatype = event.values[parameter.datatype];
  const mpi::Value one{1, {}}, &count = parameter.count < 0 ? one : event.values[parameter.count];
  const bool each_its_own = function_->parameters[parameter.datatype].role == Role::datatypes;
  if (is_absent(plan, event, i) || (!each_its_own && datatype.scalar == 0)) return {i, 0, 0};
  Range range;
  bool made = false;
  if (each_its_own) {  // Alltoallw, with displacements in bytes
    const auto displs = event.values[parameter.displs].array;
    for (std::size_t k = 0; k < std::min({count.array.size(), displs.size(), datatype.array.size()}); ++k) {
      if (count.array[k] <= 0 || datatype.array[k] == 0) continue;
      const Datatypes::Type& of = type(datatype.array[k]);
      made = made || of.slot >= 0;
      range.add(of.layout, displs[k], count.array[k]);
    }
  } else {
    const Datatypes::Type& of = type(datatype.scalar);
    made = of.slot >= 0;
    if (parameter.displs >= 0) {
      const auto displs = event.values[parameter.displs].array;
      for (std::size_t k = 0; k < std::min(count.array.size(), displs.size()); ++k)
        range.add(of.layout, static_cast<__int128>(displs[k]) * of.layout.extent(), count.array[k]);
    } else {
      range.add(of.layout, 0,
                elements_of(plan, count, parameter, parameter.times < 0 ? 1 : event.values[parameter.times].scalar));
    }
  }
  if (parameter.displs >= 0 && range.low < range.high) range.high = std::max<__int128>(range.high, 1);
  if (range.high <= range.low) return {i, 0, 0};
  if (event.values[i].scalar == mpi::kNullBuffer && made)
    fail(Code::unsupported, "is given MPI_BOTTOM: data at absolute addresses cannot be replayed",
         "make the datatype relative to an address");
  if (range.high - range.low > mpi::kLargestBuffer) fail_corrupt("names a buffer of more than 2^40 bytes");
  return {i, static_cast<std::int64_t>(range.low), static_cast<std::uint64_t>(range.high - range.low)};
}

/// Number of elements in a buffer without displacements.
__int128 LocationReader::elements_of(const Plan& plan, const mpi::Value& count, const Parameter& buffer,
                                     std::int64_t parts) const {
  const Communicator* comm = plan.comm ? &plan.comm->is : nullptr;
  const bool in = buffer.per_neighbour == mpi::Neighbours::sources;
  if (buffer.per_neighbour != mpi::Neighbours::none && (comm ? in ? comm->sources : comm->destinations : -1) < 0)
    fail_corrupt("is called in a communicator without a topology");
  mpi::Amount amount{count.scalar, {}, parts};
  if (buffer.count >= 0 && mpi::is_array(function_->parameters[buffer.count].role)) amount.counts = count.array;
  return mpi::elements(buffer, amount, comm, buffer.own_share && comm);
}

/// The span of a buffer of this call. With MPI_IN_PLACE a result buffer is the input as well.
const LocationReader::Span& LocationReader::span_of(const Plan& plan, const trace::Event& event, std::size_t i) const {
  const auto own = std::ranges::find(plan.spans, i, &Span::parameter);
  if (function_->parameters[i].own_share)
    for (const Span& other : plan.spans)
      if (event.values[other.parameter].scalar == mpi::kInPlace) return other;
  return *own;
}

/// The rank does not have this buffer.
bool LocationReader::is_absent(const Plan& plan, const trace::Event& event, std::size_t i) const {
  const int root = function_->find(Role::root);
  if (!function_->parameters[i].root_only || !plan.comm || root < 0) return false;
  return event.values[static_cast<std::size_t>(root)].scalar !=
         (plan.comm->is.inter() ? mpi::kRoot : plan.comm->is.rank);
}

}  // namespace skelgen::normalize
