<?php

/* The functions of the extension hashmill, for editors and readers. PHP's own hash functions support its algorithms without
 * further declarations. A test compares this file with the extension. */

namespace hashmill;

/**
 * The digest of a message, always computed by hashmill, even for names that PHP has as well.
 *
 * @param string $algo a name known to PHP or hashmill, or one with parameters: "sha256", "shake128:100", "xxh64:seed=7"
 * @param bool $binary bytes instead of hexadecimal digits
 * @param array{key?: string, secret?: string, seed?: int, salt?: string, personal?: string, context?: string, resume_from?: string, length?: int} $options
 *     key (or secret): of a length that the algorithm takes; length: digest length in bytes; resume_from: the binary digest of the data before
 * @throws \ValueError if there is no such algorithm (the message names the nearest) or no such option
 */
function hash(string $algo, string $data, bool $binary = false, array $options = []): string {}

/**
 * The digests of many messages, computed side by side in SIMD lanes.
 *
 * @param string[] $messages
 * @param int|null $threads number of threads, at least 1; null for as many as there are cores, if there is a millisecond of work for each
 * @return string[] with the keys of $messages
 */
function hash_many(string $algo, array $messages, bool $binary = false, ?int $threads = null): array {}

/**
 * The digests of many files: each is read once for all algorithms, and many are hashed in parallel, on several threads.
 *
 * Paths may be strings or SplFileInfo, so a directory iterator works. What PHP opens through a stream wrapper (https://,
 * phar://) is read by PHP, one after the other.
 *
 * @param string|string[] $algos one name, or several
 * @param iterable<string|\Stringable> $paths
 * @param int|null $threads number of threads, at least 1; null for as many as there are cores
 * @param callable|null $progress (int $bytes, int $bytesTotal, int $files, int $filesTotal): mixed, called about ten times a second and at the end; false
 *     stops the call, and files that were not finished are not in the result
 * @return array<string, string|array<string, string>|FileError> by path, in the order of $paths: the digest, or one for each name in $algos, or an error
 */
function hash_files(string|array $algos, iterable $paths, ?int $threads = null, ?callable $progress = null): array {}

/** Why a file has no digest; hash_files() returns this and does not throw it. */
final class FileError extends \RuntimeException
{
    /** The path as it was given. */
    public function getPath(): string {}
}
