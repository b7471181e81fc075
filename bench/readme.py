#!/usr/bin/env python3
"""readme.py SUMS.json LANES.json README.md: puts the main figures between the README's bench markers."""

import datetime
import json
import sys

from sums import cells

BEGIN, END = "<!-- bench:summary -->", "<!-- /bench:summary -->"


def main():
    sums, lanes = (json.load(open(path, encoding="utf-8")) for path in sys.argv[1:3])
    path = sys.argv[3]
    text = open(path, encoding="utf-8").read()
    before, rest = text.split(BEGIN)
    _, after = rest.split(END)
    memory = {r["algorithm"]: r for r in lanes["results"]}
    lines = ["| | `hashmill sum` s | coreutils s | times as fast | in memory, one core: GB/s | times libcrypto's one stream |",
             "|---|---:|---:|---:|---:|---:|"]
    for s in (s for s in sums["sums"] if s["threads"] == "all"):
        wall = [c.split(" ")[0] for c in cells(s, digits=3)]
        row = [s["algorithm"], *wall[:3]]
        m = memory.get(s["algorithm"])
        row += [f"{m['a']['median'] / 1e9:.1f}", f"{m['ratio']['median']:.1f}"] if m else ["", ""]
        lines.append("| " + " | ".join(row) + " |")
    today = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
    lines.append(f"\nMedians of alternated runs on {lanes['cpu']}, {sums['cpus']} CPUs, {today}.")
    open(path, "w", encoding="utf-8").write(before + BEGIN + "\n" + "\n".join(lines) + "\n" + END + after)


if __name__ == "__main__":
    main()
