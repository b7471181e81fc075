#!/usr/bin/env python3
"""windows.py HASHMILL.EXE WINE: the commands sum, check, list, links and the programs of other names, as Windows programs in wine.

All digests are compared with Python's own. Prints a line for each test that fails, and ends with a `test result:` line
like cargo's."""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import traceback

EXE, WINE = os.path.abspath(sys.argv[1]), sys.argv[2]
CONTENTS = {"a.txt": b"a\n", "text.bin": b"x\r\ny\x1az\n\r", "empty": b"", "sub/b": b"b" * 100_000, "sub/deep/\u00fc \u00f1.txt": b"c",
            "-dash": b"d", "sub/\u65e5\u672c": b"e", "long": bytes(range(256)) * 20_000}


class Folder:
    """A folder with files, in which the program runs."""

    def __init__(self):
        self.path = tempfile.mkdtemp()
        for name, content in CONTENTS.items():
            self.write(name, content)

    def write(self, name, content):
        path = os.path.join(self.path, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(content)

    def read(self, name):
        with open(os.path.join(self.path, name), "rb") as f:
            return f.read()

    def run(self, *args, stdin=b"", exe=EXE, status=0):
        """Runs the program and returns its standard output and standard error."""
        ran = subprocess.run([WINE, exe, *args], cwd=self.path, input=stdin, capture_output=True, timeout=300, check=False)
        if ran.returncode != status:
            raise AssertionError(f"{args}: status {ran.returncode}, {ran.stdout!r}, {ran.stderr!r}")
        return ran.stdout, ran.stderr


def line(name, shown=None, algorithm="sha256"):
    return f"{hashlib.new(algorithm, CONTENTS[name]).hexdigest()}  {shown or name}\n".encode()


def same(got, wanted):
    if got != wanted:
        raise AssertionError(f"got {got!r}, wanted {wanted!r}")


def names_have_slashes(f):
    for typed, shown in [("a.txt", "a.txt"), ("sub\\b", "sub/b"), (".\\sub/b", "./sub/b")]:
        same(f.run("sum", typed), (line(shown.removeprefix("./"), shown), b""))


def trees_and_their_lists(f):
    names = sorted(CONTENTS, key=lambda n: [p.encode() for p in n.split("/")])
    wanted = b"".join(line(n, f"./{n}") for n in names)
    same(f.run("sum", "-r", "."), (wanted, b""))
    f.run("sum", "-r", ".", "-o", "list.txt")
    same(f.read("list.txt"), wanted)
    # The list never contains itself, whether it is new or already exists.
    f.run("sum", "-r", ".", "-o", "list.txt")
    same(f.read("list.txt"), wanted)
    same(f.run("check", "--quiet", "list.txt"), (b"", b""))
    same([n for n in os.listdir(f.path) if "hashmill" in n], [])


def drives(f):
    path = "Z:" + os.path.join(f.path, "sub", "b").replace("/", "\\")
    same(f.run("sum", path), (line("sub/b", path.replace("\\", "/")), b""))
    f.write("drive.sha256", line("sub/b", path))
    same(f.run("check", "drive.sha256")[0], f"{path}: OK\n".encode())


def long_paths(f):
    name = "/".join(["d" * 100] * 4) + "/" + "n" * 200
    f.write(name, b"deep")
    wanted = f"{hashlib.sha256(b'deep').hexdigest()}  {name}\n".encode()
    same(f.run("sum", "-r", "d" * 100), (wanted, b""))
    f.write("deep.sha256", wanted)
    same(f.run("check", "--quiet", "deep.sha256"), (b"", b""))


def text_is_bytes(f):
    wanted = line("text.bin", "-")
    for option in [[], ["-b"], ["-t"]]:
        same(f.run("sum", *option, "-", stdin=CONTENTS["text.bin"])[0].replace(b" *", b"  "), wanted)
    same(f.run("sha256sum", stdin=CONTENTS["text.bin"]), (wanted, b""))
    if b"\r" in f.run("list")[0]:
        raise AssertionError("carriage returns")


def lists_from_windows(f):
    lines = line("a.txt") + line("sub/b", "sub\\b")
    f.write("crlf.sha256", lines.replace(b"\n", b"\r\n"))
    same(f.run("check", "crlf.sha256")[0], b"a.txt: OK\nsub\\b: OK\n")
    f.write("bom.sha256", b"\xef\xbb\xbf" + line("a.txt").replace(b"\n", b"\r\n"))
    same(f.run("check", "bom.sha256")[0], b"a.txt: OK\n")
    same(f.run("check", "-", stdin=lines)[0], b"a.txt: OK\nsub\\b: OK\n")


def what_fails(f):
    wrong = line("a.txt").replace(b"a.txt", b"sub/b") + line("a.txt", "nosuch") + line("a.txt")
    f.write("wrong.sha256", wrong)
    out, err = f.run("check", "wrong.sha256", status=1)
    if b"a.txt: OK" not in out or b"sub/b: FAILED" not in out or b"nosuch" not in out + err:
        raise AssertionError(f"{out!r} {err!r}")
    out, err = f.run("sum", "nosuch", "sub", "a.txt", status=1)
    same(out, line("a.txt"))
    if b"nosuch: no such file or directory\n" not in err or b"sub: is a directory" not in err:
        raise AssertionError(f"{err!r}")
    same(f.run("md5sum", "nosuch", status=1)[1], b"md5sum: nosuch: No such file or directory\n")
    if b"did you mean" not in f.run("sum", "-a", "sha265", "a.txt", status=2)[1]:
        raise AssertionError("no name is suggested")


def devices(f):
    same(f.run("sum", "NUL"), (f"{hashlib.sha256().hexdigest()}  NUL\n".encode(), b""))


def under_other_names(f):
    for name, algorithm in [("md5sum", "md5"), ("SHA512SUM", "sha512")]:
        exe = os.path.join(f.path, f"{name}.exe")
        shutil.copyfile(EXE, exe)
        same(f.run("a.txt", "sub\\b", exe=exe), (line("a.txt", algorithm=algorithm) + line("sub/b", algorithm=algorithm), b""))


def links(f):
    os.mkdir(os.path.join(f.path, "bin"))
    first = f.run("links", "bin")[0]
    if b"md5sum.exe" not in first or not os.path.exists(os.path.join(f.path, "bin", "md5sum.exe")):
        raise AssertionError(f"{first!r}")
    again = f.run("links", "bin")[0]
    if b"md5sum.exe is there already" not in again:
        raise AssertionError(f"{again!r}")
    same(f.run("a.txt", exe=os.path.join(f.path, "bin", "md5sum.exe")), (line("a.txt", algorithm="md5"), b""))


def several_at_once(f):
    out = f.run("sum", "-a", "md5,sha1", "--json", "long")[0].decode()
    for algorithm in ["md5", "sha1"]:
        if hashlib.new(algorithm, CONTENTS["long"]).hexdigest() not in out:
            raise AssertionError(out)


def help_is_there(f):
    for args in [["--help"], ["sum", "--help"], ["check", "--help"], ["help", "list"]]:
        if b"Usage: hashmill" not in f.run(*args)[0]:
            raise AssertionError(args)


def what_was_left_out(f):
    for name, feature in [("copy", "copy"), ("speed", "measure"), ("bench", "measure"), ("results", "measure")]:
        same(f.run(name, "--help", status=2),
             (b"", f"hashmill: {name}: not in this build; enable the feature '{feature}' of the crate hashmill-cli\n".encode()))
        if f"  {name} ".encode() in f.run("--help")[0]:
            raise AssertionError(name)


def main():
    tests = [names_have_slashes, trees_and_their_lists, drives, long_paths, text_is_bytes, lists_from_windows, what_fails, devices,
             under_other_names, links, several_at_once, help_is_there, what_was_left_out]
    # Programs that wine starts in the background would keep the pipes of the first test open.
    nothing = subprocess.DEVNULL
    subprocess.run([WINE, EXE, "--version"], stdin=nothing, stdout=nothing, stderr=nothing, timeout=300, check=True)
    failed = 0
    for test in tests:
        folder = Folder()
        try:
            test(folder)
        except Exception:  # pylint: disable=broad-exception-caught
            failed += 1
            print(f"{test.__name__} --- FAILED\n{traceback.format_exc()}")
        finally:
            shutil.rmtree(folder.path, ignore_errors=True)
    print(f"test result: {'FAILED' if failed else 'ok'}. {len(tests) - failed} passed; {failed} failed; the command in wine")
    sys.exit(failed != 0)


main()
