#!/usr/bin/env python3
"""Stands in for cargo in tests of `hashmill bench codegen`, where a real build would take a minute: "builds" a program
that speaks the runner's protocol, with Python's hashlib. Its arguments are logged in the target folder."""

import os
import sys

RUNNER = """#!{python}
import hashlib, sys, time
MASK = (1 << 64) - 1
def message(n):
    x, out = 0x2545f4914f6cdd1d, bytearray()
    while len(out) < n:
        x ^= x << 13 & MASK
        x ^= x >> 7
        x ^= x << 17 & MASK
        out += (x * 0x9e3779b97f4a7c15 & MASK).to_bytes(8, "little")
    return bytes(out[:n])
for line in sys.stdin:
    verb, name, size, *times = line.split()
    if name not in ("md5", "sha1", "sha512"):
        print("! unknown algorithm '%s'" % name, flush=True)
        continue
    m = message(int(size))
    if verb == "digest":
        d = hashlib.new(name, m).hexdigest()
        print("=", d[::-1] if {lies} else d, flush=True)
        continue
    start = time.perf_counter_ns()
    for _ in range(int(times[0])):
        hashlib.new(name, m).digest()
    print("=", time.perf_counter_ns() - start, flush=True)
"""

arguments = dict(zip(sys.argv[1:], sys.argv[2:]))
manifest, target_dir = arguments["--manifest-path"], arguments["--target-dir"]
assert "build" in sys.argv and "--release" in sys.argv
package = open(manifest).read()
assert 'name = "hashmill-variant"' in package and "default-features = false" in package, package
assert os.path.exists(os.path.join(os.path.dirname(manifest), "variant.rs"))
opt, flags = os.environ["CARGO_PROFILE_RELEASE_OPT_LEVEL"], os.environ["CARGO_ENCODED_RUSTFLAGS"]
with open(os.path.join(target_dir, "log"), "a") as log:
    log.write("%s %s\n" % (opt, flags))
if opt == "z":
    sys.exit("error: opt-level z is out of stock")
folder = os.path.join(target_dir, arguments["--target"], "release")
os.makedirs(folder, exist_ok=True)
built = os.path.join(folder, "variant")
with open(built, "w") as f:
    f.write(RUNNER.format(python=sys.executable, lies=opt == "0"))
os.chmod(built, 0o755)
