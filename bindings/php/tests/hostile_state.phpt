--TEST--
unserialize() of what nobody serialized: an exception, or a context that works
--EXTENSIONS--
hashmill
--FILE--
<?php
$c = hash_init('blake512');
hash_update($c, str_repeat('message ', 40));
$good = $c->__serialize();
$tried = $refused = 0;
$try = function (array $data) use (&$tried, &$refused) {
    $tried++;
    $text = 'O:11:"HashContext":' . count($data) . ':' . substr(serialize($data), strlen('a:' . count($data) . ':'));
    try {
        $context = unserialize($text);
        hash_update($context, 'more');
        hash_final($context);
    } catch (Throwable $e) {
        $refused++;
    }
};
$try($good);
var_dump($refused);
$state = $good[2];
for ($i = 0; $i < strlen($state); $i++) {
    $bad = $state;
    $bad[$i] = chr(ord($bad[$i]) ^ 1 << $i % 8);
    $try([2 => $bad] + $good);
    $try([2 => substr($state, 0, $i)] + $good);
}
foreach ([null, 5, [], 1.5, true, '', str_repeat('x', 5000), $state . $state] as $bad) {
    $try([2 => $bad] + $good);
}
// A valid state of another algorithm under this one's name.
$other = hash_init('sm3')->__serialize();
$try([2 => $other[2]] + $good);
$try([0 => 'sm3'] + $good);
$try([3 => 0] + $good);
var_dump($refused === $tried - 1, $tried > 2 * strlen($state));
?>
--EXPECT--
int(0)
bool(true)
bool(true)
