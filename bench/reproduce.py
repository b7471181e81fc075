#!/usr/bin/env python3
"""reproduce.py: measures again what others published (bench/published.json) and writes docs/reproduce.md.

Needs an idle machine, hashmill built with --release, the photos of bench/photos.sh, and about half an hour. What is missing
(PHP, Go, the openssl command) is named in the page. --quick measures less of everything, to check that it works.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(ROOT, "scripts"))
import bare
# Names in the surveys that mean another function here or do not exist here.
PHP_ONLY = {"crc32": "crc32-php", "crc32b": "crc32"}
# Names under which the extension registers the photo script's algorithms.
PHP_FINALISTS = {"skein512-512": "skein512"}


def say(text):
    print(f"reproduce: {text}", file=sys.stderr, flush=True)


def run(command, **options):
    """Returns a command's standard output, or None if it failed, with a message."""
    say(" ".join(command))
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False, **options)
    if done.returncode != 0:
        say(f"{os.path.basename(command[0])}: status {done.returncode}")
        return None
    return done.stdout


class Page:
    """The page under construction."""

    def __init__(self):
        self.lines = []
        self.warnings = set()

    def text(self, *lines):
        self.lines += [*lines, ""]

    def table(self, head, rows):
        self.lines.append("| " + " | ".join(head) + " |")
        self.lines.append("|" + "|".join(["---"] + ["---:"] * (len(head) - 1)) + "|")
        self.lines += ["| " + " | ".join(row) + " |" for row in rows]
        self.lines.append("")

    def conclusions(self, rows):
        """Adds the original's conclusions, whether they hold here, and why."""
        self.lines += ["| the original's conclusion | here | why |", "|---|---|---|"]
        self.lines += ["| " + " | ".join(row) + " |" for row in rows]
        self.lines.append("")


def seconds(x):
    return "–" if x is None else f"{x:.6f}"


def times(published, here):
    """Returns the speed relative to the published one."""
    return "–" if not published or not here else f"{published / here:.1f}×"


def spread(s, digits=2, scale=1.0):
    low, high = s["interval"]
    return f"{s['median'] * scale:.{digits}f} [{low * scale:.{digits}f}, {high * scale:.{digits}f}]"


def grouped(x):
    """Returns a whole number with its digits in groups of three."""
    return f"{x:,.0f}".replace(",", " ")


def sources(page):
    """Returns the line that names what a page measured, for `make stale`."""
    xtask = os.path.join(os.environ.get("CARGO_TARGET_DIR") or os.path.join(ROOT, "target"), "release", "xtask")
    return run([xtask, "stale", "--root", ROOT, "--line", page]).strip()


def holds(yes):
    return "holds" if yes else "does not hold"


class Measure:
    """Runs hashmill and reads its JSON."""

    def __init__(self, hashmill, quick, page):
        self.hashmill, self.quick, self.page = hashmill, quick, page

    def json(self, *args):
        # The exit status is 1 if something could not be measured; lines on stderr name it.
        command = [self.hashmill, *args, "--json"]
        say(" ".join(["hashmill", *args]))
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
        if not done.stdout:
            say(f"nothing measured: status {done.returncode}")
            return None
        result = json.loads(done.stdout)
        self.page.warnings |= set(result["warnings"])
        return result


def resolve(name, known):
    """Returns the canonical name of an algorithm in a survey."""
    return name if name in known else next((k for k in known if k.replace("-", ",") == name), name)


def php_extension(quick):
    """Measures PHP's extension with bench/php/run, which writes its own page."""
    if not shutil.which("phpize"):
        return None
    target = os.environ.get("CARGO_TARGET_DIR") or os.path.join(ROOT, "target")
    command = [os.path.join(HERE, "php", "run")] + (["5", os.path.join(target, "php", "quick.md")] if quick else [])
    if run(command) is None:
        return None
    with open(os.path.join(target, "php", "results.json"), encoding="utf-8") as f:
        return json.load(f)


def from_pascal(quick):
    """Measures calls from Pascal with bench/pascal/run, which writes its own page."""
    if not shutil.which("fpc"):
        return None
    target = os.environ.get("CARGO_TARGET_DIR") or os.path.join(ROOT, "target")
    command = [os.path.join(HERE, "pascal", "run")] + (["5", os.path.join(target, "pascal", "quick.md")] if quick else [])
    if run(command) is None:
        return None
    with open(os.path.join(target, "pascal", "results.json"), encoding="utf-8") as f:
        return json.load(f)


def from_go(quick):
    """Go's ways to read, measured by bench/go/run, which writes a page of its own: the values of each unit by name."""
    if not shutil.which("go"):
        return "Go is not installed here", {}
    target = os.environ.get("CARGO_TARGET_DIR") or os.path.join(ROOT, "target")
    command = [os.path.join(HERE, "go", "run")] + (["5", os.path.join(target, "go", "quick.md")] if quick else [])
    if run(command) is None:
        return "Go could not be measured here", {}
    with open(os.path.join(target, "go", "results.json"), encoding="utf-8") as f:
        data = json.load(f)
    found = {}
    for name, values in data["readers"].items():
        kind, maker, way = re.match(r"(\w+)/hash=(\w+)/way=(\w+)$", name).groups()
        if maker == "crypto":
            found[("Net" if kind == "HTTP" else "") + way] = values
    return data["cgo"]["go"], found


def survey(m, page, published, extension):
    """The loop survey of PHP's hashes."""
    page.text("## 1. The survey of PHP's hashes", "",
              "5000 iterations of `hash()` on random messages of 5 and 5000 bytes, seconds. *here* is PHP on this machine and, on the same",
              "messages, hashmill called from Rust; then hashmill's speed over PHP's, from alternated slices, and that of the extension's",
              "`hashmill\\hash()` over `hash()` in one PHP ([docs/php.md](php.md)).")
    within = {(c["algorithm"], c["bytes"]): c["ratio"] for c in extension["calls"]} if extension else {}
    rows = {machine: data["rows"] for machine, data in published["php_survey"].items()}
    names = list(rows["amd_fx8320_php5"])
    ours = {"gost": "gost94", "snefru": "snefru256"}
    algorithms = [PHP_ONLY.get(n, ours.get(n, n)) for n in names]
    chosen = list(dict.fromkeys(algorithms))
    data = m.json("bench", "loops", *chosen, "--size", "5,5000", "--peer", "php", "--peer-reps", "20" if m.quick else "100", "--reps", "3" if m.quick else "7")
    if not data:
        return None
    here = {}
    for r in data["details"]["rows"]:
        here[r["algorithm"], r["bytes"]] = r
    canonical = {n: a for n, a in zip(names, algorithms)}
    aliases = {n: resolve(a, {k for k, _ in here}) for n, a in canonical.items()}
    php_version = next((s["version"] for s in data["series"] if s["by"] == "php"), "PHP is not installed here")
    for size in (5, 5000):
        table = []
        # Two names of one algorithm are measured once and share a row.
        groups = {}
        for n in names:
            groups.setdefault(aliases[n], []).append(n)
        for same in groups.values():
            n = same[0]
            r = here.get((aliases[n], size))
            php = next((p for p in r["peers"] if p["peer"] == "php"), None) if r else None
            at = 0 if size == 5 else 1
            was = [[rows["amd_fx8320_php5"][s][at] for s in same], [rows["i5_6600_php7"].get(s, [None, None])[at] for s in same]]
            fx, i5 = was[0][0], was[1][0]
            ours = php["our_seconds"] if php else r and r["seconds"]
            table.append([" = ".join(same), *(" / ".join(map(seconds, w)) for w in was), seconds(php and php["peer_seconds"]), seconds(ours),
                          times(i5 or fx, php and php["peer_seconds"]), times(i5 or fx, ours),
                          spread(php["ratio"]) if php else "–", spread(within[n, size]) if (n, size) in within else "–"])
        page.text(f"**{size} bytes** ({php_version}; × = times as fast as published, the i5 where it has the row, else the FX)")
        page.table(["algorithm", "FX-8320, PHP 5", "i5-6600, PHP 7", "PHP here", "hashmill here", "PHP ×", "hashmill ×",
                    "hashmill / PHP [95 %]", "in PHP, by the extension"], table)

    def php(name, size=5000):
        r = here.get((aliases[name], size))
        p = next((p for p in r["peers"] if p["peer"] == "php"), None) if r else None
        return p["peer_seconds"] if p else None

    def own(name, size=5000):
        r = here.get((aliases[name], size))
        p = next((p for p in r["peers"] if p["peer"] == "php"), None) if r else None
        return p["our_seconds"] if p else r and r["seconds"]
    return {"php": php, "ours": own, "names": names}


def survey_conclusions(page, here, kernels):
    """What the survey found out, and the two puzzles that it leaves open."""
    php, own = here["php"], here["ours"]
    if not php("md5"):
        page.text("Without PHP here its conclusions cannot be looked at: install it (Debian: php-cli) and repeat.")
        return
    cpb = kernels["cycles_per_byte"]
    gains = sorted((php(n) / own(n), n) for n in here["names"] if php(n) and own(n))
    same = [f"{n} {g:.1f}" for g, n in (gains[0], gains[len(gains) // 2], gains[-1])]
    ratio = {size: php("crc32b", size) / php("md5", size) for size in (5, 5000)}
    bytewise, md5 = cpb["crc32 bytewise"]["median"], cpb["md5 portable"]["median"]
    sha1, shani = cpb["sha1 portable"]["median"], cpb.get("sha1 shani", cpb["sha1 portable"])["median"]
    sha1_ratio = php("sha1") / php("md5")
    # For digests of 128 bits and more, on 5 and on 5000 bytes: how far the slowest is behind the fastest.
    digests = [n for n in here["names"] if not n.startswith(("crc", "fnv", "adler", "joaat"))]
    apart = {size: max(php(n, size) for n in digests) / min(php(n, size) for n in digests) for size in (5, 5000)}
    call = min(php(n, 5) for n in here["names"])
    page.conclusions([
        ["An implementation decides more than the algorithm.", holds(gains[-1][0] > 2),
         f"One algorithm, one message, two implementations: hashmill over PHP {', '.join(same)} (least, median, most)."],
        ["CRC-32, the simple one, is surprisingly slow: in nearly all PHP tests it takes about half of MD5's time, and on the i5 with 5000 bytes "
         "even longer than MD5 (repeated, and not explained).",
         f"{holds(ratio[5000] > 0.4)} today: {ratio[5]:.2f} of MD5's time on 5 bytes, {ratio[5000]:.2f} on 5000",
         "(In its tables CRC-32 takes 1.24 times MD5's time on the FX and 1.71 on the i5, with 5000 bytes.) The explanation: PHP looked up "
         "one byte at a time, and every look-up waits for the one before: load, exclusive or, shift. That loop takes "
         f"{bytewise:.1f} cycles a byte here, MD5's 64 steps {md5:.1f}: {bytewise / md5:.2f} times as long, as on the i5. PHP "
         "folds with carry-less multiplication by now, and the puzzle is gone."],
        ["In PHP there is hardly a difference between MD5 and SHA-1, except on the FX with 5000 bytes, where MD5 is twice as fast.",
         f"{holds(abs(sha1_ratio - 1) < 0.25)}: SHA-1 takes {sha1_ratio:.2f} times as long",
         "Both are bound by the chain of dependent operations, not by their number: SHA-1 has a quarter more steps, but each waits for fewer "
         f"operations. Our portable code: MD5 {md5:.2f}, SHA-1 {sha1:.2f} cycles a byte. The CPU's SHA instructions, which PHP does not "
         f"use, take {shani:.2f}."],
        ["For small messages the choice does not matter in PHP, whose loops and calls cost more than the digest; with large ones it does.",
         f"{holds(apart[5] < 10)} for small, {holds(apart[5000] > 3)} for large",
         f"From the fastest digest to the slowest it is {apart[5]:.0f} times on 5 bytes and {apart[5000]:.0f} on 5000. The quickest call on 5 bytes takes "
         f"{call / 5000 * 1e9:.0f} ns, MD5's {php('md5', 5) / 5000 * 1e9:.0f}, MD2's {php('md2', 5) / 5000 * 1e9:.0f}: padding makes every message a whole "
         "block, so even small ones tell slow algorithms apart."],
        ["With large messages MD2 takes about ten times MD5's time (its own tables say 47 to 50), and nobody needs MD2.",
         f"{php('md2') / php('md5'):.0f} times",
         "18 rounds over 48 bytes for every 16, each look-up waiting for the one before. Nothing but lanes helps."],
        ["MD5 serves for ETags.", "not a measurement",
         "Whatever tells versions apart serves where nobody gains by two that are told the same; where somebody might, MD5's collisions are made in seconds."],
    ])


def native(m, page, published, here, kernels, pascal):
    page.text("## 2. Native libraries", "",
              "The same loop in a native Delphi library on the i5 (a 32-bit program), and hashmill here: called from Rust, and from Pascal by the unit for",
              "Free Pascal and Delphi ([docs/pascal.md](pascal.md)); PHP's time over that of the call from Pascal, in alternated turns.")
    rows = []
    names = {"crc32c (intel hw)": "crc32c"}
    data = m.json("bench", "loops", "crc32c", "--size", "5,5000", "--reps", "7")
    crc32c = {r["bytes"]: r["seconds"] for r in data["details"]["rows"]} if data else {}
    calls = {(r["algorithm"], r["bytes"]): r for r in pascal["original"]} if pascal else {}
    for name, figures in published["delphi_i5_6600_win32"]["rows"].items():
        for at, size in enumerate((5, 5000)):
            figure = figures[at]
            ours = crc32c.get(size) if name in names else here["ours"]({"crc32": "crc32b"}.get(name, name), size)
            call = calls.get((names.get(name, name), size), {})
            rows.append([name, str(size), f"{figure}" if isinstance(figure, str) else seconds(figure), seconds(ours), seconds(call.get("seconds")),
                         "–" if isinstance(figure, str) else times(figure, call.get("seconds")), spread(call["ratio"]) if "ratio" in call else "–"])
    page.table(["algorithm", "bytes", "published", "from Rust", "from Pascal", "×", "PHP's time / Pascal's [95 %]"], rows)
    cpb = kernels["cycles_per_byte"]
    k = published["kernels"]
    value = lambda name: cpb[name]["median"] if name in cpb else None
    best = lambda name: min(((v["median"], n) for n, v in cpb.items() if n.startswith(name + " ") and "bytewise" not in n
                             and "unrolled" not in n and "instruction" not in n), default=(None, None))
    show = lambda v: "–" if v is None else f"{v:.2f}"
    rows = [["MD5, one stream", f"{k['md5_asm_skylake_cycles_per_byte']} (assembly, Skylake)", show(value("md5 portable")), "portable Rust"],
            ["CRC-32, slicing by 8", f"{k['crc32_slicing8_skylake_cycles_per_byte']:.2f} (Skylake)", show(value("crc32 slicing8")),
             "eight look-ups; those of the message's bytes do not wait for the register"],
            ["CRC-32, slicing by 16", "–", show(value("crc32 portable")), "our `portable`: two such groups at once"],
            ["CRC-32, a byte at a time", f"{' or '.join(map(str, k['crc32_bytewise_instructions_per_byte']))} instructions a byte",
             show(value("crc32 bytewise")), instructions()],
            ["the same, one load for 8 bytes", "–", show(value("crc32 unrolled")), "as slow: it is the chain of look-ups that counts"],
            ["CRC-32C, the instruction", "–", show(value("crc32c instruction")), "one chain of `crc32` on 8 bytes: 3 cycles each"],
            ["CRC-32, our default", "–", show(best("crc32")[0]), str(best("crc32")[1])],
            ["CRC-32C, our default", "–", show(best("crc32c")[0]), str(best("crc32c")[1])]]
    for kernel in pascal["kernels"] if pascal else []:
        narrow = kernel.get("beside_cycles_per_byte")
        said = {"crc32/slicing8-asm": ("CRC-32, slicing by 8", f"{k['crc32_slicing8_skylake_cycles_per_byte']:.2f} (Skylake)"),
                "md5/asm": ("MD5", f"{k['md5_asm_skylake_cycles_per_byte']} (assembly, Skylake)")}.get(kernel["kernel"])
        if said:
            rows.append([f"{said[0]}, assembly in Pascal", said[1], show(kernel["cycles_per_byte"]["median"]),
                         "on 5000 bytes" + (f"; in a program of 32 bits, as the original was, {show(narrow['median'])}" if narrow else "")])
    page.text(f"Cycles per byte, 16 KiB, the core at {kernels['core_hertz'] / 1e9:.2f} GHz (measured):")
    page.table(["kernel", "published", "here", "what it is"], rows)
    instruction = value("crc32c instruction")
    gain = value("crc32 bytewise") / instruction if instruction else 0
    was, php7 = published["delphi_i5_6600_win32"]["rows"], published["php_survey"]["i5_6600_php7"]["rows"]
    then = {n: php7[n][0] / was[n][0] for n in ("md5", "sha1")}
    gains = lambda size: {n: calls[n, size]["ratio"]["median"] for n in ("md5", "sha1", "crc32") if "ratio" in calls.get((n, size), {})}
    small, large = gains(5), gains(5000)
    said = lambda gains: ", ".join(f"{n} {g:.1f}" for n, g in gains.items())
    rows = [["The CRC instruction is ten times as fast as the table.", f"{holds(gain >= 8)}: {gain:.0f} times" if gain else "no such instruction",
             "Against one byte at a time; against slicing by 8 it is "
             f"{value('crc32c slicing8') / instruction:.1f} times, by 16 {value('crc32c portable') / instruction:.1f}. It is another polynomial (CRC-32C), so not "
             "the same checksum; folding with carry-less multiplication is faster, and for every polynomial." if instruction else ""]]
    if small:
        rows.insert(0, ["Native code is about ten times as fast as PHP on 5 bytes; on 5000 its MD5 is a little faster, its SHA-1 slower, its CRC far ahead.",
                        f"{holds(max(small.values()) > 8)} on 5 bytes: {said(small)} times; on 5000: {said(large)}",
                        f"Native here is hashmill from Pascal. By its own tables it was {said(then)} times on 5 bytes, and CRC too quick for its clock. What PHP spends on a call is the same for all; it tells less where the digest itself takes "
                        "long. That SHA-1 was a 32-bit program's without the CPU's instructions."])
    page.conclusions(rows)


def instructions():
    """How many instructions the loop over single bytes has, from the built example's disassembly."""
    example = os.path.join(os.environ.get("CARGO_TARGET_DIR") or os.path.join(ROOT, "target"), "release", "examples", "published")
    if not shutil.which("objdump"):
        return "one look-up a byte"
    text = run(["objdump", "-d", "-C", "--no-show-raw-insn", example]) or ""
    found = re.search(r"<hashmill_bench::published::crc32_bytewise>:\n(.*?)\n\n", text, re.S)
    if not found:
        return "one look-up a byte"
    lines = [(int(l.split(":")[0], 16), l.split(":", 1)[1].split()) for l in found.group(1).splitlines() if ":" in l]
    # The longest loop: a backward jump and the instructions before it. One iteration may process several bytes, with
    # one table look-up each.
    best = None
    for at, words in lines:
        target = re.match(r"[0-9a-f]+$", words[1]) if len(words) > 1 and words[0].startswith("j") else None
        if target and int(words[1], 16) < at:
            body = [w for a, w in lines if int(words[1], 16) <= a <= at]
            looks = sum(any(",4)" in part for part in w) for w in body)
            if looks and (best is None or len(body) > best[0]):
                best = (len(body), looks)
    return f"{best[0] / best[1]:.1f} instructions a byte as compiled here" if best else "one look-up a byte"


def rounds(m, page, published, extension):
    p = published["sha3_finalists_photo_rounds"]
    page.text("## 3. The SHA-3 finalists on photos", "",
              f"{p['files']} files, each hashed twice, {grouped(p['bytes_hashed'])} bytes, seconds spent hashing in each of five rounds ({p['machine']}).",
              "Here: `hashmill bench files` on as many files with the same number of bytes (`bench/photos.sh`), one stream, the last two",
              "columns with all lanes; *PHP* is a script that knows nothing of hashmill (bench/php/unchanged/photos.php), with the extension loaded and without, the median",
              "of its five rounds.")
    php = {k: extension["rounds"][k]["rows"] for k in ("plain", "with")} if extension else {}
    script = lambda run, name: php.get(run, {}).get(name)
    middle_of = lambda row: f"{sorted(row['seconds'])[len(row['seconds']) // 2]:.3f}" if row else "–"
    photos = os.path.join(ROOT, "target", "bench", "photos")
    if run([os.path.join(HERE, "photos.sh"), photos]) is None:
        page.text("The photos could not be made: not measured.")
        return
    if m.quick:
        small = tempfile.mkdtemp()
        for name in sorted(os.listdir(photos))[:6]:
            os.symlink(os.path.join(photos, name), os.path.join(small, name))
    data = m.json("bench", "files", photos, "--reps", "1" if m.quick else "5")
    if not data:
        return
    names = {"MD5": "md5", "SHA-512": "sha512", "Skein-512": "skein512-512", "Keccak-512": "keccak512", "JH-512": "jh512",
             "Grøstl-512": "groestl512", "BLAKE-512": "blake512"}
    stream = {s["what"]: s for s in data["series"] if "stream" in s["mode"]}
    lanes = {s["what"]: s for s in data["series"] if "lanes" in s["mode"]}
    mean = lambda v: sum(v) / len(v)
    rows = []
    for title, figures in p["seconds"].items():
        s, l = stream[names[title]], lanes[names[title]]
        median = s["summary"]["median"]
        rows.append([title, " ".join(f"{v:.3f}" for v in figures), " ".join(f"{v:.3f}" for v in s["samples"]),
                     times(mean(figures), median), f"{l['summary']['median']:.3f}",
                     times(mean(figures), l["summary"]["median"]),
                     *(middle_of(script(run, PHP_FINALISTS.get(names[title], names[title]))) for run in ("plain", "with"))])
    page.table(["function", "published", "here, one stream", "×", "here, lanes", "×", "PHP", "PHP with the extension"], rows)
    d, was = data["details"], p["peak"]
    page.text(f"Bytes hashed here in each round: {grouped(d['bytes'])} in {d['files']} files; source and copy agreed for {d['same_in_source_and_copy']} files.")
    runs = [extension["rounds"][k] if extension else None for k in ("plain", "with")]
    figure = lambda key, form: [form.format(r[key]) if r else "–" for r in runs]
    page.table(["", "published", "here", "PHP", "PHP with the extension"], [
        ["peak load", f"{was['load_average']}", f"{d['peak_load']:.2f}" if d.get("peak_load") is not None else "–", *figure("peak_load", "{:.2f}")],
        ["CPU", f"{was['cpu_percent']} % at most", f"{100 * (d['user_seconds'] + d['system_seconds']) / d['wall_seconds']:.0f} % of one CPU", *figure("cpu_percent", "{:.0f} % of one CPU")],
        ["memory", f"{was['memory_percent']} % at most", f"{100 * (d['peak_memory'] or 0) / data['machine']['memory']:.1f} % at most, with the batches for the lanes",
         *figure("memory_percent", "{:.2f} %")]])
    took = {t: stream[n]["summary"]["median"] for t, n in names.items()}
    order = sorted(took, key=took.get)
    was = sorted(p["seconds"], key=lambda t: mean(p["seconds"][t]))
    finalists = [t for t in order if t not in ("MD5", "SHA-512")]
    page.conclusions([
        ["By its figures every finalist is faster than SHA-512.", holds(all(took[t] < took["SHA-512"] for t in finalists)),
         "PHP 5.3's SHA-512 was slow for its kind: 64-bit code for a CPU of 2008 that the compiler did little for. Here SHA-512 takes "
         f"{took['SHA-512'] / took['MD5']:.2f} times MD5's time, then {mean(p['seconds']['SHA-512']) / mean(p['seconds']['MD5']):.2f}."],
        ["By its figures Skein-512 is the fastest of them.", holds(finalists[0] == "Skein-512"),
         f"Here in order: {', '.join(order)}; then {', '.join(was)}. Skein has only additions, rotations and exclusive ors of 64-bit words."],
    ])


def machine_records(text):
    """`openssl speed -mr`'s records: rates by name, signatures and verifications by name."""
    found = {}
    for line in (text or "").splitlines():
        parts = line.split(":")
        if parts[0] == "+F":
            found[parts[2]] = [float(x) for x in parts[3:]]
        elif parts[0] == "+F2":
            found["rsa" + parts[2]] = [float(x) for x in parts[3:5]]
    return found


def speeds(m, names, sizes, legacy=False):
    """The same run of the real program and of ours, one size after the other."""
    time = "1" if m.quick else "3"
    theirs, ours = {}, {}
    openssl = shutil.which("openssl")
    provider = ["-provider", "default", "-provider", "legacy"] if legacy else []
    for size in sizes:
        shared = ["speed", "-mr", "-seconds", time, "-bytes", str(size)]
        for found, command in ((theirs, [openssl, *shared, *provider, *names] if openssl else None),
                               (ours, [m.hashmill, *shared, *names])):
            text = run(command, stderr=subprocess.DEVNULL) if command else ""
            for name, values in machine_records(text).items():
                found.setdefault(name, []).append(values[0] if not name.startswith("rsa") else values)
    return theirs, ours


def openssl(m, page, published):
    version = (run(["openssl", "version"]) or "no openssl command here").strip() if shutil.which("openssl") else "no openssl command here"
    page.text("## 4. openssl speed", "",
              f"Thousands of bytes per second. *openssl here* is the command itself ({version}), *hashmill here* is `hashmill speed` with the same",
              "options; digests are ours, ciphers and keys AWS-LC's. ratio: hashmill over openssl, both here.")
    p = published["openssl_1_1_0_i5_6600"]
    theirs, ours = speeds(m, ["md4", "md5", "sha1", "ripemd160", "whirlpool"], p["sizes"], legacy=True)
    k = lambda v: "–" if v is None else f"{v / 1e3:.0f}"
    get = lambda found, name, at: (found.get(name) or found.get({"ripemd160": "rmd160"}.get(name, name)) or [None] * 9)[at]
    ratio = lambda a, b: f"{a / b:.2f}" if a and b else "–"
    rows = []
    for name, figures in p["rows"].items():
        for at, size in enumerate(p["sizes"]):
            t, o = get(theirs, name, at), get(ours, name, at)
            rows.append([name, str(size), f"{figures[at]:.0f}", k(t), times(t and t / 1e3, figures[at]), k(o), ratio(o, t)])
    page.text("OpenSSL 1.1.0 on an i5-6600:")
    page.table(["algorithm", "bytes", "published", "openssl here", "×", "hashmill here", "ratio"], rows)
    p = published["openssl_1_1_1f_vm"]
    theirs, ours = speeds(m, ["md5", "aes-128-cbc"], p["sizes"])
    rows = []
    for name, key in (("md5", "md5"), ("aes-128-cbc", "aes-128 cbc")):
        for at, size in enumerate(p["sizes"]):
            t, o = get(theirs, name, at), get(ours, name, at)
            rows.append([name, str(size), f"{p[key][at]:.0f}", k(t), times(t and t / 1e3, p[key][at]), k(o), ratio(o, t)])
    page.text("OpenSSL 1.1.1f in a virtual machine:")
    page.table(["algorithm", "bytes", "published", "openssl here", "×", "hashmill here", "ratio"], rows)
    # Keys have no sizes.
    time = ["-seconds", "1" if m.quick else "10"]
    keys = {}
    for who, command in (("openssl", shutil.which("openssl")), ("hashmill", m.hashmill)):
        if command:
            keys[who] = machine_records(run([command, "speed", "-mr", *time, "rsa512"], stderr=subprocess.DEVNULL)).get("rsa512")
    rows = []
    for at, what in enumerate(("sign", "verify")):
        t, o = (keys.get(w) and keys[w][at] for w in ("openssl", "hashmill"))
        was = p["rsa512"][f"{what}_per_s"]
        rows.append([f"rsa512 {what}/s", f"{was:.0f}", "–" if not t else f"{t:.0f}", times(t, was), "–" if not o else f"{o:.0f}", ratio(o, t)])
    page.table(["operation", "published", "openssl here", "×", "hashmill here", "ratio"], rows)
    page.conclusions([[
        "It lacks comparison over time on one machine, and random data.", "both are in `hashmill speed`",
        "`--save` and `hashmill results compare`, `--data random`; the lines stay OpenSSL's. One run after the other, as in these tables, is what "
        "`--peer` avoids: its ratios are from slices of milliseconds in alternation."]])


def flags(m, page, published):
    p = published["maybeboost"]
    page.text("## 5. A generic C++ library", "",
              f"MaybeBoost's `hashsum` and coreutils on a file of {p['file_mib']} MiB, {p['times']} times, seconds ({p['compiler']}); here our C++ example of that name against",
              "coreutils on one file of that size, as often (`bench/cpp/run`; its whole page is",
              "[bindings/cpp/docs/performance.md](../bindings/cpp/docs/performance.md)).")
    # Quick measurements must not replace the bindings' page.
    target = os.environ.get("CARGO_TARGET_DIR") or os.path.join(ROOT, "target")
    kept = os.path.join(target, "cpp", "quick.md") if m.quick else os.path.join(ROOT, "bindings", "cpp", "docs", "performance.md")
    if run([os.path.join(ROOT, "bench", "cpp", "run"), "9" if m.quick else "101", kept]) is None:
        page.text("It was not measured: `bench/cpp/run` needs g++, clang++-19 and cargo.")
        return
    with open(os.path.join(target, "cpp", "results.json"), encoding="utf-8") as f:
        data = json.load(f)
    shown = lambda s: f"{s['median']:.2f} [{s['low']:.2f}, {s['high']:.2f}]"
    programs = {r["function"]: r for r in data["programs"] if r["files"] == 1}
    rows, verdicts = [], []
    for title, (core, lib, slower) in p["vs_coreutils"].items():
        r = programs[title]
        rows.append([title, f"{lib:.3f}", f"{core:.3f}", slower, f"{r['hashsum']['seconds'] * p['times']:.3f}",
                     f"{r['coreutils']['seconds'] * p['times']:.3f}", shown(r["coreutils"]["times_ours"])])
        verdicts.append((r["coreutils"]["times_ours"]["median"], title))
    page.table(["function", "MaybeBoost", "coreutils then", "slower by", "hashsum here", "coreutils here", "hashsum's speed / coreutils' [95 %]"], rows)
    best = {t: 100 * (lib / core - 1) for t, (core, lib, _) in p["vs_coreutils"].items()}
    page.text(f"(By its own seconds the library is slower by {', '.join(f'{v:.0f} % ({t})' for t, v in best.items())}; the page prints 73 % for SHA-1.)")
    page.conclusions([["By its figures a generic library takes 22 to 71 % longer than hand-written C.", holds(any(v < 1 for v, _ in verdicts)),
                       "The types are generic, the digests behind them are chosen at run time for the CPU: "
                       + ", ".join(f"{t} {v:.2f}× coreutils" for v, t in verdicts) + " on one stream, without lanes."]])
    levels(page, p, data["flags"])


def levels(page, p, rows):
    """Seconds for the published file at each level of the optimiser."""
    took = {(r["kind"], r["form"], r["function"], r["compiler"], r["level"]): r["seconds"] for r in rows}
    columns = list(dict.fromkeys((r["compiler"], r["level"]) for r in rows))
    page.text("Compiler flags: seconds for that file eight times, by g++ -O1 / -O2 / -O3 then, and in memory here: our header-only digests, which the caller's",
              "flags compile, and calls of the library, which they do not reach. All builds take turns.")
    table = []
    for title, figures in p["flags_O1_O2_O3"].items():
        for kind, what in (("header", "header-only"), ("library", "the library")):
            table.append([f"{title}, {what}", " / ".join(f"{v:.1f}" for v in figures) if kind == "header" else "",
                          *(f"{took[kind, 'pointer', title, c, o]:.2f}" for c, o in columns)])
    page.table(["function", "then", *(f"{c} -{o}" for c, o in columns)], table)
    gains, worse, reach = [], [], []
    for title in p["flags_O1_O2_O3"]:
        for compiler in dict.fromkeys(c for c, _ in columns):
            for low, high in (("O1", "O2"), ("O2", "O3")):
                a, b = (took["header", "pointer", title, compiler, o] for o in (low, high))
                gains.append((a / b, f"{title} takes {a / b:.2f} times as long at -{low} as at -{high} ({compiler})"))
                if b > 1.03 * a:
                    worse.append(f"{title} {100 * (b / a - 1):.0f} % slower at -{high} than at -{low} ({compiler})")
            at_levels = [took["library", "pointer", title, compiler, o] for o in ("O1", "O2", "O3")]
            reach.append(max(at_levels) / min(at_levels))
    most = max(gains)
    page.conclusions([
        ["The optimiser matters,", holds(most[0] > 1.2),
         f"Most for header-only digests: {most[1]}. Calls of the library differ between levels by {100 * (max(reach) - 1):.0f} % at most, noise included: "
         "what runs there was compiled once. Between the two lies what a compiler makes of the same function: compare the rows."],
        ["and not always upwards (SHA-512 at -O3, CubeHash at -O2).", holds(bool(worse)),
         ("Here too: " + "; ".join(worse) if worse else "Here no level is slower than the one below it by more than 3 %")
         + ". What hurt was unrolling that no longer fits the registers; here the steps are unrolled by templates, at every level alike."]])


def go_lines(text):
    """Go's benchmark lines: the values of each unit by name."""
    found = {}
    for line in (text or "").splitlines():
        parts = line.split("\t")
        if line.startswith("Benchmark") and len(parts) > 2:
            name = re.sub(r"-\d+$", "", parts[0].strip())[len("Benchmark"):]
            values = found.setdefault(name, {})
            for part in parts[2:]:
                value, unit = part.split()
                values.setdefault(unit, []).append(float(value))
    return found


def middle(values):
    values = sorted(values)
    half = len(values) // 2
    return values[half] if len(values) % 2 else (values[half - 1] + values[half]) / 2


def readers(m, page, published, measured):
    p = published["go_readers"]
    version, go = measured
    page.text("## 6. Three ways to read a file in Go", "",
              f"MD5 of a file of {grouped(p['file_bytes'])} bytes. *Go here* is `go test -bench` in bindings/go ([docs/go.md](go.md)), *hidden* the same with every method of the file but",
              "`Read` hidden, as it was before Go 1.22; *hashmill here* the same way in `hashmill bench io`.")
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "file")
        with open(path, "wb") as f:
            f.write(os.urandom(p["file_bytes"]))
        ours = go_lines(run([m.hashmill, "bench", "io", path, "--go", "--warm-only"], stderr=subprocess.DEVNULL))
    ways = [("ReadFile", "ReadFile", None, "ReadWhole/warm"),
            ("io.Copy", "Copy", None, "ReadCopy32KiB/warm"),
            ("bufio+io.Copy", "BufioCopy", "BufioCopyWithoutWriteTo", "ReadBuffered4KiB/warm"),
            ("CopyBuffer 4096", "CopyBuffer4096", "CopyBuffer4096WithoutWriteTo", "ReadCopy4KiB/warm")]
    show = lambda found, name, unit: grouped(middle(found[name][unit])) if name in found else "–"
    rows = []
    for title, here, hidden, own in ways:
        r = p["rows"][title]
        then = middle(r["ns_op"])
        rows.append([title, f"{then / 1e6:.1f}", f"{middle(go[here]['ns/op']) / 1e6:.1f}" if here in go else "–",
                     times(then, middle(go[here]["ns/op"])) if here in go else "–",
                     f"{middle(ours[own]['ns/op']) / 1e6:.1f}" if own in ours else "–",
                     " / ".join(grouped(b) for b in dict.fromkeys(r["B_op"])), show(go, here, "B/op"),
                     show(go, hidden, "B/op") if hidden else "–", show(ours, own, "B/op"),
                     f"{r['allocs_op']}", show(go, here, "allocs/op"), show(ours, own, "allocs/op")])
    page.text(f"({version})")
    page.table(["way", "ms/op published", "Go here", "×", "hashmill here", "B/op published", "Go here", "Go, hidden", "hashmill here",
                "allocs/op published", "Go here", "hashmill here"], rows)
    if go:
        net = [[n, f"{middle(go[k]['ns/op']) / 1e6:.1f}", show(go, k, "B/op"), f"{middle(ours[o]['ns/op']) / 1e6:.1f}" if o in ours else "–",
                show(ours, o, "B/op")]
               for n, k, o in (("read all, then hash", "NetReadAll", "ReadAll/tcp"), ("streaming 32 KiB", "NetCopy", "Streaming32KiB/tcp"))]
        page.text("The same bytes over loopback: HTTP in Go, whose bytes are those of client and server together, a TCP connection in hashmill.")
        page.table(["way", "Go ms/op", "Go B/op", "hashmill ms/op", "hashmill B/op"], net)
        ms = [middle(go[here]["ns/op"]) for _, here, _, _ in ways]
        today, was = middle(go["BufioCopy"]["B/op"]), middle(go["BufioCopyWithoutWriteTo"]["B/op"])
        page.conclusions([
            ["The time is the same, the memory is not.", holds(max(ms) / min(ms) < 1.25),
             f"The slowest way takes {max(ms) / min(ms):.2f} times as long as the fastest: MD5 is slower than reading, whatever the buffer. Reading whole "
             f"allocates {middle(go['ReadFile']['B/op']) / middle(go['Copy']['B/op']):.0f} times what io.Copy does."],
            ["By its figures a 4 KiB bufio.Reader needs an eighth of io.Copy's memory.", holds(today < 0.5 * middle(go["Copy"]["B/op"])),
             f"Since Go 1.22 `os.File` has a WriteTo, which `io.Copy` finds through the bufio.Reader and CopyBuffer alike; it copies with its own 32 KiB, "
             f"so today it is {grouped(today)} B/op. With all methods but Read hidden it is {grouped(was)}, as published."],
            ["It applies to network readers too.", holds(middle(go["NetReadAll"]["B/op"]) > 10 * middle(go["NetCopy"]["B/op"])),
             "`io.ReadAll` grows its buffer by doubling: more than twice the bytes, and a copy of each; see the table."],
        ])


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--hashmill", default=os.path.join(os.environ.get("CARGO_TARGET_DIR") or os.path.join(ROOT, "target"), "release", "hashmill"))
    parser.add_argument("--quick", action="store_true", help="measure less of everything")
    parser.add_argument("--out", default=os.path.join(ROOT, "docs", "reproduce.md"))
    args = parser.parse_args()
    bare.environment()
    if not os.access(args.hashmill, os.X_OK):
        sys.exit("reproduce: no hashmill: cargo build --release makes it")
    with open(os.path.join(HERE, "published.json"), encoding="utf-8") as f:
        published = json.load(f)
    page = Page()
    m = Measure(args.hashmill, args.quick, page)
    page.text("# The measurements, run again", "",
              "Written by `make reproduce` (`bench/reproduce.py`): every figure of [bench/published.json](../bench/published.json), which others measured",
              "on their machines, against the result on this machine. Absolute figures depend on the machine; what counts is whether the conclusions",
              "still hold, and why.")
    where = len(page.lines)
    # Hash the sources before measuring: changes made meanwhile are not part of the measurement.
    of = sources("docs/reproduce.md")
    text = run(["cargo", "run", "--quiet", "--release", "--package", "hashmill-bench", "--example", "published"], cwd=ROOT)
    kernels = json.loads(text) if text else {"core_hertz": 0, "cycles_per_byte": {}}
    extension = php_extension(args.quick)
    pascal = from_pascal(args.quick)
    here = survey(m, page, published, extension)
    if here and kernels["core_hertz"]:
        survey_conclusions(page, here, kernels)
        native(m, page, published, here, kernels, pascal)
    rounds(m, page, published, extension)
    openssl(m, page, published)
    flags(m, page, published)
    readers(m, page, published, from_go(args.quick))
    probe = m.json("bench", "lanes", "md5", "--reps", "20")
    if probe:
        machine = probe["machine"]
        head = [f"- Machine: {machine['cpu']}, {machine['cpus']} CPUs at {machine['clocks']['core_hertz'] / 1e9:.2f} GHz (measured), "
                f"{machine['memory'] / (1 << 30):.0f} GiB; {machine['os']}, {machine['arch']}",
                f"- Date: {probe['started'][:10]}; hashmill {machine['hashmill']}, {machine['compiler']}", of]
        if args.quick:
            head.append("- A quick run: few repetitions.")
        head += [f"- Doubtful: {w}" for w in sorted(page.warnings)]
        page.lines[where:where] = [*head, ""]
    new = args.out + ".new"
    with open(new, "w", encoding="utf-8") as f:
        f.write("\n".join(page.lines).rstrip() + "\n")
    os.replace(new, args.out)
    say(f"wrote {args.out}")


if __name__ == "__main__":
    main()
