#!/usr/bin/env python3
"""summary.py RESULTS.json MACHINE RESULTS.md: what bench/php/run measured, in short, as the section "From PHP" of bench/RESULTS.md, in place of that section or at the end."""

import json
import re
import sys

TITLE = "## From PHP"


def cell(ratio):
    low, high = ratio["interval"]
    return f"{ratio['median']:.2f} [{low:.2f}, {high:.2f}]"


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        data = json.load(f)
    lines = [TITLE, "", f"The extension against PHP's own functions, in one process ([docs/php.md](../docs/php.md) has all rows). {sys.argv[2]}", "",
             "| calls | rows | times PHP's speed: least | median | most |", "|---|---:|---:|---:|---:|"]
    for size in (5, 5000):
        rows = sorted((r for r in data["calls"] if r["bytes"] == size), key=lambda r: r["ratio"]["median"])
        picked = [f"{r['ratio']['median']:.2f} ({r['algorithm']})" for r in (rows[0], rows[len(rows) // 2], rows[-1])]
        lines.append(f"| `hashmill\\hash`, {size} bytes | {len(rows)} | " + " | ".join(picked) + " |")
    lines += ["", "| many | times a loop over PHP's function [95 % interval] |", "|---|---:|"]
    lines += [f"| `hash_many`, {r['algorithm']}, {r['messages']} messages of {r['bytes']} bytes | {cell(r['ratio'])} |" for r in data["many"]]
    lines += [f"| `hash_files`, {r['algorithm']}, {r['files']} files, {r['bytes']} bytes | {cell(r['ratio'])} |" for r in data["files"]]
    with open(sys.argv[3], encoding="utf-8") as f:
        text = f.read()
    section = "\n".join(lines) + "\n"
    if TITLE in text:
        text = re.sub(re.escape(TITLE) + r"\n.*?(?=\n## |\Z)", lambda _: section, text, flags=re.DOTALL)
    else:
        text = text.rstrip("\n") + "\n\n" + section
    with open(sys.argv[3], "w", encoding="utf-8") as f:
        f.write(text)


main()
