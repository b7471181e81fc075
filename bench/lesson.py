#!/usr/bin/env python3
"""lesson.py: the same checksum, ten times as fast: runs `hashmill bench kernels` and `bench loops` and writes docs/lesson.md.

Needs an idle machine, hashmill built with --release, and about two minutes; PHP for the plain MD5.
"""

import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "scripts"))
import bare
BYTES = 16384

# Explanations of the kernels.
CRC = [
    ("bytewise", "a table of 256 words, one look-up per byte, each waiting for the previous one"),
    ("bytewise-unrolled8", "the same with one load per eight bytes: loads were not the bottleneck"),
    ("slicing8", "eight tables: eight independent look-ups"),
    ("portable", "slicing by 16: two such groups at once"),
    ("sse42", "the CPU's own instruction, which only does CRC-32C"),
    ("crc", "the CPU's own instruction"),
    ("pclmul", "folding: carry-less multiplication of 128 bits, four registers at once"),
    ("pmull", "folding: carry-less multiplication of 128 bits"),
    ("vpclmul", "folding 512 bits at a time"),
    ("crc-fast", "the crate of that name: folding 512 bits at a time"),
]


def say(text):
    print(f"lesson: {text}", file=sys.stderr, flush=True)


def measure(hashmill, *args):
    say("hashmill " + " ".join(args))
    text = subprocess.run([hashmill, *args, "--json"], stdout=subprocess.PIPE, text=True, check=False).stdout
    if not text:
        sys.exit("lesson: nothing measured")
    return json.loads(text)


def row(name, rate, cycles, slowest, why):
    cycles = "–" if cycles is None else f"{cycles:.2f}" if cycles >= 0.1 else f"{cycles:.3f}"
    return f"| {name} | {rate / 1e9:.3f} | {cycles} | {rate / slowest:.1f} | {why} |"


HEAD = ["| kernel | GB/s | cycles/byte | times the first | |", "|---|---:|---:|---:|---|"]


def ladder(results, algorithm, names):
    found = {r["kernel"]: r for r in results if r["algorithm"] == algorithm and r["bytes"] == BYTES}
    steps = sorted(((found[n], why) for n, why in names if n in found), key=lambda step: step[0]["rate"]["median"])
    slowest = steps[0][0]["rate"]["median"]
    return HEAD + [row(f"`{r['kernel']}`", r["rate"]["median"], r["core_cycles"]["median"], slowest, why) for r, why in steps] + [""]


def md5(hashmill, results):
    found = [r for r in results if r["algorithm"] == "md5" and r["bytes"] == BYTES]
    one = [r for r in found if r["mode"] == "one stream"]
    lanes = sorted((r for r in found if r["mode"] == "lanes"), key=lambda r: r["rate"]["median"])
    loops = measure(hashmill, "bench", "loops", "md5", "--size", str(BYTES), "--peer", "php", "--peer-reps", "100")
    php = next((s for s in loops["pairings"]), None)
    best = max(one, key=lambda r: r["rate"]["median"])
    lines = []
    plain = None
    if php:
        # PHP's rate is computed from its ratio to ours, so that the two runs share a common reference.
        ratio = next(p["ratio"]["median"] for r in loops["details"]["rows"] for p in r["peers"] if p["peer"] == "php")
        ours = next(r["kernel"] for r in loops["details"]["rows"])
        rate = next(r for r in one if r["kernel"] == ours)["rate"]["median"]
        version = next(s["version"] for s in loops["series"] if s["by"] == "php")
        plain = rate / ratio
        lines.append((version, plain, None, "plain C, compiled: the RFC's text"))
    if best.get("peer_rate"):
        what = "assembly for one message" if best["peer"].startswith("OpenSSL") else "the fastest of others, one message"
        lines.append((best["peer"], best["peer_rate"]["median"], None, what))
    why = {"portable": "the same chain, one addition shorter where G's halves have no bit in common",
           "asm": "the same in assembly, a sum less between two blocks",
           "avx512vl": "one message in a vector register: any function of three words is one operation"}
    for r in sorted(one, key=lambda r: r["rate"]["median"]):
        lines.append((f"`{r['kernel']}`", r["rate"]["median"], r["core_cycles"]["median"], why.get(r["kernel"], "one message")))
    for r in lanes:
        lines.append((f"`{r['kernel']}`", r["rate"]["median"], r["core_cycles"]["median"], f"{r['lanes']} messages at once, a lane each"))
    slowest = plain or min(rate for _, rate, _, _ in lines)
    return HEAD + [row(name, rate, cycles, slowest, text) for name, rate, cycles, text in lines] + [""]


def main():
    bare.environment()
    target = os.environ.get("CARGO_TARGET_DIR") or os.path.join(ROOT, "target")
    hashmill = os.path.join(target, "release", "hashmill")
    if not os.access(hashmill, os.X_OK):
        sys.exit("lesson: no hashmill: cargo build --release makes it")
    # Hash the sources before measuring: changes made meanwhile are not part of the measurement.
    of = subprocess.run([os.path.join(target, "release", "xtask"), "stale", "--root", ROOT, "--line", "docs/lesson.md"],
                        stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    data = measure(hashmill, "bench", "kernels", "crc32", "crc32c", "md5", "--size", str(BYTES), "--reps", "100")
    results, machine = data["details"]["results"], data["machine"]
    lines = ["# The same checksum, ten times as fast", "",
             "Written by `bench/lesson.py`. Comparing MD5 with CRC-32 means comparing two programs. Here each of them is written in several ways, all",
             f"with the same result, on messages of {BYTES // 1024} KiB.", "",
             f"- Machine: {machine['cpu']}, {machine['cpus']} CPUs at {machine['clocks']['core_hertz'] / 1e9:.2f} GHz (measured); {machine['os']}",
             f"- Date: {data['started'][:10]}; hashmill {machine['hashmill']}", of, "",
             "## CRC-32", "", *ladder(results, "crc32", CRC),
             "## CRC-32C", "", *ladder(results, "crc32c", CRC),
             "CRC-32C has a different polynomial, the one that CPUs have an instruction for. Folding needs no such instruction, works for any",
             "polynomial, and is faster.", "",
             "## MD5", "", *md5(hashmill, results),
             "Each step of MD5 waits for the previous one, and no program can hash one message faster than that chain allows. But several",
             "messages do not wait for each other.", "",
             "To choose a kernel: `HASHMILL_KERNEL=bytewise hashmill sum -a crc32 FILE`; to measure all: `hashmill bench kernels crc32`.", ""]
    out = os.path.join(ROOT, "docs", "lesson.md")
    with open(out + ".new", "w", encoding="utf-8") as f:
        f.write("\n".join(lines))
    os.replace(out + ".new", out)
    say("wrote docs/lesson.md")


if __name__ == "__main__":
    main()
