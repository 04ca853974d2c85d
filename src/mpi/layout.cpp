#include "mpi/layout.h"

#include <algorithm>
#include <vector>

#include "mpi/mpi.h"
#include "support/error.h"

namespace skelgen::mpi {
namespace {

using Wide = __int128;

std::int64_t narrow(Wide value) {
  constexpr Wide kMost = Wide{1} << 61;  // so that an extent is a number of 64 bits, and products are some of 128
  if (value > kMost || value < -kMost) throw Error(Code::corrupt, "a datatype larger than 2^62 bytes");
  return static_cast<std::int64_t>(value);
}

[[noreturn]] void unequal() { throw Error(Code::corrupt, "a datatype whose lists of blocks differ in length"); }

/// A layout that grows block by block.
class Blocks {
 public:
  /// `count` elements, `step` bytes apart, the first one at `at`.
  void add(Wide at, Wide count, Wide step, const Layout& old) {
    if (count <= 0) return;
    const Wide last = at + (count - 1) * step, low = std::min(at, last), high = std::max(at, last);
    size_ = narrow(size_ + count * old.size);
    lb_ = any_ ? std::min(lb_, low + old.lb) : low + old.lb;
    ub_ = any_ ? std::max(ub_, high + old.ub) : high + old.ub;
    any_ = true;
    alignment_ = std::max(alignment_, old.alignment);
    if (old.size == 0) return;
    true_lb_ = data_ ? std::min(true_lb_, low + old.true_lb) : low + old.true_lb;
    true_ub_ = data_ ? std::max(true_ub_, high + old.true_ub) : high + old.true_ub;
    data_ = true;
  }
  Layout layout() const {
    return {narrow(size_), narrow(lb_), narrow(ub_), narrow(true_lb_), narrow(true_ub_), alignment_};
  }

 private:
  Wide size_ = 0, lb_ = 0, ub_ = 0, true_lb_ = 0, true_ub_ = 0;
  std::int64_t alignment_ = 1;
  bool any_ = false, data_ = false;
};

/// Elements of a dimension that belong to a part of an array: how many, and the first and last one.
struct Range {
  std::int64_t count, first, last;
};

/// Part of an array whose dimensions are `sizes`, the fastest one first or last.
Layout part(std::span<const std::int64_t> sizes, const std::vector<Range>& ranges, std::int64_t order,
            const Layout& old) {
  Wide stride = old.extent(), count = 1, first = 0, last = 0;
  const std::size_t n = sizes.size();
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t d = order == kOrderFortran ? i : n - 1 - i;
    count *= ranges[d].count;
    first = narrow(first + narrow(stride) * Wide{ranges[d].first});
    last = narrow(last + narrow(stride) * Wide{ranges[d].last});
    stride = narrow(stride) * Wide{sizes[d]};
    narrow(count);
  }
  Layout result{.ub = narrow(stride), .alignment = old.alignment};
  if (count <= 0) return result;
  result.size = narrow(count * old.size);
  if (old.size == 0) return result;
  result.true_lb = narrow(std::min(first, last) + old.true_lb);
  result.true_ub = narrow(std::max(first, last) + old.true_ub);
  return result;
}

Range distributed(std::int64_t size, std::int64_t kind, std::int64_t argument, std::int64_t processes,
                  std::int64_t at) {
  if (size <= 0) return {0, 0, 0};
  if (kind == kDistributeNone) return {size, 0, size - 1};
  const bool block = kind == kDistributeBlock, given = argument != kDistributeDfltDarg && argument > 0;
  const std::int64_t length = given ? argument : block ? (size - 1) / processes + 1 : 1;
  const Wide first = static_cast<Wide>(at) * length;
  if (first >= size) return {0, 0, 0};
  if (block) {
    const std::int64_t count = std::min<std::int64_t>(length, size - narrow(first));
    return {count, narrow(first), narrow(first) + count - 1};
  }
  const Wide round = static_cast<Wide>(length) * processes;  // elements from one of its blocks to the next
  const Wide rounds = (size - 1 - first) / round, begin = first + rounds * round;
  const Wide rest = std::min<Wide>(length, size - begin);
  return {narrow(rounds * length + rest), narrow(first), narrow(begin + rest - 1)};
}

/// The values of a constructor call by name.
class Given {
 public:
  Given(const Function& function, std::span<const Value> values) : function_(function), values_(values) {}
  std::int64_t number(std::string_view name) const { return values_[at(name)].scalar; }
  std::span<const std::int64_t> list(std::string_view name) const { return values_[at(name)].array; }
  /// Of numbers that count bytes 1, of others the extent of what they count.
  std::int64_t unit(std::string_view name, const Layout& old) const {
    const Role role = function_.parameters[at(name)].role;
    return role == Role::aint || role == Role::aints ? 1 : old.extent();
  }

 private:
  std::size_t at(std::string_view name) const {
    const auto& all = function_.parameters;
    const auto found = std::ranges::find(all, name, &Parameter::name);
    if (found == all.end())
      throw Error(Code::internal, std::string(function_.name) + " has no parameter " + std::string(name));
    return static_cast<std::size_t>(found - all.begin());
  }
  const Function& function_;
  const std::span<const Value> values_;
};

}  // namespace

Layout predefined_layout(std::string_view name, std::int64_t size, std::int64_t extent) {
  const auto has = [&](std::string_view word) { return name.find(word) != std::string_view::npos; };
  std::int64_t alignment = std::max<std::int64_t>(1, extent);
  if (name == "MPI_FLOAT_INT" || name == "MPI_SHORT_INT") {
    alignment = 4;
  } else if (name == "MPI_DOUBLE_INT" || name == "MPI_LONG_INT") {
    alignment = 8;
  } else if (name == "MPI_LONG_DOUBLE_INT") {
    alignment = 16;
  } else if (has("COMPLEX") || name.starts_with("MPI_2")) {
    alignment = std::max<std::int64_t>(1, extent / 2);
  }
  return {size, 0, extent, 0, extent, std::min<std::int64_t>(16, alignment)};
}

Layout contiguous(std::int64_t count, const Layout& old) { return vector(1, count, 0, old); }

Layout vector(std::int64_t count, std::int64_t length, std::int64_t stride_bytes, const Layout& old) {
  Blocks block, all;
  block.add(0, length, old.extent(), old);
  if (length > 0) all.add(0, count, stride_bytes, block.layout());
  return all.layout();
}

Layout structure(std::span<const std::int64_t> lengths, std::span<const std::int64_t> displacements_bytes,
                 std::span<const Layout> olds) {
  if (lengths.size() != displacements_bytes.size() || lengths.size() != olds.size()) unequal();
  Blocks blocks;
  for (std::size_t i = 0; i < lengths.size(); ++i)
    blocks.add(displacements_bytes[i], lengths[i], olds[i].extent(), olds[i]);
  Layout layout = blocks.layout();
  const std::int64_t over = layout.extent() % layout.alignment;
  if (over > 0) layout.ub += layout.alignment - over;
  return layout;
}

Layout indexed(std::span<const std::int64_t> lengths, std::span<const std::int64_t> displacements, std::int64_t unit,
               const Layout& old) {
  if (lengths.size() != displacements.size() && lengths.size() != 1) unequal();
  Blocks blocks;
  for (std::size_t i = 0; i < displacements.size(); ++i)
    blocks.add(static_cast<Wide>(displacements[i]) * unit, lengths[lengths.size() == 1 ? 0 : i], old.extent(), old);
  return blocks.layout();
}

Layout resized(std::int64_t lb, std::int64_t extent, const Layout& old) {
  Layout layout = old;
  layout.lb = narrow(lb);
  layout.ub = narrow(static_cast<Wide>(lb) + extent);
  return layout;
}

Layout subarray(std::span<const std::int64_t> sizes, std::span<const std::int64_t> subsizes,
                std::span<const std::int64_t> starts, std::int64_t order, const Layout& old) {
  if (sizes.size() != subsizes.size() || sizes.size() != starts.size()) unequal();
  std::vector<Range> ranges;
  for (std::size_t d = 0; d < sizes.size(); ++d)
    ranges.push_back(
        {std::max<std::int64_t>(0, subsizes[d]), starts[d], narrow(static_cast<Wide>(starts[d]) + subsizes[d] - 1)});
  return part(sizes, ranges, order, old);
}

Layout darray(const Distribution& of, std::int64_t order, const Layout& old) {
  const std::size_t n = of.sizes.size();
  if (of.kinds.size() != n || of.arguments.size() != n || of.processes.size() != n) unequal();
  std::vector<Range> ranges(n);
  std::int64_t rest = of.rank;
  for (std::size_t d = n; d-- > 0;) {
    if (of.processes[d] < 1 || rest < 0) throw Error(Code::corrupt, "a distributed array over no processes");
    ranges[d] = distributed(of.sizes[d], of.kinds[d], of.arguments[d], of.processes[d], rest % of.processes[d]);
    rest /= of.processes[d];
  }
  if (rest != 0) throw Error(Code::corrupt, "a distributed array for a rank outside of its processes");
  return part(of.sizes, ranges, order, old);
}

Layout made_layout(const Function& function, std::span<const Value> values, std::span<const Layout> olds) {
  const Given given(function, values);
  const Way way = function.way;
  if (olds.empty() && way != Way::structure) return {};  // of a parametrized basic type: its definition follows
  switch (way) {
    case Way::contiguous:
      return contiguous(given.number("count"), olds[0]);
    case Way::vector:
      return vector(given.number("count"), given.number("blocklength"),
                    narrow(Wide{given.number("stride")} * given.unit("stride", olds[0])), olds[0]);
    case Way::structure:
      return structure(given.list("array_of_blocklengths"), given.list("array_of_displacements"), olds);
    case Way::indexed:
      return indexed(given.list("array_of_blocklengths"), given.list("array_of_displacements"),
                     given.unit("array_of_displacements", olds[0]), olds[0]);
    case Way::indexed_block: {
      const std::int64_t length = given.number("blocklength");
      return indexed({&length, 1}, given.list("array_of_displacements"), given.unit("array_of_displacements", olds[0]),
                     olds[0]);
    }
    case Way::subarray:
      return subarray(given.list("array_of_sizes"), given.list("array_of_subsizes"), given.list("array_of_starts"),
                      given.number("order"), olds[0]);
    case Way::darray:
      return darray({given.number("rank"), given.list("array_of_gsizes"), given.list("array_of_distribs"),
                     given.list("array_of_dargs"), given.list("array_of_psizes")},
                    given.number("order"), olds[0]);
    case Way::resized:
      return resized(given.number("lb"), given.number("extent"), olds[0]);
    default:
      return olds[0];  // a duplicate
  }
}

}  // namespace skelgen::mpi
