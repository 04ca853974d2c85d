"""Compares bursts.profile with all.profile in the working directory: the same counts, histograms that have the sums of all accesses, as
they have where there were pauses, and miss ratios within 0.02; exits with 1 and says what differs."""
import sys

from histograms import misses, read

total, reuse = read("bursts.profile")
total_of_all, reuse_of_all = read("all.profile")
wrong = []
for name in ("instructions", "loads", "stores", "branches"):
    if abs(total[name] - total_of_all[name]) > 1000:
        wrong.append(f"{name}: {total[name]} instead of {total_of_all[name]}")
for kind in ("load", "store"):
    of, all_of = reuse[kind + "_reuse"], reuse_of_all[kind + "_reuse"]
    accesses = sum(of.values())
    if not total[kind + "s"] - 160 <= accesses <= total[kind + "s"]:
        wrong.append(f"{accesses} {kind}s in the histogram, {total[kind + 's']} in all")
    for size in (2048, 8192, 32768, 131072):
        got, expected = misses(of, size // 64) / accesses, misses(all_of, size // 64) / sum(all_of.values())
        print(f"{kind}s in {size} bytes: misses {got:.4f}, without pauses {expected:.4f}")
        if abs(got - expected) > 0.02:
            wrong.append(f"{kind}s in {size} bytes: misses {got:.4f} instead of {expected:.4f}")
sys.exit("\n".join(wrong) if wrong else 0)
