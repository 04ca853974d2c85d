"""Says whether the work in places.skel/skeleton.json is at the places where places.c does it; exits with 1 and says what is not."""
import json
import sys

work = json.load(open("places.skel/skeleton.json"))["work"]
names = work["features"]
works = [{names[f]: times for f, times in counts} for counts in work["works"]]
found = []
for place in work["places"]:
    for kind in ("mul", "div"):
        done = {rank: works[number - 1].get(f"fp64x1_{kind}", 0) for rank, number, *_ in place["work"]}
        numbers = {number for _, number, *_ in place["work"]}
        found.append((place["place"], kind, done, len(numbers)))
print(*found, sep="\n")
expected = [("before", "mul", {0: 100000, 1: 200000}, 2),   # the loop's first iteration
            ("between", "mul", {0: 100000, 1: 200000}, 2),  # its others
            ("before", "div", {0: 50000, 1: 50000}, 1)]
wrong = [each for each in expected if each not in found]
# The loop whose trips depend on time stands elsewhere on rank 0, which looks at the clock.
for rank in (0, 1):
    if not any(done.get(rank) == 30000 for where, kind, done, _ in found if kind == "mul"):
        wrong.append(f"30000 multiplications of rank {rank}")
    if not any(done.get(rank) == 70000 for where, kind, done, _ in found if kind == "div"):
        wrong.append(f"70000 divisions of rank {rank}")
sys.exit("\n".join(map(str, wrong)) if wrong else 0)
