#!/usr/bin/env python3
"""Turns the code on pages into a program: snippets.py cpp|c OUT PAGE...

Each block ```cpp (or ```c) becomes a function, and main calls them in order. #include lines go to the top. Code that a
block needs but the page does not show goes into a comment before it,
`<!-- code: const std::vector<std::string> strings = {"a"}; -->`; `<!-- no code -->` leaves a block out.
"""

import re
import sys

BEFORE = {
    "cpp": ["algorithm", "array", "cstdint", "deque", "iostream", "list", "ranges", "span", "sstream", "string", "unordered_set", "vector"],
    "c": ["stdio.h", "string.h"],
}


def blocks(page, language):
    """Yields (line, code that goes before it, code) for every block."""
    with open(page, encoding="utf-8") as f:
        lines = f.read().split("\n")
    before, start = "", None
    for number, line in enumerate(lines, 1):
        if start is None:
            if m := re.fullmatch(r"<!-- code: (.*) -->", line):
                before = m[1]
            elif line == "<!-- no code -->":
                before = None
            elif line == "```" + language:
                start = number
            elif line.startswith("```"):
                start = -1
            elif line.strip():
                before = ""
        elif line == "```":
            if start > 0 and before is not None:
                yield start, before, lines[start:number - 1]
            before, start = "", None


def main():
    language, out, *pages = sys.argv[1:]
    includes = ["#undef NDEBUG", "#include <assert.h>", f"#include <hashmill.{'hpp' if language == 'cpp' else 'h'}>"]
    includes += [f"#include <{name}>" for name in BEFORE[language]]
    body, calls = [], []
    for page in pages:
        for line, before, code in blocks(page, language):
            name = f"block_{len(calls)}"
            calls.append(name)
            includes += [c for c in code if c.startswith("#include")]
            static = [c for c in code if not c.startswith(("#include", "using namespace"))]
            body += [f"static void {name}({'void' if language == 'c' else ''}) {{", before, f'#line {line + 1} "{page}"', *static, "}", ""]
    if not calls:
        sys.exit(f"snippets: no code in {', '.join(pages)}")
    using = ["using namespace std::string_view_literals;"] if language == "cpp" else []
    end = ["int main(void) {" if language == "c" else "int main() {", *(f"    {name}();" for name in calls),
           f'    printf("test result: ok. {len(calls)} passed; 0 failed\\n");', "}", ""]
    with open(out, "w", encoding="utf-8") as f:
        f.write("\n".join([*dict.fromkeys(includes), "#include <cstdio>" if language == "cpp" else "", *using, "", *body, *end]))


main()
