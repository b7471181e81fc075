#!/usr/bin/env python3
"""listings.py HASHMILL ENGINE ENGINE32 STALE PAGE: writes PAGE, the instructions per byte of every kernel of
bindings/pascal/kernels and of the Rust ones of the same kind, and the machine code of five, as `hashmill bench codegen
--listing` sees it run. ENGINE and ENGINE32 are bench/engines/pascal/engine.pas for 64 and 32 bits (- for none), STALE
is the line of sources."""

import json
import subprocess
import sys

RUST = ["crc32/bytewise", "crc32/bytewise-unrolled8", "crc32/slicing8", "crc32/portable", "crc32/pclmul", "crc32/vpclmul", "crc32c/sse42", "md5/portable"]
# The loops whose machine code is shown, and what each of them adds; the command on the page prints the others.
SHOWN = {
    "crc32/bytewise": "What the compiler makes of a loop over bytes in Pascal. Each byte waits for the table look-up of the one before.",
    "crc32/bytewise-asm": "The same by hand, with fewer instructions. The chain of look-ups, and with it most of the time, remains.",
    "crc32/slicing8-asm": "Eight tables: the look-ups of eight bytes do not wait for each other.",
    "crc32/fold-wide-asm": "Carry-less multiplication on four registers of 512 bits: 256 bytes per iteration, and no table.",
    "crc32c/sse42-asm": "The CPU's own instruction. It computes CRC-32C only, and each one waits for the one before.",
}
KIND = "Pascal, 64 bits"


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


def page(kinds, compilers, stale):
    """KINDS: (kind, listings) in order."""
    title = lambda listing: listing["name"] + (f"/{listing['kernel']}" if listing["kernel"] else "")
    text = ["# Loops, instruction by instruction", "",
            "A loop's instructions per iteration, divided by the bytes per iteration, are its instructions per byte. Names are as in",
            "[pascal.md](pascal.md#the-kernels), which has the times and the cycles per byte; `-asm` is assembly by hand, the others",
            "are what the compiler makes of Pascal and Rust. The machine code of five loops follows.", "",
            "`bench/pascal/run` writes this page with `hashmill bench codegen --listing`, which follows a program while it hashes:",
            "the table shows what ran, and how often. This prints the machine code of any other loop:", "",
            "```sh", "hashmill bench codegen --listing crc32/slicing8,md5/portable                              # kernels of the library",
            "fpc -O2 -Fubindings/pascal -Fubindings/pascal/kernels -FE/tmp bench/engines/pascal/engine.pas",
            "hashmill bench codegen --listing md5/asm,crc32/fold-asm --program '/tmp/engine --stop'    # kernels in Pascal, or any program's loop",
            "```", "", f"- Machine: {compilers}", stale, "",
            "| loop | code | instructions per byte | per iteration | bytes per iteration |", "|---|---|---:|---:|---:|"]
    for kind, found in kinds:
        for listing in found:
            name = title(listing)
            shown = f"[{name}](#{anchor(name)})" if kind == KIND and name in SHOWN else name
            text.append(f"| {shown} | {kind} | {number(listing['instructions_per_byte'])} | {number(listing['turn_instructions'])} | {number(listing['turn_bytes'])} |")
    for listing in dict(kinds)[KIND]:
        if title(listing) in SHOWN:
            text += ["", f"## {title(listing)}", "", SHOWN[title(listing)], "", "```asm", *lines(listing), "```"]
    return "\n".join(text) + "\n"


def main():
    hashmill, engine, engine32, stale, path = sys.argv[1:]
    names = lambda program: subprocess.run([program, "--list"], stdout=subprocess.PIPE, text=True, check=True).stdout.split()
    found, machine = listings(hashmill, names(engine), engine)
    kinds = [(KIND, found)]
    if engine32 != "-":
        kinds.append(("Pascal, 32 bits", listings(hashmill, names(engine32), engine32)[0]))
    kinds.append(("Rust", listings(hashmill, RUST)[0]))
    fpc = subprocess.run(["fpc", "-iV"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    compilers = f"{machine['cpu']}; {machine['os']}, {machine['arch']}; Free Pascal {fpc}, {machine['compiler'].split(' (')[0]}"
    with open(path, "w", encoding="utf-8") as f:
        f.write(page(kinds, compilers, stale))


if __name__ == "__main__":
    main()
