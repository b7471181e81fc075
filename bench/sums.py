#!/usr/bin/env python3
"""sums.py: `hashmill sum` beside coreutils' md5sum, sha1sum, sha256sum and sha512sum, alternating.

Every pair runs both programs on all files, which are in the page cache, in random order; both must print the same
lines. Then both are started many times on one tiny file. Prints tables; --json FILE writes everything that was measured.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

ALGORITHMS = ["md5", "sha1", "sha256", "sha512"]


def quantile(values, q):
    """The value below which the share q lies, between neighbours by straight line."""
    values = sorted(values)
    at = q * (len(values) - 1)
    low = int(at)
    high = min(low + 1, len(values) - 1)
    return values[low] + (values[high] - values[low]) * (at - low)


def summary(values):
    quartiles = [quantile(values, 0.25), quantile(values, 0.75)]
    return {"n": len(values), "median": quantile(values, 0.5), "quartiles": quartiles}


def fail(text):
    print(f"sums: {text}", file=sys.stderr)
    sys.exit(1)


def run(command, output):
    """Runs a command with its output in a file; seconds of wall time and of CPU time."""
    with open(output, "wb") as out:
        start = time.perf_counter()
        pid = os.posix_spawn(command[0], command, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, out.fileno(), 1)])
        _, status, usage = os.wait4(pid, 0)
        wall = time.perf_counter() - start
    if status != 0:
        fail(f"{os.path.basename(command[0])}: status {os.waitstatus_to_exitcode(status)}")
    return wall, usage.ru_utime + usage.ru_stime


def peak_rss(command):
    """Peak resident memory in KiB by GNU time; None without it.

    Not from wait4: a child starts with the peak of the Python that spawned it.
    """
    timer = shutil.which("time")
    if timer is None:
        return None
    with tempfile.NamedTemporaryFile("r") as report:
        done = subprocess.run([timer, "-f", "%M", "-o", report.name, *command], stdout=subprocess.DEVNULL, check=False)
        text = report.read().split()
    return int(text[-1]) if done.returncode == 0 and text and text[-1].isdigit() else None


def version(program):
    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    return done.stdout.split("\n")[0].strip()


def lines(path):
    with open(path, encoding="utf-8", errors="surrogateescape") as f:
        return f.read().splitlines()


def alternate(ours, theirs, pairs, scratch):
    """Pairs of runs in random order."""
    out = [os.path.join(scratch, "ours"), os.path.join(scratch, "theirs")]
    rows = []
    for _ in range(pairs):
        sides = [(0, ours), (1, theirs)]
        random.shuffle(sides)
        row = [None, None]
        for i, command in sides:
            row[i] = run(command, out[i])
        if lines(out[0]) != lines(out[1]):
            fail(f"the lines of {' '.join(ours[1:4])} and {os.path.basename(theirs[0])} differ")
        rows.append(row)
    return {
        "ours": summary([r[0][0] for r in rows]),
        "theirs": summary([r[1][0] for r in rows]),
        "ours_cpu": summary([r[0][1] for r in rows]),
        "theirs_cpu": summary([r[1][1] for r in rows]),
        "ratio": summary([r[1][0] / r[0][0] for r in rows]),
    }


def table(head, rows):
    width = [max(len(str(r[i])) for r in [head, *rows]) for i in range(len(head))]
    for row in [head, *rows]:
        padded = [str(c).ljust(w) if i == 0 else str(c).rjust(w) for i, (c, w) in enumerate(zip(row, width))]
        print("  ".join(padded).rstrip())


def spread(s, scale=1, digits=2):
    """`median [lower quartile, upper quartile]`"""
    low, high = s["quartiles"]
    return f"{s['median'] * scale:.{digits}f} [{low * scale:.{digits}f}, {high * scale:.{digits}f}]"


def cells(measured, scale=1, digits=2):
    """A measurement's part of a table row."""
    times = [spread(measured[side], scale, digits) for side in ("ours", "theirs")]
    return [*times, spread(measured["ratio"]), mib(measured["ours_rss"]), mib(measured["theirs_rss"])]


def mib(kib):
    return "-" if kib is None else f"{kib / 1024:.1f}"


def main():
    here = os.path.dirname(os.path.abspath(__file__))
    target = os.environ.get("CARGO_TARGET_DIR") or os.path.join(here, "..", "target")
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    hashmill = os.path.join(target, "release", "hashmill")
    photos = os.path.join(here, "..", "target", "bench", "photos")
    parser.add_argument("--hashmill", default=hashmill, help="the command to measure")
    parser.add_argument("--photos", default=photos, help="directory of files")
    parser.add_argument("--algorithms", default=",".join(ALGORITHMS))
    parser.add_argument("--pairs", type=int, default=7, help="pairs of runs over all files (7)")
    parser.add_argument("--starts", type=int, default=300, help="pairs of runs on a tiny file (300)")
    parser.add_argument("--json", metavar="FILE", help="write what was measured")
    args = parser.parse_args()

    hashmill = shutil.which(args.hashmill)
    if hashmill is None:
        fail("no hashmill: cargo build --release makes it")
    hashmill = os.path.abspath(hashmill)
    names = sorted(os.listdir(args.photos)) if os.path.isdir(args.photos) else []
    if not names:
        fail("no files: bench/photos.sh makes them")
    algorithms = args.algorithms.split(",")
    commands = {a: shutil.which(a + "sum") for a in algorithms}
    missing = [a + "sum" for a in algorithms if commands[a] is None]
    if missing:
        fail(f"not found: {' '.join(missing)}")
    peer = version(commands[algorithms[0]]).split(" ", 1)[-1].replace("(", "").replace(")", "")

    report = os.path.abspath(args.json) if args.json else None
    os.chdir(args.photos)
    total = 0
    for name in names:  # into the page cache
        with open(name, "rb", buffering=0) as f:
            while chunk := f.read(1 << 20):
                total += len(chunk)

    cpus = len(os.sched_getaffinity(0))
    result = {
        "hashmill": version(hashmill),
        "peer": peer,
        "files": len(names),
        "bytes": total,
        "cpus": cpus,
        "load": os.getloadavg()[0],
        "sums": [],
        "starts": [],
    }
    if result["load"] > 1:
        print(f"sums: warning: the load is {result['load']:.1f}: let other programs end first", file=sys.stderr)
    print(f"{len(names)} files, {total} bytes, in the page cache; {args.pairs} pairs; median [quartiles]")
    with tempfile.TemporaryDirectory() as scratch:
        threads = [("all", [])] if cpus == 1 else [("all", []), ("1", ["-j", "1"])]
        rows = []
        for a in algorithms:
            for label, options in threads:
                ours = [hashmill, "sum", "-a", a, *options, "--", *names]
                theirs = [commands[a], "--", *names]
                measured = alternate(ours, theirs, args.pairs, scratch)
                measured |= {"algorithm": a, "threads": label}
                measured |= {"ours_rss": peak_rss(ours), "theirs_rss": peak_rss(theirs)}
                result["sums"].append(measured)
                rows.append([a, label, *cells(measured, digits=3)])
        table(["algorithm", "threads", "hashmill s", "coreutils s", "ratio", "hashmill MiB", "coreutils MiB"], rows)

        tiny = os.path.join(scratch, "tiny")
        with open(tiny, "wb") as f:
            f.write(b"tiny\n")
        os.chdir(scratch)
        print(f"\none file of 5 bytes, {args.starts} pairs of runs; median [quartiles] in milliseconds")
        # What the linker has just written lies in the page cache in small pieces, which makes every start slower than that of
        # an installed file: measured both ways.
        installed = os.path.join(scratch, "hashmill")
        shutil.copy(hashmill, installed)
        rows = []
        for a, program in [(a, installed) for a in algorithms] + [(algorithms[0], hashmill)]:
            ours, theirs = [program, "sum", "-a", a, "tiny"], [commands[a], "tiny"]
            measured = alternate(ours, theirs, args.starts, scratch)
            name = a if program == installed else f"{a}, the file as linked"
            measured |= {"algorithm": name, "ours_rss": peak_rss(ours), "theirs_rss": peak_rss(theirs)}
            result["starts"].append(measured)
            rows.append([name, *cells(measured, scale=1e3)])
        table(["algorithm", "hashmill ms", "coreutils ms", "ratio", "hashmill MiB", "coreutils MiB"], rows)
        os.chdir(here)

    if report:
        with open(report, "w", encoding="utf-8") as f:
            json.dump(result, f, indent=1)
            f.write("\n")


if __name__ == "__main__":
    main()
