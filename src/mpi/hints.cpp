#include "mpi/hints.h"

#include <algorithm>

namespace skelgen::mpi {
namespace {

constexpr std::size_t kLongest = 64;

/// Reserved by the MPI standard (4.0), or known by MPICH, Open MPI or ROMIO.
constexpr std::string_view kKeys[] = {
    // windows
    "accumulate_granularity", "accumulate_max_bytes", "accumulate_noncontig_dtype", "accumulate_op_types",
    "accumulate_ops", "accumulate_ordering", "alloc_shared_noncontig", "alloc_shm", "coll_attach",
    "disable_shm_accumulate", "mpi_accumulate_granularity", "mpi_minimum_memory_alignment", "no_locks", "optimized_mr",
    "perf_preference", "same_disp_unit", "same_size", "which_accumulate_ops",
    // communicators
    "mpi_hw_resource_type", "ompi_comm_coll_preference", "shmem_topo",
    // files
    "access_style", "cb_block_size", "cb_buffer_size", "cb_nodes", "chunked", "chunked_item", "chunked_size",
    "collective_buffering", "direct_read", "direct_write", "file_perm", "ind_rd_buffer_size", "ind_wr_buffer_size",
    "nb_proc", "num_io_nodes", "striping_factor", "striping_unit"};

/// All keys that begin so.
constexpr std::string_view kFamilies[] = {"mpi_assert_", "romio_"};

bool is_key(std::string_view key) {
  const auto allowed = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  if (key.size() > kLongest || !std::ranges::all_of(key, allowed)) return false;
  return std::ranges::find(kKeys, key) != std::end(kKeys) ||
         std::ranges::any_of(kFamilies, [&](std::string_view family) { return key.starts_with(family); });
}

/// Numbers, words and lists of them; no paths, no names with a point.
bool is_value(std::string_view value) {
  return !value.empty() && value.size() <= kLongest && std::ranges::all_of(value, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == ',' ||
           c == '-' || c == '+';
  });
}

}  // namespace

bool is_portable_hint(std::string_view key, std::string_view value) { return is_key(key) && is_value(value); }

bool are_hints(std::string_view text) {
  for (bool more = true; more;) {
    const auto end = text.find(';');
    const auto hint = text.substr(0, end);
    const auto equals = hint.find('=');
    if (equals == std::string_view::npos || !is_portable_hint(hint.substr(0, equals), hint.substr(equals + 1)))
      return false;
    more = end != std::string_view::npos;
    if (more) text.remove_prefix(end + 1);
  }
  return true;
}

}  // namespace skelgen::mpi
