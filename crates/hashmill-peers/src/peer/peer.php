// A loop over hash(), for `php -r`; what it is asked is told in language.rs.
set_exception_handler(function ($e) {
    fwrite(STDERR, get_class($e) . ": " . strtok($e->getMessage(), "\n") . "\n");
    exit(1);
});

// It can only be compiled in: no php.ini is read.
if (extension_loaded("hashmill")) {
    throw new Exception("this PHP has hashmill's extension in it, so that hash() may be hashmill: not measured");
}

echo "hashmill-peer ", PHP_VERSION, " ", implode(" ", hash_algos()), "\n";

function run($algorithm, $messages, $start, $end) {
    for ($i = $start; $i < $end; $i++) {
        hash($algorithm, $messages[$i], true);
    }
}

function exactly($length) {
    $text = "";
    while (($left = $length - strlen($text)) > 0) {
        $piece = fread(STDIN, $left);
        if ($piece === false || $piece === "") {
            exit(0);
        }
        $text .= $piece;
    }
    return $text;
}

$messages = [];
$count = 0;
$next = 0;
while (($line = fgets(STDIN)) !== false) {
    $words = explode(" ", rtrim($line, "\n"));
    switch ($words[0]) {
        case "messages":
            $messages = [];
            foreach (array_slice($words, 1) as $length) {
                $messages[] = exactly((int)$length);
            }
            $count = count($messages);
            // Few messages, many times, so that a stretch without a break is long.
            while (count($messages) < 1024) {
                $messages = array_merge($messages, $messages);
            }
            $next = 0;
            echo $count, "\n";
            break;
        case "digests":
            $digests = [];
            for ($i = 0; $i < $count; $i++) {
                $digests[] = hash($words[1], $messages[$i]);
            }
            echo implode(" ", $digests), "\n";
            break;
        case "run":
            $left = (int)$words[2];
            $all = count($messages);
            $time = hrtime(true);
            while ($left > 0) {
                $end = min($all, $next + $left);
                run($words[1], $messages, $next, $end);
                $left -= $end - $next;
                $next = $end % $all;
            }
            echo hrtime(true) - $time, "\n";
            break;
        default:
            throw new Exception("no such request: " . $words[0]);
    }
}
