"""What the pages have in common that measure whole commands: pairs of runs, sets of files, tables.

A pair runs the other command and ours one right after the other, in changing order. A ratio is that of a pair's times; a table has the
median of all pairs and their quartiles."""

import os
import platform
import random
import shutil
import statistics
import subprocess
import sys
import time

PAIRS = int(os.environ.get("DAILY_PAIRS", "15"))
HERE = os.path.dirname(os.path.abspath(__file__))
DIR = os.path.abspath(os.environ.get("DAILY_DIR", os.path.join(HERE, "..", "target", "bench", "daily")))
ROOT = os.path.dirname(HERE)

# Why a row of a section falls short of its target, set by the page: {(section, row or ""): reason}.
WHY = {}
missed = []


def run(command, shell=False, statuses=(0,)):
    """Returns the seconds that a command takes, and its output."""
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, shell=shell) as process:
        output = process.stdout.read()
        status = process.wait()
    taken = time.perf_counter() - start
    if status not in statuses:
        raise SystemExit(f"{os.path.basename(sys.argv[0])}: {command}: status {status}")
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


def pairs(theirs, ours, count=PAIRS, before=None, compare=lambda output: output, statuses=(0,)):
    """Returns the medians of both commands' times, and median and quartiles of their ratio."""
    if before is None:
        run(theirs, isinstance(theirs, str), statuses)
        run(ours, isinstance(ours, str), statuses)
    results, ratios = ([], []), []
    for _ in range(count):
        order = [0, 1]
        random.shuffle(order)
        pair, outputs = [0.0, 0.0], [b"", b""]
        for which in order:
            command = (theirs, ours)[which]
            if before:
                before()
            pair[which], outputs[which] = run(command, isinstance(command, str), statuses)
        if compare(outputs[0]) != compare(outputs[1]):
            raise SystemExit(f"{os.path.basename(sys.argv[0])}: different output: {theirs} and {ours}")
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


def row(section, what, theirs, ours, aim=1, with_memory=True, **options):
    (a, b), (low, middle, high) = pairs(theirs, ours, **options)
    memory = peak(ours) if with_memory and isinstance(ours, list) else "–"
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
    """Returns the first line that a program prints about its version."""
    for option in ["--version", "-V"]:
        done = subprocess.run([program, option], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        lines = done.stdout.decode().splitlines()
        if done.returncode == 0 and lines:
            return lines[0].strip() if program in lines[0] else f"{program} {lines[0].strip()}"
    return f"{program}, version unknown"


def cpu():
    """Returns the name of the processor."""
    with open("/proc/cpuinfo", encoding="utf-8") as f:
        return next((line.split(":")[1].strip() for line in f if line.startswith("model name")), platform.processor())


def sources(hashmill, page):
    """Prints which sources a page is made from."""
    xtask = os.path.join(os.path.dirname(hashmill), "xtask")
    line = subprocess.run([xtask, "stale", "--root", ROOT, "--line", page], check=True, stdout=subprocess.PIPE).stdout
    print(line.decode().rstrip())
