#!/usr/bin/env python3
"""Generates bindings/pascal/hashmillc.pas, the C library's functions and structures in Pascal, from bindings/c/abi.txt;
`--check` compares instead.

Functions are variables that are set when the library is loaded or, if HASHMILL_LINK is defined, external functions that
are linked.
"""

import os
import re
import sys

ROOT = os.path.join(os.path.dirname(__file__), "..")
OUT = os.path.join(ROOT, "bindings", "pascal", "hashmillc.pas")
PLAIN = {
    "size_t": "NativeUInt", "uint64_t": "UInt64", "uint32_t": "Cardinal", "int": "Integer", "bool": "Boolean",
    "hm_error": "hm_error", "hm_security": "Cardinal", "const char *": "PAnsiChar", "char *": "PAnsiChar", "const void *": "Pointer", "void *": "Pointer",
    "const char *const *": "PPAnsiChar", "const hm_algorithm *const *": "PPhm_algorithm", "size_t *": "PNativeUInt", "uint64_t *": "PUInt64",
    "hm_progress": "hm_progress", "hm_file_done": "hm_file_done", "hm_files_tick": "hm_files_tick",
}
RESERVED = {"out", "to", "type", "file", "end", "begin", "of", "at"}
# Fields whose type is neither a plain number nor a pointer.
FIELDS = {"hm_kernel.name": "array[0..63] of AnsiChar", "hm_kernel.available": "Boolean", "hm_kernel.active": "Boolean", "hm_algorithm.opaque": "array[0..3] of UInt64",
          "hm_hasher.opaque": "array[0..4095] of Byte"}
NUMBERS = re.compile(r"(len|size|lanes|from_messages|index|bytes|bytes_total|files|files_total)$")


def kind(text):
    text = " ".join(text.replace("struct ", "").split()).replace("* ", "*")
    if text in PLAIN:
        return PLAIN[text]
    name = re.fullmatch(r"(?:const )?(hm_\w+) (\*+)", text)
    if not name:
        sys.exit(f"pascal: no Pascal type for '{text}'")
    return "P" * len(name[2]) + name[1]


def parameters(text):
    if text == "void":
        return ""
    found = []
    for p in text.split(", "):
        match = re.fullmatch(r"(.*?[ *])(\w+)", p)
        name = match[2] + ("_" if match[2] in RESERVED else "")
        found.append(f"{name}: {kind(match[1].strip())}")
    return "(" + "; ".join(found) + ")"


def unit(abi, version):
    functions, callbacks, enums, structures, constants = [], [], [], {}, []
    for line in abi.splitlines():
        if m := re.fullmatch(r"typedef int \(\*(hm_\w+)\)\((.*)\);", line):
            callbacks.append((m[1], parameters(m[2])))
        elif m := re.fullmatch(r"(.*?[ *])(hm_\w+)\((.*)\);", line):
            functions.append((m[2], parameters(m[3]), kind(m[1].strip())))
        elif m := re.fullmatch(r"(hm_\w+) (HM_\w+) = (\d+)", line):
            enums.append((m[2], m[3]))
        elif m := re.fullmatch(r"(hm_\w+): (\d+) bytes, aligned to \d+", line):
            structures[m[1]] = []
        elif m := re.fullmatch(r"(hm_\w+)\.(\w+) at (\d+), (\d+) bytes", line):
            structures[m[1]].append((m[2], int(m[4])))
        elif m := re.fullmatch(r"(HM_\w+) = (\d+)", line):
            constants.append((m[1], m[2]))
        else:
            sys.exit(f"pascal: what is '{line}' in abi.txt?")
    w = []
    w += ["{ The C library's functions and structures, as hashmill.h declares them. Written by scripts/pascal.py of bindings/c/abi.txt; programs use the unit HashMill.",
          "", "  With HASHMILL_LINK defined the linker finds the functions; else they are variables, and HashMill sets them when it loads the library. }",
          "unit HashMillC;", "", "{$IFDEF FPC}{$IFNDEF FPC_OBJFPC}{$MODE DELPHI}{$ENDIF}{$PACKRECORDS C}{$ELSE}{$ALIGN 8}{$ENDIF}{$H+}", "", "interface", "", "const"]
    w += [f"  HM_MADE_FOR = '{version}'; {{ The version of the library that this unit describes. }}"]
    w += [f"  {n} = {v};" for n, v in enums + constants]
    w += ["", "type", "  hm_error = Cardinal;"]
    for name in ["hm_hmac", "hm_part", "hm_parts", "hm_xof"]:
        w += [f"  {name} = record end; {{ Only the library knows what is in it. }}", f"  P{name} = ^{name};", f"  PP{name} = ^P{name};"]
    for name, fields in structures.items():
        w += [f"  {name} = record"]
        for field, size in fields:
            full = f"{name}.{field}"
            pascal = FIELDS.get(full)
            if not pascal:
                if size == 4:
                    pascal = "Cardinal"
                elif name == "hm_files_progress":
                    pascal = "UInt64"
                elif NUMBERS.search(field):
                    pascal = "NativeUInt"
                elif field in ("path", "message", "kernel"):
                    pascal = "PAnsiChar"
                else:
                    pascal = "Pointer"
            w += [f"    {field}{'_' if field in RESERVED else ''}: {pascal};"]
        w += ["  end;", f"  P{name} = ^{name};"]
        if name in ("hm_algorithm", "hm_hasher"):
            w += [f"  PP{name} = ^P{name};"]
    w += [f"  {n} = function{p}: Integer; cdecl;" for n, p in callbacks]
    w += ["", "{$IFDEF HASHMILL_LINK}"]
    w += [f"function {n}{p}: {r}; cdecl; external 'hashmill' name '{n}';" for n, p, r in functions]
    w += ["{$ELSE}", "var"]
    w += [f"  {n}: function{p}: {r}; cdecl;" for n, p, r in functions]
    w += ["", "type", "  { Where a library has the function of this name; nil if it has none. }", "  hm_find = function(name: PAnsiChar): Pointer of object;", "",
          "{ Sets all functions; false, and the first name, if the library lacks one. }", "function hm_import_all(find: hm_find; out missing: PAnsiChar): Boolean;"]
    w += ["{$ENDIF}", "", "implementation", "", "{$IFNDEF HASHMILL_LINK}", "function hm_import_all(find: hm_find; out missing: PAnsiChar): Boolean;", "var",
          "  p: Pointer;", "begin", "  Result := False;"]
    for n, _, _ in functions:
        w += [f"  missing := '{n}';", "  p := find(missing);", "  if p = nil then Exit;", f"  {{$IFDEF FPC_OBJFPC}}Pointer({n}){{$ELSE}}@{n}{{$ENDIF}} := p;"]
    w += ["  missing := nil;", "  Result := True;", "end;", "{$ENDIF}", "", "end."]
    return "\n".join(w) + "\n"


def main():
    with open(os.path.join(ROOT, "bindings", "c", "abi.txt"), encoding="utf-8") as f:
        abi = f.read()
    with open(os.path.join(ROOT, "Cargo.toml"), encoding="utf-8") as f:
        version = re.search(r'^version = "(.*)"', f.read(), flags=re.M)[1]
    text = unit(abi, version)
    if sys.argv[1:] == ["--check"]:
        with open(OUT, encoding="utf-8") as f:
            if f.read() != text:
                sys.exit("pascal: bindings/pascal/hashmillc.pas is not what bindings/c/abi.txt says: run scripts/pascal.py")
        return
    with open(OUT, "w", encoding="utf-8") as f:
        f.write(text)


if __name__ == "__main__":
    main()
