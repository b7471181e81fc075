#!/usr/bin/env python3
"""summary.py conclusions|calls RESULTS.json: what bench/pascal/run measured, in words. summary.py results RESULTS.json MACHINE RESULTS.md: the same in short, as the section "From Pascal"
of bench/RESULTS.md, in place of that section or at the end."""

import json
import re
import sys

TITLE = "## From Pascal"


def shown(s, digits=2):
    low, high = s["interval"]
    return f"{s['median']:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


def conclusions(data):
    """Prints what the original concluded from these figures, and what holds here."""
    gain = {(r["algorithm"], r["bytes"]): r["ratio"]["median"] for r in data["original"] if "ratio" in r}
    cycles = {k["kernel"]: k["cycles_per_byte"]["median"] for k in data["kernels"]}
    if not gain:
        return ["PHP was not there: the original's conclusions cannot be looked at."]
    call = min(r["php_seconds"] for r in data["original"] if r["bytes"] == 5 and "php_seconds" in r) / 5000 * 1e9
    small = [gain[n, 5] for n in ("md5", "sha1", "crc32", "crc32c")]
    said = lambda size: ", ".join(f"{n} {gain[n, size]:.1f}" for n in ("md2", "md5", "sha1", "crc32", "crc32c"))
    lines = [f"* *Native code is ten times as fast as PHP on 5 bytes*: {'holds' if min(small) > 8 else 'does not hold'}; it is {said(5)} times. A call "
             f"from PHP takes {call:.0f} ns at least, whatever the digest, and PHP's digests are compiled C as well: where the digest itself takes longer than that, little is left to gain.",
             f"* *Its SHA-1 is no faster on 5000 bytes*: {'does not hold' if gain['sha1', 5000] > 1.1 else 'holds'}; by factors it is {said(5000)}. The CPU has instructions for SHA-1, "
             "which PHP does not use, and MD5 has none: there both wait for the same chain of additions and rotations."]
    sliced, folded = cycles.get("crc32/slicing8-asm"), cycles.get("crc32/fold-wide-asm")
    if sliced and folded:
        ours = next(r["seconds"] for r in data["original"] if r["algorithm"] == "crc32" and r["bytes"] == 5000)
        kernel = next(k["large_ns"] for k in data["kernels"] if k["kernel"] == "crc32/slicing8-asm")
        lines.append(f"* CRC-32 by folding has {sliced / folded:.1f} times the speed of slicing by 8, and the library's, call and all, {kernel * 5000 / 1e9 / ours:.1f} times, on 5000 bytes.")
    return lines


def ends(data):
    more = sorted((r["more_ns"]["median"], r["algorithm"]) for r in data["calls"])
    ratios = sorted((r["ratio"]["median"], r["algorithm"]) for r in data["calls"])
    return more, ratios


def calls(data):
    more, ratios = ends(data)
    middle = more[len(more) // 2][0]
    lines = [f"{len(more)} algorithms. On 5 bytes the difference is between {more[0][0]:.1f} ({more[0][1]}) and {more[-1][0]:.1f} ns ({more[-1][1]}), {middle:.1f} in the middle; on 5000 a call has between "
             f"{ratios[0][0]:.3f} ({ratios[0][1]}) and {ratios[-1][0]:.3f} ({ratios[-1][1]}) of Rust's speed."]
    took = {r["algorithm"]: r["large_ns"] for r in data["calls"]}
    behind = [f"{n} {r:.3f} ({took[n]:.0f} ns)" for r, n in ratios if r < 0.97]
    if behind:
        lines.append(f"More than 3 % behind on 5000 bytes: {', '.join(behind)}; where a whole digest takes 100 ns, the call's 3 or 4 ns are that much.")
    return ["", *lines]


def results(data, machine):
    more, ratios = ends(data)
    lines = [TITLE, "", f"Calls from Free Pascal ([docs/pascal.md](../docs/pascal.md) has all rows). {machine}", "",
             "| calls | rows | least | median | most |", "|---|---:|---:|---:|---:|",
             f"| 5 bytes: ns more than from Rust | {len(more)} | " + " | ".join(f"{more[i][0]:.1f} ({more[i][1]})" for i in (0, len(more) // 2, -1)) + " |",
             f"| 5000 bytes: speed / Rust's | {len(ratios)} | " + " | ".join(f"{ratios[i][0]:.3f} ({ratios[i][1]})" for i in (0, len(ratios) // 2, -1)) + " |",
             "", "| against PHP | PHP's time / native's on 5 bytes [95 %] | on 5000 bytes |", "|---|---:|---:|"]
    rows = {(r["algorithm"], r["bytes"]): r for r in data["original"] if "ratio" in r}
    lines += [f"| {n} | {shown(rows[n, 5]['ratio'])} | {shown(rows[n, 5000]['ratio'])} |" for n, size in rows if size == 5]
    lines += ["", "| kernel that needs no library | cycles a byte [95 %] | in a program of 32 bits |", "|---|---:|---:|"]
    lines += [f"| {k['kernel']} | {shown(k['cycles_per_byte'], 3)} | {shown(k['beside_cycles_per_byte'], 3) if 'beside_cycles_per_byte' in k else '–'} |" for k in data["kernels"]]
    return lines


def main():
    with open(sys.argv[2], encoding="utf-8") as f:
        data = json.load(f)
    if sys.argv[1] != "results":
        print("\n".join({"conclusions": conclusions, "calls": calls}[sys.argv[1]](data)))
        return
    with open(sys.argv[4], encoding="utf-8") as f:
        text = f.read()
    section = "\n".join(results(data, sys.argv[3])) + "\n"
    if TITLE in text:
        text = re.sub(re.escape(TITLE) + r"\n.*?(?=\n## |\Z)", lambda _: section, text, flags=re.DOTALL)
    else:
        text = text.rstrip("\n") + "\n\n" + section
    with open(sys.argv[4], "w", encoding="utf-8") as f:
        f.write(text)


main()
