<?php
// The survey of all of PHP's hashes: every algorithm hashes one message of each size, so many times in a loop that is timed as a whole.
//
//     php survey.php [--seed=N] [--loops=5000] [--sizes=5,30,90,1000,5000] [--own] [ALGORITHM...]
//
// Runs with plain PHP and with the extension, which adds its algorithms to hash_algos(). With --own it calls hashmill\hash(): our code behind PHP's names.
// With --seed the messages are those of `hashmill bench loops --names php --seed N`, so that rows can be joined by name and digest.

declare(strict_types=1);

/** SplitMix64 (Steele, Lea and Flood, 2014), in integers of 64 bits that may not overflow. */
final class SplitMix64
{
    public function __construct(private int $state)
    {
    }

    private static function add(int $a, int $b): int
    {
        $low = ($a & 0xffffffff) + ($b & 0xffffffff);
        $high = ($a >> 32 & 0xffffffff) + ($b >> 32 & 0xffffffff) + ($low >> 32);
        return $high << 32 | $low & 0xffffffff;
    }

    private static function multiply(int $a, int $b): int
    {
        [$al, $ah, $bl, $bh] = [$a & 0xffffffff, $a >> 32 & 0xffffffff, $b & 0xffffffff, $b >> 32 & 0xffffffff];
        // Products of 32 and 16 bits stay below 2^48.
        $product = fn (int $x, int $y): int => self::add($x * ($y & 0xffff), $x * ($y >> 16) << 16);
        return self::add($product($al, $bl), self::add($product($ah, $bl), $product($al, $bh)) << 32);
    }

    /** Shifts as if there were no sign. */
    private static function right(int $a, int $n): int
    {
        return $a >> $n & (1 << 64 - $n) - 1;
    }

    public function next(): int
    {
        $this->state = self::add($this->state, 0x9e3779b9 << 32 | 0x7f4a7c15);
        $z = self::multiply($this->state ^ self::right($this->state, 30), 0xbf58476d << 32 | 0x1ce4e5b9);
        $z = self::multiply($z ^ self::right($z, 27), 0x94d049bb << 32 | 0x133111eb);
        return $z ^ self::right($z, 31);
    }

    public function bytes(int $n): string
    {
        for ($bytes = ''; strlen($bytes) < $n;) {
            $bytes .= pack('P', $this->next());
        }
        return substr($bytes, 0, $n);
    }
}

function message(int $size, ?int $seed): string
{
    // Of the seed and the size alone: other sizes beside it change nothing.
    return $seed === null ? random_bytes($size) : (new SplitMix64($seed ^ ($size << 32 | $size >> 32)))->bytes($size);
}

$options = getopt('', ['seed:', 'loops:', 'sizes:', 'own', 'help'], $rest);
if (isset($options['help'])) {
    exit("usage: php survey.php [--seed=N] [--loops=5000] [--sizes=5,30,90,1000,5000] [--own] [ALGORITHM...]\n");
}
$seed = isset($options['seed']) ? (int) $options['seed'] : null;
$loops = (int) ($options['loops'] ?? 5000);
$sizes = array_map('intval', explode(',', $options['sizes'] ?? '5,30,90,1000,5000'));
$own = isset($options['own']);
if ($own && !function_exists('hashmill\hash')) {
    fwrite(STDERR, "survey: --own needs the extension: php -d extension=hashmill\n");
    exit(2);
}
$algorithms = array_slice($argv, $rest) ?: hash_algos();
foreach ($algorithms as $name) {
    if (!in_array($name, hash_algos(), true)) {
        fwrite(STDERR, "survey: $name: PHP knows no such algorithm here\n");
        exit(2);
    }
}
foreach ($sizes as $n => $size) {
    $message = message($size, $seed);
    echo $n ? "\n" : '', "$loops iterations on $size bytes message\n";
    echo $seed === null ? 'random_bytes' : "SplitMix64 with seed $seed", ": $size bytes\n";
    $rows = [];
    foreach ($algorithms as $name) {
        $digest = '';
        // Two loops, so that what is timed is nothing but the call.
        if ($own) {
            $start = hrtime(true);
            for ($i = 0; $i < $loops; $i++) {
                $digest = hashmill\hash($name, $message);
            }
        } else {
            $start = hrtime(true);
            for ($i = 0; $i < $loops; $i++) {
                $digest = hash($name, $message);
            }
        }
        $rows[] = sprintf("%-15s\t%.6f sec \t%s\n", $name, (hrtime(true) - $start) / 1e9, $digest);
    }
    echo implode('', $rows);
}
