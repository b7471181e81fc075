#!/usr/bin/env python3
"""report.py LANES.json SHORT.json SINGLE.json SUMS.json > RESULTS.md: what bench/run.sh measured, as a page."""

import json
import sys


def table(head, rows):
    print("| " + " | ".join(head) + " |")
    print("|" + "|".join(["---"] + ["---:"] * (len(head) - 1)) + "|")
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def lanes(run):
    rows = []
    for r in run["details"]["results"]:
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


def interval(s, scale=1.0, digits=2):
    """`median [95 % interval]`"""
    low, high = s["interval"]
    return f"{s['median'] * scale:.{digits}f} [{low * scale:.{digits}f}, {high * scale:.{digits}f}]"


def programs(tables, scale, digits):
    for t in tables:
        print(f"{t['what']}:\n")
        rows = []
        for r in t["rows"]:
            ratio = interval(r["times_ours"]) if r["times_ours"] else ""
            rss = r["peak_rss_bytes"]
            rows.append([r["program"], interval(r["seconds"], scale, digits), interval(r["cpu_seconds"], scale, digits), ratio,
                         f"{rss / (1 << 20):.1f}", r["version"]])
        table(["program", "wall", "CPU", "times ours", "peak MiB", "version"], rows)


def main():
    many, short, single, sums = (json.load(open(path, encoding="utf-8")) for path in sys.argv[1:5])
    machine = many["machine"]
    print("# Results\n")
    print("Written by `bench/run.sh` (`make bench`). Every number was measured beside its peer in the same run, alternating;")
    print("ratios are hashmill's speed over the peer's, so above 1 hashmill is faster.\n")
    print(f"- Machine: {machine['cpu']}, {machine['cpus']} CPUs at {machine['clocks']['core_hertz'] / 1e9:.2f} GHz (measured), "
          f"{machine['memory'] / (1 << 30):.0f} GiB of memory; {machine['os']}, {machine['arch']}")
    print(f"- CPU features used: {', '.join(machine['cpu_features'])}")
    print(f"- Date: {many['started'][:10]}")
    print(f"- hashmill {machine['hashmill']}, {machine['compiler']}")
    peers = sorted({r["peer"] for run in (many, short, single) for r in run["details"]["results"]})
    print(f"- Peers in memory: {'; '.join(peers)}")
    doubts = sorted({w for run in (many, short, single, sums) for w in run["warnings"]})
    for doubt in doubts:
        print(f"- Doubtful: {doubt}")
    print()
    for title, run, text in [
        ("Many messages, one core", many, "all lanes; the peer hashes one after the other"),
        ("Many short messages, one core", short, "all lanes; the peer hashes one after the other"),
        ("One stream", single, "one after the other on both sides"),
    ]:
        print(f"## {title}\n\n{run['details']['messages']} messages of {run['details']['size']} bytes, {text}.\n")
        lanes(run)
    d = sums["details"]
    print("## Files\n")
    print(f"Whole commands on {d['files']} files of {d['bytes']} bytes in all (`bench/photos.sh`), in the page cache; {d['rounds']}")
    print("rounds. Seconds and ratio: median [95 % interval]; peak resident memory, of which what the measuring program itself has")
    print("resident is the least that can be seen. coreutils, rhash and openssl have one thread.\n")
    programs([t for t in d["tables"] if "tiny" not in t["what"]], 1.0, 3)
    print(f"## Start\n\nOne file of 5 bytes; {d['starts']} rounds; milliseconds.\n")
    programs([t for t in d["tables"] if "tiny" in t["what"]], 1e3, 2)


if __name__ == "__main__":
    main()
