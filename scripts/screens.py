#!/usr/bin/env python3
"""screens.py HASHMILL [FOLDER]: writes the README's terminal pictures as SVG to FOLDER (docs/pictures).

Every picture is what tmux shows when the commands run: nothing in it is written by hand."""

import html
import os
import subprocess
import sys
import tempfile
import time

WIDTH, CELL, LINE = 92, 8.43, 19


class Screen:
    """A separate terminal, with hashmill first on its PATH."""

    def __init__(self, folder, hashmill):
        self.socket = os.path.join(folder, "socket")
        bin_folder = os.path.join(folder, "bin")
        os.makedirs(bin_folder, exist_ok=True)
        os.symlink(os.path.abspath(hashmill), os.path.join(bin_folder, "hashmill"))
        home = os.path.join(folder, "home")
        os.makedirs(home, exist_ok=True)
        environment = {"PATH": f"{bin_folder}:{os.environ['PATH']}", "HOME": home, "LANG": "C.UTF-8", "TERM": "xterm-256color"}
        self.home = home
        self.environment = environment
        self.tmux("-f", "/dev/null", "new-session", "-d", "-x", str(WIDTH), "-y", "24", "bash --norc --noprofile")
        self.type("PS1='$ '; clear")
        time.sleep(0.5)

    def tmux(self, *words):
        done = subprocess.run(["tmux", "-S", self.socket, *words], env=self.environment, cwd=self.home, stdout=subprocess.PIPE, check=True)
        return done.stdout.decode()

    def type(self, line):
        self.tmux("send-keys", "-l", line)
        self.tmux("send-keys", "Enter")

    def rows(self):
        return self.tmux("capture-pane", "-p").rstrip("\n").split("\n")

    def wait(self, seen):
        """Returns the rows once something has appeared on them."""
        for _ in range(600):
            rows = self.rows()
            if seen(rows):
                return rows
            time.sleep(0.1)
        raise SystemExit("screens.py: this is all there was to see:\n" + "\n".join(self.rows()))

    def end(self):
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], check=False)


def picture(rows, path):
    height = LINE * len(rows) + 28
    width = round(CELL * WIDTH + 32)
    text = ""
    for i, row in enumerate(rows):
        bad = ' fill="#e06c75"' if "FAILED" in row or "WARNING" in row else ""
        text += f'<text x="16" y="{30 + LINE * i}" xml:space="preserve"{bad}>{html.escape(row)}</text>\n'
    with open(path, "w", encoding="utf-8") as f:
        f.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}">\n'
                f'<rect width="100%" height="100%" rx="8" fill="#1e2127"/>\n'
                f'<g font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="14" fill="#d7dae0">\n{text}</g>\n</svg>\n')


def main():
    if len(sys.argv) < 2:
        raise SystemExit("screens.py: which hashmill?")
    folder = sys.argv[2] if len(sys.argv) > 2 else os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "docs", "pictures")
    os.makedirs(folder, exist_ok=True)
    with tempfile.TemporaryDirectory() as work:
        screen = Screen(work, sys.argv[1])
        try:
            for name, size in [("debian.iso", 700), ("photos.tar", 900), ("backup.img", 1400)]:
                with open(os.path.join(screen.home, name), "wb") as f:
                    f.truncate(size << 20)
            screen.type("hashmill sum -a sha3-512 *.iso *.tar *.img > SUMS")
            picture(screen.wait(lambda rows: any("ETA" in row for row in rows)), os.path.join(folder, "progress.svg"))
            screen.tmux("send-keys", "C-c")
            screen.type("clear; for f in 1 2 3 4; do seq $f 1000 > IMG_000$f.jpg; done; hashmill sum *.jpg > SHA256SUMS; clear")
            time.sleep(1)
            screen.type("echo oops >> IMG_0002.jpg; rm IMG_0004.jpg")
            screen.type("hashmill check SHA256SUMS; echo status $?")
            picture(screen.wait(lambda rows: any(row.startswith("status") for row in rows))[:-1], os.path.join(folder, "check.svg"))
        finally:
            screen.end()


main()
