"""Reads a profile of the Valgrind tool: totals and histograms of reuse distances."""
import pathlib

COLD = 159


def read(name):
    """Totals by feature; histograms "load_reuse" and "store_reuse" by bucket."""
    total, reuse = {}, {"load_reuse": {}, "store_reuse": {}}
    for line in pathlib.Path(name).read_text().splitlines():
        words = line.split()
        if words[0] == "total":
            total[words[1]] = int(words[2])
        elif words[0] in reuse:
            reuse[words[0]][int(words[1])] = int(words[2])
    return total, reuse


def edge(bucket):
    return bucket if bucket < 4 else (4 + (bucket - 4) % 4) << ((bucket - 4) // 4)


def misses(histogram, lines):
    """Accesses that a fully associative cache of so many lines misses."""
    count = histogram.get(COLD, 0)
    for bucket, accesses in histogram.items():
        if bucket != COLD:
            low, high = edge(bucket), edge(bucket + 1)
            count += accesses * min(max((high - lines) / (high - low), 0), 1)
    return count
