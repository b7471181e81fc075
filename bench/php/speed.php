<?php
// speed.php PHOTOS RESULTS.json [PAIRS]: the extension beside PHP's own functions, in one process, in turns of half a millisecond at least; prints the tables of
// docs/php.md. The extension is loaded.

declare(strict_types=1);

final class Pairs
{
    /** @var float[] */
    public array $theirs = [];
    /** @var float[] */
    public array $ours = [];

    /** Both run once before, and then in turns, each first as often as the other. */
    public function __construct(callable $theirs, callable $ours, int $pairs)
    {
        $theirs();
        $ours();
        for ($i = 0; $i < $pairs; $i++) {
            if ($i % 2) {
                $this->ours[] = $ours();
                $this->theirs[] = $theirs();
            } else {
                $this->theirs[] = $theirs();
                $this->ours[] = $ours();
            }
        }
    }

    /** Ours over theirs: median, and the order statistics between which it lies with 95 % (binomial). */
    public function ratio(): array
    {
        $ratios = array_map(fn ($a, $b) => $a / $b, $this->theirs, $this->ours);
        sort($ratios);
        $n = count($ratios);
        $low = max(0, (int) floor(($n - 1.96 * sqrt($n)) / 2));
        return ['median' => $ratios[intdiv($n, 2)], 'interval' => [$ratios[$low], $ratios[$n - 1 - $low]]];
    }

    public static function median(array $values): float
    {
        sort($values);
        return $values[intdiv(count($values), 2)];
    }

    public function result(float $divide = 1.0): array
    {
        return ['ratio' => $this->ratio(), 'php_seconds' => self::median($this->theirs) / $divide, 'hashmill_seconds' => self::median($this->ours) / $divide];
    }
}

function spread(array $ratio): string
{
    return sprintf('%.2f [%.2f, %.2f]', $ratio['median'], ...$ratio['interval']);
}

function table(array $head, array $rows): void
{
    echo '| ', implode(' | ', $head), " |\n|---|", str_repeat('---:|', count($head) - 1), "\n";
    foreach ($rows as $row) {
        echo '| ', implode(' | ', $row), " |\n";
    }
    echo "\n";
}

/** A loop of `$n` calls; seconds. */
function theirs(string $name, string $m, int $n): float
{
    $start = hrtime(true);
    for ($i = 0; $i < $n; $i++) {
        hash($name, $m);
    }
    return (hrtime(true) - $start) / 1e9;
}

function ours(string $name, string $m, int $n): float
{
    $start = hrtime(true);
    for ($i = 0; $i < $n; $i++) {
        hashmill\hash($name, $m);
    }
    return (hrtime(true) - $start) / 1e9;
}

const SLICE = 0.0005;

[, $photos, $file] = $argv;
$pairs = (int) ($argv[3] ?? 101);
$results = ['calls' => [], 'many' => [], 'files' => []];
$builtin = explode(' ', getenv('PLAIN_ALGOS') ?: 'md5 sha1 sha256');
$messages = [5 => random_bytes(5), 5000 => random_bytes(5000)];

echo "## One message\n\n`hash()` and `hashmill\\hash()`: nanoseconds for a call, and how many times as fast [95 % interval].\n\n";
$rows = [];
foreach ($builtin as $name) {
    $row = ["`$name`"];
    foreach ($messages as $size => $m) {
        if (hash($name, $m) !== hashmill\hash($name, $m)) {
            fwrite(STDERR, "speed: $name: not the same digest\n");
            exit(1);
        }
        for ($n = 1; min(theirs($name, $m, $n), ours($name, $m, $n)) < SLICE; $n *= 2);
        $result = (new Pairs(fn () => theirs($name, $m, $n), fn () => ours($name, $m, $n), $pairs))->result($n);
        $results['calls'][] = ['algorithm' => $name, 'bytes' => $size] + $result;
        array_push($row, sprintf('%.0f', $result['php_seconds'] * 1e9), sprintf('%.0f', $result['hashmill_seconds'] * 1e9), spread($result['ratio']));
    }
    $rows[] = $row;
}
table(['algorithm', '5 B, PHP', 'hashmill', 'times', '5000 B, PHP', 'hashmill', 'times'], $rows);

echo "## Many messages\n\n1000 messages: `hash()` for each in a loop, and `hashmill\\hash_many()`. Milliseconds for all.\n\n";
$rows = [];
foreach (['md5', 'sha1', 'sha256', 'sha512', 'sha3-256', 'ripemd160', 'whirlpool'] as $name) {
    foreach ([20, 5000] as $size) {
        $many = [];
        for ($i = 0; $i < 1000; $i++) {
            $many[] = random_bytes($size);
        }
        $loop = function () use ($name, $many): float {
            $start = hrtime(true);
            $all = [];
            foreach ($many as $m) {
                $all[] = hash($name, $m);
            }
            return (hrtime(true) - $start) / 1e9;
        };
        $mill = function () use ($name, $many): float {
            $start = hrtime(true);
            $all = hashmill\hash_many($name, $many);
            return (hrtime(true) - $start) / 1e9;
        };
        $result = (new Pairs($loop, $mill, max(3, intdiv($pairs, 3))))->result();
        $results['many'][] = ['algorithm' => $name, 'bytes' => $size, 'messages' => 1000] + $result;
        $rows[] = ["`$name`", (string) $size, sprintf('%.3f', $result['php_seconds'] * 1e3), sprintf('%.3f', $result['hashmill_seconds'] * 1e3), spread($result['ratio'])];
    }
}
table(['algorithm', 'bytes', 'PHP', 'hashmill', 'times'], $rows);

$paths = glob("$photos/*.jpg");
$bytes = array_sum(array_map('filesize', $paths));
printf("## Files\n\n%d photos, %s bytes, in the page cache: `hash_file()` for each in a loop, and `hashmill\\hash_files()`. Seconds for all.\n\n", count($paths), number_format($bytes, 0, '.', ' '));
$rows = [];
foreach (['md5', 'sha1', 'sha256', 'sha512'] as $name) {
    $loop = function () use ($name, $paths): float {
        $start = hrtime(true);
        $all = [];
        foreach ($paths as $path) {
            $all[$path] = hash_file($name, $path);
        }
        return (hrtime(true) - $start) / 1e9;
    };
    $mill = function () use ($name, $paths): float {
        $start = hrtime(true);
        $all = hashmill\hash_files($name, $paths);
        return (hrtime(true) - $start) / 1e9;
    };
    $result = (new Pairs($loop, $mill, max(3, intdiv($pairs, 9))))->result();
    $results['files'][] = ['algorithm' => $name, 'files' => count($paths), 'bytes' => $bytes] + $result;
    $rows[] = ["`$name`", sprintf('%.3f', $result['php_seconds']), sprintf('%.3f', $result['hashmill_seconds']), spread($result['ratio'])];
}
table(['algorithm', 'PHP', 'hashmill', 'times'], $rows);

file_put_contents($file, json_encode($results, JSON_PRETTY_PRINT | JSON_PRESERVE_ZERO_FRACTION) . "\n");
