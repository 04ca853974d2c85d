"""Compares loops.profile with lackey's and cachegrind's output in the working directory; exits with 1 and says what differs."""
import pathlib
import re
import sys

from histograms import misses, read

total, reuse = read("loops.profile")
wrong = []


def near(what, got, expected, share):
    print(f"{what}: {got}, expected {expected}")
    if not abs(got - expected) <= share * expected:
        wrong.append(f"{what}: {got} instead of {expected}")


lackey = pathlib.Path("lackey").read_text()


def lackey_number(pattern):
    return int(re.search(pattern, lackey).group(1).replace(",", ""))


rows = [[int(n.replace(",", "")) for n in numbers] for numbers in re.findall(r"  [IFVD]\d+ +([\d,]+) +([\d,]+) +([\d,]+)", lackey)]
near("instructions", total["instructions"], lackey_number(r"guest instrs: +([\d,]+)"), 0.05)
near("loads", total["loads"], sum(row[0] for row in rows), 0.05)
near("stores", total["stores"], sum(row[1] for row in rows), 0.05)
near("branches", total["branches"], lackey_number(r"total: +([\d,]+)"), 0.05)
near("taken", total["taken"], lackey_number(r"taken: +([\d,]+)"), 0.05)
# What the program's text says, for n = 12288, 20 times: lackey does not tell kinds apart.
inner = 20 * (12288 - 2)
near("multiplications", total["fp64x1_mul"] + 2 * total["fp64x2_mul"], inner, 0.05)
near("divisions", total["fp64x1_div"] + 2 * total["fp64x2_div"], inner, 0.05)
near("integer divisions", total["divide"], 20 * 12288 / 2, 0.05)


for size in (8192, 32768, 131072, 262144):
    text = pathlib.Path(f"cache.{size}").read_text()
    columns = text[text.index("events: "):].splitlines()[0].split()[1:]
    summary = dict(zip(columns, map(int, text[text.index("summary: "):].splitlines()[0].split()[1:])))
    for kind, accesses, missed in (("load_reuse", "Dr", "D1mr"), ("store_reuse", "Dw", "D1mw")):
        got = misses(reuse[kind], size // 64) / sum(reuse[kind].values())
        expected = summary[missed] / summary[accesses]
        print(f"{kind} in {size} bytes: misses {got:.4f}, cachegrind's {expected:.4f}")
        if abs(got - expected) > 0.02:
            wrong.append(f"{kind} in {size} bytes: misses {got:.4f} instead of {expected:.4f}")
sys.exit("\n".join(wrong) if wrong else 0)
