<?php
// engine.php PHOTOS: runs slices of work, as told in crates/hashmill-measure/src/engine.rs.

declare(strict_types=1);

set_error_handler(function (int $level, string $what) {
    throw new ErrorException($what, 0, $level);
});
set_exception_handler(function (Throwable $e) {
    fwrite(STDERR, strtok($e->getMessage(), "\n") . "\n");
    exit(1);
});

// The loops of a case, by who does its work: each goes round so many times.
$loops = $said = [];
function add(string $case, int $bytes, array $all): void
{
    global $loops, $said;
    $loops[$case] = $all;
    foreach ($all as $by => $_) {
        $said[] = ['case' => $case, 'by' => $by, 'bytes' => $bytes];
    }
}

// What differs between loops is written out: a call through a variable would take part of the time.
foreach (explode(' ', trim(shell_exec(escapeshellarg(PHP_BINARY) . ' -n -r "echo implode(\' \', hash_algos());"'))) as $name) {
    foreach ([5, 5000] as $size) {
        $m = random_bytes($size);
        if (hash($name, $m) !== hashmill\hash($name, $m)) {
            throw new Exception("$name: not the same digest");
        }
        add("`$name`, $size bytes", $size, [
            'hashmill\hash' => function (int $n) use ($name, $m) {
                for ($i = 0; $i < $n; $i++) {
                    hashmill\hash($name, $m);
                }
            },
            'hash' => function (int $n) use ($name, $m) {
                for ($i = 0; $i < $n; $i++) {
                    hash($name, $m);
                }
            },
        ]);
    }
}

foreach (['md5', 'sha1', 'sha256', 'sha512', 'sha3-256', 'ripemd160', 'whirlpool'] as $name) {
    foreach ([20, 5000] as $size) {
        $many = [];
        for ($i = 0; $i < 1000; $i++) {
            $many[] = random_bytes($size);
        }
        add("`$name`, 1000 messages of $size bytes", 1000 * $size, [
            'hash_many' => function (int $n) use ($name, $many) {
                for ($i = 0; $i < $n; $i++) {
                    $all = hashmill\hash_many($name, $many);
                }
            },
            'hash in a loop' => function (int $n) use ($name, $many) {
                for ($i = 0; $i < $n; $i++) {
                    $all = [];
                    foreach ($many as $m) {
                        $all[] = hash($name, $m);
                    }
                }
            },
        ]);
    }
}

$paths = glob("$argv[1]/*.jpg");
$bytes = array_sum(array_map('filesize', $paths));
foreach (['md5', 'sha1', 'sha256', 'sha512', 'skein512', 'keccak512', 'jh512', 'groestl512', 'blake512'] as $name) {
    add("`$name`, " . count($paths) . ' photos', $bytes, [
        'hash_files' => function (int $n) use ($name, $paths) {
            for ($i = 0; $i < $n; $i++) {
                $all = hashmill\hash_files($name, $paths);
            }
        },
        'hash_file in a loop' => function (int $n) use ($name, $paths) {
            for ($i = 0; $i < $n; $i++) {
                $all = [];
                foreach ($paths as $path) {
                    $all[$path] = hash_file($name, $path);
                }
            }
        },
    ]);
}

echo json_encode(['protocol' => 1, 'engine' => 'PHP ' . PHP_VERSION, 'loops' => $said], JSON_THROW_ON_ERROR), "\n";
while (($line = fgets(STDIN)) !== false) {
    ['case' => $case, 'by' => $by, 'times' => $times] = json_decode($line, true, 9, JSON_THROW_ON_ERROR);
    $run = $loops[$case][$by];
    $start = hrtime(true);
    $run($times);
    echo json_encode(['ns' => hrtime(true) - $start]), "\n";
}
