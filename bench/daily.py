#!/usr/bin/env python3
"""daily.py HASHMILL [SECTION...] > DAILY.md: the sum programs against the originals, whole commands on files.

Each pair runs the original and `hashmill` under the original's name, one right after the other, in changing order; both must print the
same. A ratio is that of a pair's times; the table has the median of all pairs and their quartiles. Sections: photos (154 files of a
month, in the page cache), large (one file of 4 GiB), start (one file of 5 bytes), many (100 000 files of 4 KiB in 1000 folders), cold
(photos, and 20 000 small files, taken out of the page cache before every run; as root). DAILY_PAIRS (15) says how many pairs there
are, DAILY_DIR where the files are made, and kept for the next time. What falls short of its aim is listed at the end, with the reason."""

import os
import platform
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "scripts"))
import bare
from pairs import DIR, PAIRS, WHY, by_name, cpu, drop_caches, fill, folders, head, photos, print_missed, row, sources, version

NAMES = ["md5sum", "sha1sum", "sha256sum", "sha512sum", "b2sum", "b3sum", "xxhsum", "xxh128sum", "cksum"]

# Target speeds of the commands, as multiples of the original's speed.
PHOTOS = {"md5sum": 15, "sha1sum": 10, "sha256sum": 13, "sha512sum": 8.5, "b2sum": 5, "b3sum": 1, "xxhsum": 1, "xxh128sum": 1, "cksum": 1.5}
MANY = 4

WHY.update({
    ("photos", "`md5sum`"): "reading takes about as long as hashing by then, and at the end there are fewer files than lanes",
    ("photos", "`sha512sum`"): "the lanes of one core, by as much as they are faster than the original (RESULTS.md: sha512), times the cores, are hardly more than that, and reading comes on top",
    ("start", ""): "the program is larger than the original: more of its pages are touched (and each is a fault) before the first byte is read",
})


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
    print("# The sum programs against the originals\n")
    print(f"- Made by `bench/daily.py target/release/hashmill` on {time.strftime('%Y-%m-%d')}: {cpu()}, {os.cpu_count()} cores, Linux {platform.release()}, "
          f"{PAIRS} pairs. Originals: {'; '.join(version(originals[n][0]) for n in here)}.")
    for name in hidden:
        print(f"- {name} in PATH is hashmill; the original was not found: not measured.")
    sources(hashmill, "bench/DAILY.md")
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
