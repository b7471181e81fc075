#!/usr/bin/env python3
"""readme.py SUMS.json LANES.json README.md: writes the main figures into the README, between its marks."""

import json
import sys

import marked


def main():
    sums, lanes = (json.load(open(path, encoding="utf-8")) for path in sys.argv[1:3])
    memory = {r["algorithm"]: r for r in lanes["details"]["results"]}
    lines = ["| | `hashmill sum` s | coreutils s | times as fast | in memory, one core: GB/s | × best other single stream |",
             "|---|---:|---:|---:|---:|---:|"]
    for t in sums["details"]["tables"]:
        name = t["what"].split(" ")[0]
        rows = {r["program"]: r for r in t["rows"]}
        theirs = rows.get(name + "sum")
        m = memory.get(name)
        if "tiny" in t["what"] or not theirs or not m:
            continue
        ours = rows["hashmill sum"]
        row = [name, f"{ours['seconds']['median']:.3f}", f"{theirs['seconds']['median']:.3f}",
               f"{theirs['times_ours']['median']:.2f}", f"{m['a']['median'] / 1e9:.1f}", f"{m['ratio']['median']:.1f}"]
        lines.append("| " + " | ".join(row) + " |")
    machine = lanes["machine"]
    peers = sorted({r["peer"] for name, r in memory.items() if any(line.startswith(f"| {name} ") for line in lines)})
    lines.append(f"\nMedians of alternated runs on {machine['cpu']}, {machine['cpus']} CPUs, {lanes['started'][:10]}; "
                 f"the other streams: {', '.join(peers)}.")
    marked.fill(sys.argv[3], "summary", "\n".join(lines))


if __name__ == "__main__":
    main()
