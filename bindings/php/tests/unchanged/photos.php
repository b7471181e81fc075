<?php
// An import of photos as somebody writes it who has nothing but PHP: by the date, what is missing or differs is copied and looked at again.
//
//     php photos.php SOURCE DESTINATION ROUNDS ALGORITHM...

class HashCounter
{
    private $bytes = 0;
    private $seconds = 0.0;

    public function hashFile($algo, $file)
    {
        $handle = fopen($file, 'rb');
        $start = microtime(true);
        $context = hash_init($algo);
        $this->bytes += hash_update_stream($context, $handle);
        $digest = hash_final($context);
        $this->seconds += microtime(true) - $start;
        fclose($handle);
        return $digest;
    }

    public function bytes()
    {
        return $this->bytes;
    }

    public function seconds()
    {
        return $this->seconds;
    }
}

list(, $source, $destination, $rounds) = $argv;
$algos = array_slice($argv, 4);
foreach ($algos as $algo) {
    if (!in_array($algo, hash_algos())) {
        fwrite(STDERR, "$algo is not here\n");
        continue;
    }
    $took = array();
    for ($round = 0; $round < $rounds; $round++) {
        $counter = new HashCounter();
        $files = new RecursiveIteratorIterator(new RecursiveDirectoryIterator($source, FilesystemIterator::SKIP_DOTS));
        foreach ($files as $file) {
            if (strtolower($file->getExtension()) != 'jpg') {
                continue;
            }
            $folder = $destination . '/' . date('Y/m/d', $file->getMTime());
            $copy = $folder . '/' . $file->getFilename();
            if (!is_dir($folder)) {
                mkdir($folder, 0777, true);
            }
            $digest = $counter->hashFile($algo, $file->getPathname());
            if (!file_exists($copy) || $counter->hashFile($algo, $copy) != $digest) {
                copy($file->getPathname(), $copy);
                if ($counter->hashFile($algo, $copy) != $digest) {
                    echo "$copy differs\n";
                }
            }
        }
        $took[] = sprintf('%.6f', $counter->seconds());
    }
    echo $algo, ' ', $counter->bytes(), ' ', implode(' ', $took), "\n";
}
