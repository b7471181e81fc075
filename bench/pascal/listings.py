#!/usr/bin/env python3
"""listings.py HASHMILL LOOPS LOOPS32 RESULTS.json STALE PAGE: writes PAGE, the machine code of every kernel of bindings/pascal/kernels and of the Rust ones against them, with its instructions a
byte, as `hashmill bench codegen --listing` sees it run. LOOPS and LOOPS32 are bindings/pascal/examples/loops.pas for 64 and 32 bits (- for none), RESULTS.json what they
measured, STALE the line of sources."""

import json
import subprocess
import sys

RUST = ["crc32/bytewise", "crc32/bytewise-unrolled8", "crc32/slicing8", "crc32/portable", "crc32/pclmul", "crc32/vpclmul", "crc32c/sse42", "md5/portable"]
# Maximum number of lines of a listing that is shown open; longer ones are collapsed.
LONG = 100


def listings(hashmill, names, program=None):
    command = [hashmill, "bench", "codegen", "--json", "--listing", ",".join(names)]
    if program:
        command += ["--program", f"{program} --stop"]
    # The exit status is 1 if this CPU cannot run one of the kernels; a line on stderr names it.
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if not done.stdout:
        sys.exit("listings.py: no listings")
    data = json.loads(done.stdout)
    return data["details"]["listings"], data["machine"]


def anchor(title):
    return "".join(c for c in title.lower().replace(" ", "-") if c.isalnum() or c == "-")


def lines(listing):
    out = []
    for i in listing["instructions"]:
        if i.get("label"):
            out.append(f"{i['label']}:")
        often = i["per_turn"]
        # Only instructions that do not run exactly once per turn show how often they run.
        out.append(f"    {i['text']}" + ("" if abs(often - 1) < 1e-3 else f"    ; {often:.4g} times a turn"))
    return out


def number(x):
    return f"{x:.3f}".rstrip("0").rstrip(".")


def main():
    hashmill, loops, loops32, results, stale, page = sys.argv[1:]
    with open(results, encoding="utf-8") as f:
        kernels = {k["kernel"]: k for k in json.load(f)["kernels"]}
    names = lambda program: subprocess.run([program, "--list"], stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    title = lambda listing: listing["name"] + (f"/{listing['kernel']}" if listing["kernel"] else "")
    cycles = {"Pascal, 64 bits": "cycles_per_byte", "Pascal, 32 bits": "beside_cycles_per_byte"}
    kinds = [("Pascal, 64 bits", *listings(hashmill, names(loops), loops))]
    if loops32 != "-":
        kinds.append(("Pascal, 32 bits", *listings(hashmill, names(loops32), loops32)))
    kinds.append(("Rust", *listings(hashmill, RUST)))
    machine = kinds[0][2]
    text = ["# The kernels' loops, instruction by instruction", "",
            "Written by `bench/pascal/run` with `hashmill bench codegen --listing`, which follows a program while it hashes: this page shows what ran, and how often. A loop's",
            "instructions per iteration, divided by the bytes per iteration, are its instructions per byte. Cycles per byte: [pascal.md](pascal.md#the-kernels). The sources, with explanations:",
            "[kernels](../bindings/pascal/kernels); `-asm` is assembly by hand, the others are what the compiler makes of Pascal and Rust.", "",
            f"- Machine: {machine['cpu']}; {machine['os']}, {machine['arch']}; Free Pascal " + subprocess.run(["fpc", "-iV"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
            + f", {machine['compiler'].split(' (')[0]}", stale, "", "| loop | code | instructions per byte | per iteration | bytes per iteration | cycles per byte |", "|---|---|---:|---:|---:|---:|"]
    for kind, found, _ in kinds:
        for listing in found:
            measured = kernels.get(listing["name"], {}).get(cycles.get(kind))
            took = f"{measured['median']:.3f}" if measured else "–"
            text.append(f"| [{title(listing)}](#{anchor(title(listing) + ', ' + kind)}) | {kind} | {number(listing['instructions_per_byte'])} | {number(listing['turn_instructions'])} | "
                        f"{number(listing['turn_bytes'])} | {took} |")
    for kind, found, _ in kinds:
        for listing in found:
            code = lines(listing)
            text += ["", f"## {title(listing)}, {kind}", ""]
            block = ["```asm", *code, "```"]
            if len(code) > LONG:
                block = ["<details>", f"<summary>{len(code)} lines</summary>", "", *block, "", "</details>"]
            text += block
    with open(page, "w", encoding="utf-8") as f:
        f.write("\n".join(text) + "\n")


main()
