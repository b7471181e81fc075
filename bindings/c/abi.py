#!/usr/bin/env python3
"""Prints what compiled programs rely on: the C library's functions, the values of its enumerations, and the size,
alignment and offsets of its structures, as a C compiler sees them in hashmill.h.

Run `bindings/c/abi.py >bindings/c/abi.txt` after a change. As long as the library keeps its soname, lines may be added but
none may change.
"""

import os
import re
import subprocess
import sys
import tempfile

FOLDER = os.path.join(os.path.dirname(__file__), "include")


def main():
    with open(os.path.join(FOLDER, "hashmill.h"), encoding="utf-8") as f:
        header = f.read()
    plain = re.sub(r"/\*.*?\*/|//[^\n]*", "", header, flags=re.S)
    plain = re.sub(r"^\s*#.*(\\\n.*)*$", "", plain, flags=re.M)
    functions = sorted(" ".join(m.split()) for m in re.findall(r"^[a-z][\w\s*]*?\bhm_\w+\([^;{]*?\);", plain, flags=re.M))
    functions += [" ".join(m.split()) for m in re.findall(r"^typedef [^;{]*\(\*[^;]*;", plain, flags=re.M)]
    lines = ["#include <hashmill.h>", "#include <stdalign.h>", "#include <stdio.h>", "int main(void) {"]
    for name, body in re.findall(r"^enum (hm_\w+)\s*(?::\s*uint32_t)?\s*\{(.*?)\}", plain, flags=re.S | re.M):
        for item in re.findall(r"\b(HM_\w+)\b", body):
            lines.append(f'printf("{name} {item} = %u\\n", (unsigned){item});')
    for name, body in re.findall(r"^typedef struct (hm_\w+) \{(.*?)^\}", plain, flags=re.S | re.M):
        lines.append(f'printf("{name}: %zu bytes, aligned to %zu\\n", sizeof({name}), alignof({name}));')
        for field in re.findall(r"(\w+)(?:\[\d+\])?;", body):
            lines.append(f'printf("{name}.{field} at %zu, %zu bytes\\n", offsetof({name}, {field}), sizeof((({name} *)0)->{field}));')
    for name in re.findall(r"^#define (HM_\w+) \d+$", header, flags=re.M):
        lines.append(f'printf("{name} = %d\\n", {name});')
    lines += ["return 0;", "}"]
    if not functions:
        sys.exit("abi: no functions in hashmill.h")
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "abi.c"), os.path.join(folder, "abi")
        with open(source, "w", encoding="utf-8") as f:
            f.write("\n".join(lines) + "\n")
        subprocess.run([os.environ.get("CC", "cc"), "-std=c11", "-I" + FOLDER, source, "-o", program], check=True)
        layout = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    print("\n".join(functions))
    print(layout, end="")


main()
