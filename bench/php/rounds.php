<?php
// rounds.php PHOTOS RESULTS.json EXTENSION [ROUNDS]: the photo script for plain PHP (unchanged/photos.php), with plain PHP and with the extension loaded; prints a table of the
// seconds spent hashing and one of load, CPU and memory, and adds the figures to RESULTS.json. Run by plain PHP.

declare(strict_types=1);

/** Runs a command and looks at the machine ten times a second meanwhile. */
function watched(array $command): array
{
    $before = getrusage(1);
    $start = hrtime(true);
    $process = proc_open($command, [1 => ['pipe', 'w']], $pipes);
    $pid = proc_get_status($process)['pid'];
    stream_set_blocking($pipes[1], false);
    $out = '';
    $load = $resident = 0.0;
    do {
        $ready = [$pipes[1]];
        $none = null;
        stream_select($ready, $none, $none, 0, 100000);
        $out .= stream_get_contents($pipes[1]);
        $load = max($load, sys_getloadavg()[0]);
        if (preg_match('/VmHWM:\s*(\d+)/', (string) @file_get_contents("/proc/$pid/status"), $m)) $resident = max($resident, 1024.0 * $m[1]);
    } while (!feof($pipes[1]));
    if (proc_close($process) !== 0) exit(1);
    $wall = (hrtime(true) - $start) / 1e9;
    $after = getrusage(1);
    $seconds = fn (string $which) => $after["ru_$which.tv_sec"] - $before["ru_$which.tv_sec"] + ($after["ru_$which.tv_usec"] - $before["ru_$which.tv_usec"]) / 1e6;
    $memory = 1024 * (int) preg_replace('/.*MemTotal:\s*(\d+).*/s', '$1', file_get_contents('/proc/meminfo'));
    $rows = [];
    foreach (explode("\n", trim($out)) as $line) {
        $fields = explode(' ', $line);
        $rows[$fields[0]] = ['bytes' => (int) $fields[1], 'seconds' => array_map('floatval', array_slice($fields, 2))];
    }
    return ['rows' => $rows, 'peak_load' => $load, 'cpu_percent' => 100 * ($seconds('utime') + $seconds('stime')) / $wall, 'memory_percent' => 100 * $resident / $memory,
        'wall_seconds' => $wall];
}

function median(array $values): float
{
    sort($values);
    return $values[intdiv(count($values), 2)];
}

[, $photos, $file, $extension] = $argv;
$rounds = $argv[4] ?? '5';
$functions = ['md5', 'sha512', 'skein512', 'keccak512', 'jh512', 'groestl512', 'blake512'];
$to = dirname($file) . '/photos';
$script = [__DIR__ . '/unchanged/photos.php', $photos, $to, $rounds];
// The copies are made before anything is measured.
watched([PHP_BINARY, '-n', __DIR__ . '/unchanged/photos.php', $photos, $to, '1', 'md5']);
$plain = watched([PHP_BINARY, '-n', ...$script, 'md5', 'sha512']);
$with = watched([PHP_BINARY, '-n', '-d', "extension=$extension", ...$script, ...$functions]);

echo "| function | plain PHP | with the extension, unchanged |\n|---|---:|---:|\n";
foreach ($functions as $name) {
    $cell = fn (array $run) => isset($run['rows'][$name]) ? sprintf('%.3f', median($run['rows'][$name]['seconds'])) : '–';
    printf("| %s | %s | %s |\n", $name, $cell($plain), $cell($with));
}
echo "\n| | plain PHP | with the extension |\n|---|---:|---:|\n";
printf("| peak load | %.2f | %.2f |\n", $plain['peak_load'], $with['peak_load']);
printf("| CPU, of one | %.0f %% | %.0f %% |\n", $plain['cpu_percent'], $with['cpu_percent']);
printf("| memory | %.2f %% | %.2f %% |\n", $plain['memory_percent'], $with['memory_percent']);
$results = json_decode(file_get_contents($file), true);
$results['rounds'] = ['plain' => $plain, 'with' => $with];
file_put_contents($file, json_encode($results, JSON_PRETTY_PRINT | JSON_PRESERVE_ZERO_FRACTION) . "\n");
