#!/usr/bin/env python3
"""daily.py HASHMILL [SECTION...] > DAILY.md: the sum programs against the originals, whole commands on files.

Each pair runs the original and `hashmill` under the original's name, one right after the other, in changing order; both must print the
same. A ratio is that of a pair's times; the table has the median of all pairs and their quartiles. Sections: photos (154 files of a
month, in the page cache), large (one file of 4 GiB), start (one file of 5 bytes), many (100 000 files of 4 KiB in 1000 folders), cold
(photos, and 20 000 small files, taken out of the page cache before every run; as root). DAILY_PAIRS (15) says how many pairs there
are, DAILY_DIR where the files are made, and kept for the next time. What falls short of its aim is listed at the end, with the reason."""

import os
import platform
import random
import shutil
import statistics
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "scripts"))
import bare

PAIRS = int(os.environ.get("DAILY_PAIRS", "15"))
HERE = os.path.dirname(os.path.abspath(__file__))
DIR = os.environ.get("DAILY_DIR", os.path.join(HERE, "..", "target", "bench", "daily"))
ROOT = os.path.dirname(HERE)
NAMES = ["md5sum", "sha1sum", "sha256sum", "sha512sum", "b2sum", "b3sum", "xxhsum", "xxh128sum", "cksum"]

# Target speeds of the commands, as multiples of the original's speed.
PHOTOS = {"md5sum": 15, "sha1sum": 10, "sha256sum": 13, "sha512sum": 8.5, "b2sum": 5, "b3sum": 1, "xxhsum": 1, "xxh128sum": 1, "cksum": 1.5}
MANY = 4

# Why a row of a section falls short of its target.
WHY = {
    ("photos", "`md5sum`"): "reading takes about as long as hashing by then, and at the end there are fewer files than lanes",
    ("photos", "`sha512sum`"): "the lanes of one core, by as much as they are faster than the original (RESULTS.md: sha512), times the cores, are hardly more than that, and reading comes on top",
    ("start", ""): "the program is larger than the original: more of its pages are touched (and each is a fault) before the first byte is read",
}
missed = []


def run(command, shell=False):
    """Returns the seconds that a command takes, and its output."""
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, shell=shell) as process:
        output = process.stdout.read()
        status = process.wait()
    taken = time.perf_counter() - start
    if status != 0:
        raise SystemExit(f"daily.py: {command}: status {status}")
    return taken, output


def peak(command):
    """Returns the peak memory of a command in MiB, mapped files included, sampled every millisecond in a separate run."""
    most = 0
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        name = os.path.basename(command[0]).encode()
        while process.poll() is None:
            try:
                with open(f"/proc/{process.pid}/status", "rb") as f:
                    fields = dict(line.split(b":", 1) for line in f.read().splitlines())
            except (FileNotFoundError, ProcessLookupError):
                break
            # Until exec succeeds, the process is still this program.
            if fields[b"Name"].strip() in (name, b"hashmill") and b"VmHWM" in fields:
                most = max(most, int(fields[b"VmHWM"].split()[0]))
            time.sleep(0.001)
    return f"{most / 1024:.1f} MiB" if most else "–"


def pairs(theirs, ours, count=PAIRS, before=None, compare=lambda output: output):
    """Returns the medians of both commands' times, and median and quartiles of their ratio."""
    if before is None:
        run(theirs, isinstance(theirs, str))
        run(ours, isinstance(ours, str))
    results, ratios = ([], []), []
    for _ in range(count):
        order = [0, 1]
        random.shuffle(order)
        pair, outputs = [0.0, 0.0], [b"", b""]
        for which in order:
            command = (theirs, ours)[which]
            if before:
                before()
            pair[which], outputs[which] = run(command, isinstance(command, str))
        if compare(outputs[0]) != compare(outputs[1]):
            raise SystemExit(f"daily.py: different output: {theirs} and {ours}")
        for which in order:
            results[which].append(pair[which])
        ratios.append(pair[0] / pair[1])
    return [statistics.median(r) for r in results], spread(ratios)


def spread(values):
    if len(values) < 2:
        return [values[0]] * 3
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return [low, middle, high]


def seconds(value):
    return f"{value:.2f} s" if value >= 1 else f"{value * 1000:.1f} ms"


def row(section, what, theirs, ours, aim=1, **options):
    (a, b), (low, middle, high) = pairs(theirs, ours, **options)
    memory = "–" if isinstance(ours, str) else peak(ours)
    print(f"| {what} | {seconds(a)} | {seconds(b)} | {middle:.2f} [{low:.2f}, {high:.2f}] | {aim} | {memory} |", flush=True)
    if middle < aim:
        missed.append((section, what, middle, aim))


def print_missed():
    """Prints what missed its aim, with the reason if one is known."""
    print("\n## Short of the aim\n")
    reasons = {}
    for section, what, middle, aim in missed:
        why = WHY.get((section, what)) or WHY.get((section, ""), "no reason is known")
        reasons.setdefault((section, why), []).append(f"{what} {middle:.2f} of {aim}")
    for (section, why), rows in reasons.items():
        print(f"* {section}: {', '.join(rows)}. {why[0].upper()}{why[1:]}.")
    if not missed:
        print("Nothing.")


def head(title, left="original"):
    print(f"\n## {title}\n\n| | {left} | hashmill | times as fast [quartiles] | aim | peak memory |\n|---|--:|--:|--:|--:|--:|", flush=True)


def fill(path, size, seed):
    """Creates a file of incompressible bytes."""
    if os.path.exists(path) and os.path.getsize(path) == size:
        return
    source = random.Random(seed)
    block = source.randbytes(1 << 20)
    with open(path, "wb") as f:
        left = size
        while left > 0:
            f.write(block[: min(left, len(block))])
            left -= len(block)


def folders(path, count, each, size):
    """Creates `count` folders of `each` files."""
    if os.path.exists(os.path.join(path, "complete")):
        return
    shutil.rmtree(path, ignore_errors=True)
    source = random.Random(3)
    for d in range(count):
        folder = os.path.join(path, f"{d:04}")
        os.makedirs(folder)
        for i in range(each):
            with open(os.path.join(folder, f"{i:05}"), "wb") as f:
                f.write(source.randbytes(size))
    with open(os.path.join(path, "complete"), "wb"):
        pass


def by_name(output):
    """Returns the lines sorted: the order of the files may differ."""
    return sorted(output.split(b"\n"))


def drop_caches():
    os.sync()
    with open("/proc/sys/vm/drop_caches", "w", encoding="ascii") as f:
        f.write("3")


def photos():
    folder = os.path.join(DIR, "photos")
    subprocess.run([os.path.join(HERE, "photos.sh"), folder], check=True, stdout=subprocess.DEVNULL)
    return [os.path.join(folder, name) for name in sorted(os.listdir(folder))]


def version(program):
    lines = subprocess.run([program, "--version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False).stdout.decode().splitlines()
    return lines[0].strip() if lines else "unknown"


def main():
    if len(sys.argv) < 2:
        raise SystemExit("daily.py: which hashmill?")
    hashmill = os.path.abspath(sys.argv[1])
    sections = sys.argv[2:] or ["photos", "large", "start", "many", "cold"]
    os.makedirs(DIR, exist_ok=True)
    links = os.path.join(DIR, "links")
    os.makedirs(links, exist_ok=True)
    for name in NAMES:
        link = os.path.join(links, name)
        if os.path.lexists(link):
            os.remove(link)
        os.symlink(hashmill, link)
    # The originals of the commands in shell lines come first in PATH, too.
    originals = {n: bare.original(n) for n in NAMES}
    bare.environment()
    here = [n for n in NAMES if originals[n][0]]
    hidden = [n for n in NAMES if originals[n] == (None, True)]
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        cpu = next((line.split(":")[1].strip() for line in f if line.startswith("model name")), platform.processor())
    print("# The sum programs against the originals\n")
    print(f"- Made by `bench/daily.py target/release/hashmill` on {time.strftime('%Y-%m-%d')}: {cpu}, {os.cpu_count()} cores, Linux {platform.release()}, "
          f"{PAIRS} pairs. Originals: {'; '.join(version(originals[n][0]) for n in here)}.")
    for name in hidden:
        print(f"- {name} in PATH is hashmill; the original was not found: not measured.")
    xtask = os.path.join(os.path.dirname(hashmill), "xtask")
    print(subprocess.run([xtask, "stale", "--root", ROOT, "--line", "bench/DAILY.md"], check=True, stdout=subprocess.PIPE).stdout.decode().rstrip())
    large = os.path.join(DIR, "large")
    if "photos" in sections:
        head("154 photos, 969 MB, in the page cache")
        files = photos()
        for name in here:
            row("photos", f"`{name}`", [originals[name][0], *files], [os.path.join(links, name), *files], PHOTOS[name])
    if "large" in sections:
        head("One file of 4 GiB, in the page cache")
        fill(large, 4 << 30, 1)
        for name in here:
            row("large", f"`{name}`", [originals[name][0], large], [os.path.join(links, name), large], count=max(3, PAIRS // 3))
    if "start" in sections:
        head("One file of 5 bytes")
        tiny = os.path.join(DIR, "tiny")
        with open(tiny, "wb") as f:
            f.write(b"tiny\n")
        for name in here:
            row("start", f"`{name}`", [originals[name][0], tiny], [os.path.join(links, name), tiny], count=20 * PAIRS)
    if "many" in sections and "md5sum" in here:
        head("100 000 files of 4 KiB in 1000 folders", "find -print0 | xargs -0 md5sum")
        many = os.path.join(DIR, "many")
        folders(many, 1000, 100, 4096)
        row("many", "`hashmill sum -r -a md5`", f"find '{many}' -type f -print0 | xargs -0 md5sum", [hashmill, "sum", "-r", "-a", "md5", many], MANY,
            compare=by_name)
        row("many", "`hashmill md5sum`, as xargs starts it", f"find '{many}' -type f -print0 | xargs -0 md5sum",
            f"find '{many}' -type f -print0 | xargs -0 '{links}/md5sum'", compare=by_name)
    if "cold" in sections and os.geteuid() == 0 and "md5sum" in here:
        head("From the disk: nothing in the page cache", "the other")
        files, count = photos(), max(3, PAIRS // 3)
        small = os.path.join(DIR, "small")
        folders(small, 200, 100, 4096)
        ours = [hashmill, "sum", "-r", "-a", "md5", os.path.dirname(files[0])]
        same = lambda output: b""
        row("cold", "154 photos, against `md5sum`", ["md5sum", *files], ours, count=count, before=drop_caches, compare=by_name)
        row("cold", "154 photos, against `cat`", ["cat", *files], ours, count=count, before=drop_caches, compare=same)
        ours = [hashmill, "sum", "-r", "-a", "md5", small]
        every = f"find '{small}' -type f -print0"
        row("cold", "20 000 files of 4 KiB, against `xargs md5sum`", f"{every} | xargs -0 md5sum", ours, count=count, before=drop_caches, compare=by_name)
        row("cold", "the same, against 8 `md5sum` at once", f"{every} | xargs -0 -P 8 -n 500 md5sum", ours, count=count, before=drop_caches, compare=by_name)
    print_missed()


main()
