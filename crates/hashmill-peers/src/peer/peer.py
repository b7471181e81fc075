# A loop over hashlib's digests and zlib's sums, for `python3 -c`; what it is asked is told in language.rs.
import binascii
import functools
import hashlib
import platform
import sys
import time
import zlib


def of(new):
    def run(messages):
        for m in messages:
            new(m).digest()

    return run, lambda m: new(m).hexdigest()


def xof(new, length):
    def run(messages):
        for m in messages:
            new(m).digest(length)

    return run, lambda m: new(m).hexdigest(length)


def checksum(function, digits):
    def run(messages):
        for m in messages:
            function(m)

    return run, lambda m: f"{function(m):0{digits}x}"


def crc_hqx():
    function = binascii.crc_hqx

    def run(messages):
        for m in messages:
            function(m, 0)

    return run, lambda m: f"{function(m, 0):04x}"


algorithms = {
    "zlib.crc32": checksum(zlib.crc32, 8),
    "zlib.adler32": checksum(zlib.adler32, 8),
    "binascii.crc_hqx": crc_hqx(),
}
for name in hashlib.algorithms_available:
    # What has no function of its own goes by its name.
    new = getattr(hashlib, name.replace("-", "_"), None) or functools.partial(hashlib.new, name)
    try:
        length = {"shake_128": 32, "shake_256": 64}.get(name)
        if length is None:
            new(b"").digest()
            algorithms[name] = of(new)
        else:
            algorithms[name] = xof(new, length)
    except (ValueError, TypeError):
        # Its libcrypto does not allow it, or it is an extendable one that we do not know.
        pass


def main():
    requests = sys.stdin.buffer

    def answer(line):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()

    answer(" ".join(["hashmill-peer", platform.python_version(), *algorithms]))
    messages, count, position = [], 0, 0
    for line in iter(requests.readline, b""):
        request, *words = line.decode().split()
        if request == "messages":
            messages = [requests.read(int(length)) for length in words]
            count = len(messages)
            # Few messages, many times, so that a stretch without a break is long.
            while len(messages) < 1024:
                messages += messages
            position = 0
            answer(count)
        elif request == "digests":
            answer(" ".join(map(algorithms[words[0]][1], messages[:count])))
        elif request == "run":
            run, left = algorithms[words[0]][0], int(words[1])
            # What is hashed is known before the clock runs.
            stretches = []
            while left > 0:
                end = min(len(messages), position + left)
                stretches.append(messages if end - position == len(messages) else messages[position:end])
                left -= end - position
                position = end % len(messages)
            start = time.perf_counter_ns()
            for stretch in stretches:
                run(stretch)
            answer(time.perf_counter_ns() - start)
        else:
            raise ValueError(f"no such request: {request}")


main()
