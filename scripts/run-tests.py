#!/usr/bin/env python3
"""Builds tests with cargo and runs them, as many test programs at a time as there are CPUs.

    scripts/run-tests.py [--wrap COMMAND] [--only PROGRAM[:FILTER | :-TEST...],...] [CARGO TEST'S OPTIONS]

cargo runs one program after the other, and half of ours spend their end waiting for one slow test. The output of each
program is printed in one piece, so that cargo's `test result:` lines can be added up; the slowest programs of the last
run start first. COMMAND (an emulator) runs each program. Documentation tests are run by cargo itself, unless something
is emulated or left out. The exit status is 1 if anything failed.
"""

import argparse
import glob
import json
import os
import shlex
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

sys.dont_write_bytecode = True
import bare


def build(options):
    """Builds the tests and returns the programs as (name, path, package folder)."""
    command = [os.environ.get("CARGO", "cargo"), "test", "--quiet", "--no-run", "--message-format=json-render-diagnostics", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as cargo:
        messages = [json.loads(line) for line in cargo.stdout if line.startswith("{")]
    if cargo.returncode != 0:
        sys.exit(1)
    programs = []
    for m in messages:
        if m.get("reason") == "compiler-artifact" and m.get("executable") and m["profile"]["test"]:
            folder = os.path.dirname(m["manifest_path"])
            target = m["target"]
            kind = "" if target["kind"] == ["test"] else " " + target["kind"][0]
            programs.append((f"{os.path.basename(folder)}/{target['name']}{kind}", m["executable"], folder))
    return programs


# A test program that runs for longer than this is stuck. Emulated programs take several times as long.
PATIENCE = 15 * 60
PATIENCE_EMULATED = 40 * 60


def descendants(root):
    """Describes a process and its descendants, one line each: the command, its state and where in the kernel its
    threads wait."""
    children = {}
    for stat in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(stat, encoding="utf-8", errors="replace") as f:
                pid, rest = stat.split("/")[2], f.read().rpartition(")")[2].split()
            children.setdefault(int(rest[1]), []).append(int(pid))
        except OSError:
            pass  # It has ended meanwhile.
    lines = []

    def describe(pid, depth):
        def text(name):
            try:
                with open(f"/proc/{pid}/{name}", "rb") as f:
                    return f.read().replace(b"\0", b" ").decode(errors="replace").strip()
            except OSError:
                return "?"

        threads = sorted({f"{text(f'task/{t}/comm')}: {text(f'task/{t}/wchan')}" for t in os.listdir(f"/proc/{pid}/task")})
        lines.append(f"{'  ' * depth}{pid} {text('cmdline')[:300]} [{'; '.join(threads)[:2000]}]")
        for child in sorted(children.get(pid, [])):
            try:
                describe(child, depth + 1)
            except OSError:
                pass

    try:
        describe(root, 1)
    except OSError:
        pass
    return "\n".join(lines)


RUNNING = {}


def stop(number, _):
    """Kills the running programs when this script is killed, and prints what they were doing."""
    for name, program in list(RUNNING.items()):
        print(f"--- {name} was running:\n{descendants(program.pid)}", flush=True)
        try:
            os.killpg(program.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    os._exit(128 + number)


def run_program(name, command, patience, **options):
    """Runs a program in its own process group. Returns its status, its output, and what was running if it timed out."""
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True,
                          **options) as program:
        RUNNING[name] = program
        try:
            output, _ = program.communicate(timeout=patience)
            return program.returncode, output, None
        except subprocess.TimeoutExpired:
            stuck = descendants(program.pid)
            os.killpg(program.pid, signal.SIGKILL)
            try:
                output, _ = program.communicate(timeout=60)
            except subprocess.TimeoutExpired as e:  # A process outside the group still holds its output.
                output = e.output or b""
            return program.returncode, output, stuck
        finally:
            del RUNNING[name]


def main():
    parser = argparse.ArgumentParser(description="Builds tests and runs them side by side.")
    parser.add_argument("--wrap", default="", help="a command to run each program with")
    parser.add_argument("--only", default="", help="PROGRAM[:FILTER] with commas: only these programs, only tests with FILTER in their names; "
                        "PROGRAM:-TEST:-TEST: all but these")
    args, options = parser.parse_known_args()
    bare.environment()

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)

    programs = build(options)
    only = dict(item.partition(":")[::2] for item in args.only.split(",") if item)
    if only:
        unknown = set(only) - {name for name, _, _ in programs}
        if unknown:
            sys.exit(f"run-tests: no such programs: {', '.join(sorted(unknown))}; there are {', '.join(name for name, _, _ in programs)}")
        programs = [p for p in programs if p[0] in only]

    target = os.environ.get("CARGO_TARGET_DIR", "target")
    os.makedirs(os.path.join(target, "tmp"), exist_ok=True)
    timings = os.path.join(target, "tmp", "timings.json")
    try:
        with open(timings, encoding="utf-8") as f:
            took = json.load(f)
    except (OSError, ValueError):
        took = {}
    programs.sort(key=lambda p: -took.get(p[0], 1e9))

    sysroot = subprocess.run([os.environ.get("RUSTC", "rustc"), "--print", "sysroot"], capture_output=True, text=True, check=True).stdout.strip()
    libraries = [*glob.glob(os.path.join(sysroot, "lib", "rustlib", "*", "lib")), *filter(None, [os.environ.get("LD_LIBRARY_PATH")])]
    print_lock = threading.Lock()
    bad = []

    def run(program):
        name, path, folder = program
        wanted = [f for f in only.get(name, "").split(":") if f]
        filters = [f for f in wanted if not f.startswith("-")]
        left_out = [f[1:] for f in wanted if f.startswith("-")]
        chosen = filters + [option for f in left_out for option in ("--skip", f)]
        env = dict(os.environ, CARGO_MANIFEST_DIR=folder)
        if name.endswith(" proc-macro"):  # links the compiler's standard library
            env["LD_LIBRARY_PATH"] = ":".join(libraries)
        start = time.monotonic()
        patience = PATIENCE_EMULATED if args.wrap else PATIENCE
        if os.environ.get("HASHMILL_TEST_TIER") == "long":
            patience = None
        status, printed, stuck = run_program(name, [*shlex.split(args.wrap), path, "--quiet", *chosen], patience, cwd=folder, env=env)
        seconds = time.monotonic() - start
        with print_lock:
            took[name] = seconds
            lines = printed.decode(errors="replace").strip("\n").split("\n")
            # For every process, qemu lists the features of the CPU model that it does not support.
            output = "\n".join(line for line in lines if "TCG doesn't support requested feature" not in line)
            # A filter that matches no test would always pass.
            nothing = filters and "running 0 tests" in output or left_out and f"; {len(left_out)} filtered out" not in output
            if status != 0 or nothing:
                bad.append(name)
                # A killed program prints no result line, but must not be taken for one without tests.
                if "test result: FAILED" not in output:
                    why = f"no test answers to '{only[name]}'" if nothing else f"ended with status {status}"
                    if stuck is not None:
                        why = f"killed after {patience / 60:g} minutes, when this was running:\n{stuck}"
                    output += f"\n{name}: {why}\ntest result: FAILED. 0 passed; 1 failed"
            print(f"--- {name}, {seconds:.1f} s\n{output}", flush=True)

    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        for each in [pool.submit(run, p) for p in programs]:
            each.result()

    with open(timings + ".new", "w", encoding="utf-8") as f:
        json.dump(took, f)
    os.replace(timings + ".new", timings)

    if not only and not args.wrap:
        documentation = [os.environ.get("CARGO", "cargo"), "test", "--doc", "--quiet", "--no-fail-fast", *options]
        if subprocess.run(documentation, check=False).returncode != 0:
            bad.append("documentation")
    if bad:
        sys.exit(f"run-tests: failed: {', '.join(bad)}")


main()
