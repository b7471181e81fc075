#!/usr/bin/env python3
"""several.py HASHMILL > several.json: what several digests of one file cost, compared with the slowest of them alone.

`hashmill sum` of a file of 1 GiB in the page cache (BENCH_SEVERAL_BYTES changes its size): every algorithm alone and all at once take
turns, BENCH_SEVERAL_ROUNDS (9) times, on all cores, then held to one of them."""

import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

ALGORITHMS = ["md5", "sha1", "sha256", "crc32"]


def seconds(hashmill, names, path, core):
    """Returns the wall time of one run, which must print one line per digest."""
    hold = (lambda: os.sched_setaffinity(0, {core})) if core is not None else None
    start = time.perf_counter()
    done = subprocess.run([hashmill, "sum", "-a", ",".join(names), path], stdout=subprocess.PIPE, preexec_fn=hold, check=True)
    taken = time.perf_counter() - start
    if len(done.stdout.splitlines()) != len(names):
        raise SystemExit(f"several.py: {len(names)} digests wanted: {done.stdout.decode(errors='replace')}")
    return taken


def spread(values):
    """Returns the median and the quartiles."""
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return {"median": middle, "quartiles": [low, high]}


def measure(hashmill, path, rounds, core):
    choices = [[a] for a in ALGORITHMS] + [ALGORITHMS]
    for names in choices:
        seconds(hashmill, names, path, core)
    runs = []
    for _ in range(rounds):
        order = list(range(len(choices)))
        random.shuffle(order)
        taken = {i: seconds(hashmill, choices[i], path, core) for i in order}
        runs.append([taken[i] for i in range(len(choices))])
    alone = {a: spread([run[i] for run in runs]) for i, a in enumerate(ALGORITHMS)}
    return {
        "alone": alone,
        "all": spread([run[-1] for run in runs]),
        "of_the_slowest": spread([run[-1] / max(run[:-1]) for run in runs]),
        "of_their_sum": spread([run[-1] / sum(run[:-1]) for run in runs]),
    }


def main():
    hashmill = sys.argv[1]
    size = int(os.environ.get("BENCH_SEVERAL_BYTES", 1 << 30))
    rounds = int(os.environ.get("BENCH_SEVERAL_ROUNDS", 9))
    cores = sorted(os.sched_getaffinity(0))
    with tempfile.NamedTemporaryFile(prefix="hashmill-bench-") as file:
        block = random.Random(1).randbytes(1 << 20)
        for _ in range(size >> 20):
            file.write(block)
        file.flush()
        result = {
            "bytes": size >> 20 << 20,
            "rounds": rounds,
            "cores": len(cores),
            "algorithms": ALGORITHMS,
            "all_cores": measure(hashmill, file.name, rounds, None),
            "one_core": measure(hashmill, file.name, rounds, cores[-1]),
        }
    json.dump(result, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
