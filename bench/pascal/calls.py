#!/usr/bin/env python3
"""calls.py LOOPS CALLS RESULTS.json [PAIRS]: calls of PHP's algorithms from Pascal (LOOPS, bindings/pascal/examples/loops.pas) against calls from Rust (CALLS, the example
`calls` of hashmill-bench), in turns of a millisecond or more. Prints a table, and adds what it measured to RESULTS.json."""

import json
import math
import os
import subprocess
import sys

TURN = 1_500_000  # nanoseconds
NAMES = """md2 md4 md5 sha1 sha224 sha256 sha512-224 sha512-256 sha384 sha512 sha3-224 sha3-256 sha3-384 sha3-512 ripemd128 ripemd160 ripemd256 ripemd320 whirlpool
tiger128-3 tiger160-3 tiger192-3 tiger128-4 tiger160-4 tiger192-4 snefru256 gost94 gost94-cryptopro adler32 crc32 crc32c crc32-bzip2 fnv132 fnv1a32 fnv164 fnv1a64 joaat
murmur3a murmur3c murmur3f xxh32 xxh64 xxh3 xxh128 haval128-3 haval160-3 haval192-3 haval224-3 haval256-3 haval128-4 haval160-4 haval192-4 haval224-4 haval256-4 haval128-5
haval160-5 haval192-5 haval224-5 haval256-5 blake2b blake2s blake3""".split()


class Side:
    """A program that reads a name, a length in bytes and a count, and answers with nanoseconds."""

    def __init__(self, *command):
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def run(self, name, size, times):
        self.process.stdin.write(f"{name}\t{size}\t{times}\n")
        self.process.stdin.flush()
        return int(self.process.stdout.readline())

    def times(self, name, size):
        """Returns the number of calls per turn, or 0 for an unknown algorithm."""
        times = 64
        while True:
            took = self.run(name, size, times)
            if took < 0:
                return 0
            if took >= TURN:
                return times
            times = max(times + 1, int(times * min(16, 1.2 * TURN / max(took, 1))))


def summary(values):
    """Returns the median and its 95 % interval from order statistics (binomial)."""
    values = sorted(values)
    n = len(values)
    low = max(0, math.floor((n - 1.96 * math.sqrt(n)) / 2))
    return {"median": values[n // 2], "interval": [values[low], values[n - 1 - low]]}


def shown(s, digits):
    low, high = s["interval"]
    return f"{s['median']:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


def turns(sides, name, size, pairs):
    """Returns the nanoseconds of a call for each side and turn, or nothing if one side does not know the algorithm."""
    times = [s.times(name, size) for s in sides]
    if not all(times):
        return None
    took = [[], []]
    for pair in range(pairs):
        for at in (0, 1) if pair % 2 else (1, 0):
            took[at].append(sides[at].run(name, size, times[at]) / times[at])
    return took


def main():
    loops, calls, results = sys.argv[1:4]
    pairs = int(sys.argv[4]) if len(sys.argv) > 4 else 101
    # Both run on one core, because another core may be slower or busy.
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    sides = [Side(loops, "--answer"), Side(calls)]
    rows = []
    for name in NAMES:
        small, large = turns(sides, name, 5, pairs), turns(sides, name, 5000, pairs)
        if not small or not large:
            sys.exit(f"calls.py: {name}: not both know it")
        rows.append({
            "algorithm": name,
            "small_ns": summary(small[0])["median"],
            "more_ns": summary([a - b for a, b in zip(*small)]),
            "large_ns": summary(large[0])["median"],
            "ratio": summary([b / a for a, b in zip(*large)]),
        })
    print("| algorithm | 5 bytes: ns a call | ns more than from Rust [95 %] | 5000 bytes: ns a call | speed / Rust's [95 %] |")
    print("|---|---:|---:|---:|---:|")
    for r in rows:
        print(f"| {r['algorithm']} | {r['small_ns']:.1f} | {shown(r['more_ns'], 1)} | {r['large_ns']:.0f} | {shown(r['ratio'], 3)} |")
    with open(results, encoding="utf-8") as f:
        data = json.load(f)
    data["calls"] = rows
    with open(results, "w", encoding="utf-8") as f:
        json.dump(data, f, indent=1)


main()
