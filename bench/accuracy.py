#!/usr/bin/env python3
"""accuracy.py: how far the measurements can be trusted; writes bench/ACCURACY.md.

Needs an idle machine and about ten minutes. Measures what the harness costs, whether two runs of the same thing agree,
whether a kernel slowed down by 5 % is detected (the example `accuracy`), and whether `hashmill speed --provider openssl`
gives the same as `openssl speed`; the two are run alternately.
"""

import argparse
import json
import math
import os
import random
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "scripts"))
import bare
CASES = [("md5", 16), ("sha1", 256), ("sha256", 16), ("sha256", 16384), ("sha512", 1024), ("aes-128-cbc", 16384)]


def say(text):
    print(f"accuracy: {text}", file=sys.stderr, flush=True)


def middle(values):
    values = sorted(values)
    half = len(values) // 2
    return values[half] if len(values) % 2 else (values[half - 1] + values[half]) / 2


def interval(values):
    """Returns the 95 % interval of the median, computed from ranks alone."""
    values, n = sorted(values), len(values)
    below, rank = 0.0, 0
    while rank < n // 2 and below + math.comb(n, rank) / 2**n <= 0.025:
        below += math.comb(n, rank) / 2**n
        rank += 1
    rank = max(rank - 1, 0)
    return values[rank], values[n - 1 - rank]


def rate(command):
    """Returns the rate in the record `+F:index:name:rate`."""
    text = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=True).stdout
    return float(next(line for line in text.splitlines() if line.startswith("+F:")).split(":")[3])


def agreement(hashmill, least, most):
    rows = []
    for name, size in CASES:
        options = ["speed", "-mr", "-seconds", "1", "-bytes", str(size)]
        sides = [["openssl", *options, "-evp", name], [hashmill, *options, "--provider", "openssl", "-evp", name]]
        rates, ratios = [[], []], []
        # Repeat until the interval is narrow enough, since the noise from this machine's neighbours varies.
        while len(ratios) < most:
            order = [0, 1]
            random.shuffle(order)
            for side in order:
                rates[side].append(rate(sides[side]))
            ratios.append(rates[1][-1] / rates[0][-1])
            low, high = interval(ratios)
            if len(ratios) >= least and high - low <= 0.03:
                break
        say(f"{name}, {size} bytes: {len(ratios)} turns")
        rows.append((name, size, middle(rates[0]), middle(rates[1]), ratios))
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    target = os.environ.get("CARGO_TARGET_DIR") or os.path.join(ROOT, "target")
    parser.add_argument("--hashmill", default=os.path.join(target, "release", "hashmill"))
    parser.add_argument("--turns", type=int, default=60, help="turns at most for each comparison with openssl speed (60)")
    parser.add_argument("--runs", type=int, default=40, help="repetitions of each question to the harness (40)")
    parser.add_argument("--out", default=os.path.join(HERE, "ACCURACY.md"))
    args = parser.parse_args()
    bare.environment()
    if not os.access(args.hashmill, os.X_OK):
        sys.exit("accuracy: no hashmill: cargo build --release makes it")
    say(f"the harness, {args.runs} runs of each")
    command = ["cargo", "run", "--quiet", "--release", "--package", "hashmill-bench", "--example", "accuracy", str(args.runs)]
    data = json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, cwd=ROOT).stdout)
    machine = data["machine"]
    lines = ["# How far the measurements may be trusted", "",
             "Written by `bench/accuracy.py`.", "",
             f"- Machine: {machine['cpu']}, {machine['cpus']} CPUs at {machine['clocks']['core_hertz'] / 1e9:.2f} GHz (measured); {machine['os']}",
             f"- Date: {data['date']}; hashmill {machine['hashmill']}, {machine['compiler']}", "",
             "## The harness", "",
             f"An empty turn of the measuring loop takes {data['empty_turn_ns']:.2f} ns when nothing else is in it; it is taken off, and shown, where an",
             "operation takes less than 50 ns. Against a longer one it runs in its shadow: the same calls in the measuring loop and in a",
             "bare one that is unrolled eight times, in alternation; the share of time that the measuring loop takes more, median [95 %]:", "",
             "| 16 bytes of | ns | share |", "|---|---:|---:|"]
    for h in data["harness"]:
        s = h["share"]
        low, high = s["interval"]
        lines.append(f"| {h['algorithm']} | {h['ns']:.1f} | {100 * s['median']:+.2f} % [{100 * low:+.2f}, {100 * high:+.2f}] |")
    runs, slowed = data["runs"], data["slowed_ratio"]
    lines += ["", "## Does the same give the same?", "",
              f"- Two runs of the same thing, one after the other: their intervals overlap in {data['intervals_overlap']} of {runs}. Their medians are apart by "
              f"{100 * data['medians_apart']['median']:.2f} % (median), the intervals {100 * data['interval_widths']['median']:.2f} % wide.",
              f"- The same thing on both sides of a comparison: the ratio's interval holds 1 in {data['paired_interval_holds_one']} of {runs}.",
              f"- One side does 5 % more work: seen (the whole interval below 1) in {data['slowed_by_5_percent_seen']} of {runs}; "
              f"the median ratio is {slowed['median']:.4f}, where 20/21 is {20 / 21:.4f}.", ""]
    if shutil.which("openssl"):
        version = subprocess.run(["openssl", "version"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
        lines += ["## Against openssl speed", "",
                  f"`openssl speed -evp` ({version}) and `hashmill speed --provider openssl -evp`, both running OpenSSL's code for one second, in turns in",
                  f"random order until the interval is narrower than 3 %, at most {args.turns}; kB/s, medians; the median of the turns' ratios, its 95 % interval,",
                  "and the least and the greatest of them.", "",
                  "| | bytes | openssl speed | hashmill speed | ratio | turns | from, to |", "|---|---:|---:|---:|---:|---:|---:|"]
        for name, size, theirs, ours, ratios in agreement(args.hashmill, min(11, args.turns), args.turns):
            low, high = interval(ratios)
            lines.append(f"| {name} | {size} | {theirs / 1e3:.0f} | {ours / 1e3:.0f} | {middle(ratios):.3f} [{low:.3f}, {high:.3f}] | {len(ratios)} | "
                         f"{min(ratios):.2f}, {max(ratios):.2f} |")
        lines.append("")
    with open(args.out + ".new", "w", encoding="utf-8") as f:
        f.write("\n".join(lines))
    os.replace(args.out + ".new", args.out)
    say(f"wrote {args.out}")


if __name__ == "__main__":
    main()
