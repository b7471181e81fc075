#!/usr/bin/env python3
"""Compares the dates that hashmill and ExifTool read from pictures and films, as a table by kind.

    bench/dates.py HASHMILL FOLDER…

ExifTool's answers are read by hashmill, too (`--dates exiftool`), so the same rule chooses between several dates of one
file. Files whose dates differ are listed after the table, those in folders for damaged files (named *TestSuite*) are
only counted. docs/copy.md has the table for the sample pictures of ExifTool and of metadata-extractor.
"""

import json
import os
import subprocess
import sys
import tempfile

KINDS = {
    "JPEG": "jpg jpeg jps",
    "TIFF and raws built on it": "tif tiff btf cr2 dng iiq nef orf rw2",
    "other raws": "cr3 crw mrw raf raw x3f",
    "HEIC, HEIF, AVIF, JPEG XL": "heic heif avif jxl",
    "PNG, GIF, Photoshop": "png gif psd",
    "WebP": "webp",
    "JPEG 2000": "jp2 j2c jpf jpm mj2",
    "MP4, MOV": "mp4 m4v mov 3gp 3g2",
    "AVI, AVCHD, Matroska, WMV": "avi mts mkv wmv",
}
DAMAGED = "damaged on purpose"
# Dates from here are not in the metadata.
ELSEWHERE = {"name", "birth", "modified", "unknown", None}


def dates(program, reader, folders, nowhere):
    """Returns the origin and the date of every file, by path."""
    extensions = ",".join(e for kind in KINDS.values() for e in kind.split())
    command = [program, "copy", "-n", "--json", "--by-date", "--all", "--ext", extensions, "--dates", reader]
    plan = subprocess.run([*command, *folders, nowhere], stdout=subprocess.PIPE, env={**os.environ, "TZ": "UTC"}, check=False)
    events = [json.loads(line) for line in plan.stdout.splitlines()]
    files = [e for e in events if "from" in e or "from_base64" in e]
    return {e.get("from") or e["from_base64"]: (e.get("date_from"), e.get("taken")) for e in files}


def kind_of(path):
    if "TestSuite" in path:
        return DAMAGED
    extension = path.rpartition(".")[2].lower()
    return next((kind for kind, all_of in KINDS.items() if extension in all_of.split()), "others")


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    program, *folders = sys.argv[1:]
    with tempfile.TemporaryDirectory() as scratch:
        ours, theirs = (dates(program, reader, folders, f"{scratch}/dst") for reader in ("builtin", "exiftool"))
    rows = {kind: [0, 0, 0, 0] for kind in [*KINDS, DAMAGED, "all"]}
    different = []
    for path, (origin, date) in sorted(ours.items()):
        their_origin, their_date = theirs.get(path, (None, None))
        kind = kind_of(path)
        mine, other = origin not in ELSEWHERE, their_origin not in ELSEWHERE
        counts = [1, other, mine, mine and other and date == their_date]
        for row in (rows.setdefault(kind, [0, 0, 0, 0]), rows["all"]):
            row[:] = [n + c for n, c in zip(row, counts)]
        if kind != DAMAGED and (mine or other) and date != their_date:
            different.append(f"{path}: hashmill {origin} {date}, ExifTool {their_origin} {their_date}")
    print("| kind | files | ExifTool | hashmill | same date |\n|---|---:|---:|---:|---:|")
    for kind, row in rows.items():
        print(f"| {kind} | " + " | ".join(str(int(n)) for n in row) + " |")
    print("", *different, sep="\n")


if __name__ == "__main__":
    main()
