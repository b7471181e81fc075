#!/usr/bin/env python3
"""report.py LANES.json SHORT.json SINGLE.json SUMS.json > RESULTS.md: what bench/run.sh measured, as a page."""

import datetime
import json
import os
import sys

from sums import cells


def table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("|" + "|".join(["---"] + ["---:"] * (len(head) - 1)) + "|")
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def lanes(run):
    rows = []
    for r in run["results"]:
        low, high = r["ratio"]["interval"]
        rows.append([
            r["algorithm"],
            f"{r['a']['median'] / 1e9:.3f}",
            f"{r['b']['median'] / 1e9:.3f}",
            f"{r['ratio']['median']:.2f} [{low:.2f}, {high:.2f}]",
            r["kernel"],
            r["peer"],
            f"{r['pairs'] - r['disturbed']} of {r['pairs']}",
        ])
    head = ["algorithm", "hashmill GB/s", "peer GB/s", "ratio [95 % interval]", "kernel", "peer", "undisturbed pairs"]
    table(head, rows)


def memory():
    try:
        with open("/proc/meminfo", encoding="ascii") as f:
            kib = next(int(line.split()[1]) for line in f if line.startswith("MemTotal:"))
        return f"{kib / (1 << 20):.0f} GiB of memory"
    except (OSError, StopIteration, ValueError):
        return "memory unknown"


def main():
    many, short, single, sums = (json.load(open(path, encoding="utf-8")) for path in sys.argv[1:5])
    system = os.uname()
    today = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
    print("# Results\n")
    print("Written by `bench/run.sh` (`make bench`). Every number was measured beside its peer in the same run, alternating;")
    print("ratios are hashmill's speed over the peer's, so above 1 hashmill is faster.\n")
    print(f"- Machine: {many['cpu']}, {sums['cpus']} CPUs, {memory()}; {system.sysname} {system.release}, {system.machine}")
    print(f"- CPU features used: {', '.join(many['cpu_features'])}")
    print(f"- Date: {today}")
    peers = sorted({r["peer"] for run in (many, short, single) for r in run["results"]})
    print(f"- Programs: {sums['hashmill']}; {'; '.join(peers)}; {sums['peer']}")
    doubts = sorted({w for run in (many, short, single) for w in run["warnings"]})
    if sums["load"] > 1:
        doubts.append(f"the load was {sums['load']:.1f} when the sums started")
    for doubt in doubts:
        print(f"- Doubtful: {doubt}")
    print()
    for title, run, text in [
        ("Many messages, one core", many, "all lanes; the peer hashes one after the other"),
        ("Many short messages, one core", short, "all lanes; the peer hashes one after the other"),
        ("One stream", single, "one after the other on both sides"),
    ]:
        print(f"## {title}\n\n{run['messages']} messages of {run['size']} bytes, {text}.\n")
        lanes(run)
    print("## Files\n")
    print(f"`hashmill sum` and coreutils on {sums['files']} files of {sums['bytes']} bytes in all (`bench/photos.sh`), in the")
    print(f"page cache; {sums['sums'][0]['ours']['n']} pairs of runs. Wall time and ratio: median [quartiles]; memory: peak")
    print("resident. coreutils has one thread.\n")
    rows = [[s["algorithm"], s["threads"], *cells(s, digits=3)] for s in sums["sums"]]
    table(["algorithm", "threads", "hashmill s", "coreutils s", "ratio", "hashmill MiB", "coreutils MiB"], rows)
    print(f"## Start\n\nOne file of 5 bytes; {sums['starts'][0]['ours']['n']} pairs of runs; a copy of the")
    print("command, as installing makes it. Median [quartiles].\n")
    rows = [[s["algorithm"], *cells(s, scale=1e3)] for s in sums["starts"]]
    table(["algorithm", "hashmill ms", "coreutils ms", "ratio", "hashmill MiB", "coreutils MiB"], rows)


if __name__ == "__main__":
    main()
