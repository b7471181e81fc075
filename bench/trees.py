#!/usr/bin/env python3
"""trees.py HASHMILL [SECTION...] > TREES.md: lists, trees, duplicates and copies against the programs that people
use, whole commands.

Sections: lists (many digests in one read against rhash and hashdeep; `check` against `sum` and against the programs
whose lists it reads), quick (`audit --quick` of 100 000 unchanged files against `find -printf` of the same fields),
copies (small files and photos against cp, sync and md5sum of both sides), dups (warm, and cold as root). How pairs are
made: pairs.py. Programs that are not installed are left out, and said to be."""

import os
import shutil
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "scripts"))
import bare
from pairs import DIR, PAIRS, WHY, cpu, drop_caches, folders, head, photos, print_missed, row, sources, version

WHY.update({
    ("lists", "`sum -a crc32,md5,sha1,sha256`, against `rhash`"): "the lanes of SHA-256, SHA-1 and MD5 and reading take nearly all of the time",
    ("lists", "`sum -a md5,sha1,sha256`, against `hashdeep`"): "the lanes of SHA-256, SHA-1 and MD5 and reading take nearly all of the time",
    ("small", "`check`, against `sum --files0-from`"): "so small a file takes so little that what its line takes shows: parsing, finding the file below the folder, comparing",
    ("copies", "10 000 files of 4 KiB"): "each file is written under another name, read back from the medium, renamed and recorded: three times the system calls of cp, which keep two cores busy",
    ("quick", "`audit --quick`, against `find -printf` of path, length, time, inode"): "reading the list takes as long as walking the tree",
})
PEERS = ["rhash", "hashdeep", "fdupes", "jdupes", "rdfind", "rmlint", "fclones"]
FEW = max(3, PAIRS // 3)


def same(_output):
    """Says that two outputs need not be compared, since they have different forms."""
    return b""


def write(path, command, **options):
    with open(path, "wb") as f:
        subprocess.run(command, check=True, stdout=f, **options)


def lists(hashmill, has):
    head("154 photos, 969 MB, in the page cache", "the other")
    files = photos()
    if "rhash" in has:
        options = ["--crc32", "--md5", "--sha1", "--sha256"]
        row("lists", "`sum -a crc32,md5,sha1,sha256`, against `rhash`", ["rhash", *options, *files],
            [hashmill, "sum", "-a", "crc32,md5,sha1,sha256", *files], 10, count=FEW, compare=same)
    if "hashdeep" in has:
        row("lists", "`sum -a md5,sha1,sha256`, against `hashdeep`", ["hashdeep", "-c", "md5,sha1,sha256", *files],
            [hashmill, "sum", "-a", "md5,sha1,sha256", *files], 15, count=FEW, compare=same)
    for algorithm in ["sha256", "md5"]:
        listed = os.path.join(DIR, f"photos.{algorithm}")
        write(listed, [hashmill, "sum", "-a", algorithm, *files])
        ours = [hashmill, "check", listed]
        row("lists", f"`check` of {algorithm}, against `{algorithm}sum -c`", [f"{algorithm}sum", "-c", listed], ours, count=FEW)
        row("lists", f"`check` of {algorithm}, against `sum`", [hashmill, "sum", "-a", algorithm, *files], ours, 0.97, compare=same)
    if "hashdeep" in has:
        listed = os.path.join(DIR, "photos.hashdeep")
        write(listed, ["hashdeep", "-c", "md5,sha256", *files])
        row("lists", "`check` of hashdeep's list, against `hashdeep -a`", ["hashdeep", "-c", "md5,sha256", "-a", "-k", listed, *files],
            [hashmill, "check", listed], count=FEW, compare=same)
    head("20 000 files of 4 KiB, in the page cache", "the other")
    small = os.path.join(DIR, "small")
    folders(small, 200, 100, 4096)
    names, listed = os.path.join(DIR, "small.names"), os.path.join(DIR, "small.md5")
    write(names, ["find", small, "-type", "f", "-print0"])
    write(listed, [hashmill, "sum", "-a", "md5", "--files0-from", names])
    ours = [hashmill, "check", listed]
    row("small", "`check`, against `md5sum -c`", ["md5sum", "-c", listed], ours)
    row("small", "`check`, against `sum --files0-from`", [hashmill, "sum", "-a", "md5", "--files0-from", names], ours, 0.97, compare=same)


def quick(hashmill):
    head("100 000 unchanged files", "find -printf")
    many = os.path.join(DIR, "many")
    folders(many, 1000, 100, 4096)
    listed = os.path.join(DIR, "many.json")
    write(listed, [hashmill, "sum", "-r", ".", "--json"], cwd=many)
    row("quick", "`audit --quick`, against `find -printf` of path, length, time, inode", ["find", many, "-printf", r"%p\0%s\0%T@\0%i\0"],
        [hashmill, "audit", "--quick", listed, many], round(1 / 1.3, 2), compare=same)


def finders(has, folder):
    """Returns the commands that find duplicates below a folder."""
    commands = {
        "fclones": ["fclones", "group", folder],
        "jdupes": ["jdupes", "-r", "-q", folder],
        "rmlint": ["rmlint", "--hidden", "-o", "fdupes:stdout", folder],
        "rdfind": ["rdfind", "-dryrun", "true", "-makeresultsfile", "false", folder],
        "fdupes": ["fdupes", "-r", "-q", folder],
    }
    return {name: command for name, command in commands.items() if name in has}


def twice(name, source):
    """Makes two copies of a folder in a new one, which it returns."""
    folder = os.path.join(DIR, name)
    if not os.path.exists(os.path.join(folder, "complete")):
        shutil.rmtree(folder, ignore_errors=True)
        for copy in ["one", "two"]:
            shutil.copytree(source, os.path.join(folder, copy))
        with open(os.path.join(folder, "complete"), "wb"):
            pass
    return folder


def dups(hashmill, has):
    small = os.path.join(DIR, "small")
    folders(small, 200, 100, 4096)
    sets = [("2 x 20 000 files of 4 KiB", twice("twice-small", small)),
            ("2 x 154 photos", twice("twice-photos", os.path.dirname(photos()[0])))]
    for title, folder in sets:
        ours = [hashmill, "dups", folder]
        head(f"Duplicates: {title}, in the page cache", "the other")
        for name, command in finders(has, folder).items():
            row("dups", f"{title}, against `{name}`", command, ours, count=FEW, compare=same)
        if os.geteuid() == 0:
            head(f"Duplicates: {title}, from the disk", "the other")
            for name, command in finders(has, folder).items():
                row("dups, cold", f"{title}, against `{name}`", command, ours, count=FEW, before=drop_caches, compare=same)


def copies(hashmill):
    head("Copies, verified, durable", "cp -a, sync, md5sum of both")
    tiny = os.path.join(DIR, "tiny-files")
    folders(tiny, 100, 100, 4096)
    all_copies = os.path.join(DIR, "copies")
    shutil.rmtree(all_copies, ignore_errors=True)
    to = os.path.join(all_copies, "to")
    number = 0

    def clean():
        # For a minute, ext4 searches for inodes that were not deleted lately, so nothing is deleted before the end.
        nonlocal number
        number += 1
        if os.path.exists(to):
            os.rename(to, f"{to}-{number}")
        os.makedirs(to)
        os.sync()

    for what, source, aim in [("10 000 files of 4 KiB", tiny, round(1 / 1.2, 2)), ("154 photos", os.path.dirname(photos()[0]), 1)]:
        theirs = f"cp -a '{source}' '{to}/' && sync && find '{source}' '{to}' -type f -print0 | xargs -0 md5sum | awk '{{print $1}}' | sort | uniq -c | wc -l"
        row("copies", what, theirs, [hashmill, "copy", source, to + "/"], aim, count=FEW, before=clean, compare=same, with_memory=False)
    shutil.rmtree(all_copies, ignore_errors=True)


def main():
    if len(sys.argv) < 2:
        raise SystemExit("trees.py: which hashmill?")
    hashmill = os.path.abspath(sys.argv[1])
    sections = sys.argv[2:] or ["lists", "quick", "copies", "dups"]
    os.makedirs(DIR, exist_ok=True)
    bare.environment()
    has = [name for name in PEERS if shutil.which(name)]
    print("# Lists, trees, duplicates and copies against other programs\n")
    print(f"- Made by `bench/trees.py target/release/hashmill` on {time.strftime('%Y-%m-%d')}: {cpu()}, {os.cpu_count()} cores, "
          f"{PAIRS} pairs, {FEW} where a run takes long. Others: {'; '.join(version(name) for name in ['md5sum', 'find', *has])}.")
    lacking = [name for name in PEERS if name not in has]
    if lacking:
        print(f"- Not installed, so not measured: {', '.join(lacking)}.")
    sources(hashmill, "bench/TREES.md")
    if "lists" in sections:
        lists(hashmill, has)
    if "quick" in sections:
        quick(hashmill)
    if "copies" in sections:
        copies(hashmill)
    if "dups" in sections:
        dups(hashmill, has)
    print_missed()


main()
