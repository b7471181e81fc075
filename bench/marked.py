#!/usr/bin/env python3
"""marked.py PAGE NAME: replaces what is between the lines `<!-- NAME: begin -->` and `<!-- NAME: end -->` of a page with standard input. Everything else on a page is written by hand."""

import os
import sys


def fill(page, name, text):
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->\n"
    with open(page, encoding="utf-8") as f:
        old = f.read()
    if old.count(begin) != 1 or old.count(end) != 1 or old.index(end) < old.index(begin):
        sys.exit(f"marked.py: {page}: no place {name}")
    with open(page + ".new", "w", encoding="utf-8") as f:
        f.write(old[:old.index(begin)] + begin + text.strip("\n") + "\n" + old[old.index(end):])
    os.replace(page + ".new", page)


if __name__ == "__main__":
    fill(sys.argv[1], sys.argv[2], sys.stdin.read())
