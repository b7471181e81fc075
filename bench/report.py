#!/usr/bin/env python3
"""report.py FOLDER > RESULTS.md: turns the results that bench/run.sh left in FOLDER into a page. bounds.json, beside
this file, contains the limits of the machine."""

import json
import os
import sys

PEERS = ["openssl", "openssl2", "rustcrypto", "crates", "php", "go", "python", "coreutils"]


def table(head, rows):
    """Prints a table: columns with words are left-aligned, numbers right-aligned."""
    words = [any(c.isalpha() for row in rows for c in row[i]) for i in range(len(head))]
    print("| " + " | ".join(head) + " |")
    print("|" + "|".join("---" if w else "---:" for w in words) + "|")
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print()


def lanes(run):
    rows = []
    for r in run["details"]["results"]:
        rows.append([
            r["algorithm"],
            f"{r['a']['median'] / 1e9:.3f}",
            f"{r['b']['median'] / 1e9:.3f}",
            interval(r["ratio"]),
            r["kernel"],
            r["peer"],
            f"{r['pairs'] - r['disturbed']} of {r['pairs']}",
        ])
    head = ["algorithm", "hashmill GB/s", "peer GB/s", "ratio [95 % interval]", "kernel", "peer", "undisturbed pairs"]
    table(head, rows)


def interval(s, scale=1.0, digits=2):
    """Returns `median [95 % interval]`."""
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


class Bounds:
    """Lower bounds on cycles per byte on this machine."""

    def __init__(self, machine):
        path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bounds.json")
        with open(path, encoding="utf-8") as file:
            self.all = json.load(file)
        vendor = next((v for v in ("Intel", "AMD") if v in machine["cpu"]), None)
        # The bounds are those of code that uses AVX-512.
        self.vendor = vendor if "avx512vl" in machine["cpu_features"] else None
        self.used = []

    def of(self, algorithm, mode):
        """Returns the bound for `stream` or `lanes`, or None if there is none. The page lists the bounds that were
        used."""
        entry = self.all["bounds"].get(algorithm, {}).get(mode)
        if not entry or not self.vendor:
            return None
        if "operations" in entry:
            per_cycle = self.all["operations_per_cycle"][self.vendor]
            bound = entry["operations"] / entry["bytes"] / per_cycle
        else:
            bound = entry.get(self.vendor, entry.get("any"))
        line = (algorithm, mode, bound, entry["from"])
        if bound and line not in self.used:
            self.used.append(line)
        return bound

    def cells(self, algorithm, mode, cycles):
        """Returns the bound, and the share of it that this many cycles per byte reach."""
        bound = self.of(algorithm, mode)
        return [f"{bound:.3g}", f"{100 * bound / cycles:.0f} %"] if bound else ["–", "–"]

    def print_used(self):
        print("## Bounds\n")
        if not self.vendor:
            print("None are known for this machine.\n")
            return
        print(f"{self.all['about']} `bench/bounds.json` has them; operations on 512 bits a cycle here: "
              f"{self.all['operations_per_cycle'][self.vendor]} ({self.all['operations_per_cycle']['from']}).\n")
        rows = [[a, {"stream": "one stream"}.get(m, m), f"{b:.3g}", why] for a, m, b, why in self.used]
        table(["algorithm", "mode", "cycles/byte", "from"], rows)


def fine(x):
    """Returns a number with three significant digits."""
    return f"{x:.0f}" if x >= 100 else f"{x:.3g}"


def streams(run, bounds):
    """Prints every algorithm, one message after the other, compared with all peers."""
    details = run["details"]
    hertz = run["machine"]["clocks"]["core_hertz"]
    rows = details["rows"]
    kinds = [k for k in PEERS if any(p["peer"] == k for r in rows for p in r["peers"])]
    versions = {k: sorted({p["version"] for r in rows for p in r["peers"] if p["peer"] == k}) for k in kinds}
    print("## One stream, every algorithm\n")
    print("One message again and again, all peers in alternation with ours (`bench loops --peer`). Ratios: median [95 % interval].")
    print(f"Cycles are the core's, at {hertz / 1e9:.3f} GHz; the last section says where the bounds come from.\n")
    for kind in kinds:
        print(f"- {kind}: {', '.join(v.removeprefix('RustCrypto ') for v in versions[kind])}")
    print()
    sizes = sorted({r["bytes"] for r in rows}, reverse=True)
    for size in sizes:
        long = size > 64
        print(f"Messages of {size} bytes:\n")
        lines = []
        for r in (r for r in rows if r["bytes"] == size):
            beside = {p["peer"]: p for p in r["peers"]}
            best = min(r["peers"], key=lambda p: p["ratio"]["median"], default=None)
            # Use the slices that the ratios are computed from.
            seconds = (best["our_seconds"] if best else r["seconds"]) / details["loops"]
            line = [r["algorithm"], r["kernel"]]
            if long:
                cycles = seconds * hertz / size
                line += [f"{size / seconds / 1e9:.3f}", fine(cycles), *bounds.cells(r["algorithm"], "stream", cycles)]
                line += [interval(beside[k]["ratio"]) if k in beside else "" for k in kinds]
            else:
                line.append(f"{seconds * 1e9:.1f}")
                for k in kinds:
                    p = beside.get(k)
                    line.append(f"{p['peer_seconds'] / details['loops'] * 1e9:.1f}" if p else "")
            line += [interval(best["ratio"]), best["version"]] if best else ["", ""]
            lines.append(line)
        if long:
            head = ["algorithm", "kernel", "GB/s", "cycles/byte", "bound", "share of it", *kinds]
        else:
            head = ["algorithm", "kernel", "hashmill ns", *(f"{k} ns" for k in kinds)]
        table([*head, "to the best peer", "which is"], lines)


def every_algorithm(runs):
    """Prints all algorithms in lanes, for several numbers of messages."""
    counts = [run["details"]["messages"] for run in runs]
    full = next(run for run in runs if run["details"]["messages"] == 256)
    print("## Every algorithm in lanes\n")
    print(f"Messages of {full['details']['size']} bytes, all lanes of one core against one stream of the best peer there is for each; median ratios,")
    print("for 256 messages with the 95 % interval.\n")
    print("![256 messages of 16384 bytes](lanes.svg)\n")
    rows = []
    for r in full["details"]["results"]:
        same = [{q["algorithm"]: q for q in run["details"]["results"]}.get(r["algorithm"]) for run in runs]
        line = [r["algorithm"], r["kernel"], f"{r['a']['median'] / 1e9:.2f}", f"{r['b']['median'] / 1e9:.3f}"]
        line += [(interval(q["ratio"], 1.0, 1) if n == 256 else f"{q['ratio']['median']:.1f}") if q else "" for n, q in zip(counts, same)]
        rows.append([*line, r["peer"]])
    table(["algorithm", "kernel for 256", "GB/s", "peer GB/s", *(f"{n} messages" for n in counts), "peer"], rows)


def tiny(run):
    d = run["details"]
    print("## The shortest messages\n")
    print(f"{d['messages']} messages of {d['size']} bytes by `digest_many_into`, against one `EVP_Digest` for each.\n")
    rows = []
    for r in d["results"]:
        each = [r[side]["median"] / d["size"] / 1e6 for side in ("a", "b")]
        rows.append([r["algorithm"], f"{each[0]:.1f}", f"{each[1]:.2f}", interval(r["ratio"], 1.0, 1), r["kernel"], r["peer"]])
    table(["algorithm", "millions a second", "peer's", "ratio [95 % interval]", "kernel", "peer"], rows)


def spread(run):
    d = run["details"]
    low, high = d["spread"]
    print("## Lengths that differ\n")
    print(f"{d['messages']} messages of {low} to {high} bytes, logarithms equally likely, {d['bytes']} bytes in all, against as many of the mean length.\n")
    rows = []
    for r in d["results"]:
        rows.append([r["algorithm"], f"{r['a']['median'] / 1e9:.2f}", f"{r['b']['median'] / 1e9:.2f}", interval(r["ratio"]), r["kernel"]])
    table(["algorithm", "GB/s", "equal lengths GB/s", "ratio [95 % interval]", "kernel"], rows)


def avx2_share(run):
    """Prints the speed of AVX2 lanes relative to AVX-512."""
    rows = run["details"]["results"]
    size = max(r["bytes"] for r in rows)
    lines = []
    for name in dict.fromkeys(r["algorithm"] for r in rows):
        of = {r["kernel"]: r for r in rows if r["algorithm"] == name and r["bytes"] == size and r["lanes"] > 1}
        wide = [r for k, r in of.items() if k.startswith(("avx512", "gfni"))]
        narrow = [r for k, r in of.items() if k.startswith("avx2")]
        if wide and narrow:
            first, second = (min(each, key=lambda r: r["core_cycles"]["median"]) for each in (wide, narrow))
            share = first["core_cycles"]["median"] / second["core_cycles"]["median"]
            lines.append([name, first["kernel"], second["kernel"], f"{100 * share:.0f} %"])
    if lines:
        print("## AVX2 against AVX-512\n")
        print(f"The fastest kernels of many messages of {size} bytes that need each, from the table above.\n")
        table(["algorithm", "AVX-512", "AVX2", "AVX2's share of the speed"], lines)


def kernels(run, bounds):
    """Prints every kernel of these algorithms."""
    rows = run["details"]["results"]
    sizes = sorted({r["bytes"] for r in rows})
    print("## Kernels\n")
    print("Every kernel that this CPU can run (`bench kernels`), with enough messages to fill its lanes. Cycles a byte by the core's")
    print(f"clock, for messages of {' and '.join(map(str, sizes))} bytes. Bound and share of it are those at {sizes[-1]} bytes; the bound")
    print("is that of the best way known, one stream or lanes, whatever the kernel.\n")
    lines = []
    for first in (r for r in rows if r["bytes"] == sizes[0]):
        same = {r["bytes"]: r for r in rows if r["algorithm"] == first["algorithm"] and r["kernel"] == first["kernel"]}
        each = [same.get(size) for size in sizes]
        line = [first["algorithm"], first["kernel"]]
        line += [fine(r["core_cycles"]["median"]) if r else "" for r in each]
        line += [interval(r["to_portable"]) if r and r["to_portable"] else "" for r in each]
        line += [interval(r["to_peer"]) if r and r["to_peer"] else "" for r in each]
        last = each[-1]
        mode = "stream" if first["lanes"] == 1 else "lanes"
        line += bounds.cells(first["algorithm"], mode, last["core_cycles"]["median"]) if last else ["", ""]
        lines.append(line)
    head = ["algorithm", "kernel"]
    for what in ("cycles/byte", "to portable", "to the best peer"):
        head += [f"{what}, {size} B" for size in sizes]
    table([*head, "bound", "share of it"], lines)


def together(d):
    """Prints the time for several digests of one file."""
    print("## One file, several digests\n")
    print(f"`hashmill sum -a {','.join(d['algorithms'])}` of one file of {d['bytes']} bytes in the page cache, against each of them alone, in turns,")
    print(f"{d['rounds']} rounds; seconds and ratios: median [quartiles].\n")

    def cell(s, digits=3):
        return f"{s['median']:.{digits}f} [{s['quartiles'][0]:.{digits}f}, {s['quartiles'][1]:.{digits}f}]"

    rows = []
    for cores, key in ((f"{d['cores']} cores", "all_cores"), ("one core", "one_core")):
        r = d[key]
        rows.append([cores, *[cell(r["alone"][a]) for a in d["algorithms"]], cell(r["all"]), cell(r["of_the_slowest"], 2), cell(r["of_their_sum"], 2)])
    table(["on", *d["algorithms"], "all at once", "times the slowest", "times their sum"], rows)


def main():
    def read(name):
        with open(os.path.join(sys.argv[1], name + ".json"), encoding="utf-8") as file:
            return json.load(file)

    many, short, single, sums, stream, kernel, several, copies = map(
        read, ("lanes", "short", "single", "sums", "streams", "kernels", "several", "copies"))
    every, twenty, lengths = [read(f"many{n}") for n in (16, 64, 256, 1000)], read("tiny"), read("spread")
    machine = many["machine"]
    print("# Results\n")
    print("Written by `bench/run.sh` (`make bench`). Every number was measured against its peer in the same run, alternating;")
    print("ratios are hashmill's speed over the peer's, so above 1 hashmill is faster. Whole commands against the programs they replace: [DAILY.md](DAILY.md).\n")
    print(f"- Machine: {machine['cpu']}, {machine['cpus']} CPUs at {machine['clocks']['core_hertz'] / 1e9:.2f} GHz (measured), "
          f"{machine['memory'] / (1 << 30):.0f} GiB of memory; {machine['os']}, {machine['arch']}")
    print(f"- CPU features used: {', '.join(machine['cpu_features'])}")
    print(f"- Date: {many['started'][:10]}")
    print(f"- hashmill {machine['hashmill']}, {machine['compiler']}")
    peers = sorted({r["peer"] for run in (many, short, single, *every) for r in run["details"]["results"]})
    print(f"- Peers in memory: {'; '.join(peers)}")
    doubts = sorted({w for run in (many, short, single, sums, stream, kernel, *every, twenty, lengths, copies) for w in run["warnings"]})
    for doubt in doubts:
        print(f"- Doubtful: {doubt}")
    print()
    for title, run, text in [
        ("Many messages, one core", many, "all lanes; the peer, the fastest in a trial, hashes one after the other"),
        ("Many short messages, one core", short, "all lanes; the peer, the fastest in a trial, hashes one after the other"),
        ("One stream", single, "one after the other on both sides; the peer is the fastest in a trial"),
    ]:
        print(f"## {title}\n\n{run['details']['messages']} messages of {run['details']['size']} bytes, {text}.\n")
        lanes(run)
    every_algorithm(every)
    tiny(twenty)
    spread(lengths)
    bounds = Bounds(machine)
    streams(stream, bounds)
    kernels(kernel, bounds)
    avx2_share(kernel)
    d = sums["details"]
    print("## Files\n")
    print(f"Whole commands on {d['files']} files of {d['bytes']} bytes in all (`bench/photos.sh`), in the page cache; {d['rounds']}")
    print("rounds. Seconds and ratio: median [95 % interval]; peak resident memory, of which what the measuring program itself has")
    print("resident is the least that can be seen. coreutils, rhash and openssl have one thread.\n")
    programs([t for t in d["tables"] if "tiny" not in t["what"]], 1.0, 3)
    together(several)
    c = copies["details"]
    print("## Copies\n")
    print(f"The same {c['files']} files, from the page cache to a disk of this machine, into folders that were emptied and synced before;")
    print(f"then once more, when everything is there. {c['rounds']} rounds; seconds and ratio: median [95 % interval]. hashmill reads its")
    print("copies back from the medium (but with `--verify hash`), md5sum reads them from the page cache.\n")
    programs(c["tables"], 1.0, 3)
    print(f"## Start\n\nOne file of 5 bytes; {d['starts']} rounds; milliseconds.\n")
    programs([t for t in d["tables"] if "tiny" in t["what"]], 1e3, 2)
    bounds.print_used()


if __name__ == "__main__":
    main()
