#!/usr/bin/env python3
"""readme.py SUMS.json LANES.json README.md: writes the main figures into the README, between its marks, and docs/pictures/speed.svg, a chart of its first columns, beside it."""

import json
import os
import sys

import marked


def chart(rows):
    """Bars of seconds. ROWS: name, ours, theirs, times as fast, as the table shows them."""
    left, width, most = 70, 560, max(float(theirs) for _, _, theirs, _ in rows)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 {len(rows) * 54 + 46}" font-family="sans-serif" font-size="14">',
           '<rect width="100%" height="100%" fill="#ffffff"/>',
           '<text x="16" y="24" font-weight="bold">Seconds for the same files: <tspan fill="#0072b2">hashmill sum</tspan> and <tspan fill="#8a8a8a">coreutils</tspan></text>']
    for i, (name, ours, theirs, times) in enumerate(rows):
        y = 46 + i * 54
        out.append(f'<text x="{left - 8}" y="{y + 24}" text-anchor="end">{name}</text>')
        for bar, value, fill, note in ((0, ours, "#0072b2", f"{ours} s, {times} times as fast"), (20, theirs, "#bbbbbb", f"{theirs} s")):
            long = float(value) / most * width
            out.append(f'<rect x="{left}" y="{y + bar}" width="{long:.1f}" height="17" fill="{fill}"/>')
            out.append(f'<text x="{left + long + 6:.1f}" y="{y + bar + 13}">{note}</text>')
    return "\n".join([*out, "</svg>", ""])


def main():
    sums, lanes = (json.load(open(path, encoding="utf-8")) for path in sys.argv[1:3])
    memory = {r["algorithm"]: r for r in lanes["details"]["results"]}
    lines = ["| | `hashmill sum` s | coreutils s | times as fast | in memory, one core: GB/s | × best other single stream |",
             "|---|---:|---:|---:|---:|---:|"]
    bars = []
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
        bars.append(row[:4])
    machine = lanes["machine"]
    peers = sorted({r["peer"] for name, r in memory.items() if any(line.startswith(f"| {name} ") for line in lines)})
    lines.append(f"\nMedians of alternated runs on {machine['cpu']}, {machine['cpus']} CPUs, {lanes['started'][:10]}; "
                 f"the other streams: {', '.join(peers)}.")
    marked.fill(sys.argv[3], "summary", "\n".join(lines))
    with open(os.path.join(os.path.dirname(sys.argv[3]), "docs", "pictures", "speed.svg"), "w", encoding="utf-8") as f:
        f.write(chart(bars))


if __name__ == "__main__":
    main()
