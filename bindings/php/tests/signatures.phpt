--TEST--
The functions are those of hashmill.stub.php
--EXTENSIONS--
hashmill
--FILE--
<?php
$stub = file_get_contents(__DIR__ . '/../hashmill.stub.php');
$missing = 0;
$functions = array_filter(get_defined_functions()['internal'], fn ($name) => str_starts_with($name, 'hashmill\\'));
foreach ($functions as $name) {
    $f = new ReflectionFunction($name);
    $parameters = array_map(function ($p) {
        $type = (string) $p->getType();
        // PHP prints `iterable` as the union that it stands for.
        $type = str_replace(['Traversable|array', 'array|string'], ['iterable', 'string|array'], $type);
        $value = $p->isDefaultValueAvailable() ? ' = ' . str_replace(['NULL', "array (\n)"], ['null', '[]'], var_export($p->getDefaultValue(), true)) : '';
        return "$type \$" . $p->getName() . $value;
    }, $f->getParameters());
    $line = 'function ' . $f->getShortName() . '(' . implode(', ', $parameters) . '): ' . $f->getReturnType() . ' {}';
    if (!str_contains($stub, $line)) {
        $missing++;
        echo "not in the stub: $line\n";
    }
}
echo count($functions), ' functions, ', preg_match_all('/^function /m', $stub), " in the stub, $missing missing\n";
$class = new ReflectionClass('hashmill\FileError');
var_dump($class->isFinal(), $class->getParentClass()->getName(), (string) $class->getMethod('getPath')->getReturnType());
?>
--EXPECT--
3 functions, 3 in the stub, 0 missing
bool(true)
string(16) "RuntimeException"
string(6) "string"
