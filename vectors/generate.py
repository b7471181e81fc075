#!/usr/bin/env python3
"""Make the test vectors that independent programs can vouch for, never hashmill itself.

    vectors/generate.py               write every file of FILES beside this script
    vectors/generate.py hmac.jsonl    only this one
    vectors/generate.py --check       compare with the files here; 1 if a value differs

Messages and keys are fixed, so the same programs give the same bytes. Every value is
computed by all programs that know the algorithm, and the run stops if two disagree.
`source` names those that gave the value, `agree` counts them. What a machine lacks is
named on stderr; a file whose main program is missing is skipped. `--check` compares
neither `source` nor `agree`, which depend on what is installed.

Programs: PHP, Python's own hash modules, libcrypto, libgcrypt, libnettle, librhash,
libsodium, libxxhash, zlib, coreutils (`sum`, `cksum`), Perl's Digest::SHA, and Rust
crates, which `cargo` builds in a temporary folder (`--scratch` names one to keep).
Python 3.10 or later.
"""

from __future__ import annotations

import argparse
import ctypes
import ctypes.util
import functools
import hashlib
import hmac
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "scripts"))
import bare

HERE = Path(__file__).resolve().parent
Line = dict[str, object]


class Missing(Exception):
    """This machine lacks a program."""


# Messages, keys, lines.


def mod251(length: int) -> bytes:
    """The message that a line describes with `message_pattern` mod251."""
    return bytes(i % 251 for i in range(length))


def scrambled(seed: int, length: int) -> bytes:
    """Bytes without a pattern: splitmix64, its words little-endian."""
    mask, out = (1 << 64) - 1, b""
    while len(out) < length:
        seed = (seed + 0x9E3779B97F4A7C15) & mask
        z = ((seed ^ (seed >> 30)) * 0xBF58476D1CE4E5B9) & mask
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & mask
        out += (z ^ (z >> 31)).to_bytes(8, "little")
    return out[:length]


def pattern(length: int) -> Line:
    """The fields that describe mod251(length)."""
    return {"message_pattern": "mod251", "length": length}


def verdict(place: str, answers: dict[str, bytes | None]) -> Line:
    """A line's last fields, from the programs' answers (None: lacks the algorithm)."""
    given = {name: answer for name, answer in answers.items() if answer is not None}
    values = set(given.values())
    if len(values) != 1:
        listed = "".join(f"\n  {value.hex()}  {name}" for name, value in given.items())
        sys.exit(f"generate.py: {place}: the programs disagree{listed}")
    return {
        "digest_hex": values.pop().hex(),
        "source": ", ".join(given),
        "agree": len(given),
    }


def table(names: str) -> Mapping[str, str]:
    """A table written as `name=value name=value`."""
    return MappingProxyType(dict(entry.split("=") for entry in names.split()))


# Programs. One that has no HMAC of its own is put under RFC 2104's formula.

BLOCK_LENGTHS = table("""
    md2=16 sha384=128 sha512=128 sha512/224=128 sha512/256=128 sha3-224=144 sha3-256=136
    sha3-384=104 sha3-512=72 gost=32 gost-crypto=32 snefru=32 snefru256=32 blake2b=128
""")


def block_length(algorithm: str) -> int:
    """HMAC's block length in bytes."""
    other = "128" if algorithm.startswith("haval") else "64"
    return int(BLOCK_LENGTHS.get(algorithm, other))


class Program:
    """An implementation of digests and HMAC by PHP's names; None for what it lacks."""

    name: str

    def digest(self, algorithm: str, message: bytes) -> bytes | None:
        raise NotImplementedError

    def hmac(self, algorithm: str, key: bytes, message: bytes) -> bytes | None:
        block = block_length(algorithm)
        if len(key) > block:
            key = self.digest(algorithm, key) or b""
        key = key.ljust(block, b"\0")
        inner = self.digest(algorithm, bytes(b ^ 0x36 for b in key) + message)
        return (
            None
            if inner is None
            else self.digest(algorithm, bytes(b ^ 0x5C for b in key) + inner)
        )


class Asked:
    """A process that answers a line of words with a line; bytes in hex, none as `-`."""

    def __init__(self, command: list[str]):
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def __call__(self, *words: str | bytes | int) -> str:
        request = " ".join(
            w.hex() or "-" if isinstance(w, bytes) else str(w) for w in words
        )
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(request + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().rstrip("\n") or sys.exit(
            f"generate.py: no answer: {request[:100]}"
        )


class Php(Program):
    SCRIPT = r"""
        $bytes = fn($hex) => $hex === '-' ? '' : hex2bin($hex);
        while (($line = fgets(STDIN)) !== false) {
            $w = explode(' ', rtrim($line, "\n"));
            echo match ($w[0]) {
                'version' => PHP_VERSION,
                'hash_algos' => implode(' ', hash_algos()),
                'hash_hmac_algos' => implode(' ', hash_hmac_algos()),
                'hash' => hash($w[1], $bytes($w[2])),
                'hmac' => hash_hmac($w[1], $bytes($w[3]), $bytes($w[2])),
                'secret' => hash($w[1], $bytes($w[3]), false, ['secret' => $bytes($w[2])]),
                'seed' => hash($w[1], $bytes($w[3]), false, ['seed' => (int) $w[2]]),
            }, "\n";
        }
    """

    def __init__(self) -> None:
        if not shutil.which("php"):
            raise Missing("php")
        self.ask = Asked(["php", "-n", "-d", "memory_limit=256M", "-r", self.SCRIPT])
        self.name = f"PHP {self.ask('version')}"
        self.algorithms = self.ask("hash_algos").split()
        self.hmac_algorithms = self.ask("hash_hmac_algos").split()

    def digest(self, algorithm: str, message: bytes) -> bytes | None:
        return (
            bytes.fromhex(self.ask("hash", algorithm, message))
            if algorithm in self.algorithms
            else None
        )

    def hmac(self, algorithm: str, key: bytes, message: bytes) -> bytes | None:
        return (
            bytes.fromhex(self.ask("hmac", algorithm, key, message))
            if algorithm in self.hmac_algorithms
            else None
        )


class Python(Program):
    """hmac over the interpreter's own hash modules, not over the OpenSSL it links."""

    NAMES = table("""
        md5=md5 sha1=sha1 sha224=sha224 sha256=sha256 sha384=sha384 sha512=sha512
        sha3-224=sha3_224 sha3-256=sha3_256 sha3-384=sha3_384 sha3-512=sha3_512
        blake2b=blake2b blake2s=blake2s
    """)

    def __init__(self) -> None:
        self.name = f"Python {platform.python_version()}"

    @staticmethod
    def constructor(name: str) -> Callable:
        return getattr(hashlib, "__get_builtin_constructor")(name)

    def digest(self, algorithm: str, message: bytes) -> bytes | None:
        name = self.NAMES.get(algorithm)
        return self.constructor(name)(message).digest() if name else None

    def hmac(self, algorithm: str, key: bytes, message: bytes) -> bytes | None:
        name = self.NAMES.get(algorithm)
        return hmac.new(key, message, self.constructor(name)).digest() if name else None

    def shake(self, algorithm: str, message: bytes, length: int) -> bytes:
        return self.constructor(algorithm.replace("shake", "shake_"))(message).digest(
            length
        )


def library(name: str, results: dict[str, object]) -> ctypes.CDLL:
    """A shared library, with the results of the functions that return no int."""
    path = ctypes.util.find_library(name)
    if path is None:
        raise Missing(f"lib{name}")
    loaded = ctypes.CDLL(path)
    for function, result in results.items():
        getattr(loaded, function).restype = result
    return loaded


class OpenSsl(Program):
    NAMES = table("""
        md4=MD4 md5=MD5 sha1=SHA1 sha224=SHA224 sha256=SHA256 sha384=SHA384 sha512=SHA512
        sha512/224=SHA512-224 sha512/256=SHA512-256 sha3-224=SHA3-224 sha3-256=SHA3-256
        sha3-384=SHA3-384 sha3-512=SHA3-512 ripemd160=RIPEMD160 whirlpool=whirlpool
        sm3=SM3 blake2b=BLAKE2b512 blake2s=BLAKE2s256
    """)

    def __init__(self) -> None:
        pointer = ctypes.c_void_p
        self.lib = library(
            "crypto",
            {
                "EVP_get_digestbyname": pointer,
                "EVP_MD_CTX_new": pointer,
                "HMAC": pointer,
                "OpenSSL_version": ctypes.c_char_p,
            },
        )
        self.name = " ".join(self.lib.OpenSSL_version(0).decode().split()[:2])
        # Since 3.0 MD4 and Whirlpool come with a provider of their own.
        if hasattr(self.lib, "OSSL_PROVIDER_load"):
            self.lib.OSSL_PROVIDER_load(None, b"default")
            self.lib.OSSL_PROVIDER_load(None, b"legacy")

    def method(self, name: str) -> ctypes.c_void_p:
        return ctypes.c_void_p(self.lib.EVP_get_digestbyname(name.encode()))

    def digest(self, algorithm: str, message: bytes) -> bytes | None:
        method = self.method(self.NAMES.get(algorithm, ""))
        out, length = ctypes.create_string_buffer(64), ctypes.c_uint()
        size = ctypes.c_size_t(len(message))
        done = method and self.lib.EVP_Digest(
            message, size, out, ctypes.byref(length), method, None
        )
        return out.raw[: length.value] if done else None

    def hmac(self, algorithm: str, key: bytes, message: bytes) -> bytes | None:
        method = self.method(self.NAMES.get(algorithm, ""))
        out, length = ctypes.create_string_buffer(64), ctypes.c_uint()
        size = ctypes.c_size_t(len(message))
        done = method and self.lib.HMAC(
            method, key, len(key), message, size, out, ctypes.byref(length)
        )
        return out.raw[: length.value] if done else None

    def shake(self, algorithm: str, message: bytes, length: int) -> bytes:
        context = ctypes.c_void_p(self.lib.EVP_MD_CTX_new())
        out = ctypes.create_string_buffer(length)
        done = (
            self.lib.EVP_DigestInit_ex(context, self.method(algorithm), None)
            and self.lib.EVP_DigestUpdate(
                context, message, ctypes.c_size_t(len(message))
            )
            and self.lib.EVP_DigestFinalXOF(context, out, ctypes.c_size_t(length))
        )
        self.lib.EVP_MD_CTX_free(context)
        return (
            out.raw if done else sys.exit(f"generate.py: {self.name}: no {algorithm}")
        )


class Gcrypt(Program):
    # GCRY_MD_*. Its TIGER (6) is the old one with swapped bytes; TIGER1 is Tiger.
    NUMBERS = table("""
        md5=1 sha1=2 ripemd160=3 sha256=8 sha384=9 sha512=10 sha224=11 md4=301 crc32b=302
        whirlpool=305 tiger192,3=306 gost=308 streebog-256=309 streebog-512=310
        gost-crypto=311 sha3-224=312 sha3-256=313 sha3-384=314 sha3-512=315 shake128=316
        shake256=317 blake2b=318 blake2s=322 sm3=326 sha512/256=327 sha512/224=328
    """)

    def __init__(self) -> None:
        self.lib = library("gcrypt", {"gcry_check_version": ctypes.c_char_p})
        self.name = f"libgcrypt {self.lib.gcry_check_version(None).decode()}"
        self.lib.gcry_control(37, 0)  # GCRYCTL_DISABLE_SECMEM
        self.lib.gcry_control(38, 0)  # GCRYCTL_INITIALIZATION_FINISHED

    def digest(self, algorithm: str, message: bytes) -> bytes | None:
        number = int(self.NUMBERS.get(algorithm, 0))
        if self.lib.gcry_md_algo_info(number, 8, None, None) != 0:  # GCRYCTL_TEST_ALGO
            return None
        out = ctypes.create_string_buffer(self.lib.gcry_md_get_algo_dlen(number))
        self.lib.gcry_md_hash_buffer(
            number, out, message, ctypes.c_size_t(len(message))
        )
        return out.raw

    def shake(self, algorithm: str, message: bytes, length: int) -> bytes:
        number, size = int(self.NUMBERS[algorithm]), ctypes.c_size_t
        handle, out = ctypes.c_void_p(), ctypes.create_string_buffer(length)
        if self.lib.gcry_md_open(ctypes.byref(handle), number, 0) != 0:
            sys.exit(f"generate.py: {self.name}: no {algorithm}")
        self.lib.gcry_md_write(handle, message, size(len(message)))
        failed = self.lib.gcry_md_extract(handle, number, out, size(length))
        self.lib.gcry_md_close(handle)
        return (
            sys.exit(f"generate.py: {self.name}: no {algorithm}") if failed else out.raw
        )


class Nettle(Program):
    NAMES = table("""
        gost=gosthash94 gost-crypto=gosthash94cp sha512/224=sha512_224
        sha512/256=sha512_256 streebog-256=streebog256 streebog-512=streebog512
    """)

    class Hash(ctypes.Structure):
        """struct nettle_hash"""

        _fields_ = [
            ("name", ctypes.c_char_p),
            ("context_size", ctypes.c_uint),
            ("digest_size", ctypes.c_uint),
            ("block_size", ctypes.c_uint),
            ("init", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
            (
                "update",
                ctypes.CFUNCTYPE(
                    None, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p
                ),
            ),
            (
                "digest",
                ctypes.CFUNCTYPE(
                    None, ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p
                ),
            ),
        ]

    def __init__(self) -> None:
        hashes = ctypes.POINTER(ctypes.POINTER(self.Hash))
        self.lib = library("nettle", {"nettle_get_hashes": hashes})
        version = self.lib.nettle_version_major(), self.lib.nettle_version_minor()
        self.name = f"Nettle {version[0]}.{version[1]}"
        self.hashes, all_hashes, i = {}, self.lib.nettle_get_hashes(), 0
        while all_hashes[i]:
            self.hashes[all_hashes[i].contents.name.decode()] = all_hashes[i].contents
            i += 1

    def digest(self, algorithm: str, message: bytes) -> bytes | None:
        known = self.hashes.get(self.NAMES.get(algorithm, algorithm.replace("-", "_")))
        if known is None:
            return None
        context = ctypes.create_string_buffer(known.context_size)
        out = ctypes.create_string_buffer(known.digest_size)
        known.init(ctypes.addressof(context))
        known.update(ctypes.addressof(context), len(message), message)
        known.digest(ctypes.addressof(context), len(out), ctypes.addressof(out))
        return out.raw


class Rhash(Program):
    # The number of RHASH_*'s bit, the digest's length.
    BITS = table("""
        crc32b=0:4 md4=1:16 md5=2:16 sha1=3:20 tiger192,3=4:24 whirlpool=9:64
        ripemd160=10:20 gost=11:32 gost-crypto=12:32 streebog-256=14:32 streebog-512=15:64
        sha224=16:28 sha256=17:32 sha384=18:48 sha512=19:64 sha3-224=22:28 sha3-256=23:32
        sha3-384=24:48 sha3-512=25:64 crc32c=26:4 snefru=28:32 snefru256=28:32
        snefru128=27:16 blake2s=29:32 blake2b=30:64
    """)

    def __init__(self) -> None:
        self.lib = library("rhash", {"rhash_transmit": ctypes.c_size_t})
        # RMSG_SET_OPENSSL_MASK: its own code only, even where it was built with libcrypto.
        self.lib.rhash_transmit(10, None, ctypes.c_size_t(0), ctypes.c_size_t(0))
        self.lib.rhash_library_init()
        version = self.lib.rhash_transmit(
            20, None, ctypes.c_size_t(0), ctypes.c_size_t(0)
        )
        self.name = (
            f"librhash {version >> 24}.{version >> 16 & 255}.{version >> 8 & 255}"
        )

    def digest(self, algorithm: str, message: bytes) -> bytes | None:
        if algorithm not in self.BITS:
            return None
        bit, length = map(int, self.BITS[algorithm].split(":"))
        out = ctypes.create_string_buffer(length)
        failed = self.lib.rhash_msg(
            ctypes.c_uint(1 << bit), message, ctypes.c_size_t(len(message)), out
        )
        return None if failed else out.raw


class Zlib(Program):
    name = f"zlib {zlib.ZLIB_RUNTIME_VERSION}"
    CHECKSUMS = MappingProxyType({"crc32b": zlib.crc32, "adler32": zlib.adler32})

    def digest(self, algorithm: str, message: bytes) -> bytes | None:
        checksum = self.CHECKSUMS.get(algorithm)
        return checksum(message).to_bytes(4, "big") if checksum else None


class Sodium:
    """BLAKE2b with all its parameters."""

    def __init__(self) -> None:
        self.lib = library("sodium", {"sodium_version_string": ctypes.c_char_p})
        self.name = f"libsodium {self.lib.sodium_version_string().decode()}"

    def blake2b(
        self, length: int, key: bytes, salt: bytes, personal: bytes, message: bytes
    ) -> bytes:
        out, size = ctypes.create_string_buffer(length), ctypes.c_size_t
        failed = self.lib.crypto_generichash_blake2b_salt_personal(
            out,
            size(length),
            message,
            ctypes.c_ulonglong(len(message)),
            key,
            size(len(key)),
            salt.ljust(16, b"\0"),
            personal.ljust(16, b"\0"),
        )
        return sys.exit(f"generate.py: {self.name}: no BLAKE2b") if failed else out.raw


class XxHash:
    """XXH3, digests in the canonical (big-endian) form."""

    class Hash128(ctypes.Structure):
        _fields_ = [("low", ctypes.c_uint64), ("high", ctypes.c_uint64)]

    def __init__(self) -> None:
        results = {
            f"XXH3_{n}bits_with{what}": r
            for n, r in self.results()
            for what in ("Secret", "Seed")
        }
        self.lib = library("xxhash", results)
        version = self.lib.XXH_versionNumber()
        self.name = (
            f"libxxhash {version // 10000}.{version // 100 % 100}.{version % 100}"
        )

    @classmethod
    def results(cls) -> list[tuple[int, type]]:
        return [(64, ctypes.c_uint64), (128, cls.Hash128)]

    def call(self, algorithm: str, what: str, message: bytes, *rest: object) -> bytes:
        bits = 64 if algorithm == "xxh3" else 128
        value = getattr(self.lib, f"XXH3_{bits}bits_with{what}")(
            message, ctypes.c_size_t(len(message)), *rest
        )
        number = value if bits == 64 else value.high << 64 | value.low
        return number.to_bytes(bits // 8, "big")

    def secret(self, algorithm: str, secret: bytes, message: bytes) -> bytes:
        return self.call(
            algorithm, "Secret", message, secret, ctypes.c_size_t(len(secret))
        )

    def seed(self, algorithm: str, seed: int, message: bytes) -> bytes:
        return self.call(algorithm, "Seed", message, ctypes.c_uint64(seed))


class Crates:
    """Rust crates behind a small command, which is built here."""

    VERSIONS = table("""
        skein=0.2.0 blake2b_simd=1.0.5 blake2s_simd=1.0.5 xxhash-rust=0.8.19 blake3=1.8.7
        blake-hash=0.4.1 groestl=0.11.0 jh=0.2.0 cubehash=0.5.0 sha3=0.12.0 tiger=0.3.0
    """)
    SKEIN_LENGTHS = (1, 5, 17, 33, 65, 129, 200)
    MANIFEST = """
        [package]
        name = "vector-crates"
        version = "0.0.0"
        edition = "2021"

        [workspace]

        [dependencies]
        skein = "=SKEIN"
        blake2b_simd = "=BLAKE2B_SIMD"
        blake2s_simd = "=BLAKE2S_SIMD"
        xxhash-rust = { version = "=XXHASH-RUST", features = ["xxh3"] }
        blake3 = "=BLAKE3"
        blake-hash = "=BLAKE-HASH"
        groestl = "=GROESTL"
        jh = "=JH"
        cubehash = "=CUBEHASH"
        sha3 = "=SHA3"
        tiger = "=TIGER"

        [profile.dev]
        opt-level = 2
    """
    # What each algorithm's crate is, and its type there.
    PLAIN = table("""
        groestl224=groestl::Groestl224 groestl256=groestl::Groestl256 groestl384=groestl::Groestl384
        groestl512=groestl::Groestl512 jh224=jh::Jh224 jh256=jh::Jh256 jh384=jh::Jh384 jh512=jh::Jh512
        keccak224=sha3::Keccak224 keccak256=sha3::Keccak256 keccak384=sha3::Keccak384
        keccak512=sha3::Keccak512 tiger192,3=tiger::Tiger tiger2=tiger::Tiger2
        skein256-256=skein::Skein256_256 skein512-512=skein::Skein512_512
        skein1024-1024=skein::Skein1024_1024
    """)
    OLDER = table("""
        blake224=blake_hash::Blake224 blake256=blake_hash::Blake256 blake384=blake_hash::Blake384
        blake512=blake_hash::Blake512
    """)
    SOURCE = r"""
        use skein::{digest::consts::*, Digest, Skein1024, Skein256, Skein512};
        use std::io::{stdin, stdout, BufRead, Write};
        use xxhash_rust::xxh3::*;

        fn bytes(hex: &str) -> Vec<u8> {
            let hex = hex.trim_start_matches('-');
            (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect()
        }

        macro_rules! skein {
            ($state:ident, $length:expr, $message:expr) => {
                match $length {
                    SKEIN_ARMS
                    other => panic!("{other}"),
                }
            };
        }

        macro_rules! blake2 {
            ($of:ident, $w:expr) => {
                $of::Params::new().hash_length($w[1].parse().unwrap()).key(&bytes($w[2])).salt(&bytes($w[3]))
                    .personal(&bytes($w[4])).hash(&bytes($w[5])).as_bytes().to_vec()
            };
        }

        fn plain<D: groestl::Digest>(message: &[u8]) -> Vec<u8> {
            D::digest(message).to_vec()
        }

        fn older<D: blake_hash::Digest>(message: &[u8]) -> Vec<u8> {
            D::digest(message).to_vec()
        }

        fn cubehash(bits: &str, message: &[u8]) -> Vec<u8> {
            let parameters = cubehash::CubeHashParams { revision: 2, hash_len_bits: bits.parse().unwrap() };
            let mut hash = cubehash::CubeHashBest::new(parameters);
            hash.update(message);
            hash.finalize()
        }

        fn main() {
            for line in stdin().lock().lines() {
                let line = line.unwrap();
                let w: Vec<&str> = line.split(' ').collect();
                let digest: Vec<u8> = match w[0] {
                    "skein256" => skein!(Skein256, w[1], bytes(w[2])),
                    "skein512" => skein!(Skein512, w[1], bytes(w[2])),
                    "skein1024" => skein!(Skein1024, w[1], bytes(w[2])),
                    "blake2b" => blake2!(blake2b_simd, w),
                    "blake2s" => blake2!(blake2s_simd, w),
                    "secret-xxh3" => xxh3_64_with_secret(&bytes(w[2]), &bytes(w[1])).to_be_bytes().into(),
                    "secret-xxh128" => xxh3_128_with_secret(&bytes(w[2]), &bytes(w[1])).to_be_bytes().into(),
                    "seed-xxh3" => xxh3_64_with_seed(&bytes(w[2]), w[1].parse().unwrap()).to_be_bytes().into(),
                    "seed-xxh128" => xxh3_128_with_seed(&bytes(w[2]), w[1].parse().unwrap()).to_be_bytes().into(),
                    PLAIN_ARMS
                    "blake3" => blake3::hash(&bytes(w[1])).as_bytes().to_vec(),
                    other => match other.strip_prefix("cubehash") {
                        Some(bits) => cubehash(bits, &bytes(w[1])),
                        None => panic!("{other}"),
                    },
                };
                let hex: String = digest.iter().map(|b| format!("{b:02x}")).collect();
                println!("{hex}");
                stdout().flush().unwrap();
            }
        }
    """
    folder: Path

    def __init__(self) -> None:
        if not shutil.which("cargo"):
            raise Missing("cargo")
        manifest = self.MANIFEST
        for crate, version in self.VERSIONS.items():
            manifest = manifest.replace(f'"={crate.upper()}"', f'"={version}"')
        arms = "".join(
            f'"{n}" => $state::<U{n}>::digest($message).to_vec(),'
            for n in self.SKEIN_LENGTHS
        )
        plain = "".join(
            f'"{name}" => {how}::<{kind}>(&bytes(w[1])),'
            for how, known in (("plain", self.PLAIN), ("older", self.OLDER))
            for name, kind in known.items()
        )
        (self.folder / "src").mkdir(parents=True, exist_ok=True)
        (self.folder / "Cargo.toml").write_text(manifest, encoding="utf-8")
        (self.folder / "src" / "main.rs").write_text(
            self.SOURCE.replace("SKEIN_ARMS", arms).replace("PLAIN_ARMS", plain),
            encoding="utf-8",
        )
        environment = os.environ | {"CARGO_TARGET_DIR": str(self.folder / "target")}
        command = ["cargo", "build", "--quiet", "--jobs", "1"]
        built = subprocess.run(command, cwd=self.folder, env=environment, check=False)
        if built.returncode != 0:
            raise Missing("what cargo builds (it failed)")
        self.ask = Asked([str(self.folder / "target" / "debug" / "vector-crates")])

    def name(self, crate: str) -> str:
        return f"{crate} {self.VERSIONS[crate]} (crate)"

    def crate(self, algorithm: str) -> str | None:
        """The crate that has an algorithm with nothing but a message."""
        known = self.PLAIN.get(algorithm) or self.OLDER.get(algorithm)
        if known:
            return known.split("::")[0].replace("_", "-")
        whole = ("blake3", "cubehash")
        return next((crate for crate in whole if algorithm.startswith(crate)), None)

    def __call__(self, *words: str | bytes | int) -> bytes:
        return bytes.fromhex(self.ask(*words))


@functools.cache
def made(kind: type) -> object:
    """The program, or why there is none (said once)."""
    try:
        return kind()
    except Missing as missing:
        print(f"generate.py: not on this machine: {missing}", file=sys.stderr)
        return missing


def optional(kind: type) -> object | None:
    """The program, if this machine has it."""
    program = made(kind)
    return None if isinstance(program, Missing) else program


def needed(kind: type) -> object:
    """The program, without which a file cannot be made."""
    program = made(kind)
    if isinstance(program, Missing):
        raise program
    return program


def programs() -> list[Program]:
    """All general programs of this machine."""
    return [
        p
        for p in map(optional, (Php, Python, OpenSsl, Gcrypt, Nettle, Rhash, Zlib))
        if p is not None
    ]


# HMAC

BEYOND_PHP = ("blake2b", "blake2s", "sm3", "streebog-256", "streebog-512")


def hmac_lengths(block: int) -> tuple[tuple[int, int], ...]:
    """Lengths in bytes of keys and messages; keys longer than a block are hashed."""
    return (
        (0, 0),
        (0, 55),
        (1, 1),
        (1, 64),
        (block - 1, 0),
        (block - 1, 200),
        (block, 1),
        (block, 55),
        (block + 1, 64),
        (block + 1, block),
        (3 * block, 0),
        (3 * block, 200),
    )


HASH_KEY_FIRST = b"Test Using Larger Than Block-Size Key - Hash Key First"
# Per RFC: the length of the keys of cases 6 and 7, the message of case 7, and for every
# algorithm with the length of its keys of cases 1, 3, 5 the digests of cases 1 to 7.
# RFC 4231 prints 128 bits of case 5.
RFC_CASES = {
    "RFC 2202": (
        80,
        b"Test Using Larger Than Block-Size Key and Larger Than One Block-Size Data",
        {
            ("md5", 16): (
                "9294727a3638bb1c13f48ef8158bfc9d",
                "750c783e6ab0b503eaa86e310a5db738",
                "56be34521d144c88dbb8c733f0e8b3f6",
                "697eaf0aca3a3aea3a75164746ffaa79",
                "56461ef2342edc00f9bab995690efd4c",
                "6b1ab7fe4bd7bf8f0b62e6ce61b9d0cd",
                "6f630fad67cda0ee1fb1f562db3aa53e",
            ),
            ("sha1", 20): (
                "b617318655057264e28bc0b6fb378c8ef146be00",
                "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79",
                "125d7342b9ac11cd91a39af48aa17b4f63f175d3",
                "4c9007f4026250c6bc8414f9bf50c86c2d7235da",
                "4c1a03424b55e07fe7f27be1d58bb9324a9a5a04",
                "aa4ae5e15272d00e95705637ce8a3b55ed402112",
                "e8e99d0f45237d786d6bbaa7965c7808bbff1a91",
            ),
        },
    ),
    "RFC 2286": (
        80,
        b"Test Using Larger Than Block-Size Key and Larger Than One Block-Size Data",
        {
            ("ripemd128", 16): (
                "fbf61f9492aa4bbf81c172e84e0734db",
                "875f828862b6b334b427c55f9f7ff09b",
                "09f0b2846d2f543da363cbec8d62a38d",
                "bdbbd7cf03e44b5aa60af815be4d2294",
                "e79808f24b25fd031c155f0d551d9a3a",
                "dc732928de98104a1f59d373c150acbb",
                "5c6bec96793e16d40690c237635f30c5",
            ),
            ("ripemd160", 20): (
                "24cb4bd67d20fc1a5d2ed7732dcc39377f0a5668",
                "dda6c0213a485a9e24f4742064a7f033b43c4069",
                "b0b105360de759960ab4f35298e116e295d8e7c1",
                "d5ca862f4d21d5e610e18b4cf1beb97a4365ecf4",
                "7619693978f91d90539ae786500ff3d8e0518e39",
                "6466ca07ac5eac29e1bd523e5ada7605b791fd8b",
                "69ea60798d71616cce5fd0871e23754cd75d5a0a",
            ),
        },
    ),
    "RFC 4231": (
        131,
        (
            b"This is a test using a larger than block-size key and a larger than "
            b"block-size data. The key needs to be hashed before being used by the "
            b"HMAC algorithm."
        ),
        {
            ("sha224", 20): (
                "896fb1128abbdf196832107cd49df33f47b4b1169912ba4f53684b22",
                "a30e01098bc6dbbf45690f3a7e9e6d0f8bbea2a39e6148008fd05e44",
                "7fb3cb3588c6c1f6ffa9694d7d6ad2649365b0c1f65d69d1ec8333ea",
                "6c11506874013cac6a2abc1bb382627cec6a90d86efc012de7afec5a",
                "0e2aea68a90c8d37c988bcdb9fca6fa8",
                "95e9a0db962095adaebe9b2d6f0dbce2d499f112f2d2b7273fa6870e",
                "3a854166ac5d9f023f54d517d0b39dbd946770db9c2b95c9f6f565d1",
            ),
            ("sha256", 20): (
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
                "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
                "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b",
                "a3b6167473100ee06e0c796c2955552b",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
                "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
            ),
            ("sha384", 20): (
                "afd03944d84895626b0825f4ab46907f15f9dadbe4101ec682aa034c7cebc59cfaea9ea9076ede7f4af152e8b2fa9cb6",
                "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649",
                "88062608d3e6ad8a0aa2ace014c8a86f0aa635d947ac9febe83ef4e55966144b2a5ab39dc13814b94e3ab6e101a34f27",
                "3e8a69b7783c25851933ab6290af6ca77a9981480850009cc5577c6e1f573b4e6801dd23c4a7d679ccf8a386c674cffb",
                "3abf34c3503b2a23a46efc619baef897",
                "4ece084485813e9088d2c63a041bc5b44f9ef1012a2b588f3cd11f05033ac4c60c2ef6ab4030fe8296248df163f44952",
                "6617178e941f020d351e2f254e8fd32c602420feb0b8fb9adccebb82461e99c5a678cc31e799176d3860e6110c46523e",
            ),
            ("sha512", 20): (
                "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cdedaa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854",
                "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737",
                "fa73b0089d56a284efb0f0756c890be9b1b5dbdd8ee81a3655f83e33b2279d39bf3e848279a722c806b485a47e67c807b946a337bee8942674278859e13292fb",
                "b0ba465637458c6990e5a8c5f61d4af7e576d97ff94b872de76f8050361ee3dba91ca5c11aa25eb4d679275cc5788063a5f19741120c4f2de2adebeb10a298dd",
                "415fad6271580a531d4179bc891d87a6",
                "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f3526b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598",
                "e37b6a775dc87dbaa4dfa9f96e5e3ffddebd71f8867289865df5a32d20cdc944b6022cac3c4982b10d5eeb55c3e4de15134676fb6de0446065c97440fa8c6a58",
            ),
        },
    ),
}


def published_hmac() -> Iterator[tuple[str, str, bytes, bytes, str]]:
    """Where it is printed, algorithm, key, message, and the digest or its beginning."""
    for rfc, (long_key, last_message, algorithms) in RFC_CASES.items():
        for (algorithm, key_length), digests in algorithms.items():
            cases = (
                (b"\x0b" * key_length, b"Hi There"),
                (b"Jefe", b"what do ya want for nothing?"),
                (b"\xaa" * key_length, b"\xdd" * 50),
                (bytes(range(1, 26)), b"\xcd" * 50),
                (b"\x0c" * key_length, b"Test With Truncation"),
                (b"\xaa" * long_key, HASH_KEY_FIRST),
                (b"\xaa" * long_key, last_message),
            )
            for i, ((key, message), digest) in enumerate(
                zip(cases, digests, strict=True)
            ):
                yield f"{rfc} test case {i + 1}", algorithm, key, message, digest


def hmac_lines() -> Iterator[Line]:
    """HMAC of every algorithm that PHP takes for it, and of a few more."""
    php = needed(Php)

    def line(algorithm: str, key: bytes, message: bytes) -> Line:
        names = {p: p.name for p in programs()}
        names |= {p: f"{p.name} hash_hmac" for p in names if isinstance(p, Php)}
        names |= {p: f"{p.name} hmac" for p in names if isinstance(p, Python)}
        answers = {name: p.hmac(algorithm, key, message) for p, name in names.items()}
        place = f"HMAC {algorithm}, key of {len(key)} bytes, message of {len(message)}"
        return {
            "algorithm": algorithm,
            "mode": "hmac",
            "key_hex": key.hex(),
            "message_hex": message.hex(),
        } | verdict(place, answers)

    for algorithm in [*php.hmac_algorithms, *BEYOND_PHP]:
        for key_length, length in hmac_lengths(block_length(algorithm)):
            yield line(algorithm, scrambled(1, key_length), scrambled(2, length))
    for source, algorithm, key, message, digest in published_hmac():
        fields = line(algorithm, key, message)
        if not str(fields["digest_hex"]).startswith(digest):
            sys.exit(f"generate.py: {source}: the programs say {fields['digest_hex']}")
        yield fields | {"source": f"{source}; {fields['source']}"}


# Parameters of BLAKE2, XXH3, SHAKE, Skein


def blake2_lines() -> Iterator[Line]:
    """BLAKE2 with digest length, key, salt, personalization: alone and together."""
    python = needed(Python)
    crates, sodium = optional(Crates), optional(Sodium)
    sizes = {
        # largest digest; other digests; keys; salts and personalizations
        "blake2b": (64, (1, 2, 3, 7, 16, 20, 31, 32, 33, 48, 63), (1, 32, 64), (16, 5)),
        "blake2s": (32, (1, 2, 3, 7, 16, 17, 20, 28, 31), (1, 16, 32), (8, 3)),
    }
    for algorithm, (full, digests, keys, others) in sizes.items():
        long, short = others
        parameters = [
            # digest, key, salt, personalization
            *((n, 0, 0, 0) for n in digests),
            *((full, n, 0, 0) for n in keys),
            *((full, 0, n, 0) for n in others),
            *((full, 0, 0, n) for n in others),
            (full, 0, long, long),
            (full // 2 - 1, 0, short, long),
            (full, keys[1], long, 0),
            (5, keys[0], 0, short),
            (full, keys[2], long, long),
            (full - 3, keys[1] - 3, short, 1),
        ]
        for digest, *lengths in parameters:
            key, salt, personal = (scrambled(3 + i, n) for i, n in enumerate(lengths))
            for length in (0, 1, 64, 65, 128, 129, 300):
                message = mod251(length)
                own = Python.constructor(algorithm)
                answers = {
                    f"{python.name} hashlib": own(
                        message, digest_size=digest, key=key, salt=salt, person=personal
                    ).digest()
                }
                if crates:
                    answers[crates.name(f"{algorithm}_simd")] = crates(
                        algorithm, digest, key, salt, personal, message
                    )
                if sodium and algorithm == "blake2b":
                    answers[sodium.name] = sodium.blake2b(
                        digest, key, salt, personal, message
                    )
                given = {"key_hex": key, "salt_hex": salt, "personal_hex": personal}
                yield {
                    "algorithm": algorithm,
                    **{name: value.hex() for name, value in given.items() if value},
                    **pattern(length),
                } | verdict(f"{algorithm}, {digest} bytes, {length}", answers)


def shake_lines() -> Iterator[Line]:
    """SHAKE with outputs and messages that end at its rates and beside them."""
    known = [needed(Python), *(p for p in (optional(OpenSsl), optional(Gcrypt)) if p)]
    for algorithm in ("shake128", "shake256"):
        for length in (0, 1, 135, 136, 167, 168, 300):
            for output in (1, 7, 31, 33, 135, 136, 137, 167, 168, 169, 336, 1000):
                answers = {
                    p.name: p.shake(algorithm, mod251(length), output) for p in known
                }
                yield (
                    {"algorithm": algorithm}
                    | pattern(length)
                    | verdict(f"{algorithm}, {output} bytes", answers)
                )


def skein_lines() -> Iterator[Line]:
    """Skein with outputs of any number of bytes, over one and several output blocks."""
    crates = needed(Crates)
    for state in (256, 512, 1024):
        for output in Crates.SKEIN_LENGTHS:
            for length in (0, 1, 32, 64, 65, 129, 300):
                algorithm = f"skein{state}-{8 * output}"
                answers = {
                    crates.name("skein"): crates(
                        f"skein{state}", output, mod251(length)
                    )
                }
                yield (
                    {"algorithm": algorithm}
                    | pattern(length)
                    | verdict(algorithm, answers)
                )


def xxh3_lines() -> Iterator[Line]:
    """XXH3 with a secret (`key_hex`) or a seed, at the lengths where its cases change."""
    libxxhash = needed(XxHash)
    crates, php = optional(Crates), optional(Php)
    lengths = (0, 1, 3, 4, 8, 9, 16, 17, 128, 129, 240, 241, 256, 1024, 2000)
    secrets = [{"key_hex": scrambled(6, n).hex()} for n in (136, 137, 192, 200)]
    seeds = [{"seed": n} for n in (42, 0x9E3779B97F4A7C15)]
    for algorithm in ("xxh3", "xxh128"):
        for given in (*secrets, *seeds):
            for length in lengths:
                message = mod251(length)
                what = "secret" if "key_hex" in given else "seed"
                value = (
                    bytes.fromhex(given["key_hex"])
                    if what == "secret"
                    else given["seed"]
                )
                answers = {
                    libxxhash.name: getattr(libxxhash, what)(algorithm, value, message)
                }
                if crates:
                    answers[crates.name("xxhash-rust")] = crates(
                        f"{what}-{algorithm}", value, message
                    )
                place = f"{algorithm} with {what}, {length}"
                result = verdict(place, answers)
                # PHP's XXH3 is the library's code: compared, not counted. Its integers
                # are signed.
                if php:
                    word = (
                        value - (1 << 64) if what == "seed" and value >> 63 else value
                    )
                    own = php.ask(what, algorithm, word, message)
                    verdict(place, answers | {php.name: bytes.fromhex(own)})
                yield {"algorithm": algorithm, **given, **pattern(length)} | result


# Sums


class Coreutils:
    COMMANDS = table("sum-bsd=sum:-r sum-sysv=sum:-s cksum=cksum")

    def __init__(self) -> None:
        for command in ("sum", "cksum"):
            if not shutil.which(command):
                raise Missing(command)
        version = subprocess.run(
            ["cksum", "--version"], capture_output=True, text=True, check=False
        ).stdout
        if "coreutils" not in version:
            raise Missing("coreutils")
        self.version = version.split("\n")[0].split()[-1]

    def name(self, algorithm: str) -> str:
        return f"coreutils {self.version} {self.COMMANDS[algorithm].replace(':', ' ')}"

    def __call__(self, algorithm: str, message: bytes) -> bytes:
        done = subprocess.run(
            self.COMMANDS[algorithm].split(":"),
            input=message,
            capture_output=True,
            check=True,
        )
        return int(done.stdout.split()[0]).to_bytes(sum_length(algorithm), "big")


def sum_length(algorithm: str) -> int:
    return 4 if algorithm == "cksum" else 2


def sum_model(algorithm: str, message: bytes) -> bytes:
    """The sums by their definitions, bit by bit."""
    value = 0
    if algorithm == "sum-bsd":
        for byte in message:
            value = ((value >> 1 | value << 15) + byte) & 0xFFFF
    elif algorithm == "sum-sysv":
        value = sum(message) & 0xFFFFFFFF
        for _ in range(2):
            value = (value & 0xFFFF) + (value >> 16)
    else:
        length = len(message)
        for byte in message + length.to_bytes((length.bit_length() + 7) // 8, "little"):
            value ^= byte << 24
            for _ in range(8):
                value = (value << 1 ^ 0x04C11DB7 * (value >> 31)) & 0xFFFFFFFF
        value ^= 0xFFFFFFFF
    return value.to_bytes(sum_length(algorithm), "big")


def sum_lines() -> Iterator[Line]:
    """BSD's and System V's sum, and POSIX's cksum with its length."""
    coreutils = needed(Coreutils)
    lengths = (0, 1, 2, 3, 255, 256, 257, 512, 1000, 65535, 65536, 70000)
    for algorithm in Coreutils.COMMANDS:
        # System V's sum is one of 32 bits until its end: the last message's is larger.
        ones = [*lengths[1:], *([16_843_010] if algorithm == "sum-sysv" else [])]
        messages = [(pattern(n), mod251(n)) for n in lengths]
        messages += [
            ({"message_pattern": "repeat", "unit_hex": "ff", "count": n}, b"\xff" * n)
            for n in ones
        ]
        for fields, message in messages:
            answers = {
                coreutils.name(algorithm): coreutils(algorithm, message),
                "model in vectors/generate.py": sum_model(algorithm, message),
            }
            yield (
                {"algorithm": algorithm}
                | fields
                | verdict(f"{algorithm} of {len(message)} bytes", answers)
            )


# Messages that are no number of whole bytes


class PerlSha:
    """Perl's Digest::SHA, which takes bits."""

    SCRIPT = r"""
        use Digest::SHA;
        $| = 1;
        while (<STDIN>) {
            my ($what, $bits, $hex) = split;
            if ($what eq 'version') { print "$^V $Digest::SHA::VERSION\n"; next }
            my $sha = Digest::SHA->new($what);
            $sha->add_bits(pack('H*', $hex), $bits);
            print $sha->hexdigest, "\n";
        }
    """
    # Its SHA-512/224 and SHA-512/256 are numbers.
    NUMBERS = table("""
        sha1=1 sha224=224 sha256=256 sha384=384 sha512=512 sha512/224=512224
        sha512/256=512256
    """)

    def __init__(self) -> None:
        if not shutil.which("perl"):
            raise Missing("perl")
        self.ask = Asked(["perl", "-e", self.SCRIPT])
        perl, version = self.ask("version").split()
        self.name = f"Perl {perl.lstrip('v')} Digest::SHA {version}"

    def __call__(self, algorithm: str, message: bytes, bits: int) -> bytes:
        return bytes.fromhex(self.ask(self.NUMBERS[algorithm], bits, message))


def bit_lines() -> Iterator[Line]:
    """SHA-1 and SHA-2 of bits, around where the length no longer fits a block."""
    perl = needed(PerlSha)
    for algorithm in PerlSha.NUMBERS:
        block = 8 * block_length(algorithm)
        room = block - block // 8
        ends = (room - 9, room - 2, room - 1, room + 1, block - 1, block + 1)
        for bits in (1, 2, 3, 4, 5, 6, 7, 9, 100, *ends, 2 * block - 1, 3 * block + 5):
            message = bytearray(scrambled(bits, (bits + 7) // 8))
            message[-1] &= 0xFF00 >> bits % 8 & 0xFF
            yield (
                {
                    "algorithm": algorithm,
                    "message_hex": message.hex(),
                    "bit_length": bits,
                }
                | verdict(
                    f"{algorithm} of {bits} bits",
                    {perl.name: perl(algorithm, bytes(message), bits)},
                )
            )


# Everything that PHP has


def php_lines() -> Iterator[Line]:
    """Every algorithm of PHP around block boundaries; its crc32 is `crc32-php` here."""
    php = needed(Php)
    short = (0, 1, 5, 7, 8, 15, 16, 17, 31, 32, 33, 47, 48, 49, 55, 56, 63, 64, 65)
    long = (111, 112, 119, 120, 127, 128, 129, 200, 255, 256, 257, 1000)
    for algorithm in php.algorithms:
        for length in short + long:
            answers = {p.name: p.digest(algorithm, mod251(length)) for p in programs()}
            name = "crc32-php" if algorithm == "crc32" else algorithm
            yield (
                {"algorithm": name}
                | pattern(length)
                | verdict(f"{algorithm} of {length} bytes", answers)
            )


# The catalogue of CRCs


def catalogue() -> Iterator[tuple[str, int, int, int, bool, bool, int, int]]:
    """Name, width, poly, init, refin, refout, xorout, check of every CRC of the catalogue, as the library lists them."""
    rows = HERE.parent / "crates/hashmill/src/algo/crc_catalogue.rs"
    row = re.compile(
        r"^ +(\d+) +(0x\w+) +(0x\w+) +(true|false) +(true|false) +(0x\w+) +(0x\w+) +\"([^\"]+)\":",
        re.MULTILINE,
    )
    for found in row.finditer(rows.read_text(encoding="utf-8")):
        width, poly, init, refin, refout, xorout, check, name = found.groups()
        poly, init, xorout, check = (int(x, 16) for x in (poly, init, xorout, check))
        yield name, int(width), poly, init, refin == "true", refout == "true", xorout, check


def crc_model(
    message: bytes, width: int, poly: int, init: int, refin: bool, refout: bool, xorout: int
) -> int:
    """A CRC by the definition, one bit after the other."""
    register = init
    for byte in message:
        for bit in range(8):
            into = byte >> (bit if refin else 7 - bit) & 1
            out = register >> (width - 1) & 1
            register = register << 1 & (1 << width) - 1
            if into != out:
                register ^= poly
    if refout:
        register = int(f"{register:0{width}b}"[::-1], 2)
    return register ^ xorout


def crc_lines() -> Iterator[Line]:
    """Every CRC of the catalogue: its check value, and lengths around those at which kernels change their ways."""
    lengths = (0, 1, 7, 8, 9, 15, 16, 17, 31, 33, 63, 64, 65, 127, 129, 255, 257, 511, 513, 1023, 1500)
    rows = list(catalogue())
    if len(rows) != 113:
        raise SystemExit(f"{len(rows)} CRCs read, not 113")
    for name, *parameters, check in rows:
        octets = (parameters[0] + 7) // 8
        if crc_model(b"123456789", *parameters) != check:
            raise SystemExit(f"{name}: the model does not give the catalogue's check value")
        yield {
            "algorithm": name,
            "message_hex": b"123456789".hex(),
            "digest_hex": check.to_bytes(octets, "big").hex(),
            "source": "the catalogue's check value; model in vectors/generate.py",
            "agree": 2,
        }
        for length in lengths:
            value = crc_model(mod251(length), *parameters)
            yield (
                {"algorithm": name}
                | pattern(length)
                | {
                    "digest_hex": value.to_bytes(octets, "big").hex(),
                    "source": "model in vectors/generate.py",
                    "agree": 1,
                }
            )


# Monte Carlo chains

CHAINS = {
    # FIPS 180's suite: a message is the last three digests.
    "cavp-sha1-sha2": """
        md2 md4 md5 sha0 sha1 sha224 sha256 sha384 sha512 sha512/224 sha512/256 ripemd128 ripemd160
        ripemd256 ripemd320 whirlpool tiger128,3 tiger160,3 tiger192,3 tiger128,4 tiger160,4
        tiger192,4 tiger2 snefru128 snefru256 gost gost-crypto streebog-256 streebog-512 sm3 blake2b
        blake2s blake3 haval128,3 haval160,3 haval192,3 haval224,3 haval256,3 haval128,4 haval160,4
        haval192,4 haval224,4 haval256,4 haval128,5 haval160,5 haval192,5 haval224,5 haval256,5
    """,
    # FIPS 202's suite: a message is the last digest.
    "cavp-sha3": "sha3-224 sha3-256 sha3-384 sha3-512 shake128 shake256",
    # That of the SHA-3 competition: a message is the last 1024 bits, the newest first.
    "nist-sha3-2008": """
        blake224 blake256 blake384 blake512 groestl224 groestl256 groestl384 groestl512 jh224 jh256
        jh384 jh512 skein256-256 skein512-512 skein1024-1024 cubehash224 cubehash256 cubehash384
        cubehash512 keccak224 keccak256 keccak384 keccak512
    """,
}
ROUNDS = 10
# Names of ours, where the programs have another or the parameter of one.
XOF_LENGTHS = {"shake128": 32, "shake256": 64}


def sha0(message: bytes) -> bytes:
    """SHA of 1993 by FIPS 180: SHA-1 without the rotation in its schedule."""
    mask = 0xFFFFFFFF
    state = [0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0]
    padded = message + b"\x80" + bytes(-(len(message) + 9) % 64)
    padded += (8 * len(message)).to_bytes(8, "big")
    rotate = lambda x, n: (x << n | x >> (32 - n)) & mask  # noqa: E731
    for at in range(0, len(padded), 64):
        w = [int.from_bytes(padded[i : i + 4], "big") for i in range(at, at + 64, 4)]
        for t in range(16, 80):
            w.append(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16])
        a, b, c, d, e = state
        for t in range(80):
            f, k = (
                (b & c | ~b & mask & d, 0x5A827999)
                if t < 20
                else (b ^ c ^ d, 0x6ED9EBA1)
                if t < 40
                else (b & c | b & d | c & d, 0x8F1BBCDC)
                if t < 60
                else (b ^ c ^ d, 0xCA62C1D6)
            )
            word = (rotate(a, 5) + f + e + k + w[t]) & mask
            a, b, c, d, e = word, a, rotate(b, 30), c, d
        state = [(x + y) & mask for x, y in zip(state, (a, b, c, d, e), strict=True)]
    return b"".join(x.to_bytes(4, "big") for x in state)


def implementations(algorithm: str) -> dict[str, Callable[[bytes], bytes]]:
    """What has the algorithm here, by name: at most three, since chains are long."""
    found: dict[str, Callable[[bytes], bytes]] = {}
    length = XOF_LENGTHS.get(algorithm)
    if length:
        for program in filter(None, map(optional, (Python, OpenSsl, Gcrypt))):
            found[program.name] = lambda m, p=program: p.shake(algorithm, m, length)
        return found
    if algorithm == "sha0":
        found["model in vectors/generate.py"] = sha0
        return found
    for program in programs():
        if program.digest(algorithm, b"") is not None:
            found[program.name] = lambda m, p=program: p.digest(algorithm, m)
    crates = optional(Crates)
    if crates and (crate := crates.crate(algorithm)):
        found[crates.name(crate)] = lambda m: crates(algorithm, m)
    return dict(list(found.items())[:3])


def chain(kind: str, seed: bytes, digest: Callable[[bytes], bytes]) -> Iterator[bytes]:
    """The values of a chain after every thousand digests."""
    value = message = seed
    while True:
        last = [value] * 3
        for _ in range(1000):
            if kind == "cavp-sha1-sha2":
                last = [*last[1:], digest(b"".join(last))]
                value = last[-1]
            elif kind == "cavp-sha3":
                value = digest(value)
            else:
                value = digest(message)
                message = (value + message)[:128]
        yield value


def monte_carlo_lines() -> Iterator[Line]:
    """A chain of every cryptographic algorithm, in the form of its suite."""
    for kind, names in CHAINS.items():
        for algorithm in names.split():
            known = implementations(algorithm)
            if not known:
                raise Missing(f"any program that has {algorithm}")
            length = 128 if kind == "nist-sha3-2008" else len(next(iter(known.values()))(b""))
            seed = scrambled(8, length)
            runs = {name: chain(kind, seed, digest) for name, digest in known.items()}
            checkpoints = {}
            for i in range(ROUNDS):
                answers = {name: next(run) for name, run in runs.items()}
                result = verdict(f"{algorithm}, round {i}", answers)
                checkpoints[str(i)] = result["digest_hex"]
            yield {
                "algorithm": algorithm,
                "monte": kind,
                "seed_hex": seed.hex(),
                "checkpoints": checkpoints,
                "verified_rounds": ROUNDS,
                "source": result["source"],
                "agree": result["agree"],
            }


FILES = {
    "hmac.jsonl": hmac_lines,
    "blake2-parameters.jsonl": blake2_lines,
    "shake-lengths.jsonl": shake_lines,
    "sums.jsonl": sum_lines,
    "xxh3-secret.jsonl": xxh3_lines,
    "php.jsonl": php_lines,
    "skein-lengths.jsonl": skein_lines,
    "crc-catalogue.jsonl": crc_lines,
    "montecarlo.jsonl": monte_carlo_lines,
    "bits-sha.jsonl": bit_lines,
}


def same(path: Path, lines: list[Line]) -> bool:
    """Compares values with the file that is here, and says so."""
    if not path.exists():
        print(f"{path.name}: not here")
        return False
    here = path.read_text(encoding="utf-8")
    if here == text(lines):
        print(f"{path.name}: {len(lines)} lines, the same bytes")
        return True

    def values(all_lines: list[Line]) -> list[Line]:
        return [
            {k: v for k, v in line.items() if k not in ("source", "agree")}
            for line in all_lines
        ]

    ours, theirs = (
        values(lines),
        values([json.loads(line) for line in here.splitlines()]),
    )
    if ours == theirs:
        print(f"{path.name}: {len(lines)} lines, the same values, other programs")
        return True
    for number, (new, old) in enumerate(zip(ours, theirs), 1):
        if new != old:
            print(f"{path.name}:{number}: differs")
            print(f"  here {json.dumps(old)}\n  now  {json.dumps(new)}")
            return False
    print(f"{path.name}: {len(theirs)} lines here, {len(ours)} now")
    return False


def text(lines: list[Line]) -> str:
    return "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)


def main() -> int:
    parser = argparse.ArgumentParser(
        description="Make test vectors with independent programs."
    )
    parser.add_argument(
        "--check",
        action="store_true",
        help="compare with the files that are here, write nothing",
    )
    parser.add_argument(
        "--scratch",
        type=Path,
        metavar="FOLDER",
        help="where the crates are built (default: temporary)",
    )
    parser.add_argument("file", nargs="*", help=f"default: all of {', '.join(FILES)}")
    arguments = parser.parse_args()
    bare.environment()
    for unknown in set(arguments.file) - set(FILES):
        parser.error(f"{unknown}: not one of {', '.join(FILES)}")

    differ = 0
    with tempfile.TemporaryDirectory(prefix="hashmill-vectors-") as temporary:
        Crates.folder = (arguments.scratch or Path(temporary)).resolve()
        for name in arguments.file or FILES:
            try:
                lines = list(FILES[name]())
            except Missing as missing:
                print(f"{name}: skipped, not on this machine: {missing}")
                continue
            if arguments.check:
                differ += not same(HERE / name, lines)
            else:
                (HERE / name).write_text(text(lines), encoding="utf-8", newline="\n")
                print(
                    f"{name}: {len(lines)} lines, {(HERE / name).stat().st_size} bytes"
                )
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())
