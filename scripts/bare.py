#!/usr/bin/env python3
"""The machine's programs as they are by themselves: nothing of hashmill that is installed, and no configuration of the
caller's, may change a test or a measurement.

    bare=$(scripts/bare.py) && eval "$bare" || exit 1     in a shell script
    bare.environment()                                    in a Python script, with this folder in sys.path

Both change the environment of the script and of everything that it starts. They remove the variables that configure
programs or name other libraries and headers (`REMOVED`). If a program in PATH is hashmill under that program's name
(`hashmill links`), a folder with links to the originals comes first in PATH; a program whose original is not installed
fails with one line.
"""

import os
import shlex
import shutil
import subprocess

# The names under which hashmill may be installed (`hashmill links`).
NAMES = ["md5sum", "sha1sum", "sha224sum", "sha256sum", "sha384sum", "sha512sum", "b2sum", "cksum", "sum", "b3sum",
         "xxhsum", "xxh32sum", "xxh64sum", "xxh128sum", "xxh3sum"]

REMOVED = [
    # shells and tools
    "BASH_ENV", "ENV", "CDPATH", "ZDOTDIR", "POSIXLY_CORRECT", "GREP_OPTIONS", "GREP_COLORS", "COLUMNS", "LINES", "TIME_STYLE",
    "BLOCK_SIZE", "QUOTING_STYLE", "GLIBC_TUNABLES", "RAYON_NUM_THREADS", "PERL5LIB", "PERL5OPT", "RSYNC_RSH",
    # PHP and its test runner
    "PHPRC", "PHP_INI_SCAN_DIR", "TEST_PHP_ARGS", "TEST_PHP_EXECUTABLE", "TEST_PHP_USER", "USE_ZEND_ALLOC",
    # Python
    "PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONWARNINGS", "PYTHONOPTIMIZE", "PYTHONHASHSEED",
    # Go
    "GOFLAGS", "GODEBUG", "GOEXPERIMENT", "GOARCH", "GOOS", "GOAMD64", "GOGC", "GOMAXPROCS", "GOMEMLIMIT", "GOWORK",
    "CGO_ENABLED", "CGO_CFLAGS", "CGO_CPPFLAGS", "CGO_CXXFLAGS", "CGO_LDFLAGS",
    # OpenSSL
    "OPENSSL_MODULES", "OPENSSL_ENGINES", "OPENSSL_ia32cap",
    # the loader: it would look for libhashmill there before it looks where a program was told to
    "LD_LIBRARY_PATH",
    # the compilers and pkg-config: they would find headers and libraries there first
    "CPATH", "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "PKG_CONFIG_PATH", "PKG_CONFIG_LIBDIR",
    # hashmill
    "HASHMILL_KERNEL",
]

# No openssl.cnf is read, and no file with settings for Go.
SET = {"OPENSSL_CONF": "/dev/null", "GOENV": "off"}

# What is done already for a script need not be done for the scripts that it starts, which may set some of REMOVED.
DONE = "HASHMILL_TEST_BARE"


def is_hashmill(program):
    """Returns whether a program is hashmill, under whatever name: `md5sum (hashmill) 1.2.3`."""
    try:
        done = subprocess.run([program, "--version"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    except OSError:
        return False
    line = done.stdout.split(b"\n")[0]
    return line.startswith(b"hashmill ") or b" (hashmill)" in line


def original(name):
    """Returns the first program of this name in PATH that is not hashmill, or None, and whether hashmill was passed
    over."""
    ours = False
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        program = shutil.which(os.path.join(os.path.abspath(folder), name))
        if program and not is_hashmill(program):
            return program, ours
        ours = ours or program is not None
    return None, ours


def put_originals(folder):
    """Creates the folder of links to originals if a name in PATH is hashmill. Returns whether it is needed."""
    found = {name: original(name) for name in NAMES}
    if not any(ours for _, ours in found.values()):
        return False
    os.makedirs(folder, exist_ok=True)
    for name, (program, ours) in found.items():
        link = os.path.join(folder, name)
        # Other scripts may be using the link at this moment.
        new = f"{link}.{os.getpid()}"
        if program:
            os.symlink(program, new)
        elif ours:
            with open(new, "w", encoding="utf-8") as f:
                f.write(f"#!/bin/sh\necho '{name} in PATH is hashmill; the original was not found' >&2\nexit 127\n")
            os.chmod(new, 0o755)
        else:
            continue
        os.replace(new, link)
    return True


def changes():
    """Returns the variables to change, name to value, or to None if it is to be removed; and a folder to put first in
    PATH, or None."""
    if os.environ.get(DONE):
        return {}, None
    changed = {name: None for name in REMOVED if name in os.environ} | SET | {DONE: "1"}
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    folder = os.path.join(os.path.abspath(os.environ.get("CARGO_TARGET_DIR") or os.path.join(root, "target")), "originals")
    return changed, folder if put_originals(folder) else None


def environment():
    """Changes the environment of this process."""
    changed, folder = changes()
    if folder:
        changed["PATH"] = os.pathsep.join([folder, os.environ.get("PATH", os.defpath)])
    for name, value in changed.items():
        if value is None:
            del os.environ[name]
        else:
            os.environ[name] = value


def main():
    changed, folder = changes()
    for name, value in changed.items():
        print(f"unset {name}" if value is None else f"export {name}={shlex.quote(value)}")
    if folder:
        # Not this process's PATH: a wrapper of Python may have changed that.
        print(f"export PATH={shlex.quote(folder)}:\"$PATH\"")


if __name__ == "__main__":
    main()
