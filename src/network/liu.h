#pragma once
// The analytic model of Liu (2000): communication time from counts and bytes of messages, speed-up from that of the
// busiest process. Formula numbers are the paper's.

#include <span>
#include <vector>

namespace skelgen::network {

/// What a process sends and receives: point to point (p) and in broadcasts (b), messages and bytes.
struct Communication {
  double messages_p = 0, bytes_p = 0, messages_b = 0, bytes_b = 0;
};

/// Start-up time and time per byte of the network. Both >= 0.
struct Network {
  double t0_s = 0, s_per_byte = 0;
};

/// Time of a process's communication among n processes, (2'): (c_p + c_b log2 n) t0 + (M_p + M_b log2 n) / r_inf.
/// Also of a pair, (2), with the counts of that pair. Requires n >= 1.
double interact_s(const Communication& is, const Network& network, int n);

/// Its bound, (2''): (1 + log2 n) (c t0 + M / r_inf), with all messages c and bytes M.
double interact_bound_s(const Communication& is, const Network& network, int n);

/// Speed-up on n processes, (3): n / (1 + n I / t1), where I is the busiest process's bound and t1 > 0 the time of one process.
double speedup(std::span<const Communication> processes, const Network& network, int n, double t1_s);

}  // namespace skelgen::network
