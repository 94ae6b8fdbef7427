#!/usr/bin/env python3
"""Holds the #includes of src/ to the table of rooms in ARCHITECTURE.md.

check_rooms.py [ROOT]       checks a tree (default: this project)
check_rooms.py --self-test  checks that planted violations are found, and nothing else

The table has the columns folder, what lives there, may use. A room may use itself, src/base, the
rooms that its row names, and what those may use. "all" stands for every room. Words in brackets
are for people. Beside the table, a few things belong to one room only: see OWNED.
"""

import pathlib
import re
import sys
import tempfile

# What is looked for, in which files it is allowed, what to say. Paths are relative to src/.
OWNED = [
    (re.compile(r"#\s*include\s*<boost/beast"), r"http/", "only src/http includes Boost.Beast"),
    (re.compile(r"#\s*include\s*[<\"]sqlite3\.h"), r"store/", "only src/store includes sqlite3.h"),
    (re.compile(r"#\s*include\s*<boost/"), r"(?!shim/)", "src/shim includes no Boost"),
    (
        re.compile(r"\b(?:system|steady|high_resolution)_clock::now\b"),
        r"base/clock\.cpp$|shim/|.*test",
        "only base/clock.cpp, src/shim and tests read a clock: take a base::Clock",
    ),
]

INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"')
COMMENT_OR_STRING = re.compile(
    r"//[^\n]*|/\*.*?\*/"  # comments
    r'|R"([^()\\\s]{0,16})\(.*?\)\1"'  # raw strings
    r'|"(?:\\.|[^"\\\n])*"'  # strings
    r"|(?<![0-9A-Za-z_])'(?:\\.|[^'\\\n])+'",  # characters (not the marks in 1'000)
    re.DOTALL,
)


def without_comments(text):
    """The text with comments blanked and all lines where they were."""

    def blank(match):
        token = match.group(0)
        return token if token[0] in "\"'" else "\n" * token.count("\n")

    return COMMENT_OR_STRING.sub(blank, text)


# ---- the table --------------------------------------------------------------------------------


def read_table(markdown):
    """Room -> the rooms that its row names. A room is a folder of src/ or a file in it."""
    named, inside = {}, False
    for line in markdown.splitlines():
        if not line.lstrip().startswith("|"):
            inside = False
            continue
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if cells[0].lower() == "folder" and cells[-1].lower() == "may use":
            inside = True
        elif inside:
            uses = re.sub(r"\(.*?\)", "", cells[-1]) if len(cells) >= 3 else ""
            for room in re.findall(r"`src/([^`/]+)/?`", cells[0]):
                named[room] = {use.strip(" `/") for use in uses.split(",")} - {""}
    return named


def allowed_rooms(named):
    """Room -> every room that it may include, directly or through another."""
    allowed = {}
    for room, uses in named.items():
        reached, waiting = {room, "base"}, list(uses)
        while waiting:
            use = waiting.pop()
            if use == "all":
                waiting.extend(named.keys() - reached)
            elif use not in reached:
                reached.add(use)
                waiting.extend(named.get(use, ()))
        allowed[room] = reached
    return allowed


# ---- the sources ------------------------------------------------------------------------------


def boost_behind(src, header, seen):
    """The project's header that brings Boost in when this one is included, or None."""
    path = src / header
    if header in seen or not path.is_file():
        return None
    seen.add(header)
    for line in without_comments(path.read_text(errors="replace")).splitlines():
        if re.match(r"\s*#\s*include\s*<boost/", line):
            return header
        include = INCLUDE.match(line)
        found = include and boost_behind(src, include.group(1), seen)
        if found:
            return found
    return None


def check_file(src, path, allowed):
    relative = path.relative_to(src).as_posix()
    room = relative.split("/")[0]
    if room not in allowed:
        yield 1, f"{room} has no row (ARCHITECTURE.md, Rooms)"
        return
    for number, line in enumerate(without_comments(path.read_text(errors="replace")).splitlines(), start=1):
        for pattern, where, text in OWNED:
            if pattern.search(line) and not re.match(where, relative):
                yield number, text
        include = INCLUDE.match(line)
        if not include:
            continue
        header = include.group(1)
        target = header.split("/")[0]
        is_room = "/" in header and (target in allowed or (src / target).is_dir())
        if is_room and target not in allowed[room]:
            yield number, f'room {room} may not include "{header}" (ARCHITECTURE.md, Rooms)'
        elif room == "shim":
            culprit = boost_behind(src, header, set())
            if culprit:
                yield number, f"src/shim includes no Boost, but {culprit} does"


def check(root):
    """The complaints about a tree, as lines of text."""
    src = root / "src"
    document = root / "ARCHITECTURE.md"
    named = read_table(document.read_text()) if document.is_file() else {}
    if not named:
        return ["ARCHITECTURE.md: there is no table with the columns folder, …, may use"]
    allowed = allowed_rooms(named)
    complaints = []
    for room, uses in sorted(named.items()):
        for use in sorted(uses - named.keys() - {"all"}):
            complaints.append(f"ARCHITECTURE.md: {room} may use {use}, which is no room")
    for path in sorted(src.rglob("*")):
        if path.suffix in {".h", ".cpp"}:
            for number, text in check_file(src, path, allowed):
                complaints.append(f"{path.relative_to(root)}:{number}: {text}")
    return complaints


# ---- the test of this test --------------------------------------------------------------------

TABLE = """
| folder | what lives there | may use |
| --- | --- | --- |
| `api/` | kinds | |
| `src/base` | helpers | |
| `src/object` | objects | base |
| `src/store` | SQLite | object |
| `src/http` | Beast | base |
| `src/client` | the API | object, http |
| `src/scheduler` | placing | client |
| `src/cli` | commands | client, scheduler (pure core, no loop) |
| `src/shim` | a parent | |
| `src/main.cpp` | wiring | all |
"""

# File -> its lines, those that must be complained about marked with an exclamation mark.
PLANTED = {
    "base/clock.cpp": ["auto t = std::chrono::steady_clock::now();"],
    "base/task.h": ["#include <boost/asio.hpp>"],
    "base/plain.h": ["int plain();"],
    "store/store.cpp": ['#include "store/store.h"', '#include "object/object.h"', '#include "base/plain.h"',
                        "#include <sqlite3.h>", '!#include "http/server.h"', '!#include "client/api.h"'],
    "http/server.cpp": ["#include <boost/beast/core.hpp>", '!#include "object/object.h"'],
    "client/api.cpp": ["!#include <boost/beast/http.hpp>", "!#include <sqlite3.h>", "#include <boost/json.hpp>",
                       '#include "embedded/kinds.h"', "!auto t = std::chrono::system_clock::now();"],
    "cli/cli.cpp": ['#include "scheduler/core.h"', '#include "http/client.h"', '#include "object/object.h"',
                    '!#include "store/store.h"', '// #include "store/store.h"', "/* a", '#include "store/store.h"',
                    "steady_clock::now */", "int64_t n = 1'000'000;", '! #  include "store/x.h"  // bad'],
    "shim/shim.cpp": ["!#include <boost/asio.hpp>", '#include "base/plain.h"', '!#include "base/task.h"',
                      "auto t = std::chrono::steady_clock::now();"],
    "main.cpp": ['#include "store/store.h"', '#include "cli/cli.h"', '#include "shim/shim.h"'],
    "attic/old.cpp": ["!int x;"],
}


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "ARCHITECTURE.md").write_text(TABLE)
        expected = set()
        for name, lines in PLANTED.items():
            path = root / "src" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("".join(line.removeprefix("!") + "\n" for line in lines))
            expected |= {f"src/{name}:{i}" for i, line in enumerate(lines, 1) if line.startswith("!")}
        complaints = check(root)
    found = {":".join(complaint.split(":")[:2]) for complaint in complaints}
    for place in sorted(expected - found):
        print(f"check_rooms --self-test: missed the planted violation in {place}")
    for place in sorted(found - expected):
        print(f"check_rooms --self-test: complained about {place}, which is right")
    wanted = 'src/store/store.cpp:5: room store may not include "http/server.h" (ARCHITECTURE.md, Rooms)'
    if wanted not in complaints:
        print(f"check_rooms --self-test: this line is missing: {wanted}")
        return 1
    return 0 if found == expected else 1


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) == 2 else pathlib.Path(__file__).resolve().parent.parent
    complaints = check(root)
    for complaint in complaints:
        print(complaint)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
