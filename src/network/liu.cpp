#include "network/liu.h"

#include <algorithm>
#include <cmath>

namespace skelgen::network {

double interact_s(const Communication& is, const Network& network, int n) {
  const double stages = std::log2(n);
  return (is.messages_p + is.messages_b * stages) * network.t0_s +
         (is.bytes_p + is.bytes_b * stages) * network.s_per_byte;
}

double interact_bound_s(const Communication& is, const Network& network, int n) {
  return (1 + std::log2(n)) *
         ((is.messages_p + is.messages_b) * network.t0_s + (is.bytes_p + is.bytes_b) * network.s_per_byte);
}

double speedup(std::span<const Communication> processes, const Network& network, int n, double t1_s) {
  double busiest = 0;
  for (const auto& process : processes) busiest = std::max(busiest, interact_bound_s(process, network, n));
  return n / (1 + n * busiest / t1_s);
}

}  // namespace skelgen::network
