<?php

/* The functions of the extension hashmill, for editors and readers. PHP's own hash functions know its algorithms by themselves.
 * A test compares this with the extension. */

namespace hashmill;

/**
 * The digest of a message, by our code behind the names that PHP has as well.
 *
 * @param string $algo a name of PHP's, of hashmill's, or with parameters: "sha256", "shake128:100", "xxh64:seed=7"
 * @param bool $binary bytes instead of hexadecimal digits
 * @param array{key?: string, secret?: string, seed?: int, salt?: string, personal?: string, context?: string, resume_from?: string, length?: int} $options
 *     key (or secret): of the length that the algorithm takes; length: bytes of digest; resume_from: the binary digest of what comes before
 * @throws \ValueError where there is no such algorithm, which names the nearest, or no such option
 */
function hash(string $algo, string $data, bool $binary = false, array $options = []): string {}

/**
 * The digests of many messages, side by side in SIMD lanes.
 *
 * @param string[] $messages
 * @param int|null $threads threads that hash, at least 1; null for as many as there are cores, if there is a millisecond of work for each
 * @return string[] with the keys of $messages
 */
function hash_many(string $algo, array $messages, bool $binary = false, ?int $threads = null): array {}

/**
 * The digests of many files: each is read once for all algorithms, many are hashed side by side, on several threads.
 *
 * Paths may be strings or SplFileInfo, so an iterator over folders will do; what PHP opens by a wrapper (https://, phar://) is read by PHP, one after the other.
 *
 * @param string|string[] $algos one name, or several
 * @param iterable<string|\Stringable> $paths
 * @param int|null $threads threads that hash, at least 1; null for as many as there are cores
 * @param callable|null $progress (int $bytes, int $bytesTotal, int $files, int $filesTotal): mixed, called about ten times a second and at the end; false
 *     ends the work, and what was not done is not in the result
 * @return array<string, string|array<string, string>|FileError> by path, in the order of $paths: the digest, or one for each name in $algos; or what was wrong
 */
function hash_files(string|array $algos, iterable $paths, ?int $threads = null, ?callable $progress = null): array {}

/** Why there is no digest of a file; hash_files() returns it and does not throw it. */
final class FileError extends \RuntimeException
{
    /** The path as it was given. */
    public function getPath(): string {}
}
