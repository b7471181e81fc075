<?php
// Imports photos: lists a folder's .jpg files, makes each one's path of the date it was taken, copies what is missing there or differs, hashes again,
// and reports what still differs. Counts the bytes that were hashed and the time that hashing took, nothing else.
//
//     php photo-import.php [--algo=md5,sha512,skein512,keccak512,jh512,groestl512,blake512] [--rounds=5] SOURCE DESTINATION
//
// Runs with plain PHP for the algorithms that it has, and with the extension hashmill for all.

declare(strict_types=1);

/** Bytes and seconds of hashing. */
final class Counter
{
    public int $bytes = 0;
    public int $nanoseconds = 0;
    public int $files = 0;

    public function hash(string $algorithm, string $path): string|false
    {
        $size = filesize($path);
        $start = hrtime(true);
        $digest = hash_file($algorithm, $path);
        $this->nanoseconds += hrtime(true) - $start;
        $this->bytes += (int) $size;
        $this->files++;
        return $digest;
    }

    public function seconds(): float
    {
        return $this->nanoseconds / 1e9;
    }
}

/** The .jpg files below a folder, in the order of their names. */
function photos(string $folder): array
{
    $found = [];
    $all = new RecursiveIteratorIterator(new RecursiveDirectoryIterator($folder, FilesystemIterator::SKIP_DOTS));
    foreach ($all as $file) {
        if ($file->isFile() && strtolower($file->getExtension()) === 'jpg') {
            $found[] = $file->getPathname();
        }
    }
    sort($found);
    return $found;
}

/** When the photo was taken, as its camera says it; else when the file was changed. */
function taken(string $path): int
{
    if (function_exists('exif_read_data') && ($exif = @exif_read_data($path, 'EXIF')) && isset($exif['DateTimeOriginal'])) {
        $time = DateTimeImmutable::createFromFormat('Y:m:d H:i:s', $exif['DateTimeOriginal']);
        if ($time !== false) {
            return $time->getTimestamp();
        }
    }
    return (int) filemtime($path);
}

/** One round. Returns what still differs after a second copy. */
function import(string $from, string $to, string $algorithm, Counter $counter): array
{
    $failed = [];
    foreach (photos($from) as $path) {
        $folder = $to . '/' . date('Y/Y-m-d', taken($path));
        $copy = $folder . '/' . basename($path);
        if (!is_dir($folder) && !mkdir($folder, 0777, true)) {
            $failed[] = $copy;
            continue;
        }
        $digest = $counter->hash($algorithm, $path);
        if ($digest === false) {
            $failed[] = $path;
            continue;
        }
        for ($try = 0; $try < 2; $try++) {
            if (is_file($copy) && $counter->hash($algorithm, $copy) === $digest) {
                continue 2;
            }
            if (!@copy($path, $copy)) {
                break;
            }
        }
        if (!is_file($copy) || $counter->hash($algorithm, $copy) !== $digest) {
            $failed[] = $copy;
        }
    }
    return $failed;
}

$options = getopt('', ['algo:', 'rounds:', 'help'], $rest);
[$from, $to] = array_slice($argv, $rest) + [null, null];
if (isset($options['help']) || $from === null || $to === null) {
    exit("usage: php photo-import.php [--algo=md5,sha512,…] [--rounds=5] SOURCE DESTINATION\n");
}
if (!is_dir($from)) {
    fwrite(STDERR, "photo-import: $from: no such folder\n");
    exit(2);
}
$wanted = explode(',', $options['algo'] ?? 'md5,sha512,skein512,keccak512,jh512,groestl512,blake512');
$known = hash_algos();
$status = 0;
printf("%-12s %5s %6s %14s %12s %10s\n", 'algorithm', 'round', 'files', 'bytes', 'seconds', 'MB/s');
for ($round = 1; $round <= (int) ($options['rounds'] ?? 5); $round++) {
    foreach ($wanted as $algorithm) {
        if (!in_array($algorithm, $known, true)) {
            if ($round === 1) fwrite(STDERR, "photo-import: $algorithm: not in this PHP; the extension hashmill has it\n");
            continue;
        }
        $counter = new Counter();
        foreach (import($from, $to, $algorithm, $counter) as $path) {
            fwrite(STDERR, "photo-import: $path: not as its source\n");
            $status = 1;
        }
        printf("%-12s %5d %6d %14d %12.6f %10.1f\n", $algorithm, $round, $counter->files, $counter->bytes, $counter->seconds(),
            $counter->bytes / max($counter->seconds(), 1e-9) / 1e6);
    }
}
exit($status);
