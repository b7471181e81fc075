<?php
// A survey as somebody writes it who has nothing but PHP: all of hash_algos(), so many times on random messages of each size.
//
//     php survey.php [LOOPS]

$loops = (int) ($argv[1] ?? 5000);
foreach ([5, 30, 90, 1000, 5000] as $size) {
    $message = random_bytes($size);
    echo "$loops iterations on $size bytes\n";
    foreach (hash_algos() as $algo) {
        $start = microtime(true);
        for ($i = 0; $i < $loops; $i++) {
            $digest = hash($algo, $message);
        }
        printf("%-16s %.6f sec  %s\n", $algo, microtime(true) - $start, $digest);
        $context = hash_init($algo);
        hash_update($context, substr($message, 0, 3));
        $half = hash_copy($context);
        hash_update($context, substr($message, 3));
        hash_update($half, substr($message, 3));
        if (hash_final($context) !== $digest || hash_final($half) !== $digest) {
            echo "$algo: in two pieces it is another digest\n";
            exit(1);
        }
    }
}
