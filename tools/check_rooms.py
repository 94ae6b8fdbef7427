#!/usr/bin/env python3
"""Holds the #includes of src/ to the table of rooms in ARCHITECTURE.md.

check_rooms.py [ROOT]       checks a tree (default: this project)
check_rooms.py --self-test  checks that planted violations are found, and nothing else

The table has the columns folder, what lives there, may use. A room may use itself, src/base, the
rooms that its row names, and what those may use. "all" stands for every room. Words in brackets
are for people. The table has no circle. Beside it, a few things belong to one room only: see OWNED.

A folder inside a room is a sub-room. The room's own README.md has the same table for them; here a
row names all that a sub-room may use. Files that stand in the room's own folder are either its
ground, which every sub-room may use and which uses none, or its front, which uses sub-rooms and is
used by none. Tests may use whatever the room has. No folder has more
than LARGEST sources; every room has a README.md.

check_rooms.py --arrows [ROOT]  prints who uses whom inside each room, to write such a table from
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
# How many sources a folder may have, tests and headers included: more are two ideas.
LARGEST = 42

# A room's tests, and what is made for them, may look everywhere inside it. (The fake runtime is part
# of the program.)
TEST = re.compile(
    r"_test\.cpp$|(^|/)(test_|fake_(?!runtime\.)|[a-z_]*_for_tests\.)[^/]*$|(^|/)[a-z_]*_(sim|crash)\.(h|cpp)$"
)

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


def read_table(markdown, folder="`src/([^`/]+)/?`"):
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
            for room in re.findall(folder, cells[0]):
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


# ---- inside a room ----------------------------------------------------------------------------


class House:
    """What stands in a room, or in a sub-room that has its own: its parts, and who includes whom among them."""

    def __init__(self, src, room):
        self.src, self.room = src, room
        self.files = sorted(p for p in (src / room).rglob("*") if p.suffix in {".h", ".cpp"})
        self.includes = {}
        for path in self.files:
            lines = without_comments(path.read_text(errors="replace")).splitlines()
            found = [(n, m.group(1)) for n, line in enumerate(lines, 1) if (m := INCLUDE.match(line))]
            self.includes[path.relative_to(src).as_posix()] = found
        self.sub_rooms = {self.place(name) for name in self.includes} - {None}
        self.front = self.find_front()

    def place(self, name):
        """The sub-room of a file; None when it stands in the room's own folder or elsewhere."""
        inside = name.removeprefix(self.room + "/")
        return inside.split("/")[0] if inside != name and "/" in inside else None

    def stands_free(self, name):
        inside = name.removeprefix(self.room + "/")
        return inside != name and "/" not in inside

    def find_front(self):
        """The files of the room's own folder that use a sub-room, also through one another's headers."""
        free = {
            name: {header for _, header in includes}
            for name, includes in self.includes.items()
            if self.stands_free(name)
        }
        front = {name for name, headers in free.items() if any(self.place(header) for header in headers)}
        while True:
            more = {name for name, headers in free.items() if name not in front and headers & front}
            if not more:
                return front
            front |= more

    def arrows(self):
        """(file, line, header, from, to) of what one sub-room takes from another, or from the front."""
        for name, includes in self.includes.items():
            here = self.place(name)
            if here is None or TEST.search(name):
                continue
            for number, header in includes:
                there = self.place(header)
                if header in self.front:
                    yield name, number, header, here, "its front"
                elif there and there != here:
                    yield name, number, header, here, there


def circle_in(named):
    """A way from a room to itself, or None."""
    done = set()

    def walk(room, way):
        if room in way:
            return way[way.index(room) :] + [room]
        if room in done:
            return None
        for use in sorted(named.get(room, ())):
            if found := walk(use, way + [room]):
                return found
        done.add(room)
        return None

    for room in sorted(named):
        if found := walk(room, []):
            return found
    return None


def check_house(root, room):
    src = root / "src"
    readme = src / room / "README.md"
    if "/" not in room and not readme.is_file():
        yield f"src/{room}: has no README.md"
    count = sum(path.suffix in {".h", ".cpp"} for path in (src / room).iterdir())
    if count > LARGEST:
        yield f"src/{room}: {count} sources, but a folder has at most {LARGEST}: cut it by idea"
    house = House(src, room)
    if not house.sub_rooms:
        return
    table = f"src/{room}/README.md"
    named = read_table(readme.read_text() if readme.is_file() else "", "`([^`/]+)/?`")
    for sub_room in sorted(house.sub_rooms - named.keys()):
        yield f"src/{room}/{sub_room} has no row ({table})"
    for sub_room, uses in sorted(named.items()):
        for use in sorted(uses - house.sub_rooms):
            yield f"{table}: {sub_room} may use {use}, which is not there"
        if sub_room not in house.sub_rooms:
            yield f"{table}: {sub_room} is not there"
    circle = circle_in(named)
    if circle:
        yield f"{table}: {' → '.join(circle)} is a circle"
    for name, number, header, here, there in house.arrows():
        if there not in named.get(here, ()):
            yield f'src/{name}:{number}: {room}/{here} may not include "{header}" ({table})'


def rooms_of(root):
    """All folders of src/ that hold sources, also below, as paths from src/."""
    folders = {path.parent for path in (root / "src").rglob("*") if path.suffix in {".h", ".cpp"}}
    folders |= {above for folder in folders for above in folder.parents}
    return sorted(folder.relative_to(root / "src").as_posix() for folder in folders if root / "src" in folder.parents)


def print_arrows(root):
    for room in rooms_of(root):
        house = House(root / "src", room)
        if not house.sub_rooms:
            continue
        found = {sub_room: {} for sub_room in house.sub_rooms}
        for name, number, _, here, there in house.arrows():
            found[here].setdefault(there, []).append(f"src/{name}:{number}")
        print(f"src/{room}")
        for sub_room, uses in sorted(found.items()):
            print(f"  {sub_room}: " + ", ".join(f"{use} ({len(at)})" for use, at in sorted(uses.items())))


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
    circle = circle_in(named)
    if circle:
        complaints.append(f"ARCHITECTURE.md: {' → '.join(circle)} is a circle")
    for path in sorted(src.rglob("*")):
        if path.suffix in {".h", ".cpp"}:
            for number, text in check_file(src, path, allowed):
                complaints.append(f"{path.relative_to(root)}:{number}: {text}")
    for room in rooms_of(root):
        complaints.extend(check_house(root, room))
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
| `src/node`, `src/jobs` | pods, jobs | client |
| `src/shim` | a parent | |
| `src/east` | a circle | west, attics |
| `src/west` | a circle | east |
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
    # Inside a room: pod may use run, and nobody else anybody.
    "node/node.h": ['#include "node/pod/worker.h"'],
    "node/front.h": ['#include "node/node.h"'],
    "node/config.h": ['#include "base/plain.h"'],
    "node/pod/worker.h": ['#include "node/pod/plan.h"', '#include "node/run/start.h"', '#include "node/config.h"',
                          '!#include "node/logs/file.h"', '!#include "node/node.h"', '!#include "node/front.h"',
                          '// #include "node/logs/file.h"', '#include "object/object.h"'],
    "node/pod/worker_test.cpp": ['#include "node/logs/file.h"', '#include "node/node.h"'],
    "node/pod/fake_pod.h": ['#include "node/logs/file.h"'],
    "node/pod/fake_runtime.h": ['!#include "node/logs/file.h"'],
    "node/run/start.cpp": ['!#include "node/pod/worker.h"', '#include "node/run/start.h"'],
    "node/logs/file.h": ["int file();"],
    # A sub-room with sub-rooms: its arrows within the room are those of the whole.
    "node/logs/old/file.h": ['#include "node/logs/file.h"'],
    "node/logs/new/file.h": ['!#include "node/logs/old/file.h"', '!#include "node/run/start.h"'],
    "node/attic/a.h": ["int a();"],
    "jobs/a/a.h": ['#include "jobs/b/b.h"'],
    "jobs/b/b.h": ["int b();"],
    "jobs/c/c.h": ["int c();"],
    **{f"scheduler/plan/full_{i}.h": [] for i in range(LARGEST)},
    **{f"scheduler/full/full_{i}.h": [] for i in range(LARGEST)},
    "scheduler/full/one_more.cpp": [],
}

# Room -> its sub-rooms and what each may use. These have a README.md; jobs/a has nothing of its own.
PLANTED_TABLES = {
    **{room: {} for room in ["base", "store", "http", "client", "cli"]},
    "scheduler": {"plan": "", "full": ""},
    "node": {"pod": "run", "run": "", "logs": ""},
    "node/logs": {"old": "", "new": ""},
    "jobs": {"a": "b", "b": "c (words for people)", "c": "`a`, dust", "gone": ""},
}

# What is complained about that stands in no line of a source.
PLANTED_COMPLAINTS = {
    "src/attic: has no README.md",
    "src/shim: has no README.md",
    "src/node/attic has no row (src/node/README.md)",
    "src/jobs/README.md: a → b → c → a is a circle",
    "src/jobs/README.md: c may use dust, which is not there",
    "src/jobs/README.md: gone is not there",
    f"src/scheduler/full: {LARGEST + 1} sources, but a folder has at most {LARGEST}: cut it by idea",
    "ARCHITECTURE.md: east may use attics, which is no room",
    "ARCHITECTURE.md: east → west → east is a circle",
}

# Whole lines that are among the complaints.
PLANTED_LINES = {
    'src/store/store.cpp:5: room store may not include "http/server.h" (ARCHITECTURE.md, Rooms)',
    'src/node/pod/worker.h:4: node/pod may not include "node/logs/file.h" (src/node/README.md)',
    'src/node/logs/new/file.h:1: node/logs/new may not include "node/logs/old/file.h" (src/node/logs/README.md)',
}


def planted_table(rows):
    lines = ["# a room", "", "| folder | what lives there | may use |", "| --- | --- | --- |"]
    return "\n".join(lines + [f"| `{folder}/` | | {uses} |" for folder, uses in rows.items()]) + "\n"


def plant(root):
    """Writes the tree; the places that must be complained about, as FILE:LINE."""
    (root / "ARCHITECTURE.md").write_text(TABLE)
    expected = set()
    for name, lines in PLANTED.items():
        path = root / "src" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(line.removeprefix("!") + "\n" for line in lines))
        expected |= {f"src/{name}:{i}" for i, line in enumerate(lines, 1) if line.startswith("!")}
    for room, rows in PLANTED_TABLES.items():
        (root / "src" / room / "README.md").write_text(planted_table(rows))
    return expected


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder).resolve()
        expected = plant(root) | PLANTED_COMPLAINTS
        complaints = check(root)
    places = [re.match(r"src/[^: ]+\.(?:h|cpp):\d+", complaint) for complaint in complaints]
    found = {place.group(0) if place else complaint for place, complaint in zip(places, complaints)}
    for place in sorted(expected - found):
        print(f"check_rooms --self-test: missed the planted violation: {place}")
    for place in sorted(found - expected):
        print(f"check_rooms --self-test: complained about what is right: {place}")
    for line in sorted(PLANTED_LINES - set(complaints)):
        print(f"check_rooms --self-test: this line is missing: {line}")
    return 0 if found == expected and PLANTED_LINES <= set(complaints) else 1


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    if sys.argv[1:2] == ["--arrows"]:
        print_arrows(pathlib.Path(sys.argv[2] if len(sys.argv) == 3 else ".").resolve())
        return 0
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) == 2 else pathlib.Path(__file__).resolve().parent.parent
    complaints = check(root)
    for complaint in complaints:
        print(complaint)
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
